//! Which names have which parts: built once a loaded index, so that a query touches only names that share a part with it.

use std::collections::HashMap;

use super::role::{base_name, test_subject};
use super::terms::{terms, whole, word_terms};
use super::view::{FileView, position};

/// How a query covers one name.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Coverage {
    /// Sum of the weights of the parts that the query has.
    pub weight: f64,
    /// How many parts the query has.
    pub known: u32,
}

/// Names taken apart.
#[derive(Debug, Default)]
pub struct NameParts {
    /// Owner and number of parts of each name.
    names: Vec<(u32, u32)>,
    /// Names that have a part, as often as they have it.
    by_part: HashMap<String, Vec<u32>>,
}

impl NameParts {
    fn add(&mut self, owner: u32, parts: Vec<String>) {
        let name = position(self.names.len());
        self.names.push((owner, position(parts.len())));
        for part in parts {
            self.by_part.entry(part).or_default().push(name);
        }
    }

    /// Calls `sink` with owner, number of parts and coverage of every name that shares a part with `terms`, in the order of
    /// names.
    pub fn covered<'t>(
        &self,
        terms: impl Iterator<Item = (&'t str, f64)>,
        mut sink: impl FnMut(u32, u32, Coverage),
    ) {
        let mut found = vec![Coverage::default(); self.names.len()];
        for (term, weight) in terms {
            for &name in self.by_part.get(term).map_or(&[][..], Vec::as_slice) {
                found[name as usize].weight += weight;
                found[name as usize].known += 1;
            }
        }
        for (&(owner, parts), coverage) in self.names.iter().zip(found).filter(|(_, c)| c.known > 0) {
            sink(owner, parts, coverage);
        }
    }
}

/// Names of definitions that have several parts, by their file. The whole isn't a part.
pub(super) fn of_symbols(files: &[FileView]) -> NameParts {
    let mut out = NameParts::default();
    for (at, file) in files.iter().enumerate() {
        for symbol in &file.symbols {
            let name = whole(&symbol.name);
            let mut parts = word_terms(&symbol.name);
            parts.retain(|part| *part != name);
            if parts.len() > 1 {
                out.add(position(at), parts);
            }
        }
    }
    out
}

/// Names of files, without extension and mark of a test.
pub(super) fn of_files(files: &[FileView]) -> NameParts {
    let mut out = NameParts::default();
    for (at, file) in files.iter().enumerate() {
        let name = base_name(&file.path);
        let stem = test_subject(name).unwrap_or_else(|| name.split('.').next().unwrap_or(name));
        let mut parts = terms(stem);
        if parts.len() > 1 {
            let all = whole(stem);
            parts.retain(|part| *part != all);
        }
        parts.dedup();
        if !parts.is_empty() {
            out.add(position(at), parts);
        }
    }
    out
}
