//! A syntax tree as a list in order of position, so that patterns are compared with it without asking the parser again.

use std::cell::{Cell, RefCell};
use std::mem;
use std::num::NonZeroU16;

use tree_sitter::{Node, Tree};

use super::language::{Facts, Kind, Part, Pattern, Step, Support};

/// Nodes compared with one pattern at one place, at most, and how many more for each node below the place. Patterns look at
/// each node a bounded number of times; several parts that each fit many siblings would multiply.
const FREE_STEPS: u32 = 4_096;
const STEPS_A_NODE: u32 = 16;

/// Siblings without names in one run, at most: a run of brackets that nobody closes becomes one.
const MAX_RUN: u32 = 400;

/// Number of the kind of an error.
const ERROR: u16 = u16::MAX;

/// A node with what patterns ask of it.
struct Entry<'t> {
    node: Node<'t>,
    kind: u16,
    facts: Facts,
    field: Option<NonZeroU16>,
    parent: u32,
    /// Where the next entry stands that isn't below this one.
    next: u32,
}

/// The nodes of a tree, each before what is below it. Left out are anonymous ones that no pattern of the language names, and
/// all below a node within which no pattern can match.
pub(super) struct Nodes<'t> {
    entries: Vec<Entry<'t>>,
    support: &'static Support,
    text: &'t str,
    /// Nodes that may still be compared with the pattern under way.
    steps_left: Cell<u32>,
}

thread_local! {
    /// The list of the file before: several times as long as its text, it would be fetched from the system and given back at
    /// each file.
    static SPARE: RefCell<Vec<Entry<'static>>> = const { RefCell::new(Vec::new()) };
}

/// Entries that are kept for the next file, at most.
const MAX_SPARE: usize = 1 << 16;

impl Drop for Nodes<'_> {
    fn drop(&mut self) {
        if self.entries.capacity() <= MAX_SPARE {
            SPARE.replace(emptied(mem::take(&mut self.entries)));
        }
    }
}

/// The list without its entries, for those of another tree. Collecting a list's own iterator keeps its memory.
fn emptied<'b>(mut entries: Vec<Entry<'_>>) -> Vec<Entry<'b>> {
    entries.clear();
    entries.into_iter().map(|_| unreachable!("the list is empty")).collect()
}

/// What the walk knows of the children of a node that it is among.
#[derive(Default)]
struct Level {
    /// The node's entry.
    parent: u32,
    /// Siblings without names just before the place.
    run: u32,
    has_fields: bool,
    /// Children that weren't visited yet, and those of them that are named.
    left: u32,
    named_left: u32,
    /// Where what stands behind the node begins, among all nodes of the tree.
    end: usize,
}

impl Level {
    fn visit(&mut self, facts: Facts) {
        self.left = self.left.saturating_sub(1);
        if facts.is_named() {
            self.named_left = self.named_left.saturating_sub(1);
            self.run = 0;
        } else {
            self.run += 1;
        }
    }

    /// Whether nothing is left, or tokens alone of which no pattern asks for any; `next` says where the next child begins,
    /// among all nodes of the tree.
    fn is_bare(&self, support: &Support, next: impl FnOnce() -> usize) -> bool {
        self.left == 0
            || self.named_left == 0
                && !support.kinds.asks_tokens()
                && self.end.checked_sub(next()) == Some(self.left as usize)
    }
}

/// One way in which a pattern matches: places in [`Pattern::labels`] and of nodes.
pub(super) type Captures = Vec<(u16, u32)>;

