//! Live logs: what is kept equals a full read, what became of a file is told apart, and a kill costs nothing.

use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use adapters::log::{self, Content, FaultCode, ReadOptions, SessionLog};
use adapters::sync::{Event, Store};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::support::{Random, session_files, shared};

fn outline(path: &Path) -> Result<SessionLog, log::ReadError> {
    let options = ReadOptions { content: Content::Outline, ..ReadOptions::default() };
    log::read(BufReader::new(File::open(path).unwrap()), &options)
}

/// Compares part by part, so that a difference is told by its place.
fn assert_same(kept: &SessionLog, read: &SessionLog, place: &str) {
    assert_eq!(kept.warnings, read.warnings, "{place}");
    assert_eq!(kept.lost, read.lost, "{place}");
    assert_eq!(kept.requests.len(), read.requests.len(), "{place}");
    for (kept, read) in kept.requests.iter().zip(&read.requests) {
        assert_eq!(kept, read, "{place}");
    }
    for (kept, read) in kept.tree.entries.iter().zip(&read.tree.entries) {
        assert_eq!(kept, read, "{place}");
    }
    assert!(kept == read, "{place}: differs elsewhere");
}

/// A log in a folder of its own, and a state beside it.
struct Place {
    folder: TempDir,
    log: PathBuf,
    store: Store,
}

fn place(bytes: &[u8]) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("session.jsonl");
    fs::write(&log, bytes).unwrap();
    let store = Store::open(&folder.path().join("state")).unwrap();
    Place { folder, log, store }
}

fn append(log: &Path, bytes: &[u8]) {
    OpenOptions::new().append(true).open(log).unwrap().write_all(bytes).unwrap();
}

impl Place {
    fn append(&self, bytes: &[u8]) {
        append(&self.log, bytes);
    }

    fn sync(&mut self) -> Event {
        self.store.sync(&self.log).unwrap().event
    }

    fn kept(&self) -> SessionLog {
        self.store.log(&self.log, None).unwrap()
    }

    fn is_as_read(&self) {
        assert_same(&self.kept(), &outline(&self.log).unwrap(), "the log of this test");
    }
}

const HEADER: &str =
    r#"{"type":"session","version":3,"id":"s","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/home/user/p"}"#;

fn said(id: &str, parent: &str, text: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-11-01T10:00:01.000Z","message":{{"role":"user","content":"{text}"}}}}"#
    )
}

/// A log of Pi's with calls, results, usage, text of several bytes a character, and every few lines something damaged.
fn pi_log(entries: usize) -> Vec<u8> {
    let mut bytes = format!("{HEADER}\n").into_bytes();
    for n in 0..entries {
        let (id, parent) =
            (format!("{n:08x}"), if n == 0 { String::new() } else { format!("{:08x}", n - 1) });
        let line = match n % 4 {
            0 => said(&id, &parent, "größer \u{2028} \u{1f600}, bitte"),
            1 => format!(
                r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-11-01T10:00:02.000Z","message":{{"role":"assistant","content":[{{"type":"text","text":"ja"}},{{"type":"toolCall","id":"call{n}","name":"read","arguments":{{"path":"a.rs"}}}}],"provider":"p","model":"m","api":"a","stopReason":"toolUse","usage":{{"input":{n},"output":7,"cacheRead":1,"cacheWrite":2,"cost":{{"total":0.25}}}}}}}}"#
            ),
            2 => format!(
                r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-11-01T10:00:03.000Z","message":{{"role":"toolResult","toolCallId":"call{}","toolName":"read","content":[{{"type":"text","text":"fn main() {{}}"}}],"isError":false}}}}"#,
                n - 1
            ),
            _ => format!(
                r#"{{"type":"thinking_level_change","id":"{id}","parentId":"{parent}","timestamp":"2026-11-01T10:00:04.000Z","thinkingLevel":"low"}}"#
            ),
        };
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(match n % 29 {
            7 => b"\n{\"torn\n",
            11 => b"\n\n",
            13 => b"\r\n",
            // The next entry is fused to this one.
            17 => b"",
            _ => b"\n",
        });
    }
    bytes
}

