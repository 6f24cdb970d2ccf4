//! Running a program of a fixture: listed environment, time limit, bounded output.
//!
//! This isn't a sandbox: the program has the rights of who runs the harness, and the network of the machine.

use std::collections::VecDeque;
use std::env;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use adapters::{end_group, lead_group};

use super::ScenarioError;

/// Kept of each output stream.
pub const TAIL_BYTES: usize = 4096;
/// How often a running program is looked at.
const POLL: Duration = Duration::from_millis(5);
/// How long output may be awaited once the program has ended: a detached grandchild can hold the pipe open.
const DRAIN: Duration = Duration::from_secs(2);

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Exit code; `None` if it was stopped by a signal or by the time limit.
    pub exit_code: Option<i32>,
    /// True if the time limit stopped it.
    pub timed_out: bool,
    /// End of standard output, at most [`TAIL_BYTES`], lossy UTF-8.
    pub stdout_tail: String,
    /// End of standard error, likewise.
    pub stderr_tail: String,
}

impl Ended {
    /// True for exit code 0 within the time limit.
    pub fn success(&self) -> bool {
        self.exit_code == Some(0) && !self.timed_out
    }
}

/// Where and with which environment programs run.
#[derive(Debug, Clone)]
pub struct Surroundings {
    variables: Vec<(OsString, OsString)>,
}

impl Surroundings {
    /// An environment with `home` as the home folder. Nothing is inherited but `PATH` and where rustup keeps its
    /// toolchains; build output of Cargo goes to `home/target`, outside of the work tree.
    pub fn new(home: &Path) -> Self {
        let mut surroundings = Surroundings { variables: Vec::new() };
        let fixed = [
            ("HOME", home.as_os_str().to_owned()),
            ("LANG", "C.UTF-8".into()),
            ("NO_COLOR", "1".into()),
            ("PYTHONDONTWRITEBYTECODE", "1".into()),
            ("PYTHONHASHSEED", "0".into()),
            ("CARGO_HOME", home.join(".cargo").into_os_string()),
            ("CARGO_TARGET_DIR", home.join("target").into_os_string()),
            ("CARGO_NET_OFFLINE", "true".into()),
            ("CARGO_TERM_COLOR", "never".into()),
        ];
        for (name, value) in fixed {
            surroundings.set(name, value);
        }
        for name in ["PATH", "RUSTUP_TOOLCHAIN"] {
            if let Some(value) = env::var_os(name) {
                surroundings.set(name, value);
            }
        }
        if let Some(folder) = rustup_home() {
            surroundings.set("RUSTUP_HOME", folder);
        }
        surroundings
    }

    /// Sets one more variable, or another value for one.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let name = name.into();
        self.variables.retain(|(known, _)| *known != name);
        self.variables.push((name, value.into()));
    }

    /// Runs `argv` in `folder`. The program leads a process group of its own, and the whole group is ended with it.
    pub fn run(&self, argv: &[String], folder: &Path, limit: Duration) -> Result<Ended, ScenarioError> {
        let Some((program, arguments)) = argv.split_first() else {
            return Err(ScenarioError::invalid(folder, "an empty command can't be run"));
        };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).env_clear();
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        lead_group(&mut command);
        let start = |source| ScenarioError::Start { program: program.clone(), source };
        let mut child = command.spawn().map_err(start)?;
        let stdout = tail_of(child.stdout.take());
        let stderr = tail_of(child.stderr.take());
        let status = wait(&mut child, limit).map_err(start)?;
        Ok(Ended {
            exit_code: status.and_then(|status| status.code()),
            timed_out: status.is_none(),
            stdout_tail: drained(&stdout),
            stderr_tail: drained(&stderr),
        })
    }
}

fn rustup_home() -> Option<PathBuf> {
    let declared = env::var_os("RUSTUP_HOME").map(PathBuf::from);
    declared
        .or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".rustup")))
        .filter(|path| path.is_dir())
}

