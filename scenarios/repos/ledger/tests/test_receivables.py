import unittest

from ledger.aging import aging, bucket_of, column_totals, doubtful
from ledger.customers import Customer, Directory, fold
from ledger.errors import ParseError
from ledger.numbering import gaps, mentioned, next_number
from ledger.payments import OpenItems, Payment
from ledger.statements import statement
from tests.helpers import day, eur, invoice

PEOPLE = Directory([Customer("adler", "Adler Optik"), Customer("cafe", "Café Zentral")])


def two_invoices():
    return [
        invoice("2024-001", ("1", "100.00", "standard"), issued="2024-01-01", terms="2/10 net30"),
        invoice("2024-002", ("1", "50.00", "standard"), issued="2024-02-01"),
    ]


class Payments(unittest.TestCase):
    def test_the_oldest_comes_first(self):
        items = OpenItems(two_invoices())
        left = items.apply(Payment("P1", "adler", day("2024-02-20"), eur("130.00")))
        self.assertEqual(items.open_amount("2024-001"), eur("0.00"))
        self.assertEqual(items.open_amount("2024-002"), eur("50.00"))
        self.assertEqual(left, eur("0.00"))

    def test_a_named_invoice_comes_first(self):
        items = OpenItems(two_invoices())
        items.apply(Payment("P1", "adler", day("2024-02-20"), eur("60.00"), "for 2024-002, thanks"))
        self.assertEqual(items.open_amount("2024-002"), eur("0.00"))

    def test_discount_closes_the_invoice(self):
        items = OpenItems(two_invoices())
        left = items.apply(Payment("P1", "adler", day("2024-01-09"), eur("117.60")))
        self.assertEqual(items.settlements[0].discount, eur("2.40"))
        self.assertEqual(items.open_amount("2024-001"), eur("0.00"))
        self.assertTrue(left.is_zero())


class Aging(unittest.TestCase):
    def test_buckets(self):
        self.assertEqual([bucket_of(d) for d in (-5, 0, 1, 30, 31, 90, 91)], [0, 0, 1, 1, 2, 3, 4])

    def test_rows(self):
        rows = aging(OpenItems(two_invoices()), PEOPLE, day("2024-03-05"), "EUR")
        self.assertEqual([row.customer for row in rows], ["adler"])
        self.assertEqual(column_totals(rows, "EUR")[1:3], [eur("60.00"), eur("120.00")])
        self.assertEqual(doubtful(rows), [("adler", eur("12.00"))])


class Statements(unittest.TestCase):
    def test_opening_and_closing(self):
        payments = [Payment("P1", "adler", day("2024-02-01"), eur("120.00"))]
        result = statement("adler", two_invoices(), payments, day("2024-02-01"), day("2024-02-29"), "EUR")
        self.assertEqual(result.opening, eur("120.00"))
        self.assertEqual([line.text for line in result.lines], ["invoice 2024-002", "payment P1"])
        self.assertEqual(result.closing, eur("60.00"))


class Numbers(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual(next_number(["2024-001", "2023-009"], 2024), "2024-002")
        self.assertEqual(gaps(["2024-001", "2024-004"]), ["2024-002", "2024-003"])
        self.assertEqual(mentioned("2024-002 and 2024-001 2024-002", ["2024-001", "2024-002"]), ["2024-002", "2024-001"])
        with self.assertRaises(ParseError):
            next_number(["24-1"], 2024)

    def test_customers_by_text(self):
        self.assertEqual(fold("Café  ZENTRAL!"), "cafe zentral")
        self.assertEqual([c.id for c in PEOPLE.matching("payment from CAFE ZENTRAL, Wien")], ["cafe"])


if __name__ == "__main__":
    unittest.main()
