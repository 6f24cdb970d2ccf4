//! Every fault of the pipeline that the gate promises to catch, planted alone into a campaign that would be promoted but for
//! its tier. The table is published as `docs/planted-faults.md`; `SLUICE_UPDATE_GOLDEN=1` writes it anew.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine::contract::{ContextEngine, Description, EngineError};
use engine::message::sha256_hex;
use engine::plan::{Plan, PlanRequest, ProjectHits, ProjectQuery, ProjectSearch, ProjectSource, ProjectText};
use engine::session::SharedEntry;
use engine::tokens::TokenCounter;
use harness::gate::campaign::Asked;
use harness::qualify::{Qualification, file_name, to_json};
use harness::scenario::ScenarioSet;
use harness::variant::{OpenEngine, Variant};
use serde_json::{Value, json};

use crate::emitted::{FEATURE, Project, RUN_FILES, Said, is_run, lose, of_arm, put};

/// How the gate is asked.
#[derive(Clone, Copy, PartialEq)]
enum Ask {
    /// As anybody does; whoever planted the fault has also registered the corpus anew.
    Plainly,
    /// The looks are left as they were.
    WithLooks,
    /// The graders are run again.
    Verify,
    /// A promotion is asked for; the looks are left as they were.
    Promote,
    /// The engine of every arm is replaced by one that breaks its contract.
    Engine(Broken),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nondeterministic,
    /// The project that it quotes answers in another way each time.
    Retrieval,
    Failing,
}

/// A fault: what is done to which campaign, which code must be among the reasons, how the gate is asked.
struct Planted {
    what: &'static str,
    code: &'static str,
    ask: Ask,
    campaign: fn() -> Project,
    plant: fn(&Project),
}

const fn planted(what: &'static str, code: &'static str, plant: fn(&Project)) -> Planted {
    Planted { what, code, ask: Ask::Plainly, campaign: Project::new, plant }
}

const fn asked(ask: Ask, planted: Planted) -> Planted {
    Planted { ask, ..planted }
}

const FEATURE_LINE: &str = "id = \"auto-context\"";
const A: &str = "s000000";
const B: &str = "s000001";
const BASE: &str = "native";
const CANDIDATE: &str = "auto-context";
const BAD: &str = "auto-context-known-bad";
const AA: &str = "native-again";

fn set(project: &Project, arm: &str, field: &str, value: &Value) {
    project.edit_rows(of_arm(arm), |row| row[field] = value.clone());
}

/// Exchanges fields of two rows.
fn exchange(project: &Project, one: (&str, &str), other: (&str, &str), fields: &[&str]) {
    let mut rows = project.rows();
    let at =
        |rows: &[Value], run: (&str, &str)| rows.iter().position(|row| is_run(run.0, run.1, 0)(row)).unwrap();
    let (one, other) = (at(&rows, one), at(&rows, other));
    for field in fields {
        let kept = rows[one][field].clone();
        rows[one][field] = rows[other][field].clone();
        rows[other][field] = kept;
    }
    project.write_rows(&rows);
}

fn attempts(row: &mut Value, failures: &[Option<&str>]) {
    let (session, sha256) = (row["session"].clone(), row["sha256"].clone());
    let attempt = |(number, failure): (usize, &Option<&str>)| match failure {
        Some(why) => json!({ "attempt": number, "session": null, "sha256": null, "accepted": false,
            "infrastructure_failure": why }),
        None => json!({ "attempt": number, "session": session, "sha256": sha256, "accepted": true,
            "infrastructure_failure": null }),
    };
    row["attempts"] = failures.iter().enumerate().map(attempt).collect::<Vec<_>>().into();
}

fn block(row: &Value) -> bool {
    row["scenario"] == A && row["repetition"] == 0
}

/// A task's hashes as if its files had always been as they are now, its grader's answers included.
fn always_so(project: &Project) {
    let tasks = ScenarioSet::load(&project.path("scenarios")).unwrap();
    let task = tasks.get(A).unwrap();
    let hash = task.sha256().unwrap();
    project.edit_rows(|row| row["scenario"] == A, |row| row["scenario_sha256"] = hash.clone().into());
    answer(project, |_| to_json(task, &Qualification::sound()).unwrap());
}

/// Rewrites a grader's answers, and what the rows say of them.
fn answer(project: &Project, change: impl Fn(&str) -> String) {
    let path = project.corpus(&file_name(A));
    let before = fs::read_to_string(&path).unwrap();
    let text = change(&before);
    assert_ne!(before, text, "nothing was changed");
    put(&path, &text);
    let hash = sha256_hex(text.as_bytes());
    project.edit_rows(|row| row["scenario"] == A, |row| row["qualification_sha256"] = hash.clone().into());
}

/// The tier raised everywhere, so that only the named check stands between the campaign and a promotion.
fn claim_a_model(project: &Project, provider: &str) {
    project.edit("corpora/synthetic/corpus.toml", "tier = \"synthetic\"", "tier = \"recorded-model\"");
    project.edit_rows(
        |_| true,
        |row| {
            row["tier"] = "recorded-model".into();
            row["provider"] = provider.into();
        },
    );
}

