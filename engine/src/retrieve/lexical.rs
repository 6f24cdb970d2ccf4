//! BM25 over fields, for whole files and for chunks.
//!
//! Fields are combined before saturation: Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple weighted fields",
//! CIKM 2004.

use super::constants::CONSTANTS;
use super::corpus::{Query, TermHits};

/// Parameters of one scorer, fields in the order path, definitions, body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25F {
    /// Saturation: how much the tenth occurrence still adds. Whole files want more than prose does.
    pub k1: f64,
    /// Length normalisation by field, 0 (none) to 1 (full).
    pub b: [f64; 3],
    /// Weight by field.
    pub weight: [f64; 3],
}

/// Whole files.
pub const FILE: Bm25F = CONSTANTS.file;

/// Chunks of a file.
pub const CHUNK: Bm25F = CONSTANTS.chunk;

/// Score of every file, in the order of the view; 0 where no term occurs.
pub fn score_files(query: &Query<'_>, scorer: &Bm25F) -> Vec<f64> {
    let mut scores = vec![0.0; query.view.files.len()];
    for hits in &query.terms {
        for &(file, counts) in &hits.files {
            let lengths = query.view.files[file as usize].lengths;
            scores[file as usize] += term_score(hits, scorer, counts, lengths, query.mean_file);
        }
    }
    scores
}

/// Score of every chunk, in the order of the view; 0 where no term occurs.
pub fn score_chunks(query: &Query<'_>, scorer: &Bm25F) -> Vec<f64> {
    let mut scores = vec![0.0; query.view.chunks.len()];
    for hits in &query.terms {
        for posting in hits.chunks.iter() {
            let lengths = query.view.chunks[posting.chunk as usize].lengths;
            scores[posting.chunk as usize] +=
                term_score(hits, scorer, posting.counts, lengths, query.mean_chunk);
        }
    }
    scores
}

/// The best chunk of every file.
pub fn best_chunk(query: &Query<'_>, chunk_scores: &[f64]) -> Vec<f64> {
    let mut best = vec![0.0_f64; query.view.files.len()];
    for (chunk, &score) in query.view.chunks.iter().zip(chunk_scores) {
        let file = &mut best[chunk.file as usize];
        *file = file.max(score);
    }
    best
}

fn term_score(
    hits: &TermHits<'_>,
    scorer: &Bm25F,
    counts: [u32; 3],
    lengths: [u32; 3],
    mean: [f64; 3],
) -> f64 {
    let mut frequency = 0.0;
    for field in 0..3 {
        if counts[field] == 0 || scorer.weight[field] == 0.0 {
            continue;
        }
        let relative = f64::from(lengths[field]) / mean[field].max(1.0);
        let norm = 1.0 - scorer.b[field] + scorer.b[field] * relative;
        frequency += scorer.weight[field] * f64::from(counts[field]) / norm;
    }
    hits.term.weight * hits.idf * frequency * (scorer.k1 + 1.0) / (scorer.k1 + frequency)
}
