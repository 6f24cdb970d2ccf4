//! The usage that the loopback server reports: counted tokens and a simulated prefix cache.
//!
//! Such usage validates nothing: no provider counted it. It only gives every arm the same yardstick.

use engine::tokens::{O200k, TokenCounter};

use super::request::Request;

/// Shortest prefix that is cached, tokens.
const MIN_PREFIX: u64 = 1024;
/// Tokens that frame a reply.
const REPLY_FRAMING: u64 = 3;

/// Usage of one request. `input`, `cache_read` and `cache_creation` are disjoint and add up to the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Prompt tokens neither read from nor written to the cache.
    pub input: u64,
    /// Prompt tokens read from the cache.
    pub cache_read: u64,
    /// Prompt tokens written to the cache.
    pub cache_creation: u64,
    /// Tokens of the reply.
    pub output: u64,
}

/// The cache of one run: every request so far, as block lists with their token counts. Nothing expires.
#[derive(Default)]
pub struct PrefixCache {
    seen: Vec<Vec<(String, u64)>>,
}

impl PrefixCache {
    /// Accounts for a request and its reply, and remembers the request.
    pub fn account(&mut self, request: &Request, reply: &str) -> Usage {
        let blocks: Vec<(String, u64)> =
            request.wire_blocks().map(|(role, text)| (format!("{role} {text}"), O200k.text(text))).collect();
        let total: u64 = blocks.iter().map(|(_, tokens)| tokens).sum();
        let longest = self.seen.iter().map(|old| common_tokens(old, &blocks)).max().unwrap_or_default();
        let cache_read = if longest >= MIN_PREFIX { longest } else { 0 };
        let fresh = total - cache_read;
        let cache_creation = if total >= MIN_PREFIX { fresh } else { 0 };
        self.seen.push(blocks);
        let output = O200k.text(reply) + REPLY_FRAMING;
        Usage { input: fresh - cache_creation, cache_read, cache_creation, output }
    }
}

fn common_tokens(old: &[(String, u64)], new: &[(String, u64)]) -> u64 {
    old.iter().zip(new).take_while(|(old, new)| old == new).map(|(_, (_, tokens))| tokens).sum()
}

#[cfg(test)]
mod tests {
    use super::super::request::{Api, Request};
    use super::*;

    fn request(messages: &[&str]) -> Request {
        let messages: Vec<serde_json::Value> =
            messages.iter().map(|text| serde_json::json!({ "role": "user", "content": text })).collect();
        let body = serde_json::json!({ "model": "m", "messages": messages }).to_string();
        Request::parse(Api::Anthropic, body.as_bytes()).unwrap()
    }

    #[test]
    fn a_repeated_prefix_is_read_and_the_rest_is_written() {
        let long = "word ".repeat(1500);
        let mut cache = PrefixCache::default();
        let first = cache.account(&request(&[&long]), "ok");
        assert_eq!((first.cache_read, first.input), (0, 0));
        let second = cache.account(&request(&[&long, "more"]), "ok");
        assert_eq!(second.cache_read, first.cache_creation);
        assert_eq!((second.input, second.cache_creation), (0, O200k.text("\"more\"")));
    }

    #[test]
    fn a_short_prompt_is_not_cached() {
        let mut cache = PrefixCache::default();
        let usage = [cache.account(&request(&["a"]), ""), cache.account(&request(&["a", "b"]), "")];
        assert!(
            usage.iter().all(|usage| usage.cache_read == 0 && usage.cache_creation == 0 && usage.input > 0)
        );
    }
}
