import unittest
from datetime import timedelta

from meteo.aggregate import daily, hourly
from meteo.wind import components, from_components, prevailing, sector
from tests.helpers import series

HOURLY = timedelta(hours=1)


class DailyDirection(unittest.TestCase):
    def mean(self, *pattern):
        values = list(pattern) * (24 // len(pattern))
        return daily(series("wind_direction", values, 60), HOURLY)[0].value

    def test_north_wind_is_not_a_south_wind(self):
        self.assertEqual(self.mean(350.0, 10.0), 360.0)
        self.assertEqual(self.mean(340.0, 360.0, 350.0), 350.0)

    def test_south_wind_stays_a_south_wind(self):
        self.assertEqual(self.mean(170.0, 190.0), 180.0)

    def test_three_quarters(self):
        self.assertEqual(self.mean(300.0, 60.0, 360.0), 360.0)

    def test_opposite_directions_have_no_mean(self):
        self.assertIsNone(self.mean(90.0, 270.0))


class Sectors(unittest.TestCase):
    def test_hourly_bins_agree_with_sectors(self):
        bins = hourly(series("wind_direction", [225.0] * 6), timedelta(minutes=10))
        self.assertEqual(sector(bins[0].value), "SW")

    def test_components_round_trip(self):
        speed, direction = from_components(*components(5.0, 300.0))
        self.assertAlmostEqual(speed, 5.0)
        self.assertAlmostEqual(direction, 300.0)

    def test_prevailing_ignores_calm(self):
        self.assertEqual(prevailing(series("wind_direction", [0.0, 0.0, 358.0, 2.0, 90.0])), "N")


if __name__ == "__main__":
    unittest.main()
