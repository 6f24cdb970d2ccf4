//! Which files and tests a change may break: those that reach a changed file over imports, over names that are used without
//! an import, and tests named after what is reached.
//!
//! A lower bound: an import that isn't resolved is no edge ([`Impact::imports`] says how many there are), and what is found
//! at run time or read as a file isn't seen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::project::{Index, ProjectError, Role, View, position};

use super::unimported;

/// Steps over imports and pairs that are followed unless the caller says otherwise.
pub const IMPACT_DEPTH: u32 = 4;

/// How a file depends on the one before it in a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dependence {
    /// It is a test that is named after it.
    Tests,
    /// It imports it.
    Imports,
    /// It uses a name that this file alone defines among those it sees without an import: files of its package, or in C and
    /// C++ those of which it includes a header.
    Uses,
}

impl Dependence {
    /// Every kind. Of several shortest chains the one over an earlier kind is told.
    pub const ALL: [Dependence; 3] = [Dependence::Tests, Dependence::Imports, Dependence::Uses];

    /// The stable name in reports.
    pub fn code(self) -> &'static str {
        match self {
            Dependence::Tests => "tests",
            Dependence::Imports => "imports",
            Dependence::Uses => "uses",
        }
    }
}

/// One step of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// How.
    pub how: Dependence,
    /// Path of the file depended on.
    pub on: String,
}

/// A file that a change may break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Affected {
    /// Its path.
    pub path: String,
    /// Steps to the nearest changed file; 0 for a changed test.
    pub distance: u32,
    /// The chain from it to that changed file: one step a distance.
    pub why: Vec<Step>,
}

/// Imports of the whole project that could be edges.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportsSeen {
    /// Those that name a file of the project.
    pub resolved: u64,
    /// Those that should and whose file isn't found: dependents may be missing.
    pub unresolved: u64,
}

impl ImportsSeen {
    /// Share of the imports into the project that are no edges, 0 to 1; `None` where there are none.
    pub fn unresolved_share(self) -> Option<f64> {
        let inside = self.resolved + self.unresolved;
        (inside > 0).then(|| self.unresolved as f64 / inside as f64)
    }
}

/// What a change may break.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Impact {
    /// The changed files that are indexed, sorted.
    pub changed: Vec<String>,
    /// Changed paths that aren't: deleted, excluded, misspelt. What depended on them can't be told.
    pub unknown: Vec<String>,
    /// Tests to run, by distance, then path: changed ones among them.
    pub tests: Vec<Affected>,
    /// Other files, by distance, then path.
    pub dependents: Vec<Affected>,
    /// Whether more files depend on the last ones told.
    pub is_cut: bool,
    /// Imports of the whole project.
    pub imports: ImportsSeen,
}

/// What a change of files may break. `changed` are paths relative to the root of the index, `depth` the most steps that are
/// followed.
///
/// # Errors
/// Where the index may not be read, or the files below `root` can't be compared with it.
pub fn impact(index: &Index, root: &Path, changed: &[String], depth: u32) -> Result<Impact, ProjectError> {
    impact_over(index, root, changed, depth, &Dependence::ALL)
}

/// As [`impact`], over some kinds of dependence.
///
/// # Errors
/// As [`impact`].
pub fn impact_over(
    index: &Index,
    root: &Path,
    changed: &[String],
    depth: u32,
    over: &[Dependence],
) -> Result<Impact, ProjectError> {
    let view = index.view()?;
    let dependents = dependents(index, view, over)?;
    let mut imports = ImportsSeen::default();
    for language in index.status(root)?.languages.values() {
        imports.resolved += language.resolved;
        imports.unresolved += language.unresolved;
    }
    Ok(Impact { imports, ..affected(view, &dependents, changed, depth) })
}

/// The first step of the shortest chain from a file.
struct Reached {
    distance: u32,
    step: Option<(Dependence, u32)>,
}

/// The pure part of [`impact`]: everything but [`Impact::imports`].
fn affected(view: &View, dependents: &[Vec<(Dependence, u32)>], changed: &[String], depth: u32) -> Impact {
    let mut impact = Impact::default();
    let mut reached: BTreeMap<u32, Reached> = BTreeMap::new();
    for path in changed.iter().collect::<BTreeSet<_>>() {
        match view.position(path) {
            Some(file) => {
                impact.changed.push(path.clone());
                reached.insert(position(file), Reached { distance: 0, step: None });
            }
            None => impact.unknown.push(path.clone()),
        }
    }
    let mut edge: Vec<u32> = reached.keys().copied().collect();
    for distance in 1..=depth.saturating_add(1) {
        let next = beyond(&edge, dependents, &reached);
        if distance > depth {
            impact.is_cut = !next.is_empty();
            break;
        }
        if next.is_empty() {
            break;
        }
        edge = next.keys().copied().collect();
        let reach = |(file, step)| (file, Reached { distance, step: Some(step) });
        reached.extend(next.into_iter().map(reach));
    }
    for (&file, found) in &reached {
        let is_test = view.files[file as usize].role == Role::Test;
        let list = if is_test { &mut impact.tests } else { &mut impact.dependents };
        if is_test || found.distance > 0 {
            list.push(explain(view, &reached, file));
        }
    }
    for list in [&mut impact.tests, &mut impact.dependents] {
        list.sort_by(|a, b| (a.distance, &a.path).cmp(&(b.distance, &b.path)));
    }
    impact
}

/// Files one step further, each with its step: a pair of test and tested file before an import, then the first path.
fn beyond(
    edge: &[u32],
    dependents: &[Vec<(Dependence, u32)>],
    reached: &BTreeMap<u32, Reached>,
) -> BTreeMap<u32, (Dependence, u32)> {
    let mut next: BTreeMap<u32, (Dependence, u32)> = BTreeMap::new();
    for &file in edge {
        for &(how, dependent) in &dependents[file as usize] {
            if !reached.contains_key(&dependent) {
                let step = next.entry(dependent).or_insert((how, file));
                *step = (*step).min((how, file));
            }
        }
    }
    next
}

/// For every file those that depend on it in one of these ways.
fn dependents(
    index: &Index,
    view: &View,
    over: &[Dependence],
) -> Result<Vec<Vec<(Dependence, u32)>>, ProjectError> {
    let mut out: Vec<Vec<(Dependence, u32)>> = vec![Vec::new(); view.files.len()];
    if over.contains(&Dependence::Imports) {
        for (importer, file) in view.files.iter().enumerate() {
            for &imported in &file.imports {
                out[imported as usize].push((Dependence::Imports, position(importer)));
            }
        }
    }
    if over.contains(&Dependence::Uses) {
        for (used, users) in unimported::users(view, index.uses()?).into_iter().enumerate() {
            out[used].extend(users.into_iter().map(|user| (Dependence::Uses, user)));
        }
    }
    if over.contains(&Dependence::Tests) {
        for (tested, partners) in view.test_pairs().iter().enumerate() {
            let is_source = view.files[tested].role != Role::Test;
            let tests =
                partners.iter().filter(|test| is_source && view.files[**test as usize].role == Role::Test);
            out[tested].extend(tests.map(|test| (Dependence::Tests, *test)));
        }
    }
    Ok(out)
}

fn explain(view: &View, reached: &BTreeMap<u32, Reached>, file: u32) -> Affected {
    let path = |file: u32| view.files[file as usize].path.clone();
    let steps = std::iter::successors(reached[&file].step, |(_, on)| reached[on].step);
    let why = steps.map(|(how, on)| Step { how, on: path(on) }).collect();
    Affected { path: path(file), distance: reached[&file].distance, why }
}
