//! The stored form of a plan (`plan/1`). It is written as canonical JSON, so that equal plans have equal bytes.

use engine::message::sha256_hex;
use engine::plan::{Decision, ItemSource, Plan};
use serde_json::{Value, json};

/// A plan as it is stored. The supplement stands there by its hash; its text is the project's.
pub fn plan_value(plan: &Plan) -> Value {
    let items = |decisions: &[Decision]| decisions.iter().map(item).collect::<Vec<Value>>();
    let supplement = plan.supplement.as_ref().map(
        |supplement| json!({ "sha256": sha256_hex(supplement.text.as_bytes()), "tokens": supplement.tokens }),
    );
    json!({
        "schema": "plan/1",
        "mode": plan.mode.name(),
        "budget": {
            "total": plan.budget.total,
            "project": plan.budget.project,
            "recent": plan.budget.recent,
            "history": plan.budget.history,
        },
        "selected": items(&plan.selected),
        "dropped": items(&plan.dropped),
        "supplement": supplement,
        "tokens": plan.tokens,
        "overflow": plan.overflow,
        "diagnostics": plan.diagnostics,
    })
}

fn item(decision: &Decision) -> Value {
    let source = match &decision.source {
        ItemSource::Entry(id) => json!({ "entry": &*id.0 }),
        ItemSource::Project { path, start_line, end_line } => {
            json!({ "path": path, "start_line": start_line, "end_line": end_line })
        }
        ItemSource::Recalled { entry, part, start_line, end_line } => {
            json!({ "recalled": &*entry.0, "part": part, "start_line": start_line, "end_line": end_line })
        }
    };
    json!({
        "source": source,
        "tokens": decision.tokens,
        "reason": decision.reason.code(),
        "group": decision.group,
    })
}
