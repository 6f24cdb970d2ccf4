//! Which test tests which file, by name.

use std::collections::BTreeMap;

use super::role::{Role, base_name, test_subject};
use super::view::{FileView, position};

/// Pairs of test and tested file by name: for every file the positions of its partners, ascending.
pub(super) fn test_pairs(files: &[FileView]) -> Vec<Vec<u32>> {
    let mut sources: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, file) in files.iter().enumerate().filter(|(_, f)| f.role == Role::Source) {
        let name = base_name(&file.path).to_lowercase();
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        sources.entry(stem.to_owned()).or_default().push(at);
    }
    let mut pairs = vec![Vec::new(); files.len()];
    for (test, file) in files.iter().enumerate().filter(|(_, f)| f.role == Role::Test) {
        let name = base_name(&file.path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let subject = test_subject(name).unwrap_or(stem).to_lowercase();
        let Some(partners) = sources.get(&subject) else { continue };
        // Of several namesakes, those that share the longest head of their path.
        let near = partners.iter().map(|&p| shared_head(&file.path, &files[p].path)).max().unwrap_or(0);
        for &partner in partners {
            if shared_head(&file.path, &files[partner].path) == near {
                pairs[test].push(position(partner));
                pairs[partner].push(position(test));
            }
        }
    }
    pairs
}

fn shared_head(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}
