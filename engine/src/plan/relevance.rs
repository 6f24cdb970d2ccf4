//! Lexical relevance of older history to the request being answered.

use std::collections::BTreeMap;

/// Shortest word that counts, characters.
const SHORTEST: usize = 3;

/// Distinct words of a text as sorted 64-bit hashes (FNV-1a of the lower-case word): identifiers and plain words, ASCII
/// letters, digits and `_`, and runs of other alphabetic characters.
pub(crate) fn terms(text: &str) -> Box<[u64]> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut hashes: Vec<u64> = text
        .split(|c| !is_word(c))
        .filter(|word| word.len() >= SHORTEST && word.chars().nth(SHORTEST - 1).is_some())
        .map(hash)
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into_boxed_slice()
}

fn hash(word: &str) -> u64 {
    let lower = word.chars().flat_map(char::to_lowercase);
    let mut buffer = [0; 4];
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for c in lower {
        for byte in c.encode_utf8(&mut buffer).bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

/// Scores groups of texts against a request: the sum, over the words they share, of log2((n + 1) / (df + 0.5)) with n
/// groups and df of them holding the word, so that a word which stands everywhere adds next to nothing. Fixed-point
/// millionths: sums are exact, so no order of addition can change a tie.
pub(crate) fn scores(request: &[u64], groups: &[Vec<&[u64]>]) -> Vec<u64> {
    let mut holding: BTreeMap<u64, u64> = request.iter().map(|term| (*term, 0)).collect();
    let shared: Vec<Vec<u64>> = groups.iter().map(|texts| shared_terms(request, texts)).collect();
    for term in shared.iter().flatten() {
        if let Some(count) = holding.get_mut(term) {
            *count += 1;
        }
    }
    let all = groups.len() as f64;
    let weight = |term: &u64| {
        let df = holding.get(term).copied().unwrap_or(0) as f64;
        (((all + 1.0) / (df + 0.5)).log2().max(0.0) * 1e6) as u64
    };
    shared.iter().map(|terms| terms.iter().map(weight).sum()).collect()
}

fn shared_terms(request: &[u64], texts: &[&[u64]]) -> Vec<u64> {
    let holds = |term: &u64| texts.iter().any(|text| text.binary_search(term).is_ok());
    request.iter().copied().filter(holds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_shared_word_beats_a_common_one() {
        let texts = ["the cache of parse_header", "the list", "the tree", "the map"].map(terms);
        let groups: Vec<Vec<&[u64]>> = texts.iter().map(|text| vec![&**text]).collect();
        let scores = scores(&terms("fix the parse_header please"), &groups);
        assert!(scores[0] > scores[1] && scores[1] == scores[2]);
    }

    #[test]
    fn case_and_short_words_do_not_count() {
        assert_eq!(terms("Parse PARSE a of"), terms("parse"));
    }
}
