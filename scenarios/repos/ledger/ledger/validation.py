"""The checks behind ``ledger check``: everything that should hold for a data folder."""

from ledger.archive import closed_years, out_of_balance, verify_digests
from ledger.errors import LedgerError
from ledger.formatting import format_amount
from ledger.numbering import gaps
from ledger.reports import is_balanced, trial_balance


def check_journal(folder):
    """The journal loads (which checks every entry) and its trial balance is zero."""
    try:
        journal = folder.journal()
    except LedgerError as fault:
        return [f"journal: {fault}"]
    currency = folder.settings.currency
    if not is_balanced(trial_balance(journal, currency), currency):
        return ["journal: the trial balance isn't zero"]
    return []


def check_closed_years(folder):
    """Closed years are unchanged, and each of their vouchers balances."""
    closed = folder.closed_folder
    if not closed.is_dir():
        return []
    try:
        verify_digests(closed)
    except LedgerError as fault:
        return [f"closed years: {fault}"]
    problems = []
    for year in closed_years(closed):
        for voucher, difference in out_of_balance(closed, year, folder.settings.currency):
            problems.append(f"closed year {year}: {voucher} is out of balance by {format_amount(difference)}")
    return problems


def check_invoices(folder):
    """Numbers have no gaps, and customers exist."""
    customers = folder.customers()
    invoices = folder.invoices()
    problems = [f"invoices: {number} is missing" for number in gaps(i.number for i in invoices)]
    for invoice in invoices:
        if invoice.customer not in customers:
            problems.append(f"invoice {invoice.number}: no customer {invoice.customer!r}")
        if not invoice.lines:
            problems.append(f"invoice {invoice.number}: no lines")
    return problems


def check_schedules(folder):
    """Recurring invoices name customers that exist."""
    customers = folder.customers()
    return [
        f"recurring {schedule.id}: no customer {schedule.customer!r}"
        for schedule in folder.schedules()
        if schedule.customer not in customers
    ]


CHECKS = (check_journal, check_closed_years, check_invoices, check_schedules)


def check_all(folder):
    """All problems of a data folder, in a fixed order."""
    return [problem for check in CHECKS for problem in check(folder)]
