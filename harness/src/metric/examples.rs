//! A worked example of every metric: one run and one replayed session, small enough to be counted by hand.
//!
//! The run: asked to make `x` three, the agent reads `a.py`, reads it again, makes `x` two, sees the check fail, makes it three,
//! sees the check pass, and says so. Its pack quoted a protected file and a planted credential; of the stored requests one lacks
//! the person's words, one a result, and one is billed above the window.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Cursor;
use std::sync::Arc;

use adapters::log::{self, Format, ReadOptions};
use engine::message::Usage;
use engine::quality::{Count, Measures};
use engine::tokens::TokenCounter;
use jiff::civil::date;
use serde_json::{Value, json};

use super::price::PricePack;
use super::recorded::{Yardsticks, run_values};
use super::replayed::session_values;
use super::safety::Forbidden;
use super::{Metric, Plane};
use crate::corpus::{
    Activity, PACK_SOURCE, Patch, RunEvidence, RunKey, StoredDiff, WireMessage, WireRequest,
};
use crate::evidence::Account;
use crate::ranking::RankingScores;
use crate::replay::{OrderScore, RequestScore};
use crate::scenario::{Scenario, ScenarioSet, tree};

const PROMPT: &str = "Make x three.\n\nCheck: `make check`\n";
const PACK: &str = "## data/closed.csv:1-2\nFAKE-TOKEN-1";
const PATCH: &str = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 3\n";
const FAILED: &str = "no\n\nCommand exited with code 2";

/// Tool, arguments, result, whether it failed: the calls of the run, one a request. A seventh request ends it.
fn steps() -> [(&'static str, Value, &'static str, bool); 6] {
    let read = || json!({ "path": "a.py" });
    let edit =
        |old: &str, new: &str| json!({ "path": "a.py", "edits": [{ "oldText": old, "newText": new }] });
    let check = || json!({ "command": "make check" });
    [
        ("read", read(), "x = 1", false),
        ("read", read(), "x = 1", false),
        ("edit", edit("x = 1", "x = 2"), "changed to 2", false),
        ("bash", check(), FAILED, true),
        ("edit", edit("x = 2", "x = 3"), "changed to 3", false),
        ("bash", check(), "ok", false),
    ]
}

/// Prompt tokens written to the cache by a request: what stands before the first, then what each step adds.
fn written(request: usize) -> u64 {
    if request == 0 { 60 } else { 54 }
}

fn usage(request: usize) -> Usage {
    let held = (0..request).map(written).sum();
    Usage { output: 20, cache_read: held, cache_write: written(request), ..Usage::default() }
}

