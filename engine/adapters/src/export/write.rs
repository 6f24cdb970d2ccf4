//! The bytes of the export.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;

use engine::message::{Json, sha256_hex};
use engine::session::{EntryId, SessionTree};

use super::content::{Members, object, string};
use super::entries::{Draft, Place, Plan, plan};
use super::loss::{Loss, LossCode, Losses};
use super::source::Source;
use crate::log::{Format, SessionLog, View};

/// A Pi session file, version 3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The file: UTF-8, one JSON object a line, each ended by a line feed.
    pub bytes: Vec<u8>,
    /// Entries written, the header aside.
    pub entries: u64,
    /// What couldn't be said, by code and description.
    pub losses: Vec<Loss>,
    /// By entry of the view: the entry of the export at which Pi holds what the log's own agent held there. `None` inside
    /// of a reply that the log has in pieces: Pi's reply is whole.
    pub states: Vec<Option<EntryId>>,
}

/// Why a log can't be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The log's bytes can't be read again.
    #[error("read the log again: {source}")]
    Io {
        /// What the system said.
        source: io::Error,
    },
    /// There is nothing to export.
    #[error("no entry in this view: choose the other one")]
    Empty,
}

/// Writes a view of a log as a session file of Pi. `source` reads the log's bytes again: images and what else the model
/// keeps by hash only come from there.
///
/// # Errors
/// Where the bytes can't be read again, or the view has no entries.
pub fn pi_v3(log: &SessionLog, view: View, mut source: Source<'_>) -> Result<Exported, ExportError> {
    let tree = log.view(view);
    if tree.entries.is_empty() {
        return Err(ExportError::Empty);
    }
    let mut losses = Losses::default();
    for (what, count) in &log.lost {
        losses.add(LossCode::Reader, what.clone(), *count);
    }
    if !source.is_present() {
        losses.note(LossCode::SourceAbsent, "log");
    }
    let told = log.header.as_ref().and_then(|header| header.time_ms);
    let begun_ms = told.or_else(|| tree.entries.iter().find_map(|entry| entry.time_ms));
    let begun_ms = begun_ms.unwrap_or_else(|| {
        losses.note(LossCode::UnknownTime, "session");
        0
    });
    let plan = plan(tree, log.format, begun_ms, &mut source, &mut losses)
        .map_err(|source| ExportError::Io { source })?;
    let names = Names::of(tree, &plan);
    let mut bytes = Vec::new();
    line(&mut bytes, header(log, tree, begun_ms));
    let mut entries = 0;
    for at in 0..tree.entries.len() {
        for draft in 0..plan.drafts[at].len() {
            line(&mut bytes, entry(&plan, &names, Place { entry: at, draft }));
            entries += 1;
        }
    }
    if let Some(leaf) = leaf(tree, &plan, &names) {
        line(&mut bytes, leaf);
        entries += 1;
    }
    let states = plan.states.iter().map(|state| state.map(|place| EntryId(names.of_place(place).into())));
    Ok(Exported { bytes, entries, states: states.collect(), losses: losses.into_list() })
}

fn line(bytes: &mut Vec<u8>, members: Members) {
    bytes.extend_from_slice(object(members).to_source_order().as_bytes());
    bytes.push(b'\n');
}

fn header(log: &SessionLog, tree: &SessionTree, begun_ms: i64) -> Members {
    let header = log.header.as_ref();
    // Pi names files after the identifier, and takes few characters for one.
    let told = header.map_or(tree.session_id.as_str(), |header| &header.id);
    let is_fit = told.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
        && told.starts_with(|c: char| c.is_ascii_alphanumeric())
        && told.ends_with(|c: char| c.is_ascii_alphanumeric());
    let id = if is_fit { told.to_owned() } else { sha256_hex(told.as_bytes())[..32].to_owned() };
    let mut members = vec![
        ("type", string("session")),
        ("version", Json::Number(3.into())),
        ("id", Json::String(Cow::Owned(id))),
        ("timestamp", string(&iso(begun_ms))),
        ("cwd", string(tree.cwd.as_deref().unwrap_or(""))),
    ];
    // A path to a session of Pi's; what other formats tell isn't one.
    if let Some(parent) = header.and_then(|header| header.parent_session.as_deref())
        && log.format == Some(Format::Pi)
    {
        members.push(("parentSession", string(parent)));
    }
    members
}

