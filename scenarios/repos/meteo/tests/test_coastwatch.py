import unittest

from meteo.errors import MissingKey
from meteo.upload.networks import network
from meteo.upload.request import build
from tests.helpers import HARBOUR, series

STATION = {"temperature": series("temperature", [10.0] * 6), "gust": series("gust", [9.0, 12.0, 8.0, 7.0, 9.0, 9.0])}
KEYS = {"METEO_KEY_COASTWATCH": "harbour-key-7", "METEO_KEY_WOW": "wow-key-1"}


class Coastwatch(unittest.TestCase):
    def test_the_key_is_sent_as_coastwatch_wants_it(self):
        request = build(network("coastwatch"), HARBOUR, STATION, KEYS)
        self.assertEqual(request.headers.get("X-Station-Key"), "harbour-key-7")
        self.assertNotIn("Authorization", request.headers)
        self.assertNotIn("harbour-key-7", request.url + request.body)

    def test_no_key_no_request(self):
        with self.assertRaisesRegex(MissingKey, "set METEO_KEY_COASTWATCH"):
            build(network("coastwatch"), HARBOUR, STATION, {"METEO_KEY_WOW": "wow-key-1"})

    def test_the_log_line_has_no_key(self):
        line = build(network("coastwatch"), HARBOUR, STATION, KEYS).describe()
        self.assertNotIn("harbour-key-7", line)
        self.assertIn("X-Station-Key: ***", line)

    def test_the_body_names_the_station_as_coastwatch_does(self):
        request = build(network("coastwatch"), HARBOUR, STATION, {**KEYS})
        self.assertIn('"station": "CW-0117"', request.body)


if __name__ == "__main__":
    unittest.main()
