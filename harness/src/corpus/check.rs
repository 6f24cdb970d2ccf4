//! Checks of one run: what its row claims against what its files show.

use std::sync::Arc;

use super::content::{self, Contradiction};
use super::wire::of_list;
use super::{Activity, Fault, FaultCode, PACK_SOURCE, RunEvidence, Task, WireRequest};
use crate::scenario::Scenario;
use crate::variant::{EngineKind, Variant};

/// Every contradiction between a run's row, session, requests, patch, transcript and scenario.
pub fn check_run(
    evidence: &RunEvidence,
    activity: &Activity,
    task: &Task<'_>,
    variant: Option<&Variant>,
) -> Vec<Fault> {
    let mut checks = Checks { evidence, faults: Vec::new() };
    checks.model(activity);
    checks.thinking(activity);
    checks.requests(activity);
    checks.task(activity, task);
    if let Some(variant) = variant {
        checks.arm(activity, variant);
    }
    checks.outcome(activity, task.scenario);
    checks.faults
}

/// What requests offer beside the conversation: the code when it differs, its name, its hash in the row and in a request.
type OfferedPart<'r> = (FaultCode, &'static str, &'r str, fn(&WireRequest) -> Arc<str>);

fn offers_the_same(one: &WireRequest, other: &WireRequest) -> bool {
    one.tools == other.tools && one.system == other.system && one.parameters == other.parameters
}

struct Checks<'e> {
    evidence: &'e RunEvidence,
    faults: Vec<Fault>,
}

