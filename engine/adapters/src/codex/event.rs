//! Events: how calls ended, and what only serves the interface.

use engine::message::Json;

use super::view::Step;
use crate::log::FaultCode;
use crate::log::dialect::Report;
use crate::log::suspect::tells_usage;

/// Members that tell billed tokens.
pub(super) const FIGURES: [&str; 4] = ["usage", "info", "total_token_usage", "last_token_usage"];

/// What is said of figures that are left out.
pub(super) const UNCOUNTED: &str = "something of an unknown type tells billed tokens: they aren't counted";

/// Notes something of an unknown type; that it isn't counted is a fault where it tells billed tokens.
pub(super) fn unknown(what: &str, name: &str, json: &Json<'_>, line: u64, report: &mut Report) {
    if name.is_empty() {
        report.warn(line, FaultCode::UnknownShape, format!("no {what}: not interpreted"));
    } else if tells_usage(json, &FIGURES) {
        report.warn(line, FaultCode::UnknownShape, UNCOUNTED);
    }
    report.lose(format!("{what} `{name}`: kept in the tree, not interpreted"));
}

/// How a call ended, where an event tells.
pub(super) fn outcome(name: &str, event: &Json<'_>) -> Option<Step> {
    let failed = match name {
        "exec_command_end" => event.get("exit_code").and_then(Json::as_f64).is_some_and(|code| code != 0.0),
        "patch_apply_end" => event.get("success") == Some(&Json::Bool(false)),
        "mcp_tool_call_end" => {
            let result = event.get("result");
            let answer = result.and_then(|result| result.get("Ok"));
            result.is_some_and(|result| result.get("Err").is_some())
                || answer.and_then(|answer| answer.get("isError").or(answer.get("is_error")))
                    == Some(&Json::Bool(true))
        }
        _ => return None,
    };
    let call_id = event.str_at("call_id").unwrap_or("").to_owned();
    Some(Step::Outcome { call_id, failed })
}

/// Events that repeat items for the interface or tell of things outside the conversation.
pub(super) const INTERFACE_EVENTS: [&str; 49] = [
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "apply_patch_approval_request",
    "background_event",
    "collab_agent_interaction_begin",
    "collab_agent_interaction_end",
    "collab_agent_spawn_begin",
    "collab_agent_spawn_end",
    "collab_close_begin",
    "collab_close_end",
    "collab_resume_begin",
    "collab_resume_end",
    "collab_waiting_begin",
    "collab_waiting_end",
    "context_compacted",
    "deprecation_notice",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "entered_review_mode",
    "error",
    "exec_approval_request",
    "exec_command_begin",
    "exited_review_mode",
    "guardian_assessment",
    "image_generation_begin",
    "image_generation_end",
    "item_completed",
    "item_started",
    "mcp_tool_call_begin",
    "model_reroute",
    "patch_apply_begin",
    "plan_update",
    "stream_error",
    "sub_agent_activity",
    "task_complete",
    "thread_goal_updated",
    "thread_name_updated",
    "thread_settings_applied",
    "turn_complete",
    "turn_diff",
    "turn_started",
    "undo_completed",
    "undo_started",
    "view_image_tool_call",
    "warning",
    "web_search_begin",
    "web_search_end",
];
