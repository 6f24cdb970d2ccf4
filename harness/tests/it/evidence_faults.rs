//! Every fault of the evidence, planted alone into a corpus that has none.

use std::collections::BTreeSet;

use harness::corpus::{Corpus, Fault};
use harness::measure::Measured;
use harness::metric::{Metric, MetricRow};
use harness::synthetic::behaviour::ARMS;
use serde_json::{Value, json};
use verdict::Severity;

use crate::emitted::{
    self, FEATURE, Project, RUN_FILES, drawn, drawn_of_baseline, of_arm, policy_sha256, requests,
};
use crate::measuring;

/// Measures the feature as the gate does.
pub fn measure(project: &Project) -> Measured {
    measure_with(project, 2, &policy_sha256())
}

pub fn measure_with(project: &Project, jobs: usize, policy: &str) -> Measured {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().unwrap();
    let (scenarios, corpus) = (project.path("scenarios"), project.corpus(""));
    pool.install(|| measuring::measure(&scenarios, &corpus, FEATURE, Some(policy))).1
}

fn blocks(scenario: &str) -> String {
    format!("corpora/synthetic/blocks/{scenario}.jsonl")
}

fn codes(faults: &[Fault]) -> BTreeSet<&'static str> {
    faults.iter().map(|fault| fault.code.code()).collect()
}

/// Plants one fault and names the codes that must be found, no more and no less.
fn planted(plant: impl FnOnce(&Project), expected: &[&str]) -> Vec<Fault> {
    let project = Project::small();
    plant(&project);
    let measured = measure(&project);
    assert_eq!(codes(&measured.faults), expected.iter().copied().collect(), "{:#?}", measured.faults);
    measured.faults
}

const MANIFEST: &str = "corpora/synthetic/corpus.toml";
const ROWS: &str = "corpora/synthetic/runs.jsonl";
const A: &str = "s000000";
const B: &str = "s000001";
const C: &str = "s000002";

fn is_run<'a>(scenario: &'a str, arm: &'a str) -> impl Fn(&Value) -> bool + 'a {
    emitted::is_run(scenario, arm, 0)
}

#[test]
fn a_sound_corpus_has_no_fault() {
    let measured = measure(&Project::small());
    assert_eq!(measured.faults, []);
    assert_eq!(measured.runs.values().copied().collect::<Vec<_>>(), [9, 9, 9, 9]);
    assert_eq!((measured.determinism.repeats, measured.determinism.failed), (3, 0));
    // Four variants plan each request of the nine native sessions.
    let requests: usize = drawn_of_baseline().iter().map(requests).sum();
    assert_eq!(measured.determinism.requests, requests);
    assert_eq!(measured.determinism.identical, 4 * measured.determinism.requests);
}

#[test]
fn row_missing() {
    let drop_one = |project: &Project| {
        let mut rows = project.rows();
        rows.remove(7);
        project.write_rows(&rows);
    };
    let faults = planted(drop_one, &["row-missing"]);
    assert_eq!(faults[0].severity(), Severity::Invalid);
}

#[test]
fn row_unscheduled() {
    planted(
        |project| project.edit_rows(is_run(A, "native"), |row| row["repetition"] = 9.into()),
        &["row-missing", "row-unscheduled"],
    );
}

#[test]
fn row_duplicate() {
    let double = |project: &Project| {
        let mut rows = project.rows();
        rows.push(rows[0].clone());
        project.write_rows(&rows);
    };
    planted(double, &["row-duplicate"]);
}

#[test]
fn a_row_of_a_variant_that_nobody_declared_breaks_every_feature() {
    let stray = |project: &Project| {
        let mut rows = project.rows();
        let mut row = rows[0].clone();
        row["variant"] = "mystery".into();
        row["session"] = Value::Null;
        rows.push(row);
        project.write_rows(&rows);
    };
    planted(stray, &["row-unscheduled"]);
}

/// Puts one run's files into another run's row, and the other way round.
fn swap_files(project: &Project, one: &str, other: &str, both_ways: bool) {
    let mut rows = project.rows();
    let at = |rows: &[Value], arm: &str| rows.iter().position(|row| is_run(A, arm)(row)).unwrap();
    let (one, other) = (at(&rows, one), at(&rows, other));
    // Acceptance goes with the files that it was derived from.
    let fields = RUN_FILES.into_iter().chain(["outcome"]);
    for field in fields {
        let (a, b) = (rows[one][field].clone(), rows[other][field].clone());
        rows[other][field] = a;
        if both_ways {
            rows[one][field] = b;
        }
    }
    project.write_rows(&rows);
}

