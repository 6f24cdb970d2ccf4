//! Billed tokens of one request, normalised: the four parts are disjoint.

/// Tokens billed for one provider request. `input + cache_read + cache_write` is the prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Prompt tokens neither read from nor written to a cache.
    pub input: u64,
    /// Tokens generated, reasoning included.
    pub output: u64,
    /// Prompt tokens read from a cache.
    pub cache_read: u64,
    /// Prompt tokens written to a cache, all lifetimes.
    pub cache_write: u64,
    /// Part of `cache_write` with a lifetime of one hour.
    pub cache_write_1h: u64,
    /// Part of `output` spent on reasoning, where told.
    pub reasoning: u64,
    /// Cost in US dollars where the log tells it.
    pub cost: Option<Cost>,
}

/// Cost in US dollars as the log states it: a catalogue estimate unless the agent says the provider billed it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// Total of the request, US dollars.
    pub total: f64,
}

impl Usage {
    /// Tokens of the prompt; saturates, as a log may claim any count.
    pub fn prompt(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// Prompt tokens billed at or above the full rate: uncached plus cache writes; saturates.
    pub fn fresh_input(&self) -> u64 {
        self.input.saturating_add(self.cache_write)
    }

    /// Each count the larger of the two: for logs that repeat the figures of one request while it grows. The cost of the
    /// larger total stays.
    pub fn max(self, other: Usage) -> Usage {
        let cost = match (self.cost, other.cost) {
            (Some(a), Some(b)) => Some(if b.total > a.total { b } else { a }),
            (a, b) => a.or(b),
        };
        Usage {
            input: self.input.max(other.input),
            output: self.output.max(other.output),
            cache_read: self.cache_read.max(other.cache_read),
            cache_write: self.cache_write.max(other.cache_write),
            cache_write_1h: self.cache_write_1h.max(other.cache_write_1h),
            reasoning: self.reasoning.max(other.reasoning),
            cost,
        }
    }

    /// Whether nothing was billed: a failed request, not a cache miss.
    pub fn is_zero(&self) -> bool {
        self.prompt() == 0 && self.output == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_counts_saturate() {
        let usage = Usage { input: u64::MAX, cache_read: 2, cache_write: 3, ..Usage::default() };
        assert_eq!((usage.prompt(), usage.fresh_input()), (u64::MAX, u64::MAX));
    }
}
