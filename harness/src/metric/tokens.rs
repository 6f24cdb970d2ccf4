//! Tokens of a run, summed from the session's own usage.
//!
//! * *fresh input* = uncached prompt tokens + cache writes: what is billed at or above the full rate;
//! * *seed fresh* = uncached prompt tokens + output: the seed's figure of the same name, shown beside;
//! * *prompt* = uncached + cache reads + cache writes.
//!
//! Worked example: requests billed (input 4, write 1,000, read 0, output 50) and (input 4, write 20, read 1,004,
//! output 30) have fresh input 1,028, seed fresh 88, prompt 2,032 and cache reads 1,004.

use super::Metric;
use crate::corpus::Activity;

/// Usage sums and counts of a run.
pub(super) fn values(activity: &Activity) -> Vec<(Metric, f64)> {
    let sum = |part: fn(&engine::message::Usage) -> u64| {
        activity.requests.iter().map(|request| part(&request.usage)).sum::<u64>() as f64
    };
    let edits = activity.calls.iter().filter(|call| call.changed_file()).count();
    vec![
        (Metric::Requests, activity.requests.len() as f64),
        (Metric::Edits, edits as f64),
        (Metric::FreshInputTokens, sum(|usage| usage.fresh_input())),
        (Metric::SeedFreshTokens, sum(|usage| usage.input + usage.output)),
        (Metric::PromptTokens, sum(|usage| usage.prompt())),
        (Metric::OutputTokens, sum(|usage| usage.output)),
        (Metric::CacheReadTokens, sum(|usage| usage.cache_read)),
    ]
}

#[cfg(test)]
mod tests {
    use engine::message::Usage;

    use super::super::testing::request;
    use super::*;

    #[test]
    fn worked_example() {
        let first = Usage { input: 4, output: 50, cache_write: 1_000, ..Usage::default() };
        let second = Usage { input: 4, output: 30, cache_write: 20, cache_read: 1_004, ..Usage::default() };
        let requests = vec![request(first), request(second)];
        let values = values(&Activity { requests, ..Activity::default() });
        let of = |metric| values.iter().find(|(name, _)| *name == metric).unwrap().1;
        assert_eq!(of(Metric::FreshInputTokens), 1_028.0);
        assert_eq!(of(Metric::SeedFreshTokens), 88.0);
        assert_eq!(of(Metric::PromptTokens), 2_032.0);
        assert_eq!(of(Metric::CacheReadTokens), 1_004.0);
    }
}
