//! Uses without an import: where a language lets files see each other by where they stand, a name that one file defines
//! and another uses is the only trace of a dependence.
//!
//! A name counts where a single file of its package defines it: of a name of several (`Close`, `read`) nothing is told. So
//! each edge is an evidence, and what shares only common names isn't found. Uses are known for the languages whose
//! references are read.

use std::collections::BTreeMap;

use crate::project::{FileView, Language, Role, Uses, View, folder, position};

/// What files must share to see each other's definitions without an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Package<'v> {
    /// A folder of Go or C#.
    Folder(Language, &'v str),
    /// A module and a package of the JVM, whatever the language and the source set: tests stand in another tree.
    Jvm(&'v str, &'v str),
}

/// For every file those that use what it defines and don't import it; ascending, each once.
pub(super) fn users(view: &View, uses: &Uses) -> Vec<Vec<u32>> {
    let mut users = vec![Vec::new(); view.files.len()];
    of_packages(view, uses, &mut users);
    of_headers(view, uses, &mut users);
    for list in &mut users {
        list.sort_unstable();
        list.dedup();
    }
    users
}

/// Files of one package.
fn of_packages(view: &View, uses: &Uses, users: &mut [Vec<u32>]) {
    let packages: Vec<Option<Package<'_>>> = view.files.iter().map(package).collect();
    let mut definers: BTreeMap<(Package<'_>, &str), Option<u32>> = BTreeMap::new();
    for (file, entry) in (0_u32..).zip(&view.files) {
        let Some(package) = packages[file as usize] else { continue };
        for symbol in &entry.symbols {
            note(&mut definers, (package, symbol.name.as_str()), file);
        }
    }
    for ((package, name), definer) in definers {
        let Some(definer) = definer else { continue };
        let inside = uses.of(name).iter().map(|&(user, _)| user);
        let inside = inside.filter(|user| *user != definer && packages[*user as usize] == Some(package));
        users[definer as usize].extend(inside);
    }
}

/// Files of C and C++ that share a header: what one of them defines the others call by the header's declaration.
fn of_headers(view: &View, uses: &Uses, users: &mut [Vec<u32>]) {
    let is_unit = |file: &FileView| {
        matches!(file.language, Some(Language::C | Language::Cpp)) && !is_header(&file.path)
    };
    let mut definers: BTreeMap<&str, Option<u32>> = BTreeMap::new();
    for (file, entry) in view.files.iter().enumerate().filter(|(_, entry)| is_unit(entry)) {
        for symbol in &entry.symbols {
            note(&mut definers, symbol.name.as_str(), position(file));
        }
    }
    for (name, definer) in definers {
        let Some(definer) = definer else { continue };
        let headers = &view.files[definer as usize].imports;
        let shares = |user: u32| {
            let imports = &view.files[user as usize].imports;
            headers.iter().any(|header| imports.binary_search(header).is_ok())
        };
        let others = uses.of(name).iter().map(|&(user, _)| user);
        users[definer as usize].extend(others.filter(|user| *user != definer && shares(*user)));
    }
}

/// Keeps who alone defines a name.
fn note<K: Ord>(definers: &mut BTreeMap<K, Option<u32>>, name: K, file: u32) {
    let definer = definers.entry(name).or_insert(Some(file));
    if *definer != Some(file) {
        *definer = None;
    }
}

fn package(file: &FileView) -> Option<Package<'_>> {
    if !matches!(file.role, Role::Source | Role::Test) {
        return None;
    }
    match file.language? {
        language @ (Language::Go | Language::CSharp) => Some(Package::Folder(language, folder(&file.path))),
        Language::Java | Language::Kotlin => Some(jvm(folder(&file.path))),
        _ => None,
    }
}

/// Folders of source sets, in the order in which they are looked for: `src/test/java` or `src/test/kotlin`, else `src`, `test`.
const SOURCE_ROOTS: [&[&str]; 2] = [&["java", "kotlin"], &["src", "source", "test", "tests", "main"]];

/// Module and package of a folder: what stands before the source set, and what behind it.
fn jvm(folder: &str) -> Package<'_> {
    for roots in SOURCE_ROOTS {
        let mut start = 0;
        for segment in folder.split('/') {
            let end = start + segment.len();
            if roots.contains(&segment) {
                let before = folder[..start].trim_end_matches('/');
                // `src/test/java`: the module ends before `src`.
                let module = before.strip_suffix("/test").or(before.strip_suffix("/main")).unwrap_or(before);
                let module = module.strip_suffix("src").unwrap_or(module).trim_end_matches('/');
                return Package::Jvm(module, folder[end..].trim_start_matches('/'));
            }
            start = end + 1;
        }
    }
    Package::Jvm("", folder)
}

fn is_header(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(extension, "h" | "hh" | "hpp" | "hxx" | "inc" | "inl" | "ipp" | "tpp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_of_the_jvm_is_the_same_in_every_source_set() {
        let main = jvm("gson/src/main/java/com/google/gson");
        assert_eq!(main, Package::Jvm("gson", "com/google/gson"));
        assert_eq!(main, jvm("gson/src/test/java/com/google/gson"));
        assert_eq!(main, jvm("gson/src/test/kotlin/com/google/gson"));
        assert_ne!(main, jvm("extras/src/main/java/com/google/gson"));
        assert_eq!(jvm("src/main/java/a"), Package::Jvm("", "a"));
        assert_eq!((jvm("src/a/b"), jvm("test/a/b")), (Package::Jvm("", "a/b"), Package::Jvm("", "a/b")));
        assert_eq!(jvm("a/b"), Package::Jvm("", "a/b"));
    }
}