#[test]
fn run_repeated_for_one_session_that_stands_for_two_rows() {
    planted(|project| swap_files(project, "native", "native-again", false), &["run-repeated"]);
}

#[test]
fn arm_mismatch_for_swapped_arms() {
    planted(|project| swap_files(project, "native", "auto-context", true), &["arm-mismatch"]);
}

#[test]
fn tier_mismatch_for_a_script_that_claims_to_be_a_model() {
    let claim = |project: &Project| {
        project.edit(MANIFEST, "tier = \"synthetic\"", "tier = \"recorded-model\"");
        project.edit_rows(
            |_| true,
            |row| {
                row["tier"] = "recorded-model".into();
                row["provider"] = "scripted".into();
            },
        );
    };
    let project = Project::small();
    claim(&project);
    let found = measure(&project).faults;
    assert!(found.iter().any(|fault| fault.message.contains("the scripted model answered")), "{found:#?}");
}

#[test]
fn row_malformed() {
    planted(
        |project| project.edit_rows(is_run(A, "native"), |row| row["bytes"] = "many".into()),
        &["row-malformed", "row-missing"],
    );
}

#[test]
fn unsafe_path() {
    planted(
        |project| project.edit_rows(is_run(A, "native"), |row| row["session"] = "../corpus.toml".into()),
        &["unsafe-path"],
    );
}

#[test]
fn file_missing() {
    planted(
        |project| project.edit_rows(is_run(A, "native"), |row| row["patch"] = "patches/none".into()),
        &["file-missing"],
    );
}

#[test]
fn hash_mismatch_for_a_session_byte_changed() {
    let flip = |project: &Project| {
        project.edit(&format!("corpora/synthetic/sessions/{B}/auto-context-1.jsonl"), "Done.", "Dane.");
    };
    planted(flip, &["hash-mismatch"]);
}

#[test]
fn hash_mismatch_for_each_other_file() {
    for field in ["wire", "patch", "grader_log"] {
        let append = |project: &Project| {
            let name = format!("corpora/synthetic/{}", project.told(A, "native", field).as_str().unwrap());
            let text = project.read(&name) + "\n";
            project.write(&name, &text);
        };
        planted(append, &["hash-mismatch"]);
    }
}

#[test]
fn hash_mismatch_for_a_block_changed() {
    let forge = |project: &Project| project.edit(&blocks(A), "be brief", "be crude");
    planted(forge, &["hash-mismatch"]);
}

#[test]
fn session_unreadable_where_a_line_is_torn() {
    planted(
        |project| project.edit_file(A, "native", "session", |text| text[..text.len() - 9].to_owned()),
        &["session-unreadable"],
    );
}

#[test]
fn outcome_mismatch_for_accepted_flipped() {
    planted(
        |project| project.edit_rows(is_run(C, "native"), |row| row["outcome"]["accepted"] = false.into()),
        &["outcome-mismatch"],
    );
}

#[test]
fn outcome_mismatch_for_a_transcript_that_believes_itself() {
    planted(
        |project| {
            project.edit_file(C, "native", "grader_log", |text| {
                text.replace("\"exit_code\":0", "\"exit_code\":1")
            });
        },
        &["outcome-mismatch"],
    );
}

#[test]
fn outcome_mismatch_for_a_patch_that_touches_what_is_protected() {
    let touch = |project: &Project| {
        project.edit_file(C, "native", "patch", |text| {
            text.to_owned()
                + "diff --git a/data/closed.csv b/data/closed.csv\n--- a/data/closed.csv\n+++ b/data/closed.csv\n@@ -1 +1 @@\n-x\n+y\n"
        });
        let hash = project.told(C, "native", "patch_sha256");
        project.edit_file(C, "native", "grader_log", |text| {
            let mut log: Value = serde_json::from_str(text).unwrap();
            log["patch_sha256"] = hash.clone();
            log.to_string()
        });
    };
    planted(touch, &["outcome-mismatch"]);
}

#[test]
fn outcome_mismatch_for_verifications_miscounted() {
    planted(
        |project| project.edit_rows(is_run(C, "native"), |row| row["outcome"]["verify_attempts"] = 2.into()),
        &["outcome-mismatch"],
    );
}

