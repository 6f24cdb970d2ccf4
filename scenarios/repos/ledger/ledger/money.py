"""Amounts of money.

An amount is a :class:`Money`: a ``Decimal`` and a currency code. Arithmetic keeps all digits; only
:meth:`Money.rounded` and :meth:`Money.allocate` bring a value to the currency's minor unit.
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation

from ledger.errors import LedgerError, ParseError, UnknownCurrency

#: Digits after the point, by ISO 4217 code.
MINOR_DIGITS = {
    "EUR": 2,
    "USD": 2,
    "GBP": 2,
    "CHF": 2,
    "SEK": 2,
    "JPY": 0,
    "KWD": 3,
}


def minor_unit(currency):
    """Smallest step of a currency, for instance ``Decimal('0.01')``."""
    try:
        digits = MINOR_DIGITS[currency]
    except KeyError:
        raise UnknownCurrency(currency) from None
    return Decimal(1).scaleb(-digits)


def round_half_up(value, currency):
    """Rounds to the minor unit, halves away from zero: the rule for invoice lines and totals."""
    return value.quantize(minor_unit(currency), rounding=ROUND_HALF_UP)


def round_half_even(value, currency):
    """Rounds to the minor unit, halves to the even digit: for averages and exchange differences."""
    return value.quantize(minor_unit(currency), rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True)
class Money:
    """An amount in a currency."""

    amount: Decimal
    currency: str

    @classmethod
    def zero(cls, currency):
        """Nothing, in the given currency."""
        return cls(Decimal(0), currency)

    @classmethod
    def parse(cls, text, currency, where=None):
        """Reads ``1250.00`` or ``-1250.00``: the notation of our own files, nothing else."""
        try:
            amount = Decimal(text.strip())
        except InvalidOperation:
            raise ParseError("an amount", text, where) from None
        if not amount.is_finite():
            raise ParseError("an amount", text, where)
        minor_unit(currency)
        return cls(amount, currency)

    def rounded(self):
        """This amount in whole minor units, halves away from zero."""
        return Money(round_half_up(self.amount, self.currency), self.currency)

    def allocate(self, weights):
        """Splits the rounded amount by weights without losing a cent.

        The largest remainders get the minor units that are left; ties go to the earlier weight.
        """
        total = sum(weights)
        if total <= 0:
            raise LedgerError("cannot allocate by weights that add up to nothing")
        unit = minor_unit(self.currency)
        units = int(self.rounded().amount / unit)
        sign = -1 if units < 0 else 1
        exact = [Decimal(abs(units)) * Decimal(w) / Decimal(total) for w in weights]
        shares = [int(value) for value in exact]
        left = abs(units) - sum(shares)
        order = sorted(range(len(weights)), key=lambda i: (-(exact[i] - shares[i]), i))
        for index in order[:left]:
            shares[index] += 1
        return [Money(sign * share * unit, self.currency) for share in shares]

    def is_zero(self):
        """True for nothing at all, before any rounding."""
        return self.amount == 0

    def _same(self, other):
        if not isinstance(other, Money):
            raise TypeError(f"expected Money, got {type(other).__name__}")
        if other.currency != self.currency:
            raise LedgerError(f"cannot mix {self.currency} and {other.currency}")
        return other

    def __add__(self, other):
        return Money(self.amount + self._same(other).amount, self.currency)

    def __sub__(self, other):
        return Money(self.amount - self._same(other).amount, self.currency)

    def __neg__(self):
        return Money(-self.amount, self.currency)

    def __mul__(self, factor):
        return Money(self.amount * Decimal(factor), self.currency)

    def __lt__(self, other):
        return self.amount < self._same(other).amount

    def __le__(self, other):
        return self.amount <= self._same(other).amount

    def __str__(self):
        return f"{self.amount:f} {self.currency}"


def total(values, currency):
    """Sum of many amounts; zero for none."""
    result = Money.zero(currency)
    for value in values:
        result = result + value
    return result
