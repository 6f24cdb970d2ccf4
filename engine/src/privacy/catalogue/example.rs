//! Runs every example of every kind.

use super::{Class, kinds};
use crate::privacy::{Policy, Redactor};

/// A small generator (SplitMix64, Steele et al. 2014): examples must be the same in every run.
struct Filler(u64);

impl Filler {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn run(&mut self, alphabet: &str, length: usize) -> String {
        let letters = alphabet.as_bytes();
        let mut at = |_| char::from(letters[usize::try_from(self.next() % letters.len() as u64).unwrap()]);
        (0..length).map(&mut at).collect()
    }

    /// What a placeholder such as `hex:32` stands for.
    fn fill(&mut self, name: &str) -> String {
        const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
        const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const DIGITS: &str = "0123456789";
        let (class, length) = name.split_once(':').unwrap_or((name, "0"));
        let length: usize = length.parse().unwrap();
        let mixed = [LOWER, UPPER, DIGITS].concat();
        match class {
            "alnum" => self.run(&mixed, length),
            "alpha" => self.run(&[LOWER, UPPER].concat(), length),
            "lower" => self.run(&[LOWER, DIGITS].concat(), length),
            "upper" => self.run(&[UPPER, DIGITS].concat(), length),
            "digit" => self.run(DIGITS, length),
            "hex" => self.run("0123456789abcdef", length),
            "HEX" => self.run("0123456789ABCDEF", length),
            "b64" => self.run(&(mixed + "+/"), length),
            "b64url" => self.run(&mixed, length - 1) + "x",
            "uuid" => [8, 4, 4, 4, 12].map(|n| self.run("0123456789abcdef", n)).join("-"),
            "basic" => "dXNlcjpTM2NyM3QhOWZa".to_owned(),
            "jwt" => {
                format!("eyJ{}.eyJ{}.{}", self.run(&mixed, 17), self.run(&mixed, 40), self.run(&mixed, 43))
            }
            other => panic!("no filler is called {other}"),
        }
    }
}

/// `hex:32`.
fn is_counted(name: &str) -> bool {
    name.split_once(':').is_some_and(|(class, length)| {
        class.bytes().all(|b| b.is_ascii_alphanumeric()) && length.parse::<usize>().is_ok()
    })
}

/// The example with its placeholders filled, and the range between its marks.
fn expand(example: &str, seed: u64) -> (String, Option<std::ops::Range<usize>>) {
    let mut filler = Filler(seed);
    let mut text = String::new();
    let mut rest = example;
    let (mut start, mut end) = (None, None);
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let placeholder = rest
            .split_once('}')
            .filter(|(name, _)| c == '{' && (["uuid", "basic", "jwt"].contains(name) || is_counted(name)));
        match (c, placeholder) {
            (_, Some((name, tail))) => {
                text.push_str(&filler.fill(name));
                rest = tail;
            }
            ('«', _) => start = Some(text.len()),
            ('»', _) => end = Some(text.len()),
            _ => text.push(c),
        }
    }
    (text, start.zip(end).map(|(start, end)| start..end))
}

#[test]
fn every_positive_example_is_found_where_it_is_marked() {
    let redactor = Redactor::new(Policy::ALL, b"");
    let mut faults = Vec::new();
    for (at, kind) in kinds().iter().enumerate() {
        assert!(!kind.positive.is_empty(), "{} has no example", kind.name);
        for (seed, example) in (1..=8).flat_map(|seed| kind.positive.iter().map(move |e| (seed, e))) {
            let (text, expected) = expand(example, seed * 1000 + at as u64);
            let expected = expected.unwrap();
            let found = redactor.find(&text);
            if !found.iter().any(|f| f.kind == kind.name && f.class == kind.class && f.range == expected) {
                let got: Vec<_> = found.iter().map(|f| (f.kind, &text[f.range.clone()])).collect();
                faults.push(format!("{}: {text}\n    found {got:?}", kind.name));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn no_negative_example_is_taken_for_anything() {
    let redactor = Redactor::new(Policy::ALL, b"");
    let mut faults = Vec::new();
    for (at, kind) in kinds().iter().enumerate() {
        assert!(!kind.negative.is_empty(), "{} has no look-alike", kind.name);
        for (seed, example) in (1..=8).flat_map(|seed| kind.negative.iter().map(move |e| (seed, e))) {
            let (text, _) = expand(example, seed * 1000 + at as u64);
            let found: Vec<_> =
                redactor.find(&text).into_iter().map(|f| (f.kind, text[f.range].to_owned())).collect();
            if !found.is_empty() {
                faults.push(format!("{}: {text}\n    found {found:?}", kind.name));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn the_catalogue_is_wide_and_its_names_are_plain() {
    let secrets: std::collections::BTreeSet<&str> =
        kinds().iter().filter(|k| k.class == Class::Secret).map(|k| k.name).collect();
    assert!(secrets.len() >= 45, "{}", secrets.len());
    for kind in kinds() {
        let plain = kind.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || b.is_ascii_digit());
        assert!(plain, "{}", kind.name);
    }
}
