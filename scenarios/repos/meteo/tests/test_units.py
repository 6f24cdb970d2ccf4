import unittest

from meteo.errors import UnitError
from meteo.units import convert, dew_point, format_value, normalise_degrees


class Conversions(unittest.TestCase):
    def test_known_values(self):
        self.assertAlmostEqual(convert("temperature", 50.0, "F"), 10.0)
        self.assertAlmostEqual(convert("pressure", 29.92, "inHg"), 1013.2, places=1)
        self.assertAlmostEqual(convert("wind_speed", 10.0, "kt"), 5.1444, places=4)
        self.assertEqual(convert("rain", 1.5, None), 1.5)

    def test_wrong_unit_is_an_error(self):
        with self.assertRaises(UnitError):
            convert("temperature", 1.0, "hPa")
        with self.assertRaises(UnitError):
            convert("salinity", 1.0, None)

    def test_north_is_360(self):
        self.assertEqual(normalise_degrees(0.0), 360.0)
        self.assertEqual(normalise_degrees(-90.0), 270.0)
        self.assertEqual(normalise_degrees(725.0), 5.0)

    def test_dew_point(self):
        self.assertAlmostEqual(dew_point(20.0, 100.0), 20.0)
        self.assertAlmostEqual(dew_point(20.0, 50.0), 9.3, places=1)

    def test_texts(self):
        self.assertEqual(format_value("wind_direction", 7.0), "007°")
        self.assertEqual(format_value("rain", None), "-")


if __name__ == "__main__":
    unittest.main()
