//! What features are read from, computed once a query.

use std::collections::BTreeMap;

use crate::project::{View, folder};
use crate::retrieve::{Bm25F, Column, FILE, Query, Ranking, Signals, Task, halved, score_files};

use super::constants::FEATURES;
use super::rerank::movable;

/// A field of the index that words can stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The path.
    Path,
    /// Definitions.
    Definitions,
    /// Everything else.
    Body,
}

impl Field {
    /// Every field, in the order of the index.
    pub const ALL: [Field; 3] = [Field::Path, Field::Definitions, Field::Body];

    /// The name in features.
    pub fn name(self) -> &'static str {
        match self {
            Field::Path => "path",
            Field::Definitions => "defs",
            Field::Body => "body",
        }
    }
}

/// One list of scores, made comparable.
#[derive(Debug, Clone, Default)]
pub(super) struct Scale {
    /// Score over the best score.
    pub(super) share: Vec<f64>,
    /// 1 over the rank, equal scores sharing one; 0 for a score of 0.
    pub(super) rank: Vec<f64>,
    /// The first file, the earlier path of equal ones; none where all scores are 0.
    pub(super) first: Option<usize>,
}

impl Scale {
    fn of(scores: &[f64]) -> Scale {
        let top = scores.iter().copied().fold(0.0, f64::max);
        let mut order: Vec<usize> = (0..scores.len()).filter(|&file| scores[file] > 0.0).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        let mut rank = vec![0.0; scores.len()];
        let mut place = 0;
        for (at, &file) in order.iter().enumerate() {
            if at == 0 || scores[order[at - 1]] != scores[file] {
                place = at + 1;
            }
            rank[file] = 1.0 / place as f64;
        }
        let share = scores.iter().map(|score| if top > 0.0 { score / top } else { 0.0 }).collect();
        Scale { share, rank, first: order.first().copied() }
    }
}

/// Everything that the features of one query are read from. All lists are by position in [`View::files`].
#[derive(Debug)]
pub struct Context<'q> {
    pub(super) view: &'q View,
    pub(super) task: &'q Task,
    sources: Vec<Scale>,
    words: Vec<Scale>,
    pub(super) fused: Scale,
    pub(super) gap: Vec<f64>,
    pub(super) lead: f64,
    pub(super) agreement: Vec<u8>,
    pub(super) covered: [Vec<f64>; 3],
    pub(super) covered_anywhere: Vec<f64>,
    pub(super) importers: Vec<Vec<u32>>,
    pub(super) commits: Vec<u32>,
    pub(super) recency: Vec<f64>,
    folders: BTreeMap<&'q str, Folder>,
}

/// What the static ranking says of a folder.
#[derive(Debug, Default)]
struct Folder {
    best: f64,
    best_file: usize,
    second: f64,
    sum: f64,
    rank: f64,
}

impl<'q> Context<'q> {
    /// Reads a query, the table of its sources and the static ranking made from them.
    pub fn new(query: &Query<'q>, task: &'q Task, signals: &Signals, ranking: &Ranking) -> Context<'q> {
        let view = query.view;
        let sources: Vec<Scale> =
            Column::ALL.iter().map(|&column| Scale::of(signals.column(column))).collect();
        let words = Field::ALL.map(|field| Scale::of(&score_files(query, &only(field)))).into();
        let mut base = vec![0.0; view.files.len()];
        for ranked in ranking.files.iter().filter(|ranked| movable(view, ranked)) {
            base[ranked.file] = ranked.base;
        }
        let fused = Scale::of(&base);
        let (gap, lead) = gaps(&fused);
        let (covered, covered_anywhere) = coverage(query);
        let (commits, recency) = past(view);
        Context {
            view,
            task,
            agreement: agreement(&sources),
            folders: folders(view, &fused.share),
            importers: importers(view),
            sources,
            words,
            fused,
            gap,
            lead,
            covered,
            covered_anywhere,
            commits,
            recency,
        }
    }

    pub(super) fn source(&self, column: Column) -> &Scale {
        &self.sources[column as usize]
    }

    pub(super) fn words(&self, field: Field) -> &Scale {
        &self.words[field as usize]
    }

    pub(super) fn best_share(&self, files: &[u32]) -> f64 {
        files.iter().map(|&file| self.fused.share[file as usize]).fold(0.0, f64::max)
    }

    /// The best static share of another file of the folder.
    pub(super) fn folder_best(&self, file: usize) -> f64 {
        let folder = &self.folders[folder(&self.view.files[file].path)];
        if folder.best_file == file { folder.second } else { folder.best }
    }

    pub(super) fn folder_rank(&self, file: usize) -> f64 {
        self.folders[folder(&self.view.files[file].path)].rank
    }
}

