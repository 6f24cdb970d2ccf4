//! Times of log lines, in the shapes that agents and their forks have written them.

use engine::message::Json;

use super::dialect::Report;
use super::fault::FaultCode;

/// Unix milliseconds of an ISO 8601 instant with an offset; `None` for anything else.
pub(crate) fn iso_ms(text: &str) -> Option<i64> {
    let instant = usual(text).or_else(|| text.parse().ok());
    instant.map(jiff::Timestamp::as_millisecond)
}

/// The instant of a text in the form that nearly all logs write, `2026-11-29T23:45:25.336Z`: a long log is full of them.
fn usual(text: &str) -> Option<jiff::Timestamp> {
    let [y, u, r, a, b'-', mo, nth, b'-', d, ay, b'T', h, o, b':', mi, n, b':', s, e, b'.', m, i, l, b'Z'] =
        *text.as_bytes()
    else {
        return None;
    };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_i16, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + i16::from(digit - b'0'))
        })
    };
    let small = |digits: [u8; 2]| number(&digits).and_then(|number| i8::try_from(number).ok());
    let date = jiff::civil::Date::new(number(&[y, u, r, a])?, small([mo, nth])?, small([d, ay])?).ok()?;
    let nanoseconds = i32::from(number(&[m, i, l])?) * 1_000_000;
    let time = jiff::civil::Time::new(small([h, o])?, small([mi, n])?, small([s, e])?, nanoseconds).ok()?;
    jiff::tz::Offset::UTC.to_timestamp(date.to_datetime(time)).ok()
}

/// Unix milliseconds of a time by its shape: an instant as text, or a number (also as text) that is milliseconds
/// above 10^11 and seconds below. 10^11 seconds lie in the year 5138, 10^11 milliseconds in 1973.
pub(crate) fn shaped_ms(time: &Json<'_>) -> Option<i64> {
    let number = match time {
        Json::String(text) => match iso_ms(text) {
            Some(ms) => return Some(ms),
            None => text.trim().parse::<f64>().ok()?,
        },
        other => other.as_f64()?,
    };
    whole_ms(if number.abs() > 1e11 { number } else { number * 1000.0 })
}

/// Unix milliseconds of a number that is meant as such; `None` for what is no time of any clock.
pub(crate) fn number_ms(time: &Json<'_>) -> Option<i64> {
    time.as_f64().and_then(whole_ms)
}

fn whole_ms(ms: f64) -> Option<i64> {
    (ms.is_finite() && ms.abs() < 9e15).then_some(ms as i64)
}

/// Steps back that are no step of the clock: an agent may write lines in another order than it stamped them.
const JITTER_MS: i64 = 1000;

/// Times of lines one after another. Lines are in order whatever their times say; a time that runs backwards is noted.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    last: Option<i64>,
}

impl Clock {
    /// Unix milliseconds of a line from what it says; those of the line before where it says nothing that is a time.
    pub(crate) fn take(&mut self, time: Option<&Json<'_>>, line: u64, report: &mut Report) -> Option<i64> {
        let Some(time) = time.filter(|time| **time != Json::Null) else { return self.last };
        let Some(ms) = shaped_ms(time) else {
            report.warn(line, FaultCode::BadTime, "a time in no known form: treated as absent");
            return self.last;
        };
        if self.last.is_some_and(|last| ms < last.saturating_sub(JITTER_MS)) {
            report.warn(
                line,
                FaultCode::ClockSkew,
                "earlier than the line before: the order of lines counts",
            );
        }
        self.last = Some(ms);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_of_real_logs() {
        assert_eq!(iso_ms("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(iso_ms("2026-11-29T23:45:25.336Z"), Some(1_795_995_925_336));
        assert_eq!(iso_ms("2024-02-29T12:00:00.5+02:00"), Some(1_709_200_800_500));
        assert_eq!(iso_ms("2024-02-29"), None);
        assert_eq!(iso_ms("2024-02-29T12:00:00é"), None);
    }

    #[test]
    fn the_usual_form_is_read_as_any_other() {
        for year in ["0000", "0001", "1969", "1970", "2024", "2026", "9999", "20-6"] {
            for rest in [
                "02-29T23:59:59.999",
                "02-30T00:00:00.000",
                "13-01T00:00:00.000",
                "00-00T24:00:00.000",
                "12-31T23:59:60.000",
                "12-31T23:60:00.001",
                "06-01T1 :00:00.000",
                "06-01T12:00:00.+10",
            ] {
                let text = format!("{year}-{rest}Z");
                let parsed = text.parse::<jiff::Timestamp>().ok();
                assert_eq!(iso_ms(&text), parsed.map(jiff::Timestamp::as_millisecond), "{text}");
                assert!(usual(&text).is_none_or(|instant| Some(instant) == parsed), "{text}");
            }
        }
    }

    #[test]
    fn mixed_shapes_of_one_instant() {
        for time in [r#""2024-02-29T10:00:00.500Z""#, "1709200800500", "1709200800.5", r#""1709200800500""#] {
            let json: Json<'_> = serde_json::from_str(time).unwrap();
            assert_eq!(shaped_ms(&json), Some(1_709_200_800_500), "{time}");
        }
        for time in ["null", "true", r#""soon""#, "1e300"] {
            let json: Json<'_> = serde_json::from_str(time).unwrap();
            assert_eq!(shaped_ms(&json), None, "{time}");
            assert_eq!(number_ms(&json), None, "{time}");
        }
        let ms: Json<'_> = serde_json::from_str("1709200800500.9").unwrap();
        assert_eq!(number_ms(&ms), Some(1_709_200_800_500));
    }
}