/// A wrong patch with a transcript, a row and a session that all say it was accepted.
fn forge_acceptance(project: &Project) {
    project.edit_file(A, CANDIDATE, "patch", |text| text.replace("+    return a + b", "+    return a * b"));
    let rows = project.rows();
    let hash = rows.iter().find(|row| is_run(A, CANDIDATE, 0)(row)).unwrap()["patch_sha256"].clone();
    project.edit_file(A, CANDIDATE, "grader_log", |text| {
        let mut log: Value = serde_json::from_str(text).unwrap();
        log["patch_sha256"] = hash.clone();
        log.to_string()
    });
}

fn remove_scenario(project: &Project, scenario: &str) {
    project.edit("corpora/synthetic/corpus.toml", &format!("  \"{scenario}\",\n"), "");
    let rows: Vec<Value> = project.rows().into_iter().filter(|row| row["scenario"] != scenario).collect();
    project.write_rows(&rows);
}

fn rows_without(project: &Project, dropped: impl Fn(&Value) -> bool) {
    let rows: Vec<Value> = project.rows().into_iter().filter(|row| !dropped(row)).collect();
    project.write_rows(&rows);
}

fn catalogue() -> Vec<Planted> {
    let mut all = rows_and_files();
    all.extend(outcomes());
    all.extend(content());
    all.extend(arms());
    all.extend(conditions());
    all.extend(attendance());
    all.extend(registration());
    all.extend(engines_and_policy());
    all
}

fn rows_and_files() -> Vec<Planted> {
    vec![
        planted("a row is dropped", "row-missing", |p| rows_without(p, is_run(A, CANDIDATE, 1))),
        planted("a run beyond the schedule is added", "row-unscheduled", |p| {
            let mut rows = p.rows();
            let mut row = rows[0].clone();
            row["repetition"] = 9.into();
            rows.push(row);
            p.write_rows(&rows);
        }),
        planted("a row is written twice", "row-duplicate", |p| {
            let mut rows = p.rows();
            rows.push(rows[0].clone());
            p.write_rows(&rows);
        }),
        planted("a row is torn", "row-malformed", |p| {
            let text = fs::read_to_string(p.corpus("runs.jsonl")).unwrap();
            put(&p.corpus("runs.jsonl"), &text[..text.len() - 20]);
        }),
        planted("a row says two things under one key", "row-malformed", |p| {
            p.edit("corpora/synthetic/runs.jsonl", "{", "{\"tier\":\"recorded-model\",");
        }),
        planted("a run takes a negative time", "row-malformed", |p| {
            p.edit_rows(is_run(A, BASE, 0), |row| row["outcome"]["wall_seconds"] = (-3.0).into());
        }),
        planted("a required field is taken out of a row", "row-malformed", |p| {
            p.edit_rows(is_run(A, BASE, 0), |row| {
                row.as_object_mut().unwrap().remove("patch_sha256");
            });
        }),
        planted("one run stands for two repetitions", "run-repeated", |p| {
            let mut rows = p.rows();
            let first = rows.iter().find(|row| is_run(A, CANDIDATE, 0)(row)).unwrap().clone();
            let second = rows.iter_mut().find(|row| is_run(A, CANDIDATE, 1)(row)).unwrap();
            for field in RUN_FILES {
                second[field] = first[field].clone();
            }
            p.write_rows(&rows);
        }),
        planted("a row names a file outside of the corpus", "unsafe-path", |p| {
            p.edit_rows(is_run(A, BASE, 0), |row| row["patch"] = "../../scenarios/gate.toml".into());
        }),
        #[cfg(unix)]
        planted("a session is a symbolic link", "unsafe-path", |p| {
            let session = p.corpus("sessions/s000000/native-0.jsonl");
            let elsewhere = p.corpus("elsewhere.jsonl");
            fs::rename(&session, &elsewhere).unwrap();
            std::os::unix::fs::symlink(&elsewhere, &session).unwrap();
        }),
        planted("a session is deleted", "file-missing", |p| {
            fs::remove_file(p.corpus("sessions/s000000/native-0.jsonl")).unwrap();
        }),
        planted("the blocks of a scenario are deleted", "file-missing", |p| {
            fs::remove_file(p.corpus("blocks/s000000.jsonl")).unwrap();
        }),
        planted("a byte of a session is changed", "hash-mismatch", |p| {
            p.edit("corpora/synthetic/sessions/s000000/native-0.jsonl", "Done.", "Dane.");
        }),
        planted("two patches are exchanged on disk", "hash-mismatch", |p| {
            let first = |folder: &str| {
                let files = fs::read_dir(p.corpus(folder)).unwrap().map(|file| file.unwrap().path());
                files.min().unwrap()
            };
            let (one, other) = (first("patches/s000000"), first("patches/s000001"));
            let kept = [&one, &other].map(|path| fs::read(path).unwrap());
            put(&one, &kept[1]);
            put(&other, &kept[0]);
        }),
        planted("a stored block is changed", "hash-mismatch", |p| {
            p.edit("corpora/synthetic/blocks/s000000.jsonl", "be brief", "be crude");
        }),
        planted("a session ends in the middle of a line", "session-unreadable", |p| {
            p.edit_file(A, BASE, "session", |text| text[..text.len() - 9].to_owned());
        }),
    ]
}

