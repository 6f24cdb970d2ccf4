//! Reading a corpus folder.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use adapters::open_regular;
use engine::message::hex;
use foldhash::fast::RandomState;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use verdict::Tier;

use super::row::Names;
use super::{Fault, FaultCode, Manifest, Row, RunKey, SCRIPTED_PROVIDER, Scope, inside};
use crate::failure::Failure;
use crate::regular;

/// Why a folder can't be read as a corpus.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// A file can't be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder isn't a corpus.
    #[error("{}: {message}", path.display())]
    NotACorpus {
        /// Where.
        path: PathBuf,
        /// Why not.
        message: String,
    },
}

impl From<CorpusError> for Failure {
    fn from(error: CorpusError) -> Failure {
        match &error {
            CorpusError::Io { path, source } => Failure::io(path, source),
            CorpusError::NotACorpus { .. } => Failure::bad_data(error.to_string()),
        }
    }
}

/// A corpus that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Corpus {
    /// Its folder.
    pub folder: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// Its readable rows by key; of two rows with one key, the one that sorts first.
    pub rows: BTreeMap<RunKey, Row>,
    /// SHA-256 over the canonical rows sorted by key, lower-case hex.
    pub sha256: String,
}

impl Corpus {
    /// Reads a corpus and what is wrong with its rows against its schedule. Files that rows name aren't read yet.
    ///
    /// # Errors
    /// [`CorpusError::Io`] where the folder, `corpus.toml` or `runs.jsonl` can't be read, [`CorpusError::NotACorpus`]
    /// where they aren't what they should be.
    pub fn load(folder: &Path) -> Result<(Corpus, Vec<Fault>), CorpusError> {
        let (manifest_path, manifest) = read_text(folder, "corpus.toml", regular::declaration)?;
        let manifest = Manifest::parse(&manifest_path, &manifest)?;
        let Rows { rows, mut faults, sha256 } = match rows_in_order(folder) {
            Some(rows) => rows,
            None => rows_in_any_order(&read_text(folder, "runs.jsonl", regular::read)?.1),
        };
        let rows = by_key(rows, &mut faults);
        let (scheduled, repeated) = rayon::join(|| against_schedule(&manifest, &rows), || each_once(&rows));
        faults.extend(scheduled.into_iter().chain(repeated));
        faults.sort();
        Ok((Corpus { folder: folder.to_path_buf(), manifest, rows, sha256 }, faults))
    }

    /// Rows of a variant, in the order of keys.
    pub fn of_variant<'c>(&'c self, variant: &'c str) -> impl Iterator<Item = &'c Row> {
        self.rows.values().filter(move |row| *row.key.variant == *variant)
    }
}

/// The path and the text of a file that lies in the folder itself: what a link leads to could change unseen.
fn read_text(
    folder: &Path,
    name: &str,
    read: fn(&Path) -> io::Result<Vec<u8>>,
) -> Result<(PathBuf, String), CorpusError> {
    let path = inside(folder, name).map_err(|message| CorpusError::NotACorpus {
        path: folder.join(name),
        message: format!("{message}: put the file itself there"),
    })?;
    let bytes = read(&path).map_err(|source| match source.kind() {
        // A readable folder without the file isn't a corpus; an absent or closed folder is an input error.
        io::ErrorKind::NotFound if folder.is_dir() => CorpusError::NotACorpus {
            path: path.clone(),
            message: "missing: choose a folder with corpus.toml and runs.jsonl".to_owned(),
        },
        _ => CorpusError::Io { path: path.clone(), source },
    })?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok((path, text)),
        Err(error) => {
            let message = format!("not UTF-8 from byte {}", error.utf8_error().valid_up_to());
            Err(CorpusError::NotACorpus { path, message })
        }
    }
}

/// What `runs.jsonl` holds.
#[derive(Debug, Clone, PartialEq)]
struct Rows {
    /// The readable rows in the order of keys.
    rows: Vec<Row>,
    faults: Vec<Fault>,
    sha256: String,
}

/// A row with the place of its line among those read, and the line in canonical form.
type Canonical<'t> = (usize, Row, Cow<'t, str>);

/// Lines that are read side by side: what stands beyond the rows is kept for so many only.
const LINES: usize = 1_024;
/// Longest line that is read as one of many: a row has two thousand bytes.
const LONGEST_LINE: u64 = 1 << 22;

