"""Stations, their stored days, and which days are kept."""

import tempfile
import unittest
from datetime import date
from pathlib import Path

from meteo.errors import UnknownStation
from meteo.qc.neighbours import check_neighbours
from meteo.retention import Policy, expired, file_name
from meteo.stations import Registry, Station, sea_level_pressure
from meteo.storage import Store
from tests.helpers import flags, series

TODAY = date(2026, 6, 30)
STATIONS = Path(__file__).parent.parent / "data" / "stations.json"


class Stored(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Store(Path(folder.name))

    def test_days_are_files_and_merge(self):
        one = series("rain", [1.0] * 3, 720)
        self.assertEqual(
            self.store.write("HARBOUR", {"rain": one}), ["HARBOUR-2026-03-04.csv", "HARBOUR-2026-03-05.csv"]
        )
        self.store.write("HARBOUR", {"rain": series("rain", [2.0], 720)})
        joined = self.store.read_range("HARBOUR", date(2026, 3, 3), date(2026, 3, 6))["rain"]
        self.assertEqual([reading.value for reading in joined], [2.0, 1.0, 1.0])

    def test_clean_deletes_only_expired_files(self):
        self.store.write("HARBOUR", {"rain": series("rain", [1.0])})
        self.assertEqual(self.store.clean(Policy(), date(2026, 3, 5)), [])
        self.assertEqual(self.store.clean(Policy(), date(2027, 3, 5)), ["HARBOUR-2026-03-04.csv"])

    def test_damaged_files_are_named(self):
        (self.store.folder / "HARBOUR-2026-03-04.csv").write_text("time,rain[mm]\n2026-03-04T00:00Z\n")
        self.assertEqual(self.store.damaged(), ["HARBOUR-2026-03-04.csv:2: 2 fields expected, 1 found"])


class Neighbours(unittest.TestCase):
    def test_a_change_that_nobody_confirms(self):
        places = [Station(name, name, 54.0, 7.0 + 0.1 * n, 0.0) for n, name in enumerate(("HARBOUR", "A", "B", "C"))]
        calm = series("pressure", [1000.0] * 5, 60)
        odd = series("pressure", [1000.0, 1000.0, 1000.0, 1006.0, 1000.0], 60)
        checked = check_neighbours(odd, {"A": calm, "B": calm, "C": calm}, Registry(places))
        self.assertEqual(flags(checked), ["good", "good", "good", "suspect", "good"])
        self.assertEqual(check_neighbours(odd, {"A": calm}, Registry(places)), odd)


class Retention(unittest.TestCase):
    def test_days_months_and_years(self):
        policy = Policy.parse("90d", "730d")
        names = [file_name("HARBOUR", date.fromisoformat(day)) for day in
                 ("2026-06-01", "2026-02-02", "2026-02-01", "2024-05-01", "2020-01-01", "2020-01-02")]
        self.assertEqual(
            expired(names, policy, TODAY),
            ["HARBOUR-2020-01-02.csv", "HARBOUR-2024-05-01.csv", "HARBOUR-2026-02-02.csv"],
        )

    def test_other_files_are_left_alone(self):
        self.assertEqual(expired(["notes.txt", "harbour-2001-01-02.csv"], Policy(), TODAY), [])

    def test_months_outlast_days(self):
        with self.assertRaises(ValueError):
            Policy.parse("90d", "30d")


class Stations(unittest.TestCase):
    def setUp(self):
        self.registry = Registry.load(STATIONS)

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
