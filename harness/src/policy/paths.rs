//! Paths in text: what a reader would take for the name of a file.

/// Endings that make a word a file of interest.
const ENDINGS: [&str; 18] = [
    "py", "pyi", "js", "mjs", "cjs", "jsx", "ts", "tsx", "rs", "go", "md", "toml", "json", "csv", "txt",
    "cfg", "yml", "yaml",
];
/// What may stand before a path in a heading: marks of lists, quotes, comments and diffs, and words for "file".
const MARKS: &[char] =
    &['#', '=', '-', '*', '>', '<', '[', ']', '(', ')', '`', '"', '\'', ' ', '\t', '|', '@'];
const MARK_WORDS: [&str; 4] = ["file", "path", "source", "in"];

/// Paths in a line, in order, without duplicates: relative ones as they are, absolute ones cut at `folder`.
pub(super) fn in_line(line: &str, folder: Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    for word in line.split(|c: char| !is_path_char(c)) {
        if let Some(path) = clean(word, folder)
            && !found.contains(&path)
        {
            found.push(path);
        }
    }
    found
}

/// The path at the head of a line: only marks such as `#`, `---` or `File:` may stand before it.
pub(super) fn heading(line: &str, folder: Option<&str>) -> Option<String> {
    let line = line.trim_start();
    let line = line.strip_prefix("//").unwrap_or(line);
    let mut rest = line.trim_start_matches(|c: char| MARKS.contains(&c));
    for word in MARK_WORDS {
        let tail = rest
            .get(..word.len())
            .filter(|head| head.eq_ignore_ascii_case(word))
            .map(|_| &rest[word.len()..]);
        if let Some(tail) = tail
            && tail.starts_with([':', '=', ' '])
        {
            rest = tail.trim_start_matches([':', '=', ' ', '"', '`', '\'']);
        }
    }
    let end = rest.find(|c: char| !is_path_char(c)).unwrap_or(rest.len());
    clean(&rest[..end], folder)
}

fn is_path_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')
}

fn clean(word: &str, folder: Option<&str>) -> Option<String> {
    let word = word.trim_end_matches(['.', '/', '-']);
    let relative = match folder {
        Some(folder) if word.starts_with('/') => word.strip_prefix(folder)?.strip_prefix('/')?,
        _ => word.trim_start_matches("./"),
    };
    let (stem, ending) = relative.rsplit_once('.')?;
    let named =
        stem.rsplit('/').next().is_some_and(|name| name.contains(|c: char| c.is_ascii_alphanumeric()));
    let plain =
        !relative.starts_with('/') && !relative.split('/').any(|part| part.is_empty() || part == "..");
    (ENDINGS.contains(&ending) && named && plain).then(|| relative.to_owned())
}

/// Paths that an import line names, as far as the line and the importing file tell.
pub(super) fn imported(line: &str, importer: &str) -> Option<String> {
    let line = line.trim();
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    if importer.ends_with(".py") {
        let module = line.strip_prefix("from ")?.split_whitespace().next()?;
        return python_module(module, folder);
    }
    if importer.ends_with(".rs") {
        let module = line.strip_prefix("use crate::")?.split("::").next()?.trim_end_matches(';');
        return Some(format!("src/{module}.rs"));
    }
    let quoted = line.strip_prefix("import ")?.rsplit_once("from ")?.1.trim_matches(['"', '\'', ';', ' ']);
    let relative = quoted.starts_with('.').then(|| join(folder, quoted)).flatten()?;
    clean(&relative, None)
}

fn python_module(module: &str, folder: &str) -> Option<String> {
    let dots = module.len() - module.trim_start_matches('.').len();
    let name = module[dots..].replace('.', "/");
    if name.is_empty() {
        return None;
    }
    match dots {
        0 => Some(format!("{name}.py")),
        1 => join(folder, &format!("{name}.py")),
        _ => join(folder, &format!("{}{name}.py", "../".repeat(dots - 1))),
    }
}

fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: Option<&str> = Some("/home/user/ledger");

    #[test]
    fn finds_paths_in_prose_tracebacks_and_hits() {
        let found = |line| in_line(line, HOME);
        assert_eq!(found("see docs/tax.md, or (ledger/tax.py)."), ["docs/tax.md", "ledger/tax.py"]);
        assert_eq!(found(r#"  File "/home/user/ledger/ledger/tax.py", line 3, in group"#), ["ledger/tax.py"]);
        assert_eq!(found("ledger/tax.py:12:    return x.y"), ["ledger/tax.py"]);
        assert!(found("value.amount and 1.25 and e.g. ../x.py and /usr/lib/a.py").is_empty());
    }

    #[test]
    fn a_heading_begins_with_its_path() {
        let found = |line| heading(line, HOME);
        for line in [
            "ledger/tax.py:40-88",
            "### ledger/tax.py (lines 40-88)",
            "File: `ledger/tax.py`",
            "--- ledger/tax.py ---",
            "// ledger/tax.py",
            "<file path=\"ledger/tax.py\" lines=\"1-2\">",
        ] {
            assert_eq!(found(line).as_deref(), Some("ledger/tax.py"), "{line}");
        }
        for line in ["import { x } from './tax.js'", "    read(\"a.csv\")", "from tax import x", "x = y.py"] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn imports_are_resolved_against_the_importer() {
        let found = |line, from| imported(line, from);
        assert_eq!(found("from .money import Money", "ledger/tax.py").as_deref(), Some("ledger/money.py"));
        assert_eq!(found("from ..dates import x", "a/b/c.py").as_deref(), Some("a/dates.py"));
        assert_eq!(found("from ledger.money import Money", "tests/t.py").as_deref(), Some("ledger/money.py"));
        assert_eq!(found("import { a } from \"../lib/x.js\";", "src/y.js").as_deref(), Some("lib/x.js"));
        assert_eq!(found("use crate::graph::Graph;", "src/plan.rs").as_deref(), Some("src/graph.rs"));
        assert_eq!(found("import os", "ledger/tax.py"), None);
    }
}
