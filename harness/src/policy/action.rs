//! What the scripted model can do next, in terms of the agent's tools.

use serde_json::{Value, json};

/// Lines of one file that a search shows at most.
const HITS_PER_FILE: u32 = 3;

/// A tool call of the agent's own tool set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tool {
    /// Read a whole file.
    Read {
        /// Path relative to the working directory.
        path: String,
    },
    /// List a folder.
    List {
        /// Path relative to the working directory, `.` for itself.
        path: String,
    },
    /// Run a command in the shell.
    Shell {
        /// The command line.
        command: String,
    },
    /// Replace exact texts in one file.
    Edit {
        /// Path relative to the working directory.
        path: String,
        /// Old and new text, each old text unique in the file.
        changes: Vec<(String, String)>,
    },
}

impl Tool {
    /// Name and arguments as the agent's tool declarations want them.
    pub fn call(&self) -> (&'static str, Value) {
        match self {
            Tool::Read { path } => ("read", json!({ "path": path })),
            Tool::List { path } => ("ls", json!({ "path": path })),
            Tool::Shell { command } => ("bash", json!({ "command": command })),
            Tool::Edit { path, changes } => {
                let edits: Vec<Value> =
                    changes.iter().map(|(old, new)| json!({ "oldText": old, "newText": new })).collect();
                ("edit", json!({ "path": path, "edits": edits }))
            }
        }
    }
}

/// The next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Say something short and call a tool.
    Call {
        /// The words.
        say: String,
        /// The call.
        tool: Tool,
    },
    /// Say something and end the turn.
    Answer {
        /// The words.
        say: String,
    },
}

/// The command of a search for a word: git's own search, because its order is that of the paths, on any file system.
pub fn search_command(word: &str) -> String {
    let quoted = word.replace('\'', r"'\''");
    format!("git grep -n -i -F -m {HITS_PER_FILE} -e '{quoted}'")
}