/// The status, or nothing if the limit was reached. Either way nothing of the program's group is left running.
fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if begun.elapsed() >= limit {
            break None;
        }
        thread::sleep(POLL);
    };
    end_group(child.id());
    if status.is_none() {
        // It may have ended by itself in the meantime; `kill` then says so, and there is nothing to end.
        child
            .kill()
            .or_else(|error| if error.kind() == io::ErrorKind::InvalidInput { Ok(()) } else { Err(error) })?;
        child.wait()?;
    }
    Ok(status)
}

/// Reads a stream to its end on a thread of its own and keeps the last [`TAIL_BYTES`].
fn tail_of(stream: Option<impl Read + Send + 'static>) -> Receiver<VecDeque<u8>> {
    let (sender, receiver) = channel();
    let Some(mut stream) = stream else { return receiver };
    thread::spawn(move || {
        let mut tail = VecDeque::new();
        let mut buffer = [0; TAIL_BYTES];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            tail.extend(&buffer[..count]);
            let surplus = tail.len().saturating_sub(TAIL_BYTES);
            tail.drain(..surplus);
        }
        // Nobody listens any more if draining took too long.
        sender.send(tail).ok();
    });
    receiver
}

fn drained(tail: &Receiver<VecDeque<u8>>) -> String {
    let bytes = tail.recv_timeout(DRAIN).map(Vec::from).unwrap_or_default();
    // A tail may begin within a character.
    let start = bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
    String::from_utf8_lossy(&bytes[start..]).into_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Ended {
        let home = tempfile::tempdir().expect("a temporary folder");
        let argv = ["sh", "-c", script].map(String::from);
        Surroundings::new(home.path()).run(&argv, home.path(), limit).expect("every machine has sh")
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn keeps_exit_code_and_both_outputs() {
        let ended = shell("echo out; echo err >&2; exit 3", LONG);
        let expected = Ended {
            exit_code: Some(3),
            timed_out: false,
            stdout_tail: "out\n".to_owned(),
            stderr_tail: "err\n".to_owned(),
        };
        assert_eq!(ended, expected);
    }

    #[test]
    fn a_flood_is_bounded_and_its_end_is_kept() {
        let ended = shell("i=0; while [ $i -lt 20000 ]; do echo äöü; i=$((i+1)); done; echo last", LONG);
        assert!(ended.stdout_tail.ends_with("äöü\nlast\n"));
        assert!(ended.stdout_tail.len() <= TAIL_BYTES);
        assert!(!ended.stdout_tail.contains('\u{fffd}'));
    }

    #[test]
    fn the_limit_ends_the_whole_group() {
        let ended = shell("sleep 600 & sleep 600", Duration::from_millis(200));
        assert_eq!((ended.exit_code, ended.timed_out, ended.success()), (None, true, false));
    }

    #[test]
    fn a_background_process_does_not_outlive_its_leader() {
        let ended = shell("sleep 600 & echo done", LONG);
        assert!(ended.success());
        assert_eq!(ended.stdout_tail, "done\n");
    }

    #[test]
    fn the_environment_is_the_listed_one() {
        let ended = shell("env | cut -d= -f1 | sort | tr '\\n' ' '", LONG);
        let inherited = ["CARGO_MANIFEST_DIR", "USER", "CARGO_PKG_NAME"];
        assert!(inherited.iter().all(|name| !ended.stdout_tail.contains(name)), "{}", ended.stdout_tail);
        assert!(ended.stdout_tail.contains("PYTHONDONTWRITEBYTECODE"));
    }

    #[test]
    fn a_missing_program_says_what_to_do() {
        let home = tempfile::tempdir().unwrap();
        let argv = ["no-such-program-here".to_owned()];
        let error = Surroundings::new(home.path()).run(&argv, home.path(), LONG).unwrap_err();
        assert!(error.to_string().ends_with("install it or put it on PATH"), "{error}");
    }
}
