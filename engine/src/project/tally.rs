//! The terms of a chunk, each once for how often it occurs: full-text search takes a word for every one that it is given, and
//! less than half of a chunk's terms are the first of their kind.

use super::terms::for_each_term;

/// How many occurrences a term stands for in each column of a chunk's body. A count is their sum, the largest first.
pub(super) const WEIGHTS: [u32; 6] = [1, 2, 3, 4, 8, 16];

/// Slots of a table at first: twice as many as most chunks have terms.
const FEW_SLOTS: usize = 256;

/// Slots that are looked at for a term. One that isn't found in them counts apart, which the sum doesn't show: terms chosen
/// to meet in one slot cost no more than others.
const MAX_PROBES: usize = 32;

/// Terms joined by blanks, by column, and how many they are with their repeats.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) columns: [String; WEIGHTS.len()],
    pub(super) terms: u32,
}

/// What a column's occurrence of a term stands for; `None` for a column that is none of a body's.
pub(super) fn weight(column: &[u8]) -> Option<u32> {
    let number: u32 = str::from_utf8(column.strip_prefix(b"body")?).ok()?.parse().ok()?;
    WEIGHTS.contains(&number).then_some(number)
}

/// Counts terms of one text after the other.
#[derive(Default)]
pub(super) struct Tally {
    /// Places in `seen`, from 1; 0 where there is none. As many as a power of two.
    slots: Vec<u32>,
    seen: Vec<Seen>,
    /// Terms in the order in which they were seen first.
    text: String,
    columns: [String; WEIGHTS.len()],
}

struct Seen {
    key: u64,
    start: u32,
    length: u32,
    count: u32,
}

impl Tally {
    /// The terms of a text.
    pub(super) fn count(&mut self, text: &str) -> Counted {
        self.slots.clear();
        self.slots.resize(FEW_SLOTS, 0);
        self.seen.clear();
        self.text.clear();
        let mut terms = 0;
        for_each_term(text, &mut |term| {
            self.add(term);
            terms += 1;
        });
        self.write();
        Counted { columns: self.columns.clone(), terms }
    }

    fn add(&mut self, term: &str) {
        let (key, length) = (key(term.as_bytes()), number(term.len()));
        let mut free = None;
        for slot in probes(key, length, self.slots.len()) {
            let Some(at) = self.slots[slot].checked_sub(1) else {
                free = Some(slot);
                break;
            };
            let seen = &mut self.seen[at as usize];
            // The key of a short term is the term.
            if (seen.key, seen.length) == (key, length)
                && (term.len() <= WORD
                    || self.text.as_bytes()[seen.start as usize..].starts_with(term.as_bytes()))
            {
                seen.count += 1;
                return;
            }
        }
        self.seen.push(Seen { key, start: number(self.text.len()), length, count: 1 });
        self.text.push_str(term);
        if let Some(slot) = free {
            self.slots[slot] = number(self.seen.len());
        }
        if self.seen.len() * 2 > self.slots.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let slots = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(slots, 0);
        for (at, seen) in self.seen.iter().enumerate() {
            let mut places = probes(seen.key, seen.length, slots);
            if let Some(slot) = places.find(|&slot| self.slots[slot] == 0) {
                self.slots[slot] = number(at + 1);
            }
        }
    }

    /// Writes the columns.
    fn write(&mut self) {
        self.columns.iter_mut().for_each(String::clear);
        let mut rest = self.text.as_str();
        for seen in &self.seen {
            let (term, later) = rest.split_at(seen.length as usize);
            rest = later;
            if seen.count == 1 {
                push(&mut self.columns[0], term);
                continue;
            }
            let mut left = seen.count;
            for (column, weight) in self.columns.iter_mut().zip(WEIGHTS).rev() {
                while left >= weight {
                    left -= weight;
                    push(column, term);
                }
            }
        }
    }
}

fn push(column: &mut String, term: &str) {
    if !column.is_empty() {
        column.push(' ');
    }
    column.push_str(term);
}

/// Bytes of a word of the machine.
const WORD: usize = 8;

/// Some letters as one number: all of as many as it has bytes, the first and the last of more.
fn key(term: &[u8]) -> u64 {
    match (term.first_chunk(), term.last_chunk()) {
        (Some(first), Some(last)) if term.len() > WORD => {
            u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(23)
        }
        _ => match (term.first_chunk(), term.last_chunk()) {
            (Some(first), Some(last)) => {
                u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
            }
            _ => term.iter().fold(0, |key, &byte| key << 8 | u64::from(byte)),
        },
    }
}

/// The slots of a term in a table of a power of two.
fn probes(key: u64, length: u32, slots: usize) -> impl Iterator<Item = usize> {
    let spread = (key ^ u64::from(length)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let first = (spread ^ spread >> 32) as usize;
    (0..MAX_PROBES).map(move |probe| first.wrapping_add(probe) & (slots - 1))
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("a chunk of a file of a megabyte has fewer than 2^32 bytes")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::terms::terms;
    use super::*;

    fn counts(counted: &Counted) -> BTreeMap<String, u32> {
        let mut out = BTreeMap::new();
        for (column, weight) in counted.columns.iter().zip(WEIGHTS) {
            for term in column.split_whitespace() {
                *out.entry(term.to_owned()).or_default() += weight;
            }
        }
        out
    }

    fn expected(text: &str) -> BTreeMap<String, u32> {
        let mut out = BTreeMap::new();
        terms(text).into_iter().for_each(|term| *out.entry(term).or_default() += 1);
        out
    }

    #[test]
    fn a_term_stands_for_as_many_as_there_are() {
        let counted = Tally::default().count(&format!("aa bb {}aa cc", "dd ".repeat(37)));
        assert_eq!(counted.columns, ["bb dd cc", "aa", "", "dd", "", "dd dd"].map(str::to_owned));
        assert_eq!(counted.terms, 41);
    }

    #[test]
    fn columns_are_named_by_what_they_stand_for() {
        assert_eq!(WEIGHTS.map(|w| weight(format!("body{w}").as_bytes())), WEIGHTS.map(Some));
        assert_eq!([&b"path"[..], b"defs", b"body", b"body5"].map(weight), [None; 4]);
    }

    #[test]
    fn terms_that_meet_in_one_slot_are_counted_too() {
        let words: Vec<String> = (0..400_000_u32)
            .map(|n| format!("w{n}"))
            .filter(|word| probes(key(word.as_bytes()), word.len() as u32, 1024).next() == Some(7))
            .collect();
        assert!(words.len() > 4 * MAX_PROBES, "{}", words.len());
        let text = format!("{0} {0} {0}", words.join(" "));
        let mut tally = Tally::default();
        assert_eq!(counts(&tally.count(&text)), expected(&text));
        // The next text begins with nothing.
        assert_eq!(counts(&tally.count("w1 w2 w1")), expected("w1 w2 w1"));
    }

    proptest! {
        #[test]
        fn counting_loses_nothing(text in "([a-c]{1,20}|[a-z]{1,3}|é[a-b]|[ \n])*") {
            prop_assert_eq!(counts(&Tally::default().count(&text)), expected(&text));
        }
    }
}