#[test]
fn what_is_kept_equals_the_outline_of_every_real_log() {
    let Some(corpora) = shared("corpora") else { return };
    let files = session_files(&corpora);
    let mut equal = 0;
    for file in &files {
        let Ok(read) = outline(file) else { continue };
        let mut place = place(b"");
        let kept = place.store.sync(file).and_then(|_| place.store.log(file, None)).unwrap();
        assert_same(&kept, &read, &file.display().to_string());
        equal += 1;
    }
    writeln!(std::io::stderr(), "sync: {equal} of {} files equal", files.len()).unwrap();
    assert!(equal >= 36, "only {equal} files");
}

#[test]
fn the_written_corpus_of_faults_is_kept_as_it_is_read() {
    let faults = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/faults");
    for file in session_files(&faults) {
        let mut place = place(b"");
        match (outline(&file), place.store.sync(&file).and_then(|_| place.store.log(&file, None))) {
            (Ok(read), Ok(kept)) => assert_same(&kept, &read, &file.display().to_string()),
            (Err(_), Err(_)) => {}
            (read, kept) => panic!("{}: read {read:?}, kept {kept:?}", file.display()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn pieces_of_any_size_are_each_read_once(seed in any::<u64>(), longest in 1_usize..400) {
        let bytes = pi_log(60);
        let mut random = Random::new(seed);
        let mut place = place(b"");
        let (mut at, mut syncs) = (0, 1);
        while at < bytes.len() {
            let end = (at + 1 + random.below(longest)).min(bytes.len());
            place.append(&bytes[at..end]);
            at = end;
            if random.below(3) == 0 {
                syncs += 1;
                place.sync();
                place.is_as_read();
            }
        }
        place.sync();
        place.is_as_read();
        let generations = place.store.generations(&place.log).unwrap();
        prop_assert_eq!(generations.len(), 1);
        prop_assert_eq!(generations[0].bytes_read, bytes.len() as u64);
        prop_assert!(generations[0].check_bytes <= syncs * 8192);
    }
}

#[test]
fn an_unchanged_log_costs_the_check_only() {
    let bytes = pi_log(200);
    let mut place = place(&bytes);
    assert_eq!(place.sync(), Event::New);
    let again = place.store.sync(&place.log).unwrap();
    assert_eq!((again.event, again.bytes_read, again.check_bytes), (Event::Unchanged, 0, 8192));
    place.append(said("ffff", "0000", "x").as_bytes());
    let grown = place.store.sync(&place.log).unwrap();
    assert_eq!((grown.event, grown.bytes_read), (Event::Appended, said("ffff", "0000", "x").len() as u64));
    assert!(grown.generation.torn_tail_bytes > 0);
    place.is_as_read();
}

#[test]
fn a_truncated_log_begins_a_generation() {
    let bytes = pi_log(40);
    let mut place = place(&bytes);
    place.sync();
    let before = place.kept();
    OpenOptions::new().write(true).open(&place.log).unwrap().set_len(900).unwrap();
    assert_eq!(place.sync(), Event::Truncated);
    place.is_as_read();
    assert_eq!(place.store.log(&place.log, Some(1)).unwrap(), before);
    let generations = place.store.generations(&place.log).unwrap();
    assert_eq!(generations[0].ended_by.as_deref(), Some("truncated"));
    assert_eq!(place.store.drop_ended(&place.log).unwrap(), 1);
    assert!(place.store.log(&place.log, Some(1)).is_err());
    place.is_as_read();
}

#[test]
fn a_log_rewritten_in_place_begins_a_generation_at_either_end() {
    let bytes = pi_log(200);
    for at in [100, bytes.len() - 100] {
        let mut place = place(&bytes);
        place.sync();
        let mut changed = bytes.clone();
        changed[at] = b'#';
        changed.extend_from_slice(said("ffff", "0000", "x").as_bytes());
        // Written over the old bytes: the inode stays.
        OpenOptions::new().write(true).open(&place.log).unwrap().write_all(&changed).unwrap();
        assert_eq!(place.sync(), Event::Rewritten, "byte {at}");
        place.is_as_read();
    }
}

#[test]
fn a_rotated_log_is_read_to_its_end_under_its_new_name() {
    let bytes = pi_log(60);
    let (first, rest) = bytes.split_at(bytes.len() / 2);
    let mut place = place(first);
    place.sync();
    place.append(rest);
    let moved = place.folder.path().join("session.1.jsonl");
    fs::rename(&place.log, &moved).unwrap();
    fs::write(&place.log, format!("{HEADER}\n{}\n", said("a", "", "new"))).unwrap();
    assert_eq!(place.sync(), Event::Rotated);
    place.is_as_read();
    assert_eq!(place.store.log(&place.log, Some(1)).unwrap(), outline(&moved).unwrap());
    let generations = place.store.generations(&place.log).unwrap();
    assert_eq!(generations[0].bytes_read, bytes.len() as u64);
    assert_eq!(generations[0].ended_by.as_deref(), Some("rotated"));
}

#[test]
fn a_log_replaced_by_rename_begins_a_generation() {
    let bytes = pi_log(20);
    let mut place = place(&bytes);
    place.sync();
    let other = place.folder.path().join("other");
    fs::write(&other, pi_log(30)).unwrap();
    fs::rename(&other, &place.log).unwrap();
    assert_eq!(place.sync(), Event::Replaced);
    place.is_as_read();
}

#[test]
fn a_deleted_log_stays_in_the_state_and_may_come_back() {
    let bytes = pi_log(20);
    let mut place = place(&bytes);
    place.sync();
    let before = place.kept();
    fs::remove_file(&place.log).unwrap();
    assert_eq!((place.sync(), place.sync()), (Event::Deleted, Event::Deleted));
    assert_eq!(place.kept(), before);
    fs::write(&place.log, pi_log(3)).unwrap();
    assert_eq!(place.sync(), Event::New);
    place.is_as_read();
    assert_eq!(place.store.generations(&place.log).unwrap().len(), 2);
}

#[test]
fn a_torn_tail_is_kept_until_its_line_ends_and_leaves_no_text_behind() {
    let line = said("a", "", "the person's own words");
    let (begun, rest) = line.split_at(line.len() - 8);
    let mut place = place(format!("{HEADER}\n{begun}").as_bytes());
    place.sync();
    assert_eq!(place.kept().warning_counts[&FaultCode::TornTail], 1);
    place.is_as_read();
    place.append(format!("{rest}\n").as_bytes());
    assert_eq!(place.sync(), Event::Appended);
    place.is_as_read();
    assert_eq!(place.kept().stats(log::View::Agent).user_turns, 1);
    let Place { folder, store, .. } = place;
    // Closing the last connection moves the log of writes into the database.
    drop(store);
    for entry in fs::read_dir(folder.path().join("state")).unwrap() {
        let path = entry.unwrap().path();
        let kept = fs::read(&path).unwrap();
        let words = b"the person's own words";
        assert!(!kept.windows(words.len()).any(|window| window == words), "{}", path.display());
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", path.display());
    }
    let mode = fs::metadata(folder.path().join("state")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700);
}

#[test]
fn two_writers_are_told_by_alternating_ends() {
    let line = |id: &str, parent: &str| said(id, parent, "x");
    let lines = [line("r", ""), line("a1", "r"), line("b1", "r"), line("a2", "a1"), line("b2", "b1")];
    let mut place = place(format!("{HEADER}\n{}\n", lines.join("\n")).as_bytes());
    place.sync();
    let kept = place.kept();
    assert_eq!(kept.warning_counts[&FaultCode::Interleaved], 1);
    // One return is a person looking around.
    let mut place = self::place(format!("{HEADER}\n{}\n", lines[..4].join("\n")).as_bytes());
    place.sync();
    assert!(!place.kept().warning_counts.contains_key(&FaultCode::Interleaved));
}

#[test]
fn a_log_that_cannot_be_followed_and_a_linked_state_are_refused() {
    let mut place = place(b"\x28\xb5\x2f\xfd packed");
    let refused = place.store.sync(&place.log).unwrap_err().to_string();
    assert!(refused.contains("packed (zstd)"), "{refused}");
    assert!(place.store.generations(&place.log).unwrap().is_empty(), "nothing is kept of it");
    let link = place.folder.path().join("link");
    std::os::unix::fs::symlink(place.folder.path().join("state"), &link).unwrap();
    assert!(Store::open(&link).is_err());
    fs::create_dir(place.folder.path().join("foreign")).unwrap();
    fs::write(place.folder.path().join("foreign/sync.sqlite"), "no database".repeat(100)).unwrap();
    let refused = Store::open(&place.folder.path().join("foreign")).err().unwrap().to_string();
    assert!(refused.contains("delete it and sync again"), "{refused}");
}

/// How many appends: a check of the whole length is asked for by name.
fn appends() -> usize {
    std::env::var("SLUICE_SYNC_APPENDS").map_or(250, |count| count.parse().unwrap())
}

fn sync_process(log: &Path, state: &Path) -> Process {
    let mut process = Process::new(env!("CARGO_BIN_EXE_sluice"));
    process.args(["sync", "--no-figures", "--json", "--state"]).arg(state).arg(log);
    process.stdout(Stdio::null()).stderr(Stdio::piped());
    process
}

/// Appends the bytes in `count` pieces while processes sync and are killed, then checks what is kept.
fn killed_while_growing(bytes: &[u8], count: usize, seed: u64) -> String {
    let place = place(b"");
    let (log, state) = (place.log.as_path(), place.folder.path().join("state"));
    let mut random = Random::new(seed);
    let mut cuts: Vec<usize> = (1..count).map(|_| random.below(bytes.len())).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    let growing = AtomicBool::new(true);
    let (mut killed, mut ended) = (0_u32, 0_u32);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for ends in cuts.windows(2) {
                append(log, &bytes[ends[0]..ends[1]]);
                std::thread::sleep(Duration::from_micros(1500));
            }
            growing.store(false, Ordering::Release);
        });
        while growing.load(Ordering::Acquire) {
            let mut child = sync_process(log, &state).spawn().unwrap();
            // Half of the kills come before a fast machine is done, half at any moment of a slow one.
            let longest = [2_000, 30_000][random.below(2)];
            std::thread::sleep(Duration::from_micros(random.below(longest) as u64));
            // SIGKILL: no handler, no destructor.
            child.kill().unwrap();
            match child.wait().unwrap().code() {
                None => killed += 1,
                Some(0) => ended += 1,
                Some(code) => panic!("a sync ended with code {code}"),
            }
        }
    });
    let last = sync_process(log, &state).output().unwrap();
    assert!(last.status.success(), "{}", String::from_utf8_lossy(&last.stderr));
    place.is_as_read();
    let generations = place.store.generations(&place.log).unwrap();
    assert_eq!(generations.len(), 1);
    let kept = &generations[0];
    assert_eq!(kept.bytes_read, bytes.len() as u64, "each byte is read once");
    assert_eq!(fs::read(log).unwrap(), bytes);
    assert!(killed > 0, "some process must be hit");
    format!(
        "{count} appends, {killed} kills, {ended} ended: {} bytes of {} read in {} steps, {} lines; {} bytes of checks",
        kept.bytes_read,
        bytes.len(),
        kept.steps,
        kept.lines,
        kept.check_bytes
    )
}

