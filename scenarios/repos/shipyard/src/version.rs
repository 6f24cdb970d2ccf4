//! Versions, ordered as semver 2.0 says. Build metadata isn't supported: nothing published here has
//! any.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::Error;

/// `MAJOR.MINOR.PATCH[-PRE]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Version {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    /// Identifiers behind the hyphen; empty for a release.
    pub pre: Vec<Identifier>,
}

/// One dot-separated part of a pre-release. Numbers come before words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identifier {
    Number(u64),
    Word(String),
}

impl Version {
    /// A release.
    pub fn new(major: u64, minor: u64, patch: u64) -> Version {
        Version {
            major,
            minor,
            patch,
            pre: Vec::new(),
        }
    }

    /// Whether there is something behind the hyphen.
    pub fn is_prerelease(&self) -> bool {
        !self.pre.is_empty()
    }

    /// The three numbers, without the pre-release.
    pub fn release(&self) -> (u64, u64, u64) {
        (self.major, self.minor, self.patch)
    }

    /// How far the step from `self` to `other` goes.
    pub fn step_to(&self, other: &Version) -> Step {
        if self.major != other.major {
            Step::Major
        } else if self.minor != other.minor {
            Step::Minor
        } else if self.patch != other.patch {
            Step::Patch
        } else if self.pre != other.pre {
            Step::Prerelease
        } else {
            Step::None
        }
    }
}

/// The leftmost part in which two versions differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    None,
    Prerelease,
    Patch,
    Minor,
    Major,
}

impl FromStr for Version {
    type Err = Error;

    fn from_str(text: &str) -> Result<Version, Error> {
        let fail = || Error::Version(text.to_string());
        let (numbers, pre) = match text.split_once('-') {
            Some((numbers, pre)) => (numbers, Some(pre)),
            None => (text, None),
        };
        let mut parts = numbers.split('.').map(number);
        let mut next = || parts.next().flatten().ok_or_else(fail);
        let (major, minor, patch) = (next()?, next()?, next()?);
        if parts.next().is_some() {
            return Err(fail());
        }
        let pre = match pre {
            None => Vec::new(),
            Some(pre) => pre
                .split('.')
                .map(identifier)
                .collect::<Option<Vec<_>>>()
                .ok_or_else(fail)?,
        };
        Ok(Version {
            major,
            minor,
            patch,
            pre,
        })
    }
}

/// A number without leading zeros.
pub(crate) fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    if digits && !leading_zero {
        text.parse().ok()
    } else {
        None
    }
}

fn identifier(text: &str) -> Option<Identifier> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return None;
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return number(text).map(Identifier::Number);
    }
    Some(Identifier::Word(text.to_string()))
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        let by_release = self.release().cmp(&other.release());
        by_release.then_with(|| match (self.is_prerelease(), other.is_prerelease()) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => self.pre.cmp(&other.pre),
        })
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        for (index, identifier) in self.pre.iter().enumerate() {
            f.write_str(if index == 0 { "-" } else { "." })?;
            match identifier {
                Identifier::Number(number) => write!(f, "{number}")?,
                Identifier::Word(word) => f.write_str(word)?,
            }
        }
        Ok(())
    }
}
