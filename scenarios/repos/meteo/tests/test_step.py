import unittest

from meteo.qc.step import check_step, largest_step
from tests.helpers import at_hours, flags, series


class Spikes(unittest.TestCase):
    def test_a_spike_is_suspect_and_its_successor_is_not(self):
        self.assertEqual(flags(check_step(series("temperature", [8.0, 19.0, 8.2]))), ["good", "suspect", "good"])

    def test_quick_changes_within_the_limit_pass(self):
        checked = check_step(series("temperature", [8.0, 10.5, 13.0, 15.9], minutes=10))
        self.assertEqual(set(flags(checked)), {"good"})

    def test_a_new_level_is_believed_in_the_end(self):
        checked = check_step(series("pressure", [1000.0, *[1009.0] * 8]))
        self.assertEqual(flags(checked), ["good", *["suspect"] * 6, "good", "good"])


class AfterAnOutage(unittest.TestCase):
    def test_hours_without_readings_widen_the_limit(self):
        checked = check_step(at_hours("temperature", {0: 4.0, 3: 15.0, 3.5: 15.5}))
        self.assertEqual(flags(checked), ["good", "good", "good"])

    def test_the_widened_limit_is_still_a_limit(self):
        checked = check_step(at_hours("temperature", {0: 4.0, 2: 17.0, 2.5: 5.0}))
        self.assertEqual(flags(checked), ["good", "suspect", "good"])

    def test_after_a_long_outage_nothing_is_compared(self):
        checked = check_step(at_hours("pressure", {0: 990.0, 5: None, 9: 1030.0, 9.5: 1030.4}))
        self.assertEqual(flags(checked), ["good", "missing", "good", "good"])


class Report(unittest.TestCase):
    def test_largest_step_is_a_rate(self):
        rate, reading = largest_step(at_hours("pressure", {0: 1000.0, 2: 1003.0, 2.5: 1004.0}))
        self.assertEqual((rate, reading.value), (2.0, 1004.0))


if __name__ == "__main__":
    unittest.main()
