//! Ordering what was found: verbatim finds first, then by words.

use std::cmp::Reverse;

use super::matching::Occurrence;
use super::query::Query;

/// Saturation and length norm of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
/// 2009): the usual values for passages of even length.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Figures of the searched documents, and of no other: a sibling branch can't change a score.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Collection {
    /// Documents searched.
    pub documents: u64,
    /// Passages of them.
    pub passages: u64,
    /// Words in all passages.
    pub words: u64,
    /// Documents with each needle, by its position.
    pub with_needle: Vec<u64>,
    /// Passages with each word, by its position.
    pub with_word: Vec<u64>,
}

/// A passage in which words of the query occur.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageHit {
    /// First byte in the document.
    pub start: usize,
    /// Byte behind the last.
    pub end: usize,
    /// Words in the passage.
    pub words: u64,
    /// Position of each of the query's words that occur, with how often, ascending.
    pub counts: Vec<(usize, u32)>,
}

/// A document in which something of the query occurs.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Position of its entry on the path, from the root.
    pub position: usize,
    /// Position of the document in its entry.
    pub part: u32,
    /// Verbatim finds, by needle.
    pub exact: Vec<Occurrence>,
    /// Passages with words of the query.
    pub passages: Vec<PassageHit>,
}

/// A candidate in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Position among the candidates given.
    pub candidate: usize,
    /// Score, comparable within one answer and one tier only.
    pub score: f64,
    /// Whether something of it is verbatim: all of these stand before the others.
    pub exact: bool,
    /// Share of the query's own words that occur in it, each weighted by its rarity; 0 to 1.
    pub coverage: f64,
    /// Byte at which to look: the rarest verbatim find, else the start of the best passage.
    pub anchor: usize,
    /// The best passage's bytes, where words occur.
    pub passage: Option<(usize, usize)>,
}

/// Orders candidates: verbatim finds first; then by score; then the later entry, then the earlier part. Total, so the order
/// of the candidates given changes nothing.
///
/// The score is the sum of the weights of the verbatim finds, each times its rarity among the documents, and the BM25 of the
/// best passage.
pub fn rank(query: &Query, collection: &Collection, candidates: &[Candidate]) -> Vec<Ranked> {
    let scorer = Scorer::new(query, collection);
    let mut ranked: Vec<Ranked> =
        candidates.iter().enumerate().map(|(at, candidate)| scorer.rank(at, candidate)).collect();
    ranked.retain(|ranked| ranked.exact || ranked.score > 0.0);
    ranked.sort_by(|a, b| {
        let place = |r: &Ranked| (Reverse(candidates[r.candidate].position), candidates[r.candidate].part);
        b.exact.cmp(&a.exact).then(b.score.total_cmp(&a.score)).then_with(|| place(a).cmp(&place(b)))
    });
    ranked
}

struct Scorer<'q> {
    query: &'q Query,
    needles: Vec<f64>,
    words: Vec<f64>,
    /// Weights of the query's own words, absent ones included.
    own: f64,
    mean_words: f64,
}

impl Scorer<'_> {
    fn new<'q>(query: &'q Query, collection: &Collection) -> Scorer<'q> {
        let needles = query
            .needles
            .iter()
            .zip(&collection.with_needle)
            .map(|(needle, with)| needle.kind.weight() * idf(collection.documents, *with))
            .collect();
        let words: Vec<f64> = query
            .words
            .iter()
            .zip(&collection.with_word)
            .map(|(word, with)| word.weight * idf(collection.passages, *with))
            .collect();
        let own = query.words.iter().zip(&words).filter(|(word, _)| !word.derived).map(|(_, w)| w).sum();
        let mean_words = collection.words as f64 / (collection.passages.max(1) as f64);
        Scorer { query, needles, words, own, mean_words: mean_words.max(1.0) }
    }

    fn rank(&self, at: usize, candidate: &Candidate) -> Ranked {
        let verbatim: f64 = candidate.exact.iter().map(|found| self.needles[found.needle]).sum();
        let mut best: Option<(f64, &PassageHit)> = None;
        for passage in &candidate.passages {
            let score = self.bm25(passage);
            if best.is_none_or(|(known, _)| score > known) {
                best = Some((score, passage));
            }
        }
        let rarest = candidate
            .exact
            .iter()
            .max_by(|a, b| {
                self.needles[a.needle].total_cmp(&self.needles[b.needle]).then(b.needle.cmp(&a.needle))
            })
            .map(|found| found.first);
        Ranked {
            candidate: at,
            score: verbatim + best.map_or(0.0, |(score, _)| score),
            exact: !candidate.exact.is_empty(),
            coverage: self.coverage(candidate),
            anchor: rarest.or(best.map(|(_, passage)| passage.start)).unwrap_or(0),
            passage: best.map(|(_, passage)| (passage.start, passage.end)),
        }
    }

    fn bm25(&self, passage: &PassageHit) -> f64 {
        let norm = K1 * (1.0 - B + B * passage.words as f64 / self.mean_words);
        let score = |&(word, count): &(usize, u32)| {
            let count = f64::from(count);
            self.words[word] * count * (K1 + 1.0) / (count + norm)
        };
        passage.counts.iter().map(score).sum()
    }

    fn coverage(&self, candidate: &Candidate) -> f64 {
        if self.own <= 0.0 {
            return if candidate.exact.is_empty() { 0.0 } else { 1.0 };
        }
        let mut occurs = vec![false; self.words.len()];
        for (word, _) in candidate.passages.iter().flat_map(|passage| &passage.counts) {
            occurs[*word] = true;
        }
        let found: f64 = (0..occurs.len())
            .filter(|word| occurs[*word] && !self.query.words[*word].derived)
            .map(|word| self.words[word])
            .sum();
        (found / self.own).min(1.0)
    }
}

/// Inverse frequency, never below zero (the form of Lucene's BM25).
fn idf(all: u64, with: u64) -> f64 {
    let (all, with) = (all as f64, with.min(all) as f64);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(position: usize, exact: bool, count: u32) -> Candidate {
        let hit = PassageHit { start: 0, end: 9, words: 10, counts: vec![(0, count)] };
        let found = Occurrence { needle: 0, first: 3, count: 1 };
        Candidate {
            position,
            part: 0,
            exact: if exact { vec![found] } else { Vec::new() },
            passages: if count > 0 { vec![hit] } else { Vec::new() },
        }
    }

    fn order(candidates: &[Candidate]) -> Vec<usize> {
        let query = Query::new("ledger");
        let collection = Collection {
            documents: 10,
            passages: 10,
            words: 100,
            with_needle: vec![2],
            with_word: vec![4; query.words.len()],
        };
        let ranked = rank(&query, &collection, candidates);
        ranked.into_iter().map(|r| candidates[r.candidate].position).collect()
    }

    #[test]
    fn verbatim_finds_come_first_and_ties_go_to_the_later_entry() {
        let candidates =
            [candidate(1, false, 9), candidate(2, true, 0), candidate(3, false, 1), candidate(4, false, 1)];
        assert_eq!(order(&candidates), [2, 1, 4, 3]);
        let reversed: Vec<Candidate> = candidates.iter().rev().cloned().collect();
        assert_eq!(order(&reversed), [2, 1, 4, 3], "the order given changes nothing");
        assert_eq!(order(&[candidate(1, false, 0)]), Vec::<usize>::new(), "nothing found is no find");
    }

    #[test]
    fn a_rare_word_tells_more_than_a_frequent_one() {
        assert!(idf(100, 1) > idf(100, 50) && idf(100, 100) > 0.0 && idf(0, 0) > 0.0);
    }
}
