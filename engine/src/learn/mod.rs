//! The learned ranking: bounded features of a file under a task, a boosted-tree model over them, and the rules under
//! which it may re-order the head of the static ranking.
//!
//! Nothing here trains and nothing touches the disk: a model is text that was made elsewhere, checked before use and small
//! by construction. What the model says is integer arithmetic over quantised features, so equal input gives equal order
//! on every machine. Whatever is wrong with a model or a request leaves the static order as it is, with a reason.
//!
//! An order counts only with a seal ([`seal`]): the certificate of its promotion. What is to become evidence is recorded
//! under a [`Trial`].

pub mod centroid;
mod constants;
mod context;
mod feature;
mod forest;
mod model;
mod rerank;
pub mod seal;
mod shipped;
mod trial;

pub use context::Context;
pub use feature::{FEATURE_SET, Feature, quantise};
pub use forest::{Forest, MAX_DEPTH, MAX_NODES, MAX_TREES, Node, Tree};
pub use model::{MAX_MODEL_BYTES, Model, ModelError, Training, static_ranking};
pub use rerank::{HEAD, Learned, Mode, OVER_BUDGET, WORK_BUDGET, movable};
pub use shipped::{SHIPPED_ARTIFACT, shipped, shipped_on_trial};
pub use trial::{Direction, Trial};
