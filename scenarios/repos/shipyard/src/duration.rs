//! Durations as people write them: `45s`, `1m30s`, `2h`.

use std::time::Duration;

use crate::Error;

const UNITS: [(char, u64); 3] = [('h', 3600), ('m', 60), ('s', 1)];

/// Reads a duration. Units must come in falling order, each at most once.
pub fn parse(text: &str) -> Result<Duration, Error> {
    let fail = || Error::Duration(text.to_string());
    let mut seconds: u64 = 0;
    let mut units = UNITS.iter();
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(fail());
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(fail)?;
        let count: u64 = rest[..end].parse().map_err(|_| fail())?;
        let unit = rest[end..].chars().next().ok_or_else(fail)?;
        let (_, factor) = units.find(|(name, _)| *name == unit).ok_or_else(fail)?;
        let part = count.checked_mul(*factor).ok_or_else(fail)?;
        seconds = seconds.checked_add(part).ok_or_else(fail)?;
        rest = &rest[end + unit.len_utf8()..];
    }
    Ok(Duration::from_secs(seconds))
}

/// The shortest form that `parse` reads back; fractions of a second are dropped.
pub fn format(duration: Duration) -> String {
    let mut seconds = duration.as_secs();
    let mut text = String::new();
    for (name, factor) in UNITS {
        if seconds >= factor {
            text.push_str(&format!("{}{name}", seconds / factor));
            seconds %= factor;
        }
    }
    if text.is_empty() {
        "0s".to_string()
    } else {
        text
    }
}

/// `hh:mm:ss` since the start of a plan, for timetables.
pub fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}