#[test]
fn kills_at_any_moment_leave_the_tree_of_a_full_read_and_each_byte_read_once() {
    let count = appends();
    let told = killed_while_growing(&pi_log(count / 4), count, 7);
    writeln!(std::io::stderr(), "sync: pi (written by this test): {told}").unwrap();
}

/// No real log of DeepSeek Harness is at hand: this one was written from the format's rules.
#[test]
fn kills_leave_the_tree_of_a_full_read_for_a_written_log_of_deepseek_harness() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/faults/00-sound.dsh.jsonl");
    let told = killed_while_growing(&fs::read(file).unwrap(), appends().min(1000), 13);
    writeln!(std::io::stderr(), "sync: dsh (written from its rules): {told}").unwrap();
}

#[test]
fn kills_leave_the_tree_of_a_full_read_for_real_logs_of_every_format() {
    let Some(corpora) = shared("corpora") else { return };
    let mut seen = std::collections::BTreeSet::new();
    for file in session_files(&corpora) {
        let length = fs::metadata(&file).unwrap().len();
        let Ok(log) = outline(&file) else { continue };
        if !(20_000..2_000_000).contains(&length) || !seen.insert(log.format) {
            continue;
        }
        let told = killed_while_growing(&fs::read(&file).unwrap(), appends().min(1000), 11);
        let name = log.format.map_or("", log::Format::name);
        writeln!(std::io::stderr(), "sync: {name} (real): {told}").unwrap();
    }
    assert!(!seen.is_empty());
}
