//! How much a verdict hangs on how the scripted model errs.
//!
//! A campaign with the scripted model depends on guessed probabilities. Here the policy runs against emulated tools, in
//! process and without the agent, over a grid of those probabilities, and every grid point gets the verdict that the
//! real statistics give. What holds on the whole grid doesn't hang on a guess. The tier is `synthetic`: nothing here is
//! evidence for a promotion.

mod grid;
mod measure;
mod run;
mod tools;

pub use grid::{Axis, GridError, Point, points};
pub use measure::{ArmFigures, Comparison, PointFigures, Task, measure};
pub use run::{EmulatedRun, emulate};
pub use tools::{Answer, Bench};
