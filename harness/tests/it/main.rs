//! The harness's one integration binary: a module a theme.

mod command;
#[cfg(test)]
mod corpus_verbs;
mod dependencies;
#[cfg(test)]
mod imports;
#[cfg(test)]
mod logs;
#[cfg(test)]
mod provenance;
mod scenarios;
mod sessions;
// `cfg(test)` tells clippy that helpers outside of test functions are test code too.
#[cfg(test)]
mod certificates;
#[cfg(test)]
mod emitted;
#[cfg(test)]
mod evidence_faults;
#[cfg(test)]
mod gate;
#[cfg(test)]
mod localize;
#[cfg(test)]
mod measuring;
#[cfg(test)]
mod mine;
#[cfg(test)]
mod planted_faults;
#[cfg(test)]
mod record;
#[cfg(test)]
mod recorder;
#[cfg(test)]
mod removed_evidence;
#[cfg(test)]
mod shipped_corpus;
#[cfg(test)]
mod stale_reports;
#[cfg(test)]
mod train;
#[cfg(test)]
mod whole_requests;
#[cfg(test)]
mod wrappers;