#[test]
fn usage_mismatch_for_cheaper_tokens_in_the_session() {
    planted(
        |project| {
            project.edit_file(C, "auto-context", "session", |text| {
                let lines = text.lines().map(|line| {
                    let mut entry: Value = serde_json::from_str(line).unwrap();
                    let usage = &mut entry["message"]["usage"];
                    if usage["cacheWrite"].as_u64().is_some_and(|tokens| tokens > 1_000) {
                        // The total is edited with it: the log by itself stays consistent.
                        for figure in ["cacheWrite", "totalTokens"] {
                            usage[figure] = (usage[figure].as_u64().unwrap() - 1_000).into();
                        }
                        return format!("{entry}\n");
                    }
                    format!("{line}\n")
                });
                lines.collect()
            });
        },
        &["usage-mismatch"],
    );
}

#[test]
fn same_engine_for_equal_digests() {
    let equal = |project: &Project| {
        let digest = project.told(A, "native", "engine_digest");
        project.edit_rows(of_arm("auto-context"), |row| row["engine_digest"] = digest.clone());
    };
    // The candidate's digest is then also not the present one.
    planted(equal, &["same-engine", "stale-engine"]);
}

#[test]
fn same_engine_for_equal_declarations() {
    let equal = |project: &Project| {
        project.edit("scenarios/variants.toml", "withhold = \"gold\"\n", "");
    };
    // What the degraded arm was recorded with isn't declared any more.
    planted(equal, &["same-engine", "stale-engine"]);
}

#[test]
fn stale_engine_in_a_canary_arm() {
    planted(
        |project| {
            let stale = "f".repeat(64);
            project.edit_rows(of_arm("auto-context-known-bad"), |row| {
                row["engine_digest"] = stale.clone().into()
            });
        },
        &["stale-engine"],
    );
}

#[test]
fn not_an_aa_for_a_repeated_baseline_of_another_engine() {
    planted(
        |project| {
            project.edit_rows(of_arm("native-again"), |row| row["engine_digest"] = "f".repeat(64).into())
        },
        &["not-an-aa", "stale-engine"],
    );
}

#[test]
fn wire_mismatch_for_a_result_rewritten_in_the_session() {
    planted(
        |project| {
            project.edit_file(A, "native", "session", |text| {
                text.replace("Successfully replaced 1 block(s).", "Successfully replaced 2 block(s).")
            });
        },
        &["wire-mismatch"],
    );
}

#[test]
fn row_malformed_for_a_key_that_stands_twice() {
    let double = |project: &Project| {
        project.edit(ROWS, "{", "{\"accepted_by\":1,\"accepted_by\":2,");
    };
    planted(double, &["row-malformed", "row-missing"]);
}

#[test]
fn row_malformed_for_a_negative_time() {
    planted(
        |project| {
            project.edit_rows(is_run(A, "native"), |row| row["outcome"]["wall_seconds"] = (-1.0).into())
        },
        &["row-malformed", "row-missing"],
    );
}

/// An attempt that the infrastructure failed.
fn failed_attempt() -> Value {
    json!([{ "attempt": 0, "session": null, "sha256": null, "accepted": false,
        "infrastructure_failure": "agent-crashed" }])
}

#[test]
fn reroll_unpaired_for_one_arm_run_again_alone() {
    planted(
        |project| project.edit_rows(is_run(A, "native"), |row| row["attempts"] = failed_attempt()),
        &["reroll-unpaired"],
    );
}

#[test]
fn reroll_without_cause_where_nothing_had_failed() {
    let again = |project: &Project| {
        let block = |row: &Value| row["scenario"] == A && row["repetition"] == 0;
        project.edit_rows(block, |row| {
            let (session, sha256) = (row["session"].clone(), row["sha256"].clone());
            row["attempts"] = json!([{ "attempt": 0, "session": session, "sha256": sha256, "accepted": true,
                "infrastructure_failure": null }]);
        });
    };
    planted(again, &["reroll-without-cause"]);
}

#[test]
fn file_missing_for_an_attempt_that_wasnt_kept() {
    let lost = |project: &Project| {
        let block = |row: &Value| row["scenario"] == A && row["repetition"] == 0;
        project.edit_rows(block, |row| {
            row["attempts"] = json!([{ "attempt": 0, "session": "sessions/alpha/lost.jsonl", "sha256": "0",
                "accepted": false, "infrastructure_failure": "agent-crashed" }]);
        });
    };
    planted(lost, &["file-missing"]);
}

