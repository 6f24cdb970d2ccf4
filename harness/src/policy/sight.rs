//! What of the source can be seen in a request, and under which path.

use std::borrow::Cow;

use super::{Transcript, Turn, paths};

/// One place where a region stands in the request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sighting {
    /// Number of the turn.
    pub turn: usize,
    /// Byte offset within the turn's text.
    pub offset: usize,
    /// The file it stands under.
    pub path: String,
}

/// A text in the request that may hold source.
struct Piece<'a> {
    turn: usize,
    text: Cow<'a, str>,
    /// Path of the whole text, where the call that produced it names one.
    path: Option<&'a str>,
}

/// The request's texts, prepared for looking up regions in them.
pub(super) struct Sight<'a> {
    pieces: Vec<Piece<'a>>,
    folder: Option<&'a str>,
}

impl<'a> Sight<'a> {
    /// Everything but what the assistant itself wrote.
    pub fn of(view: &'a Transcript) -> Self {
        let mut pieces = Vec::new();
        for (turn, step) in view.turns.iter().enumerate() {
            match step {
                Turn::User(text) => pieces.push(Piece { turn, text: text.into(), path: None }),
                Turn::Result { text, failed: false, call } => {
                    pieces.push(Piece { turn, text: text.into(), path: read_path(view, turn, call) });
                }
                Turn::Result { .. } | Turn::Assistant { .. } => {}
            }
        }
        let numbered: Vec<Piece<'a>> = pieces
            .iter()
            .filter_map(|piece| {
                let text = without_numbers(&piece.text)?;
                Some(Piece { turn: piece.turn, text: text.into(), path: piece.path })
            })
            .collect();
        pieces.extend(numbered);
        Sight { pieces, folder: view.folder() }
    }

    /// Where a region stands, in the order of the request. A place under no path is none: nobody could edit it.
    pub fn find(&self, region: &str) -> Vec<Sighting> {
        let region = region.trim_matches('\n');
        let mut found = Vec::new();
        for piece in &self.pieces {
            for (offset, _) in piece.text.match_indices(region) {
                let path = piece.path.map(str::to_owned).or_else(|| self.path_above(&piece.text, offset));
                if let Some(path) = path {
                    found.push(Sighting { turn: piece.turn, offset, path });
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// The path of the nearest line at or above an offset that begins with one.
    fn path_above(&self, text: &str, offset: usize) -> Option<String> {
        let end = text[offset..].find('\n').map_or(text.len(), |length| offset + length);
        text[..end].lines().rev().find_map(|line| paths::heading(line, self.folder))
    }
}

/// The path of the read call that a result answers.
fn read_path<'a>(view: &'a Transcript, result: usize, id: &str) -> Option<&'a str> {
    view.turns[..result].iter().rev().find_map(|turn| match turn {
        Turn::Assistant { calls, .. } => {
            let call = calls.iter().find(|call| call.id == id)?;
            Some(if call.name == "read" { call.text("path") } else { None })
        }
        _ => None,
    })?
}

/// The text with line numbers (`12: `, ` 12| `, `12→`) taken off each line; nothing if it has none.
fn without_numbers(text: &str) -> Option<String> {
    let mut numbered = false;
    let lines: Vec<&str> = text
        .split('\n')
        .map(|line| match after_number(line) {
            Some(rest) => {
                numbered = true;
                rest
            }
            None => line,
        })
        .collect();
    numbered.then(|| lines.join("\n"))
}

fn after_number(line: &str) -> Option<&str> {
    let trimmed = line.trim_start_matches(' ');
    let digits = trimmed.len() - trimmed.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = &trimmed[digits..];
    let mark = rest.chars().next().filter(|c| digits > 0 && matches!(c, ':' | '|' | '\t' | '→'))?;
    let rest = &rest[mark.len_utf8()..];
    Some(if mark == '\t' { rest } else { rest.strip_prefix(' ').unwrap_or(rest) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Call;
    use super::*;

    const REGION: &str = "    if a:\n        return b\n";

    fn sightings(turns: Vec<Turn>) -> Vec<(usize, String)> {
        let view = Transcript { turns, ..Transcript::default() };
        Sight::of(&view).find(REGION).into_iter().map(|sighting| (sighting.turn, sighting.path)).collect()
    }

    fn user(text: &str) -> Turn {
        Turn::User(text.to_owned())
    }

    #[test]
    fn a_read_shows_its_file() {
        let call = Call { id: "1".into(), name: "read".into(), arguments: json!({ "path": "x/y.py" }) };
        let read = Turn::Assistant { text: String::new(), calls: vec![call] };
        let text = format!("def f(a):\n{REGION}");
        let result = Turn::Result { call: "1".into(), text, failed: false };
        assert_eq!(sightings(vec![read, result]), [(1, "x/y.py".to_owned())]);
    }

    #[test]
    fn quoted_source_stands_under_its_heading() {
        let text =
            format!("notes\n\nx/a.py:1-2\nfoo\n\n## x/y.py (lines 10-12)\n```\ndef f(a):\n{REGION}```\n");
        assert_eq!(sightings(vec![user(&text)]), [(0, "x/y.py".to_owned())]);
    }

    #[test]
    fn line_numbers_are_seen_through() {
        let text = "x/y.py\n 9: def f(a):\n10:     if a:\n11:         return b\n";
        assert_eq!(sightings(vec![user(text)]), [(0, "x/y.py".to_owned())]);
    }

    #[test]
    fn a_region_without_a_path_or_only_in_part_is_not_seen() {
        assert!(sightings(vec![user(REGION)]).is_empty());
        assert!(sightings(vec![user("x/y.py\n    if a:\n        return c\n")]).is_empty());
    }

    #[test]
    fn what_the_assistant_wrote_is_not_seen() {
        let text = format!("x/y.py\n{REGION}");
        assert!(sightings(vec![Turn::Assistant { text, calls: Vec::new() }]).is_empty());
    }
}
