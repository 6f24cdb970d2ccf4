//! Masks, and the way back from a place in masked text.

use std::ops::Range;

use super::catalogue::kinds;
use super::scan::Found;

/// Where masks stand: for each, its range in the masked text and in the source. In order.
pub(super) struct Places(Vec<(Range<usize>, Range<usize>)>);

impl Places {
    /// What a range of the masked text covers of the source: masks that it touches, whole.
    pub(super) fn source(&self, range: &Range<usize>) -> Range<usize> {
        self.start(range.start)..self.end(range.end)
    }

    fn start(&self, at: usize) -> usize {
        match self.0.partition_point(|(masked, _)| masked.start <= at).checked_sub(1).map(|n| &self.0[n]) {
            Some((masked, source)) if at < masked.end => source.start,
            Some((masked, source)) => source.end + (at - masked.end),
            None => at,
        }
    }

    fn end(&self, at: usize) -> usize {
        match self.0.partition_point(|(masked, _)| masked.start < at).checked_sub(1).map(|n| &self.0[n]) {
            Some((masked, source)) if at <= masked.end => source.end,
            Some((masked, source)) => source.end + (at - masked.end),
            None => at,
        }
    }
}

/// The text with `[redacted:KIND]` for each finding, and as many line breaks behind it as it held.
pub(super) fn write(text: &str, found: &[Found]) -> (String, Places) {
    let mut out = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(found.len());
    let mut from = 0;
    for found in found {
        out.push_str(&text[from..found.range.start]);
        let start = out.len();
        out.push_str("[redacted:");
        out.push_str(kinds()[found.kind].name);
        out.push(']');
        let breaks = text[found.range.clone()].bytes().filter(|b| *b == b'\n').count();
        out.extend(std::iter::repeat_n('\n', breaks));
        places.push((start..out.len(), found.range.clone()));
        from = found.range.end;
    }
    out.push_str(&text[from..]);
    (out, Places(places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lead_back_to_the_source() {
        let found = [Found { kind: 0, range: 2..5 }, Found { kind: 0, range: 8..9 }];
        let (masked, places) = write("ab123cde4fg", &found);
        let mask = format!("[redacted:{}]", kinds()[0].name);
        assert_eq!(masked, format!("ab{mask}cde{mask}fg"));
        let width = mask.len();
        assert_eq!(places.source(&(0..2)), 0..2);
        assert_eq!(places.source(&(2 + width..5 + width)), 5..8);
        assert_eq!(places.source(&(1..4)), 1..5);
        assert_eq!(places.source(&(masked.len() - 2..masked.len())), 9..11);
    }
}