#[cfg(unix)]
#[test]
fn a_corpus_whose_rows_lie_behind_a_link_is_none() {
    let project = Project::small();
    let rows = project.corpus("").join("runs.jsonl");
    let elsewhere = project.corpus("").join("elsewhere.jsonl");
    std::fs::rename(&rows, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &rows).unwrap();
    assert!(Corpus::load(&project.corpus("")).unwrap_err().to_string().contains("symbolic link"));
}

#[test]
fn stale_engine() {
    let faults = planted(
        |project| {
            project.edit_rows(of_arm("auto-context"), |row| row["engine_digest"] = "f".repeat(64).into())
        },
        &["stale-engine"],
    );
    assert_eq!(faults[0].severity(), Severity::Insufficient);
}

#[test]
fn model_mismatch_in_the_rows_of_one_arm() {
    planted(
        |project| project.edit_rows(of_arm("auto-context"), |row| row["model"] = "drawn-2".into()),
        &["model-mismatch"],
    );
}

#[test]
fn model_mismatch_inside_a_session() {
    planted(
        |project| {
            project.edit_file(A, "auto-context", "session", |text| {
                text.replace("\"model\":\"drawn-1\"", "\"model\":\"drawn-2\"")
            });
        },
        &["model-mismatch"],
    );
}

#[test]
fn thinking_mismatch() {
    planted(
        |project| project.edit_rows(of_arm("auto-context"), |row| row["thinking_level"] = "high".into()),
        &["thinking-mismatch"],
    );
}

#[test]
fn agent_mismatch() {
    planted(
        |project| project.edit_rows(of_arm("auto-context"), |row| row["agent_version"] = "1.5.0".into()),
        &["agent-mismatch"],
    );
}

#[test]
fn tree_mismatch() {
    planted(
        |project| project.edit_rows(of_arm("auto-context"), |row| row["tree_sha256"] = "0".repeat(64).into()),
        // Its grader was then asked about another tree too.
        &["qualification-mismatch", "tree-mismatch"],
    );
}

#[test]
fn tree_mismatch_for_a_fixture_changed_since() {
    planted(|project| project.write("scenarios/repos/c000000/extra.py", "x = 1\n"), &["tree-mismatch"]);
}

#[test]
fn tools_mismatch() {
    planted(
        |project| {
            project.edit_rows(of_arm("auto-context"), |row| row["tools_sha256"] = "0".repeat(64).into())
        },
        &["tools-mismatch"],
    );
}

#[test]
fn task_mismatch_for_another_prompt() {
    planted(
        |project| {
            project.edit_rows(of_arm("auto-context"), |row| row["prompt_sha256"] = "0".repeat(64).into())
        },
        &["task-mismatch"],
    );
}

#[test]
fn task_mismatch_for_a_grader_changed_since() {
    planted(
        |project| project.write(&format!("scenarios/tasks/{A}/grader/grader_check.sh"), "true\n"),
        &["task-mismatch"],
    );
}

#[test]
fn tier_mismatch() {
    planted(
        |project| project.edit_rows(of_arm("auto-context"), |row| row["tier"] = "recorded-model".into()),
        &["tier-mismatch"],
    );
}

#[test]
fn not_preregistered() {
    let project = Project::small();
    let measured = measure_with(&project, 2, &"1".repeat(64));
    assert_eq!(codes(&measured.faults), BTreeSet::from(["not-preregistered"]));
}

#[test]
fn missing_runs_whatever_else_the_row_says() {
    let lose = |project: &Project| {
        project.edit_rows(is_run(A, "auto-context"), |row| {
            row["session"] = Value::Null;
            row["model"] = "another".into();
        });
    };
    let faults = planted(lose, &["missing-runs"]);
    assert_eq!(faults[0].severity(), Severity::Insufficient);
}

#[test]
fn missing_runs_for_an_infrastructure_failure() {
    planted(
        |project| {
            project.edit_rows(is_run(A, "native"), |row| {
                row["outcome"]["infrastructure_failure"] = "agent-crashed".into();
            });
        },
        &["missing-runs"],
    );
}

#[test]
fn differential_missingness() {
    planted(
        |project| project.edit_rows(of_arm("auto-context"), |row| row["session"] = Value::Null),
        &["differential-missingness", "missing-runs"],
    );
}

