//! The types of a plan. A plan holds text; its manifest (metadata only) is made from it.

use crate::session::EntryId;

/// What is known about the model that will read the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelProfile {
    /// Provider as named by the agent.
    pub provider: String,
    /// Model as named by the agent.
    pub model: String,
    /// Size of the context window, tokens.
    pub context_window: u64,
    /// Tokens kept free for the reply.
    pub reserve_output: u64,
}

/// One request to plan: the model is about to answer at `head`.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRequest {
    /// The last entry the model will see; its path is the history.
    pub head: EntryId,
    /// The model.
    pub profile: ModelProfile,
    /// Tokens the agent's fixed head (system prompt and tools) takes where the log doesn't hold it; 0 if it does.
    pub unrecorded_head_tokens: u64,
    /// Paths never to be quoted, although indexed: the declared degradation of a known-bad arm. Relative to the root.
    pub withhold: Vec<String>,
}

/// Token limits in force for one plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Hard limit of the whole prompt.
    pub total: u64,
    /// Limit for quoted project files (the pack).
    pub project: u64,
    /// Limit for the verbatim recent tail.
    pub recent: u64,
    /// Limit for older history brought back.
    pub history: u64,
}

impl Budget {
    /// Limits for a model, with the whole prompt's limit split by fixed shares.
    ///
    /// The total is the context window without the reserve for the reply and a safety margin of 2 % of the window, at
    /// least 1,024 and at most 8,192 tokens (estimates are off by a few per cent). The recent tail may take 70 % of it and
    /// older history 20 %; both matter only where not everything fits.
    pub fn for_profile(profile: &ModelProfile, pack_tokens: u64) -> Budget {
        let safety = profile.context_window.div_ceil(50).clamp(1_024, 8_192);
        let total = profile.context_window.saturating_sub(profile.reserve_output).saturating_sub(safety);
        Budget { total, project: pack_tokens.min(total), recent: total / 10 * 7, history: total / 10 * 2 }
    }
}

/// How a plan came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanMode {
    /// The engine chose.
    Managed,
    /// The agent's own context, unchanged.
    Native,
    /// The engine failed or couldn't fit the mandatory content: the agent's own context, unchanged.
    FailOpen,
}

impl PlanMode {
    /// The word used in manifests and reports.
    pub fn name(self) -> &'static str {
        match self {
            PlanMode::Managed => "managed",
            PlanMode::Native => "native",
            PlanMode::FailOpen => "fail-open",
        }
    }
}

/// Where an item comes from. The order is the order of placement categories.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemSource {
    /// An entry of the session, by identifier.
    Entry(EntryId),
    /// A range of a project file: path relative to the root, 1-based inclusive lines.
    Project {
        /// Relative path.
        path: String,
        /// First line.
        start_line: u32,
        /// Last line.
        end_line: u32,
    },
    /// Lines of an earlier entry that isn't in the plan itself: 1-based and inclusive, of one of the entry's texts.
    Recalled {
        /// The entry.
        entry: EntryId,
        /// Position of the text in its entry.
        part: u32,
        /// First line.
        start_line: u32,
        /// Last line.
        end_line: u32,
    },
}

/// Why an item is in or out: a closed list, so that figures over reasons can be compared between versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The request being answered.
    CurrentRequest,
    /// Instructions and tool declarations.
    SystemPrompt,
    /// The latest compaction's summary.
    CompactionSummary,
    /// The exchange that the model is about to answer: a call still open, or results it hasn't seen yet.
    OpenExchange,
    /// Part of the verbatim recent tail.
    RecentTail,
    /// Older history chosen by relevance.
    RelevantHistory,
    /// Source chosen by retrieval.
    RetrievedSource,
    /// An excerpt of an entry that the agent no longer holds or that had no room.
    RecalledHistory,
    /// The agent's own selection, passed through.
    PassThrough,
    /// Kept because the plan failed open.
    FailOpenRetained,
    /// Out: its category's budget or the total is spent.
    OverBudget,
    /// Out: older history that shares no word with the request.
    NotRelevant,
    /// Out: the same content is already in.
    Duplicate,
    /// Out: withheld by the arm's declaration.
    Withheld,
    /// Out: retrieval wasn't confident enough.
    LowConfidence,
    /// Out: belongs to a reply that failed or was aborted.
    FailedReply,
    /// Out: a tool result whose call isn't sent.
    OrphanResult,
}

impl Reason {
    /// The code used in manifests and reports: lower-case words joined by hyphens.
    pub fn code(self) -> &'static str {
        match self {
            Reason::CurrentRequest => "current-request",
            Reason::SystemPrompt => "system-prompt",
            Reason::CompactionSummary => "compaction-summary",
            Reason::OpenExchange => "open-exchange",
            Reason::RecentTail => "recent-tail",
            Reason::RelevantHistory => "relevant-history",
            Reason::RetrievedSource => "retrieved-source",
            Reason::RecalledHistory => "recalled-history",
            Reason::PassThrough => "pass-through",
            Reason::FailOpenRetained => "fail-open-retained",
            Reason::OverBudget => "over-budget",
            Reason::NotRelevant => "not-relevant",
            Reason::Duplicate => "duplicate",
            Reason::Withheld => "withheld",
            Reason::LowConfidence => "low-confidence",
            Reason::FailedReply => "failed-reply",
            Reason::OrphanResult => "orphan-result",
        }
    }
}

/// One item's fate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Which item.
    pub source: ItemSource,
    /// Its cost in the prompt, estimated tokens.
    pub tokens: u64,
    /// Why it is in or out.
    pub reason: Reason,
    /// Identifier of the atomic group it belongs to; members are in or out together.
    pub group: Option<u32>,
}

/// Text that the engine adds to the agent's own context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supplement {
    /// The text, shown to the model as the user's.
    pub text: String,
    /// Its cost, estimated tokens.
    pub tokens: u64,
    /// Where it goes.
    pub placement: Placement,
}

/// Where a supplement goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Directly before the request being answered.
    BeforeCurrentRequest,
}

/// The decision for one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// How it came about.
    pub mode: PlanMode,
    /// Limits in force.
    pub budget: Budget,
    /// What is in, in prompt order.
    pub selected: Vec<Decision>,
    /// What is out, in the order of its source.
    pub dropped: Vec<Decision>,
    /// Text the engine adds, if any.
    pub supplement: Option<Supplement>,
    /// Estimated tokens of the whole prompt, the supplement included.
    pub tokens: u64,
    /// Whether the estimate exceeds the hard limit.
    pub overflow: bool,
    /// Diagnostics without content, one line each, sorted.
    pub diagnostics: Vec<String>,
}
