//! Namespaces of C#, which files declare wherever they stand.

use std::collections::BTreeSet;

use super::Target;

/// What the project's files declare.
pub(super) struct Namespaces<'a> {
    declared: &'a BTreeSet<String>,
    /// First segments of what is declared.
    roots: BTreeSet<&'a str>,
}

impl<'a> Namespaces<'a> {
    pub(super) fn new(declared: &'a BTreeSet<String>) -> Namespaces<'a> {
        let root = |name: &'a String| name.split('.').next().unwrap_or(name);
        Namespaces { declared, roots: declared.iter().map(root).collect() }
    }

    /// A namespace, or a type in one.
    pub(super) fn resolve(&self, specifier: &str) -> Target {
        let name = specifier.split('<').next().unwrap_or(specifier).trim_start_matches("global::");
        let mut prefix = name;
        loop {
            if self.declared.contains(prefix) {
                return Target::Namespace(prefix.to_owned());
            }
            let Some((shorter, _)) = prefix.rsplit_once('.') else { break };
            prefix = shorter;
        }
        // One above declared namespaces holds nothing by itself, yet is the project's own.
        let is_own = self.roots.contains(name.split('.').next().unwrap_or(name));
        if is_own { Target::Unresolved } else { Target::External }
    }
}
