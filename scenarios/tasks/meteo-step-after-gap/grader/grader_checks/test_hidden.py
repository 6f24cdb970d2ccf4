import unittest
from datetime import datetime, timedelta, timezone

from meteo.model import Reading, Series
from meteo.qc.flags import Flag
from meteo.qc.pipeline import control
from meteo.qc.step import MAX_GAP_HOURS, RESET_AFTER, StepLimit, check_step

START = datetime(2025, 1, 31, 18, tzinfo=timezone.utc)


def judged(parameter, values, limits=None):
    readings = [Reading(START + timedelta(hours=hour), value) for hour, value in values.items()]
    checked = check_step(Series.build("X", parameter, readings), limits)
    return "".join(reading.flag.name[0] for reading in checked)


class StepOverTime(unittest.TestCase):
    def test_fractions_of_an_hour_count(self):
        self.assertEqual(judged("temperature", {0: 0.0, 1.5: 8.9}), "GG")
        self.assertEqual(judged("temperature", {0: 0.0, 1.5: 9.1}), "GS")
        self.assertEqual(judged("humidity", {0: 20.0, 2.25: 98.0}), "GG")
        self.assertEqual(judged("humidity", {0: 20.0, 2.25: 99.0}), "GS")

    def test_within_the_hour_the_limit_itself_holds(self):
        self.assertEqual(judged("temperature", {0: 0.0, 0.25: 5.9, 0.5: 0.1}), "GGG")
        self.assertEqual(judged("temperature", {0: 0.0, 0.25: 6.1}), "GS")
        self.assertEqual(judged("temperature", {0: 0.0, 1: 6.0}), "GG")

    def test_falls_are_changes_as_well(self):
        self.assertEqual(judged("pressure", {0: 1010.0, 3: 999.0, 3.5: 980.0}), "GGS")

    def test_six_hours_are_compared_and_more_are_not(self):
        self.assertEqual(MAX_GAP_HOURS, 6.0)
        self.assertEqual(judged("pressure", {0: 1000.0, 6: 1024.5}), "GS")
        self.assertEqual(judged("pressure", {0: 1000.0, 6: 1024.0}), "GG")
        self.assertEqual(judged("pressure", {0: 1000.0, 6.1: 1050.0}), "GG")

    def test_after_a_long_gap_the_reading_is_the_new_reference(self):
        self.assertEqual(judged("temperature", {0: -5.0, 20: 15.0, 20.5: 16.0, 21: 40.0, 21.5: 16.5}), "GGGSG")

    def test_time_runs_from_the_last_usable_reading(self):
        self.assertEqual(judged("temperature", {0: 0.0, 1: None, 2: None, 3: 17.0}), "GMMG")
        self.assertEqual(judged("temperature", {0: 0.0, 1: 25.0, 2: 11.5}), "GSG")

    def test_suspects_do_not_reset_the_clock(self):
        values = {0: 1000.0, 2: 1030.0, 4: 1045.0, 6: 1060.0, 6.5: 1075.0}
        self.assertEqual(judged("pressure", values), "GSSSG")

    def test_a_new_level_still_needs_its_readings(self):
        values = {0: 0.0} | {0.1 * n: 20.0 for n in range(1, RESET_AFTER + 3)}
        self.assertEqual(judged("temperature", values), "G" + "S" * RESET_AFTER + "GG")

    def test_limits_given_by_the_caller(self):
        self.assertEqual(judged("rain", {0: 0.0, 4: 7.9, 4.5: 12.0}, {"rain": StepLimit(2.0)}), "GGS")
        self.assertEqual(judged("wind_direction", {0: 10.0, 0.5: 300.0}), "GG")


class Pipeline(unittest.TestCase):
    def test_a_station_after_an_outage(self):
        readings = [Reading(START + timedelta(hours=hour), value) for hour, value in
                    {0: 4.0, 0.5: 4.2, 4.5: 18.0, 5: 18.5, 5.5: 30.0}.items()]
        checked, findings = control(Series.build("X", "temperature", readings))
        self.assertEqual([reading.flag for reading in checked], [Flag.GOOD] * 4 + [Flag.SUSPECT])
        self.assertEqual([(finding.check, finding.worsened) for finding in findings], [("step", 1)])


if __name__ == "__main__":
    unittest.main()