/// The rows of a file that has them in the order of keys, as the recorder writes it: no more than a few of its lines are held
/// at a time, since those of a large campaign take as much memory as its rows. None for any other file.
fn rows_in_order(folder: &Path) -> Option<Rows> {
    let path = inside(folder, "runs.jsonl").ok()?;
    let mut file = BufReader::with_capacity(1 << 16, open_regular(&path).ok()?);
    let (mut gathered, mut faults) = (InOrder::default(), Vec::new());
    let (mut before, mut first) = (Batch::default(), 0);
    loop {
        let lines = lines(&mut file)?;
        let read = lines.len();
        let (in_order, (batch, malformed)) =
            rayon::join(|| gathered.take(before), || Batch::of(lines, first));
        in_order?;
        faults.extend(malformed);
        if read < LINES {
            gathered.take(batch)?;
            return Some(Rows { rows: gathered.rows, faults, sha256: hex(&gathered.hash.finalize()) });
        }
        (before, first) = (batch, first + read);
    }
}

/// The next [`LINES`] lines, or those that are left. None for one that no row has the length of: what is read whole is
/// bounded as a whole.
fn lines(file: &mut impl io::BufRead) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    while lines.len() < LINES {
        let mut line = String::new();
        let read = file.by_ref().take(LONGEST_LINE).read_line(&mut line).ok()?;
        if read == 0 {
            break;
        }
        if line.ends_with('\n') {
            line.pop();
            line.truncate(line.strip_suffix('\r').unwrap_or(&line).len());
        } else if read as u64 == LONGEST_LINE {
            return None;
        }
        lines.push(line);
    }
    Some(lines)
}

/// Some lines and the rows that they hold.
#[derive(Default)]
struct Batch {
    lines: Vec<String>,
    /// Place of the line, the row, and its canonical form where that isn't the line itself.
    rows: Vec<(usize, Row, Option<String>)>,
}

impl Batch {
    fn of(lines: Vec<String>, first: usize) -> (Batch, Vec<Fault>) {
        let mut faults = Vec::new();
        let own = |canonical: Cow<'_, str>| match canonical {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text),
        };
        let rows = parsed(&lines, first, &mut faults)
            .into_iter()
            .map(|(at, row, canonical)| (at, row, own(canonical)))
            .collect();
        (Batch { lines, rows }, faults)
    }
}

/// Rows that came in the order of keys so far.
#[derive(Default)]
struct InOrder {
    rows: Vec<Row>,
    hash: Sha256,
    names: Names,
}

impl InOrder {
    /// Takes the next rows; none if one comes out of order.
    fn take(&mut self, batch: Batch) -> Option<()> {
        for (at, mut row, canonical) in batch.rows {
            if self.rows.last().is_some_and(|last| last.key >= row.key) {
                return None;
            }
            take(&mut self.hash, canonical.as_deref().unwrap_or(&batch.lines[at]));
            self.names.share(&mut row);
            self.rows.push(row);
        }
        Some(())
    }
}

/// The rows of a text in whatever order.
fn rows_in_any_order(text: &str) -> Rows {
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    let mut names = Names::default();
    let lines: Vec<&str> = text.lines().collect();
    for (at, some) in lines.chunks(LINES).enumerate() {
        for (_, mut row, canonical) in parsed(some, at * LINES, &mut faults) {
            names.share(&mut row);
            rows.push((row, canonical));
        }
    }
    // Rows that compare alike are alike: nothing has to keep their order, and no copy of the list is made.
    rows.sort_unstable_by(|(a, line), (b, other)| (&a.key, line).cmp(&(&b.key, other)));
    let mut hash = Sha256::new();
    rows.iter().for_each(|(_, canonical)| take(&mut hash, canonical));
    let rows = rows.into_iter().map(|(row, _)| row).collect();
    Rows { rows, faults, sha256: hex(&hash.finalize()) }
}

/// The readable rows of some lines, on all threads of the current pool; `first` lines stand before them.
fn parsed<'t, S: AsRef<str> + Sync>(
    lines: &'t [S],
    first: usize,
    faults: &mut Vec<Fault>,
) -> Vec<Canonical<'t>> {
    let read = |line: &'t S| {
        let line = line.as_ref();
        (!line.trim().is_empty()).then(|| Row::parse(line))
    };
    let read: Vec<_> = lines.par_iter().map(read).collect();
    let mut rows = Vec::with_capacity(read.len());
    for (at, row) in read.into_iter().enumerate() {
        match row {
            Some(Ok((row, canonical))) => rows.push((at, row, canonical)),
            Some(Err(message)) => faults.push(Fault::new(
                FaultCode::RowMalformed,
                Scope::default(),
                format!("runs.jsonl line {}: {message}", first + at + 1),
            )),
            None => {}
        }
    }
    rows
}

fn take(hash: &mut Sha256, canonical: &str) {
    hash.update(canonical.as_bytes());
    hash.update(b"\n");
}

