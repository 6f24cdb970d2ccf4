//! Finding a query's verbatim texts, all in one pass.

use aho_corasick::{AhoCorasick, BuildError};

use super::query::{Needle, NeedleKind};

/// How a verbatim text occurs in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// Position of the needle in [`Query::needles`](super::Query::needles).
    pub needle: usize,
    /// First byte of its first occurrence.
    pub first: usize,
    /// How often it occurs.
    pub count: u32,
}

/// Finds needles. A name ends where its last letter does: `retry` isn't found in `retryLater`.
pub struct Matcher {
    /// Whole words and exact case; then phrases. Each with the positions of its needles.
    passes: Vec<(AhoCorasick, Vec<usize>)>,
    kinds: Vec<NeedleKind>,
}

impl Matcher {
    /// A matcher of some needles.
    ///
    /// # Errors
    /// Where the automaton would be too large, which the bounds of a query exclude.
    pub fn new(needles: &[Needle]) -> Result<Matcher, BuildError> {
        let mut passes = Vec::new();
        for phrases in [false, true] {
            let wanted = |at: &usize| (needles[*at].kind == NeedleKind::Phrase) == phrases;
            let places: Vec<usize> = (0..needles.len()).filter(wanted).collect();
            if !places.is_empty() {
                let texts = places.iter().map(|at| needles[*at].text.as_bytes());
                let automaton = AhoCorasick::builder().ascii_case_insensitive(phrases).build(texts)?;
                passes.push((automaton, places));
            }
        }
        Ok(Matcher { passes, kinds: needles.iter().map(|needle| needle.kind).collect() })
    }

    /// What occurs in a text, by needle.
    pub fn find(&self, text: &str) -> Vec<Occurrence> {
        let mut found: Vec<Option<Occurrence>> = vec![None; self.kinds.len()];
        for (automaton, places) in &self.passes {
            for hit in automaton.find_overlapping_iter(text) {
                if !stands_alone(text, hit.start(), hit.end()) {
                    continue;
                }
                let needle = places[hit.pattern().as_usize()];
                let known = found[needle].get_or_insert(Occurrence { needle, first: hit.start(), count: 0 });
                known.count = known.count.saturating_add(1);
            }
        }
        found.into_iter().flatten().collect()
    }
}

/// Whether neither end cuts a word.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let cuts = |inside: Option<char>, outside: Option<char>| {
        inside.is_some_and(is_word) && outside.is_some_and(is_word)
    };
    let hit = &text[start..end];
    !cuts(hit.chars().next(), text[..start].chars().next_back())
        && !cuts(hit.chars().next_back(), text[end..].chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occurrences(needles: &[(NeedleKind, &str)], text: &str) -> Vec<(usize, usize, u32)> {
        let needle = |(kind, text): &(NeedleKind, &str)| Needle { text: (*text).to_owned(), kind: *kind };
        let needles: Vec<Needle> = needles.iter().map(needle).collect();
        let matcher = Matcher::new(&needles).unwrap();
        matcher.find(text).into_iter().map(|o| (o.needle, o.first, o.count)).collect()
    }

    #[test]
    fn names_are_whole_and_exact_phrases_are_not_about_case() {
        use NeedleKind::{Identifier, Path, Phrase};
        assert_eq!(occurrences(&[(Identifier, "retry")], "retryLater my_retry Retry"), []);
        assert_eq!(occurrences(&[(Identifier, "retry")], "a retry, retry()"), [(0, 2, 2)]);
        assert_eq!(occurrences(&[(Phrase, "not found")], "File Not Found: x"), [(0, 5, 1)]);
        assert_eq!(occurrences(&[(Path, "src/a.rs")], "lib/src/a.rs:3, src/a.rsx"), [(0, 4, 1)]);
        assert_eq!(occurrences(&[(Phrase, "a b"), (Identifier, "b")], "x a b"), [(0, 2, 1), (1, 4, 1)]);
        assert_eq!(occurrences(&[], "x"), []);
    }
}
