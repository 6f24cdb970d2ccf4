//! From text to a syntax tree, at a cost bounded by the length of the text.
//!
//! The parser itself is close to linear, also on text that isn't its language: up to some seconds for the megabyte that is read
//! of a file at most. What isn't: descending into a tree that is very deep, giving up a statement without end, errors within
//! statements that a grammar leaves open, a scanner that looks ahead to the end of a line at every token, and comparing patterns
//! with a long run of siblings that aren't named (told by [`Nodes`](super::nodes::Nodes)). Files of that kind are told apart and
//! go on without a tree. Every bound counts characters, tokens, parser steps, reads or nodes, never time, so the same bytes
//! always end the same way.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use super::language::Support;

/// Brackets open at one place of a file, at most. Program text written by people stays under 40.
const MAX_DEPTH: u32 = 1_000;

/// Operators in one statement, at most: a statement that isn't closed keeps them all on the parser's stack, and giving up at
/// its end takes memory with the square of them (20,000 of them took gigabytes). Program text stays under 200.
const MAX_CHAIN: u32 = 1_000;

/// Operators in a row, at most: rules drawn in comments are some hundred long.
const MAX_OPERATOR: u32 = 2_000;

/// Parser callbacks (of about 100 steps each) that any file may use, and more for each KiB. Program text needs 5 to 20 a
/// KiB, text in another language up to 90.
const FREE_CALLBACKS: usize = 1_000;
const CALLBACKS_PER_KIB: usize = 400;

/// Bytes that the parser reads at a time, and how often it may ask for some: any file, and more for each such piece. A scanner
/// of a grammar that looks far ahead at every token (that of Dart does, to the end of the line, once it has lost its way)
/// takes no step of the parser for it. Program text asks up to three times for a piece, text in another language up to seven.
const PIECE_BYTES: usize = 512;
const LINE_ENDS: [u8; PIECE_BYTES] = [b'\n'; PIECE_BYTES];
const FREE_READS: usize = 1_000;
const READS_PER_PIECE: usize = 64;

/// Labels and heads of statements (`a: b`, `while (a) b`) within one statement of JavaScript, at most. Where it has errors its
/// grammar (0.25.0) leaves all of them open and goes through them again at each error: 16 KB of `a:b ` took 10 s, twice as
/// much text more than four times that. Program text has some tens, in a `switch` whose cases fall through.
const MAX_HEADS: u32 = 128;

/// Words behind a word on one line of Elixir, at most: calls without parentheses, of which its grammar (0.3.5) leaves all open at
/// an error.
const MAX_CALLS: u32 = 200;

/// Other tokens that grammars leave open where they are errors ([`Support::left_open`]), within one statement, at most.
const MAX_LEFT_OPEN: u32 = 160;

/// A file of which more than one byte in so many is outside any structure isn't read as its language.
const ERROR_SHARE: usize = 3;

/// Nor is one with more than one error in so many lines, unless they are few.
const LINES_A_PLACE: usize = 2;
const FEW_PLACES: usize = 10;

/// Why a file of a known language has no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoTree {
    /// Brackets nest too deep, or a statement goes on without end.
    Nesting,
    /// The parser took too many steps for its length.
    Budget,
    /// It holds a run of tokens without structure.
    Run,
    /// Too much of it isn't the language it should be.
    Errors,
}

impl NoTree {
    /// The stable name in tables and reports.
    pub fn code(self) -> &'static str {
        match self {
            NoTree::Nesting => "nesting",
            NoTree::Budget => "budget",
            NoTree::Run => "run",
            NoTree::Errors => "errors",
        }
    }
}