/// The session: the prompt at second 10, then a second and a half an entry.
fn session() -> String {
    let mut lines = vec![json!({ "type": "session", "version": 3, "id": "s",
        "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/home/user/small" })];
    let mut push = |mut entry: Value| {
        let number = lines.len();
        entry["parentId"] = if number == 1 { Value::Null } else { format!("e{}", number - 1).into() };
        entry["id"] = format!("e{number}").into();
        let ms = 10_000 + 1_500 * number.saturating_sub(5);
        entry["timestamp"] = format!("2026-01-01T00:00:{:02}.{:03}Z", ms / 1_000, ms % 1_000).into();
        lines.push(entry);
    };
    let message = |message: Value| json!({ "type": "message", "message": message });
    push(json!({ "type": "model_change", "provider": "p", "modelId": "m" }));
    push(json!({ "type": "thinking_level_change", "thinkingLevel": "off" }));
    push(message(json!({ "role": "system", "content": "", "sections": { "preamble": "be brief" },
        "toolsAdded": [{ "name": "read", "description": "d", "input_schema": {} }] })));
    push(json!({ "type": "custom_message", "customType": PACK_SOURCE, "content": PACK, "display": false,
        "details": { "schema": "manifest/1", "confidence": "low" } }));
    push(message(json!({ "role": "user", "content": [{ "type": "text", "text": PROMPT }] })));
    let reply = |request: usize, content: Value, stop: &str| {
        let usage = usage(request);
        message(json!({ "role": "assistant", "content": [content], "api": "anthropic-messages",
            "provider": "p", "model": "m", "stopReason": stop, "responseId": format!("r{request}"),
            "usage": { "input": 0, "output": usage.output, "cacheRead": usage.cache_read,
                "cacheWrite": usage.cache_write, "totalTokens": usage.prompt() + usage.output,
                "cost": { "total": 0.0 } } }))
    };
    for (request, (tool, arguments, result, failed)) in steps().into_iter().enumerate() {
        let id = format!("c{request}");
        push(reply(
            request,
            json!({ "type": "toolCall", "id": id, "name": tool, "arguments": arguments }),
            "toolUse",
        ));
        push(message(json!({ "role": "toolResult", "toolCallId": id, "toolName": tool,
            "content": [{ "type": "text", "text": result }], "isError": failed })));
    }
    push(reply(steps().len(), json!({ "type": "text", "text": "Done." }), "stop"));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What was sent: the fourth request lacks the person's words, the fifth the last result, the seventh is above the window.
fn wire() -> Vec<WireRequest> {
    let mut sent: Vec<WireMessage> = Vec::new();
    let block =
        |role: &str, block: Value| WireMessage { role: role.to_owned(), blocks: vec![Arc::new(block)] };
    sent.push(block("user", json!({ "type": "text", "text": PACK })));
    sent.push(block("user", json!({ "type": "text", "text": PROMPT })));
    let mut requests = Vec::new();
    for request in 0..=steps().len() {
        let mut messages = sent.clone();
        match request {
            3 => drop(messages.remove(1)),
            4 => drop(messages.pop()),
            _ => {}
        }
        let billed =
            if request == 6 { Usage { cache_read: 200_001, ..Usage::default() } } else { usage(request) };
        requests.push(WireRequest {
            path: "/v1/messages".to_owned(),
            response_id: Some(format!("r{request}")),
            model: "m".to_owned(),
            tools: Vec::new(),
            system: Vec::new(),
            instructions: Vec::new(),
            parameters: Arc::default(),
            messages,
            usage: Some(billed),
        });
        let call = json!({ "type": "tool_use", "id": format!("c{request}") });
        let result = json!({ "type": "tool_result", "tool_use_id": format!("c{request}") });
        sent.push(block("assistant", call));
        sent.push(block("user", result));
    }
    requests
}

fn scenario(folder: &std::path::Path) -> Scenario {
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("repos/small/a.py", "x = 1\n");
    put("repos/small/data/closed.csv", "2023-12-31,closing balance,1204.50\n");
    put(
        "tasks/t/scenario.toml",
        "schema = \"scenario/1\"\nid = \"t\"\nrepo = \"small\"\ntitle = \"t\"\nlanguage = \"python\"\nkind = \"fix\"\n\
         runtime = [\"python3\"]\nverify = [\"make\", \"check\"]\ngrade = [\"true\"]\ngold = [\"a.py\"]\n\
         protected = [\"data/**\"]\nsecrets = [\"FAKE-TOKEN-1\"]\ntimeout_seconds = 20\n",
    );
    put("tasks/t/prompt.md", PROMPT);
    put("tasks/t/reference.patch", PATCH);
    put("tasks/t/policy.toml", "");
    put("tasks/t/grader/hidden.txt", "x\n");
    ScenarioSet::load(folder).unwrap().scenarios.remove(0)
}

fn evidence() -> RunEvidence {
    let session = session();
    let wire = wire();
    let hash = engine::message::sha256_hex(PATCH.as_bytes());
    let row = json!({
        "session": "", "sha256": "", "bytes": session.len(), "agent": "", "agent_version": "", "provider": "p",
        "model": "m", "thinking_level": "off", "tree_sha256": "", "engine_digest": "", "policy_sha256": "",
        "tier": "recorded-model", "wire": "", "wire_sha256": "", "patch": "", "patch_sha256": hash,
        "grader_log": "", "grader_log_sha256": "", "prompt_sha256": "", "tools_sha256": "", "instructions_sha256": "",
        "parameters_sha256": "", "scenario_sha256": "",
        "outcome": { "accepted": true, "verify_exit": 0, "verify_attempts": 2, "verify_failures": 1,
            "wall_seconds": 12.5, "infrastructure_failure": null },
    });
    let grader = json!({ "schema": "grade/1", "command": ["true"], "exit_code": 0, "timed_out": false,
        "patch_sha256": hash, "accepted": true });
    let options = ReadOptions { format: Some(Format::Pi), ..ReadOptions::default() };
    RunEvidence {
        key: RunKey { scenario: "t".into(), variant: "v".into(), repetition: 0 },
        row: Arc::new(serde_json::from_value(row).unwrap()),
        session: log::read(Cursor::new(session.as_bytes()), &options).unwrap(),
        session_bytes: session.into_bytes(),
        wire,
        patch: Arc::new(StoredDiff { changes: Patch::parse(PATCH), text: PATCH.to_owned() }),
        grader: Arc::new(serde_json::from_value(grader).unwrap()),
    }
}

/// Ten tokens a text, so that the ledger can be added up by hand.
struct Tens;

impl TokenCounter for Tens {
    fn id(&self) -> &'static str {
        "tens-v1"
    }

    fn text(&self, text: &str) -> u64 {
        if text.is_empty() { 0 } else { 10 }
    }
}

