//! Paths of the project, and how they are put together.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use super::super::role::{base_name, folder};

/// Paths of the project.
pub(super) struct Files<'a> {
    sorted: BTreeSet<&'a str>,
    by_name: OnceCell<HashMap<&'a str, Vec<&'a str>>>,
    folders: OnceCell<HashMap<&'a str, BTreeSet<&'a str>>>,
}

impl<'a> Files<'a> {
    pub(super) fn new(paths: impl IntoIterator<Item = &'a str>) -> Files<'a> {
        Files { sorted: paths.into_iter().collect(), by_name: OnceCell::new(), folders: OnceCell::new() }
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.sorted.contains(path)
    }

    /// The path, if there is such a file.
    pub(super) fn existing(&self, path: String) -> Option<String> {
        self.has(&path).then_some(path)
    }

    /// The first of the paths that is a file.
    pub(super) fn first(&self, paths: impl IntoIterator<Item = String>) -> Option<String> {
        paths.into_iter().find(|path| self.has(path))
    }

    /// Whether a file with this extension stands directly in the folder.
    pub(super) fn has_direct(&self, folder: &str, extension: &str) -> bool {
        let prefix = below(folder);
        self.sorted
            .range(prefix.as_str()..)
            .take_while(|path| path.starts_with(&prefix))
            .map(|path| &path[prefix.len()..])
            .any(|rest| !rest.contains('/') && rest.strip_suffix(extension).is_some_and(|s| s.ends_with('.')))
    }

    /// Whether anything stands below the folder.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        let prefix = below(folder);
        self.sorted.range(prefix.as_str()..).next().is_some_and(|path| path.starts_with(&prefix))
    }

    /// Files of this name, in order.
    pub(super) fn named(&self, name: &str) -> &[&'a str] {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
            for path in &self.sorted {
                by_name.entry(base_name(path)).or_default().push(path);
            }
            by_name
        });
        by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The file whose path is `tail` or ends with it after a slash; of several the one nearest to `importer`, then the
    /// shortest, then the first.
    pub(super) fn ending_with(&self, tail: &str, importer: &str) -> Option<&'a str> {
        let ends =
            |path: &str| path.strip_suffix(tail).is_some_and(|head| head.is_empty() || head.ends_with('/'));
        let candidates = self.named(base_name(tail)).iter().copied().filter(|path| ends(path));
        candidates.min_by_key(|path| (std::cmp::Reverse(shared_head(path, importer)), path.len(), *path))
    }

    /// The folder of the project that ends with `tail` and has a file of one of the extensions directly in it, with a slash at
    /// its end; of several the nearest to `importer`, then the shortest, then the first.
    pub(super) fn folder_ending_with(
        &self,
        tail: &str,
        extensions: &[&str],
        importer: &str,
    ) -> Option<String> {
        let holds = |folder: &&str| extensions.iter().any(|extension| self.has_direct(folder, extension));
        let nearest = self
            .folders_ending_with(tail)
            .filter(holds)
            .min_by_key(|folder| (std::cmp::Reverse(shared_head(folder, importer)), folder.len(), *folder));
        nearest.map(below)
    }

    /// Whether some folder of the project ends with `tail`.
    pub(super) fn has_folder_ending_with(&self, tail: &str) -> bool {
        self.folders_ending_with(tail).next().is_some()
    }

    /// Folders with anything below them whose path is `tail` or ends with it after a slash, in order.
    fn folders_ending_with(&self, tail: &str) -> impl Iterator<Item = &'a str> {
        let folders = self.folders.get_or_init(|| {
            let mut folders: HashMap<&str, BTreeSet<&str>> = HashMap::new();
            for path in &self.sorted {
                for above in upwards(folder(path)).take_while(|above| !above.is_empty()) {
                    // The folders above one that is known are known too.
                    if !folders.entry(base_name(above)).or_default().insert(above) {
                        break;
                    }
                }
            }
            folders
        });
        let ends = move |folder: &&'a str| {
            folder.strip_suffix(tail).is_some_and(|head| head.is_empty() || head.ends_with('/'))
        };
        let named = folders.get(base_name(tail)).into_iter().flatten().copied();
        named.filter(ends).collect::<Vec<_>>().into_iter()
    }
}

/// Segments that two paths begin with alike.
fn shared_head(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

/// What every path below the folder begins with.
pub(super) fn below(folder: &str) -> String {
    if folder.is_empty() { String::new() } else { format!("{folder}/") }
}

pub(super) fn child(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Whether `prefix` is the whole of `path` or ends at one of its slashes.
pub(super) fn starts_with_segments(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Joins and normalises; `None` where the path would leave the root.
pub(super) fn join(base: &str, relative: &str) -> Option<String> {
    let mut out: Vec<&str> = base.split('/').filter(|s| !s.is_empty()).collect();
    for segment in relative.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                out.pop()?;
            }
            name => out.push(name),
        }
    }
    Some(out.join("/"))
}

/// The folder and every folder above it, down to the root (the empty string).
pub(super) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| {
        (!folder.is_empty()).then(|| folder.rsplit_once('/').map_or("", |(above, _)| above))
    })
}
