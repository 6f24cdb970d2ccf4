//! Term statistics of one query: pure values, from which every lexical score is computed.

use std::sync::Arc;

use crate::project::{Posting, View};

use super::constants::{CONSTANTS, IdfConstants};
use super::hints::{Hints, NO_HINTS};
use super::past::PastHits;
use super::task::QueryTerm;

/// One query term with where it occurs.
#[derive(Debug, Clone, PartialEq)]
pub struct TermHits<'a> {
    /// The term and its weight in the query.
    pub term: &'a QueryTerm,
    /// Inverse document frequency over files, natural logarithm, never negative.
    pub idf: f64,
    /// Occurrences by file: position and counts by field, ascending.
    pub files: Vec<(u32, [u32; 3])>,
    /// Occurrences by chunk, ascending.
    pub chunks: Arc<[Posting]>,
}

/// A query over a view.
#[derive(Debug)]
pub struct Query<'a> {
    /// What is searched.
    pub view: &'a View,
    /// Terms in the order of the task. A derived term that occurs nowhere is left out.
    pub terms: Vec<TermHits<'a>>,
    /// The task's stems in the history.
    pub past: Vec<PastHits>,
    /// What the caller knows beside the task.
    pub hints: &'a Hints,
    /// Mean terms a file, by field, over files that have any.
    pub mean_file: [f64; 3],
    /// Mean terms a chunk, by field, over chunks that have any.
    pub mean_chunk: [f64; 3],
}

impl<'a> Query<'a> {
    /// Joins terms with their occurrences. `hits` gives the occurrences of each term of `terms`, in order; `past` those in
    /// the history.
    pub fn new(
        view: &'a View,
        terms: &'a [QueryTerm],
        hits: Vec<Arc<[Posting]>>,
        past: Vec<PastHits>,
    ) -> Query<'a> {
        let joined = terms
            .iter()
            .zip(hits)
            .map(|(term, chunks)| {
                let files = by_file(view, &chunks);
                TermHits { term, idf: idf(view.files.len(), files.len()), files, chunks }
            })
            .filter(|hits| !(hits.term.derived && hits.chunks.is_empty()))
            .collect();
        Query {
            view,
            terms: joined,
            past,
            hints: &NO_HINTS,
            mean_file: mean(view.files.iter().map(|f| f.lengths)),
            mean_chunk: mean(view.chunks.iter().map(|c| c.lengths)),
        }
    }

    /// The same query with what the caller knows beside it.
    pub fn with_hints(self, hints: &'a Hints) -> Query<'a> {
        Query { hints, ..self }
    }
}

/// Robertson and Spärck Jones' inverse document frequency with one added inside the logarithm, so that it stays positive.
pub(super) fn idf(documents: usize, with_term: usize) -> f64 {
    let (n, df) = (documents as f64, with_term as f64);
    let IdfConstants { smoothing, inside } = CONSTANTS.idf;
    (inside + (n - df + smoothing) / (df + smoothing)).ln()
}

fn by_file(view: &View, chunks: &[Posting]) -> Vec<(u32, [u32; 3])> {
    let mut out: Vec<(u32, [u32; 3])> = Vec::new();
    // Chunks are in file order.
    for posting in chunks {
        let file = view.chunks[posting.chunk as usize].file;
        match out.last_mut() {
            Some((last, counts)) if *last == file => {
                for (total, count) in counts.iter_mut().zip(posting.counts) {
                    *total += count;
                }
            }
            _ => out.push((file, posting.counts)),
        }
    }
    out
}

fn mean(lengths: impl Iterator<Item = [u32; 3]>) -> [f64; 3] {
    let mut sums = [0_u64; 3];
    let mut counts = [0_u64; 3];
    for row in lengths {
        for (field, length) in row.into_iter().enumerate().filter(|&(_, length)| length > 0) {
            sums[field] += u64::from(length);
            counts[field] += 1;
        }
    }
    std::array::from_fn(|field| sums[field] as f64 / counts[field].max(1) as f64)
}