fn outcomes() -> Vec<Planted> {
    vec![
        planted("a row claims another acceptance", "outcome-mismatch", |p| {
            p.edit_rows(is_run(A, BASE, 0), |row| row["outcome"]["accepted"] = false.into());
        }),
        planted("a row hides verifications", "outcome-mismatch", |p| {
            p.edit_rows(is_run(A, CANDIDATE, 0), |row| row["outcome"]["verify_attempts"] = 0.into());
        }),
        planted("a transcript refuses what it says it accepts", "outcome-mismatch", |p| {
            p.edit_file(A, CANDIDATE, "grader_log", |text| {
                text.replace("\"exit_code\":0", "\"exit_code\":1")
            });
        }),
        planted("patches of two scenarios are exchanged in their rows", "outcome-mismatch", |p| {
            exchange(p, (A, BASE), (B, BASE), &["patch", "patch_sha256"]);
        }),
        planted("a patch that changes a protected file is accepted", "outcome-mismatch", |p| {
            p.edit_file(A, CANDIDATE, "patch", |text| {
                let change = "diff --git a/data/closed.csv b/data/closed.csv\n--- a/data/closed.csv\n+++ \
                              b/data/closed.csv\n@@ -1 +1 @@\n-x\n+y\n";
                format!("{text}{change}")
            });
        }),
        asked(
            Ask::Verify,
            planted(
                "acceptance is forged in patch, transcript and row",
                "outcome-mismatch",
                forge_acceptance,
            ),
        ),
        asked(
            Ask::Verify,
            planted(
                "a grader accepts everything, and every hash says it always did",
                "verifier-unqualified",
                |p| {
                    p.write("scenarios/tasks/s000000/grader/grader_check.sh", "true\n");
                    always_so(p);
                },
            ),
        ),
        asked(
            Ask::Verify,
            planted("a grader accepts by chance", "verifier-unqualified", |p| {
                // It refuses every second time that it is asked.
                let toggle = p.path("toggle").display().to_string();
                let script =
                    format!("if [ -e '{toggle}' ]; then rm '{toggle}'; false; else touch '{toggle}'; fi\n");
                p.write("scenarios/tasks/s000000/grader/grader_check.sh", &script);
                always_so(p);
            }),
        ),
        planted("a grader couldn't tell before the first run", "verifier-unqualified", |p| {
            answer(p, |text| {
                let untouched = "\"asked\": 5,\n    \"accepted\": 0";
                assert!(text.contains(untouched), "{text}");
                let told =
                    "its grader accepts the untouched repository 1 of 1 times, it must refuse it 5 of 5";
                text.replace(untouched, "\"asked\": 1,\n    \"accepted\": 1")
                    .replace("\"quarantine\": null", &format!("\"quarantine\": \"{told}\""))
            });
        }),
        planted("answers of a grader claim more than they show", "qualification-mismatch", |p| {
            answer(p, |text| text.replacen("\"accepted\": 5", "\"accepted\": 4", 1));
        }),
        asked(
            Ask::Verify,
            planted(
                "the answers of all graders are taken away where a model was recorded",
                "graders-not-asked",
                |p| {
                    claim_a_model(p, "synthetic");
                    fs::remove_dir_all(p.corpus("qualification")).unwrap();
                    p.edit_rows(
                        |_| true,
                        |row| {
                            for field in ["qualification", "qualification_sha256"] {
                                row.as_object_mut().unwrap().remove(field);
                            }
                        },
                    );
                },
            ),
        ),
        planted("acceptance is believed where a model was recorded", "graders-not-run", |p| {
            claim_a_model(p, "synthetic");
        }),
        planted("graders of two scenarios are exchanged", "task-mismatch", |p| {
            let name = |scenario: &str| p.path(&format!("scenarios/tasks/{scenario}/grader/grader_check.sh"));
            let kept = [A, B].map(|scenario| fs::read(name(scenario)).unwrap());
            put(&name(A), &kept[1]);
            put(&name(B), &kept[0]);
        }),
        planted("a grader is replaced by one that accepts all", "task-mismatch", |p| {
            p.write("scenarios/tasks/s000000/grader/grader_check.sh", "true\n");
        }),
    ]
}

