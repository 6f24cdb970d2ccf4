//! Identifiers of one log as small numbers: each text is held once, however many lines name it.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// An identifier of one log: equal numbers, equal texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Id(u32);

/// The identifiers of one log. A million of 36 characters take about 70 MB; a string each for a line's own, its parent's and
/// its entry's would take three times as much.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ids {
    texts: String,
    /// Where each identifier's text ends.
    ends: Vec<usize>,
    /// The latest identifier of each hash.
    latest: HashMap<u64, u32>,
    /// By identifier: the one before it of the same hash.
    before: Vec<Option<u32>>,
    hasher: RandomState,
}

impl Ids {
    /// The number of a text.
    pub(crate) fn number(&mut self, text: &str) -> Id {
        let hash = self.hasher.hash_one(text);
        if let Some(known) = self.find(hash, text) {
            return known;
        }
        let number =
            u32::try_from(self.ends.len()).expect("a log's limit of bytes leaves room for fewer identifiers");
        self.texts.push_str(text);
        self.ends.push(self.texts.len());
        self.before.push(self.latest.insert(hash, number));
        Id(number)
    }

    fn find(&self, hash: u64, text: &str) -> Option<Id> {
        let mut next = self.latest.get(&hash).copied();
        while let Some(number) = next.filter(|number| self.text(Id(*number)) != text) {
            next = self.before[number as usize];
        }
        next.map(Id)
    }

    /// The text of a number that [`Ids::number`] gave.
    pub(crate) fn text(&self, id: Id) -> &str {
        let at = id.0 as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start..self.ends[at]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_one_number_and_keep_their_spelling() {
        let mut ids = Ids::default();
        let texts = ["a", "", "ab", "b", "é", "a", "ab", ""];
        let numbers: Vec<Id> = texts.iter().map(|text| ids.number(text)).collect();
        let spelled: Vec<&str> = numbers.iter().map(|id| ids.text(*id)).collect();
        assert_eq!(spelled, texts);
        assert_eq!(numbers[..5].iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
        assert_eq!([numbers[5], numbers[6], numbers[7]], [numbers[0], numbers[2], numbers[1]]);
    }

    #[test]
    fn texts_of_one_hash_are_told_apart() {
        let mut ids = Ids::default();
        let (a, b) = (ids.number("a"), ids.number("b"));
        // As if both had the hash of the first.
        let hash = ids.hasher.hash_one("a");
        ids.latest.insert(hash, b.0);
        ids.before[b.0 as usize] = Some(a.0);
        assert_eq!([ids.find(hash, "a"), ids.find(hash, "b"), ids.find(hash, "c")], [Some(a), Some(b), None]);
    }
}
