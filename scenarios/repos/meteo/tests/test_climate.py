import unittest
from datetime import timedelta

from meteo.climate import degree_day, deviations, summarise, temperature_days, trend
from meteo.aggregate import daily
from meteo.rainfall import events, longest_dry_spell, rolling_maximum
from meteo.report import markdown
from tests.helpers import series

HOUR = timedelta(hours=1)


class Temperature(unittest.TestCase):
    def test_kinds_of_days(self):
        values = [-3.0] * 24 + [-1.0] * 12 + [4.0] * 12 + [None] * 24
        days = temperature_days(series("temperature", values, 60), HOUR)
        summary = summarise(days)
        self.assertEqual((summary.frost_days, summary.ice_days, summary.incomplete), (2, 1, 1))
        self.assertEqual(summary.degree_days, 23.0 + 18.5)

    def test_no_heating_on_warm_days(self):
        self.assertEqual(degree_day(15.0), 0.0)

    def test_deviation_from_normals(self):
        bins = daily(series("temperature", [6.0] * 24, 60), HOUR)
        self.assertEqual(list(deviations(bins, {3: 4.5}).values()), [1.5])

    def test_trend(self):
        self.assertAlmostEqual(trend([1.0, 3.0, 5.0, 7.0]), 2.0)
        self.assertIsNone(trend([1.0, 2.0]))


class Rain(unittest.TestCase):
    def setUp(self):
        self.rain = series("rain", [0.0, 1.0, 2.0, *[0.0] * 30, 0.5], 10)

    def test_events_are_separated_by_dry_hours(self):
        first, second = events(self.rain, timedelta(minutes=10))
        self.assertEqual((first.total, first.peak, first.kind), (3.0, 12.0, "heavy"))
        self.assertEqual((second.total, second.kind), (0.5, "moderate"))

    def test_dry_spell_and_rolling_sum(self):
        self.assertEqual(longest_dry_spell(self.rain), timedelta(minutes=310))
        self.assertEqual(rolling_maximum(self.rain, timedelta(minutes=20))[0], 3.0)


class Page(unittest.TestCase):
    def test_sections_without_data_say_so(self):
        page = markdown.render(markdown.Month("Old harbour", "March", [], summarise([]), [], {}))
        for text in ("No temperatures.", "No rain.", "No wind direction."):
            self.assertIn(text, page)


if __name__ == "__main__":
    unittest.main()
