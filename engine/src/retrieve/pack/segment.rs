//! Cutting a file into segments along its definitions, and scoring them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::project::{FileView, Index, ProjectError, for_each_term};

use super::super::corpus::idf;
use super::super::rank::Source;
use super::super::task::Task;

/// A definition up to this many lines is one segment; a longer one is cut along what it contains.
const MAX_SEGMENT_LINES: u32 = 60;

/// Lines of a piece where a long stretch has no definitions to cut along.
const PIECE_LINES: u32 = 40;

/// Lines above a definition that may belong to it: comments, attributes, decorators.
const MAX_LEAD_LINES: u32 = 12;

/// Saturation and length norm of a segment's score, as in BM25.
const K1: f64 = 1.2;
const B: f64 = 0.4;

/// Terms of a segment of middling length: 25 lines.
const USUAL_TERMS: f64 = 180.0;

/// Weight of a word in the name of a definition against one in its text.
const NAME_WEIGHT: f64 = 3.0;

/// A file that may be quoted.
pub(super) struct FileText<'a> {
    pub(super) file: &'a FileView,
    /// Worth as a share of the best file's, 0 to 1.
    pub(super) share: f64,
    pub(super) reasons: Vec<Source>,
    pub(super) text: Arc<str>,
}

impl FileText<'_> {
    /// Lines `start` to `end`, 1-based and inclusive, with their line ends.
    pub(super) fn lines(&self, start: u32, end: u32) -> &str {
        let mut from = self.text.len();
        let mut offset = 0;
        for (number, line) in (1..).zip(self.text.split_inclusive('\n')) {
            if number == start {
                from = offset;
            }
            offset += line.len();
            if number == end {
                return &self.text[from..offset];
            }
        }
        &self.text[from..]
    }

    pub(super) fn line_count(&self) -> u32 {
        u32::try_from(self.text.split_inclusive('\n').count()).unwrap_or(u32::MAX)
    }
}

/// A range of lines, 1-based and inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Range {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Range {
    fn lines(self) -> u32 {
        self.end - self.start + 1
    }
}

/// The file as segments in order, none overlapping, blank ends cut off.
pub(super) fn segments(source: &FileText<'_>) -> Vec<Range> {
    let lines: Vec<&str> = source.text.lines().collect();
    let count = source.line_count();
    if count == 0 {
        return Vec::new();
    }
    if count <= MAX_SEGMENT_LINES {
        return trim(Range { start: 1, end: count }, &lines).into_iter().collect();
    }
    let mut out = Vec::new();
    let mut next = 1;
    for unit in units(source.file, count) {
        let start = lead(&lines, next, unit.start);
        if next < start {
            out.extend(pieces(Range { start: next, end: start - 1 }));
        }
        out.push(Range { start, end: unit.end });
        next = unit.end + 1;
    }
    if next <= count {
        out.extend(pieces(Range { start: next, end: count }));
    }
    let said = |range: &Range| (range.start..=range.end).any(|n| says_something(lines[n as usize - 1]));
    join_small(out.into_iter().filter_map(|range| trim(range, &lines)).filter(said).collect())
}

