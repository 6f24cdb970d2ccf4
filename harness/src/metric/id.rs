//! The closed list of metrics: name, plane, unit, direction.

use verdict::Better;

/// Where a value comes from. Planes are never mixed in one comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plane {
    /// From runs of the agent.
    Recorded,
    /// From plans rebuilt over the baseline's sessions.
    Replayed,
}

impl Plane {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Plane::Recorded => "recorded",
            Plane::Replayed => "replayed",
        }
    }
}

macro_rules! metrics {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $plane:ident, $unit:literal, $better:ident;)*) => {
        /// A metric. Each variant is defined in the module that computes it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric { $($(#[$doc])* $name,)* }

        impl Metric {
            /// Every metric, in the order of the reports.
            pub const ALL: &'static [Metric] = &[$(Metric::$name,)*];

            /// The name used in policies, frames and reports.
            pub fn id(self) -> &'static str {
                match self { $(Metric::$name => $id,)* }
            }

            /// Where its values come from.
            pub fn plane(self) -> Plane {
                match self { $(Metric::$name => Plane::$plane,)* }
            }

            /// Unit of its values.
            pub fn unit(self) -> &'static str {
                match self { $(Metric::$name => $unit,)* }
            }

            /// Which direction is an improvement.
            pub fn better(self) -> Better {
                match self { $(Metric::$name => Better::$better,)* }
            }
        }
    };
}

metrics! {
    /// The grader accepted the final patch (0 or 1).
    Accepted = "accepted", Recorded, "points", Higher;
    /// Edits undone or overwritten within the run.
    Rework = "rework", Recorded, "edits", Lower;
    /// Verifications that failed.
    FailedVerifications = "failed-verifications", Recorded, "verifications", Lower;
    /// Verifications that the agent ran.
    Verifications = "verifications", Recorded, "verifications", Lower;
    /// Provider requests.
    Requests = "requests", Recorded, "requests", Lower;
    /// Edits that were applied.
    Edits = "edits", Recorded, "edits", Lower;
    /// Reads of what was read before and hasn't changed.
    DuplicateReads = "duplicate-reads", Recorded, "reads", Lower;
    /// Uncached prompt tokens and cache writes.
    FreshInputTokens = "fresh-input-tokens", Recorded, "tokens", Lower;
    /// The seed's "fresh": uncached input and output. Shown beside, named as such.
    SeedFreshTokens = "seed-fresh-tokens", Recorded, "tokens", Lower;
    /// All prompt tokens, cached or not.
    PromptTokens = "prompt-tokens", Recorded, "tokens", Lower;
    /// Tokens generated.
    OutputTokens = "output-tokens", Recorded, "tokens", Lower;
    /// Prompt tokens read from a cache.
    CacheReadTokens = "cache-read-tokens", Recorded, "tokens", Higher;
    /// Recorded usage priced by a dated price pack.
    CostUsd = "cost-usd", Recorded, "usd", Lower;
    /// Requests until the first correct edit, that request included; the run's requests where there is none.
    FirstCorrectEditRequests = "first-correct-edit-requests", Recorded, "requests", Lower;
    /// Fresh input and output tokens until then.
    FirstCorrectEditTokens = "first-correct-edit-tokens", Recorded, "tokens", Lower;
    /// Seconds from the prompt to the first correct edit, or to the run's end where there is none. Of a real model's runs
    /// only: a script's time says nothing.
    FirstCorrectEditSeconds = "first-correct-edit-seconds", Recorded, "seconds", Lower;
    /// The run has no correct edit (0 or 1): the three above are censored at its end.
    FirstCorrectEditCensored = "first-correct-edit-censored", Recorded, "runs", Lower;
    /// Seconds from start to end. Shown, never judged for scripted runs.
    WallSeconds = "wall-seconds", Recorded, "seconds", Lower;
    /// `contextWasteScore`, 0 to 100.
    ContextWasteScore = "context-waste-score", Recorded, "points-100", Lower;
    /// Share of prompt tokens that repeat what the same prompt already holds.
    DuplicatePromptShare = "duplicate-prompt-share", Recorded, "share", Lower;
    /// Share of prompt tokens that nothing shows to have mattered.
    NeverUsedPromptShare = "never-used-prompt-share", Recorded, "share", Lower;
    /// The engine quoted a protected path.
    SafetyProtectedPath = "safety-protected-path", Recorded, "events", Lower;
    /// The engine added an unredacted secret.
    SafetySecret = "safety-secret", Recorded, "events", Lower;
    /// A request without the current request in it.
    SafetyLostRequest = "safety-lost-request", Recorded, "events", Lower;
    /// A tool call without its result, or a result without its call, in a request.
    SafetySplitGroup = "safety-split-group", Recorded, "events", Lower;
    /// A request above the model's window.
    SafetyOverflow = "safety-overflow", Recorded, "events", Lower;
    /// Share of the needed files that the plan quotes within an equal budget of evidence tokens.
    GoldRecall = "gold-recall", Replayed, "points", Higher;
    /// nDCG at 10 of the needed files in the order in which the plan offers files.
    PackNdcg = "pack-ndcg", Replayed, "points", Higher;
    /// nDCG at 10 of the needed files in the order in which the variant's engine ranks files for the request; no value for a
    /// variant that retrieves nothing.
    RetrievalNdcg = "retrieval-ndcg", Replayed, "points", Higher;
    /// Share of the plan's evidence tokens that quote nothing needed.
    IrrelevantTokenRatio = "irrelevant-token-ratio", Replayed, "points", Lower;
    /// `context-quality-v1`.
    ContextQuality = "context-quality-v1", Replayed, "points", Higher;
    /// Estimated tokens of the planned prompt.
    PlannedTokens = "planned-tokens", Replayed, "tokens", Lower;
    /// Share of the previous prompt that the next one repeats from its start.
    PrefixReuse = "prefix-reuse", Replayed, "share", Higher;
    /// Needed files that the recorded context held and the plan lacks, a request.
    EvidenceDebt = "evidence-debt", Replayed, "files", Lower;
    /// Requests whose plan exceeds the window or failed open.
    PlanFailures = "plan-failures", Replayed, "requests", Lower;
}

impl Metric {
    /// The metric of that name.
    pub fn by_id(id: &str) -> Option<Metric> {
        Metric::ALL.iter().copied().find(|metric| metric.id() == id)
    }

    /// The safety counters: what must be 0.
    pub const SAFETY: [Metric; 5] = [
        Metric::SafetyProtectedPath,
        Metric::SafetySecret,
        Metric::SafetyLostRequest,
        Metric::SafetySplitGroup,
        Metric::SafetyOverflow,
    ];
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_lead_back() {
        let names: BTreeSet<&str> = Metric::ALL.iter().map(|metric| metric.id()).collect();
        assert_eq!(names.len(), Metric::ALL.len());
        assert!(Metric::ALL.iter().all(|metric| Metric::by_id(metric.id()) == Some(*metric)));
    }
}
