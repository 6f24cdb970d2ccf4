//! Scores beside the lexical ones. Each gives at most one credit a file: a file that repeats a name isn't better for it.

use crate::project::{Role, View, base_name, folder};

use super::constants::CONSTANTS;
use super::corpus::Query;
use super::task::Task;

/// How well each file answers to a path of the task: 1 for the very path, less for a suffix of it, a bare name, a folder.
/// The name of several files counts less.
pub fn explicit_path(view: &View, task: &Task) -> Vec<f64> {
    named_paths(view, &task.paths)
}

/// How well each file answers to a path that a command of the task runs.
pub fn run_target(view: &View, task: &Task) -> Vec<f64> {
    named_paths(view, &task.run_targets)
}

/// Files that a run test imports: what it checks. One step counts fully, two steps less, and the more a test imports the
/// less each says.
pub fn run_imports(view: &View, run_targets: &[f64]) -> Vec<f64> {
    let [one_step, two_steps] = CONSTANTS.signal.run_imports;
    let mut scores = vec![0.0_f64; view.files.len()];
    for (target, file) in view.files.iter().enumerate() {
        // A folder of tests names no test.
        if run_targets[target] < CONSTANTS.signal.run_target {
            continue;
        }
        let direct: Vec<u32> = code_imports(view, &file.imports);
        credit(&mut scores, &direct, one_step);
        for &step in &direct {
            credit(&mut scores, &code_imports(view, &view.files[step as usize].imports), two_steps);
        }
    }
    scores
}

fn code_imports(view: &View, imports: &[u32]) -> Vec<u32> {
    imports.iter().copied().filter(|&i| view.files[i as usize].role == Role::Source).collect()
}

fn credit(scores: &mut [f64], files: &[u32], weight: f64) {
    for &file in files {
        let score = &mut scores[file as usize];
        *score = score.max(weight / (files.len() as f64).sqrt());
    }
}

fn named_paths(view: &View, named: &[String]) -> Vec<f64> {
    let mut scores = vec![0.0_f64; view.files.len()];
    for wanted in named.iter().map(|p| p.to_lowercase()) {
        let grades: Vec<f64> =
            view.files.iter().map(|f| path_grade(&f.path.to_lowercase(), &wanted)).collect();
        let best = grades.iter().copied().fold(0.0, f64::max);
        if best == 0.0 {
            continue;
        }
        // Only the best kind of match counts: beside the very path, a namesake elsewhere is noise.
        let rivals = grades.iter().filter(|&&g| g == best).count() as f64;
        for (score, grade) in scores.iter_mut().zip(grades) {
            if grade == best {
                *score = score.max(best / rivals.sqrt());
            }
        }
    }
    scores
}

fn path_grade(path: &str, wanted: &str) -> f64 {
    let [very, end, name, inside] = CONSTANTS.signal.path;
    let ends = |tail: &str| path.strip_suffix(tail).is_some_and(|head| head.ends_with('/'));
    if path == wanted {
        very
    } else if wanted.contains('/') && ends(wanted) {
        end
    } else if !wanted.contains('/') && base_name(path) == wanted {
        name
    } else if wanted.contains('/')
        && format!("/{path}").contains(&format!("/{}/", wanted.trim_end_matches('/')))
    {
        inside
    } else {
        0.0
    }
}

/// Definitions that the task names: written as code it counts fully, as two words that follow each other a little less, as a
/// plain word by half. A name that many files define counts less.
pub fn exact_symbol(view: &View, task: &Task) -> Vec<f64> {
    let mut scores = vec![0.0_f64; view.files.len()];
    let [as_code, as_pair, as_word] = CONSTANTS.signal.exact;
    let pairs = task.plain_words.windows(2).map(|pair| (pair.concat(), as_pair));
    let plain = task.plain_words.iter().map(|w| (w.clone(), as_word));
    for (word, weight) in task.identifiers.iter().map(|w| (w.clone(), as_code)).chain(pairs).chain(plain) {
        let mut files: Vec<u32> = view.symbols_named(&word).iter().map(|&(file, _)| file).collect();
        files.dedup();
        let credit = weight / (1.0 + files.len() as f64).log2().max(1.0);
        for file in files {
            scores[file as usize] = scores[file as usize].max(credit);
        }
    }
    scores
}

/// The best-covered definition of each file whose name has several parts: the share of its parts, by rarity, that the task
/// names, and at least two of them.
pub fn partial_symbol(query: &Query<'_>) -> Vec<f64> {
    let mut scores = vec![0.0_f64; query.view.files.len()];
    query.view.symbol_names().covered(rarity(query), |file, parts, coverage| {
        if coverage.known >= CONSTANTS.signal.partial_parts {
            let score = &mut scores[file as usize];
            *score = score.max(coverage.weight * f64::from(coverage.known) / f64::from(parts));
        }
    });
    scores
}

/// How well the name of each file (without extension and test mark) is covered by the task's terms.
pub fn file_name(query: &Query<'_>) -> Vec<f64> {
    let mut scores = vec![0.0; query.view.files.len()];
    query.view.file_names().covered(rarity(query), |file, parts, coverage| {
        scores[file as usize] = coverage.weight * f64::from(coverage.known) / f64::from(parts);
    });
    scores
}

/// The terms of a query with their weight by rarity.
fn rarity<'q>(query: &'q Query<'_>) -> impl Iterator<Item = (&'q str, f64)> {
    query.terms.iter().map(|hits| (hits.term.text.as_str(), hits.idf * hits.term.weight))
}

/// Files below a folder that bears the name of an area of the task, or whose own name does.
pub fn area(view: &View, task: &Task) -> Vec<f64> {
    if task.areas.is_empty() {
        return vec![0.0; view.files.len()];
    }
    let [own, above] = CONSTANTS.signal.area;
    let in_area = |path: &str| {
        let path = path.to_lowercase();
        let matches = |segment: &str| {
            task.areas.iter().any(|area| segment == area || segment.split('.').next() == Some(area))
        };
        if matches(base_name(&path)) {
            own
        } else if folder(&path).split('/').any(matches) {
            above
        } else {
            0.0
        }
    };
    view.files.iter().map(|f| in_area(&f.path)).collect()
}
