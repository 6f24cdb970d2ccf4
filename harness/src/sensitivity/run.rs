//! One emulated run: the policy against the emulated tools.

use engine::tokens::{O200k, TokenCounter};

use crate::policy::{Action, Call, Draws, Parameters, Tool, Transcript, Turn, decide};
use crate::record::RecordError;
use crate::scenario::Knowledge;

use super::tools::Bench;

/// Tokens of the system prompt and the tool declarations, as recorded runs of the real agent have them.
const HEAD_TOKENS: u64 = 1_700;

/// What came of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmulatedRun {
    /// Whether the hidden grader accepted the tree.
    pub accepted: bool,
    /// Requests made.
    pub requests: u64,
    /// Prompt tokens that no earlier request of the run had.
    pub fresh_tokens: u64,
    /// Checks that failed after an edit.
    pub failed_checks: u64,
}

/// Runs the policy to its end. Identical arguments give identical runs.
///
/// # Errors
/// A check can't be started.
pub fn emulate(
    bench: &Bench,
    knowledge: &Knowledge,
    parameters: &Parameters,
    draws: &Draws,
    pack: Option<&str>,
) -> Result<EmulatedRun, RecordError> {
    let system = format!("<cwd>\n/home/user/{}\n</cwd>", bench.scenario.repo);
    let mut view = Transcript { system, turns: Vec::new(), has_tools: true };
    let mut fresh_tokens = HEAD_TOKENS;
    let mut push = |view: &mut Transcript, turn: Turn, text: &str| {
        fresh_tokens += O200k.text(text);
        view.turns.push(turn);
    };
    push(&mut view, Turn::User(bench.scenario.prompt.clone()), &bench.scenario.prompt);
    if let Some(pack) = pack {
        push(&mut view, Turn::User(pack.to_owned()), pack);
    }
    let mut files = bench.files.clone();
    let mut requests = 0;
    let mut edits = 0;
    let mut failed_checks = 0;
    loop {
        requests += 1;
        let (say, tool) = match decide(&view, knowledge, parameters, draws) {
            Action::Answer { .. } => break,
            Action::Call { say, tool } => (say, tool),
        };
        let (name, arguments) = tool.call();
        let id = format!("call{requests}");
        let answered = bench.apply(&tool, &mut files)?;
        edits += u64::from(matches!(tool, Tool::Edit { .. }));
        let is_check =
            matches!(&tool, Tool::Shell { command } if *command == bench.scenario.verify.join(" "));
        failed_checks += u64::from(is_check && answered.failed && edits > 0);
        let said = format!("{say}\n{name} {arguments}");
        let call = Call { id: id.clone(), name: name.to_owned(), arguments };
        push(&mut view, Turn::Assistant { text: say, calls: vec![call] }, &said);
        let result = Turn::Result { call: id, text: answered.text.clone(), failed: answered.failed };
        push(&mut view, result, &answered.text);
    }
    let accepted = bench.accepts(&files)?;
    Ok(EmulatedRun { accepted, requests, fresh_tokens, failed_checks })
}