impl Checks<'_> {
    fn fault(&mut self, code: FaultCode, message: impl AsRef<str>) {
        self.faults.push(Fault::of_run(code, &self.evidence.key, message));
    }

    fn model(&mut self, activity: &Activity) {
        let row = &self.evidence.row;
        let stranger = activity
            .requests
            .iter()
            .find(|request| (&*request.provider, &*request.model) != (&*row.provider, &*row.model));
        if let Some(request) = stranger {
            let message = format!(
                "the session was answered by {}/{}, the row says {}/{}",
                request.provider, request.model, row.provider, row.model
            );
            self.fault(FaultCode::ModelMismatch, message);
        }
        if let Some(request) = self.evidence.wire.iter().find(|request| *request.model != *row.model) {
            let message = format!("a stored request asks for {}, the row says {}", request.model, row.model);
            self.fault(FaultCode::ModelMismatch, message);
        }
    }

    fn thinking(&mut self, activity: &Activity) {
        let claimed = &*self.evidence.row.thinking_level;
        let differing = match activity.thinking.as_slice() {
            [] => Some("off").filter(|level| *level != claimed),
            levels => levels.iter().map(String::as_str).find(|level| *level != claimed),
        };
        if let Some(level) = differing {
            let message = format!("the session's thinking level is {level}, the row says {claimed}");
            self.fault(FaultCode::ThinkingMismatch, message);
        }
    }

    /// Each billed reply of the session is one stored request, in order, with the same tokens.
    fn requests(&mut self, activity: &Activity) {
        let replies: Vec<_> = activity.requests.iter().filter(|request| !request.usage.is_zero()).collect();
        let wire: Vec<_> = self.evidence.wire.iter().filter(|request| request.usage.is_some()).collect();
        if replies.len() != wire.len() {
            let message =
                format!("{} billed replies, {} stored requests with usage", replies.len(), wire.len());
            return self.fault(FaultCode::UsageMismatch, message);
        }
        let differing = replies.iter().zip(&wire).position(|(reply, request)| {
            let (told, sent) = (reply.usage, request.usage.unwrap_or_default());
            reply.response_id != request.response_id
                || (told.input, told.output, told.cache_read, told.cache_write)
                    != (sent.input, sent.output, sent.cache_read, sent.cache_write)
        });
        if let Some(index) = differing {
            let message =
                format!("request {index}: session and stored request differ in identifier or tokens");
            self.fault(FaultCode::UsageMismatch, message);
        }
        match content::first_contradiction(self.evidence, activity) {
            Some(Contradiction::Differs(number, what)) => {
                let message =
                    format!("request {number}: {what} in the session and in the stored request differ");
                self.fault(FaultCode::WireMismatch, message);
            }
            Some(Contradiction::Unknown(number, path)) => {
                let message = format!(
                    "request {number}: sent to {path}: its content can't be compared with the session's: record with \
                     /v1/messages or /v1/chat/completions"
                );
                self.fault(FaultCode::WireUnchecked, message);
            }
            Some(Contradiction::Unread(number, what)) => {
                let message = format!(
                    "request {number}: {what}: can't be compared with the session's: record with an agent that sends \
                     none"
                );
                self.fault(FaultCode::WireUnchecked, message);
            }
            None => {}
        }
        self.offered();
    }

    /// What every request offers beside the conversation is what the row says. A session that changes its instructions or
    /// its tools on the way is held to it in its first request only: what follows is compared with the session.
    fn offered(&mut self) {
        let RunEvidence { row, wire, .. } = self.evidence;
        let parts: [OfferedPart<'_>; 3] = [
            (FaultCode::ToolsMismatch, "tools", &row.tools_sha256, |request| of_list(&request.tools).into()),
            (FaultCode::InstructionsMismatch, "instructions", &row.instructions_sha256, |request| {
                of_list(&request.system).into()
            }),
            (FaultCode::ParametersMismatch, "parameters", &row.parameters_sha256, |request| {
                Arc::clone(&request.parameters)
            }),
        ];
        let anew = content::instructs_anew(self.evidence);
        for (code, name, told, part) in parts {
            let held = if anew && code != FaultCode::ParametersMismatch { 1 } else { wire.len() };
            let mut differing = wire.iter().take(held).enumerate();
            // The hash is made once for requests in a row that offer the same.
            let mut known: Option<&WireRequest> = None;
            let other = differing.find(|(_, request)| {
                let same = known.is_some_and(|known| offers_the_same(known, request));
                known = Some(request);
                !same && *part(request) != *told
            });
            match other {
                Some((number, _)) => {
                    self.fault(code, format!("request {number}: its {name} aren't the row's"))
                }
                None if wire.is_empty() => self.fault(code, format!("no request shows the row's {name}")),
                None => {}
            }
        }
    }

    fn task(&mut self, activity: &Activity, task: &Task<'_>) {
        let (row, scenario) = (&self.evidence.row, task.scenario);
        if *row.prompt_sha256 != *task.prompt_sha256 {
            self.fault(FaultCode::TaskMismatch, "the recorded prompt isn't the scenario's");
        }
        let asked = activity.prompts.first().map(|(_, text)| text.trim());
        if asked != Some(scenario.prompt.trim()) {
            self.fault(FaultCode::TaskMismatch, "the session's first prompt isn't the scenario's");
        }
        match &task.scenario_sha256 {
            Ok(hash) if **hash == *row.scenario_sha256 => {}
            Ok(_) => self.fault(FaultCode::TaskMismatch, "the task's files aren't those recorded"),
            Err(error) => self.fault(FaultCode::TaskMismatch, error),
        }
        match &task.tree_sha256 {
            Ok(hash) if **hash == *row.tree_sha256 => {}
            Ok(_) => self.fault(FaultCode::TreeMismatch, "the fixture isn't the one recorded"),
            Err(error) => self.fault(FaultCode::TreeMismatch, error),
        }
        if self.evidence.grader.command != scenario.grade {
            self.fault(FaultCode::TaskMismatch, "the transcript is of another grader command");
        }
    }

    /// A pass-through adds nothing: a pack in its session says that arms were swapped.
    fn arm(&mut self, activity: &Activity, variant: &Variant) {
        let packed = activity.injected.iter().any(|(_, source, _)| source == PACK_SOURCE);
        if packed && variant.engine == EngineKind::PassThrough {
            self.fault(FaultCode::ArmMismatch, "a pack in a session of the pass-through");
        }
    }

    fn outcome(&mut self, activity: &Activity, scenario: &Scenario) {
        let RunEvidence { row, grader, patch, .. } = self.evidence;
        let claimed = &row.outcome;
        let accepted = grader.derive_accepted(&patch.changes, &row.patch_sha256, scenario);
        if claimed.accepted != accepted || grader.accepted != accepted {
            let message = format!(
                "accepted: the row says {}, the transcript {}, patch and exit code show {accepted}",
                claimed.accepted, grader.accepted
            );
            self.fault(FaultCode::OutcomeMismatch, message);
        }
        let exits: Vec<Option<i64>> =
            activity.verifications(&scenario.verify).map(super::Call::exit_code).collect();
        let failures = exits.iter().filter(|exit| **exit != Some(0)).count() as u64;
        let shown = (exits.len() as u64, failures, exits.last().copied().flatten());
        let told = (claimed.verify_attempts, claimed.verify_failures, claimed.verify_exit);
        if shown != told {
            let message = format!(
                "verifications (attempts, failures, last exit): the row says {told:?}, the session shows {shown:?}"
            );
            self.fault(FaultCode::OutcomeMismatch, message);
        }
    }
}
