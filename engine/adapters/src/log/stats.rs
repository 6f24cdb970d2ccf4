//! What a session amounts to, counted over all of its entries: abandoned branches included, as an agent's own totals are.

use engine::message::{Role, Usage};
use engine::session::EntryKind;

use super::links::unanswered_calls;
use super::session::{Purpose, Request};

/// Sums of billed tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct UsageTotals {
    /// Uncached prompt tokens.
    pub input: u64,
    /// Generated tokens, reasoning included.
    pub output: u64,
    /// Prompt tokens read from a cache.
    pub cache_read: u64,
    /// Prompt tokens written to a cache, all lifetimes.
    pub cache_write: u64,
    /// Part of `cache_write` with a lifetime of one hour, where told.
    pub cache_write_1h: u64,
    /// Part of `output` spent on reasoning, where told.
    pub reasoning: u64,
    /// US dollars as the log states them; `None` where no request tells its cost.
    pub cost: Option<f64>,
}

impl UsageTotals {
    /// Adds what one request was billed.
    pub fn add(&mut self, usage: &Usage) {
        self.add_all(&UsageTotals::from(usage));
    }

    /// Adds what several requests were billed.
    pub fn add_all(&mut self, more: &UsageTotals) {
        self.input = self.input.saturating_add(more.input);
        self.output = self.output.saturating_add(more.output);
        self.cache_read = self.cache_read.saturating_add(more.cache_read);
        self.cache_write = self.cache_write.saturating_add(more.cache_write);
        self.cache_write_1h = self.cache_write_1h.saturating_add(more.cache_write_1h);
        self.reasoning = self.reasoning.saturating_add(more.reasoning);
        if let Some(cost) = more.cost {
            self.cost = Some(self.cost.unwrap_or(0.0) + cost);
        }
    }
}

impl From<&Usage> for UsageTotals {
    /// The sums of one request.
    fn from(usage: &Usage) -> UsageTotals {
        let Usage { input, output, cache_read, cache_write, cache_write_1h, reasoning, cost } = *usage;
        let cost = cost.map(|cost| cost.total);
        UsageTotals { input, output, cache_read, cache_write, cache_write_1h, reasoning, cost }
    }
}

/// Figures of one view of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stats {
    /// Entries of the tree, without the header.
    pub tree_entries: u64,
    /// Messages presented as the person's, tool results aside.
    pub user_turns: u64,
    /// Provider requests, failed and aborted ones included, each once.
    pub requests: u64,
    /// Requests whose billed tokens are known.
    pub known_requests: u64,
    /// Requests that were copied from another session's log.
    pub inherited_requests: u64,
    /// Tool calls made by the model.
    pub tool_calls: u64,
    /// Tool calls without a result.
    pub unanswered_calls: u64,
    /// Billed tokens of the requests.
    pub usage: UsageTotals,
    /// Billed tokens outside of requests: summaries, cache warming, model work of tools.
    pub extra_usage: UsageTotals,
    /// The part of `extra_usage` that tools were billed for model work of their own.
    pub tool_usage: UsageTotals,
}

impl Stats {
    /// Counts entries and requests.
    pub(super) fn of<'r, K: Iterator<Item = &'r EntryKind>>(
        kinds: impl Fn() -> K,
        requests: impl Iterator<Item = &'r Request>,
    ) -> Stats {
        let mut stats = Stats { unanswered_calls: unanswered_calls(kinds()), ..Stats::default() };
        for request in requests {
            if request.purpose == Purpose::ToolWork {
                let billed = request.usage.unwrap_or_default();
                stats.tool_usage.add(&billed);
                stats.extra_usage.add(&billed);
                continue;
            }
            stats.requests += 1;
            stats.inherited_requests += u64::from(request.inherited);
            if let Some(usage) = &request.usage {
                stats.known_requests += 1;
                stats.usage.add(usage);
            }
        }
        for kind in kinds() {
            stats.tree_entries += 1;
            stats.count(kind);
        }
        stats
    }

    fn count(&mut self, kind: &EntryKind) {
        match kind {
            EntryKind::Message(message) => {
                self.tool_calls += message.calls().count() as u64;
                self.user_turns += u64::from(message.role == Role::User);
            }
            EntryKind::Compaction { usage: Some(usage), .. }
            | EntryKind::BranchSummary { usage: Some(usage), .. }
            | EntryKind::ExtraUsage(usage) => self.extra_usage.add(usage),
            _ => {}
        }
    }
}