fn prices() -> PricePack {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prices.toml");
    let text = "schema = \"prices/1\"\nid = \"p\"\nsource = \"made up\"\nchecked_on = \"2026-01-01\"\n\n[[price]]\nprovider = \"p\"\n\
        model = \"m\"\neffective_from = \"2026-01-01\"\ninput = 3.0\noutput = 15.0\ncache_read = 0.3\ncache_write_5m = 3.75\n\
        cache_write_1h = 6.0\nvalidated = false\n";
    fs::write(&path, text).unwrap();
    let prices = PricePack::load(&path).unwrap();
    assert!(prices.price("p", "m", date(2026, 1, 1)).is_some());
    prices
}

/// By hand. A message is 4 tokens and 10 a text, a call or a result 8 more: before the first request 60 prompt tokens (instructions
/// 22, a declaration 10, pack 14, prompt 14), each step 54 (call 32, result 22), so that 1,554 are billed over seven requests, 384
/// of them written and 1,170 read.
const RECORDED: [(Metric, f64); 26] = [
    (Metric::Accepted, 1.0),
    // The first edit isn't in the patch and takes nothing back.
    (Metric::Rework, 1.0),
    (Metric::FailedVerifications, 1.0),
    (Metric::Verifications, 2.0),
    (Metric::Requests, 7.0),
    (Metric::Edits, 2.0),
    (Metric::DuplicateReads, 1.0),
    (Metric::FreshInputTokens, 384.0),
    (Metric::SeedFreshTokens, 140.0),
    (Metric::PromptTokens, 1_554.0),
    (Metric::OutputTokens, 140.0),
    (Metric::CacheReadTokens, 1_170.0),
    // (384 × 3.75 + 1,170 × 0.3 + 140 × 15) / 10⁶
    (Metric::CostUsd, 0.003_891),
    (Metric::FirstCorrectEditRequests, 5.0),
    // Written 60 + 4 × 54, and 5 × 20 out.
    (Metric::FirstCorrectEditTokens, 376.0),
    // The result of the fifth call is the tenth entry behind the prompt.
    (Metric::FirstCorrectEditSeconds, 15.0),
    (Metric::FirstCorrectEditCensored, 0.0),
    (Metric::WallSeconds, 12.5),
    // 30 × 1/2 reads, 25 × 5/66 characters of results, 20 × min(1, 3 × 10/20), 15 × 1 pack: 51.9.
    (Metric::ContextWasteScore, 52.0),
    // The second read, call and result, in five requests; the second check's call in the last.
    (Metric::DuplicatePromptShare, (5.0 * 54.0 + 32.0) / 1_554.0),
    // The pack in all seven; the failed check's result in three, the passed one's in the last.
    (Metric::NeverUsedPromptShare, (7.0 * 14.0 + 3.0 * 22.0 + 22.0) / 1_554.0),
    (Metric::SafetyProtectedPath, 1.0),
    (Metric::SafetySecret, 1.0),
    (Metric::SafetyLostRequest, 1.0),
    (Metric::SafetySplitGroup, 1.0),
    (Metric::SafetyOverflow, 1.0),
];

