//! Billed tokens of a rollout.
//!
//! `token_count` events carry running totals of the thread and what the last request added; the same totals are often
//! told twice. Newer releases write a `token_usage_record` beside them. A request is one change of the totals, or a record
//! that no change of the totals tells of.

use engine::message::{Json, Usage};

use crate::log::FaultCode;
use crate::log::dialect::Report;
use crate::log::member::tokens;
use crate::log::suspect::damaged_name;

/// Figures of a request or a thread.
const NAMES: [&str; 6] = [
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "total_tokens",
];

/// Counts as Codex writes them: input contains what was read from and written to a cache, output contains reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    input: u64,
    cached: u64,
    written: u64,
    output: u64,
    reasoning: u64,
}

impl Counts {
    /// Counts of one object; `None` where they can't be (negative, fractional, a part above its whole).
    fn of(json: &Json<'_>) -> Option<Counts> {
        if damaged_name(json, &NAMES).is_some() {
            return None;
        }
        let count = |name: &str| tokens(json, name);
        let counts = Counts {
            input: count("input_tokens")?,
            cached: count("cached_input_tokens")?,
            written: count("cache_write_input_tokens")?,
            output: count("output_tokens")?,
            reasoning: count("reasoning_output_tokens")?,
        };
        counts.can_be().then_some(counts)
    }

    fn can_be(self) -> bool {
        self.cached + self.written <= self.input && self.reasoning <= self.output
    }

    fn combine(self, other: Counts, with: impl Fn(u64, u64) -> Option<u64>) -> Option<Counts> {
        Some(Counts {
            input: with(self.input, other.input)?,
            cached: with(self.cached, other.cached)?,
            written: with(self.written, other.written)?,
            output: with(self.output, other.output)?,
            reasoning: with(self.reasoning, other.reasoning)?,
        })
    }

    /// What was added since `earlier`; `None` where a count fell.
    fn since(self, earlier: Counts) -> Option<Counts> {
        self.combine(earlier, u64::checked_sub)
    }

    fn plus(self, other: Counts) -> Counts {
        self.combine(other, |a, b| Some(a.saturating_add(b))).expect("a saturating sum always exists")
    }

    /// Whether they tell the same request: the older event doesn't know of cache writes.
    fn same_request(self, other: Counts) -> bool {
        (self.input, self.cached, self.output) == (other.input, other.cached, other.output)
    }

    fn is_zero(self) -> bool {
        self == Counts::default()
    }

    /// The engine's disjoint counts.
    fn usage(self) -> Usage {
        Usage {
            input: self.input - self.cached - self.written,
            output: self.output,
            cache_read: self.cached,
            cache_write: self.written,
            reasoning: self.reasoning,
            ..Usage::default()
        }
    }

    fn key(self) -> String {
        let Counts { input, cached, written, output, reasoning } = self;
        format!("{input}:{cached}:{written}:{output}:{reasoning}")
    }
}

/// A request that the log tells of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    /// Billed tokens; `None` where they can't be.
    pub(super) usage: Option<Usage>,
    /// What identifies it within its thread.
    pub(super) key: String,
}

/// What a line changes about the requests told before, which are numbered from 0 in the order they were told.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Change {
    /// A further request.
    New(Told),
    /// An earlier request, told once more and in more detail.
    Again {
        /// Its number.
        request: usize,
        /// Billed tokens, where the later telling knows more.
        usage: Option<Usage>,
        /// What identifies it, where the later telling stands in more copies of the history.
        key: Option<String>,
    },
    /// A compaction's own request.
    Compaction {
        /// The provider's identifier of the reply.
        response_id: String,
        /// Billed tokens.
        usage: Usage,
    },
}

/// A request that a record tells of and no totals contain yet.
#[derive(Debug)]
struct Recorded {
    counts: Counts,
    request: usize,
    response_id: String,
}

/// Reads the totals of one thread as they grow.
#[derive(Debug, Default)]
pub(super) struct Totals {
    last: Option<Counts>,
    /// The last totals that can be.
    stated: Option<Counts>,
    /// How often the totals began anew.
    restarts: u64,
    /// Requests told so far.
    requests: usize,
    /// The last request of a `token_count` and its number: a record may still tell it in more detail.
    counted: Option<(Counts, usize)>,
    /// What records told and totals didn't, in order.
    recorded: Vec<Recorded>,
    /// Identifiers of replies that made summaries.
    summaries: Vec<String>,
}

impl Totals {
    /// A compaction was made by the reply with this identifier. Its request and what that was billed, where a record has
    /// told of it already.
    pub(super) fn summary(&mut self, response_id: &str) -> Option<(usize, Usage)> {
        self.summaries.push(response_id.to_owned());
        let at = self.recorded.iter().position(|recorded| recorded.response_id == response_id)?;
        let recorded = self.recorded.remove(at);
        Some((recorded.request, recorded.counts.usage()))
    }

    /// The totals as the log last states them.
    pub(super) fn stated(&self) -> Option<Usage> {
        self.stated.map(Counts::usage)
    }

    /// Whether the log tells any totals.
    pub(super) fn are_told(&self) -> bool {
        self.last.is_some()
    }

