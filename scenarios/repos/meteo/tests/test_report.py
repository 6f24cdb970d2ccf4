import contextlib
import io
import unittest
from datetime import timedelta
from pathlib import Path

from meteo.aggregate import hourly
from meteo.cli import main
from meteo.config.loader import parse
from meteo.errors import ConfigError
from meteo.report import csvout, rows, text
from tests.helpers import series

ROOT = Path(__file__).parent.parent


class Tables(unittest.TestCase):
    def setUp(self):
        interval = timedelta(minutes=10)
        self.rows = rows(
            {
                "rain": hourly(series("rain", [0.5] * 6), interval),
                "wind_direction": hourly(series("wind_direction", [90.0] * 6), interval),
            }
        )

    def test_text(self):
        self.assertEqual(
            text.table(self.rows),
            "time                 rain  wind_direction\n2026-03-04T00:00Z  3.0 mm          090° E\n",
        )

    def test_csv(self):
        self.assertEqual(csvout.render(self.rows), "time,rain[mm],wind_direction[deg]\n2026-03-04T00:00Z,3.0,90\n")


class CommandLine(unittest.TestCase):
    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["--stations", str(ROOT / "data/stations.json"), *arguments])
        return code, out.getvalue(), err.getvalue()

    def test_import(self):
        code, out, _ = self.run_main("import", str(ROOT / "data/harbour.csv"), "--station", "HARBOUR")
        self.assertEqual(code, 0)
        self.assertIn("temperature: 36 readings, 94% usable", out)

    def test_unknown_station(self):
        code, _, err = self.run_main("daily", str(ROOT / "data/harbour.csv"), "--station", "MOON")
        self.assertEqual((code, err), (64, "meteo: unknown station 'MOON'\n"))


class SettingsFile(unittest.TestCase):
    def test_values(self):
        settings = parse("[aggregate]\nneeded_share = 0.5\n[alerts]\nwarm = temperature > 25 for 1h\n")
        self.assertEqual((settings.needed_share, settings.rules[0].name), (0.5, "warm"))

    def test_unknown_key(self):
        with self.assertRaisesRegex(ConfigError, "no key 'share'"):
            parse("[aggregate]\nshare = 1\n")


if __name__ == "__main__":
    unittest.main()