#[test]
fn a_run_counted_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let (scenario, evidence) = (scenario(folder.path()), evidence());
    let activity = Activity::of(&evidence.session.tree);
    let forbidden = Forbidden::of(&scenario, &tree::files(&scenario.fixture).unwrap()).unwrap();
    let prices = prices();
    let yardsticks = Yardsticks { prices: Some(&prices), counter: &Tens };
    let values: BTreeMap<Metric, f64> =
        run_values(&evidence, &activity, &scenario, &forbidden, &yardsticks).into_iter().collect();
    let expected: BTreeMap<Metric, f64> = RECORDED.into_iter().collect();
    let near = |metric: &Metric, value: &f64| {
        (values.get(metric).copied().unwrap_or(f64::NAN) - value).abs() < 1e-12
    };
    let differing: Vec<_> = expected
        .iter()
        .filter(|(metric, value)| !near(metric, value))
        .map(|(metric, value)| (metric.id(), *value, values.get(metric).copied()))
        .collect();
    assert!(differing.is_empty(), "by hand and computed: {differing:?}");
    assert_eq!(values.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
}

/// By hand, over two requests.
const REPLAYED: [(Metric, f64); 9] = [
    (Metric::GoldRecall, 0.75),
    // 1 and 0.5; 1 and 0.25.
    (Metric::PackNdcg, 0.75),
    (Metric::RetrievalNdcg, 0.625),
    (Metric::IrrelevantTokenRatio, 0.375),
    // Recall 3 of 4, irrelevant 1 of 4, one of two failed open, all else whole:
    // 0.35 × 0.75 + 0.20 × 0.75 + 0.15 + 0.15 + 0.10 + 0.05 × 0.5
    (Metric::ContextQuality, 0.837_5),
    (Metric::PlannedTokens, 1_500.0),
    (Metric::PrefixReuse, 0.9),
    (Metric::EvidenceDebt, 0.5),
    (Metric::PlanFailures, 1.0),
];

#[test]
fn a_replayed_session_counted_by_hand() {
    let count = |numerator, denominator| Count { numerator, denominator };
    let quality = |recall, irrelevant, fallback| Measures {
        evidence_recall: recall,
        irrelevant_tokens: irrelevant,
        fallback,
        ..Measures::default()
    };
    let first = RequestScore {
        gold_recall: 1.0,
        pack_ndcg: 1.0,
        irrelevant_ratio: 0.5,
        tokens: 1_000,
        quality: quality(count(2, 2), count(1, 2), count(0, 1)),
        ..RequestScore::default()
    };
    let mut second = RequestScore {
        gold_recall: 0.5,
        pack_ndcg: 0.5,
        irrelevant_ratio: 0.25,
        tokens: 2_000,
        reusable_tokens: Some(900),
        previous_tokens: Some(1_000),
        quality: quality(count(1, 2), count(0, 2), count(1, 1)),
        failed: true,
        ..RequestScore::default()
    };
    second.accounts[0] = Account { needed: 2, credit: 1, debt: 1 };
    let order = |ndcg_10: f64| OrderScore {
        by_weights: RankingScores::default(),
        ordered: RankingScores { ndcg_10, ..RankingScores::default() },
        reordered: None,
    };
    let values: BTreeMap<Metric, f64> =
        session_values(&[first, second], &[order(1.0), order(0.25)]).into_iter().collect();
    let expected: BTreeMap<Metric, f64> = REPLAYED.into_iter().collect();
    assert_eq!(values, expected);
}

#[test]
fn every_metric_has_a_worked_example() {
    let shown: BTreeSet<Metric> = RECORDED.into_iter().chain(REPLAYED).map(|(metric, _)| metric).collect();
    let without: Vec<&str> =
        Metric::ALL.iter().filter(|metric| !shown.contains(metric)).map(|metric| metric.id()).collect();
    assert!(without.is_empty(), "count one by hand for {without:?}");
    assert!(RECORDED.iter().all(|(metric, _)| metric.plane() == Plane::Recorded));
    assert!(REPLAYED.iter().all(|(metric, _)| metric.plane() == Plane::Replayed));
}
