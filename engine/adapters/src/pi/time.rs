//! ISO 8601 instants to Unix milliseconds, as Pi writes them.

/// Unix milliseconds of `YYYY-MM-DDTHH:MM:SS[.fff…](Z|±HH:MM)`; `None` for anything else.
pub(super) fn iso_ms(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if separators.iter().any(|(at, byte)| bytes.get(*at) != Some(byte)) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let rest = text.get(19..)?;
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?),
        None => ("", rest),
    };
    let millis =
        fraction.bytes().chain(std::iter::repeat(b'0')).take(3).fold(0, |n, b| n * 10 + i64::from(b - b'0'));
    let offset_minutes = zone_minutes(zone)?;
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    Some((seconds - offset_minutes * 60) * 1_000 + millis)
}

fn zone_minutes(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    Some(sign * (hours.parse::<u8>().ok()? as i64 * 60 + minutes.parse::<u8>().ok()? as i64))
}

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar, counted in eras of 400 years that begin in
/// March, so that the leap day comes last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::iso_ms;

    #[test]
    fn instants_of_real_logs() {
        assert_eq!(iso_ms("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(iso_ms("2026-11-29T23:45:25.336Z"), Some(1_795_995_925_336));
        assert_eq!(iso_ms("2024-02-29T12:00:00.5+02:00"), Some(1_709_200_800_500));
        assert_eq!(iso_ms("2024-02-29"), None);
        assert_eq!(iso_ms("2024-02-29T12:00:00é"), None);
    }
}
