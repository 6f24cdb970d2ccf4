//! The program files of the base commit: what a ranking is scored on, and which identifiers each of them defines.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path};

use engine::project::{ExcludePolicy, Index, Role, base_name, extension, is_test_path, role_of};

use crate::failure::Failure;

use super::repository::{Blob, Repository};

/// Largest file that is a candidate.
const MAX_BYTES: u64 = 1 << 20;

/// Bytes at the head of a file in which a NUL says that it is no text.
const SNIFF_BYTES: usize = 8192;

/// Folders of other people's code.
const VENDORED: &[&str] =
    &["vendor", "vendored", "third_party", "third-party", "thirdparty", "node_modules", "external", "extern"];

/// One program file at the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceFile {
    pub(super) role: Role,
    /// Names that it defines.
    pub(super) names: BTreeSet<String>,
}

/// The program files at the base, by path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceTree {
    pub(super) files: BTreeMap<String, SourceFile>,
    pub(super) bytes: u64,
}

impl SourceTree {
    /// Reads the tree of a commit: text of up to 1 MiB that is program text, tests and generated files among it.
    pub(super) fn read(repository: &Repository, commit: &str) -> Result<SourceTree, Failure> {
        let mut blobs = repository.files(commit)?;
        blobs.retain(|blob| blob.bytes <= MAX_BYTES && may_be_source(&blob.path));
        let contents = repository.read(&blobs)?;
        let mut tree = SourceTree { files: BTreeMap::new(), bytes: 0 };
        let folder = tempfile::tempdir().map_err(|error| Failure::io("temporary folder", &error))?;
        for (blob, content) in blobs.iter().zip(&contents) {
            if memchr::memchr(0, &content[..content.len().min(SNIFF_BYTES)]).is_some() {
                continue;
            }
            let role = role_of(&blob.path, &String::from_utf8_lossy(content));
            if !is_source(role) {
                continue;
            }
            tree.bytes += blob.bytes;
            tree.files.insert(blob.path.clone(), SourceFile { role, names: BTreeSet::new() });
            write(folder.path(), blob, content)?;
        }
        tree.learn_names(folder.path())?;
        Ok(tree)
    }

    fn learn_names(&mut self, folder: &Path) -> Result<(), Failure> {
        let failed = |error: engine::project::ProjectError| Failure::bad_data(error.to_string());
        let mut index = Index::in_memory(ExcludePolicy::built_in_only()).map_err(failed)?;
        index.refresh(folder).map_err(failed)?;
        for indexed in &index.view().map_err(failed)?.files {
            if let Some(file) = self.files.get_mut(&indexed.path) {
                file.names = indexed.symbols.iter().map(|symbol| symbol.name.clone()).collect();
            }
        }
        Ok(())
    }

    /// Whether the path may be part of an answer: program text that people of this project wrote.
    pub(super) fn is_gold(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|file| file.role != Role::Generated) && !is_vendored(path)
    }
}

/// Whether a path names program text, where the text itself isn't at hand.
pub(super) fn is_source_path(path: &str) -> bool {
    is_source(role_of(path, "")) && !is_vendored(path)
}

/// Whether the path is a test's.
pub(super) fn is_test(path: &str) -> bool {
    is_test_path(path)
}

fn is_source(role: Role) -> bool {
    matches!(role, Role::Source | Role::Test | Role::Generated)
}

fn is_vendored(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(folders, _)| folders.split('/').any(|f| VENDORED.contains(&f)))
}

/// A file without an extension may tell what it is in its first line.
fn may_be_source(path: &str) -> bool {
    is_source(role_of(path, "")) || extension(base_name(path)).is_none()
}

/// Writes a file below `folder`. A tree can't name a place outside of it, unless somebody made it by hand.
fn write(folder: &Path, blob: &Blob, content: &[u8]) -> Result<(), Failure> {
    let path = Path::new(&blob.path);
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(Failure::bad_data(format!(
            "{}: a path that leaves the tree: mine another repository",
            blob.path
        )));
    }
    let file = folder.join(path);
    let folder = file.parent().unwrap_or(folder);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&file, content))
        .map_err(|error| Failure::io(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_peoples_code_is_no_answer() {
        assert!(is_source_path("src/vendor.rs"));
        assert!(!is_source_path("src/vendor/lib.rs"));
        assert!(!is_source_path("README.md"));
    }

    #[test]
    fn a_path_that_leaves_the_tree_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let blob = |path: &str| Blob { path: path.to_owned(), id: String::new(), bytes: 0 };
        for path in ["../x.rs", "/x.rs", "a/../../x.rs"] {
            assert_eq!(
                write(folder.path(), &blob(path), b"").unwrap_err().kind,
                crate::failure::Kind::BadData
            );
        }
        write(folder.path(), &blob("a/x.rs"), b"").unwrap();
    }
}
