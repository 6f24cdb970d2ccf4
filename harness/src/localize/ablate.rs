//! What each source is worth: left out, alone, and with what only a caller can tell.

use engine::retrieve::{Fusion, Hints, UsefulFile, Weights};

use crate::failure::Failure;

use super::queries::LocalizeQuery;
use super::run::{Project, Slice};

/// Mean scores of one variant of the ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Ablation {
    /// What was changed: `without X`, `only X`, `with X`, …
    pub variant: String,
    /// Mean scores over candidates.
    pub slice: Slice,
}

/// Weight of the walk in its row: the default leaves it out.
const WALK: f64 = 0.1;

/// Weights of embeddings in their rows.
const EMBEDDINGS: [f64; 4] = [0.1, 0.25, 0.5, 1.0];

/// Changes the weights that make one source.
type Set = fn(&mut Weights, &Weights);

/// The sources that a query of text alone can show, each with how it is taken from other weights.
const SOURCES: [(&str, Set); 10] = [
    ("lexical", |to, from| to.lexical = from.lexical),
    ("chunk", |to, from| to.chunk = from.chunk),
    ("exact-symbol", |to, from| to.exact_symbol = from.exact_symbol),
    ("partial-symbol", |to, from| to.partial_symbol = from.partial_symbol),
    ("file-name", |to, from| to.file_name = from.file_name),
    ("area", |to, from| to.area = from.area),
    ("history", |to, from| to.history = from.history),
    ("co-change", |to, from| to.co_change = from.co_change),
    ("test-relation", |to, from| (to.partner, to.run_import) = (from.partner, from.run_import)),
    ("paths", |to, from| (to.explicit_path, to.run_target) = (from.explicit_path, from.run_target)),
];

/// Sources that start from what others found: alone they are silent.
const FOLLOWING: [&str; 2] = ["co-change", "test-relation"];

/// Scores every variant. Sources that a caller feeds are shown by what the queries themselves allow: earlier queries' files
/// as feedback for later ones, and one relevant file as already changed, where the others are then looked for.
///
/// # Errors
/// Where the index can't be read.
pub fn ablation(project: &Project<'_>, weights: &Weights) -> Result<Vec<Ablation>, Failure> {
    let mut variants = Vec::new();
    for (name, set) in SOURCES {
        let mut without = *weights;
        set(&mut without, &silent(weights.fusion));
        variants.push((format!("without {name}"), without));
    }
    let flat = Weights { test: 1.0, document: 1.0, generated: 1.0, ..*weights };
    variants.push(("without roles".to_owned(), flat));
    variants.push(("with graph-walk".to_owned(), Weights { graph_walk: WALK, ..*weights }));
    for (name, set) in SOURCES.into_iter().filter(|(name, _)| !FOLLOWING.contains(name)) {
        let mut only = silent(weights.fusion);
        set(&mut only, weights);
        variants.push((format!("only {name}"), only));
    }
    let mut out = Vec::new();
    for (variant, weights) in variants {
        out.push(Ablation { variant, slice: score(project, &weights, |_| Hints::default())? });
    }
    out.extend(embeddings(project, weights)?);
    out.push(Ablation {
        variant: "with feedback".to_owned(),
        slice: score(project, weights, |query| earlier(project.queries, query))?,
    });
    for (variant, told) in [("rest, change untold", false), ("rest, change told", true)] {
        out.push(Ablation { variant: variant.to_owned(), slice: rest(project, weights, told)? });
    }
    Ok(out)
}

/// Embeddings left out, at several weights, and alone; nothing where no provider was named.
fn embeddings(project: &Project<'_>, weights: &Weights) -> Result<Vec<Ablation>, Failure> {
    let Some((embedded, _)) = project.embedded else { return Ok(Vec::new()) };
    let weighed = |weight| Project { embedded: Some((embedded, weight)), ..*project };
    let plain = Hints::default;
    let without = Ablation {
        variant: "without embeddings".to_owned(),
        slice: score(&weighed(0.0), weights, |_| plain())?,
    };
    let mut out = vec![without];
    for weight in EMBEDDINGS {
        let variant = format!("with embeddings at {weight}");
        out.push(Ablation { variant, slice: score(&weighed(weight), weights, |_| plain())? });
    }
    let variant = "only embeddings".to_owned();
    let only = score(&weighed(1.0), &silent(weights.fusion), |_| plain())?;
    out.push(Ablation { variant, slice: only });
    Ok(out)
}

/// No source at all; roles don't count.
fn silent(fusion: Fusion) -> Weights {
    Weights {
        fusion,
        lexical: 0.0,
        chunk: 0.0,
        exact_symbol: 0.0,
        partial_symbol: 0.0,
        file_name: 0.0,
        area: 0.0,
        history: 0.0,
        explicit_path: 0.0,
        run_target: 0.0,
        run_import: 0.0,
        working_change: 0.0,
        feedback: 0.0,
        co_change: 0.0,
        graph_walk: 0.0,
        partner: 0.0,
        test: 1.0,
        document: 1.0,
        generated: 1.0,
    }
}

fn score(
    project: &Project<'_>,
    weights: &Weights,
    hints: impl Fn(&LocalizeQuery) -> Hints,
) -> Result<Slice, Failure> {
    let mut scores = Vec::new();
    for query in project.queries {
        let answer = project.answer(&query.query, &hints(query), weights)?;
        scores.push(query.score(&project.candidates_of(&answer.ranked)));
    }
    Ok(Slice::of(scores.into_iter()))
}

/// The relevant files of earlier queries, as if each had been praised when its change was made.
fn earlier(queries: &[LocalizeQuery], query: &LocalizeQuery) -> Hints {
    let Some(now) = query.time else { return Hints::default() };
    let before = queries.iter().filter_map(|q| q.time.filter(|&time| time < now).map(|time| (q, time)));
    let useful = before.flat_map(|(q, time)| {
        q.gold.iter().map(move |path| UsefulFile { path: path.clone(), age_s: now.abs_diff(time) })
    });
    Hints { useful: useful.collect(), ..Hints::default() }
}

/// Queries with several relevant files: the first of them is taken as changed already, the others are looked for.
fn rest(project: &Project<'_>, weights: &Weights, told: bool) -> Result<Slice, Failure> {
    let mut scores = Vec::new();
    for query in project.queries {
        let mut gold = query.gold.clone();
        let Some(changed) = gold.pop_first().filter(|_| !gold.is_empty()) else { continue };
        let hints = if told {
            Hints { changed: vec![changed.clone()], ..Hints::default() }
        } else {
            Hints::default()
        };
        let answer = project.answer(&query.query, &hints, weights)?;
        let mut ranked = project.candidates_of(&answer.ranked);
        ranked.retain(|path| *path != changed);
        scores.push(LocalizeQuery { gold, ..query.clone() }.score(&ranked));
    }
    Ok(Slice::of(scores.into_iter()))
}