/// Parses a file.
pub(super) fn parse(support: &Support, text: &str) -> Result<Tree, NoTree> {
    thread_local! {
        static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
    }
    let bounds = Bounds::of(text.as_bytes());
    if bounds.may_be_deep && is_deep(text.as_bytes())
        || bounds.may_be_endless && is_endless(text.as_bytes())
        || support.nests_heads && is_headed(text.as_bytes())
        || support.nests_calls && is_run_on(text.as_bytes())
        || is_left_open(text.as_bytes(), support.left_open)
    {
        return Err(NoTree::Nesting);
    }
    let read = if support.ascii_only { ascii(text) } else { Cow::Borrowed(text.as_bytes()) };
    let tree = PARSER.with_borrow_mut(|parser| {
        parser.set_language(&support.grammar).ok()?;
        // A cancelled parse would be taken up again otherwise.
        parser.reset();
        bounded(parser, &read)
    });
    tree.ok_or(NoTree::Budget)
}

/// The text with a letter for each byte that isn't ASCII: every place stays where it is, and what may stand in a word still
/// does.
fn ascii(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    Cow::Owned(text.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect())
}

fn bounded(parser: &mut Parser, text: &[u8]) -> Option<Tree> {
    let mut steps = FREE_CALLBACKS + text.len().div_ceil(1024) * CALLBACKS_PER_KIB;
    let reads = Cell::new(FREE_READS + text.len().div_ceil(PIECE_BYTES) * READS_PER_PIECE);
    let mut step = |_: &ParseState| match steps.checked_sub(1) {
        Some(less) if reads.get() > 0 => {
            steps = less;
            ControlFlow::Continue(())
        }
        _ => ControlFlow::Break(()),
    };
    let mut read = |at: usize, _| {
        reads.set(reads.get().saturating_sub(1));
        let piece = text.get(at..text.len().min(at.saturating_add(PIECE_BYTES))).unwrap_or_default();
        // What is given instead is taken by no one. It ends what looks ahead, and is as long as the text: a text that ends
        // before a place already read makes a scanner of the library read beyond it.
        if reads.get() == 0 { &LINE_ENDS[..piece.len()] } else { piece }
    };
    let options = ParseOptions::new().progress_callback(&mut step);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    tree.filter(|_| reads.get() > 0)
}

/// What counts over blocks of a text tell of its depth and its statements: counting is many times as fast as following them,
/// and shows of nearly every file that nothing in it can be too much.
#[derive(Default)]
struct Bounds {
    may_be_deep: bool,
    may_be_endless: bool,
}

/// Bytes that are counted together: as many as a count of eight bits holds.
const BLOCK_BYTES: usize = 128;

impl Bounds {
    fn of(text: &[u8]) -> Bounds {
        let mut bounds = Bounds::default();
        // At most so many brackets are open, and so many operators stand in the statement under way, at the end of a block.
        let (mut depth, mut operators) = (0_u32, 0_u32);
        let (blocks, rest) = text.as_chunks::<BLOCK_BYTES>();
        let rest = Some(rest).filter(|rest| !rest.is_empty()).map(Counts::of);
        for counts in blocks.iter().map(|block| Counts::of(block)).chain(rest) {
            let [opened, closed, found] = [counts.opened, counts.closed, counts.operators].map(u32::from);
            bounds.may_be_deep |= depth + opened > MAX_DEPTH;
            bounds.may_be_endless |= operators + found > MAX_CHAIN.min(MAX_OPERATOR);
            // What is closed may stand before what is opened.
            depth = depth.saturating_sub(closed).saturating_add(opened);
            operators = if counts.ends { found } else { operators.saturating_add(found) };
        }
        bounds
    }
}

/// How often marks stand in a block.
#[derive(Default)]
struct Counts {
    opened: u8,
    closed: u8,
    operators: u8,
    /// Whether a statement ends in it whatever stands around.
    ends: bool,
}

impl Counts {
    /// Of [`BLOCK_BYTES`] bytes at most. Comparisons without branches are what the compiler makes instructions of that take
    /// sixteen bytes at a time.
    fn of(block: &[u8]) -> Counts {
        let (mut counts, mut ends) = (Counts::default(), 0);
        for &byte in block {
            // Brackets and braces differ in this bit.
            let folded = byte | 0x20;
            counts.opened += u8::from((folded == b'{') | (byte == b'('));
            counts.closed += u8::from((folded == b'}') | (byte == b')'));
            counts.operators += u8::from(is_operator(byte));
            ends |= u8::from((byte == b';') | (byte == b'{') | (byte == b'}'));
        }
        Counts { ends: ends > 0, ..counts }
    }
}