/// Rows that stand in the order of keys, by key.
fn by_key(rows: Vec<Row>, faults: &mut Vec<Fault>) -> BTreeMap<RunKey, Row> {
    let mut once: Vec<(RunKey, Row)> = Vec::with_capacity(rows.len());
    for row in rows {
        if once.last().is_some_and(|(last, _)| *last == row.key) {
            let message = "two rows for one run: which is the evidence can't be known";
            faults.push(Fault::of_corpus(FaultCode::RowDuplicate, &row.key, message));
        } else {
            once.push((row.key.clone(), row));
        }
    }
    once.into_iter().collect()
}

/// A run is evidence once: two rows with one session, by name or by content, count one run twice.
fn each_once(rows: &BTreeMap<RunKey, Row>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut seen: HashMap<&str, &RunKey, RandomState> =
        HashMap::with_capacity_and_hasher(2 * rows.len(), RandomState::default());
    for row in rows.values() {
        let Some(recorded) = row.result() else { continue };
        for name in [recorded.session.as_str(), recorded.sha256.as_str()] {
            if let Some(first) = seen.insert(name, &row.key) {
                let message = format!("the same session as {first}: a run counts once");
                faults.push(Fault::of_corpus(FaultCode::RunRepeated, &row.key, message));
                break;
            }
        }
    }
    faults
}

fn against_schedule(manifest: &Manifest, rows: &BTreeMap<RunKey, Row>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let schedule = &manifest.schedule;
    for key in schedule.keys().filter(|key| !rows.contains_key(key)) {
        let message = "scheduled, but runs.jsonl has no row: a run may be missing, its row may not";
        faults.push(Fault::of_corpus(FaultCode::RowMissing, &key, message));
    }
    for row in rows.values() {
        if !schedule.contains(&row.key) {
            let message = "a row that the manifest doesn't schedule";
            faults.push(Fault::of_corpus(FaultCode::RowUnscheduled, &row.key, message));
        }
        let Some(recorded) = &row.recorded else { continue };
        if *recorded.provider == *SCRIPTED_PROVIDER && *recorded.tier == *Tier::RecordedModel.as_str() {
            let message = "the scripted model answered: no real model was recorded";
            faults.push(Fault::of_run(FaultCode::TierMismatch, &row.key, message));
        }
        if *recorded.tier != *manifest.tier.as_str() {
            let message =
                format!("tier `{}` in a corpus of tier `{}`", recorded.tier, manifest.tier.as_str());
            faults.push(Fault::of_run(FaultCode::TierMismatch, &row.key, message));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(scenario: &str, repetition: u32) -> String {
        format!(
            r#"{{"repetition":{repetition},"scenario":"{scenario}","schema":"run/1","session":null,"variant":"v"}}"#
        )
    }

    fn rows(text: &str) -> (Option<Rows>, Rows) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("runs.jsonl"), text).unwrap();
        (rows_in_order(folder.path()), rows_in_any_order(text))
    }

    #[test]
    fn rows_in_order_are_read_alike_a_few_lines_at_a_time() {
        let many: Vec<String> = (0..LINES as u32 + 3).map(|repetition| line("a", repetition)).collect();
        let spaced = line("b", 0).replace(',', " , ");
        let text = format!("{}\r\n\n  \nno row\n{spaced}\n{{}}", many.join("\n"));
        let (streamed, whole) = rows(&text);
        assert_eq!(whole.rows.len(), many.len() + 1);
        let message = &whole.faults[0].message;
        assert!(message.starts_with(&format!("runs.jsonl line {}: not JSON", many.len() + 3)), "{message}");
        assert_eq!(streamed, Some(whole));
    }

    /// A line of gigabytes took all memory.
    #[test]
    fn a_line_that_no_row_has_the_length_of_is_left_to_the_reading_as_a_whole() {
        let long = "x".repeat(LONGEST_LINE as usize);
        for (ending, readable) in [("", false), ("\n", false), ("x\n", false)] {
            let (streamed, whole) = rows(&format!("{}\n{long}{ending}", line("a", 0)));
            assert_eq!((streamed.is_some(), whole.faults.len()), (readable, 1));
        }
        let (streamed, whole) = rows(&format!("{}\r\n{}", line("a", 0), &long[1..]));
        assert_eq!((streamed.unwrap(), whole.faults.len()), (whole.clone(), 1));
    }

    #[test]
    fn the_order_of_rows_does_not_change_what_is_read() {
        let [one, two, three] = [line("a", 0), line("a", 1), line("b", 0)];
        let (sorted, whole) = rows(&format!("{one}\n{two}\n{three}\n"));
        assert_eq!(sorted.as_ref(), Some(&whole));
        let (unsorted, whole) = rows(&format!("{three}\n{one}\n{two}\n"));
        assert_eq!((unsorted, Some(whole)), (None, sorted));
        assert_eq!(rows(&format!("{one}\n{one}\n")).0, None, "which is the evidence is told elsewhere");
    }
}
