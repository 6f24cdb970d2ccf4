//! Recording: the real agent on real tasks, in each arm, against a real model or the scripted one.
//!
//! A run is: an empty neutral home, a fresh copy of the fixture as a git repository, the arm's message beside the prompt
//! (if it has one), the agent's own command until it ends, the final patch, and only then the hidden grader. The session,
//! the requests without headers, the patch and the grader's transcript are stored; outcomes in a row are a convenience
//! and are derived again by whoever judges.
//!
//! * Before the first run every scenario's grader is asked what is known (`qualified`, [`crate::qualify`]); a grader that
//!   can't tell is told, its runs are made, and the gate keeps the scenario in quarantine.
//! * [`record`] makes a campaign: order from `schedule`, exactly once through `journal`, files through `store`.
//! * [`Agent`] is the seam to an agent; [`Pi`] the real one. A [`Job`] doesn't name the arm.
//! * [`PackSource`] is the seam to the engine.
//! * `server` is the loopback model server, with [`policy`](crate::policy) behind it.
//!
//! **This is no sandbox.** The agent's shell tool, the fixture's checks and the graders run with the rights of whoever
//! records, with the machine's network, in a folder that is only theirs by agreement. What they get is a listed
//! environment, a home of their own, a time limit and the end of their process group. Record what you would run by hand.

mod agent;
mod campaign;
mod engine_packs;
mod error;
mod grade;
mod home;
mod journal;
mod leak;
mod outcome;
mod pack;
mod pi;
mod plan;
mod qualified;
mod reply;
mod request;
mod row;
mod schedule;
mod server;
mod single;
mod store;
mod usage;
mod wire;
mod worktree;

pub use agent::{Agent, Identity, Job, Ran};
pub use campaign::{Observer, Summary, record};
pub use engine_packs::EnginePacks;
pub use error::RecordError;
pub use leak::LeakScanner;
pub use pack::{PackMessage, PackSource};
pub use pi::{INSTALL, Installation, ModelChoice, PI_DIR_VARIABLE, Pi};
pub use plan::Plan;
pub use request::{Api, Request};
pub use row::RunRow;
pub use store::corpus_salt;
pub use wire::Wire;
