//! What tests of the readers share: a log in memory read, what it holds, and what holds for any log.

use adapters::log::{self, Content, ReadOptions, SessionLog, View};
use engine::message::{Block, Message};
use engine::session::{EntryKind, Selection, TreeIndex};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

/// Both readings of a log.
pub const VIEWS: [View; 2] = [View::Agent, View::Salvaged];

pub fn read(text: impl AsRef<[u8]>) -> SessionLog {
    log::read(text.as_ref(), &ReadOptions::default()).unwrap()
}

/// The same without texts.
pub fn outline(text: impl AsRef<[u8]>) -> SessionLog {
    let options = ReadOptions { content: Content::Outline, ..ReadOptions::default() };
    log::read(text.as_ref(), &options).unwrap()
}

/// Line and code of each warning.
pub fn faults(session: &SessionLog) -> Vec<(u64, &'static str)> {
    session.warnings.iter().map(|warning| (warning.line, warning.code.code())).collect()
}

/// Messages that a selection sends, as `role: text`.
pub fn sent(selection: &Selection<'_>) -> Vec<String> {
    let shown =
        |message: &Message| format!("{}: {}", message.role.name(), message.text().replace('\n', " | "));
    selection.sent().iter().map(|item| shown(&item.message)).collect()
}

/// Two readings differ in texts only.
pub fn assert_same_structure(full: &SessionLog, outline: &SessionLog, name: &str) {
    assert_eq!(full.requests, outline.requests, "{name}");
    assert_eq!(full.warnings, outline.warnings, "{name}");
    assert_eq!((&full.header, &full.lost), (&outline.header, &outline.lost), "{name}");
    assert_eq!(full.salvaged.is_some(), outline.salvaged.is_some(), "{name}");
    for view in VIEWS {
        let (a, b) = (full.view(view), outline.view(view));
        assert_eq!((&a.leaf, a.entries.len()), (&b.leaf, b.entries.len()), "{name}");
        assert_eq!(full.stats(view), outline.stats(view), "{name}");
        for (a, b) in a.entries.iter().zip(&b.entries) {
            assert_eq!((&a.id, &a.parent, a.line, &a.bytes), (&b.id, &b.parent, b.line, &b.bytes), "{name}");
            assert_eq!(skeleton(&a.kind), skeleton(&b.kind), "{name} line {}", a.line);
        }
    }
}

/// A contribution without texts, images and arguments.
fn skeleton(kind: &EntryKind) -> EntryKind {
    let mut kind = kind.clone();
    let bare = |message: &mut Message| {
        message.blocks.retain(|block| matches!(block, Block::ToolCall { .. }));
        for block in &mut message.blocks {
            if let Block::ToolCall { arguments, json, .. } = block {
                (*arguments, *json) = (Value::Null, String::new());
            }
        }
    };
    match &mut kind {
        EntryKind::Message(message)
        | EntryKind::Injected { message, .. }
        | EntryKind::Replacement { message: Some(message), .. } => bare(message),
        EntryKind::Compaction { messages, system, .. } => {
            messages.iter_mut().chain(system.as_deref_mut()).for_each(bare);
        }
        EntryKind::ContextEdit { replacement: Some(blocks), .. } => blocks.clear(),
        _ => {}
    }
    kind
}

/// One to seven bytes to be changed, and to what.
pub fn changes() -> impl Strategy<Value = Vec<(Index, u8)>> {
    proptest::collection::vec((any::<Index>(), any::<u8>()), 1..8)
}

/// A log with bytes changed.
pub fn changed(text: impl Into<Vec<u8>>, changes: Vec<(Index, u8)>) -> Vec<u8> {
    let mut bytes = text.into();
    for (at, byte) in changes {
        let at = at.index(bytes.len());
        bytes[at] = byte;
    }
    bytes
}

/// A selection can be made at any entry of either reading.
pub fn assert_selects(session: &SessionLog) {
    for view in VIEWS {
        let tree = session.view(view);
        let index = TreeIndex::new(tree);
        for leaf in 0..tree.entries.len() {
            let selection = index.select(tree, leaf);
            assert!(selection.sent().len() <= selection.messages.len());
        }
    }
}
