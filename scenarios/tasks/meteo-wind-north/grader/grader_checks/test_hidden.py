import random
import unittest
from datetime import datetime, timedelta, timezone

from meteo.aggregate import aggregate, daily, hourly
from meteo.model import Reading, Series
from meteo.qc.flags import Flag

START = datetime(2025, 11, 2, tzinfo=timezone.utc)


def directions(values, minutes):
    readings = [Reading(START + timedelta(minutes=minutes * n), value) for n, value in enumerate(values)]
    return Series.build("X", "wind_direction", readings)


def day_mean(values):
    return daily(directions(values, 60), timedelta(hours=1))[0].value


class MeanDirection(unittest.TestCase):
    def test_rotating_the_wind_rotates_its_mean(self):
        pattern = [-20.0, 5.0, 10.0, 25.0] * 6
        for turn in range(0, 360, 15):
            with self.subTest(turn):
                values = [(value + turn) % 360.0 or 360.0 for value in pattern]
                expected = (day_mean([value + 100.0 for value in pattern]) - 100.0 + turn) % 360.0
                found = day_mean(values)
                self.assertLess(abs((found - expected + 180.0) % 360.0 - 180.0), 0.11)
                self.assertTrue(0.0 < found <= 360.0)

    def test_order_does_not_matter(self):
        values = [float(value) for value in (310, 20, 45, 350, 5, 330, 15, 359)] * 3
        shuffled = values[:]
        random.Random(7).shuffle(shuffled)
        self.assertEqual(day_mean(values), day_mean(shuffled))

    def test_unequal_arrows(self):
        self.assertEqual(day_mean([360.0, 360.0, 90.0] * 8), 26.6)
        self.assertEqual(day_mean([270.0, 360.0] * 12), 315.0)

    def test_calm_has_no_direction(self):
        self.assertEqual(day_mean([0.0, 90.0] * 12), 90.0)
        self.assertEqual(day_mean([0.0, 0.0, 355.0, 3.0] * 6), 359.0)
        self.assertIsNone(day_mean([0.0] * 24))

    def test_directions_that_cancel_out(self):
        self.assertIsNone(day_mean([45.0, 225.0] * 12))
        self.assertIsNone(day_mean([120.0, 240.0, 360.0] * 8))
        self.assertIsNone(day_mean([90.0] * 12 + [270.0] * 11 + [265.0]))
        self.assertEqual(day_mean([90.0] * 13 + [270.0] * 11), 90.0)

    def test_hours_too(self):
        bins = hourly(directions([355.0, 5.0, 355.0, 5.0, 360.0, 360.0, *[200.0] * 6], 10), timedelta(minutes=10))
        self.assertEqual([bin_.value for bin_ in bins], [360.0, 200.0])

    def test_flags_and_needed_share_still_count(self):
        series = directions([350.0, 10.0, 90.0, 90.0], 15)
        marked = series.with_readings(
            [*series.readings[:2], *(reading.worsened(Flag.SUSPECT) for reading in series.readings[2:])]
        )
        quarter, hour = timedelta(minutes=15), timedelta(hours=1)
        self.assertIsNone(aggregate(marked, hour, quarter)[0].value)
        self.assertEqual(aggregate(marked, hour, quarter, needed_share=0.5)[0].value, 360.0)
        self.assertNotEqual(aggregate(marked, hour, quarter, accept_suspect=True)[0].value, 360.0)

    def test_other_parameters_keep_their_means(self):
        readings = [Reading(START + timedelta(hours=n), value) for n, value in enumerate([350.0, 10.0] * 12)]
        self.assertEqual(daily(Series.build("X", "humidity", readings), timedelta(hours=1))[0].value, 180.0)


if __name__ == "__main__":
    unittest.main()