#[test]
fn too_few_runs() {
    let shorten = |project: &Project| {
        project.edit(MANIFEST, "repetitions = 3", "repetitions = 2");
        let rows: Vec<Value> = project.rows().into_iter().filter(|row| row["repetition"] != 2).collect();
        project.write_rows(&rows);
    };
    planted(shorten, &["too-few-runs"]);
}

#[test]
fn the_order_of_lines_and_the_number_of_threads_change_no_byte() {
    let project = Project::small();
    let one = measure_with(&project, 1, &policy_sha256());
    let hash = Corpus::load(&project.corpus("")).unwrap().0.sha256;
    let mut rows = project.rows();
    rows.reverse();
    rows.swap(3, 17);
    let spaced: String = rows.iter().map(|row| row.to_string().replace("\":", "\" : ") + "\n\n").collect();
    project.write(ROWS, &spaced);
    let other = measure_with(&project, 2, &policy_sha256());
    assert_eq!(Corpus::load(&project.corpus("")).unwrap().0.sha256, hash);
    assert_eq!(one, other);
    assert_eq!(one.frame.to_parquet().unwrap(), other.frame.to_parquet().unwrap());
}

#[test]
fn the_values_are_those_that_were_drawn() {
    let measured = measure(&Project::small());
    let plan = drawn();
    for (at, arm) in ARMS.iter().enumerate().filter(|(_, arm)| **arm != "auto-context-known-bad") {
        let value = |metric: Metric, scenario: &str, repetition: usize| {
            let of_run = |row: &MetricRow| {
                (row.metric, row.variant.as_str(), row.scenario.as_str()) == (metric, arm, scenario)
                    && row.repetition as usize == repetition
            };
            let found: Vec<f64> = measured.frame.rows().filter(of_run).map(|row| row.value).collect();
            assert_eq!(found.len(), 1, "{} {scenario} {arm} {repetition}", metric.id());
            found[0]
        };
        for runs in &plan.scenarios {
            for (repetition, run) in runs.arms[at].iter().enumerate() {
                let (run, value) = (run.unwrap(), |metric| value(metric, &runs.id, repetition));
                assert_eq!(value(Metric::Accepted), 1.0);
                assert_eq!(value(Metric::Requests), requests(&run) as f64);
                assert_eq!(value(Metric::DuplicateReads), run.reads.saturating_sub(1) as f64);
                assert_eq!(value(Metric::Rework), 0.0);
                assert_eq!(value(Metric::FirstCorrectEditRequests), run.reads as f64 + 1.0);
                assert_eq!(value(Metric::FreshInputTokens), run.fresh_tokens as f64);
                assert!(Metric::SAFETY.iter().all(|metric| value(*metric) == 0.0));
            }
        }
    }
}

#[test]
fn a_pack_that_quotes_what_is_protected_or_secret_is_counted() {
    let project = Project::small();
    let name = blocks(A);
    let old = format!("{A}/total.py:1-4");
    let new = "data/closed.csv:1-1\\\\n2023-12-31,closing balance,1204.50\\\\nFAKE-TOKEN-0001";
    // The same replacement in blocks, hashes and requests of the scenario.
    let mut renamed = Vec::new();
    let changed: String = project
        .read(&name)
        .lines()
        .map(|line| {
            let mut block: Value = serde_json::from_str(line).unwrap();
            let json = block["json"].as_str().unwrap().replace(&old, &new.replace("\\\\", "\\"));
            let hash = engine::message::sha256_hex(json.as_bytes());
            renamed.push((block["sha256"].as_str().unwrap().to_owned(), hash.clone()));
            block["json"] = json.into();
            block["sha256"] = hash.into();
            block.to_string() + "\n"
        })
        .collect();
    project.write(&name, &changed);
    let rename = |text: &str| renamed.iter().fold(text.to_owned(), |text, (old, new)| text.replace(old, new));
    project.edit_file(A, "auto-context", "wire", rename);
    let measured = measure(&project);
    let value = |metric: Metric| {
        let found = measured.frame.rows().find(|row| {
            row.metric == metric && row.scenario == A && row.variant == "auto-context" && row.repetition == 0
        });
        found.unwrap().value
    };
    assert_eq!((value(Metric::SafetyProtectedPath), value(Metric::SafetySecret)), (1.0, 1.0));
}
