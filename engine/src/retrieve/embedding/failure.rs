//! Why there are no embeddings.

/// Why embeddings aren't heard: whatever it is, the ranking without them stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingFailure {
    /// Consent was given to another destination.
    #[error("{destination}: no consent to send text there: give it or name another provider")]
    Consent {
        /// Where the text would have gone.
        destination: String,
    },
    /// The provider can't be started.
    #[error("{program}: {reason}: name a program that can be run")]
    Start {
        /// What was to run.
        program: String,
        /// What the system said.
        reason: String,
    },
    /// It speaks another version of the protocol.
    #[error("it speaks protocol {found}, this version {known}: use a provider of that version")]
    Version {
        /// What it says.
        found: String,
        /// What is spoken here.
        known: &'static str,
    },
    /// Its first line isn't a handshake, or says what can't be.
    #[error("bad handshake: {what}: mend the provider")]
    Handshake {
        /// What is wrong.
        what: &'static str,
    },
    /// It didn't answer in time.
    #[error("no {awaited} within {seconds} s: raise the limit or use a faster model")]
    Timeout {
        /// What was awaited.
        awaited: &'static str,
        /// The limit.
        seconds: u64,
    },
    /// It ended while an answer was awaited.
    #[error("it ended before its {awaited}: see what it says when run by hand")]
    Ended {
        /// What was awaited.
        awaited: &'static str,
    },
    /// Its answer can't be read.
    #[error("bad answer: {what}: mend the provider")]
    Answer {
        /// What is wrong.
        what: &'static str,
    },
    /// A line is longer than its answer can be.
    #[error("a line of more than {limit} bytes: mend the provider")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// It writes too much to standard error.
    #[error("more than {limit} bytes on standard error: make the provider quieter")]
    Flood {
        /// The limit.
        limit: usize,
    },
    /// It says that it can't.
    #[error("it refuses: {message}")]
    Refused {
        /// Its words, one line, shortened.
        message: String,
    },
    /// Another number of vectors than of texts.
    #[error("{found} vectors for {expected} texts: mend the provider")]
    Count {
        /// Texts.
        expected: usize,
        /// Vectors.
        found: usize,
    },
    /// A vector of another length than the handshake says.
    #[error("a vector of {found} numbers, not {expected}: mend the provider")]
    Dimensions {
        /// What the handshake says.
        expected: usize,
        /// What came.
        found: usize,
    },
    /// A vector holds what is no number.
    #[error("a vector that isn't finite: mend the provider")]
    NotFinite,
    /// A vector points nowhere.
    #[error("a vector of zeros: mend the provider")]
    Zero,
    /// The vectors can't be kept or read.
    #[error("{message}")]
    Store {
        /// What, where, what to do.
        message: String,
    },
    /// The index can't be read.
    #[error("{message}")]
    Index {
        /// What, where, what to do.
        message: String,
    },
}

impl EmbeddingFailure {
    /// The stable name in reports.
    pub fn code(&self) -> &'static str {
        match self {
            EmbeddingFailure::Consent { .. } => "no-consent",
            EmbeddingFailure::Start { .. } => "not-started",
            EmbeddingFailure::Version { .. } => "protocol-version",
            EmbeddingFailure::Handshake { .. } => "bad-handshake",
            EmbeddingFailure::Timeout { .. } => "timeout",
            EmbeddingFailure::Ended { .. } => "ended",
            EmbeddingFailure::Answer { .. } => "bad-answer",
            EmbeddingFailure::TooLong { .. } => "answer-too-long",
            EmbeddingFailure::Flood { .. } => "stderr-flood",
            EmbeddingFailure::Refused { .. } => "refused",
            EmbeddingFailure::Count { .. } => "vector-count",
            EmbeddingFailure::Dimensions { .. } => "dimensions",
            EmbeddingFailure::NotFinite => "not-finite",
            EmbeddingFailure::Zero => "zero-vector",
            EmbeddingFailure::Store { .. } => "store",
            EmbeddingFailure::Index { .. } => "index",
        }
    }
}
