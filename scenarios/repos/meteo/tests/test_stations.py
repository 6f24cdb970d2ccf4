import unittest
from pathlib import Path

from meteo.errors import UnknownStation
from meteo.stations import Registry, sea_level_pressure

DATA = Path(__file__).parent.parent / "data" / "stations.json"


class Stations(unittest.TestCase):
    def setUp(self):
        self.registry = Registry.load(DATA)

    def test_lookup(self):
        self.assertEqual(self.registry.get("HARBOUR").network_id("coastwatch"), "CW-0117")
        self.assertEqual(self.registry.get("NHEAD").network_id("wow"), "NHEAD")
        with self.assertRaises(UnknownStation):
            self.registry.get("MOON")

    def test_nearest(self):
        (station, distance), *_ = self.registry.nearest("HARBOUR", 2)
        self.assertEqual(station.id, "DUNE")
        self.assertAlmostEqual(distance, 2.2, places=1)

    def test_pressure_at_sea_level(self):
        self.assertAlmostEqual(sea_level_pressure(1000.0, 15.0, 100.0), 1011.9, places=1)


if __name__ == "__main__":
    unittest.main()
