import unittest
from datetime import timedelta

from meteo.aggregate import aggregate, daily, extremes, hourly
from tests.helpers import series

TEN = timedelta(minutes=10)


class Bins(unittest.TestCase):
    def test_mean_sum_and_maximum(self):
        values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        self.assertEqual(hourly(series("temperature", values), TEN)[0].value, 3.5)
        self.assertEqual(hourly(series("rain", values), TEN)[0].value, 21.0)
        self.assertEqual(hourly(series("gust", values), TEN)[0].value, 6.0)

    def test_too_few_readings_leave_a_bin_empty(self):
        thin = series("temperature", [1.0, None, None, 4.0, 5.0, 6.0])
        self.assertIsNone(hourly(thin, TEN)[0].value)
        self.assertEqual(hourly(thin, TEN, needed_share=0.5)[0].value, 4.0)

    def test_a_reading_at_the_start_belongs_to_its_bin(self):
        bins = hourly(series("temperature", [1.0] * 6 + [9.0] * 6), TEN)
        self.assertEqual([bin_.value for bin_ in bins], [1.0, 9.0])

    def test_empty_bins_are_kept(self):
        bins = aggregate(series("rain", [1.0, 1.0], minutes=180), timedelta(hours=1), timedelta(hours=1))
        self.assertEqual([bin_.value for bin_ in bins], [1.0, None, None, 1.0])

    def test_steady_wind_and_calm(self):
        self.assertEqual(daily(series("wind_direction", [90.0] * 24, 60), timedelta(hours=1))[0].value, 90.0)
        self.assertIsNone(daily(series("wind_direction", [0.0] * 24, 60), timedelta(hours=1))[0].value)

    def test_extremes(self):
        low, high = extremes(series("temperature", [3.0, 1.0, 8.0, 1.0, 8.0]))
        self.assertEqual((low.value, low.time.minute), (1.0, 10))
        self.assertEqual((high.value, high.time.minute), (8.0, 20))


if __name__ == "__main__":
    unittest.main()