/// Whether more brackets are open at one place than any program has. Strings and comments count too: telling them apart
/// would take the parser.
fn is_deep(text: &[u8]) -> bool {
    let mut depth = 0_u32;
    for &byte in text {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

/// Whether a statement has more operators than any program's. It ends at a semicolon, at a brace, behind a comma at the end of
/// a line, and at the end of a line unless an operator stands there or begins the next one. Strings and comments count too,
/// as above.
fn is_endless(text: &[u8]) -> bool {
    let (mut chain, mut run) = (0_u32, 0_u32);
    // The last byte that isn't blank, and whether a line ended since.
    let (mut last, mut new_line) = (b' ', false);
    for &byte in text {
        match byte {
            b'\n' => new_line = true,
            b' ' | b'\t' | b'\r' => {}
            _ => {
                // A star at the head of a line is that of a comment, most often.
                let goes_on = is_operator(last) || is_operator(byte) && byte != b'*' && last != b',';
                if matches!(byte, b';' | b'{' | b'}') || new_line && !goes_on {
                    chain = 0;
                }
                if is_operator(byte) {
                    chain += u32::from(!is_operator(last));
                    run += 1;
                    if chain > MAX_CHAIN || run > MAX_OPERATOR {
                        return true;
                    }
                } else {
                    run = 0;
                }
                (last, new_line) = (byte, false);
            }
        }
    }
    false
}

/// Whether a statement of JavaScript has more labels, or more heads, than any program's. It ends at a brace and at a
/// semicolon that isn't in a head; a comma ends what only looks like a label, or like a head before a string. Strings and
/// comments count too, as above.
fn is_headed(text: &[u8]) -> bool {
    let (mut labels, mut heads, mut parentheses) = (0_u32, 0_u32, 0_u32);
    // The last byte that isn't blank, and whether a name may end there. A number is none: cases of numbers are closed.
    let (mut last, mut is_name) = (b' ', false);
    let mut in_word = false;
    for &byte in text {
        let is_letter = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
        let begins = is_letter && !in_word;
        in_word = is_letter;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'{' | b'}' => (labels, heads, parentheses) = (0, 0, 0),
            b';' if parentheses == 0 => (labels, heads) = (0, 0),
            b',' => labels = 0,
            b'(' => parentheses += 1,
            b')' => parentheses = parentheses.saturating_sub(1),
            b':' => labels += u32::from(is_name),
            _ => {}
        }
        match byte {
            _ if last != b')' => {}
            b'"' | b'\'' => labels += 1,
            b'[' | b'`' | b'/' => heads += 1,
            _ => heads += u32::from(is_letter),
        }
        if labels.max(heads) > MAX_HEADS {
            return true;
        }
        is_name = if begins { !byte.is_ascii_digit() } else { is_name && is_letter || byte == b'/' };
        last = byte;
    }
    false
}

/// Whether a line of Elixir has more words, or parentheses, that only blanks part from the word before than any program's.
fn is_run_on(text: &[u8]) -> bool {
    let may_end =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b')' | b'?' | b'!' | 0x80..);
    let may_begin =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'(' | b':' | b'@' | 0x80..);
    let (mut calls, mut last, mut is_apart) = (0_u32, b' ', false);
    for &byte in text {
        match byte {
            b'\n' => (calls, last, is_apart) = (0, b' ', false),
            b' ' | b'\t' | b'\r' => is_apart = true,
            _ => {
                calls += u32::from(is_apart && may_end(last) && may_begin(byte));
                if calls > MAX_CALLS {
                    return true;
                }
                (last, is_apart) = (byte, false);
            }
        }
    }
    false
}

