import unittest
from datetime import date

from meteo.retention import Policy, expired, file_name

TODAY = date(2026, 6, 30)


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


if __name__ == "__main__":
    unittest.main()