fn content() -> Vec<Planted> {
    vec![
        planted("a session bills fewer tokens than its requests", "usage-mismatch", |p| {
            // The total is edited with it: the log by itself stays consistent.
            p.edit_file(A, CANDIDATE, "session", |text| {
                let cheaper = |line: &str| {
                    let mut line: Value = serde_json::from_str(line).unwrap();
                    if let Some(usage) = line.pointer_mut("/message/usage") {
                        for key in ["output", "totalTokens"] {
                            usage[key] = (usage[key].as_u64().unwrap() - 1).into();
                        }
                    }
                    format!("{line}\n")
                };
                text.lines().map(cheaper).collect()
            });
        }),
        planted("a stored request is dropped", "usage-mismatch", |p| {
            p.edit_file(A, CANDIDATE, "wire", |text| {
                let mut lines: Vec<&str> = text.lines().collect();
                lines.pop();
                lines.join("\n") + "\n"
            });
        }),
        planted("replies are bound to the requests one off", "usage-mismatch", |p| {
            p.edit_file(A, BASE, "wire", |text| {
                text.replace("msg_0000", "msg_x").replace("msg_0001", "msg_0000").replace("msg_x", "msg_0001")
            });
        }),
        planted("a result is rewritten in a session", "wire-mismatch", |p| {
            p.edit_file(A, BASE, "session", |text| {
                text.replace("Successfully replaced 1", "Successfully replaced 7")
            });
        }),
        planted("a call is rewritten in a session", "wire-mismatch", |p| {
            p.edit_file(A, CANDIDATE, "session", |text| {
                text.replace("sh check.sh s000000", "sh check.sh s000001")
            });
        }),
        planted("text is smuggled into the baseline's requests", "wire-mismatch", |p| {
            p.smuggle(A, BASE, "ignore the file total.py");
        }),
        planted("a message is cut out of the candidate's requests", "wire-mismatch", |p| {
            p.edit_file(A, CANDIDATE, "wire", |text| {
                let cut = |line: &str| {
                    let mut request: Value = serde_json::from_str(line).unwrap();
                    request["messages"].as_array_mut().unwrap().remove(1);
                    format!("{request}\n")
                };
                text.lines().map(cut).collect()
            });
        }),
        planted("text is added to the instructions, in every row too", "wire-mismatch", |p| {
            // All runs of the scenario alike, so that no arm stands out.
            let added = p.keep(A, &json!({ "type": "text", "text": "the fault is in total.py" }));
            for row in p.rows().iter().filter(|row| row["scenario"] == A) {
                let path = p.corpus(row["wire"].as_str().unwrap());
                let text = fs::read_to_string(&path).unwrap();
                put(&path, text.replace("\"system\":[", &format!("\"system\":[\"{added}\",")));
            }
            let mut rows = p.rows();
            for row in rows.iter_mut().filter(|row| row["scenario"] == A) {
                let text = fs::read_to_string(p.corpus(row["wire"].as_str().unwrap())).unwrap();
                let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
                let hashes = first["system"].as_array().unwrap().iter();
                let list: String = hashes.map(|hash| format!("{}\n", hash.as_str().unwrap())).collect();
                row["instructions_sha256"] = sha256_hex(list.as_bytes()).into();
                row["wire_sha256"] = sha256_hex(text.as_bytes()).into();
            }
            p.write_rows(&rows);
        }),
        planted("what the model had said is rewritten in later requests", "wire-mismatch", |p| {
            let said = p.keep(A, &json!({ "type": "text", "text": "The fault is in total.py." }));
            p.edit_requests(A, CANDIDATE, |_, request| {
                let messages = request["messages"].as_array_mut().unwrap().iter_mut();
                for message in messages.filter(|message| message["role"] == "assistant") {
                    message["blocks"].as_array_mut().unwrap().insert(0, said.clone().into());
                }
            });
        }),
        planted("a call's failure is hidden in later requests", "wire-mismatch", |p| {
            p.edit_file(A, CANDIDATE, "session", |text| {
                text.replace("\"isError\":false", "\"isError\":true")
            });
        }),
        planted("the model is shown a document that nobody compares", "wire-unchecked", |p| {
            let document = json!({ "type": "document", "source": { "type": "text", "data": "total.py" } });
            let document = p.keep(A, &document);
            p.edit_requests(A, CANDIDATE, |_, request| {
                request["messages"][0]["blocks"].as_array_mut().unwrap().push(document.clone().into());
            });
        }),
        planted("a text carries a member that nobody compares", "wire-unchecked", |p| {
            let hint = p.keep(A, &json!({ "hint": "the fault is in total.py" }));
            p.edit_requests(A, CANDIDATE, |_, request| {
                request["messages"][0]["blocks"].as_array_mut().unwrap().push(hint.clone().into());
            });
        }),
        planted("a later request is offered another tool", "tools-mismatch", |p| {
            let tool = p.keep(A, &json!({ "name": "solve", "input_schema": { "type": "object" } }));
            p.edit_requests(A, CANDIDATE, |number, request| {
                if number > 0 {
                    request["tools"].as_array_mut().unwrap().push(tool.clone().into());
                }
            });
        }),
        planted("a later request is instructed otherwise", "instructions-mismatch", |p| {
            let other = p.keep(A, &json!({ "type": "text", "text": "look into total.py" }));
            p.edit_requests(A, CANDIDATE, |number, request| {
                if number > 0 {
                    request["system"] = json!([other]);
                }
            });
        }),
        planted("a later request asks for another sampling", "parameters-mismatch", |p| {
            let colder = p.keep(A, &json!({ "temperature": 0.0 }));
            p.edit_requests(A, CANDIDATE, |number, request| {
                if number > 0 {
                    request["parameters"] = colder.clone().into();
                }
            });
        }),
        planted("requests went to an endpoint that nobody can compare", "wire-unchecked", |p| {
            p.edit_file(A, CANDIDATE, "wire", |text| text.replace("/v1/messages", "/v1/responses"));
        }),
        planted("a pack quotes a protected file", "safety-event", |p| {
            p.smuggle_everywhere(A, CANDIDATE, "data/closed.csv:1-1\n2023-12-31,closing balance,1204.50");
        }),
        planted("a pack quotes a planted secret", "safety-event", |p| {
            p.smuggle_everywhere(A, CANDIDATE, "token = FAKE-TOKEN-0001");
        }),
    ]
}