impl<'t> Nodes<'t> {
    /// `None` where a run of siblings without names is longer than any program's.
    pub(super) fn new(tree: &'t Tree, support: &'static Support, text: &'t str) -> Option<Nodes<'t>> {
        let mut entries: Vec<Entry<'t>> = emptied(SPARE.take());
        let mut open: Vec<Level> = Vec::new();
        let mut level = Level { left: 1, named_left: 1, ..Level::default() };
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let kind = node.kind_id();
            let facts = support.kinds.facts(kind);
            let at = position(entries.len());
            level.visit(facts);
            if level.run > MAX_RUN {
                return None;
            }
            let children = node.child_count();
            let is_inner = children > 0;
            if facts.is_named() || is_inner || facts.is_asked() {
                let field = if level.has_fields { cursor.field_id() } else { None };
                entries.push(Entry { node, kind, facts, field, parent: level.parent, next: at + 1 });
            }
            let is_inert = || {
                let parent_kind = || entries.get(level.parent as usize).map_or(ERROR, |entry| entry.kind);
                let text = || text.as_bytes().get(node.byte_range()).unwrap_or_default();
                support.kinds.is_inert(kind, parent_kind, || node.has_error(), text)
            };
            if is_inner && !(facts.may_be_inert() && is_inert()) {
                let inner = Level {
                    parent: at,
                    run: 0,
                    has_fields: facts.has_fields(),
                    left: children,
                    named_left: position(node.named_child_count()),
                    end: cursor.descendant_index() + node.descendant_count(),
                };
                let is_bare = inner.is_bare(support, || cursor.descendant_index() + 1);
                if is_bare && inner.left > MAX_RUN {
                    return None;
                }
                if !is_bare && cursor.goto_first_child() {
                    open.push(mem::replace(&mut level, inner));
                    continue;
                }
            }
            // Where what stands behind the node that was left last begins, among all nodes of the tree.
            let mut behind: Option<usize> = None;
            loop {
                let is_bare = level.is_bare(support, || {
                    behind.unwrap_or_else(|| cursor.descendant_index() + node.descendant_count())
                });
                if is_bare && level.run + level.left > MAX_RUN {
                    return None;
                }
                // Asking for a sibling where there is none takes longest: up to the parent and down again.
                if !is_bare && cursor.goto_next_sibling() {
                    break;
                }
                let Some(around) = open.pop() else {
                    return Some(Nodes { entries, support, text, steps_left: Cell::new(0) });
                };
                cursor.goto_parent();
                entries[level.parent as usize].next = position(entries.len());
                behind = Some(level.end);
                level = around;
            }
        }
    }

    /// Calls `sink` with every match: the pattern's place, the pattern, what it captures.
    pub(super) fn matches(&self, sink: &mut impl FnMut(usize, &'static Pattern, &Captures)) {
        let mut captures = Captures::new();
        for (at, entry) in self.entries.iter().enumerate().filter(|(_, entry)| entry.facts.begins()) {
            for &place in self.support.kinds.begun_by(entry.kind) {
                let pattern = &self.support.patterns[place as usize];
                if let Some(capture) = pattern.only {
                    captures.push((capture, position(at)));
                    sink(place as usize, pattern, &captures);
                    captures.clear();
                    continue;
                }
                self.steps_left.set(FREE_STEPS + STEPS_A_NODE.saturating_mul(entry.next - position(at)));
                let [first, rest @ ..] = &pattern.parts[..] else { continue };
                let parent = &self.entries[entry.parent as usize];
                // Siblings in an error are none, as for tree-sitter: what stands between them isn't known.
                if !rest.is_empty() && parent.kind == ERROR {
                    continue;
                }
                let end = parent.next;
                self.step(position(at), &first.alternatives[0], &mut captures, &mut |captures| {
                    self.parts(entry.next, end, rest, captures, &mut |captures| {
                        let holds = self.holds(pattern, captures);
                        if holds {
                            sink(place as usize, pattern, captures);
                        }
                        holds
                    })
                });
            }
        }
    }

    pub(super) fn node(&self, at: u32) -> Node<'t> {
        self.entries[at as usize].node
    }

    fn holds(&self, pattern: &Pattern, captures: &Captures) -> bool {
        pattern.predicates.iter().all(|predicate| {
            let mut of_it = captures.iter().filter(|(capture, _)| predicate.captures.contains(capture));
            of_it.all(|&(_, at)| {
                let text = self.text.get(self.node(at).byte_range());
                text.is_some_and(|text| predicate.texts.iter().any(|wanted| wanted == text))
            })
        })
    }

