//! The text of a pack.

use crate::tokens::TokenCounter;

use super::Snippet;
use super::segment::{FileText, Range};

const HEADING: &str = "Excerpts of this project that match the request, found by search. Lines are as on disk now; \
                       line numbers count from 1. Read a file before changing lines outside an excerpt.\n";

/// Cuts the chosen ranges out of their files.
pub(super) fn snippets(
    sources: &[FileText<'_>],
    chosen: &[(usize, Range)],
    counter: &dyn TokenCounter,
) -> Vec<Snippet> {
    chosen
        .iter()
        .map(|&(source, range)| {
            let source = &sources[source];
            Snippet {
                path: source.file.path.clone(),
                start_line: range.start,
                end_line: range.end,
                tokens: counter.text(&block(source, range)),
                text: source.lines(range.start, range.end).to_owned(),
                reasons: source.reasons.clone(),
            }
        })
        .collect()
}

/// Tokens of the text with these ranges and without further paths.
pub(super) fn tokens(sources: &[FileText<'_>], chosen: &[(usize, Range)], counter: &dyn TokenCounter) -> u64 {
    counter.text(&blocks(sources, chosen))
}

/// The excerpts under their heading; empty without any.
pub(super) fn blocks(sources: &[FileText<'_>], chosen: &[(usize, Range)]) -> String {
    if chosen.is_empty() {
        return String::new();
    }
    let mut out = HEADING.to_owned();
    for &(source, range) in chosen {
        out.push_str(&block(&sources[source], range));
    }
    out
}

/// One excerpt: where it stands, then its lines.
fn block(source: &FileText<'_>, range: Range) -> String {
    let count = source.line_count();
    let place = if range.start == 1 && range.end == count {
        format!("whole file, {count} lines")
    } else {
        format!("lines {}-{} of {count}", range.start, range.end)
    };
    let text = source.lines(range.start, range.end);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("\n=== {} ({place})\n{text}{end}", source.file.path)
}