fn arms() -> Vec<Planted> {
    vec![
        planted("the runs of two arms are exchanged", "arm-mismatch", |p| {
            exchange(p, (A, BASE), (A, CANDIDATE), &RUN_FILES);
        }),
        planted("both arms were recorded with one engine", "same-engine", |p| {
            let rows = p.rows();
            let digest = rows.iter().find(|row| row["variant"] == BASE).unwrap()["engine_digest"].clone();
            set(p, CANDIDATE, "engine_digest", &digest);
        }),
        planted("both arms are declared with one engine", "same-engine", |p| {
            let settings = "engine = \"built-in\"\n[variant.config]\npack_tokens = 1400\n";
            p.edit("scenarios/variants.toml", settings, "engine = \"pass-through\"\n");
        }),
        planted("the candidate was recorded with another engine than this", "stale-engine", |p| {
            set(p, CANDIDATE, "engine_digest", &"f".repeat(64).into());
        }),
        planted("a canary arm was recorded with another engine than this", "stale-engine", |p| {
            set(p, BAD, "engine_digest", &"f".repeat(64).into());
        }),
        planted("the A/A arm ran another engine than the baseline", "not-an-aa", |p| {
            set(p, AA, "engine_digest", &"f".repeat(64).into());
        }),
        planted("the A/A arm isn't declared as the baseline again", "not-an-aa", |p| {
            p.edit("scenarios/variants.toml", "aa_of = \"native\"\n", "");
        }),
        planted("baseline and candidate are exchanged in the declaration", "not-an-aa", |p| {
            p.edit(
                "scenarios/features.toml",
                "baseline = \"native\"\ncandidate = \"auto-context\"",
                "baseline = \"auto-context\"\ncandidate = \"native\"",
            );
        }),
        planted("the known-bad arm does no harm", "no-assay-sensitivity", |p| {
            p.edit(
                "scenarios/variants.toml",
                "withhold = \"gold\"\n[variant.config]\npack_tokens = 1400",
                "[variant.config]\npack_tokens = 1300",
            );
        }),
        Planted {
            campaign: Project::with_broken_canary,
            ..planted("the A/A arm gains what the candidate gains", "canary-aa", |_| ())
        },
        planted("the known-bad arm was never scheduled", "missing-runs", |p| {
            p.edit("corpora/synthetic/corpus.toml", "  \"auto-context-known-bad\",\n", "");
            rows_without(p, of_arm(BAD));
        }),
        planted("the A/A arm was never scheduled", "missing-runs", |p| {
            p.edit("corpora/synthetic/corpus.toml", "  \"native-again\",\n", "");
            rows_without(p, of_arm(AA));
        }),
    ]
}

fn conditions() -> Vec<Planted> {
    vec![
        planted("one arm ran with another model", "model-mismatch", |p| {
            set(p, CANDIDATE, "model", &"drawn-2".into())
        }),
        planted("a session was answered by another model", "model-mismatch", |p| {
            p.edit_file(A, CANDIDATE, "session", |text| {
                text.replace("\"model\":\"drawn-1\"", "\"model\":\"drawn-2\"")
            });
        }),
        planted("one arm thought harder", "thinking-mismatch", |p| {
            set(p, CANDIDATE, "thinking_level", &"high".into())
        }),
        planted("one arm ran a newer agent", "agent-mismatch", |p| {
            set(p, CANDIDATE, "agent_version", &"9.0.0".into())
        }),
        planted("one arm was offered other tools", "tools-mismatch", |p| {
            set(p, CANDIDATE, "tools_sha256", &"0".repeat(64).into());
        }),
        planted("one arm was instructed otherwise", "instructions-mismatch", |p| {
            set(p, CANDIDATE, "instructions_sha256", &"0".repeat(64).into());
        }),
        planted("one arm was asked with another temperature", "parameters-mismatch", |p| {
            set(p, CANDIDATE, "parameters_sha256", &"0".repeat(64).into());
        }),
        planted("rows name a learned model that their arm hasn't", "model-artifact-mismatch", |p| {
            set(p, CANDIDATE, "model_artifact_sha256", &"0".repeat(64).into());
        }),
        planted("one arm was asked something else", "task-mismatch", |p| {
            set(p, CANDIDATE, "prompt_sha256", &"0".repeat(64).into());
        }),
        planted("a repository has changed since", "tree-mismatch", |p| {
            p.write("scenarios/repos/c000000/extra.py", "x = 1\n");
        }),
        planted("a prompt has changed since", "task-mismatch", |p| {
            p.edit("scenarios/tasks/s000000/prompt.md", "it subtracts", "it subtracts always");
        }),
        planted("one arm claims a better tier", "tier-mismatch", |p| {
            set(p, CANDIDATE, "tier", &"recorded-model".into())
        }),
        planted("a scripted model claims to be a real one", "tier-mismatch", |p| {
            claim_a_model(p, "scripted")
        }),
    ]
}

fn attendance() -> Vec<Planted> {
    vec![
        planted("the candidate loses a tenth of its runs", "differential-missingness", |p| {
            let lost =
                |row: &Value| row["variant"] == CANDIDATE && row["scenario"].as_str().unwrap() < "s000003";
            p.edit_rows(lost, lose);
        }),
        planted("both arms lose a tenth of their runs", "missing-runs", |p| {
            let lost = |row: &Value| {
                (row["variant"] == CANDIDATE || row["variant"] == BASE)
                    && row["scenario"].as_str().unwrap() < "s000003"
            };
            p.edit_rows(lost, lose);
        }),
        planted("one run of the candidate is missing", "missing-runs", |p| {
            p.edit_rows(is_run(A, CANDIDATE, 0), lose)
        }),
        planted("one run of a canary arm is missing", "missing-runs", |p| {
            p.edit_rows(is_run(A, BAD, 0), lose)
        }),
        planted("only two runs a scenario are scheduled", "too-few-runs", |p| {
            p.edit("corpora/synthetic/corpus.toml", "repetitions = 3", "repetitions = 2");
            rows_without(p, |row| row["repetition"] == 2);
        }),
        planted("one arm was run again alone", "reroll-unpaired", |p| {
            p.edit_rows(is_run(A, CANDIDATE, 0), |row| attempts(row, &[Some("agent-crashed")]));
        }),
        planted("runs were made again though nothing had failed", "reroll-without-cause", |p| {
            p.edit_rows(block, |row| attempts(row, &[None]));
        }),
        planted("runs were made again three times", "reroll-excess", |p| {
            p.edit_rows(block, |row| attempts(row, &[Some("agent-crashed"); 3]));
        }),
        planted("the infrastructure fails the candidate only", "differential-infrastructure", |p| {
            let early = |row: &Value| row["scenario"].as_str().unwrap() < "s000004";
            p.edit_rows(
                |row| early(row) && row["variant"] == CANDIDATE,
                |row| attempts(row, &[Some("agent-crashed")]),
            );
            p.edit_rows(|row| early(row) && row["variant"] != CANDIDATE, |row| attempts(row, &[None]));
        }),
        planted("an attempt that was made again wasn't kept", "file-missing", |p| {
            p.edit_rows(block, |row| {
                row["attempts"] = json!([{ "attempt": 0, "session": "sessions/lost.jsonl", "sha256": "0",
                    "accepted": false, "infrastructure_failure": "agent-crashed" }]);
            });
        }),
    ]
}