    /// Calls `then` for every way in which the node is what the step says; tells whether one of them was taken to the end.
    fn step(
        &self,
        at: u32,
        step: &Step,
        captures: &mut Captures,
        then: &mut dyn FnMut(&mut Captures) -> bool,
    ) -> bool {
        let entry = &self.entries[at as usize];
        let is_kind = match step.kind {
            Kind::Id(kind) => entry.kind == kind,
            Kind::AnyNamed => entry.facts.is_named() && entry.kind != ERROR,
        };
        if !is_kind || step.field.is_some() && step.field != entry.field {
            return false;
        }
        let mut children = self.siblings(at + 1, entry.next);
        if !step.without.is_empty()
            && children.any(|(_, child)| child.field.is_some_and(|f| step.without.contains(&f)))
        {
            return false;
        }
        let bound = captures.len();
        captures.extend(step.captures.iter().map(|&capture| (capture, at)));
        let taken = self.parts(at + 1, entry.next, &step.children, captures, then);
        captures.truncate(bound);
        taken
    }

    /// The same for parts among the siblings from `from` to `end`.
    fn parts(
        &self,
        from: u32,
        end: u32,
        parts: &[Part],
        captures: &mut Captures,
        then: &mut dyn FnMut(&mut Captures) -> bool,
    ) -> bool {
        let [part, rest @ ..] = parts else { return then(captures) };
        let mut taken = false;
        for (at, sibling) in self.siblings(from, end) {
            let Some(left) = self.steps_left.get().checked_sub(1) else { break };
            self.steps_left.set(left);
            let is_last = || self.siblings(sibling.next, end).all(|(_, later)| !later.facts.is_named());
            if !part.last || is_last() {
                for step in &part.alternatives {
                    let mut go_on =
                        |captures: &mut Captures| self.parts(sibling.next, end, rest, captures, then);
                    taken |= self.step(at, step, captures, &mut go_on);
                }
            }
            if part.adjacent && sibling.facts.is_named() {
                break;
            }
        }
        // The longest match counts: without an optional part only where it can't be had.
        taken || part.optional && self.parts(from, end, rest, captures, then)
    }

    fn siblings(&self, from: u32, end: u32) -> impl Iterator<Item = (u32, &Entry<'t>)> {
        let mut at = from;
        std::iter::from_fn(move || {
            let entry = self.entries.get(at as usize).filter(|_| at < end)?;
            let found = (at, entry);
            at = entry.next;
            Some(found)
        })
    }
}

