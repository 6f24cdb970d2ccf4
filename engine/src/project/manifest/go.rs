//! Facts of `go.mod`.

use serde::{Deserialize, Serialize};

/// A Go module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct GoModule {
    pub(in super::super) module: String,
    /// Modules that a folder beside this one stands in for: import path and folder.
    pub(in super::super) replaced: Vec<(String, String)>,
}

pub(super) fn read(text: &str) -> Option<GoModule> {
    let mut module = None;
    let mut replaced = Vec::new();
    let mut block = "";
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line).trim();
        if line == ")" {
            block = "";
        } else if let Some(verb) = line.strip_suffix('(') {
            block = verb.trim();
        } else {
            let (verb, rest) = match block {
                "" => line.split_once(char::is_whitespace).unwrap_or((line, "")),
                verb => (verb, line),
            };
            match verb {
                "module" => module = Some(rest.trim().trim_matches('"').to_owned()),
                "replace" => replaced.extend(replacement(rest)),
                _ => {}
            }
        }
    }
    let module = module.filter(|name| !name.is_empty())?;
    Some(GoModule { module, replaced })
}

/// `path [version] => ./folder`; one that points at another module says nothing of the project.
fn replacement(text: &str) -> Option<(String, String)> {
    let (old, new) = text.split_once("=>")?;
    let path = old.split_whitespace().next()?.trim_matches('"');
    let folder = new.split_whitespace().next()?.trim_matches('"');
    folder.starts_with('.').then(|| (path.to_owned(), folder.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_and_its_local_replacements_are_read() {
        let text = "module example.org/x // y\n\ngo 1.22\n\nreplace example.org/a => ../a\n\
                    replace (\n\texample.org/b v1.0.0 => ./b // near\n\texample.org/c => example.org/d v2\n)\n";
        let read = read(text).unwrap();
        assert_eq!(read.module, "example.org/x");
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(read.replaced, [pair("example.org/a", "../a"), pair("example.org/b", "./b")]);
        assert_eq!(super::read("go 1.22\n"), None);
        assert_eq!(super::read("module (\n\"example.org/q\"\n)\n").unwrap().module, "example.org/q");
    }
}
