//! What a session amounts to, counted over all of its entries: abandoned branches included, as an agent's own totals are.

use engine::message::{Role, Usage};
use engine::session::{EntryKind, SessionTree};

/// Sums of billed tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsageTotals {
    /// Uncached prompt tokens.
    pub input: u64,
    /// Generated tokens, reasoning included.
    pub output: u64,
    /// Prompt tokens read from a cache.
    pub cache_read: u64,
    /// Prompt tokens written to a cache.
    pub cache_write: u64,
    /// Part of `output` spent on reasoning, where told.
    pub reasoning: u64,
}

impl UsageTotals {
    fn add(&mut self, usage: &Usage) {
        self.input = self.input.saturating_add(usage.input);
        self.output = self.output.saturating_add(usage.output);
        self.cache_read = self.cache_read.saturating_add(usage.cache_read);
        self.cache_write = self.cache_write.saturating_add(usage.cache_write);
        self.reasoning = self.reasoning.saturating_add(usage.reasoning);
    }
}

/// Figures of one view of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Entries of the tree, without the header.
    pub tree_entries: u64,
    /// Messages of the person.
    pub user_turns: u64,
    /// Provider requests: assistant messages, failed and aborted ones included.
    pub requests: u64,
    /// Requests whose billed tokens are known.
    pub known_requests: u64,
    /// Tool calls made by the model.
    pub tool_calls: u64,
    /// Billed tokens of the requests.
    pub usage: UsageTotals,
    /// Billed tokens outside of requests: summaries, cache warming.
    pub extra_usage: UsageTotals,
}

impl Stats {
    /// Counts a tree.
    pub fn of(tree: &SessionTree) -> Stats {
        let mut stats = Stats { tree_entries: tree.entries.len() as u64, ..Stats::default() };
        for entry in &tree.entries {
            stats.count(&entry.kind);
        }
        stats
    }

    fn count(&mut self, kind: &EntryKind) {
        match kind {
            EntryKind::Message(message) => {
                self.tool_calls += message.calls().count() as u64;
                self.user_turns += u64::from(message.role == Role::User);
                self.requests += u64::from(message.role == Role::Assistant);
                if let Some(usage) = message.reply.as_ref().and_then(|reply| reply.usage.as_ref()) {
                    self.known_requests += 1;
                    self.usage.add(usage);
                }
            }
            EntryKind::Compaction { usage: Some(usage), .. }
            | EntryKind::BranchSummary { usage: Some(usage), .. }
            | EntryKind::ExtraUsage(usage) => self.extra_usage.add(usage),
            _ => {}
        }
    }
}
