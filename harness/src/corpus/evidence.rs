//! The files of one run, each checked against its row's hash before anything is read from it.

use std::collections::{BTreeMap, HashMap};
use std::io::Cursor;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use adapters::log::{self, Format, ReadOptions, SessionLog};
use engine::message::sha256_hex;
use foldhash::fast::RandomState;

use super::path::{Folders, Unread};
use super::wire::{Blocks, WireFault, WireRequest, read_blocks, read_wire};
use super::{Corpus, Fault, FaultCode, GraderLog, Patch, Recorded, Row, RunKey};

/// What was recorded of one run.
#[derive(Debug)]
pub struct RunEvidence {
    /// Which run.
    pub key: RunKey,
    /// Its row's claims.
    pub row: Arc<Recorded>,
    /// The session.
    pub session: SessionLog,
    /// The session's bytes.
    pub session_bytes: Vec<u8>,
    /// The requests.
    pub wire: Vec<WireRequest>,
    /// The final patch.
    pub patch: Arc<StoredDiff>,
    /// The grader's transcript.
    pub grader: Arc<GraderLog>,
}

/// A final patch.
#[derive(Debug)]
pub struct StoredDiff {
    /// What it changes.
    pub changes: Patch,
    /// The patch as stored.
    pub text: String,
}

/// Evidence of some scenarios while their runs are read. What the runs of a scenario may share is read, checked and
/// taken apart once: its blocks, and a patch or a transcript that several rows name.
pub struct EvidenceStore<'c> {
    folders: Folders<'c>,
    scenarios: BTreeMap<String, Shared>,
}

/// What the runs of a scenario share.
#[derive(Default)]
struct Shared {
    blocks: OnceLock<Result<Arc<Blocks>, Fault>>,
    patches: Named<StoredDiff>,
    transcripts: Named<GraderLog>,
}

/// Files that hold what a row says of them, by name, each with the hash that it has and as it was read: a patch or a
/// transcript, or what is wrong with it.
type Named<T> = Mutex<HashMap<String, (String, Read<T>), RandomState>>;
type Read<T> = Result<Arc<T>, String>;

impl<'c> EvidenceStore<'c> {
    /// A store for some scenarios of a corpus; nothing is read yet.
    pub fn new<'s>(corpus: &'c Corpus, scenarios: impl Iterator<Item = &'s str>) -> EvidenceStore<'c> {
        let scenarios = scenarios.map(|scenario| (scenario.to_owned(), Shared::default())).collect();
        EvidenceStore { folders: Folders::new(&corpus.folder), scenarios }
    }

    /// Reads and checks the files of a run; all faults found, and the evidence if there were none.
    pub fn load(&self, row: &Row) -> Result<Option<RunEvidence>, Vec<Fault>> {
        let Some(recorded) = row.result() else { return Ok(None) };
        let key = &row.key;
        let shared =
            self.scenarios.get(&*key.scenario).expect("a run is read with the store of its scenario");
        let session = self.hashed(key, &recorded.session, &recorded.sha256);
        let wire = self.hashed(key, &recorded.wire, &recorded.wire_sha256);
        let patch = self.once(&shared.patches, key, [&recorded.patch, &recorded.patch_sha256], |text| {
            Ok(StoredDiff { changes: Patch::parse(text), text: text.to_owned() })
        });
        let names = [&recorded.grader_log, &recorded.grader_log_sha256];
        let transcript = self.once(&shared.transcripts, key, names, GraderLog::parse);
        let blocks = shared.blocks.get_or_init(|| self.blocks(key)).clone();
        match (session, wire, patch, transcript, blocks) {
            (Ok(session), Ok(wire), Ok(patch), Ok(transcript), Ok(blocks)) => {
                let files = Files { session, wire, patch, transcript };
                parse(key, recorded, files, &blocks).map(Some).map_err(|fault| vec![fault])
            }
            (session, wire, patch, transcript, blocks) => {
                let faults =
                    [session.err(), wire.err(), patch.err(), transcript.err(), blocks.err()].into_iter();
                Err(faults.flatten().collect())
            }
        }
    }

    fn blocks(&self, key: &RunKey) -> Result<Arc<Blocks>, Fault> {
        let name = format!("blocks/{}.jsonl", key.scenario);
        let bytes = self.read(key, &name)?;
        let text = utf8(&bytes)
            .map_err(|message| Fault::of_run(FaultCode::RowMalformed, key, format!("{name}: {message}")))?;
        let fault = |message| Fault::of_run(FaultCode::HashMismatch, key, format!("{name}: {message}"));
        read_blocks(text).map(Arc::new).map_err(fault)
    }

