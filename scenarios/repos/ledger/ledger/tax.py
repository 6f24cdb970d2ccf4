"""Value added tax: codes, rates over time, and the breakdown that stands on an invoice.

The rules are those of ``docs/invoicing.md``. A *group* is all lines of an invoice that share a tax code.
"""

from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from ledger.errors import LedgerError
from ledger.money import Money, minor_unit


@dataclass(frozen=True)
class TaxRate:
    """A rate that holds from a day on, as a fraction: ``Decimal('0.20')`` for 20 %."""

    code: str
    since: date
    rate: Decimal
    account: str


@dataclass(frozen=True)
class TaxGroup:
    """One row of the breakdown: net, tax and gross of all lines with the same code."""

    code: str
    rate: Decimal
    net: Money
    tax: Money

    @property
    def gross(self):
        """Net plus tax."""
        return self.net + self.tax


class UnknownTaxCode(LedgerError):
    """A code without a rate on the day of issue."""

    def __init__(self, code, day):
        super().__init__(f"no tax rate for code {code!r} on {day}")


class TaxTable:
    """All rates, by code, each with the day from which it holds."""

    def __init__(self, rates=()):
        self._rates = sorted(rates, key=lambda rate: (rate.code, rate.since))

    def rate_for(self, code, day):
        """The latest rate of a code that isn't after the day."""
        found = None
        for rate in self._rates:
            if rate.code == code and rate.since <= day:
                found = rate
        if found is None:
            raise UnknownTaxCode(code, day)
        return found

    def codes(self):
        """Every known code, sorted."""
        return sorted({rate.code for rate in self._rates})


DEFAULT_TAXES = TaxTable(
    [
        TaxRate("standard", date(2000, 1, 1), Decimal("0.19"), "3806"),
        TaxRate("standard", date(2021, 1, 1), Decimal("0.20"), "3806"),
        TaxRate("reduced", date(2000, 1, 1), Decimal("0.07"), "3801"),
        TaxRate("zero", date(2000, 1, 1), Decimal("0"), "3800"),
    ]
)


def round_tax(value, currency):
    """Rounds an amount of tax to the minor unit, half up."""
    return value.quantize(minor_unit(currency), rounding=ROUND_HALF_UP)


def tax_on_net(net, rate):
    """Tax to add to a net amount, rounded."""
    return Money(round_tax(net.amount * rate, net.currency), net.currency)


def tax_in_gross(gross, rate):
    """Tax contained in a gross amount, rounded."""
    contained = gross.amount * rate / (1 + rate)
    return Money(round_tax(contained, gross.currency), gross.currency)


def breakdown(lines, day, table, prices_include_tax=False):
    """Tax groups of an invoice, sorted by code.

    ``lines`` are pairs of tax code and line amount; the amount is gross where prices include tax, else net.
    """
    nets = {}
    taxes = {}
    rates = {}
    for code, amount in lines:
        rate = table.rate_for(code, day).rate
        if prices_include_tax:
            tax = tax_in_gross(amount, rate)
            net = amount - tax
        else:
            tax = tax_on_net(amount, rate)
            net = amount
        rates[code] = rate
        nets[code] = nets[code] + net if code in nets else net
        taxes[code] = taxes[code] + tax if code in taxes else tax
    return [TaxGroup(code, rates[code], nets[code], taxes[code]) for code in sorted(nets)]


def advance_return(groups_by_invoice, currency):
    """Figures of the advance tax return: net and tax by code over many invoices."""
    nets = {}
    taxes = {}
    for groups in groups_by_invoice:
        for group in groups:
            nets[group.code] = nets.get(group.code, Money.zero(currency)) + group.net
            taxes[group.code] = taxes.get(group.code, Money.zero(currency)) + group.tax
    return [(code, nets[code], taxes[code]) for code in sorted(nets)]
