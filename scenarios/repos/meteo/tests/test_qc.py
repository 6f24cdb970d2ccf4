import unittest
from datetime import timedelta

from meteo.errors import ConfigError
from meteo.qc.limits import check_limits, dew_point_above_temperature
from meteo.qc.persistence import check_persistence
from meteo.qc.pipeline import availability, control
from meteo.qc.step import parse_limits
from tests.helpers import flags, series


class Limits(unittest.TestCase):
    def test_physical_and_climatological_limits(self):
        checked = check_limits(series("temperature", [10.0, 45.0, 99.0, None]))
        self.assertEqual(flags(checked), ["good", "suspect", "bad", "missing"])

    def test_dew_point_above_the_air_temperature(self):
        checked = dew_point_above_temperature(series("temperature", [10.0, 10.0]), series("dew_point", [10.2, 10.5]))
        self.assertEqual(flags(checked), ["good", "suspect"])


class Persistence(unittest.TestCase):
    def test_a_stuck_sensor_is_suspect_from_the_start_of_the_run(self):
        checked = check_persistence(series("pressure", [1000.0, *[1001.0] * 6, 1002.0], minutes=60))
        self.assertEqual(flags(checked), ["good", *["suspect"] * 6, "good"])

    def test_missing_readings_do_not_break_a_run(self):
        checked = check_persistence(series("pressure", [1001.0, 1001.0, None, 1001.0, 1001.0, 1001.0], minutes=60))
        self.assertEqual(flags(checked)[3], "suspect")

    def test_calm_may_last(self):
        checked = check_persistence(series("wind_speed", [0.0] * 30, minutes=60))
        self.assertEqual(set(flags(checked)), {"good"})


class Pipeline(unittest.TestCase):
    def test_findings_count_by_check(self):
        checked, findings = control(series("temperature", [10.0, 10.5, 30.0, 10.4, 99.0]))
        self.assertEqual(flags(checked), ["good", "good", "suspect", "good", "bad"])
        self.assertEqual([(f.check, f.worsened) for f in findings], [("limits", 1), ("step", 1)])
        self.assertEqual(availability(checked), 0.6)

    def test_step_limits_come_from_settings(self):
        limits = parse_limits({"temperature": "30", "humidity": "off"})
        checked, _ = control(series("temperature", [10.0, 30.0]), limits)
        self.assertEqual(flags(checked), ["good", "good"])
        self.assertNotIn("humidity", limits)
        for wrong in ({"rain": "1"}, {"pressure": "much"}, {"pressure": "0"}):
            with self.subTest(wrong), self.assertRaises(ConfigError):
                parse_limits(wrong)

    def test_tables_can_be_replaced(self):
        checked = check_persistence(series("rain", [1.0, 1.0]), {"rain": timedelta(minutes=10)})
        self.assertEqual(flags(checked), ["suspect", "suspect"])


if __name__ == "__main__":
    unittest.main()