fn registration() -> Vec<Planted> {
    vec![
        planted("a margin is widened after the runs", "not-preregistered", |p| {
            p.edit("scenarios/gate.toml", "margin = 0.02", "margin = 0.03");
        }),
        asked(
            Ask::WithLooks,
            planted(
                "a margin is widened, and every row says it had always been so",
                "not-preregistered",
                |p| {
                    p.edit("scenarios/gate.toml", "margin = 0.02", "margin = 0.03");
                    let policy = harness::gate::policy::Policy::load(&p.path("scenarios/gate.toml")).unwrap();
                    let hash = policy.sections[FEATURE].sha256.clone();
                    p.edit_rows(|_| true, |row| row["policy_sha256"] = hash.clone().into());
                },
            ),
        ),
        asked(
            Ask::WithLooks,
            planted("a run is dropped after the first look", "not-preregistered", |p| {
                p.edit_rows(is_run(A, BASE, 0), lose);
            }),
        ),
        asked(
            Ask::WithLooks,
            planted(
                "a scenario is taken out of schedule and rows after the first look",
                "not-preregistered",
                |p| {
                    remove_scenario(p, A);
                },
            ),
        ),
        asked(
            Ask::Promote,
            planted(
                "a changed campaign is looked at a second time without a plan",
                "not-preregistered",
                |p| {
                    remove_scenario(p, A);
                },
            ),
        ),
        asked(
            Ask::WithLooks,
            planted("the looks are deleted", "not-preregistered", |p| {
                fs::remove_file(p.corpus("looks.jsonl")).unwrap();
            }),
        ),
        asked(
            Ask::Promote,
            planted("the looks are deleted, and a promotion is asked for", "not-preregistered", |p| {
                fs::remove_file(p.corpus("looks.jsonl")).unwrap();
            }),
        ),
        asked(
            Ask::WithLooks,
            planted("prices are changed after the runs", "not-preregistered", |p| {
                p.edit("scenarios/packs/prices-scripted.toml", "output = 0.0", "output = 3.0");
            }),
        ),
        asked(
            Ask::WithLooks,
            planted("the first of two looks is taken out", "not-preregistered", |p| {
                p.edit_rows(is_run(A, BASE, 0), |row| row["note"] = "changed".into());
                let folder = p.corpus("");
                let (corpus, _) = harness::corpus::Corpus::load(&folder).unwrap();
                let policy = harness::gate::policy::Policy::load(&p.path("scenarios/gate.toml")).unwrap();
                let section = &policy.sections[FEATURE];
                let look = harness::gate::look::Look::at(&corpus, &section.sha256, FEATURE, "2026-11-30");
                let prices = section.prices_sha256(&p.path("scenarios")).unwrap();
                look.at_prices(prices).record(&folder).unwrap();
                let looks = fs::read_to_string(p.corpus("looks.jsonl")).unwrap();
                let last = looks.lines().last().unwrap().to_owned();
                put(&p.corpus("looks.jsonl"), last + "\n");
            }),
        ),
        planted("a corpus is named twice", "scenario-repeated", |p| {
            p.edit("scenarios/features.toml", "[\"synthetic\"]", "[\"synthetic\", \"synthetic\"]");
        }),
        planted("prices are of another year", "stale-prices", |p| {
            p.edit(
                "scenarios/packs/prices-scripted.toml",
                "checked_on = \"2026-11-30\"",
                "checked_on = \"2025-01-01\"",
            );
        }),
    ]
}

