//! What tests of session logs share: the binary, a specimen, folders.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use engine::message::stable_json;
use serde_json::{Value, json};

/// A folder of real input that doesn't ship with the project, or `None` (said on standard error) where it is absent.
pub fn shared(under: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let root = std::env::var_os("SLUICE_SHARED").map_or_else(beside, PathBuf::from);
    let folder = root.join(under);
    if folder.is_dir() {
        return Some(folder);
    }
    // Past the capture of test output: a skipped test must be seen.
    writeln!(std::io::stderr(), "skipped: {} is absent", folder.display()).expect("standard error is open");
    None
}

pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", self.stdout, self.stderr))
    }

    /// Exit code, standard output and standard error: the folder's own name replaced, members of JSON sorted (their
    /// order depends on which crates are built together).
    pub fn shown(&self, folder: &Path) -> String {
        let neutral = |text: &str| text.replace(&folder.display().to_string(), "[folder]");
        let stdout = match serde_json::from_str::<Value>(&self.stdout) {
            Ok(json) => serde_json::to_string_pretty(&sorted(json)).unwrap() + "\n",
            Err(_) => self.stdout.clone(),
        };
        format!("exit {}\n{}--\n{}", self.code, neutral(&stdout), neutral(&self.stderr))
    }
}

fn sorted(json: Value) -> Value {
    match json {
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(members.into_iter().collect())
        }
        other => other,
    }
}

pub fn harness<I: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = I>) -> Ran {
    let output =
        Command::new(env!("CARGO_BIN_EXE_harness")).args(arguments).env("NO_COLOR", "1").output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

pub fn import(paths: &[&Path], out: &Path, flags: &[&str]) -> Ran {
    let mut arguments = vec!["import".into()];
    arguments.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    arguments.extend(["--out".into(), out.as_os_str().to_owned()]);
    arguments.extend(flags.iter().map(Into::into));
    harness(arguments)
}

/// A session of a person, a reply with a tool call, its result and an answer.
pub fn specimen() -> Vec<String> {
    let usage = |input: u32, read: u32| json!({"input": input, "output": 20, "cacheRead": read, "cacheWrite": 5, "reasoning": 3, "cost": {"total": 0.5}});
    let entry = |id: &str, parent: Option<&str>, message: Value| json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-11-29T23:45:25.336Z", "message": message});
    let call = json!({"type": "toolCall", "id": "t", "name": "read", "arguments": {"path": "src/lib.rs"}});
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    [
        json!({"type": "session", "version": 3, "id": "s1", "timestamp": "2026-11-29T23:45:24.928Z", "cwd": "/home/user"}),
        entry("a", None, json!({"role": "user", "content": "read the library"})),
        entry("b", Some("a"), json!({"role": "assistant", "content": [call], "stopReason": "toolUse", "usage": usage(10, 0)})),
        entry("c", Some("b"), json!({"role": "toolResult", "toolCallId": "t", "toolName": "read", "content": text("fn main() {}")})),
        entry("d", Some("c"), json!({"role": "assistant", "content": text("done"), "stopReason": "stop", "usage": usage(4, 30)})),
    ]
    .map(|line| stable_json(&line))
    .to_vec()
}

pub fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}
