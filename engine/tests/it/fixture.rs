//! Small projects written in one string.

use std::fs;
use std::path::PathBuf;

use engine::project::{ExcludePolicy, Index};

/// A project in a folder of its own, removed at the end.
pub struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// Writes the files of `text`: each begins with a line `//- path`.
    pub fn new(text: &str) -> Project {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        let project = Project { folder };
        for file in text.split("//- ").skip(1) {
            let (path, content) = file.split_once('\n').unwrap();
            project.write(path.trim(), content);
        }
        project
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// A state folder outside the root.
    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    /// An index in memory, refreshed.
    pub fn index(&self) -> Index {
        self.index_excluding(&[])
    }

    pub fn index_excluding(&self, patterns: &[&str]) -> Index {
        let mut index = Index::in_memory(policy(patterns)).unwrap();
        index.refresh(&self.root()).unwrap();
        index
    }

    /// The index in the state folder, opened and not refreshed.
    pub fn open(&self, patterns: &[&str]) -> Index {
        Index::open(&self.state(), policy(patterns)).unwrap()
    }

    /// Every byte of the state folder.
    pub fn state_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for entry in fs::read_dir(self.state()).unwrap() {
            out.extend(fs::read(entry.unwrap().path()).unwrap());
        }
        out
    }
}

pub fn policy(patterns: &[&str]) -> ExcludePolicy {
    ExcludePolicy::with_patterns(patterns).unwrap()
}

/// Paths of an index.
pub fn paths(index: &Index) -> Vec<String> {
    index.view().unwrap().files.iter().map(|f| f.path.clone()).collect()
}

pub fn contains(bytes: &[u8], needle: &str) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle.as_bytes())
}
