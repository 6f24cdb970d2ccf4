"""Files for others: the tax adviser's CSV and a JSON dump."""

import csv
import io
import json

from ledger.formatting import format_amount


def adviser_csv(journal, since=None, until=None):
    """Semicolons and a decimal comma, debit and credit side by side, as tax advisers import it."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=";", lineterminator="\n")
    writer.writerow(["day", "voucher", "account", "debit", "credit", "text"])
    for entry in journal.entries(since, until):
        for posting in entry.postings:
            amount = format_amount(posting.amount, thousands="").replace(".", ",")
            debit = amount if posting.amount.amount >= 0 else ""
            credit = amount.lstrip("-") if posting.amount.amount < 0 else ""
            day = entry.day.strftime("%d.%m.%Y")
            writer.writerow([day, entry.id, posting.account, debit, credit, posting.text])
    return buffer.getvalue()


def json_dump(journal):
    """Everything, one entry an object; amounts as strings."""
    entries = [
        {
            "id": entry.id,
            "date": entry.day.isoformat(),
            "postings": [
                {"account": p.account, "amount": f"{p.amount.amount:f}", "currency": p.amount.currency, "text": p.text}
                for p in entry.postings
            ],
        }
        for entry in journal.entries()
    ]
    return json.dumps({"entries": entries}, indent=2, ensure_ascii=False) + "\n"
