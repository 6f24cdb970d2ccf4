//! Every number and word list that shapes a score, in one table.
//!
//! The code reads its constants here and nowhere else, and the identity of the static ranking that a learned model is
//! bound to is taken over the same table (`learn::static_ranking`): a model never re-orders a list of other constants than
//! those it was trained upon. Weights stand beside it, in [`Weights`](super::rank::Weights).

use super::command::RUNNERS;
use super::lexical::Bm25F;
use super::stop::STOP_WORDS;
use super::task::{DOCUMENT_WORDS, TEST_WORDS, WORK_WORDS};

const DAY_S: f64 = 86_400.0;

/// The table; [`CONSTANTS`] is the only one.
#[derive(Debug)]
pub(crate) struct Constants {
    pub(crate) task: TaskConstants,
    /// Whole files: the path says most for its length.
    pub(crate) file: Bm25F,
    /// Chunks of a file: about a function each.
    pub(crate) chunk: Bm25F,
    pub(crate) idf: IdfConstants,
    pub(crate) past: PastConstants,
    pub(crate) signal: SignalConstants,
    pub(crate) following: FollowingConstants,
    pub(crate) hints: HintConstants,
    /// How much more a definition of the very name counts where the task is a name.
    pub(crate) name_query: f64,
}

/// How a task's text is read.
#[derive(Debug)]
pub(crate) struct TaskConstants {
    /// Longest text that is read, bytes: a pasted log adds noise, not focus.
    pub(crate) bytes: usize,
    /// Most distinct terms kept, in order of first appearance.
    pub(crate) terms: usize,
    /// Weight of two neighbouring words written as one (`model registry` for `ModelRegistry`).
    pub(crate) compound: f64,
    /// Weight of the other grammatical number of a word (`extensions` for `extension`).
    pub(crate) other_number: f64,
    /// Shortest word that has another number, bytes.
    pub(crate) numbered_bytes: usize,
    /// Words between a word that asks for work and what it asks for, that word included.
    pub(crate) work_distance: usize,
    /// Longest head before a colon that names an area, bytes.
    pub(crate) area_bytes: usize,
    /// Longest path, bytes, and longest extension that tells a file, characters.
    pub(crate) path_bytes: usize,
    pub(crate) extension_chars: usize,
    pub(crate) stop_words: &'static [&'static str],
    pub(crate) test_words: &'static [&'static str],
    pub(crate) document_words: &'static [&'static str],
    pub(crate) work_words: &'static [&'static str],
    /// Programs that run tests or scripts.
    pub(crate) runners: &'static [&'static str],
}

/// Robertson and Spärck Jones' smoothing.
#[derive(Debug)]
pub(crate) struct IdfConstants {
    /// Added to both counts.
    pub(crate) smoothing: f64,
    /// Added inside the logarithm, so that it stays positive.
    pub(crate) inside: f64,
}

/// Past commits.
#[derive(Debug)]
pub(crate) struct PastConstants {
    /// Nearest commits that vote.
    pub(crate) nearest: usize,
    /// Saturation and length normalisation: messages are short, and a long one isn't a worse witness.
    pub(crate) k1: f64,
    pub(crate) b: f64,
    /// After so many seconds a commit counts half: code moves on.
    pub(crate) half_life_s: f64,
}

/// Scores beside the lexical ones.
#[derive(Debug)]
pub(crate) struct SignalConstants {
    /// A path of the task: the very one, its end, a bare name, a folder.
    pub(crate) path: [f64; 4],
    /// Answer to a path from which on a run target is a test and no folder of tests.
    pub(crate) run_target: f64,
    /// What a run test imports, and what that imports.
    pub(crate) run_imports: [f64; 2],
    /// A definition named as code, by two words that follow each other, by a plain word.
    pub(crate) exact: [f64; 3],
    /// Fewest parts of a name that the task must have.
    pub(crate) partial_parts: u32,
    /// A file's own name in the area, and a folder above it.
    pub(crate) area: [f64; 2],
}

