//! Plain text.

use crate::affected::Affected;
use crate::duration::{clock, format};
use crate::lockdiff::Change;
use crate::schedule::Schedule;

/// A timetable, one build a line.
pub fn schedule(schedule: &Schedule, workers: usize) -> String {
    if schedule.slots.is_empty() {
        return "nothing to build\n".to_string();
    }
    let width = schedule
        .slots
        .iter()
        .map(|slot| slot.package.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for slot in &schedule.slots {
        text.push_str(&format!(
            "{}  worker {}  {:width$}  {}\n",
            clock(slot.start),
            slot.worker + 1,
            slot.package,
            format(slot.end - slot.start),
        ));
    }
    let load = (schedule.load(workers) * 100.0).round();
    text.push_str(&format!(
        "total {}, load {load} %\n",
        format(schedule.total())
    ));
    text
}

/// Affected packages; those that only follow from others are indented.
pub fn affected(affected: &Affected) -> String {
    let mut text = String::new();
    for name in &affected.all {
        let indent = if affected.directly.contains(name) {
            ""
        } else {
            "  "
        };
        text.push_str(&format!("{indent}{name}\n"));
    }
    for path in &affected.outside {
        text.push_str(&format!("belongs to no package: {path}\n"));
    }
    if text.is_empty() {
        "nothing is affected\n".to_string()
    } else {
        text
    }
}

/// Changes of a lock file, one a line.
pub fn changes(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "no changes\n".to_string();
    }
    changes.iter().map(|change| format!("{change}\n")).collect()
}

/// Two columns, the first as wide as its widest entry.
pub fn pairs<'a>(rows: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let rows: Vec<(&str, &str)> = rows.into_iter().collect();
    let width = rows.iter().map(|(left, _)| left.len()).max().unwrap_or(0);
    rows.iter()
        .map(|(left, right)| format!("{left:width$}  {right}\n"))
        .collect()
}
