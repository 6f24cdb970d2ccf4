//! What the index keeps of text and of history, in numbers: a ranking made over it is bound to them.

/// The table; [`KEPT`] is the only one.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Lines of one chunk: about a long function. Retrieval scores chunks beside whole files, so that a very large file that
    /// matches weakly everywhere doesn't bury a strong match in one place.
    pub(crate) chunk_lines: usize,
    /// Longest term kept, bytes: longer runs are encoded data, not words.
    pub(crate) term_bytes: usize,
    /// Commits read at most, newest first: older ones speak of another program.
    pub(crate) commits: usize,
    /// A commit of more files than this is housekeeping: its words say nothing of any of them.
    pub(crate) commit_files: usize,
    /// Bytes of a message that are read.
    pub(crate) message_bytes: usize,
}

pub(crate) const KEPT: Kept =
    Kept { chunk_lines: 45, term_bytes: 64, commits: 6000, commit_files: 50, message_bytes: 2000 };
