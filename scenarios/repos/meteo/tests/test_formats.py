import unittest

from meteo.errors import ParseError
from meteo.formats import csvlog, synop

LOG = """# logger 3
time,temperature[F],wind_direction
2026-03-04T00:00Z,50,350
2026-03-04T00:10Z,-9999,10
"""

TELEGRAM = "AAXX 04124 10147 NHEAD 41598 63605 10123 20081 40132 60051="


class Csv(unittest.TestCase):
    def test_units_and_missing_values(self):
        found = csvlog.parse(LOG, "HARBOUR")
        self.assertEqual([r.value for r in found["temperature"]], [10.0, None])
        self.assertEqual([r.value for r in found["wind_direction"]], [350.0, 10.0])

    def test_errors_name_the_line(self):
        with self.assertRaisesRegex(ParseError, "log.csv:4: temperature: not a number"):
            csvlog.parse(LOG.replace("-9999", "ten"), "HARBOUR", "log.csv")
        with self.assertRaisesRegex(ParseError, "3 fields expected, 2 found"):
            csvlog.parse(LOG.replace(",10\n", "\n"), "HARBOUR")

    def test_round_trip(self):
        found = csvlog.parse(LOG, "HARBOUR")
        again = csvlog.parse(csvlog.render(found), "HARBOUR")
        self.assertEqual(again, found)


class Synop(unittest.TestCase):
    def test_groups(self):
        found = synop.parse(TELEGRAM, "10147", 2026, 3)
        self.assertEqual(found, {})
        found = synop.parse(TELEGRAM, "NHEAD", 2026, 3)
        self.assertEqual(found["temperature"].readings[0].value, 12.3)
        self.assertEqual(found["dew_point"].readings[0].value, 8.1)
        self.assertEqual(found["pressure"].readings[0].value, 1013.2)
        self.assertEqual(found["wind_direction"].readings[0].value, 360.0)
        self.assertAlmostEqual(found["wind_speed"].readings[0].value, 2.5722, places=4)
        self.assertEqual(found["rain"].readings[0].value, 5.0)

    def test_torn_telegram(self):
        with self.assertRaisesRegex(ParseError, ":1: telegram ends"):
            synop.parse("AAXX 04124 10147 NHEAD", "NHEAD", 2026, 3)

    def test_month_from_name(self):
        self.assertEqual(synop.month_from_name("synop-2026-03.txt"), (2026, 3))


if __name__ == "__main__":
    unittest.main()