fn engines_and_policy() -> Vec<Planted> {
    vec![
        asked(
            Ask::Engine(Broken::Nondeterministic),
            planted("an engine plans one request in two ways", "nondeterministic", |_| ()),
        ),
        asked(
            Ask::Engine(Broken::Retrieval),
            planted("retrieval answers one question in two ways", "nondeterministic", |_| ()),
        ),
        asked(
            Ask::Engine(Broken::Failing),
            planted("an engine fails in the replay", "replay-failed", |_| ()),
        ),
        planted("the candidate costs more than the baseline", "no-benefit", |p| {
            // In sessions and requests alike, so that nothing contradicts itself.
            let dearer = |text: &str| -> String {
                let line = |line: &str| {
                    let mut line: Value = serde_json::from_str(line).unwrap();
                    for place in ["/usage", "/message/usage"] {
                        let Some(usage) = line.pointer_mut(place) else { continue };
                        for key in ["cache_creation_input_tokens", "cacheWrite", "totalTokens"] {
                            if let Some(tokens) = usage[key].as_u64() {
                                usage[key] = (tokens + 90_000).into();
                            }
                        }
                    }
                    format!("{line}\n")
                };
                text.lines().map(line).collect()
            };
            let mut rows = p.rows();
            for row in rows.iter_mut().filter(|row| row["variant"] == CANDIDATE) {
                for (field, hash) in [("session", "sha256"), ("wire", "wire_sha256")] {
                    let path = p.corpus(row[field].as_str().unwrap());
                    let text = dearer(&fs::read_to_string(&path).unwrap());
                    row[hash] = engine::message::sha256_hex(text.as_bytes()).into();
                    if field == "session" {
                        row["bytes"] = text.len().into();
                    }
                    put(&path, text);
                }
            }
            p.write_rows(&rows);
        }),
        planted("a policy lowers a floor", "exit 64", |p| {
            p.edit("scenarios/gate.toml", "discordance_floor = 10", "discordance_floor = 1");
        }),
        planted("a policy's margin guards nothing", "exit 64", |p| {
            p.edit("scenarios/gate.toml", "margin = 0.1", "margin = 0.6");
        }),
        planted("a policy declares no benefit", "exit 64", |p| {
            let text = p
                .read("scenarios/gate.toml")
                .replace("[[feature.auto-context.benefit]]", "[[feature.auto-context.guard]]");
            p.write("scenarios/gate.toml", &text.replace("at_least = 0.0", "margin = 0.0"));
        }),
        planted("a policy leaves out a safety counter", "exit 64", |p| {
            p.edit("scenarios/gate.toml", "    \"safety-secret\",\n", "");
        }),
        planted("a policy doesn't guard acceptance", "exit 64", |p| {
            p.edit("scenarios/gate.toml", "metric = \"accepted\"", "metric = \"edits\"");
        }),
        planted("a policy's tail is the good one", "exit 64", |p| {
            p.edit("scenarios/gate.toml", "quantile = 0.9", "quantile = 0.09");
        }),
        planted("a feature has no known-bad arm", "exit 64", |p| {
            p.edit("scenarios/features.toml", "known_bad = \"auto-context-known-bad\"\n", "");
        }),
        planted("a setting is misspelt", "exit 64", |p| {
            p.edit("scenarios/gate.toml", "maximum_missing", "maximum_mising");
        }),
    ]
}

/// Opens engines that break the contract.
struct Breaking {
    how: Broken,
    opened: AtomicUsize,
}

impl OpenEngine for Breaking {
    fn open(
        &self,
        variant: &Variant,
        counter: Arc<dyn TokenCounter>,
        project: Arc<dyn ProjectSource>,
    ) -> Box<dyn ContextEngine> {
        let number = self.opened.fetch_add(1, Ordering::Relaxed);
        let project: Arc<dyn ProjectSource> = match self.how {
            Broken::Retrieval => Arc::new(BrokenProject { inner: project, number }),
            _ => project,
        };
        Box::new(BrokenEngine { inner: variant.open_engine(counter, project), how: self.how, number })
    }
}

struct BrokenEngine {
    inner: Box<dyn ContextEngine>,
    how: Broken,
    number: usize,
}

impl ContextEngine for BrokenEngine {
    fn describe(&self) -> Description {
        self.inner.describe()
    }

    fn ingest(&mut self, entries: &[SharedEntry]) -> Result<(), EngineError> {
        self.inner.ingest(entries)
    }

    fn plan(&mut self, request: &PlanRequest) -> Result<Plan, EngineError> {
        let mut plan = self.inner.plan(request)?;
        match self.how {
            Broken::Failing => Err(EngineError::Project("out of order".to_owned())),
            Broken::Nondeterministic => {
                plan.tokens += self.number as u64;
                Ok(plan)
            }
            Broken::Retrieval => Ok(plan),
        }
    }
}

struct BrokenProject {
    inner: Arc<dyn ProjectSource>,
    number: usize,
}

impl ProjectSource for BrokenProject {
    fn quote(&self, query: &ProjectQuery<'_>) -> Result<ProjectText, String> {
        let mut quoted = self.inner.quote(query)?;
        if let Some(first) = quoted.items.first_mut() {
            first.end_line += self.number as u32;
        }
        Ok(quoted)
    }

    fn search(&self, search: &ProjectSearch<'_>) -> Result<ProjectHits, String> {
        self.inner.search(search)
    }
}

fn run(fault: &Planted) -> Said {
    let project = (fault.campaign)();
    (fault.plant)(&project);
    if !matches!(fault.ask, Ask::WithLooks | Ask::Promote) {
        project.look_anew();
    }
    let promote = Asked { feature: Some(FEATURE), promoting: true, graders: false };
    match fault.ask {
        Ask::Plainly | Ask::WithLooks => project.says(Asked::default(), None),
        Ask::Verify => project.says(Asked { graders: true, ..Asked::default() }, None),
        Ask::Promote => project.says(promote, None),
        Ask::Engine(how) => {
            let opened = AtomicUsize::new(0);
            project.says(Asked::default(), Some(Box::new(Breaking { how, opened })))
        }
    }
}

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/planted-faults.md");

