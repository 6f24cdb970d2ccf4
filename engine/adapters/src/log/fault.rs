//! Faults of a log: a closed list of warning codes, and the errors that mean "this is no session".

use super::format::Format;

/// Declares the codes once: the variant, the name that reports spell, and what it means.
macro_rules! fault_codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal,)+) => {
        /// What is wrong with a line. The codes are stable: reports over many logs count them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FaultCode {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl FaultCode {
            /// Every code.
            pub const ALL: &[FaultCode] = &[$(FaultCode::$variant,)+];

            /// The code as reports spell it.
            pub fn code(self) -> &'static str {
                match self {
                    $(FaultCode::$variant => $code,)+
                }
            }
        }
    };
}

fault_codes! {
    /// The file holds no line with content.
    EmptyFile = "empty_file",
    /// The last line has no line feed and isn't JSON: a write was cut off, or goes on.
    TornTail = "torn_tail",
    /// Several objects stand on one line. Agents skip such a line; the salvaged view has every complete object.
    FusedLine = "fused_line",
    /// The line isn't JSON. Agents skip it.
    UnparsableLine = "unparsable_line",
    /// The line is nested deeper than this reader follows; the agent might read it.
    TooDeep = "too_deep",
    /// A byte order mark before the object; ignored.
    Bom = "bom",
    /// Bytes that aren't UTF-8; read as U+FFFD.
    InvalidUtf8 = "invalid_utf8",
    /// Half of a surrogate pair; read as U+FFFD.
    LoneSurrogate = "lone_surrogate",
    /// NUL bytes around the object. Agents skip such a line; the salvaged view ignores the NULs.
    NulPadding = "nul_padding",
    /// JSON, but no object.
    NotAnEntry = "not_an_entry",
    /// A line longer than the limit: only its identifier, parent and type are taken.
    LineTooLong = "line_too_long",
    /// The file goes on beyond a limit; the rest wasn't read.
    SizeLimit = "size_limit",
    /// An entry of a version with identifiers that has none.
    MissingId = "missing_id",
    /// An identifier that an earlier line already has. Agents' indices keep the later line.
    DuplicateId = "duplicate_id",
    /// The parent is nowhere in the file. The agent's history is cut there; the salvaged view attaches the entry to
    /// the entry before it.
    MissingParent = "missing_parent",
    /// The parent stands on a later line.
    ForwardParent = "forward_parent",
    /// Following parents comes back to the entry; cut where it closes.
    Cycle = "cycle",
    /// No header. The agent refuses such a file; the salvaged view does without.
    MissingHeader = "missing_header",
    /// A second header; the first one counts.
    ExtraHeader = "extra_header",
    /// The header's identifier isn't the one in the file's name; the header counts.
    NameMismatch = "name_mismatch",
    /// A version later than this reader knows, read as the newest known.
    NewerVersion = "newer_version",
    /// No version where the format demands one.
    MissingVersion = "missing_version",
    /// A compaction that names no entry of the file as the first kept: nothing before it is kept.
    BadFirstKept = "bad_first_kept",
    /// Parents alternate between two branches: two writers shared the file.
    Interleaved = "interleaved",
    /// A new root without a boundary behind other lines: the agent's context began anew.
    ContextReset = "context_reset",
    /// A chain whose lines all belong to another session.
    ForeignSession = "foreign_session",
    /// History that another file of the import also holds; its usage is counted once.
    DuplicateHistory = "duplicate_history",
    /// The log's own numbering has a gap or a repetition; the order of lines counts.
    OrdinalGap = "ordinal_gap",
    /// A tool result without a call; never sent.
    OrphanResult = "orphan_result",
    /// A second result for one call; the last one counts.
    DuplicateResult = "duplicate_result",
    /// A result that stands before its call; paired by identifier.
    ResultBeforeCall = "result_before_call",
    /// Arguments of a call that aren't the JSON they should be; kept as text.
    BadArguments = "bad_arguments",
    /// A shape of content that the format doesn't have; kept in place, left out of the prompt.
    UnknownShape = "unknown_shape",
    /// Figures that contradict each other: a total that isn't the sum of its parts.
    UsageMismatch = "usage_mismatch",
    /// The log's totals leave out what a compaction cost.
    UsageLowerBound = "usage_lower_bound",
    /// Billed tokens that can't be (negative, a part above its whole); treated as unknown.
    BadUsage = "bad_usage",
    /// Time runs backwards between two lines; the order of lines counts.
    ClockSkew = "clock_skew",
    /// A time in no form that is known; treated as absent.
    BadTime = "bad_time",
    /// Lines of several working directories; the first one counts.
    SeveralCwds = "several_cwds",
    /// An order of events that the agent's own reader refuses.
    BrokenOrder = "broken_order",
}

impl FaultCode {
    /// Whether content was lost or had to be guessed. The others are observations about a sound file.
    pub fn is_damage(self) -> bool {
        !matches!(
            self,
            FaultCode::EmptyFile
                | FaultCode::Bom
                | FaultCode::NameMismatch
                | FaultCode::NewerVersion
                | FaultCode::MissingVersion
                | FaultCode::ContextReset
                | FaultCode::DuplicateHistory
                | FaultCode::UsageLowerBound
                | FaultCode::ClockSkew
                | FaultCode::SeveralCwds
                | FaultCode::Interleaved
        )
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

/// Why a file can't be read as a session.
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
    #[error("no {}session: {reason}", format.map_or(String::new(), |format| format!("{} ", format.agent())))]
    NotASession {
        /// Whose session it isn't; `None` where the file could be anybody's.
        format: Option<Format>,
        /// What it seems to be, or what is missing, and what to do.
        reason: &'static str,
    },
}

impl ReadError {
    /// A file that isn't a session of a format.
    pub(crate) fn not_a(format: Format, reason: &'static str) -> ReadError {
        ReadError::NotASession { format: Some(format), reason }
    }
}
