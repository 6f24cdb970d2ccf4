"""The command line: parses arguments, calls the modules, prints."""

import argparse
import sys
from datetime import date
from pathlib import Path

from ledger.aging import BUCKETS, aging, column_totals
from ledger.errors import LedgerError, ParseError
from ledger.exporters import adviser_csv
from ledger.formatting import ALIGN_LEFT, ALIGN_RIGHT, format_amount, invoice_text, table
from ledger.importers.bank_csv import PROFILES, read_statement
from ledger.payments import OpenItems
from ledger.reconcile import reconcile
from ledger.recurring import due_invoices
from ledger.reports import trial_balance
from ledger.storage import DataFolder
from ledger.validation import check_all


def _day(text):
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ParseError("a date (YYYY-MM-DD)", text) from None


def run_check(folder, args):
    """Prints every problem; exit code 1 if there is one."""
    problems = check_all(folder)
    for problem in problems:
        print(problem)
    if not problems:
        print("all checks passed")
    return 1 if problems else 0


def run_trial(folder, args):
    """Prints the trial balance at the end of a day."""
    rows = trial_balance(folder.journal(), folder.settings.currency, until=_day(args.day))
    cells = [(r.code, r.name, format_amount(r.debit), format_amount(r.credit)) for r in rows]
    aligns = (ALIGN_LEFT, ALIGN_LEFT, ALIGN_RIGHT, ALIGN_RIGHT)
    print(table(cells, ("code", "account", "debit", "credit"), aligns))
    return 0


def run_invoice(folder, args):
    """Prints one invoice."""
    for invoice in folder.invoices():
        if invoice.number == args.number:
            print(invoice_text(invoice, folder.customers().get(invoice.customer).name))
            return 0
    raise LedgerError(f"no invoice {args.number}")


def run_aging(folder, args):
    """Prints receivables by age."""
    currency = folder.settings.currency
    items = OpenItems(folder.invoices())
    rows = aging(items, folder.customers(), _day(args.day), currency)
    cells = [(row.customer, *(format_amount(a) for a in row.amounts)) for row in rows]
    cells.append(("total", *(format_amount(a) for a in column_totals(rows, currency))))
    header = ("customer", *(name for _, name in BUCKETS))
    print(table(cells, header, (ALIGN_LEFT, *(ALIGN_RIGHT for _ in BUCKETS))))
    return 0


def run_due(folder, args):
    """Prints recurring invoices due up to a day."""
    for draft in due_invoices(folder.schedules(), {}, _day(args.day)):
        print(f"{draft.day.isoformat()}  {draft.schedule}  {format_amount(draft.amount)}  {draft.text}")
    return 0


def run_import_bank(folder, args):
    """Reconciles a bank statement with the journal."""
    profile = PROFILES[args.profile]
    with open(args.file, encoding="utf-8", newline="") as handle:
        lines = read_statement(handle, profile, folder.settings.currency, Path(args.file).name)
    result = reconcile(lines, folder.journal(), args.account or folder.settings.bank_account)
    print(f"{len(result.matches)} matched, {len(result.unmatched_lines)} bank lines left")
    for position in result.unmatched_lines:
        line = lines[position]
        print(f"{line.day.isoformat()}  {format_amount(line.amount)}  {line.text}")
    return 0 if result.complete else 1


def run_export(folder, args):
    """Prints the adviser's CSV."""
    sys.stdout.write(adviser_csv(folder.journal()))
    return 0


def build_parser():
    """All commands and their arguments."""
    parser = argparse.ArgumentParser(prog="ledger", description="Plain-file bookkeeping.")
    parser.add_argument("--data", default="data", help="data folder (default: data)")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check").set_defaults(run=run_check)
    commands.add_parser("export").set_defaults(run=run_export)
    for name, run in (("trial", run_trial), ("aging", run_aging), ("due", run_due)):
        command = commands.add_parser(name)
        command.add_argument("day")
        command.set_defaults(run=run)
    invoice = commands.add_parser("invoice")
    invoice.add_argument("number")
    invoice.set_defaults(run=run_invoice)
    bank = commands.add_parser("import-bank")
    bank.add_argument("file")
    bank.add_argument("--profile", choices=sorted(PROFILES), default="neo")
    bank.add_argument("--account", default="")
    bank.set_defaults(run=run_import_bank)
    return parser


def main(argv):
    """Runs a command; returns the exit code."""
    args = build_parser().parse_args(argv)
    try:
        return args.run(DataFolder(args.data), args)
    except LedgerError as fault:
        print(f"ledger: {fault}", file=sys.stderr)
        return fault.exit_code
