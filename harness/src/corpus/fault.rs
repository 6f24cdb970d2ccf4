//! What can be wrong with evidence: a closed list of codes, each with what it does to a verdict.

use verdict::Severity;

/// A fault's name, as it stands in reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultCode {
    /// A scheduled row is absent.
    RowMissing,
    /// A row that the schedule doesn't hold.
    RowUnscheduled,
    /// Two rows with one key.
    RowDuplicate,
    /// A row that can't be read, or that contradicts itself.
    RowMalformed,
    /// One recorded run stands for several rows.
    RunRepeated,
    /// A path that leaves the corpus, is absolute, or crosses a symbolic link.
    UnsafePath,
    /// A file that a row names isn't there.
    FileMissing,
    /// Bytes that aren't those recorded.
    HashMismatch,
    /// A session that can't be read as one, or with lines that its agent wouldn't read.
    SessionUnreadable,
    /// What the row claims of the outcome isn't what session, patch and transcript show.
    OutcomeMismatch,
    /// Session and wire tell different requests or tokens.
    UsageMismatch,
    /// Session and wire tell different content: instructions, words, calls, results or images.
    WireMismatch,
    /// Requests of a format, or with content, that can't be compared with the session's.
    WireUnchecked,
    /// What a session holds isn't what its arm's engine makes: arms were swapped, or rows renamed.
    ArmMismatch,
    /// Both arms ran the same engine.
    SameEngine,
    /// The recorded candidate isn't the engine that runs the gate.
    StaleEngine,
    /// The arms' models differ, or a session's model isn't its row's.
    ModelMismatch,
    /// The arms' thinking levels differ, or a session's isn't its row's.
    ThinkingMismatch,
    /// The arms' agents or agent versions differ.
    AgentMismatch,
    /// The arms' fixtures differ, or the fixture isn't the recorded one.
    TreeMismatch,
    /// The arms were offered different tools, or a request was offered others than its row says.
    ToolsMismatch,
    /// The arms were instructed differently, or a request otherwise than its row says.
    InstructionsMismatch,
    /// The arms' requests ask for different sampling or thinking, or a request for another than its row says.
    ParametersMismatch,
    /// The arms' prompts, task files or graders differ, or aren't the recorded ones.
    TaskMismatch,
    /// The arms' tiers differ, or a row's tier isn't the corpus's.
    TierMismatch,
    /// Rows were recorded under another policy section.
    NotPreregistered,
    /// Scheduled runs without a result.
    MissingRuns,
    /// Runs go missing more often in one arm.
    DifferentialMissingness,
    /// One arm was run again without the others.
    RerollUnpaired,
    /// Runs were made again though the infrastructure had failed none of them.
    RerollWithoutCause,
    /// Runs were made again more often than allowed.
    RerollExcess,
    /// The infrastructure fails one arm more often.
    DifferentialInfrastructure,
    /// The arm that should repeat the baseline ran another engine.
    NotAnAa,
    /// A grader that doesn't accept the reference patch and refuse the untouched repository each time.
    VerifierUnqualified,
    /// Stored answers of a grader that aren't of its scenario, or that contradict themselves or a row.
    QualificationMismatch,
    /// The learned model that a row names isn't the one of its arm.
    ModelArtifactMismatch,
    /// Fewer than three scheduled runs an arm.
    TooFewRuns,
    /// Three replays of one request gave different plans.
    Nondeterministic,
    /// A variant can't be replayed.
    ReplayFailed,
}