fn position(at: usize) -> u32 {
    u32::try_from(at).expect("a file of a megabyte has fewer than 2^32 nodes")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use tree_sitter::{Query, QueryCursor, StreamingIterator as _};

    use super::super::language::{Language, label, query_texts};
    use super::super::parse::parse;
    use super::*;

    /// A match: the pattern's place, what its captures mean and where they stand.
    type Found = BTreeSet<(usize, Vec<(usize, usize, String)>)>;

    /// tree-sitter's own reading of a language's query files.
    fn query(language: Language) -> Query {
        Query::new(&language.support().unwrap().grammar, &query_texts(language).concat()).unwrap()
    }

    fn by_tree_sitter(query: &Query, tree: &Tree, text: &str) -> Found {
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
        let mut out = Found::new();
        while let Some(found) = matches.next() {
            let captures = found.captures().iter().map(|capture| {
                let name = query.capture_names()[capture.index as usize];
                (capture.node.start_byte(), capture.node.end_byte(), format!("{:?}", label(name).unwrap()))
            });
            let mut captures: Vec<_> = captures.collect();
            captures.sort();
            out.insert((found.pattern_index, captures));
        }
        out
    }

    fn by_nodes(language: Language, tree: &Tree, text: &str) -> Found {
        let nodes = Nodes::new(tree, language.support().unwrap(), text).unwrap();
        let mut out = Found::new();
        nodes.matches(&mut |place, pattern, captures| {
            let captures = captures.iter().map(|&(capture, at)| {
                let node = nodes.node(at);
                (node.start_byte(), node.end_byte(), format!("{:?}", pattern.labels[capture as usize]))
            });
            let mut captures: Vec<_> = captures.collect();
            captures.sort();
            out.insert((place, captures));
        });
        out
    }

    /// Matches that tree-sitter finds and we don't, and those that only we find; `None` for a text without a tree.
    fn difference(language: Language, query: &Query, text: &str) -> Option<(Found, Found)> {
        let tree = parse(language.support()?, text).ok()?;
        Nodes::new(&tree, language.support()?, text)?;
        let (ours, theirs) = (by_nodes(language, &tree, text), by_tree_sitter(query, &tree, text));
        Some((theirs.difference(&ours).cloned().collect(), ours.difference(&theirs).cloned().collect()))
    }

    #[test]
    fn patterns_match_what_tree_sitters_walk_matches_in_every_language() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/sources");
        let mut languages = BTreeSet::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let language = Language::of_path(&path.to_string_lossy()).unwrap();
            if language.support().is_none() {
                continue;
            }
            let query = query(language);
            let (missing, more) = difference(language, &query, &text).unwrap();
            assert_eq!(missing, Found::new(), "{}", path.display());
            // Of several names of one declaration of Go, tree-sitter's walk gives up all but the first.
            assert!(more.is_empty() || language == Language::Go, "{}: {more:?}", path.display());
            languages.insert(language);
            // A part of it is missing, somewhere. There tree-sitter's walk gives up some of what it has begun to match.
            for cut in 1..8 {
                let at = text.floor_char_boundary(text.len() * cut / 8);
                let rest = text[at..].char_indices().nth(17).map_or("", |(skip, _)| &text[at + skip..]);
                for damaged in [text[..at].to_owned(), format!("{}{rest}", &text[..at])] {
                    let missing = difference(language, &query, &damaged).map(|(missing, _)| missing);
                    assert!(
                        missing.is_none_or(|missing| missing.is_empty()),
                        "{}: {damaged}",
                        path.display()
                    );
                }
            }
        }
        let with_grammar = Language::ALL.into_iter().filter(|language| language.support().is_some());
        assert_eq!(languages, with_grammar.collect());
    }

    #[test]
    fn nothing_is_missed_below_nodes_that_are_not_looked_into() {
        let script = r#"
            foo(a, b.c, "x y", { d: [1, e.f], "g h": -i, ...j });
            require("k l"); m({ n: { o: p.q } }, (r), s[t.u], !v);
            w({ x() {}, y: () => z, get a() { return new B() }, c: d(e) });
            f(`${g(h)} ${i.j}`, k?.l(), m`n`, new O, p ? q.r : s(t));
            u(/"/, v("w"), x /* ' */, y('z'), a.b.c(d.e.f));
        "#;
        let typed = r#"
            f((a[0] as [B, C][]).push(1), new A, <B>c);
            f({ a: class { b: C = 1 }, d: class{ e: F }, g: h as I });
            f(a! as B, c satisfies D, e++ as F, "g" as H, i.j as K<L>);
            const m: N<"o", 1> = { p: q, r: [s.t], u: v as W };
        "#;
        let markup = "f(a.b, <C d={e.f} g=\"h i\"/>, { j: <K>l (m)</K> });";
        let rust = r##"
            fn f() {
                g(a.b, &c[1], "(d e", h::I, -j);
                k(A { b: c }, d as E, f? as G, |h: I| h, [j, L::<M>::n(o)]);
                p!(q, R(s)); t("\"", r"\", u('"'), v("w"), x.y.z(a.b));
                c(&D { e }, (F(g)), h.i!(), J { k: l } == m);
            }
        "##;
        for (language, text) in [
            (Language::JavaScript, script.to_owned()),
            (Language::TypeScript, [script, typed].concat()),
            (Language::Tsx, [script, &typed.replace("<B>c", "c"), markup].concat()),
            (Language::Rust, rust.to_owned()),
        ] {
            let (missing, _) = difference(language, &query(language), &text).unwrap();
            assert_eq!(missing, Found::new(), "{language:?}");
        }
    }
}
