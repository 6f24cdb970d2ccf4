//! Whether a scenario's grader can tell a right patch from none.
//!
//! A grader is asked [`TIMES`] times about the reference patch, which it must accept, and as often about the untouched
//! repository, which it must refuse. One that doesn't decides by chance or not at all: its scenario is in quarantine.
//! Recording asks before the first run and keeps the answers beside the runs; whoever judges reads them, and
//! may ask anew.

mod ask;
mod check;
mod grade;
mod wire;

pub use ask::{Answers, Qualification, TIMES, qualification, qualify};
pub use check::{asked, check_qualifications};
pub use grade::{Graded, grade_patch, missing_programs};
pub use wire::{file_name, read, to_json};
