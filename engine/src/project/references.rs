//! Names that a file uses.

use std::collections::HashMap;

use tree_sitter::Node;

/// Longest name kept, bytes.
const MAX_NAME_BYTES: usize = 64;

/// How often a file uses a name, its own definitions of it not counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// The name as written.
    pub name: String,
    /// How often.
    pub count: u32,
}

/// Uses while a tree is walked: where each stands and what it says.
pub(super) struct References<'t> {
    text: &'t str,
    found: Vec<(usize, &'t str)>,
}

impl<'t> References<'t> {
    pub(super) fn new(text: &'t str) -> References<'t> {
        References { text, found: Vec::new() }
    }

    pub(super) fn add(&mut self, node: Node<'_>) {
        let name = self.text.get(node.byte_range()).unwrap_or("");
        if (2..=MAX_NAME_BYTES).contains(&name.len()) {
            self.found.push((node.start_byte(), name));
        }
    }

    /// Counts by name, sorted. `definitions` are the starts of the names of definitions, ascending.
    pub(super) fn finish(mut self, definitions: &[usize]) -> Vec<Use> {
        // By place, where they nearly stand already: comparing places is far cheaper than comparing names.
        self.found.sort_by_key(|&(at, name)| (at, name.len()));
        // Two patterns may match one place.
        self.found.dedup();
        let mut definitions = definitions.iter().peekable();
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for (at, name) in self.found {
            while definitions.next_if(|start| **start < at).is_some() {}
            if definitions.peek() != Some(&&at) {
                *counts.entry(name).or_default() += 1;
            }
        }
        let mut out: Vec<(&str, u32)> = counts.into_iter().collect();
        out.sort_unstable();
        out.into_iter().map(|(name, count)| Use { name: name.to_owned(), count }).collect()
    }
}