/// Sources that start from the head of a ranking.
#[derive(Debug)]
pub(crate) struct FollowingConstants {
    /// Files of the head.
    pub(crate) head: usize,
    /// Commits added to those of a file, so that a single one proves little.
    pub(crate) prior: f64,
    /// Chance that a walk goes on by one more step.
    pub(crate) goes_on: f64,
    /// Steps followed: what comes after them is under 7 % of the whole.
    pub(crate) steps: u32,
}

/// What the caller knows.
#[derive(Debug)]
pub(crate) struct HintConstants {
    /// After so many seconds a file that was useful counts half: the tasks of a few days hang together.
    pub(crate) useful_half_life_s: f64,
}

pub(crate) const CONSTANTS: Constants = Constants {
    task: TaskConstants {
        bytes: 16 << 10,
        terms: 64,
        compound: 0.6,
        other_number: 0.5,
        numbered_bytes: 4,
        work_distance: 2,
        area_bytes: 48,
        path_bytes: 256,
        extension_chars: 8,
        stop_words: STOP_WORDS,
        test_words: TEST_WORDS,
        document_words: DOCUMENT_WORDS,
        work_words: WORK_WORDS,
        runners: RUNNERS,
    },
    file: Bm25F { k1: 2.5, b: [0.2, 0.5, 0.75], weight: [8.0, 2.0, 1.0] },
    chunk: Bm25F { k1: 1.2, b: [0.0, 0.3, 0.75], weight: [0.0, 2.0, 1.0] },
    idf: IdfConstants { smoothing: 0.5, inside: 1.0 },
    past: PastConstants { nearest: 80, k1: 1.2, b: 0.3, half_life_s: 365.0 * DAY_S },
    signal: SignalConstants {
        path: [1.0, 0.9, 0.8, 0.4],
        run_target: 0.5,
        run_imports: [1.0, 0.3],
        exact: [1.0, 0.8, 0.5],
        partial_parts: 2,
        area: [1.0, 0.7],
    },
    following: FollowingConstants { head: 10, prior: 1.0, goes_on: 0.4, steps: 3 },
    hints: HintConstants { useful_half_life_s: 3.0 * DAY_S },
    name_query: 8.0,
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Code that makes scores, tests aside.
    const READERS: [(&str, &str); 14] = [
        ("cochange", include_str!("cochange.rs")),
        ("command", include_str!("command.rs")),
        ("corpus", include_str!("corpus.rs")),
        ("fuse", include_str!("fuse.rs")),
        ("hints", include_str!("hints.rs")),
        ("lexical", include_str!("lexical.rs")),
        ("past", include_str!("past.rs")),
        ("signal", include_str!("signal.rs")),
        ("signals", include_str!("signals.rs")),
        ("stop", include_str!("stop.rs")),
        ("task", include_str!("task.rs")),
        ("walk", include_str!("walk.rs")),
        ("learn/context", include_str!("../learn/context.rs")),
        ("learn/feature", include_str!("../learn/feature.rs")),
    ];

    /// A number that stands in the code of a score escapes the identity of the ranking.
    #[test]
    fn no_constant_of_a_score_stands_outside_of_the_table() {
        for (name, text) in READERS {
            let code = text.split("#[cfg(test)]").next().unwrap();
            let lines = code.lines().map(|line| line.split("//").next().unwrap());
            for line in lines {
                let number = |kind: &str| line.contains("const ") && line.contains(&format!(": {kind} ="));
                assert!(!["f64", "usize", "u32", "u64"].into_iter().any(number), "{name}: {line}");
                for word in line.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '_')) {
                    let is_float = word.starts_with(|c: char| c.is_ascii_digit())
                        && word
                            .split_once('.')
                            .is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()));
                    // Halving is no choice.
                    let is_neutral = ["0.0", "1.0", "0.0_f64", "1.0_f64", "0.5_f64.powf"].contains(&word);
                    assert!(!is_float || is_neutral, "{name}: {line}");
                }
            }
        }
    }

    #[test]
    fn a_changed_constant_is_another_table() {
        let shown = format!("{CONSTANTS:?}");
        for part in
            ["k1: 2.5", "k1: 1.2", "half_life_s: 31536000.0", "goes_on: 0.4", "\"currently\"", "\"pytest\""]
        {
            assert!(shown.contains(part), "{part}");
        }
    }
}
