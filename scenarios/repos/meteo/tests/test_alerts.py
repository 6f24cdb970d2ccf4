import unittest
from datetime import timedelta

from meteo.alerts import Rule, evaluate
from meteo.errors import ConfigError
from tests.helpers import series


class Rules(unittest.TestCase):
    def test_parse(self):
        rule = Rule.parse("storm", "wind_speed >= 17.2 for 20min")
        self.assertEqual((rule.threshold, rule.hold), (17.2, timedelta(minutes=20)))

    def test_errors(self):
        for text in ("gust >=", "gust => 3", "salt > 3", "gust > x", "gust > 3 for soon"):
            with self.subTest(text), self.assertRaises(ConfigError):
                Rule.parse("r", text)


class Evaluation(unittest.TestCase):
    def test_hold_time(self):
        rule = Rule.parse("storm", "wind_speed >= 17 for 20min")
        self.assertEqual(evaluate(rule, series("wind_speed", [18.0, 18.0, 3.0, 19.0])), [])
        raised = evaluate(rule, series("wind_speed", [18.0, None, 21.0, 17.0, 3.0]))
        self.assertEqual([alert.worst for alert in raised], [21.0])

    def test_worst_of_a_lower_limit_is_the_lowest(self):
        raised = evaluate(Rule.parse("frost", "temperature < 0"), series("temperature", [1.0, -1.0, -3.0]))
        self.assertEqual(raised[0].worst, -3.0)


if __name__ == "__main__":
    unittest.main()
