//! Names that a file uses.

use std::collections::HashMap;
use std::fmt::Write as _;

use tree_sitter::Node;

/// Longest name kept, bytes.
const MAX_NAME_BYTES: usize = 64;

/// Uses while a tree is walked: where each stands and what it says.
pub(super) struct References<'t> {
    text: &'t str,
    /// Where each begins and ends.
    found: Vec<(u32, u32)>,
}

impl<'t> References<'t> {
    pub(super) fn new(text: &'t str) -> References<'t> {
        References { text, found: Vec::new() }
    }

    pub(super) fn add(&mut self, node: Node<'_>) {
        let range = node.byte_range();
        if !(2..=MAX_NAME_BYTES).contains(&range.len()) {
            return;
        }
        if let (Ok(start), Ok(end)) = (u32::try_from(range.start), u32::try_from(range.end)) {
            self.found.push((start, end));
        }
    }

    /// Names with how often the file uses them, as [`rows`](super::rows) stores them: one a line, sorted, its own definitions
    /// not counted. `definitions` are the starts of the names of definitions, ascending.
    pub(super) fn finish(mut self, definitions: &[usize]) -> String {
        // By place, where they nearly stand already: comparing places is far cheaper than comparing names.
        self.found.sort();
        // Two patterns may match one place.
        self.found.dedup();
        let mut definitions = definitions.iter().peekable();
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for (start, end) in self.found {
            let (start, end) = (start as usize, end as usize);
            while definitions.next_if(|definition| **definition < start).is_some() {}
            if definitions.peek() == Some(&&start) {
                continue;
            }
            if let Some(name) = self.text.get(start..end) {
                *counts.entry(name).or_default() += 1;
            }
        }
        let mut sorted: Vec<(&str, u32)> = counts.into_iter().collect();
        sorted.sort_unstable();
        let mut out = String::new();
        for (name, count) in sorted {
            writeln!(out, "{name} {count}").expect("a string takes what is written");
        }
        out
    }
}
