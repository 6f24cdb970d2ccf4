//! The map behind the excerpts: files that rank next, with the definitions that the task's words name.

use crate::project::FileView;
use crate::tokens::TokenCounter;

use super::super::search::named_symbols;
use super::super::task::Task;
use super::Mapped;

const HEADING: &str = "\nAlso matching, not quoted:";

/// Share of a budget that the map's signatures may take. Paths may take what is left: they say most for their length.
const SIGNATURES: u64 = 10;

/// Definitions listed for one file.
const PER_FILE: usize = 3;

/// Appends as much of a map of `files` as fits the budget: first paths, best first, then signatures in turn.
pub(super) fn append(
    text: String,
    files: &[&FileView],
    task: &Task,
    budget: u64,
    counter: &dyn TokenCounter,
) -> (String, Vec<Mapped>) {
    let paths = |count: usize| -> Vec<Mapped> {
        files[..count].iter().map(|f| Mapped { path: f.path.clone(), definitions: Vec::new() }).collect()
    };
    let fits = |map: &[Mapped]| counter.text(&render(&text, map)) <= budget;
    let Some(mut map) = (1..=files.len()).rev().map(paths).find(|map| fits(map)) else {
        return (text, Vec::new());
    };
    let bare = counter.text(&render(&text, &map));
    let limit = budget.min(bare + budget / SIGNATURES);
    let named: Vec<_> = files[..map.len()].iter().map(|file| named_symbols(&file.symbols, task)).collect();
    for turn in 0..PER_FILE {
        for (file, symbols) in named.iter().enumerate() {
            let Some(symbol) = symbols.get(turn) else { continue };
            map[file].definitions.push((symbol.start_line, symbol.signature.clone()));
            if counter.text(&render(&text, &map)) > limit {
                map[file].definitions.pop();
            }
        }
    }
    (render(&text, &map), map)
}

/// The text with a map behind it: paths alone on one line, files with definitions on lines of their own.
fn render(text: &str, map: &[Mapped]) -> String {
    let bare: Vec<&str> = map.iter().filter(|m| m.definitions.is_empty()).map(|m| m.path.as_str()).collect();
    let mut out = format!("{text}{HEADING}");
    if !bare.is_empty() {
        out.push(' ');
        out.push_str(&bare.join(", "));
    }
    out.push('\n');
    for mapped in map.iter().filter(|m| !m.definitions.is_empty()) {
        out.push_str(&mapped.path);
        out.push('\n');
        for (line, signature) in &mapped.definitions {
            out.push_str(&format!("  {line}: {signature}\n"));
        }
    }
    if text.is_empty() { out.trim_start().to_owned() } else { out }
}
