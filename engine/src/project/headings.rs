//! Headings of Markdown, by the rules of CommonMark for blocks.
//!
//! Read line by line rather than with a grammar: the grammar there is takes four times as long for a document as a grammar
//! of a programming language does for program text of that length, and headings are all that is wanted of it.

use super::role::count_lines;
use super::symbols::{Symbol, document_symbol};

/// A heading before it is known where its section ends.
struct Heading {
    level: usize,
    start: usize,
    name: String,
    line: String,
}

/// The headings of a document in order, each reaching to the next one that isn't below it.
pub(super) fn headings(text: &str) -> Vec<Symbol> {
    let found = Reader::default().read(text);
    let lines = count_lines(text);
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut out = Vec::new();
    for (at, heading) in found.iter().enumerate() {
        let next = found[at + 1..].iter().find(|later| later.level <= heading.level);
        let end = next.map_or(lines, |next| next.start - 1);
        while open.last().is_some_and(|&(level, _)| level >= heading.level) {
            open.pop();
        }
        let parent = open.last().map(|&(_, name)| name);
        out.push(document_symbol(&heading.name, parent, heading.start, end, &heading.line));
        open.push((heading.level, &heading.name));
    }
    out
}

/// What the lines so far have opened.
#[derive(Default)]
struct Reader<'t> {
    found: Vec<Heading>,
    /// Mark and length of an open code fence.
    fence: Option<(char, usize)>,
    in_comment: bool,
    /// First line and lines of the paragraph that an underline would make a heading.
    paragraph: Option<(usize, Vec<&'t str>)>,
}

impl<'t> Reader<'t> {
    fn read(mut self, text: &'t str) -> Vec<Heading> {
        let mut lines = text.lines().enumerate().peekable();
        if let Some((_, mark @ ("---" | "+++"))) = lines.peek().copied() {
            let end = text.lines().skip(1).position(|line| line.trim_end() == mark);
            // Without an end it is no front matter.
            if let Some(end) = end {
                lines.nth(end + 1);
            }
        }
        for (index, line) in lines {
            self.line(index + 1, line);
        }
        self.found
    }

    fn line(&mut self, number: usize, line: &'t str) {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let content = content.trim_end();
        if let Some((mark, length)) = self.fence {
            let run = content.chars().take_while(|&c| c == mark).count();
            if indent < 4 && run >= length && run == content.chars().count() {
                self.fence = None;
            }
            return;
        }
        if self.in_comment {
            self.in_comment = !line.contains("-->");
            return;
        }
        // Code by indent, unless a paragraph goes on.
        if indent >= 4 || content.starts_with('\t') {
            return;
        }
        if let Some(fence) = fence(content) {
            self.fence = Some(fence);
            self.paragraph = None;
        } else if content.starts_with("<!--") {
            self.in_comment = !content.contains("-->");
            self.paragraph = None;
        } else if let Some((level, name)) = atx(content) {
            self.add(level, number, name.to_owned(), content);
        } else if let Some(level) = underline(content) {
            if let Some((start, lines)) = self.paragraph.take() {
                let name = lines.join(" ");
                self.add(level, start, name.clone(), &name);
            }
        } else if content.is_empty() || opens_block(content) {
            self.paragraph = None;
        } else {
            self.paragraph.get_or_insert_with(|| (number, Vec::new())).1.push(content);
        }
    }

    fn add(&mut self, level: usize, start: usize, name: String, line: &str) {
        self.paragraph = None;
        if !name.is_empty() {
            self.found.push(Heading { level, start, name, line: line.to_owned() });
        }
    }
}

fn fence(content: &str) -> Option<(char, usize)> {
    let mark = content.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = content.chars().take_while(|&c| c == mark).count();
    // Backticks after backticks on one line are code in a text.
    let is_fence = length >= 3 && (mark == '~' || !content[length..].contains('`'));
    is_fence.then_some((mark, length))
}

/// Level and text of `## Text ##`.
fn atx(content: &str) -> Option<(usize, &str)> {
    let level = content.bytes().take_while(|&b| b == b'#').count();
    let rest = &content[level..];
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let text = rest.trim();
    let bare = text.trim_end_matches('#');
    let closed = bare.is_empty() || bare.ends_with([' ', '\t']);
    Some((level, if closed { bare.trim_end() } else { text }))
}

/// The level that a line of `=` or `-` gives to the paragraph above it.
fn underline(content: &str) -> Option<usize> {
    let all = |mark: char| !content.is_empty() && content.chars().all(|c| c == mark);
    if all('=') {
        Some(1)
    } else if all('-') {
        Some(2)
    } else {
        None
    }
}

/// Whether a line begins something that isn't a paragraph: a quote, a list, a table's row, a rule.
fn opens_block(content: &str) -> bool {
    let numbered = content.trim_start_matches(|c: char| c.is_ascii_digit());
    let in_list = ["- ", "* ", "+ "].iter().any(|mark| content.starts_with(mark))
        || numbered.len() < content.len() && (numbered.starts_with(". ") || numbered.starts_with(") "));
    let rule = content.chars().all(|c| matches!(c, '*' | '_' | ' '));
    in_list || rule || content.starts_with(['>', '|', '<'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(u32, u32, &str)]) {
        let found = headings(text);
        let found: Vec<(u32, u32, &str)> =
            found.iter().map(|s| (s.start_line, s.end_line, s.name.as_str())).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn headings_of_both_forms_reach_to_the_next_that_is_not_below_them() {
        check("# A #\n\ntext\n## B\n\nC\n=\n", &[(1, 5, "A"), (4, 5, "B"), (6, 7, "C")]);
        check("two\nlines\n---\n\n---\n", &[(1, 5, "two lines")]);
        check("#no\n####### no\n#\n\t# no\n    # no\n", &[]);
    }

    #[test]
    fn what_only_looks_like_a_heading_is_none() {
        check("---\ntitle: x\n---\n# A\n", &[(4, 4, "A")]);
        check("---\n# A\n", &[(2, 2, "A")]);
        check("```sh\n# no\n~~~\n```\n# A\n~~~~\n# no\n~~~\n", &[(5, 8, "A")]);
        check("<!-- # no\n# no\n-->\n# A\n", &[(4, 4, "A")]);
        check("- item\n---\n| a |\n---\n> q\n---\n", &[]);
        check("# C# and F#\n", &[(1, 1, "C# and F#")]);
        check("", &[]);
    }
}
