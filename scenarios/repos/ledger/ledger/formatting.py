"""How amounts and tables look on paper. Nothing here changes what is computed."""

from decimal import ROUND_HALF_UP, Decimal

from ledger.money import MINOR_DIGITS

ALIGN_LEFT = "<"
ALIGN_RIGHT = ">"


def display_round(value, digits):
    """Rounds for display only, halves away from zero."""
    return value.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)


def format_amount(money, thousands=",", parentheses=False):
    """``1,250.00``; negative amounts get a minus, or parentheses as accountants like them."""
    digits = MINOR_DIGITS[money.currency]
    rounded = display_round(abs(money.amount), digits)
    text = f"{rounded:,.{digits}f}".replace(",", thousands)
    if money.amount < 0 and rounded != 0:
        return f"({text})" if parentheses else f"-{text}"
    return text


def format_in_thousands(money):
    """Whole thousands, for the summary page."""
    return f"{display_round(money.amount / 1000, 0):f}k"


def format_percent(rate):
    """``20 %`` or ``5.5 %``."""
    return f"{(rate * 100).normalize():f} %"


def table(rows, header, aligns):
    """Columns padded to their widest cell, separated by two spaces; a rule under the header."""
    cells = [list(header)] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = []
    for number, row in enumerate(cells):
        padded = [f"{cell:{align}{width}}" for cell, align, width in zip(row, aligns, widths)]
        lines.append("  ".join(padded).rstrip())
        if number == 0:
            lines.append("  ".join("-" * width for width in widths))
    return "\n".join(lines)


def invoice_text(invoice, customer_name):
    """An invoice as plain text."""
    line_rows = [
        (line.text, f"{line.quantity:f}", format_amount(line.unit_price), format_amount(line.amount()))
        for line in invoice.lines
    ]
    aligns = (ALIGN_LEFT, ALIGN_RIGHT, ALIGN_RIGHT, ALIGN_RIGHT)
    parts = [
        f"Invoice {invoice.number}  {invoice.issued.isoformat()}",
        customer_name,
        "",
        table(line_rows, ("text", "quantity", "price", "amount"), aligns),
        "",
    ]
    for group in invoice.tax_groups():
        parts.append(
            f"{group.code} {format_percent(group.rate)} on {format_amount(group.net)}: {format_amount(group.tax)}"
        )
    parts.append(f"total {format_amount(invoice.gross_total())} {invoice.currency}")
    parts.append(f"due {invoice.due_date().isoformat()}")
    return "\n".join(parts)
