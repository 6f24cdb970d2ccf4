//! Every number that shapes a feature beside those of the static ranking, in one table that the identity of the ranking
//! is taken over too.

/// The table; [`FEATURES`] is the only one.
#[derive(Debug)]
pub(super) struct FeatureConstants {
    /// Files of the head that may be re-ordered.
    pub(super) head: usize,
    /// Seconds after which a commit's recency has halved.
    pub(super) recency_half_life_s: f64,
    /// Places of a source that count as its head.
    pub(super) agree_depth: f64,
    /// Sources in agreement, folders above a file and words of a task that count as most.
    pub(super) most_agreement: f64,
    pub(super) most_depth: f64,
    pub(super) most_words: f64,
    /// Binary logarithms of the counts that count as most.
    pub(super) log_lines: f64,
    pub(super) log_symbols: f64,
    pub(super) log_imports: f64,
    pub(super) log_commits: f64,
    pub(super) log_files: f64,
    /// Stems of files that stand for their folder.
    pub(super) index_stems: [&'static str; 6],
    /// Steps of a quantised value.
    pub(super) steps: u8,
}

pub(super) const FEATURES: FeatureConstants = FeatureConstants {
    head: 100,
    recency_half_life_s: 90.0 * 86_400.0,
    agree_depth: 5.0,
    most_agreement: 8.0,
    most_depth: 8.0,
    most_words: 32.0,
    log_lines: 16.0,
    log_symbols: 10.0,
    log_imports: 8.0,
    log_commits: 10.0,
    log_files: 16.0,
    index_stems: ["mod", "index", "lib", "main", "__init__", "package-info"],
    steps: u8::MAX,
};
