//! The corpus of faults: one file or more a kind, each read as the table beside the files says.

mod damage;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use adapters::log::{self, FaultCode, Limits, ReadError, ReadOptions, SessionLog, Stats, View};
use engine::session::{SessionTree, select};

use self::table::{Expected, Figures, Folder, corpus, figure, format, table};

/// Kinds of faults, from 1; 0 is a sound log. A kind without a file fails the test.
const KINDS: u32 = 43;

fn read(expected: &Expected) -> Result<SessionLog, ReadError> {
    let bytes = fs::read(corpus().join(&expected.file)).unwrap();
    let mut options = ReadOptions::default();
    if let Some(line_bytes) = expected.limit {
        options.limits = Limits { line_bytes, ..options.limits };
    }
    log::read(&bytes[..], &options)
}

/// Every warning, that about the file's name too, as the table spells them: by line, then by name.
fn codes(file: &str, log: &SessionLog) -> Vec<String> {
    let named = log::name_fault(Path::new(file), log);
    let mut codes: Vec<(u64, &str)> =
        log.warnings.iter().chain(&named).map(|warning| (warning.line, warning.code.code())).collect();
    codes.sort_unstable();
    codes.into_iter().map(|(line, code)| format!("{code}@{line}")).collect()
}

/// Lines of the entries that are held at the last entry, and of those that are sent.
fn context(tree: &SessionTree) -> (Vec<u64>, Vec<u64>) {
    let selection = select(tree, None);
    let line = |entry: usize| tree.entries[entry].line;
    let held = selection.entries.iter().map(|entry| line(*entry)).collect();
    (held, selection.sent().iter().map(|message| line(message.entry)).collect())
}

/// Lines of the messages that the model sees otherwise than the log holds them.
fn changed(tree: &SessionTree) -> Vec<u64> {
    let selection = select(tree, None);
    let own =
        |entry: usize| tree.entries[entry].kind.messages().map(|message| message.text()).collect::<String>();
    let differs = |item: &&engine::session::SelectedMessage<'_>| item.message.text() != own(item.entry);
    selection.messages.iter().filter(differs).map(|item| tree.entries[item.entry].line).collect()
}

fn compare<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T, out: &mut String) {
    if found != expected {
        writeln!(out, "  {what}: found {found:?}, expected {expected:?}").unwrap();
    }
}

fn compare_figures(what: &str, stats: &Stats, expected: &Figures, out: &mut String) {
    for (name, value) in expected {
        compare(&format!("{what} {name}"), figure(stats, name), *value, out);
    }
}

/// What differs from the table, one line each.
fn differences(expected: &Expected) -> String {
    let mut out = String::new();
    let log = match (read(expected), &expected.refused) {
        (Ok(log), None) => log,
        (Err(error), Some(part)) if error.to_string().contains(part.as_str()) => return out,
        (Err(error), _) => return format!("  refused: {error}\n"),
        (Ok(_), Some(part)) => return format!("  read, though `{part}` was to be refused\n"),
    };
    compare("format", log.format, format(&expected.format), &mut out);
    compare("warnings", codes(&expected.file, &log), expected.warnings.clone(), &mut out);
    for (view, figures) in [(View::Agent, &expected.agent), (View::Salvaged, &expected.salvaged)] {
        if let Some(figures) = figures {
            compare_figures(view.name(), &log.stats(view), figures, &mut out);
        }
    }
    let header = log.header.as_ref();
    if expected.session.is_some() {
        compare("session", header.map(|header| header.id.clone()), expected.session.clone(), &mut out);
    }
    if expected.cwd.is_some() {
        compare("cwd", header.and_then(|header| header.cwd.clone()), expected.cwd.clone(), &mut out);
    }
    if let Some(lines) = &expected.context {
        compare("context", &context(log.view(View::Agent)).0, lines, &mut out);
    }
    if let Some(lines) = &expected.salvaged_context {
        compare("salvaged context", &context(log.view(View::Salvaged)).0, lines, &mut out);
    }
    if let Some(lines) = &expected.sent {
        compare("sent", &context(log.view(View::Agent)).1, lines, &mut out);
    }
    if let Some(lines) = &expected.changed {
        compare("changed", &changed(log.view(View::Agent)), lines, &mut out);
    }
    if let Some(times) = &expected.times {
        let found = log.tree.entries.iter().filter_map(|entry| entry.time_ms).collect();
        compare("times", &found, times, &mut out);
    }
    if let Some(lost) = expected.lost {
        compare("lost", log.lost.values().sum(), lost, &mut out);
    }
    out
}

#[test]
fn every_file_is_read_as_the_table_says() {
    let mut report = String::new();
    for expected in &table().file {
        let found = differences(expected);
        if !found.is_empty() {
            writeln!(report, "{}\n{found}", expected.file).unwrap();
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn every_kind_has_a_file_and_every_file_a_row() {
    let table = table();
    let kinds: BTreeSet<u32> = table.file.iter().map(|expected| expected.kind).collect();
    assert_eq!(kinds, (0..=KINDS).collect());
    let mut rows: Vec<String> = table.file.iter().map(|expected| expected.file.clone()).collect();
    let names: BTreeSet<&str> = FaultCode::ALL.iter().map(|code| code.code()).collect();
    for expected in &table.file {
        assert!(expected.file.starts_with(&format!("{:02}-", expected.kind)), "{}", expected.file);
        assert!(
            !expected.handling.is_empty() && expected.refused.as_deref() != Some(""),
            "{}",
            expected.file
        );
        for warning in &expected.warnings {
            assert!(warning.split_once('@').is_some_and(|(code, _)| names.contains(code)), "{warning}");
        }
    }
    rows.sort();
    let mut files = Vec::new();
    list(&corpus(), "", &mut files);
    files.retain(|file| !matches!(file.as_str(), "README.md" | "expected.toml"));
    files.sort();
    assert_eq!(files, rows);
}

fn list(folder: &Path, prefix: &str, out: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => list(&entry.path(), &format!("{name}/"), out),
            false => out.push(name),
        }
    }
}

/// Requests of all files of a folder, those with one key once.
fn once(folder: &Folder, table: &[Expected]) -> Figures {
    let mut seen = BTreeSet::new();
    let mut sums = BTreeMap::new();
    let prefix = format!("{}/", folder.folder);
    for expected in table.iter().filter(|expected| expected.file.starts_with(&prefix)) {
        for request in read(expected).unwrap().requests {
            let key = request.key.expect("the corpus has no request without a key here");
            if request.inherited || !seen.insert(key) {
                continue;
            }
            let usage = request.usage.unwrap();
            let counts = [("requests", 1), ("input", usage.input), ("output", usage.output)];
            for (name, count) in counts {
                *sums.entry(name.to_owned()).or_default() += count;
            }
        }
    }
    sums
}

#[test]
fn a_history_in_several_files_has_the_same_keys_in_each() {
    let table = table();
    for folder in &table.folder {
        assert_eq!(folder.kind, 22, "{}", folder.handling);
        assert_eq!(once(folder, &table.file), folder.once, "{}", folder.folder);
    }
}
