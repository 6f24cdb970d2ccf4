import unittest
from datetime import timedelta

from meteo.gaps import find_gaps, longest_outage_line, with_missing
from meteo.interpolate import between, fill, resample
from tests.helpers import at_hours, flags, series

TEN = timedelta(minutes=10)


class Gaps(unittest.TestCase):
    def test_missing_readings_are_counted(self):
        gap = find_gaps(series("rain", [0.0, None, None, 0.2]), TEN)[0]
        self.assertEqual((gap.missing, gap.hours), (2, 0.5))

    def test_with_missing_makes_gaps_visible(self):
        made = with_missing(at_hours("rain", {0: 1.0, 0.5: 2.0}), TEN)
        self.assertEqual(flags(made), ["good", "missing", "missing", "good"])

    def test_outage_line(self):
        line = longest_outage_line(at_hours("rain", {0: 1.0, 3: 2.0}), timedelta(hours=1))
        self.assertIn("longest outage 3.0 h", line)


class Filling(unittest.TestCase):
    def test_short_gaps_are_filled_and_flagged(self):
        filled = fill(series("temperature", [1.0, None, 3.0]))
        self.assertEqual([r.value for r in filled], [1.0, 2.0, 3.0])
        self.assertEqual(flags(filled), ["good", "suspect", "good"])

    def test_long_gaps_and_rain_stay(self):
        self.assertIsNone(fill(series("temperature", [1.0, *[None] * 6, 3.0])).readings[3].value)
        self.assertIsNone(fill(series("rain", [1.0, None, 3.0])).readings[1].value)

    def test_directions_take_the_short_way(self):
        self.assertEqual(between("wind_direction", 350.0, 20.0, 0.5), 5.0)
        self.assertEqual(between("wind_direction", 10.0, 350.0, 0.5), 360.0)
        self.assertIsNone(between("wind_direction", 0.0, 90.0, 0.5))

    def test_resample(self):
        even = resample(at_hours("temperature", {0: 0.0, 1: 6.0, 2: 0.0}), timedelta(minutes=30))
        self.assertEqual([r.value for r in even], [0.0, 3.0, 6.0, 3.0, 0.0])


if __name__ == "__main__":
    unittest.main()
