//! What a context engine decides for one request: the plan, why each item is in or out, and the manifest made from it.

pub(crate) mod compose;
mod decision;
mod manifest;
mod relevance;
mod source;

pub use decision::{
    Budget, Decision, ItemSource, ModelProfile, Placement, Plan, PlanMode, PlanRequest, Reason, Supplement,
};
pub use manifest::{Manifest, ManifestKey};
pub use source::{
    Confidence, FileOrder, ProjectHit, ProjectHits, ProjectItem, ProjectQuery, ProjectSearch, ProjectSource,
    ProjectText,
};
