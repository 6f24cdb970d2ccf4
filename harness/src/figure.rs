//! Figures as text: the same rounding in every report.

/// Shown where there is no figure.
pub const NONE: &str = "–";

/// A level, in the metric's unit: whole with thousands separated from 1,000 on, fewer decimals the larger it is.
pub fn level(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), magnitude)
}

/// A difference, always signed.
pub fn difference(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| format!("{}{}", sign(value), magnitude(value.abs())))
}

/// A relative change as signed percents.
pub fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| format!("{}{:.1} %", sign(value), value.abs() * 100.0))
}

/// A p-value with four decimals; smaller ones as a bound.
pub fn p_value(value: Option<f64>) -> String {
    match value {
        None => NONE.to_owned(),
        Some(value) if value < 0.0001 => "< 0.0001".to_owned(),
        Some(value) => format!("{value:.4}"),
    }
}

/// `1 run`, `2 runs`.
pub fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

fn sign(value: f64) -> &'static str {
    if value < 0.0 { "−" } else { "+" }
}

fn magnitude(value: f64) -> String {
    let size = value.abs();
    if size >= 1000.0 {
        return thousands(value);
    }
    let decimals = if size >= 100.0 {
        0
    } else if size >= 10.0 {
        1
    } else if size >= 0.001 || size == 0.0 {
        3
    } else {
        6
    };
    let text = format!("{value:.decimals$}");
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    }
}

fn thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::new();
    if value < 0.0 {
        out.push('−');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rounded_by_size() {
        for (value, text) in [
            (0.0, "0"),
            (0.97222, "0.972"),
            (4.5, "4.5"),
            (12.34, "12.3"),
            (123.4, "123"),
            (12_345.6, "12,346"),
            (-1_234_567.0, "−1,234,567"),
            (0.000_123, "0.000123"),
        ] {
            assert_eq!(level(Some(value)), text);
        }
        assert_eq!(level(None), NONE);
    }

    #[test]
    fn differences_are_signed_and_ratios_are_percents() {
        assert_eq!(difference(Some(-0.25)), "−0.25");
        assert_eq!(difference(Some(0.0)), "+0");
        assert_eq!(percent(Some(-0.1234)), "−12.3 %");
        assert_eq!(p_value(Some(0.000_01)), "< 0.0001");
        assert_eq!(counted(1, "run"), "1 run");
        assert_eq!(counted(0, "run"), "0 runs");
    }
}
