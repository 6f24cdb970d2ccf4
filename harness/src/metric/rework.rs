//! Edits undone or overwritten within the run.
//!
//! An applied edit is *kept* if every line it brings in stands among the lines that the final patch adds to that file
//! (as a part of one, because an edit may change a fragment of a line), or, where it only takes lines out, if every
//! such line stands among those the patch removes. It is a *restoration* if it isn't kept and every line it brings in
//! stood in the file at the start. Rework = applied edits that are neither. An edit made by a shell command isn't seen.
//!
//! Worked example: `x = 1` → `x = 2` (fails), back to `x = 1`, then `x = 3` in the final patch: rework 1, because the
//! second edit only takes back the first.

use std::path::Path;

use super::Metric;
use crate::corpus::{Action, Activity, Call, FileChange, Hunk, Patch};

/// Rework of a run. `fixture` is the root of the files at the start.
pub(super) fn values(activity: &Activity, patch: &Patch, fixture: &Path) -> Vec<(Metric, f64)> {
    let redone = activity.calls.iter().filter(|call| call.changed_file()).filter(|call| {
        let original = || call.path().map(|path| original(fixture, path)).unwrap_or_default();
        !is_kept(call, patch) && !restores(call, &original())
    });
    vec![(Metric::Rework, redone.count() as f64)]
}

/// Whether an applied edit is part of the final patch.
pub(super) fn is_kept(call: &Call, patch: &Patch) -> bool {
    let Some(change) = call.path().and_then(|path| patch.files.get(path)) else { return false };
    match &call.action {
        Action::Edit { hunks, .. } => !hunks.is_empty() && hunks.iter().all(|hunk| hunk_kept(hunk, change)),
        Action::Write { content, .. } => {
            let brought: Vec<&str> = lines(content).collect();
            change.added.iter().all(|line| line.trim().is_empty() || brought.contains(&line.trim()))
        }
        _ => false,
    }
}

fn hunk_kept(hunk: &Hunk, change: &FileChange) -> bool {
    let (brought, taken) = (brings(&hunk.old, &hunk.new), brings(&hunk.new, &hunk.old));
    let within = |wanted: &[&str], among: &[String]| {
        wanted.iter().all(|line| among.iter().any(|whole| whole.contains(line)))
    };
    match (brought.is_empty(), taken.is_empty()) {
        (false, _) => within(&brought, &change.added),
        (true, false) => within(&taken, &change.removed),
        // Only blank lines or indentation changed: nothing to find again.
        (true, true) => true,
    }
}

fn restores(call: &Call, original: &str) -> bool {
    let known: Vec<&str> = lines(original).collect();
    let stood = |line: &&str| known.iter().any(|whole| whole.contains(*line));
    match &call.action {
        Action::Edit { hunks, .. } => hunks.iter().all(|hunk| brings(&hunk.old, &hunk.new).iter().all(stood)),
        Action::Write { content, .. } => lines(content).all(|line| stood(&line)),
        _ => false,
    }
}

/// Lines of `after` that aren't lines of `before`, trimmed, without blank ones.
fn brings<'t>(before: &str, after: &'t str) -> Vec<&'t str> {
    let known: Vec<&str> = lines(before).collect();
    lines(after).filter(|line| !known.contains(line)).collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// A file's text at the start; empty where it didn't exist or lies outside the fixture, whose files were all read before for
/// its hash. What is no text is as edits show it: with replacement characters.
fn original(fixture: &Path, path: &str) -> String {
    let bytes = crate::corpus::inside(fixture, path).ok().and_then(|path| crate::regular::read(&path).ok());
    bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::testing::edit;
    use super::*;

    #[test]
    fn worked_example() {
        let fixture = tempfile::tempdir().unwrap();
        std::fs::write(fixture.path().join("a.py"), "x = 1\n").unwrap();
        let patch =
            Patch::parse("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 3\n");
        let calls = vec![
            edit(0, "a.py", "x = 1", "x = 2"),
            edit(1, "a.py", "x = 2", "x = 1"),
            edit(2, "a.py", "1", "3"),
        ];
        assert_eq!(calls.iter().map(|call| is_kept(call, &patch)).collect::<Vec<_>>(), [false, false, true]);
        let activity = Activity { calls, ..Activity::default() };
        assert_eq!(values(&activity, &patch, fixture.path()), [(Metric::Rework, 1.0)]);
    }

    #[test]
    fn a_restored_line_is_none_of_rework_though_its_file_holds_a_byte_that_is_no_utf_8() {
        let fixture = tempfile::tempdir().unwrap();
        std::fs::write(fixture.path().join("a.py"), b"# caf\xe9\nx = 1\n").unwrap();
        let calls = vec![edit(0, "a.py", "x = 1", "x = 2"), edit(1, "a.py", "x = 2", "x = 1")];
        let activity = Activity { calls, ..Activity::default() };
        assert_eq!(values(&activity, &Patch::default(), fixture.path()), [(Metric::Rework, 1.0)]);
    }

    #[test]
    fn a_deletion_is_kept_if_its_lines_are_removed() {
        let patch =
            Patch::parse("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1 @@\n keep\n-gone()\n");
        assert!(is_kept(&edit(0, "a.py", "keep\ngone()\n", "keep\n"), &patch));
        assert!(!is_kept(&edit(0, "b.py", "keep\ngone()\n", "keep\n"), &patch));
    }
}