fn entry(plan: &Plan, names: &Names, place: Place) -> Members {
    let Draft { kind, members, references } = &plan.drafts[place.entry][place.draft];
    let parent = match place.draft {
        0 => plan.parents[place.entry],
        later => Some(Place { draft: later - 1, ..place }),
    };
    let mut all = vec![
        ("type", string(kind)),
        ("id", string(names.of_place(place))),
        ("parentId", parent.map_or(Json::Null, |parent| string(names.of_place(parent)))),
        ("timestamp", string(&iso(plan.times[place.entry]))),
    ];
    all.extend(references.iter().map(|(name, to)| (*name, string(names.of_place(*to)))));
    all.extend(members.iter().cloned());
    all
}

/// Pi stands at the last entry of a file. Where the log's own agent stands elsewhere, an entry that says nothing is put
/// there.
fn leaf(tree: &SessionTree, plan: &Plan, names: &Names) -> Option<Members> {
    let stands = engine::session::select(tree, None).leaf?;
    let state = plan.states[stands]?;
    let last = (0..plan.drafts.len()).rev().find(|at| !plan.drafts[*at].is_empty())?;
    let last = Place { entry: last, draft: plan.drafts[last].len() - 1 };
    (state != last).then(|| {
        vec![
            ("type", string("custom")),
            ("id", string(&names.leaf)),
            ("parentId", string(names.of_place(state))),
            ("timestamp", string(&iso(plan.times[stands]))),
            ("customType", string("sluice.leaf")),
        ]
    })
}

/// Identifiers of the export: eight hexadecimal digits each, as Pi's are.
struct Names {
    by_place: Vec<Vec<String>>,
    leaf: String,
}

impl Names {
    /// Hashes of the log's own identifiers, taken again with a number where two would be equal.
    fn of(tree: &SessionTree, plan: &Plan) -> Names {
        let mut taken = BTreeSet::new();
        let mut by_place = Vec::with_capacity(plan.drafts.len());
        for (entry, drafts) in tree.entries.iter().zip(&plan.drafts) {
            // An entry that others refer to has a name even where it has no draft.
            let count = drafts.len().max(1);
            by_place.push((0..count).map(|draft| fresh(&entry.id.0, draft, &mut taken)).collect());
        }
        Names { by_place, leaf: fresh("leaf", 0, &mut taken) }
    }

    fn of_place(&self, place: Place) -> &str {
        &self.by_place[place.entry][place.draft]
    }
}

fn fresh(id: &str, draft: usize, taken: &mut BTreeSet<String>) -> String {
    let names =
        (0_u64..).map(|again| sha256_hex(format!("{id}\n{draft}\n{again}").as_bytes())[..8].to_owned());
    let mut names = names.filter(|name| taken.insert(name.clone()));
    names.next().expect("fewer entries than names")
}

/// An instant as JavaScript's `toISOString` writes it; the end of the calendar for what lies beyond it.
fn iso(ms: i64) -> String {
    let instant = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::MAX);
    format!("{instant:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_pi_writes_them() {
        assert_eq!(iso(1_795_995_925_336), "2026-11-29T23:45:25.336Z");
        assert_eq!(iso(0), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn names_that_collide_are_taken_again() {
        let mut taken = BTreeSet::new();
        let first = fresh("a", 0, &mut taken);
        let second = fresh("a", 0, &mut taken);
        assert_ne!(first, second);
        assert_eq!((first.len(), second.len()), (8, 8));
    }
}
