"""Orders of the web shop, turned into invoice rows."""

import json
from decimal import Decimal

from ledger.errors import ParseError

#: Tax classes of the shop and the codes used here.
TAX_CLASSES = {"normal": "standard", "books": "reduced", "export": "zero"}


def _cents(value, where):
    """The shop stores whole cents."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ParseError("a number of cents", str(value), where)
    return f"{Decimal(value) / 100:.2f}"


def read_orders(text, name="orders"):
    """Invoice rows (see ``docs/formats.md``) without a number, in the order of the file. Prices include tax."""
    try:
        orders = json.loads(text)
    except json.JSONDecodeError as fault:
        raise ParseError("JSON", fault.msg, f"{name}:{fault.lineno}") from None
    rows = []
    for order in orders:
        where = f"{name}: order {order.get('id')}"
        lines = []
        for item in order["items"]:
            tax_class = item.get("tax", "normal")
            if tax_class not in TAX_CLASSES:
                raise ParseError("a tax class", tax_class, where)
            lines.append(
                {
                    "text": item["title"],
                    "quantity": str(item["count"]),
                    "unit_price": _cents(item["cents"], where),
                    "tax_code": TAX_CLASSES[tax_class],
                }
            )
        rows.append(
            {
                "customer": order["customer"],
                "issued": order["day"],
                "terms": "net0",
                "currency": order.get("currency", "EUR"),
                "prices_include_tax": True,
                "lines": lines,
            }
        )
    return rows
