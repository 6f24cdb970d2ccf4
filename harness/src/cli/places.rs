//! Where the verbs that read a corpus find tasks, variants and prices: the project around the current folder, unless
//! named.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::corpus::{Corpus, Fault};
use crate::failure::Failure;
use crate::measure::Campaign;
use crate::metric::price::PricePack;
use crate::scenario::ScenarioSet;
use crate::variant::{Declared, FeatureSet, VariantSet};
use crate::workspace::WorkspaceRoot;

/// The folder in which a named file lies.
pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The corpus and what it is read with.
#[derive(Debug, Args)]
pub struct Places {
    /// Corpus folder (with corpus.toml and runs.jsonl)
    #[arg(long, value_name = "DIR")]
    pub corpus: PathBuf,
    /// Folder of the scenarios [default: the project's]
    #[arg(long, value_name = "DIR")]
    pub scenarios: Option<PathBuf>,
    /// Declared variants [default: variants.toml among the scenarios]
    #[arg(long, value_name = "FILE")]
    pub variants: Option<PathBuf>,
    /// Price pack [default: packs/prices-scripted.toml among the scenarios]
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Threads [default: one a core]; no output depends on it
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub jobs: usize,
}

/// What [`Places`] name, read.
pub struct Loaded {
    /// The corpus.
    pub corpus: Corpus,
    /// Faults of its rows.
    pub load_faults: Vec<Fault>,
    /// The tasks.
    pub scenarios: ScenarioSet,
    /// The variants.
    pub variants: VariantSet,
    /// The prices.
    pub prices: PricePack,
}

impl Places {
    /// Reads everything.
    ///
    /// # Errors
    /// The first thing that can't be read.
    pub fn load(&self) -> Result<Loaded, Failure> {
        let folder = self.folder()?;
        let (corpus, load_faults) = Corpus::load(&self.corpus)?;
        let or_default =
            |named: &Option<PathBuf>, name: &str| named.clone().unwrap_or_else(|| folder.join(name));
        Ok(Loaded {
            corpus,
            load_faults,
            scenarios: ScenarioSet::load(&folder)?,
            variants: VariantSet::load(&or_default(&self.variants, "variants.toml"))?,
            prices: PricePack::load(&or_default(&self.prices, "packs/prices-scripted.toml"))?,
        })
    }

    /// Features that are declared among the scenarios; none where there is no such file.
    ///
    /// # Errors
    /// It can't be read, or isn't allowed.
    pub fn features(&self, variants: &VariantSet) -> Result<Option<FeatureSet>, Failure> {
        let path = self.folder()?.join("features.toml");
        match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            _ => Ok(Some(FeatureSet::load(&path, variants)?)),
        }
    }

    /// The scenarios' folder.
    fn folder(&self) -> Result<PathBuf, Failure> {
        match &self.scenarios {
            Some(folder) => Ok(folder.clone()),
            None => Ok(WorkspaceRoot::current()?.scenarios()),
        }
    }

    /// A pool of the threads asked for.
    ///
    /// # Errors
    /// The system gives no threads.
    pub fn pool(&self) -> Result<rayon::ThreadPool, Failure> {
        super::pool(self.jobs)
    }
}

impl Loaded {
    /// The campaign, with each request planned `repeats` times.
    pub fn campaign(&self, repeats: u32) -> Campaign<'_> {
        Campaign {
            corpus: &self.corpus,
            load_faults: &self.load_faults,
            scenarios: &self.scenarios,
            variants: &self.variants,
            prices: Some(&self.prices),
            repeats,
            graders: false,
            engines: &Declared,
        }
    }

    /// Refuses a variant that isn't declared.
    ///
    /// # Errors
    /// Usage: the name and where to look.
    pub fn require_variant(&self, id: &str) -> Result<(), Failure> {
        if self.variants.get(id).is_some() {
            return Ok(());
        }
        let known: Vec<&str> = self.variants.iter().map(|variant| variant.id.as_str()).collect();
        Err(Failure::usage(format!("variant `{id}`: not declared: use one of {}", known.join(", "))))
    }
}
