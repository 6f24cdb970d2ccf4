//! One file's contribution to the index: a pure function of its path and bytes.

use std::borrow::Cow;
use std::cell::RefCell;

use sha2::{Digest, Sha256};

use crate::privacy::mask_secrets;

use super::extract::{Extracted, extract};
use super::headings::headings;
use super::imports::Import;
use super::kept::KEPT;
use super::language::{Language, Support};
use super::manifest::{self, Manifest};
use super::nodes::Nodes;
use super::parse::{NoTree, is_ruin, parse};
use super::role::{Role, count_lines, role_of};
use super::symbols::Symbol;
use super::tally::{Counted, Tally};
use super::terms::for_each_term;

/// Bytes at the head of a file that decide whether it is text.
const SNIFF_BYTES: usize = 8192;

/// What the index keeps of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Analysis {
    pub(super) language: Option<Language>,
    /// Why a file of a known language has no tree, so neither symbols nor imports.
    pub(super) no_tree: Option<NoTree>,
    pub(super) role: Role,
    pub(super) lines: u32,
    pub(super) symbols: Vec<Symbol>,
    pub(super) imports: Vec<Import>,
    /// Names that it uses, as stored.
    pub(super) uses: String,
    /// What it says about names, where it is a manifest.
    pub(super) manifest: Option<Manifest>,
    /// At least one, in order; together they cover every line.
    pub(super) chunks: Vec<ChunkText>,
}

/// The terms of one chunk, by field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ChunkText {
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    /// Terms of the file's path, in its first chunk only.
    pub(super) path: Field,
    /// Terms of the names of symbols that start in the chunk.
    pub(super) defs: Field,
    /// Terms of the text.
    pub(super) body: Counted,
}

/// Terms joined by blanks, and how many they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) text: String,
    pub(super) terms: u32,
}

impl Field {
    fn extend(&mut self, text: &str) {
        for_each_term(text, &mut |term| {
            self.text.reserve(term.len() + 1);
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(term);
            self.terms += 1;
        });
    }
}

/// SHA-256 of a file's bytes.
pub(super) fn identity(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Whether the bytes are text: no NUL and under 2 % control characters in the first 8 KiB.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(SNIFF_BYTES)];
    let control = head.iter().filter(|&&b| b < 7 || (14..32).contains(&b) && b != 27).count();
    memchr::memchr(0, head).is_none() && control * 50 <= head.len()
}

/// Analyses one file. Bytes that aren't UTF-8 are replaced for analysis only; identity is over the bytes themselves.
pub(super) fn analyse(path: &str, bytes: &[u8]) -> Analysis {
    // Checking takes a fraction of what taking apart what isn't UTF-8 does.
    let text = str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
    let role = role_of(path, &text);
    let language = Language::of(path, &text);
    let (Extracted { symbols, imports, uses }, no_tree) = match language {
        Some(language) => structure(language, &text),
        None => (Extracted::default(), None),
    };
    // Words of a secret are no words of the project: the index keeps none. Lines stay where they are.
    let chunks = chunks(path, &mask_secrets(&text).text, &symbols);
    Analysis {
        language,
        no_tree,
        role,
        lines: u32::try_from(count_lines(&text)).unwrap_or(u32::MAX),
        manifest: manifest::read(path, &text),
        symbols,
        imports,
        uses,
        chunks,
    }
}

/// What a file of a known language says beside its words, or why it says nothing.
fn structure(language: Language, text: &str) -> (Extracted, Option<NoTree>) {
    let Some(support) = language.support() else {
        return (Extracted { symbols: headings(text), ..Extracted::default() }, None);
    };
    match read_tree(language, support, text) {
        Ok(extracted) => (extracted, None),
        Err(why) => (Extracted::default(), Some(why)),
    }
}

fn read_tree(language: Language, support: &'static Support, text: &str) -> Result<Extracted, NoTree> {
    let tree = parse(support, text)?;
    let nodes = Nodes::new(&tree, support, text).ok_or(NoTree::Run)?;
    if is_ruin(&tree, text) {
        return Err(NoTree::Errors);
    }
    Ok(extract(language, &nodes, text))
}

fn chunks(path: &str, text: &str, symbols: &[Symbol]) -> Vec<ChunkText> {
    let mut out: Vec<ChunkText> = Vec::new();
    thread_local! {
        static TALLY: RefCell<Tally> = RefCell::default();
    }
    let (mut rest, mut start_line) = (text, 1);
    while !rest.is_empty() {
        // A chunk's lines are split into terms together: no term reaches over a line break.
        let end = memchr::memchr_iter(b'\n', rest.as_bytes())
            .nth(KEPT.chunk_lines - 1)
            .map_or(rest.len(), |at| at + 1);
        let (lines, later) = rest.split_at(end);
        let count = u32::try_from(count_lines(lines)).expect("a chunk has few lines");
        let end_line = start_line + count - 1;
        let body = TALLY.with_borrow_mut(|tally| tally.count(lines));
        out.push(ChunkText { start_line, end_line, body, ..ChunkText::default() });
        (rest, start_line) = (later, end_line + 1);
    }
    if out.is_empty() {
        out.push(ChunkText { start_line: 1, end_line: 1, ..ChunkText::default() });
    }
    out[0].path.extend(path);
    let last = out.len() - 1;
    for symbol in symbols {
        let at = (symbol.start_line.saturating_sub(1) as usize / KEPT.chunk_lines).min(last);
        out[at].defs.extend(&symbol.name);
    }
    out
}