impl FaultCode {
    /// The code used in `gate.json`: lower-case words joined by hyphens.
    pub fn code(self) -> &'static str {
        match self {
            FaultCode::RowMissing => "row-missing",
            FaultCode::RowUnscheduled => "row-unscheduled",
            FaultCode::RowDuplicate => "row-duplicate",
            FaultCode::RowMalformed => "row-malformed",
            FaultCode::RunRepeated => "run-repeated",
            FaultCode::UnsafePath => "unsafe-path",
            FaultCode::FileMissing => "file-missing",
            FaultCode::HashMismatch => "hash-mismatch",
            FaultCode::SessionUnreadable => "session-unreadable",
            FaultCode::OutcomeMismatch => "outcome-mismatch",
            FaultCode::UsageMismatch => "usage-mismatch",
            FaultCode::WireMismatch => "wire-mismatch",
            FaultCode::WireUnchecked => "wire-unchecked",
            FaultCode::ArmMismatch => "arm-mismatch",
            FaultCode::SameEngine => "same-engine",
            FaultCode::StaleEngine => "stale-engine",
            FaultCode::ModelMismatch => "model-mismatch",
            FaultCode::ThinkingMismatch => "thinking-mismatch",
            FaultCode::AgentMismatch => "agent-mismatch",
            FaultCode::TreeMismatch => "tree-mismatch",
            FaultCode::ToolsMismatch => "tools-mismatch",
            FaultCode::InstructionsMismatch => "instructions-mismatch",
            FaultCode::ParametersMismatch => "parameters-mismatch",
            FaultCode::TaskMismatch => "task-mismatch",
            FaultCode::TierMismatch => "tier-mismatch",
            FaultCode::NotPreregistered => "not-preregistered",
            FaultCode::MissingRuns => "missing-runs",
            FaultCode::DifferentialMissingness => "differential-missingness",
            FaultCode::RerollUnpaired => "reroll-unpaired",
            FaultCode::RerollWithoutCause => "reroll-without-cause",
            FaultCode::RerollExcess => "reroll-excess",
            FaultCode::DifferentialInfrastructure => "differential-infrastructure",
            FaultCode::NotAnAa => "not-an-aa",
            FaultCode::VerifierUnqualified => "verifier-unqualified",
            FaultCode::QualificationMismatch => "qualification-mismatch",
            FaultCode::ModelArtifactMismatch => "model-artifact-mismatch",
            FaultCode::TooFewRuns => "too-few-runs",
            FaultCode::Nondeterministic => "nondeterministic",
            FaultCode::ReplayFailed => "replay-failed",
        }
    }

    /// What it does to the verdict: evidence that is too little, too old or can't be checked is insufficient, the rest
    /// is invalid.
    ///
    /// [`FaultCode::NotPreregistered`] is insufficient here; the gate raises it for `default-on` and `--promote`.
    pub fn severity(self) -> Severity {
        match self {
            FaultCode::StaleEngine
            | FaultCode::NotPreregistered
            | FaultCode::MissingRuns
            | FaultCode::VerifierUnqualified
            | FaultCode::WireUnchecked
            | FaultCode::TooFewRuns => Severity::Insufficient,
            _ => Severity::Invalid,
        }
    }
}

/// Which evidence a fault is about; nothing set means the whole corpus. Fields narrow from left to right.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scope {
    /// Feature.
    pub feature: Option<String>,
    /// Variant (arm).
    pub variant: Option<String>,
    /// Scenario.
    pub scenario: Option<String>,
    /// Repetition.
    pub repetition: Option<u32>,
}

impl Scope {
    /// One run.
    pub fn run(key: &super::RunKey) -> Self {
        Scope {
            feature: None,
            variant: Some(key.variant.as_ref().to_owned()),
            scenario: Some(key.scenario.as_ref().to_owned()),
            repetition: Some(key.repetition),
        }
    }

    /// One feature.
    pub fn feature(feature: &str) -> Self {
        Scope { feature: Some(feature.to_owned()), ..Scope::default() }
    }

    /// Whether it concerns a feature that is judged from these variants.
    pub fn concerns(&self, feature: &str, variants: &[&str]) -> bool {
        self.feature.as_deref().is_none_or(|named| named == feature)
            && self.variant.as_deref().is_none_or(|named| variants.contains(&named))
    }
}

/// One fault of the evidence. Ordered by code, scope and message, so that a list of them has one order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// What kind.
    pub code: FaultCode,
    /// About what.
    pub scope: Scope,
    /// One line: what, where.
    pub message: String,
}

impl Fault {
    /// A fault about `scope`.
    pub fn new(code: FaultCode, scope: Scope, message: impl Into<String>) -> Self {
        Fault { code, scope, message: message.into() }
    }

    /// A fault of the whole corpus that shows at one run; the message is prefixed with the run.
    pub fn of_corpus(code: FaultCode, key: &super::RunKey, message: impl AsRef<str>) -> Self {
        Fault::new(code, Scope::default(), format!("{key}: {}", message.as_ref()))
    }

    /// A fault of one run; the message is prefixed with the run.
    pub fn of_run(code: FaultCode, key: &super::RunKey, message: impl AsRef<str>) -> Self {
        Fault::new(code, Scope::run(key), format!("{key}: {}", message.as_ref()))
    }

    /// What it does to the verdict.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

impl From<&Fault> for verdict::Fault {
    fn from(fault: &Fault) -> verdict::Fault {
        let reason = verdict::Reason::new(fault.code.code(), &fault.message);
        verdict::Fault { severity: fault.severity(), reason }
    }
}
