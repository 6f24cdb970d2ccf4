//! Version ranges. The syntax and the rules stand in `docs/versions.md`.

use std::fmt;
use std::str::FromStr;

use crate::Error;
use crate::version::{Version, number};

/// The versions that somebody can live with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRange {
    text: String,
    alternatives: Vec<Vec<Comparator>>,
}

/// One bound.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Comparator {
    relation: Relation,
    version: Version,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Less,
    AtMost,
    Equal,
    AtLeast,
    Greater,
}

impl VersionRange {
    /// The range that takes every release.
    pub fn any() -> VersionRange {
        VersionRange {
            text: "*".to_string(),
            alternatives: vec![Vec::new()],
        }
    }

    /// Whether the range takes the version.
    pub fn matches(&self, version: &Version) -> bool {
        self.alternatives
            .iter()
            .any(|bounds| bounds.iter().all(|bound| bound.accepts(version)))
    }

    /// The highest of the versions that the range takes.
    pub fn highest<'a>(
        &self,
        versions: impl IntoIterator<Item = &'a Version>,
    ) -> Option<&'a Version> {
        versions
            .into_iter()
            .filter(|version| self.matches(version))
            .max()
    }

    /// Whether the range can take one version at most: every alternative is a single `=`.
    pub fn is_exact(&self) -> bool {
        self.alternatives.len() == 1
            && matches!(&self.alternatives[0][..], [bound] if bound.relation == Relation::Equal)
    }
}

impl Comparator {
    fn accepts(&self, version: &Version) -> bool {
        match self.relation {
            Relation::Less => *version < self.version,
            Relation::AtMost => *version <= self.version,
            Relation::Equal => *version == self.version,
            Relation::AtLeast => *version >= self.version,
            Relation::Greater => *version > self.version,
        }
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for VersionRange {
    type Err = Error;

    fn from_str(text: &str) -> Result<VersionRange, Error> {
        let alternatives = text
            .split("||")
            .map(bounds)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|reason| Error::Range {
                text: text.to_string(),
                reason,
            })?;
        Ok(VersionRange {
            text: text.trim().to_string(),
            alternatives,
        })
    }
}

/// All bounds of one alternative: words that must hold together.
fn bounds(text: &str) -> Result<Vec<Comparator>, String> {
    if text.trim().is_empty() {
        return Err("empty".to_string());
    }
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        found.extend(word_bounds(word)?);
    }
    Ok(found)
}

/// What an operator makes of the version behind it.
type Meaning = fn(&Partial) -> Vec<Comparator>;

fn word_bounds(word: &str) -> Result<Vec<Comparator>, String> {
    let operators: [(&str, Meaning); 7] = [
        (">=", |partial| vec![at_least(partial.floor())]),
        ("<=", |partial| match partial.next() {
            Some(next) if !partial.is_full() => vec![less(next)],
            _ => vec![Comparator {
                relation: Relation::AtMost,
                version: partial.floor(),
            }],
        }),
        (">", |partial| match partial.next() {
            Some(next) if !partial.is_full() => vec![at_least(next)],
            _ => vec![Comparator {
                relation: Relation::Greater,
                version: partial.floor(),
            }],
        }),
        ("<", |partial| vec![less(partial.floor())]),
        ("^", |partial| {
            vec![at_least(partial.floor()), less(partial.caret_end())]
        }),
        ("~", |partial| {
            vec![at_least(partial.floor()), less(partial.tilde_end())]
        }),
        ("=", exactly),
    ];
    for (operator, make) in operators {
        if let Some(rest) = word.strip_prefix(operator) {
            return Ok(make(&partial(rest)?));
        }
    }
    Ok(exactly(&partial(word)?))
}

fn at_least(version: Version) -> Comparator {
    Comparator {
        relation: Relation::AtLeast,
        version,
    }
}

fn less(version: Version) -> Comparator {
    Comparator {
        relation: Relation::Less,
        version,
    }
}

/// A full version alone, or everything that begins like a partial one.
fn exactly(partial: &Partial) -> Vec<Comparator> {
    match partial.next() {
        _ if partial.is_full() => {
            vec![Comparator {
                relation: Relation::Equal,
                version: partial.floor(),
            }]
        }
        Some(next) => vec![at_least(partial.floor()), less(next)],
        None => Vec::new(),
    }
}

/// A version of which the right part may be missing: `1`, `1.4`, `1.4.x`, `*`.
struct Partial {
    numbers: Vec<u64>,
    full: Option<Version>,
}

impl Partial {
    fn is_full(&self) -> bool {
        self.full.is_some()
    }

    /// The lowest release that begins like this.
    fn floor(&self) -> Version {
        let at = |index: usize| self.numbers.get(index).copied().unwrap_or(0);
        self.full
            .clone()
            .unwrap_or_else(|| Version::new(at(0), at(1), at(2)))
    }

    /// The first release that no longer begins like this; none for `*`.
    fn next(&self) -> Option<Version> {
        match self.numbers[..] {
            [] => None,
            [major] => Some(Version::new(major + 1, 0, 0)),
            [major, minor] => Some(Version::new(major, minor + 1, 0)),
            [major, minor, patch, ..] => Some(Version::new(major, minor, patch + 1)),
        }
    }

    fn caret_end(&self) -> Version {
        let floor = self.floor();
        match (floor.major, floor.minor) {
            (0, 0) if self.numbers.len() == 3 => Version::new(0, 0, floor.patch + 1),
            (0, minor) if self.numbers.len() > 1 => Version::new(0, minor + 1, 0),
            (major, _) => Version::new(major + 1, 0, 0),
        }
    }

    fn tilde_end(&self) -> Version {
        let floor = self.floor();
        match self.numbers.len() {
            0 | 1 => Version::new(floor.major + 1, 0, 0),
            _ => Version::new(floor.major, floor.minor + 1, 0),
        }
    }
}

fn partial(text: &str) -> Result<Partial, String> {
    if let Ok(version) = text.parse::<Version>() {
        let numbers = vec![version.major, version.minor, version.patch];
        return Ok(Partial {
            numbers,
            full: Some(version),
        });
    }
    let parts: Vec<&str> = text.split('.').collect();
    let known: Vec<&str> = parts
        .iter()
        .copied()
        .take_while(|part| !wild(part))
        .collect();
    let rest_is_wild = parts[known.len()..].iter().all(|part| wild(part));
    let numbers: Option<Vec<u64>> = known.iter().map(|part| number(part)).collect();
    match numbers {
        Some(numbers) if rest_is_wild && parts.len() <= 3 => Ok(Partial {
            numbers,
            full: None,
        }),
        _ => Err(format!("'{text}' is no version")),
    }
}

fn wild(part: &str) -> bool {
    matches!(part, "x" | "X" | "*")
}
