//! The document of `sluice impact`: `impact/1`.

use engine::retrieve::{Affected as Found, Impact};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Answer<'a> {
    schema: &'static str,
    /// Changed files that are indexed.
    changed: &'a [String],
    /// Changed paths that aren't.
    unknown: &'a [String],
    /// By distance, then path.
    tests: Vec<Affected<'a>>,
    /// By distance, then path.
    dependents: Vec<Affected<'a>>,
    /// Whether more files depend on the last ones told.
    cut: bool,
    imports: Imports,
}

#[derive(Serialize)]
struct Affected<'a> {
    path: &'a str,
    distance: u32,
    /// From the file to a changed one.
    why: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Step<'a> {
    how: &'static str,
    on: &'a str,
}

/// Imports of the whole project that name something of it. `unresolved_share` is null where there are none.
#[derive(Serialize)]
struct Imports {
    resolved: u64,
    unresolved: u64,
    unresolved_share: Option<f64>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(found: &'a Impact) -> Answer<'a> {
        let imports = found.imports;
        Answer {
            schema: "impact/1",
            changed: &found.changed,
            unknown: &found.unknown,
            tests: found.tests.iter().map(Affected::new).collect(),
            dependents: found.dependents.iter().map(Affected::new).collect(),
            cut: found.is_cut,
            imports: Imports {
                resolved: imports.resolved,
                unresolved: imports.unresolved,
                unresolved_share: imports.unresolved_share(),
            },
        }
    }
}

impl<'a> Affected<'a> {
    fn new(found: &'a Found) -> Affected<'a> {
        let step = |step: &'a engine::retrieve::Step| Step { how: step.how.code(), on: &step.on };
        Affected { path: &found.path, distance: found.distance, why: found.why.iter().map(step).collect() }
    }
}
