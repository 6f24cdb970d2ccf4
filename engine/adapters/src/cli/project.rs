//! What every verb needs: root, state folder, exclude policy, an index in line with the files.

use std::path::PathBuf;

use clap::Args;
use engine::project::{
    DATABASE_FILE, ExcludePolicy, Index, ProjectError, RefreshReport, STATE_FOLDER, stored_patterns,
};
use engine::retrieve::{EmbeddingFailure, Hints, Semantic};
use engine::store::{VECTORS_FILE, VectorStore};

use super::failure::Failure;
use super::output;
use crate::embedding::EmbeddingArguments;
use crate::git::{NoHistory, changed_paths, learn_history};

/// Where the project and its index are.
#[derive(Debug, Args)]
pub(super) struct ProjectArguments {
    /// Root of the project; nothing outside it is read
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) root: PathBuf,
    /// Where the index is kept [default: <root>/.sluice]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// Leave out what matches (syntax of .gitignore); may be repeated
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
}

/// Whether changes of the work tree count.
#[derive(Debug, Args)]
pub(super) struct ChangesArguments {
    /// Rank as if nothing were changed in the work tree since the last commit
    #[arg(long)]
    no_changes: bool,
}

impl ChangesArguments {
    /// What version control says beside the task. Without a work tree under version control it says nothing, as of a clean
    /// one.
    pub(super) fn hints(&self, project: &ProjectArguments) -> Hints {
        let changed =
            if self.no_changes { Vec::new() } else { changed_paths(&project.root).unwrap_or_default() };
        Hints { changed, ..Hints::default() }
    }
}

/// What bringing an index in line did.
pub(super) struct Refreshed {
    /// What it found on disk.
    pub(super) files: RefreshReport,
    /// Past commits known, or why none.
    pub(super) history: Result<u64, NoHistory>,
}

impl ProjectArguments {
    fn state(&self) -> PathBuf {
        self.state.clone().unwrap_or_else(|| self.root.join(STATE_FOLDER))
    }

    /// Whether an index was ever made here.
    pub(super) fn has_index(&self) -> bool {
        self.state().join(DATABASE_FILE).exists()
    }

    /// Opens the index under exactly the patterns given: `index` states the policy.
    pub(super) fn open_stating(&self) -> Result<Index, Failure> {
        self.check_root()?;
        let policy = ExcludePolicy::with_patterns(&self.exclude).map_err(ProjectError::from)?;
        Ok(Index::open(&self.state(), policy)?)
    }

    /// Opens the index under the patterns of the last `index` and those given: the other verbs can only exclude more.
    pub(super) fn open(&self) -> Result<Index, Failure> {
        self.check_root()?;
        let stored = if self.has_index() { stored_patterns(&self.state())? } else { Vec::new() };
        let policy =
            ExcludePolicy::with_patterns(stored.iter().chain(&self.exclude)).map_err(ProjectError::from)?;
        Ok(Index::open(&self.state(), policy)?)
    }

    /// Brings the index in line with the files and, where version control has something new to tell, with the history.
    pub(super) fn refresh(&self, index: &mut Index) -> Result<Refreshed, Failure> {
        output::with_progress("indexing", || {
            let files = index.refresh(&self.root)?;
            let history = learn_history(index, &self.root)?;
            self.forget_vectors(index)?;
            Ok(Refreshed { files, history })
        })
    }

    /// What embeddings say of a task; `None` where they aren't asked.
    pub(super) fn hear(
        &self,
        embeddings: &EmbeddingArguments,
        index: &Index,
        task: &str,
    ) -> Option<Semantic> {
        let open = || {
            VectorStore::open(&self.state())
                .map_err(|error| EmbeddingFailure::Store { message: error.to_string() })
        };
        if !embeddings.is_asked() {
            return None;
        }
        output::with_progress("embedding", || embeddings.hear(index, open, task))
    }

    /// Vectors tell of text: those of files that are no longer indexed go, whether or not embeddings are asked this time.
    fn forget_vectors(&self, index: &Index) -> Result<(), Failure> {
        if !self.state().join(VECTORS_FILE).exists() {
            return Ok(());
        }
        let files = &index.view()?.files;
        let hashes = files.iter().map(|file| (file.path.as_str(), file.sha256)).collect();
        VectorStore::open(&self.state())?.forget_others(&hashes)?;
        Ok(())
    }

    /// Says so before any state folder is made below a root that isn't one.
    fn check_root(&self) -> Result<(), Failure> {
        match std::fs::metadata(&self.root) {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            Ok(_) => Err(ProjectError::NotAFolder { path: self.root.clone() }.into()),
            Err(error) => Err(Failure::io(&format!("read {}", self.root.display()), &error)),
        }
    }
}
