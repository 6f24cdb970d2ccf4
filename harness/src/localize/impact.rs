//! What `impact` finds of the tests that a commit changed together with sources.
//!
//! Of the relevant files of a query the sources are taken as changed, and the tests are looked for among what their change
//! may break. The share found is honest, the precision a lower bound: a test may break that the commit didn't change.

use engine::project::Role;
use engine::retrieve::{Dependence, impact_over};

use crate::failure::Failure;

use super::run::{Project, failed};

/// Most steps that are followed.
const DEPTH: u32 = 4;

/// Which dependences are followed.
const KINDS: [(&str, &[Dependence]); 3] = [
    ("names", &[Dependence::Tests]),
    ("and imports", &[Dependence::Tests, Dependence::Imports]),
    ("and uses", &Dependence::ALL),
];

/// Figures of one kind and one number of steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactShare {
    /// Dependences followed, each kind with those before it.
    pub over: &'static str,
    /// Most steps.
    pub depth: u32,
    /// Queries with relevant sources and tests.
    pub queries: usize,
    /// Share of a query's relevant tests that are named, mean over queries.
    pub found: f64,
    /// Share of the named tests that are relevant, mean over queries with any.
    pub precise: f64,
    /// Tests named a query, mean.
    pub named: f64,
    /// Tests of the project.
    pub tests: usize,
}

/// Asks for the impact of every query's sources.
///
/// # Errors
/// Where the index can't be read, or the files below its root.
pub fn impact_shares(project: &Project<'_>) -> Result<Vec<ImpactShare>, Failure> {
    let mut out = Vec::new();
    for (over, kinds) in KINDS {
        let named = named_tests(project, kinds)?;
        out.extend(
            (1..=DEPTH).map(|depth| share(project, over, depth, &named)).collect::<Result<Vec<_>, _>>()?,
        );
    }
    Ok(out)
}

/// Relevant tests of a query, and the named ones: each with its distance and whether it is relevant.
type Named = (usize, Vec<(u32, bool)>);

fn named_tests(project: &Project<'_>, over: &[Dependence]) -> Result<Vec<Named>, Failure> {
    let view = project.index.view().map_err(failed)?;
    let Some(root) = project.index.root() else { return Ok(Vec::new()) };
    let role = |path: &String| view.position(path).map(|file| view.files[file].role);
    let mut out = Vec::new();
    for query in project.queries {
        let of = |wanted: Role| query.gold.iter().filter(move |path| role(path) == Some(wanted));
        let (sources, tests): (Vec<String>, Vec<&String>) =
            (of(Role::Source).cloned().collect(), of(Role::Test).collect());
        if sources.is_empty() || tests.is_empty() {
            continue;
        }
        let found = impact_over(project.index, root, &sources, DEPTH, over).map_err(failed)?;
        let named = found.tests.iter().map(|test| (test.distance, tests.contains(&&test.path)));
        out.push((tests.len(), named.collect()));
    }
    Ok(out)
}

fn share(
    project: &Project<'_>,
    over: &'static str,
    depth: u32,
    queries: &[Named],
) -> Result<ImpactShare, Failure> {
    let view = project.index.view().map_err(failed)?;
    let (mut found, mut precise, mut named, mut any) = (0.0, 0.0, 0, 0);
    for (relevant, tests) in queries {
        let within = tests.iter().filter(|(distance, _)| *distance <= depth).count();
        let right = tests.iter().filter(|(distance, is_right)| *distance <= depth && *is_right).count();
        found += right as f64 / *relevant as f64;
        named += within;
        if within > 0 {
            any += 1;
            precise += right as f64 / within as f64;
        }
    }
    let mean = |sum: f64, of: usize| sum / of.max(1) as f64;
    Ok(ImpactShare {
        over,
        depth,
        queries: queries.len(),
        found: mean(found, queries.len()),
        precise: mean(precise, any),
        named: mean(named as f64, queries.len()),
        tests: view.files.iter().filter(|file| file.role == Role::Test).count(),
    })
}