/// Whether a statement, up to a semicolon or a brace, has more of these tokens than any program's.
fn is_left_open(text: &[u8], tokens: &[&str]) -> bool {
    // Most files don't hold so many anywhere.
    let anywhere = tokens.iter().map(|token| memchr::memmem::find_iter(text, token).count()).sum::<usize>();
    if anywhere <= MAX_LEFT_OPEN as usize {
        return false;
    }
    let (mut found, mut in_word) = (0_u32, false);
    for (at, &byte) in text.iter().enumerate() {
        let is_letter = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        let begins = !(in_word && is_letter);
        in_word = is_letter;
        match byte {
            b';' | b'{' | b'}' => found = 0,
            b'c' | b'=' if begins && tokens.iter().any(|token| text[at..].starts_with(token.as_bytes())) => {
                found += 1;
                if found > MAX_LEFT_OPEN {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// One of `<>=!?-+*&|^~\`, of which four are neighbours.
fn is_operator(byte: u8) -> bool {
    (byte.wrapping_sub(b'<') < 4)
        | (byte == b'!')
        | (byte == b'&')
        | (byte == b'*')
        | (byte == b'+')
        | (byte == b'-')
        | (byte == b'\\')
        | (byte == b'^')
        | (byte == b'|')
        | (byte == b'~')
}

/// Whether the tree is too damaged to be believed: too many bytes that the parser skipped or could make nothing of (what has
/// structure within an error counts as read), or too many places where it had to guess.
pub(super) fn is_ruin(tree: &Tree, text: &str) -> bool {
    if !tree.root_node().has_error() {
        return false;
    }
    let (bytes, places) = damage(tree);
    let lines = text.bytes().filter(|&b| b == b'\n').count();
    bytes * ERROR_SHARE > text.len() || places > FEW_PLACES && places * LINES_A_PLACE > lines
}

/// Bytes without structure, and errors.
fn damage(tree: &Tree) -> (usize, usize) {
    let length = |node: Node<'_>| node.end_byte() - node.start_byte();
    let (mut bytes, mut places) = (0, 0);
    let mut open = vec![tree.root_node()];
    let mut cursor = tree.walk();
    while let Some(node) = open.pop() {
        let mut apart = 0;
        for child in node.children(&mut cursor) {
            // An error within this one counts for itself.
            let counts_apart = child.is_named() && child.child_count() > 0;
            apart += if counts_apart { length(child) } else { 0 };
            places += usize::from(child.is_missing());
            if child.has_error() {
                open.push(child);
            }
        }
        if node.is_error() {
            places += 1;
            bytes += length(node).saturating_sub(apart);
        }
    }
    (bytes, places)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::language::Language;
    use super::super::nodes::Nodes;
    use super::*;

    /// A tree that is believed.
    fn parse(language: Language, text: &str) -> Result<Tree, NoTree> {
        let support = language.support().unwrap();
        let tree = super::parse(support, text)?;
        Nodes::new(&tree, support, text).ok_or(NoTree::Run)?;
        if is_ruin(&tree, text) { Err(NoTree::Errors) } else { Ok(tree) }
    }

    #[test]
    fn the_scanner_of_bash_reads_beyond_no_table() {
        // `isdigit` of a character far beyond a byte crashed the process, now and then.
        for character in ['\u{e9}', '\u{ffff}', '\u{1f600}', '\u{e01ef}', '\u{10ffff}'] {
            let tree = parse(
                Language::Bash,
                &format!("echo {{{character}1..{character}}}\nf() {{ echo {{1..{character}; }}\n"),
            );
            assert!(matches!(tree, Ok(_) | Err(NoTree::Errors)));
        }
        let named = "prüfe() {\n  echo ü\n}\n";
        let tree = parse(Language::Bash, named).unwrap();
        let function = tree.root_node().child(0).unwrap();
        assert_eq!((function.kind(), function.end_byte()), ("function_definition", named.len() - 1));
    }

    #[test]
    fn a_scanner_that_looks_ahead_at_every_token_is_given_up() {
        for unit in ["a.", "else if (a) ", "0x1 ", "aB "] {
            let tree = parse(Language::Dart, &unit.repeat(500_000 / unit.len()));
            assert!(matches!(tree, Err(NoTree::Budget | NoTree::Errors)), "{unit:?}");
        }
    }

    #[test]
    fn unclosed_brackets_in_every_language_are_given_up_before_the_parser_sees_them() {
        for language in Language::ALL.into_iter().filter(|language| language.support().is_some()) {
            for open in ["(", "[", "{", "f({", "a[("] {
                assert_eq!(
                    parse(language, &open.repeat(100_000)).err(),
                    Some(NoTree::Nesting),
                    "{language:?}"
                );
            }
        }
    }

    #[test]
    fn a_statement_without_end_is_given_up_before_the_parser_sees_it() {
        for unit in ["a<", "a=", "a =\n", "\na ? ", "-a", "!", "a=>", "\\\n"] {
            assert_eq!(parse(Language::Java, &unit.repeat(20_000)).err(), Some(NoTree::Nesting), "{unit:?}");
        }
        let table = "static int t[] = {\n".to_owned() + &"  -1, +2, a < b,\n".repeat(5_000) + "};\n";
        assert!(parse(Language::C, &table).is_ok());
        let comment = format!("/*\n{}*/\nint a;\n", " * what a line may say\n".repeat(900));
        assert!(parse(Language::C, &comment).is_ok());
        assert!(parse(Language::Python, &"x = -1\ny = x < 2\n".repeat(5_000)).is_ok());
    }

    #[test]
    fn labels_and_heads_without_end_are_given_up_before_the_parser_of_javascript_sees_them() {
        let units = [
            "a:b ",
            "$a:expr ",
            "where a: ",
            "case a:\n",
            "default: a ",
            "while (a) b c ",
            "for (;;) a b ",
            "a:/**/b ",
            "a:'b' c ",
            "a:1 b ",
            "while (a) 1 c ",
            "while (a) 'b' c ",
        ];
        for unit in units {
            assert_eq!(
                parse(Language::JavaScript, &unit.repeat(20_000)).err(),
                Some(NoTree::Nesting),
                "{unit:?}"
            );
        }
        for language in [Language::Java, Language::TypeScript, Language::Tsx] {
            assert_eq!(
                parse(language, &"case 1: ".repeat(20_000)).err(),
                Some(NoTree::Nesting),
                "{language:?}"
            );
        }
        let table = format!("module.exports = {{\n{}}}\n", "  name: value,\n  b: [c],\n".repeat(2_000));
        assert!(parse(Language::JavaScript, &table).is_ok());
        for (case, times) in [("NAME", 100), ("'unicode-1-1-utf-8'", 1_000), ("17", 1_000)] {
            let cases = format!("  case {case}:\n").repeat(times);
            let switch = format!("switch (a) {{\n{cases}  b()\n}}\n");
            assert!(parse(Language::JavaScript, &switch).is_ok(), "{case}");
        }
        let code = "if (a) b()\nfor (const c of d) c(e)\nf = g ? h : i;\n".repeat(2_000);
        assert!(parse(Language::JavaScript, &code).is_ok());
    }

    #[test]
    fn calls_without_parentheses_and_without_end_are_given_up_before_the_parser_of_elixir_sees_them() {
        for unit in ["for (;;) a b ", "a (;;) b ", "SELECT a, b c "] {
            let tree = parse(Language::Elixir, &unit.repeat(20_000));
            assert_eq!(tree.err(), Some(NoTree::Nesting), "{unit:?}");
        }
        assert!(parse(Language::Elixir, &"import a, only: [b: 1]\nassert a b, c d\n".repeat(2_000)).is_ok());
    }

    #[test]
    fn cases_and_arrows_that_are_errors_are_given_up_before_the_parser_sees_them() {
        for (language, unit) in [
            (Language::Java, "case 1: "),
            (Language::TypeScript, "case 1: "),
            (Language::Tsx, "case 1: "),
            (Language::Java, "a => "),
            (Language::C, "() => "),
            (Language::Cpp, "(a) => "),
        ] {
            assert_eq!(
                parse(language, &unit.repeat(200)).err(),
                Some(NoTree::Nesting),
                "{language:?} {unit:?}"
            );
        }
        let cases = "        case lowercase:\n".repeat(MAX_LEFT_OPEN as usize);
        let text = format!("class A {{ void f() {{ switch (a) {{\n{cases} return; }} }} }}\n");
        assert!(parse(Language::Java, &text).is_ok());
        assert!(parse(Language::TypeScript, &"a(b => c => d);\n".repeat(2_000)).is_ok());
    }

    #[test]
    fn a_run_of_tokens_without_structure_is_given_up() {
        let holes = format!("const a = [{}];", ",".repeat(100_000));
        assert_eq!(parse(Language::JavaScript, &holes).err(), Some(NoTree::Run));
        let closed = ")".repeat(100_000);
        assert_eq!(parse(Language::Go, &closed).err(), Some(NoTree::Run));
    }

    #[test]
    fn text_of_another_language_is_given_up_and_a_damaged_file_is_not() {
        let prose = "Once upon a time, there was a file; it said nothing a compiler knows.\n".repeat(20);
        for language in [Language::Go, Language::Rust, Language::Java, Language::Cpp, Language::CSharp] {
            assert_eq!(parse(language, &prose).err(), Some(NoTree::Errors), "{language:?}");
        }
        let damaged = "package m\n\nfunc a() {}\n\nfunc b( {\n\nfunc c() { return 1 }\n";
        assert!(parse(Language::Go, damaged).is_ok());
    }

    proptest! {
        #[test]
        fn counts_over_blocks_never_miss_what_is_deep_or_endless(
            units in prop::collection::vec(("[a-c(){}\\[\\];=<\\-!, \n*]{1,9}", 1_usize..700), 1..8),
        ) {
            let text: String = units.iter().map(|(unit, times)| unit.repeat(*times)).collect();
            let bounds = Bounds::of(text.as_bytes());
            prop_assert!(bounds.may_be_deep || !is_deep(text.as_bytes()));
            prop_assert!(bounds.may_be_endless || !is_endless(text.as_bytes()));
        }
    }

    #[test]
    fn counts_over_blocks_clear_ordinary_text() {
        let text = "fn f(a: &[u8]) -> bool {\n    g(a[0] + 1 == 2)\n}\n".repeat(5_000);
        let bounds = Bounds::of(text.as_bytes());
        assert!(!bounds.may_be_deep && !bounds.may_be_endless);
        let bounds = Bounds::of("(".repeat(MAX_DEPTH as usize + 1).as_bytes());
        assert!(bounds.may_be_deep);
        let bounds = Bounds::of("-a".repeat(MAX_CHAIN as usize + 1).as_bytes());
        assert!(bounds.may_be_endless);
    }

    #[test]
    fn operators_are_those_listed() {
        let found: Vec<u8> = (0..=u8::MAX).filter(|&byte| is_operator(byte)).collect();
        let mut listed = b"<>=!?-+*&|^~\\".to_vec();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }

    #[test]
    fn depth_counts_what_is_open_at_one_place() {
        let nested = |n: usize| format!("x = {}1{}\n", "(".repeat(n), ")".repeat(n));
        assert!(parse(Language::Python, &nested(MAX_DEPTH as usize)).is_ok());
        assert_eq!(parse(Language::Python, &nested(MAX_DEPTH as usize + 1)).err(), Some(NoTree::Nesting));
        assert!(parse(Language::Python, &"x = (1)\n".repeat(5_000)).is_ok());
    }

    #[test]
    fn a_given_up_parse_leaves_nothing_to_the_next() {
        let parsed = || parse(Language::Rust, "fn f() {}\n").unwrap().root_node().to_sexp();
        let before = parsed();
        assert_eq!(parse(Language::Rust, &",".repeat(9_000)).err(), Some(NoTree::Run));
        assert_eq!(parsed(), before);
    }
}
