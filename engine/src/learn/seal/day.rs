//! A civil date, so that expiry needs no clock and no calendar library: the caller says which day it is.

use std::fmt;
use std::str::FromStr;

/// A day of the proleptic Gregorian calendar, written `YYYY-MM-DD`. Later days are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day {
    year: u16,
    month: u8,
    day: u8,
}

/// A text that is no day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" isn't a day: write YYYY-MM-DD")]
pub struct DayError(String);

impl FromStr for Day {
    type Err = DayError;

    fn from_str(text: &str) -> Result<Day, DayError> {
        parse(text).ok_or_else(|| DayError(text.to_owned()))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// Exactly ten characters: signs, spaces and short forms would give one day several names.
fn parse(text: &str) -> Option<Day> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let number = |digits: &[u8]| {
        digits
            .iter()
            .try_fold(0_u16, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + u16::from(digit - b'0')))
    };
    let (year, month, day) = (number(&bytes[..4])?, number(&bytes[5..7])?, number(&bytes[8..])?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    (1..=days).contains(&day).then(|| Day {
        year,
        month: u8::try_from(month).unwrap_or_default(),
        day: u8::try_from(day).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_exactly_and_ordered() {
        for text in ["2026-11-30", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(text.parse::<Day>().unwrap().to_string(), text);
        }
        for text in [
            "2026-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-11-31",
            "2026-11-00",
            "26-11-30",
            "2026-1-30",
            "+026-11-30",
            "2026/11/30",
            "2026-11-30 ",
            "2026-11-3x",
            "",
        ] {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
        let day = |text: &str| text.parse::<Day>().unwrap();
        assert!(day("2026-11-30") < day("2026-12-01") && day("2026-12-31") < day("2027-01-01"));
    }
}
