//! Tokens of texts that are counted again and again: a replay plans the same messages many times.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};

use engine::tokens::TokenCounter;
use foldhash::fast::RandomState;
use sha2::{Digest, Sha256};

/// Bytes of a text that is kept itself; of a longer one its hash is, so that memory doesn't grow with sessions' outputs.
const SHORT: usize = 1 << 12;
/// Parts that threads look into at the same time.
const PARTS: usize = 16;

/// Counts each text once.
pub(super) struct Remembered {
    counter: Arc<dyn TokenCounter>,
    hasher: RandomState,
    parts: [Mutex<Known>; PARTS],
}

#[derive(Default)]
struct Known {
    short: HashMap<Box<str>, u64, RandomState>,
    long: HashMap<[u8; 32], u64, RandomState>,
}

impl Remembered {
    /// A counter that asks another once a text.
    pub(super) fn new(counter: Arc<dyn TokenCounter>) -> Remembered {
        Remembered { counter, hasher: RandomState::default(), parts: Default::default() }
    }

    fn part(&self, text: &str) -> &Mutex<Known> {
        // The beginning tells texts apart well enough to spread them.
        let beginning = &text.as_bytes()[..text.len().min(64)];
        &self.parts[self.hasher.hash_one((text.len(), beginning)) as usize % PARTS]
    }
}

impl TokenCounter for Remembered {
    fn id(&self) -> &'static str {
        self.counter.id()
    }

    fn text(&self, text: &str) -> u64 {
        let known = || self.part(text).lock().unwrap_or_else(PoisonError::into_inner);
        if text.len() <= SHORT {
            if let Some(tokens) = known().short.get(text) {
                return *tokens;
            }
            let tokens = self.counter.text(text);
            known().short.insert(text.into(), tokens);
            return tokens;
        }
        let key: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        if let Some(tokens) = known().long.get(&key) {
            return *tokens;
        }
        let tokens = self.counter.text(text);
        known().long.insert(key, tokens);
        tokens
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Counts bytes, and how often it is asked.
    #[derive(Default)]
    struct Bytes(AtomicU64);

    impl TokenCounter for Bytes {
        fn id(&self) -> &'static str {
            "bytes-v1"
        }

        fn text(&self, text: &str) -> u64 {
            self.0.fetch_add(1, Ordering::Relaxed);
            text.len() as u64
        }
    }

    #[test]
    fn each_text_is_counted_once_whatever_its_length() {
        let bytes = Arc::new(Bytes::default());
        let counter = Remembered::new(Arc::clone(&bytes) as Arc<dyn TokenCounter>);
        let same_beginning = |length: usize, last: char| format!("{}{last}", "a".repeat(length - 1));
        let texts: Vec<String> = [1, 2, 64, 65, SHORT, SHORT + 1, SHORT + 2]
            .into_iter()
            .flat_map(|length| ['x', 'y'].map(|last| same_beginning(length, last)))
            .chain([String::new()])
            .collect();
        for _ in 0..2 {
            for text in &texts {
                assert_eq!(counter.text(text), text.len() as u64);
            }
        }
        assert_eq!(bytes.0.load(Ordering::Relaxed), texts.len() as u64);
    }
}