    /// Takes a `token_count` event. `copied` says that the thread's earlier requests may stand in another file.
    pub(super) fn count(
        &mut self,
        event: &Json<'_>,
        (line, copied): (u64, bool),
        report: &mut Report,
    ) -> Option<Change> {
        // Rate limits come with no figures.
        let info = event.get("info");
        let total = info.and_then(|info| info.get("total_token_usage"));
        let Some(total) = total.filter(|total| total.as_object().is_some()) else {
            let damaged = damaged_name(event, &["info"])
                .or(info.and_then(|info| damaged_name(info, &["total_token_usage", "last_token_usage"])));
            if damaged.is_some() {
                report.warn(
                    line,
                    FaultCode::BadUsage,
                    "the name of the billed tokens is damaged: not counted",
                );
            } else if info.is_some_and(|info| *info != Json::Null) {
                report.lose("token count without totals: not counted");
            }
            return None;
        };
        let Some(total) = Counts::of(total) else {
            bad(line, report);
            // What the totals were before says nothing about what they are from here on.
            self.last = None;
            return Some(self.told(None, format!("line {line}")));
        };
        self.stated = Some(total);
        if self.last == Some(total) {
            report.repeat("token totals told again");
            return None;
        }
        let own = info.and_then(|info| info.get("last_token_usage")).filter(|own| own.as_object().is_some());
        let own = match own.map(Counts::of) {
            Some(None) => {
                bad(line, report);
                self.last = Some(total);
                return Some(self.told(None, total.key()));
            }
            Some(Some(own)) => Some(own),
            None => None,
        };
        let share = self.share(total, own, (line, copied), report);
        self.last = Some(total);
        if !share.can_be() {
            bad(line, report);
            return Some(self.told(None, total.key()));
        }
        if share.is_zero() {
            return None;
        }
        let key = total.key();
        if let Some(at) = self.recorded.iter().position(|recorded| recorded.counts.same_request(share)) {
            let request = self.recorded[at].request;
            self.recorded.drain(..=at);
            report.repeat(TOLD_TWICE);
            return Some(Change::Again { request, usage: None, key: Some(self.key(&key)) });
        }
        self.recorded.clear();
        self.counted = Some((share, self.requests));
        Some(self.told(Some(share.usage()), key))
    }

    /// Totals that began anew may come to the same counts once more.
    fn key(&self, key: &str) -> String {
        format!("{}:{key}", self.restarts)
    }

    fn told(&mut self, usage: Option<Usage>, key: String) -> Change {
        self.requests += 1;
        Change::New(Told { usage, key: self.key(&key) })
    }

    /// What the request behind these totals was billed: what the event says of it, or what the totals grew by where that
    /// is missing or contradicts them.
    fn share(
        &mut self,
        total: Counts,
        own: Option<Counts>,
        (line, copied): (u64, bool),
        report: &mut Report,
    ) -> Counts {
        let recorded =
            self.recorded.iter().fold(Counts::default(), |sum, recorded| sum.plus(recorded.counts));
        let grown = self.last.map(|last| total.since(last));
        match (grown, own) {
            (None, None) => total,
            (None, Some(own)) => {
                if own != total && !copied && recorded.is_zero() {
                    mismatch(
                        line,
                        "the totals begin above the first request: earlier ones are missing",
                        report,
                    );
                }
                own
            }
            (Some(None), own) => {
                self.restarts += 1;
                // The totals of a thread that begins with another one's history may begin anew.
                if own.is_some_and(|own| own != total) {
                    mismatch(line, "the totals fell, and not to the last request alone", report);
                } else if !copied {
                    mismatch(line, "the totals fell and leave out what was billed before", report);
                }
                own.unwrap_or(total)
            }
            (Some(Some(grown)), None) => grown,
            (Some(Some(grown)), Some(own)) if own == grown => own,
            (Some(Some(grown)), Some(own)) => {
                if !recorded.is_zero() && own.plus(recorded).same_request(grown) {
                    return own;
                }
                // What the thread was billed is right even where the line of a request is lost.
                mismatch(line, "the totals grew by another amount than the last request", report);
                if grown.can_be() { grown } else { own }
            }
        }
    }

    /// Takes a `token_usage_record`.
    pub(super) fn record(&mut self, record: &Json<'_>, line: u64, report: &mut Report) -> Option<Change> {
        let Some(usage) = record.get("usage").filter(|usage| usage.as_object().is_some()) else {
            report.lose("usage record without figures: not counted");
            return None;
        };
        let response_id = record.str_at("response_id").unwrap_or("");
        let Some(counts) = Counts::of(usage) else {
            bad(line, report);
            return Some(self.told(None, format!("reply {response_id} line {line}")));
        };
        if self.summaries.iter().any(|summary| summary == response_id) {
            return Some(Change::Compaction { response_id: response_id.to_owned(), usage: counts.usage() });
        }
        if let Some((_, request)) = self.counted.take_if(|(counted, _)| counted.same_request(counts)) {
            report.repeat(TOLD_TWICE);
            return Some(Change::Again { request, usage: Some(counts.usage()), key: None });
        }
        if counts.is_zero() {
            return None;
        }
        let response_id = response_id.to_owned();
        let key = format!("reply {response_id} {}", counts.key());
        self.recorded.push(Recorded { counts, request: self.requests, response_id });
        Some(self.told(Some(counts.usage()), key))
    }
}

const TOLD_TWICE: &str = "requests told by a token count and by a usage record";

fn bad(line: u64, report: &mut Report) {
    report.warn(line, FaultCode::BadUsage, "impossible billed tokens: treated as unknown");
}

fn mismatch(line: u64, message: &str, report: &mut Report) {
    report.warn(line, FaultCode::UsageMismatch, message);
}
