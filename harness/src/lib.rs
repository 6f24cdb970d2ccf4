//! Records, replays, measures and gates context-engine variants.
//!
//! Data flows one way: a corpus (recorded evidence) and scenarios are read, every session is replayed by every variant,
//! metrics become one frame, statistics become criteria, criteria become a verdict, and reports only draw what the
//! verdict already holds. `docs/ARCHITECTURE.md` names the room of each step.

mod apart;
pub mod cli;
pub mod compare;
pub mod corpus;
pub mod declaration;
pub mod evidence;
pub mod failure;
mod figure;
pub mod gain;
pub mod gate;
mod hold;
pub mod import;
pub mod localize;
pub mod measure;
pub mod metric;
pub mod mine;
pub mod policy;
pub mod publish;
pub mod qualify;
pub mod ranking;
pub mod record;
mod regular;
pub mod replay;
pub mod report;
pub mod scenario;
pub mod sensitivity;
mod staged;
pub mod synthetic;
pub mod train;
pub mod variant;
pub mod workspace;
