//! The files of one run, each checked against its row's hash before anything is read from it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::sync::{Arc, OnceLock};

use adapters::log::{self, Format, ReadOptions, SessionLog};
use engine::message::sha256_hex;

use super::wire::{Blocks, WireFault, WireRequest, read_blocks, read_wire};
use super::{Corpus, Fault, FaultCode, GraderLog, Patch, Recorded, Row, RunKey, inside};

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
    pub patch: Patch,
    /// The final patch as stored.
    pub patch_text: String,
    /// The grader's transcript.
    pub grader: GraderLog,
}

/// Blocks of each scenario, read once.
pub struct BlockStore<'c> {
    corpus: &'c Corpus,
    scenarios: BTreeMap<String, OnceLock<Result<Arc<Blocks>, Fault>>>,
}

impl<'c> BlockStore<'c> {
    /// A store for some scenarios of a corpus; nothing is read yet.
    pub fn new<'s>(corpus: &'c Corpus, scenarios: impl Iterator<Item = &'s str>) -> BlockStore<'c> {
        let scenarios = scenarios.map(|scenario| (scenario.to_owned(), OnceLock::new())).collect();
        BlockStore { corpus, scenarios }
    }

    fn get(&self, key: &RunKey) -> Result<Arc<Blocks>, Fault> {
        let cell = self.scenarios.get(&key.scenario).expect("a run is read with the store of its scenario");
        cell.get_or_init(|| {
            let name = format!("blocks/{}.jsonl", key.scenario);
            let bytes = read(self.corpus, key, &name)?;
            let text = utf8(key, &name, &bytes)?;
            let fault = |message| Fault::of_run(FaultCode::HashMismatch, key, format!("{name}: {message}"));
            read_blocks(text).map(Arc::new).map_err(fault)
        })
        .clone()
    }
}

/// Reads and checks the files of a run; all faults found, and the evidence if there were none.
pub fn load_run(
    corpus: &Corpus,
    blocks: &BlockStore<'_>,
    row: &Row,
) -> Result<Option<RunEvidence>, Vec<Fault>> {
    let Some(recorded) = row.result() else { return Ok(None) };
    let key = &row.key;
    let files = [
        (&recorded.session, &recorded.sha256),
        (&recorded.wire, &recorded.wire_sha256),
        (&recorded.patch, &recorded.patch_sha256),
        (&recorded.grader_log, &recorded.grader_log_sha256),
    ];
    let mut faults = Vec::new();
    let mut contents = Vec::new();
    for (name, hash) in files {
        match read_hashed(corpus, key, name, hash) {
            Ok(bytes) => contents.push(bytes),
            Err(fault) => faults.push(fault),
        }
    }
    let store = blocks.get(key);
    if let Err(fault) = &store {
        faults.push(fault.clone());
    }
    let (Ok(store), Ok([session, wire, patch, grader])) = (store, <[Vec<u8>; 4]>::try_from(contents)) else {
        return Err(faults);
    };
    parse(key, recorded, session, [&wire, &patch, &grader], &store).map(Some).map_err(|fault| vec![fault])
}

fn parse(
    key: &RunKey,
    row: &Arc<Recorded>,
    session_bytes: Vec<u8>,
    [wire, patch, grader]: [&[u8]; 3],
    blocks: &Blocks,
) -> Result<RunEvidence, Fault> {
    let malformed = |name: &str, message: String| {
        Fault::of_run(FaultCode::RowMalformed, key, format!("{name}: {message}"))
    };
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
    let wire_text = utf8(key, &row.wire, wire)?;
    let wire = read_wire(wire_text, blocks).map_err(|fault| match fault {
        WireFault::Malformed(message) => malformed(&row.wire, message),
        WireFault::UnknownBlock(hash) => {
            let message = format!("{}: block {hash} isn't among the scenario's blocks", row.wire);
            Fault::of_run(FaultCode::HashMismatch, key, message)
        }
    })?;
    let grader = GraderLog::parse(utf8(key, &row.grader_log, grader)?)
        .map_err(|message| malformed(&row.grader_log, message))?;
    let patch_text = utf8(key, &row.patch, patch)?.to_owned();
    let patch = Patch::parse(&patch_text);
    let (key, row) = (key.clone(), Arc::clone(row));
    Ok(RunEvidence { key, row, session, session_bytes, wire, patch, patch_text, grader })
}

pub(crate) fn read_hashed(corpus: &Corpus, key: &RunKey, name: &str, hash: &str) -> Result<Vec<u8>, Fault> {
    let bytes = read(corpus, key, name)?;
    let found = sha256_hex(&bytes);
    if found == *hash {
        return Ok(bytes);
    }
    let message = format!("{name}: sha256 is {found}, the row says {hash}");
    Err(Fault::of_run(FaultCode::HashMismatch, key, message))
}

fn read(corpus: &Corpus, key: &RunKey, name: &str) -> Result<Vec<u8>, Fault> {
    let path =
        inside(&corpus.folder, name).map_err(|message| Fault::of_run(FaultCode::UnsafePath, key, message))?;
    fs::read(path)
        .map_err(|error| Fault::of_run(FaultCode::FileMissing, key, format!("{name}: {}", error.kind())))
}

fn utf8<'b>(key: &RunKey, name: &str, bytes: &'b [u8]) -> Result<&'b str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("{name}: not UTF-8 from byte {}", error.valid_up_to());
        Fault::of_run(FaultCode::RowMalformed, key, message)
    })
}
