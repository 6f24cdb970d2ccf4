//! Localisation: how well an engine finds the files that a task's change touched.
//!
//! The ranker sees a query's text and the files below the root, nothing else: the relevant files join the ranking only after
//! it is made. Figures of several repositories are means over repositories, each counting once (macro).

mod ablate;
mod base;
mod calibration;
mod embeddings;
mod impact;
mod mean;
mod packs;
mod queries;
mod ranker;
mod run;

pub use ablate::{Ablation, ablation};
pub use base::{Standing, standing};
pub use calibration::{Calibration, CalibrationRow};
pub use embeddings::{Embedded, EmbeddingSource};
pub use impact::{ImpactShare, impact_shares};
pub use mean::{Found, Mean, gain, mean};
pub use packs::{PackShare, pack_shares};
pub use queries::{LocalizeQuery, read_candidates, read_queries};
pub use ranker::Ranker;
pub use run::{Localization, Project, QueryRun, Slice, localize};
