import unittest

from meteo.config.upload import Pauses
from meteo.errors import MissingKey, UploadError
from meteo.upload.credentials import available
from meteo.upload.networks import network, network_ids
from meteo.upload.queue import Queue
from meteo.upload.request import build, read_answer
from tests.helpers import HARBOUR, series

STATION = {
    "temperature": series("temperature", [10.0] * 6),
    "wind_speed": series("wind_speed", [5.0] * 6),
    "rain": series("rain", [0.2] * 6),
}
KEYS = {"METEO_KEY_WOW": "wow-key-1", "METEO_KEY_OPENMET": "open-key-2"}


class Requests(unittest.TestCase):
    def test_wow_takes_the_key_in_the_query(self):
        request = build(network("wow"), HARBOUR, STATION, KEYS)
        self.assertIn("siteAuthenticationKey=wow-key-1", request.url)
        self.assertIn("siteid=a1c9-harbour", request.body)
        self.assertIn("tempf=50.00", request.body)
        self.assertNotIn("wow-key-1", request.describe())

    def test_openmet_takes_a_bearer(self):
        request = build(network("openmet"), HARBOUR, STATION, KEYS)
        self.assertEqual(request.headers["Authorization"], "Bearer open-key-2")
        self.assertNotIn("rain", request.body)
        self.assertNotIn("open-key-2", request.describe())

    def test_no_key_no_request(self):
        with self.assertRaisesRegex(MissingKey, "set METEO_KEY_OPENMET"):
            build(network("openmet"), HARBOUR, STATION, {})

    def test_nothing_to_send(self):
        with self.assertRaises(UploadError):
            build(network("wow"), HARBOUR, {"rain": series("rain", [0.1])}, KEYS)

    def test_available_shows_no_keys(self):
        self.assertEqual(available(network_ids(), KEYS), {"coastwatch": False, "openmet": True, "wow": True})


class Answers(unittest.TestCase):
    def test_a_refusal_may_hide_in_the_body(self):
        self.assertFalse(read_answer(network("wow"), 200, "invalid site").accepted)
        self.assertTrue(read_answer(network("wow"), 200, "success").accepted)
        self.assertTrue(read_answer(network("openmet"), 202, '{"id": 4}').accepted)

    def test_reasons_and_retries(self):
        answer = read_answer(network("openmet"), 503, '{"error": "busy"}')
        self.assertEqual((answer.retry, answer.reason), (True, "busy"))
        self.assertEqual(len(read_answer(network("openmet"), 400, "x" * 500).reason), 120)


class Retries(unittest.TestCase):
    def run_with(self, statuses):
        answers = iter(statuses)
        queue = Queue(lambda request: next(answers), Pauses(10.0, 40.0, 3))
        queue.put(build(network("wow"), HARBOUR, STATION, KEYS), 0.0)
        for now in (0.0, 10.0, 30.0, 100.0):
            queue.run(now)
        return queue

    def test_passing_failures_are_tried_again(self):
        self.assertTrue(self.run_with([503, 429, 200]).log[0].startswith("sent"))
        self.assertTrue(self.run_with([503, 503, 503]).log[0].startswith("given up after 3"))

    def test_refusals_are_not(self):
        queue = self.run_with([401])
        self.assertTrue(queue.log[0].startswith("refused with 401"))
        self.assertEqual(queue.waiting(), 0)


if __name__ == "__main__":
    unittest.main()