    /// What stands in a file that several rows may name.
    fn once<T>(
        &self,
        known: &Named<T>,
        key: &RunKey,
        [name, hash]: [&String; 2],
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Read<T>, Fault> {
        let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, read)) = known().get(name).filter(|(of, _)| of == hash) {
            return Ok(read.clone());
        }
        // Two runs may read one file at a time; both see the bytes that the hash is of.
        let bytes = self.hashed(key, name, hash)?;
        let read = utf8(&bytes).and_then(parse).map(Arc::new);
        known().insert(name.clone(), (hash.clone(), read.clone()));
        Ok(read)
    }

    fn hashed(&self, key: &RunKey, name: &str, hash: &str) -> Result<Vec<u8>, Fault> {
        of_hash(key, self.read(key, name)?, name, hash)
    }

    fn read(&self, key: &RunKey, name: &str) -> Result<Vec<u8>, Fault> {
        read(&self.folders, key, name)
    }
}

/// Files of a run that hold the bytes that its row says.
struct Files {
    session: Vec<u8>,
    wire: Vec<u8>,
    patch: Read<StoredDiff>,
    transcript: Read<GraderLog>,
}

fn parse(key: &RunKey, row: &Arc<Recorded>, files: Files, blocks: &Blocks) -> Result<RunEvidence, Fault> {
    let malformed =
        |name: &str, message: &str| Fault::of_run(FaultCode::RowMalformed, key, format!("{name}: {message}"));
    let session_bytes = files.session;
    if session_bytes.len() as u64 != row.bytes {
        let message = format!("{}: {} bytes, the row says {}", row.session, session_bytes.len(), row.bytes);
        return Err(Fault::of_run(FaultCode::HashMismatch, key, message));
    }
    let session = log::read(
        Cursor::new(&session_bytes),
        &ReadOptions { format: Some(Format::Pi), ..ReadOptions::default() },
    )
    .map_err(|error| Fault::of_run(FaultCode::SessionUnreadable, key, format!("{}: {error}", row.session)))?;
    // A clock that was set back, or a log begun by a newer release, is no damage of evidence.
    if let Some(warning) = session.warnings.iter().find(|warning| warning.code.is_damage()) {
        let message =
            format!("{} line {}: {} in recorded evidence", row.session, warning.line, warning.code.code());
        return Err(Fault::of_run(FaultCode::SessionUnreadable, key, message));
    }
    let wire_text = utf8(&files.wire).map_err(|message| malformed(&row.wire, &message))?;
    let wire = read_wire(wire_text, blocks).map_err(|fault| match fault {
        WireFault::Malformed(message) => malformed(&row.wire, &message),
        WireFault::UnknownBlock(hash) => {
            let message = format!("{}: block {hash} isn't among the scenario's blocks", row.wire);
            Fault::of_run(FaultCode::HashMismatch, key, message)
        }
    })?;
    let grader = files.transcript.map_err(|message| malformed(&row.grader_log, &message))?;
    let patch = files.patch.map_err(|message| malformed(&row.patch, &message))?;
    let (key, row) = (key.clone(), Arc::clone(row));
    Ok(RunEvidence { key, row, session, session_bytes, wire, patch, grader })
}

/// The bytes of a file that a row names, if they are those that the row says.
pub(crate) fn read_hashed(corpus: &Corpus, key: &RunKey, name: &str, hash: &str) -> Result<Vec<u8>, Fault> {
    of_hash(key, read(&Folders::new(&corpus.folder), key, name)?, name, hash)
}

fn of_hash(key: &RunKey, bytes: Vec<u8>, name: &str, hash: &str) -> Result<Vec<u8>, Fault> {
    let found = sha256_hex(&bytes);
    if found == *hash {
        return Ok(bytes);
    }
    let message = format!("{name}: sha256 is {found}, the row says {hash}");
    Err(Fault::of_run(FaultCode::HashMismatch, key, message))
}

fn read(folders: &Folders<'_>, key: &RunKey, name: &str) -> Result<Vec<u8>, Fault> {
    folders.read(name).map_err(|unread| match unread {
        Unread::Unsafe(message) => Fault::of_run(FaultCode::UnsafePath, key, message),
        Unread::Io(kind) => Fault::of_run(FaultCode::FileMissing, key, format!("{name}: {kind}")),
    })
}

fn utf8(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8 from byte {}", error.valid_up_to()))
}
