import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

from meteo.config import upload as defaults
from meteo.errors import MissingKey, UploadError
from meteo.model import Reading, Series
from meteo.stations import Station
from meteo.upload.networks import Network, network
from meteo.upload.queue import Queue
from meteo.upload.request import build

START = datetime(2025, 7, 9, 5, tzinfo=timezone.utc)
PLACE = Station("PIER", "Long pier", 53.9, 8.1, 3.0)
ROOT = Path(__file__).resolve().parent.parent


def hour(parameter, value):
    readings = [Reading(START + timedelta(minutes=10 * n), value) for n in range(6)]
    return {parameter: Series.build("PIER", parameter, readings)}


class Key(unittest.TestCase):
    def test_whatever_key_the_environment_holds_is_sent(self):
        for key in ("k", "Zq-81_x.y", "a" * 64):
            request = build(network("coastwatch"), PLACE, hour("gust", 9.0), {"METEO_KEY_COASTWATCH": key})
            self.assertEqual(request.headers["X-Station-Key"], key)
            self.assertNotIn("Authorization", request.headers)
            self.assertEqual(request.url, "https://ingest.coastwatch.example/stations")

    def test_without_a_key_nothing_is_built(self):
        for environment in ({}, {"METEO_KEY_COASTWATCH": "  "}, {"METEO_KEY_OPENMET": "other"}):
            with self.subTest(environment), self.assertRaises(MissingKey):
                build(network("coastwatch"), PLACE, hour("gust", 9.0), environment)

    def test_a_key_that_breaks_headers_is_refused(self):
        with self.assertRaises(UploadError):
            build(network("coastwatch"), PLACE, hour("gust", 9.0), {"METEO_KEY_COASTWATCH": "a\r\nX-Evil: b"})

    def test_other_networks_keep_their_ways(self):
        environment = {"METEO_KEY_WOW": "w0", "METEO_KEY_OPENMET": "o0", "METEO_KEY_COASTWATCH": "c0"}
        openmet = build(network("openmet"), PLACE, hour("temperature", 9.0), environment)
        self.assertEqual(openmet.headers["Authorization"], "Bearer o0")
        self.assertNotIn("X-Station-Key", openmet.headers)
        wow = build(network("wow"), PLACE, hour("temperature", 9.0), environment)
        self.assertTrue(wow.url.endswith("?siteAuthenticationKey=w0"))
        self.assertNotIn("X-Station-Key", wow.headers)

    def test_a_network_of_the_same_kind_takes_its_own_key(self):
        other = Network("harbour-net", "https://h.example/in", "json", "header", "X-Station-Key", ("gust",))
        request = build(other, PLACE, hour("gust", 9.0), {"METEO_KEY_HARBOUR_NET": "h0", "METEO_KEY_COASTWATCH": "c0"})
        self.assertEqual(request.headers["X-Station-Key"], "h0")


class NoLeak(unittest.TestCase):
    KEY = "do-not-show-4471"

    def test_log_lines(self):
        request = build(network("coastwatch"), PLACE, hour("gust", 9.0), {"METEO_KEY_COASTWATCH": self.KEY})
        self.assertNotIn(self.KEY, request.describe())
        self.assertNotIn(self.KEY, request.url + request.body)
        for status in (200, 401, 404):
            queue = Queue(lambda _: status)
            queue.put(request, 0.0)
            queue.run(0.0)
            self.assertNotIn(self.KEY, "".join(queue.log))

    def test_the_trial_key_stays_where_it_was(self):
        trial = getattr(defaults, "COASTWATCH_TRIAL_KEY", None)
        for path in sorted((ROOT / "meteo").rglob("*.py")):
            if path.name == "upload.py" and path.parent.name == "config":
                continue
            text = path.read_text(encoding="utf-8")
            self.assertNotIn("COASTWATCH_TRIAL_KEY", text, path.name)
            self.assertNotIn("sk-test-", text, path.name)
            if trial:
                self.assertNotIn(trial, text, path.name)


if __name__ == "__main__":
    unittest.main()