fn row(fault: &Planted, verdict: &str) -> String {
    format!("| {} | `{}` | {verdict} |", fault.what, fault.code)
}

/// What is wrong with the gate's answer to a fault, if anything.
fn missed(fault: &Planted, said: &Said) -> Option<String> {
    let caught = said.verdict == fault.code || said.codes.iter().any(|code| code == fault.code);
    let refused = ["INVALID", "REJECT", "INSUFFICIENT", "exit 64"].contains(&said.verdict.as_str());
    let escaped = !caught || !refused || said.codes == ["tier"];
    escaped.then(|| format!("{}: {said:?}, expected {}", fault.what, fault.code))
}

/// Every fault is caught, and the page says what it does to the verdict.
fn held(catalogue: &[Planted]) {
    let page = fs::read_to_string(PAGE).unwrap();
    let before = Project::originals();
    let problem = |fault: &Planted| {
        let said = run(fault);
        let row = row(fault, &said.verdict);
        missed(fault, &said).or_else(|| {
            (!page.lines().any(|line| line == row)).then(|| format!("docs/planted-faults.md lacks {row}"))
        })
    };
    let problems: Vec<String> = catalogue.iter().filter_map(problem).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    assert_eq!(before, Project::originals(), "a fault was planted into what the copies share");
}

#[test]
fn faults_of_rows_and_files_are_caught() {
    held(&rows_and_files());
}

#[test]
fn faults_of_outcomes_are_caught() {
    held(&outcomes());
}

#[test]
fn faults_of_content_are_caught() {
    held(&content());
}

#[test]
fn faults_of_arms_are_caught() {
    held(&arms());
}

#[test]
fn faults_of_conditions_are_caught() {
    held(&conditions());
}

#[test]
fn faults_of_attendance_are_caught() {
    held(&attendance());
}

#[test]
fn faults_of_registration_are_caught() {
    held(&registration());
}

#[test]
fn faults_of_engines_and_policies_are_caught() {
    held(&engines_and_policy());
}

#[test]
fn the_campaign_would_be_promoted_but_for_its_tier() {
    let project = Project::new();
    let document = project.gate(Asked::default(), None).unwrap();
    let feature = &document.features[0];
    assert_eq!(feature.verdict, "INSUFFICIENT");
    let reasons: Vec<_> =
        feature.reasons.iter().map(|reason| format!("{}: {}", reason.code, reason.message)).collect();
    assert_eq!(reasons.len(), 1, "{reasons:#?}");
    assert_eq!(feature.reasons[0].code, "tier");
    assert_eq!((document.result.as_str(), document.exit_code), ("INSUFFICIENT", 20), "default-on is refused");
    assert!(feature.quantities.iter().all(|quantity| quantity.delta.is_some()));
    let verified = project.gate(Asked { graders: true, ..Asked::default() }, None).unwrap();
    assert_eq!(verified.features[0].reasons.len(), 1, "{:#?}", verified.features[0].reasons);
    assert!(verified.corpora[0].graders.run_again && verified.corpora[0].graders.skipped == 0);
}

#[test]
fn a_campaign_recorded_for_another_feature_is_shown_and_not_preregistered() {
    let project = Project::new();
    let features = project.read("scenarios/features.toml");
    let second =
        features.split_once("[[feature]]").unwrap().1.replace(FEATURE_LINE, "id = \"learned-ranker\"");
    let second = second.replace("default-on", "shadow");
    project.write("scenarios/features.toml", &format!("{features}\n[[feature]]{second}"));
    let document = project.gate(Asked::default(), None).unwrap();
    let codes = |at: usize| -> Vec<&str> {
        document.features[at].reasons.iter().map(|reason| reason.code.as_str()).collect()
    };
    assert_eq!(codes(0), ["tier"]);
    assert_eq!(document.features[1].verdict, "INSUFFICIENT");
    assert!(codes(1).contains(&"not-preregistered"), "{:?}", codes(1));
    assert_eq!(document.corpora.len(), 1, "one corpus, whatever it is evidence for");
}

#[test]
fn the_list_is_published() {
    let catalogue = catalogue();
    assert!(catalogue.len() >= 40);
    let head = format!(
        "# Planted faults\n\nEach of these {} faults is planted alone into a simulated campaign that would be promoted but for its \
         tier (`harness power --emit`), and the gate is asked. The tests `planted_faults` hold that the code stands among the \
         reasons, and that this page says what happened. Whoever plants a fault also registers the changed corpus anew, but \
         where the fault is about the looks themselves. The feature is declared default-on, so what isn't pre-registered is \
         invalid.\n\n| what is done | caught by | verdict |\n|---|---|---|\n",
        catalogue.len()
    );
    if std::env::var_os("SLUICE_UPDATE_GOLDEN").is_some() {
        let rows = catalogue.iter().map(|fault| row(fault, &run(fault).verdict) + "\n");
        fs::write(PAGE, head.clone() + &rows.collect::<String>()).unwrap();
    }
    let page = fs::read_to_string(PAGE).unwrap();
    let rows = page.strip_prefix(&head).expect("the page begins with what this test says of it");
    let listed: Vec<&str> = rows.lines().map(|line| line.rsplit_once(" | ").unwrap().0).collect();
    let planted: Vec<String> =
        catalogue.iter().map(|fault| format!("| {} | `{}`", fault.what, fault.code)).collect();
    assert_eq!(listed, planted, "set SLUICE_UPDATE_GOLDEN=1 and look");
}