/// The scorer of whole files with one field left.
fn only(field: Field) -> Bm25F {
    let mut weight = [0.0; 3];
    weight[field as usize] = 1.0;
    Bm25F { weight, ..FILE }
}

/// For each file what it lacks to the one before it, and the lead of the first over the second.
fn gaps(fused: &Scale) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..fused.share.len()).filter(|&file| fused.share[file] > 0.0).collect();
    order.sort_by(|&a, &b| fused.share[b].total_cmp(&fused.share[a]).then(a.cmp(&b)));
    let mut gap = vec![0.0; fused.share.len()];
    for pair in order.windows(2) {
        gap[pair[1]] = fused.share[pair[0]] - fused.share[pair[1]];
    }
    let lead = match order.as_slice() {
        [] => 0.0,
        [_] => 1.0,
        [_, second, ..] => 1.0 - fused.share[*second],
    };
    (gap, lead)
}

fn agreement(sources: &[Scale]) -> Vec<u8> {
    let files = sources.first().map_or(0, |scale| scale.rank.len());
    let count =
        |file: usize| sources.iter().filter(|scale| scale.rank[file] * FEATURES.agree_depth >= 1.0).count();
    (0..files).map(|file| u8::try_from(count(file)).unwrap_or(u8::MAX)).collect()
}

/// Share of the task's own words, weighted by rarity, by field and in any field. A word that occurs nowhere in the project
/// counts as rarest.
fn coverage(query: &Query<'_>) -> ([Vec<f64>; 3], Vec<f64>) {
    let files = query.view.files.len();
    let (mut fields, mut anywhere) = ([(); 3].map(|()| vec![0.0; files]), vec![0.0; files]);
    let mut all = 0.0;
    for hits in query.terms.iter().filter(|hits| !hits.term.derived) {
        all += hits.idf;
        for (file, counts) in &hits.files {
            anywhere[*file as usize] += hits.idf;
            for (field, _) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                fields[field][*file as usize] += hits.idf;
            }
        }
    }
    if all > 0.0 {
        fields.iter_mut().chain([&mut anywhere]).flatten().for_each(|value| *value /= all);
    }
    (fields, anywhere)
}

/// Past commits of each file and how recent the last is.
fn past(view: &View) -> (Vec<u32>, Vec<f64>) {
    let (mut commits, mut recency) = (vec![0; view.files.len()], vec![0.0_f64; view.files.len()]);
    for commit in &view.commits {
        let recent = halved(commit.age_s as f64 / FEATURES.recency_half_life_s);
        for &file in &commit.files {
            commits[file as usize] += 1;
            recency[file as usize] = recency[file as usize].max(recent);
        }
    }
    (commits, recency)
}

fn importers(view: &View) -> Vec<Vec<u32>> {
    let mut importers = vec![Vec::new(); view.files.len()];
    for (importer, file) in (0..).zip(&view.files) {
        for &imported in &file.imports {
            importers[imported as usize].push(importer);
        }
    }
    importers
}

fn folders<'v>(view: &'v View, share: &[f64]) -> BTreeMap<&'v str, Folder> {
    let mut folders: BTreeMap<&str, Folder> = BTreeMap::new();
    for (file, entry) in view.files.iter().enumerate() {
        let folder = folders.entry(folder(&entry.path)).or_default();
        folder.sum += share[file];
        if share[file] > folder.best {
            folder.second = folder.best;
            (folder.best, folder.best_file) = (share[file], file);
        } else {
            folder.second = folder.second.max(share[file]);
        }
    }
    let sums: Vec<f64> = folders.values().map(|folder| folder.sum).collect();
    let ranks = Scale::of(&sums).rank;
    for (folder, rank) in folders.values_mut().zip(ranks) {
        folder.rank = rank;
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_ranks_of_a_list() {
        let scale = Scale::of(&[2.0, 0.0, 4.0, 2.0]);
        assert_eq!(scale.share, [0.5, 0.0, 1.0, 0.5]);
        assert_eq!(scale.rank, [0.5, 0.0, 1.0, 0.5]);
        assert_eq!(scale.first, Some(2));
        let silent = Scale::of(&[0.0, 0.0]);
        assert_eq!((silent.share, silent.rank, silent.first), (vec![0.0; 2], vec![0.0; 2], None));
    }

    #[test]
    fn gaps_are_to_the_file_before() {
        let (gap, lead) = gaps(&Scale::of(&[1.0, 4.0, 0.0, 3.0]));
        assert_eq!((gap, lead), (vec![0.5, 0.0, 0.0, 0.25], 0.25));
    }
}