/// A line of closing brackets alone says nothing.
fn says_something(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

/// Definitions that make a segment each: the outermost ones that are short enough.
fn units(file: &FileView, count: u32) -> Vec<Range> {
    let mut out: Vec<Range> = Vec::new();
    // Symbols stand outer before inner, by position.
    for symbol in &file.symbols {
        let range = Range { start: symbol.start_line, end: symbol.end_line.min(count) };
        let fits = range.start <= range.end && range.lines() <= MAX_SEGMENT_LINES;
        if fits && out.last().is_none_or(|last| range.start > last.end) {
            out.push(range);
        }
    }
    out
}

/// The first line that belongs to a definition: comments and attributes directly above it.
fn lead(lines: &[&str], from: u32, start: u32) -> u32 {
    let mut first = start;
    while first > from && start - first < MAX_LEAD_LINES {
        let above = lines.get(first as usize - 2).map_or("", |line| line.trim_start());
        let belongs = ["//", "/*", "*", "#", "@", "--"].iter().any(|mark| above.starts_with(mark));
        if !belongs {
            break;
        }
        first -= 1;
    }
    first
}

fn pieces(range: Range) -> Vec<Range> {
    let mut out = Vec::new();
    let mut start = range.start;
    while start <= range.end {
        // A rest too short to stand alone joins the last piece.
        let end = if range.end - start < PIECE_LINES + PIECE_LINES / 2 {
            range.end
        } else {
            start + PIECE_LINES - 1
        };
        out.push(Range { start, end });
        start = end + 1;
    }
    out
}

fn trim(range: Range, lines: &[&str]) -> Option<Range> {
    let blank = |n: u32| lines.get(n as usize - 1).is_none_or(|line| line.trim().is_empty());
    let start = (range.start..=range.end).find(|&n| !blank(n))?;
    let end = (range.start..=range.end).rev().find(|&n| !blank(n))?;
    Some(Range { start, end })
}

/// Joins neighbours that are small: a run of one-line constants is one segment, not ten crumbs.
fn join_small(ranges: Vec<Range>) -> Vec<Range> {
    const SMALL: u32 = 8;
    const JOINED: u32 = 24;
    // The head of a block (`impl X {`) belongs to what follows, however long that is.
    const HEAD: u32 = 3;
    let mut out: Vec<Range> = Vec::new();
    for range in ranges {
        match out.last_mut() {
            Some(last)
                if range.start - last.end <= 3
                    && (last.lines() <= HEAD
                        || (last.lines().min(range.lines()) < SMALL && range.end - last.start < JOINED)) =>
            {
                last.end = range.end;
            }
            _ => out.push(range),
        }
    }
    out
}

/// Scores segments by the task's terms.
pub(super) struct Scorer {
    /// Weight by term: its weight in the task times its rarity in the project.
    weights: BTreeMap<String, f64>,
}

impl Scorer {
    pub(super) fn new(index: &Index, task: &Task) -> Result<Scorer, ProjectError> {
        let view = index.view()?;
        let mut weights = BTreeMap::new();
        let terms: Vec<&str> = task.terms.iter().map(|term| term.text.as_str()).collect();
        for (term, postings) in task.terms.iter().zip(index.postings_of(&terms)?) {
            let mut files: Vec<u32> = postings.iter().map(|p| view.chunks[p.chunk as usize].file).collect();
            files.dedup();
            weights.insert(term.text.clone(), term.weight * idf(view.files.len(), files.len()));
        }
        Ok(Scorer { weights })
    }

    /// BM25 of one segment, with the names of definitions that start in it weighted up.
    pub(super) fn score(&self, source: &FileText<'_>, range: Range, text: &str) -> f64 {
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        let mut terms = 0.0;
        self.count(text, 1.0, &mut counts, &mut terms);
        let starts_here = |line: u32| (range.start..=range.end).contains(&line);
        for symbol in source.file.symbols.iter().filter(|s| starts_here(s.start_line)) {
            self.count(&symbol.name, NAME_WEIGHT, &mut counts, &mut 0.0);
        }
        let norm = K1 * (1.0 - B + B * terms / USUAL_TERMS);
        counts.iter().map(|(term, count)| self.weights[*term] * count * (K1 + 1.0) / (count + norm)).sum()
    }

    fn count<'s>(&'s self, text: &str, weight: f64, counts: &mut BTreeMap<&'s str, f64>, terms: &mut f64) {
        for_each_term(text, &mut |term| {
            *terms += 1.0;
            if let Some((known, _)) = self.weights.get_key_value(term) {
                *counts.entry(known).or_default() += weight;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_neighbours_join_and_large_ones_stay() {
        let range = |start, end| Range { start, end };
        let joined = join_small(vec![range(1, 5), range(6, 9), range(11, 40), range(42, 80)]);
        assert_eq!(joined, [range(1, 9), range(11, 40), range(42, 80)]);
        assert_eq!(join_small(vec![range(1, 1), range(2, 60)]), [range(1, 60)], "a head joins what follows");
    }

    #[test]
    fn a_long_stretch_is_cut_into_pieces_without_a_crumb_at_the_end() {
        let cut = pieces(Range { start: 1, end: 95 });
        assert_eq!(cut, [Range { start: 1, end: 40 }, Range { start: 41, end: 95 }]);
    }

    #[test]
    fn what_stands_directly_above_belongs_to_a_definition() {
        let lines = ["use x;", "", "/// Doc.", "#[test]", "fn f() {}"];
        assert_eq!(lead(&lines, 1, 5), 3);
        assert_eq!(lead(&lines, 5, 5), 5);
    }
}
