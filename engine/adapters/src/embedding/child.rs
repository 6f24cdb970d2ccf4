//! A child process spoken to by lines, each within a time limit and a size limit.

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child as Process, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use engine::retrieve::{EmbeddingFailure, MAX_BATCH, MAX_DIMENSIONS};

use crate::group::{end_group, lead_group};

/// Longest line: a full batch of the longest vectors, 32 bytes a number.
const MAX_LINE_BYTES: usize = MAX_BATCH * MAX_DIMENSIONS * 32;

/// Most that a provider may write to standard error in its life.
const MAX_STDERR_BYTES: usize = 1 << 20;

/// Events that may wait to be looked at: a child that writes unasked is held up, and its lines aren't gathered here.
const MAX_WAITING: usize = 4;

/// What a child inherits of the environment: no keys, no settings of other programs.
const INHERITED: [&str; 6] = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "SYSTEMROOT"];

/// A program that speaks the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its path, or a name that is looked for in `PATH`.
    pub path: PathBuf,
    /// What it is called with.
    pub arguments: Vec<OsString>,
}

/// What a child does.
enum Event {
    /// A line, without its break.
    Line(Vec<u8>),
    /// Standard output ended within a line.
    Torn,
    /// A line beyond the limit.
    TooLong,
    /// Standard output ended.
    Closed,
    /// Too much on standard error.
    Flood,
}

/// A running child. Ended with its group when the value goes.
pub(super) struct Child {
    process: Process,
    input: Sender<Vec<u8>>,
    events: Receiver<Event>,
}

impl Child {
    pub(super) fn start(program: &Program) -> Result<Child, EmbeddingFailure> {
        let refused = |reason: &dyn ToString| EmbeddingFailure::Start {
            program: program.path.display().to_string(),
            reason: reason.to_string(),
        };
        let mut command = Command::new(&program.path);
        command.args(&program.arguments).env_clear();
        command.envs(INHERITED.into_iter().filter_map(|name| Some((name, env::var_os(name)?))));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        lead_group(&mut command);
        let mut process = command.spawn().map_err(|error| refused(&error))?;
        let streams = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(refused(&"its streams can't be reached"));
        };
        let (input, lines) = channel();
        let (output, events) = sync_channel(MAX_WAITING);
        let errors = output.clone();
        thread::spawn(move || write_lines(stdin, &lines));
        thread::spawn(move || read_lines(stdout, &output));
        thread::spawn(move || count_bytes(stderr, &errors));
        Ok(Child { process, input, events })
    }

    /// Gives a line to the child; it may take it while its answer is awaited.
    pub(super) fn tell(&self, line: Vec<u8>) {
        // A child that takes no more is noticed by its missing answer.
        let _ = self.input.send(line);
    }

    /// The next line of the child.
    pub(super) fn hear(&self, awaited: &'static str, limit: Duration) -> Result<Vec<u8>, EmbeddingFailure> {
        match self.events.recv_timeout(limit) {
            Ok(Event::Line(line)) => Ok(line),
            Ok(Event::Torn) => Err(EmbeddingFailure::Answer { what: "it ended within a line" }),
            Ok(Event::TooLong) => Err(EmbeddingFailure::TooLong { limit: MAX_LINE_BYTES }),
            Ok(Event::Flood) => Err(EmbeddingFailure::Flood { limit: MAX_STDERR_BYTES }),
            Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => {
                Err(EmbeddingFailure::Ended { awaited })
            }
            Err(RecvTimeoutError::Timeout) => {
                Err(EmbeddingFailure::Timeout { awaited, seconds: limit.as_secs() })
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // The group first: while its leader isn't waited for, nobody else bears its number.
        end_group(self.process.id());
        // It fails where the child has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn write_lines(mut stdin: impl Write, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(stdout: impl Read, events: &SyncSender<Event>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let event = next_line(&mut stdout);
        let goes_on = matches!(event, Event::Line(_));
        // Nobody listens once the child is given up.
        if events.send(event).is_err() || !goes_on {
            return;
        }
    }
}

fn next_line(stdout: &mut impl BufRead) -> Event {
    let mut line = Vec::new();
    loop {
        let buffer = match stdout.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return Event::Closed,
        };
        if buffer.is_empty() {
            return if line.is_empty() { Event::Closed } else { Event::Torn };
        }
        let end = memchr::memchr(b'\n', buffer);
        let taken = end.unwrap_or(buffer.len());
        if line.len() + taken > MAX_LINE_BYTES {
            return Event::TooLong;
        }
        line.extend_from_slice(&buffer[..taken]);
        stdout.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Event::Line(line);
        }
    }
}

/// Reads standard error so that the child isn't held up. Nothing of it is kept: it may hold what the child was told.
fn count_bytes(mut stderr: impl Read, events: &SyncSender<Event>) {
    let (mut total, mut buffer) = (0, [0; 4096]);
    while let Ok(count @ 1..) = stderr.read(&mut buffer) {
        total += count;
        if total > MAX_STDERR_BYTES {
            // Nobody listens once the child is given up.
            let _ = events.send(Event::Flood);
            return;
        }
    }
}
