//! Faults of a Pi log: a closed list of warning codes, and the errors that mean "this is no Pi session".

/// What is wrong with a line. The codes are stable: reports over many logs count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultCode {
    /// The file holds no line with content.
    EmptyFile,
    /// The last line has no line feed and isn't JSON: a write was cut off.
    TornTail,
    /// Several objects stand on one line. Pi skips such a line; the salvaged view has every complete object.
    FusedLine,
    /// The line isn't JSON. Pi skips it.
    UnparsableLine,
    /// The line is nested deeper than this reader follows; Pi might read it.
    TooDeep,
    /// A byte order mark before the object; ignored.
    Bom,
    /// Bytes that aren't UTF-8; read as U+FFFD, as Pi does.
    InvalidUtf8,
    /// Half of a surrogate pair; read as U+FFFD.
    LoneSurrogate,
    /// NUL bytes around the object. Pi skips such a line; the salvaged view ignores the NULs.
    NulPadding,
    /// JSON, but no object.
    NotAnEntry,
    /// An entry of a tree version without an identifier.
    MissingId,
    /// An identifier that an earlier line already has. Pi's index keeps the later line.
    DuplicateId,
    /// The parent is nowhere in the file. Pi's history is cut there; the salvaged view attaches the entry to the
    /// entry before it.
    MissingParent,
    /// The parent stands on a later line.
    ForwardParent,
    /// Following parents comes back to the entry; cut where it closes.
    Cycle,
    /// No header. Pi refuses such a file; the salvaged view does without.
    MissingHeader,
    /// A second header; the first one counts.
    ExtraHeader,
    /// A version later than this reader knows, read as the newest known.
    NewerVersion,
    /// A compaction that names no entry of the file as the first kept: nothing before it is kept.
    BadFirstKept,
    /// A tool result without a call; never sent.
    OrphanResult,
    /// A second result for one call.
    DuplicateResult,
    /// Billed tokens that can't be (negative, or reasoning above output); treated as unknown.
    BadUsage,
}

impl FaultCode {
    /// The code as reports spell it.
    pub fn code(self) -> &'static str {
        match self {
            FaultCode::EmptyFile => "empty_file",
            FaultCode::TornTail => "torn_tail",
            FaultCode::FusedLine => "fused_line",
            FaultCode::UnparsableLine => "unparsable_line",
            FaultCode::TooDeep => "too_deep",
            FaultCode::Bom => "bom",
            FaultCode::InvalidUtf8 => "invalid_utf8",
            FaultCode::LoneSurrogate => "lone_surrogate",
            FaultCode::NulPadding => "nul_padding",
            FaultCode::NotAnEntry => "not_an_entry",
            FaultCode::MissingId => "missing_id",
            FaultCode::DuplicateId => "duplicate_id",
            FaultCode::MissingParent => "missing_parent",
            FaultCode::ForwardParent => "forward_parent",
            FaultCode::Cycle => "cycle",
            FaultCode::MissingHeader => "missing_header",
            FaultCode::ExtraHeader => "extra_header",
            FaultCode::NewerVersion => "newer_version",
            FaultCode::BadFirstKept => "bad_first_kept",
            FaultCode::OrphanResult => "orphan_result",
            FaultCode::DuplicateResult => "duplicate_result",
            FaultCode::BadUsage => "bad_usage",
        }
    }
}

/// One fault of a log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// 1-based line.
    pub line: u64,
    /// What is wrong.
    pub code: FaultCode,
    /// One line for people, without content of the log.
    pub message: String,
}

/// Why a file can't be read as a Pi session.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Reading failed.
    #[error("line {line}: can't be read: {source}")]
    Io {
        /// 1-based line that was being read.
        line: u64,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is something else.
    #[error("no Pi session: {reason}")]
    NotASession {
        /// What it seems to be, or what is missing, and what to do.
        reason: &'static str,
    },
}
