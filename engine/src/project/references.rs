//! Names that a file uses.

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
    found: Vec<(&'t str, usize)>,
}

impl<'t> References<'t> {
    pub(super) fn new(text: &'t str) -> References<'t> {
        References { text, found: Vec::new() }
    }

    pub(super) fn add(&mut self, node: Node<'_>) {
        let name = self.text.get(node.byte_range()).unwrap_or("");
        if (2..=MAX_NAME_BYTES).contains(&name.len()) {
            self.found.push((name, node.start_byte()));
        }
    }

    /// Counts by name, sorted. `definitions` are the starts of the names of definitions, ascending.
    pub(super) fn finish(mut self, definitions: &[usize]) -> Vec<Use> {
        self.found.retain(|(_, at)| definitions.binary_search(at).is_err());
        self.found.sort_unstable();
        // Two patterns may match one place.
        self.found.dedup();
        let mut out: Vec<Use> = Vec::new();
        for group in self.found.chunk_by(|a, b| a.0 == b.0) {
            let count = u32::try_from(group.len()).unwrap_or(u32::MAX);
            out.push(Use { name: group[0].0.to_owned(), count });
        }
        out
    }
}
