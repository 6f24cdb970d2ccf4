//! The project index: which files a project has, what they define and import, and where each word occurs.
//!
//! * An exclude policy is mandatory: [`Index::open`] and [`Index::in_memory`] take an [`ExcludePolicy`], which has no
//!   default. Secrets are never indexed under any policy.
//! * Everything stored is derived from the files. A refresh is one transaction; deleting the state loses nothing.
//! * Nothing here reads the clock or the environment, and the rows don't depend on the number of threads.
//!
//! Adding a language: a folder of query files, a row of the language table, a variant of [`Language`], a test source.

mod analyse;
mod discover;
mod dump;
mod error;
mod extract;
mod headings;
mod hex;
mod imports;
mod index;
mod kept;
mod language;
mod manifest;
mod names;
mod nodes;
mod pairs;
mod parse;
mod past;
mod policy;
mod protected;
mod quote;
mod references;
mod refresh;
mod resolve;
mod role;
mod rows;
mod schema;
mod state;
mod symbols;
mod tally;
mod terms;
mod view;

pub use discover::{Discovery, Found, IGNORE_FILE, Limits, SkipReason, Skipped, Stamp, discover};
pub use error::ProjectError;
pub use imports::Import;
pub use index::{Freshness, Index, LanguageStatus, RefreshReport, Status, stored_patterns};
pub(crate) use kept::KEPT;
pub use language::{Comments, Language};
pub use names::{Coverage, NameParts};
pub use parse::NoTree;
pub use past::{ChangeKind, CommitView, HistoryReport, MAX_COMMITS, PastChange, PastCommit, past_stem};
pub use policy::{ExcludePolicy, Exclusion, PolicyError};
pub use quote::Quotable;
pub use role::{Role, base_name, extension, folder, is_test_path, role_of, test_subject};
pub use state::{DATABASE_FILE, STATE_FOLDER};
pub use symbols::Symbol;
pub use terms::{Word, for_each_term, terms, whole, word_terms, words};
pub(crate) use view::position;
pub use view::{ChunkView, FIELDS, FileView, Posting, Uses, View};
