//! Definitions of a file, from the matches of its language's query.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use tree_sitter::Node;

use crate::privacy::mask_secrets;

/// Longest signature kept, characters.
const MAX_SIGNATURE_CHARS: usize = 200;

/// Bytes of a definition's head that are looked at: far more than a signature keeps, so that a secret at the signature's end
/// is seen whole.
const MAX_HEAD_BYTES: usize = 4_096;

/// Longest name kept, characters: a heading may be a paragraph.
const MAX_NAME_CHARS: usize = 120;

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Name as written.
    pub name: String,
    /// What it is: `function`, `method`, `class`, `struct`, `interface`, `trait`, `enum`, `union`, `type`, `constant`,
    /// `variable`, `property`, `field`, `module`, `macro`; of SQL also `table`, `view`, `trigger`, `index`; of documents
    /// `heading`.
    pub kind: String,
    /// Name of the definition or `impl` block around it.
    pub parent: Option<String>,
    /// First line, 1-based. Decorators and an `export` belong to the definition.
    pub start_line: u32,
    /// Last line, 1-based, inclusive.
    pub end_line: u32,
    /// Its head up to the body, blanks folded, secrets masked, cut after 200 characters.
    pub signature: String,
}

/// One match of a pattern for definitions.
#[derive(Clone)]
pub(super) struct Capture<'t> {
    /// The pattern's place in the query: of several for one definition the first counts.
    pattern: usize,
    pub(super) node: Option<Node<'t>>,
    pub(super) name: Option<Node<'t>>,
    pub(super) owner: Option<Node<'t>>,
    /// `None` for a scope.
    pub(super) kind: Option<&'static str>,
    pub(super) is_qualified: bool,
    /// Whether it holds to the end of the file, whatever its node spans.
    pub(super) to_end: bool,
    /// Where the head ends, for definitions whose body has no field of that name.
    pub(super) head_end: Option<usize>,
}

impl Capture<'_> {
    pub(super) fn new(pattern: usize) -> Self {
        Capture {
            pattern,
            node: None,
            name: None,
            owner: None,
            kind: None,
            is_qualified: false,
            to_end: false,
            head_end: None,
        }
    }
}

/// Definitions while a tree is walked.
pub(super) struct Symbols<'s, 't> {
    text: &'s str,
    /// By where definition and name start and end.
    captures: BTreeMap<(usize, Reverse<usize>, usize), Capture<'t>>,
    /// What belongs to a definition syntactically around it, by the definition's node.
    wraps: HashMap<usize, Node<'t>>,
}

/// Definitions by position, outer before inner, and where their names start, ascending.
pub(super) struct Definitions {
    pub(super) found: Vec<Symbol>,
    pub(super) name_starts: Vec<usize>,
    /// Spans of modules within the file.
    pub(super) modules: Vec<Range<usize>>,
}

/// A definition or scope that is open at a position.
struct Open {
    start: usize,
    end: usize,
    name: String,
    kind: Option<&'static str>,
}

impl Open {
    /// Whether functions in it are methods.
    fn is_type(&self) -> bool {
        self.kind.is_none_or(|k| matches!(k, "class" | "trait" | "interface" | "struct" | "enum" | "union"))
    }
}

impl<'s, 't> Symbols<'s, 't> {
    pub(super) fn new(text: &'s str) -> Symbols<'s, 't> {
        Symbols { text, captures: BTreeMap::new(), wraps: HashMap::new() }
    }

    /// Takes one match; one without definition and name says nothing here.
    pub(super) fn add(&mut self, capture: Capture<'t>) {
        let (Some(node), Some(name)) = (capture.node, capture.name) else { return };
        let key = (node.start_byte(), Reverse(node.end_byte()), name.start_byte());
        match self.captures.get_mut(&key) {
            None => {
                self.captures.insert(key, capture);
            }
            // An optional part of a pattern may match once without it and once with it.
            Some(kept) if capture.pattern < kept.pattern => *kept = capture,
            Some(kept) if capture.pattern == kept.pattern && kept.head_end.is_none() => *kept = capture,
            Some(_) => {}
        }
    }

    /// Notes that `wrap` belongs to the definition `inner`.
    pub(super) fn wrap(&mut self, inner: Node<'t>, wrap: Node<'t>) {
        self.wraps.insert(inner.id(), wrap);
    }

    pub(super) fn finish(self) -> Definitions {
        let mut open: Vec<Open> = Vec::new();
        let mut out = Definitions { found: Vec::new(), name_starts: Vec::new(), modules: Vec::new() };
        for (&(start, Reverse(end), name_start), capture) in &self.captures {
            // Two names of one declaration stand beside each other, not one in the other.
            while open.last().is_some_and(|o| o.end <= start || (o.start, o.end) == (start, end)) {
                open.pop();
            }
            let Some((name, qualifier)) = self.name(capture) else { continue };
            let around = open.last();
            let kind = capture.kind.and_then(|kind| kind_within(kind, around));
            if capture.kind.is_some() && kind.is_none() {
                continue;
            }
            let owner = capture.owner.map(|owner| self.slice(owner).to_owned());
            let parent = owner.or(qualifier).or_else(|| around.map(|around| around.name.clone()));
            if let Some(kind) = kind {
                out.name_starts.push(name_start);
                out.modules.extend((kind == "module").then_some(start..end));
                out.found.push(self.symbol(capture, &name, kind, parent));
            }
            // A name for a type that is defined in the same breath isn't around it.
            if kind == Some("type") {
                continue;
            }
            let end = if capture.to_end { usize::MAX } else { end };
            open.push(Open { start, end, name, kind });
        }
        out.name_starts.sort_unstable();
        out
    }

