//! Globs over paths with `/`. The syntax stands in `docs/manifest.md`.

use std::fmt;

use crate::Error;

/// A pattern that is ready to be compared with paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    source: String,
    segments: Vec<Segment>,
}

/// What stands between two slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    /// `**`: any number of folders, none included.
    AnyFolders,
    /// A name, with wildcards or without.
    Name(Vec<Token>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Character(char),
    /// `?`
    One,
    /// `*`
    Any,
}

impl Glob {
    /// Reads a pattern.
    pub fn new(pattern: &str) -> Result<Glob, Error> {
        let segments = parse(pattern)?;
        Ok(Glob {
            source: pattern.to_string(),
            segments,
        })
    }

    /// Whether the whole path fits.
    pub fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        match_segments(&self.segments, &names)
    }

    /// The pattern as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// Splits a pattern into segments. Paths are relative and inside the repository, and so are
/// patterns.
fn parse(pattern: &str) -> Result<Vec<Segment>, Error> {
    let fail = |reason: &str| Error::Glob {
        pattern: pattern.to_string(),
        reason: reason.to_string(),
    };
    if pattern.is_empty() {
        return Err(fail("empty"));
    }
    if pattern.starts_with('/') {
        return Err(fail("must be relative"));
    }
    let (folder, below) = match pattern.strip_suffix('/') {
        Some(folder) => (folder, true),
        None => (pattern, false),
    };
    let mut segments = Vec::new();
    for part in folder.split('/') {
        match part {
            "" => return Err(fail("empty name between slashes")),
            "." | ".." => return Err(fail("'.' and '..' aren't allowed")),
            "**" => push_any_folders(&mut segments),
            _ if part.contains("**") => return Err(fail("'**' must stand alone between slashes")),
            _ => segments.push(Segment::Name(part.chars().map(token).collect())),
        }
    }
    if below {
        push_any_folders(&mut segments);
        segments.push(Segment::Name(vec![Token::Any]));
    }
    Ok(segments)
}

/// `**/**` means no more than `**`, and costs more to match.
fn push_any_folders(segments: &mut Vec<Segment>) {
    if segments.last() != Some(&Segment::AnyFolders) {
        segments.push(Segment::AnyFolders);
    }
}

fn token(character: char) -> Token {
    match character {
        '*' => Token::Any,
        '?' => Token::One,
        other => Token::Character(other),
    }
}

fn match_segments(segments: &[Segment], names: &[&str]) -> bool {
    match (segments.split_first(), names.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        // A `**` at the end takes all files below, but there must be one.
        (Some((Segment::AnyFolders, [])), _) => !names.is_empty(),
        (Some((Segment::AnyFolders, rest)), _) => {
            (0..=names.len()).any(|skipped| match_segments(rest, &names[skipped..]))
        }
        (Some((Segment::Name(_), _)), None) => false,
        (Some((Segment::Name(tokens), rest)), Some((name, below))) => {
            match_name(tokens, name) && match_segments(rest, below)
        }
    }
}

/// Compares one name in linear space: on a mismatch the last `*` takes one character more.
fn match_name(tokens: &[Token], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut position) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while position < name.len() {
        match tokens.get(at) {
            Some(Token::Any) => {
                star = Some((at, position));
                at += 1;
            }
            Some(Token::One) => {
                at += 1;
                position += 1;
            }
            Some(Token::Character(wanted)) if *wanted == name[position] => {
                at += 1;
                position += 1;
            }
            _ => match star {
                Some((back, taken)) => {
                    star = Some((back, taken + 1));
                    at = back + 1;
                    position = taken + 1;
                }
                None => return false,
            },
        }
    }
    tokens[at..].iter().all(|token| *token == Token::Any)
}
