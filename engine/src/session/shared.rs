//! An entry that several engines hold at once.

use std::borrow::Borrow;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::Entry;
use crate::tokens::{TokenCounter, message_tokens};

/// An entry behind a shared pointer, with what follows from it alone: found once, for all engines that take it in.
#[derive(Debug, Clone)]
pub struct SharedEntry(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    entry: Entry,
    known: OnceLock<Counted>,
}

/// What the messages of an entry are by one counter.
#[derive(Debug)]
struct Counted {
    counter: &'static str,
    messages: Box<[Known]>,
}

/// What is known of one message of an entry.
#[derive(Debug)]
pub(crate) struct Known {
    /// What it costs in a prompt.
    pub(crate) tokens: u64,
    /// The words in it, found when first needed.
    pub(crate) terms: OnceLock<Box<[u64]>>,
}

impl SharedEntry {
    /// Shares an entry.
    pub fn new(entry: Entry) -> SharedEntry {
        SharedEntry(Arc::new(Shared { entry, known: OnceLock::new() }))
    }

    /// Shares the entries of a log.
    pub fn all(entries: impl IntoIterator<Item = Entry>) -> Vec<SharedEntry> {
        entries.into_iter().map(SharedEntry::new).collect()
    }

    /// This entry with its messages counted: itself, unless another counter was faster. Counters of one
    /// [`TokenCounter::id`] count alike.
    pub(crate) fn counted(&self, counter: &dyn TokenCounter) -> SharedEntry {
        if self.0.known.get_or_init(|| Counted::of(self, counter)).counter == counter.id() {
            return self.clone();
        }
        let own = SharedEntry::new(self.0.entry.clone());
        own.0.known.get_or_init(|| Counted::of(&own, counter));
        own
    }

    /// What is known of its messages, in their order; nothing where they weren't counted.
    pub(crate) fn known(&self) -> &[Known] {
        self.0.known.get().map_or(&[], |counted| &counted.messages)
    }
}

impl Counted {
    fn of(entry: &Entry, counter: &dyn TokenCounter) -> Counted {
        let know = |message| Known { tokens: message_tokens(counter, message), terms: OnceLock::new() };
        Counted { counter: counter.id(), messages: entry.kind.messages().map(know).collect() }
    }
}

impl Deref for SharedEntry {
    type Target = Entry;

    fn deref(&self) -> &Entry {
        &self.0.entry
    }
}

impl Borrow<Entry> for SharedEntry {
    fn borrow(&self) -> &Entry {
        self
    }
}

impl From<Entry> for SharedEntry {
    fn from(entry: Entry) -> SharedEntry {
        SharedEntry::new(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Message, Role};
    use crate::session::{EntryId, EntryKind};
    use crate::tokens::{ByteClass, O200k};

    #[test]
    fn each_counter_has_its_own_counts() {
        let kind = EntryKind::Message(Message::from_text(Role::User, "a few words, and 1,234 more"));
        let entry =
            Entry { id: EntryId("a".into()), parent: None, line: 1, bytes: 0..0, time_ms: None, kind };
        let shared = SharedEntry::new(entry.clone());
        assert!(shared.known().is_empty());
        let tokens = |counter: &dyn TokenCounter| {
            let counted = shared.counted(counter);
            assert_eq!(*counted, entry);
            counted.known().iter().map(|known| known.tokens).collect::<Vec<u64>>()
        };
        let direct = |counter: &dyn TokenCounter| {
            entry.kind.messages().map(|message| message_tokens(counter, message)).collect::<Vec<u64>>()
        };
        assert_ne!(direct(&O200k), direct(&ByteClass));
        for counter in [&O200k as &dyn TokenCounter, &ByteClass, &O200k] {
            assert_eq!(tokens(counter), direct(counter), "{}", counter.id());
        }
    }
}