    fn symbol(&self, capture: &Capture<'t>, name: &str, kind: &str, parent: Option<String>) -> Symbol {
        let node = capture.node.expect("a kept capture has a node");
        let outer = self.outermost(node);
        Symbol {
            name: name.to_owned(),
            kind: kind.to_owned(),
            parent,
            start_line: line(outer.start_position().row),
            end_line: line(last_row(outer)),
            signature: signature(outer, node, capture.head_end, self.text),
        }
    }

    /// The name and, of a qualified one, what stands before its last segment.
    fn name(&self, capture: &Capture<'t>) -> Option<(String, Option<String>)> {
        let mut written = self.text.get(capture.name?.byte_range())?;
        if capture.kind == Some("constructor") {
            // `factory Cart.of(items)`, `const Cart()`
            let head = written.split('(').next().unwrap_or(written).trim_end();
            written = head.rsplit(char::is_whitespace).next().unwrap_or(head);
        }
        if !capture.is_qualified {
            return Some((clean_name(written), None));
        }
        let bare: String = written.chars().filter(|c| !matches!(c, '"' | '`' | '[' | ']')).collect();
        let cut = bare.rfind([':', '.']).filter(|_| !bare.contains("operator"));
        let Some(cut) = cut else { return Some((clean_name(&bare), None)) };
        let owner = bare[..cut].trim_end_matches([':', '.']).split('<').next().unwrap_or("");
        let owner = owner.rsplit([':', '.']).next().unwrap_or("");
        Some((clean_name(&bare[cut + 1..]), Some(clean_name(owner)).filter(|owner| !owner.is_empty())))
    }

    fn slice(&self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// The node with what belongs to it syntactically: `export`, decorators, the declaration around a single declarator.
    fn outermost(&self, node: Node<'t>) -> Node<'t> {
        let mut outer = node;
        while let Some(&wrap) = self.wraps.get(&outer.id()) {
            outer = wrap;
        }
        outer
    }
}

/// A heading of a document. Lines are 1-based.
pub(super) fn document_symbol(
    name: &str,
    parent: Option<&str>,
    start: usize,
    end: usize,
    head: &str,
) -> Symbol {
    Symbol {
        name: clean_name(name),
        kind: "heading".to_owned(),
        parent: parent.map(clean_name),
        start_line: u32::try_from(start).unwrap_or(u32::MAX),
        end_line: u32::try_from(end).unwrap_or(u32::MAX),
        signature: fold(&masked_head(head), MAX_SIGNATURE_CHARS),
    }
}

/// What a definition is in the light of what is around it; `None` for none at all.
fn kind_within(kind: &'static str, around: Option<&Open>) -> Option<&'static str> {
    let in_type = around.is_some_and(Open::is_type);
    match kind {
        // What looks like a prototype inside a function is a variable with arguments.
        "prototype" if around.is_some_and(|a| matches!(a.kind, Some("function" | "method"))) => None,
        "prototype" | "function" if in_type => Some("method"),
        "prototype" => Some("function"),
        "constructor" => Some("method"),
        kind => Some(kind),
    }
}

/// A name on one line; what isn't an identifier may hold anything, a secret too.
fn clean_name(written: &str) -> String {
    if written.chars().all(|c| c == '_' || c.is_alphanumeric()) {
        return written.to_owned();
    }
    fold(&mask_secrets(written).text, MAX_NAME_CHARS)
}

/// The row of the node's last character: a node that ends at column 0 ends on the row before.
fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row }
}

fn line(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

fn signature(outer: Node<'_>, inner: Node<'_>, head_end: Option<usize>, text: &str) -> String {
    let body = || {
        let body = inner
            .child_by_field_name("body")
            .or_else(|| inner.child_by_field_name("value").and_then(|v| v.child_by_field_name("body")))
            .or_else(|| inner.child_by_field_name("right").and_then(|v| v.child_by_field_name("body")));
        body.map(|body| body.start_byte())
    };
    let end = head_end.or_else(body).unwrap_or_else(|| outer.end_byte());
    fold(&masked_head(text.get(outer.start_byte()..end).unwrap_or("")), MAX_SIGNATURE_CHARS)
}

/// The head without secrets: what the index stores is quoted later.
fn masked_head(head: &str) -> Cow<'_, str> {
    let mut end = head.len().min(MAX_HEAD_BYTES);
    while !head.is_char_boundary(end) {
        end -= 1;
    }
    if end == head.len() {
        return mask_secrets(head).text;
    }
    // A literal that the cut has torn must still be seen as one.
    let closed = format!("{}\"", &head[..end]);
    Cow::Owned(mask_secrets(&closed).text.into_owned())
}

/// Blanks and line breaks as one blank each, cut after `max` characters.
fn fold(text: &str, max: usize) -> String {
    let mut out = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
            chars += 1;
        }
        let end = if word.is_ascii() {
            word.len().min(max.saturating_sub(chars))
        } else {
            word.char_indices().nth(max.saturating_sub(chars)).map_or(word.len(), |(end, _)| end)
        };
        out.push_str(&word[..end]);
        if end < word.len() {
            return out;
        }
        chars += if word.is_ascii() { end } else { word.chars().count() };
    }
    out
}
