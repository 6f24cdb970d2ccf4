//! Every fault of the evidence, planted alone into a corpus that has none.

use std::collections::BTreeSet;

use harness::corpus::{Corpus, Fault};
use harness::measure::{Campaign, Measured};
use harness::metric::Metric;
use harness::metric::price::PricePack;
use harness::scenario::ScenarioSet;
use harness::variant::{Declared, FeatureSet, VariantSet};
use serde_json::{Value, json};
use verdict::Severity;

use crate::emitted::RUN_FILES;
use crate::tiny::{FEATURE, POLICY, Tiny};

/// Measures the feature as the gate does.
pub fn measure(tiny: &Tiny) -> Measured {
    measure_with(tiny, 2, POLICY)
}

pub fn measure_with(tiny: &Tiny, jobs: usize, policy: &str) -> Measured {
    let folder = tiny.scenarios_folder();
    let (corpus, load_faults) = Corpus::load(&tiny.corpus_folder()).unwrap();
    let variants = VariantSet::load(&folder.join("variants.toml")).unwrap();
    let features = FeatureSet::load(&folder.join("features.toml"), &variants).unwrap();
    let scenarios = ScenarioSet::load(&folder).unwrap();
    let prices = PricePack::load(&folder.join("packs/prices-scripted.toml")).unwrap();
    let campaign = Campaign {
        corpus: &corpus,
        load_faults: &load_faults,
        scenarios: &scenarios,
        variants: &variants,
        prices: Some(&prices),
        repeats: 3,
        graders: false,
        engines: &Declared,
    };
    let feature = features.get(FEATURE).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().unwrap();
    pool.install(|| campaign.measure(feature, feature.arms.as_ref().unwrap(), Some(policy))).unwrap()
}

fn codes(faults: &[Fault]) -> BTreeSet<&'static str> {
    faults.iter().map(|fault| fault.code.code()).collect()
}

/// Plants one fault and names the codes that must be found, no more and no less.
fn planted(plant: impl FnOnce(&Tiny), expected: &[&str]) -> Vec<Fault> {
    let tiny = Tiny::new();
    plant(&tiny);
    let measured = measure(&tiny);
    assert_eq!(codes(&measured.faults), expected.iter().copied().collect(), "{:#?}", measured.faults);
    measured.faults
}

fn is_run<'a>(scenario: &'a str, arm: &'a str) -> impl Fn(&Value) -> bool + 'a {
    move |row| row["scenario"] == scenario && row["variant"] == arm && row["repetition"] == 0
}

fn of_arm(arm: &str) -> impl Fn(&Value) -> bool + '_ {
    move |row| row["variant"] == arm
}

#[test]
fn a_sound_corpus_has_no_fault() {
    let measured = measure(&Tiny::new());
    assert_eq!(measured.faults, []);
    assert_eq!(measured.runs.values().copied().collect::<Vec<_>>(), [9, 9, 9, 9]);
    assert_eq!((measured.determinism.repeats, measured.determinism.failed), (3, 0));
    // Nine native sessions, a third of them with one more request; four variants plan each request.
    assert_eq!(measured.determinism.requests, 9 * 4 + 3);
    assert_eq!(measured.determinism.identical, 4 * measured.determinism.requests);
}

#[test]
fn row_missing() {
    let drop_one = |tiny: &Tiny| {
        let mut rows = tiny.rows();
        rows.remove(7);
        tiny.write_rows(&rows);
    };
    let faults = planted(drop_one, &["row-missing"]);
    assert_eq!(faults[0].severity(), Severity::Invalid);
}

#[test]
fn row_unscheduled() {
    planted(
        |tiny| tiny.edit_rows(is_run("alpha", "native"), |row| row["repetition"] = 9.into()),
        &["row-missing", "row-unscheduled"],
    );
}

#[test]
fn row_duplicate() {
    let double = |tiny: &Tiny| {
        let mut rows = tiny.rows();
        rows.push(rows[0].clone());
        tiny.write_rows(&rows);
    };
    planted(double, &["row-duplicate"]);
}

#[test]
fn a_row_of_a_variant_that_nobody_declared_breaks_every_feature() {
    let stray = |tiny: &Tiny| {
        let mut rows = tiny.rows();
        let mut row = rows[0].clone();
        row["variant"] = "mystery".into();
        row["session"] = Value::Null;
        rows.push(row);
        tiny.write_rows(&rows);
    };
    planted(stray, &["row-unscheduled"]);
}

/// Puts one run's files into another run's row, and the other way round.
fn swap_files(tiny: &Tiny, one: &str, other: &str, both_ways: bool) {
    let mut rows = tiny.rows();
    let at = |rows: &[Value], arm: &str| rows.iter().position(|row| is_run("alpha", arm)(row)).unwrap();
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
    tiny.write_rows(&rows);
}

#[test]
fn run_repeated_for_one_session_that_stands_for_two_rows() {
    planted(|tiny| swap_files(tiny, "native", "native-again", false), &["run-repeated"]);
}

#[test]
fn arm_mismatch_for_swapped_arms() {
    planted(|tiny| swap_files(tiny, "native", "auto-context", true), &["arm-mismatch"]);
}

#[test]
fn tier_mismatch_for_a_script_that_claims_to_be_a_model() {
    let claim = |tiny: &Tiny| {
        let manifest = tiny.corpus_folder().join("corpus.toml");
        let text = std::fs::read_to_string(&manifest).unwrap();
        std::fs::write(&manifest, text.replace("tier = \"synthetic\"", "tier = \"recorded-model\"")).unwrap();
        tiny.edit_rows(
            |_| true,
            |row| {
                row["tier"] = "recorded-model".into();
                row["provider"] = "scripted".into();
            },
        );
    };
    let tiny = Tiny::new();
    claim(&tiny);
    let found = measure(&tiny).faults;
    assert!(found.iter().any(|fault| fault.message.contains("the scripted model answered")), "{found:#?}");
}

#[test]
fn row_malformed() {
    planted(
        |tiny| tiny.edit_rows(is_run("alpha", "native"), |row| row["bytes"] = "many".into()),
        &["row-malformed", "row-missing"],
    );
}

#[test]
fn unsafe_path() {
    planted(
        |tiny| tiny.edit_rows(is_run("alpha", "native"), |row| row["session"] = "../corpus.toml".into()),
        &["unsafe-path"],
    );
}

#[test]
fn file_missing() {
    planted(
        |tiny| tiny.edit_rows(is_run("alpha", "native"), |row| row["patch"] = "patches/none".into()),
        &["file-missing"],
    );
}

#[test]
fn hash_mismatch_for_a_session_byte_changed() {
    let flip = |tiny: &Tiny| {
        let name = "corpus/sessions/beta/auto-context-1.jsonl";
        let text = tiny.read(name).replacen("Done.", "Dane.", 1);
        tiny.write(name, &text);
    };
    planted(flip, &["hash-mismatch"]);
}

#[test]
fn hash_mismatch_for_each_other_file() {
    for file in ["wire/alpha/native-0.jsonl", "patches/alpha/native-0.patch", "grader/alpha/native-0.json"] {
        let append = |tiny: &Tiny| {
            let name = format!("corpus/{file}");
            let text = tiny.read(&name) + "\n";
            tiny.write(&name, &text);
        };
        planted(append, &["hash-mismatch"]);
    }
}

#[test]
fn hash_mismatch_for_a_block_changed() {
    let forge = |tiny: &Tiny| {
        let name = "corpus/blocks/alpha.jsonl";
        let text = tiny.read(name).replacen("be brief", "be crude", 1);
        tiny.write(name, &text);
    };
    planted(forge, &["hash-mismatch"]);
}

#[test]
fn session_unreadable_where_a_line_is_torn() {
    planted(
        |tiny| tiny.edit_file("alpha", "native", "session", |text| text[..text.len() - 9].to_owned()),
        &["session-unreadable"],
    );
}

#[test]
fn outcome_mismatch_for_accepted_flipped() {
    planted(
        |tiny| tiny.edit_rows(is_run("gamma", "native"), |row| row["outcome"]["accepted"] = false.into()),
        &["outcome-mismatch"],
    );
}

#[test]
fn outcome_mismatch_for_a_transcript_that_believes_itself() {
    planted(
        |tiny| {
            tiny.edit_file("gamma", "native", "grader_log", |text| {
                text.replace("\"exit_code\":0", "\"exit_code\":1")
            });
        },
        &["outcome-mismatch"],
    );
}

#[test]
fn outcome_mismatch_for_a_patch_that_touches_what_is_protected() {
    let touch = |tiny: &Tiny| {
        tiny.edit_file("gamma", "native", "patch", |text| {
            text.to_owned()
                + "diff --git a/data/closed.csv b/data/closed.csv\n--- a/data/closed.csv\n+++ b/data/closed.csv\n@@ -1 +1 @@\n-x\n+y\n"
        });
        let hash =
            tiny.rows().iter().find(|row| is_run("gamma", "native")(row)).unwrap()["patch_sha256"].clone();
        tiny.edit_file("gamma", "native", "grader_log", |text| {
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
        |tiny| tiny.edit_rows(is_run("gamma", "native"), |row| row["outcome"]["verify_attempts"] = 2.into()),
        &["outcome-mismatch"],
    );
}

#[test]
fn usage_mismatch_for_cheaper_tokens_in_the_session() {
    planted(
        |tiny| {
            tiny.edit_file("gamma", "auto-context", "session", |text| {
                // The total is edited with it: the log by itself stays consistent.
                let (head, tail) = text.split_once("\"cacheWrite\":1100").unwrap();
                let (between, rest) = tail.split_once("\"totalTokens\":").unwrap();
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap();
                let total: u64 = rest[..end].parse().unwrap();
                let (total, rest) = (total - 1000, &rest[end..]);
                format!("{head}\"cacheWrite\":100{between}\"totalTokens\":{total}{rest}")
            });
        },
        &["usage-mismatch"],
    );
}

#[test]
fn same_engine_for_equal_digests() {
    let equal = |tiny: &Tiny| {
        let digest =
            tiny.rows().iter().find(|row| row["variant"] == "native").unwrap()["engine_digest"].clone();
        tiny.edit_rows(of_arm("auto-context"), |row| row["engine_digest"] = digest.clone());
    };
    // The candidate's digest is then also not the present one.
    planted(equal, &["same-engine", "stale-engine"]);
}

#[test]
fn same_engine_for_equal_declarations() {
    let equal = |tiny: &Tiny| {
        let text = tiny.read("scenarios/variants.toml").replace("withhold = \"gold\"\n", "");
        tiny.write("scenarios/variants.toml", &text);
    };
    // What the degraded arm was recorded with isn't declared any more.
    planted(equal, &["same-engine", "stale-engine"]);
}

#[test]
fn stale_engine_in_a_canary_arm() {
    planted(
        |tiny| {
            let stale = "f".repeat(64);
            tiny.edit_rows(of_arm("auto-context-known-bad"), |row| {
                row["engine_digest"] = stale.clone().into()
            });
        },
        &["stale-engine"],
    );
}

#[test]
fn not_an_aa_for_a_repeated_baseline_of_another_engine() {
    planted(
        |tiny| tiny.edit_rows(of_arm("native-again"), |row| row["engine_digest"] = "f".repeat(64).into()),
        &["not-an-aa", "stale-engine"],
    );
}

#[test]
fn wire_mismatch_for_a_result_rewritten_in_the_session() {
    planted(
        |tiny| {
            tiny.edit_file("alpha", "native", "session", |text| {
                text.replace("Successfully replaced 1 block(s).", "Successfully replaced 2 block(s).")
            });
        },
        &["wire-mismatch"],
    );
}

#[test]
fn row_malformed_for_a_key_that_stands_twice() {
    let double = |tiny: &Tiny| {
        let rows = tiny.read("corpus/runs.jsonl");
        tiny.write("corpus/runs.jsonl", &rows.replacen("{", "{\"accepted_by\":1,\"accepted_by\":2,", 1));
    };
    planted(double, &["row-malformed", "row-missing"]);
}

#[test]
fn row_malformed_for_a_negative_time() {
    planted(
        |tiny| {
            tiny.edit_rows(is_run("alpha", "native"), |row| row["outcome"]["wall_seconds"] = (-1.0).into())
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
        |tiny| tiny.edit_rows(is_run("alpha", "native"), |row| row["attempts"] = failed_attempt()),
        &["reroll-unpaired"],
    );
}

#[test]
fn reroll_without_cause_where_nothing_had_failed() {
    let again = |tiny: &Tiny| {
        let block = |row: &Value| row["scenario"] == "alpha" && row["repetition"] == 0;
        tiny.edit_rows(block, |row| {
            let (session, sha256) = (row["session"].clone(), row["sha256"].clone());
            row["attempts"] = json!([{ "attempt": 0, "session": session, "sha256": sha256, "accepted": true,
                "infrastructure_failure": null }]);
        });
    };
    planted(again, &["reroll-without-cause"]);
}

#[test]
fn file_missing_for_an_attempt_that_wasnt_kept() {
    let lost = |tiny: &Tiny| {
        let block = |row: &Value| row["scenario"] == "alpha" && row["repetition"] == 0;
        tiny.edit_rows(block, |row| {
            row["attempts"] = json!([{ "attempt": 0, "session": "sessions/alpha/lost.jsonl", "sha256": "0",
                "accepted": false, "infrastructure_failure": "agent-crashed" }]);
        });
    };
    planted(lost, &["file-missing"]);
}

#[cfg(unix)]
#[test]
fn a_corpus_whose_rows_lie_behind_a_link_is_none() {
    let tiny = Tiny::new();
    let rows = tiny.corpus_folder().join("runs.jsonl");
    let elsewhere = tiny.corpus_folder().join("elsewhere.jsonl");
    std::fs::rename(&rows, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &rows).unwrap();
    assert!(Corpus::load(&tiny.corpus_folder()).unwrap_err().to_string().contains("symbolic link"));
}

#[test]
fn stale_engine() {
    let faults = planted(
        |tiny| tiny.edit_rows(of_arm("auto-context"), |row| row["engine_digest"] = "f".repeat(64).into()),
        &["stale-engine"],
    );
    assert_eq!(faults[0].severity(), Severity::Insufficient);
}

#[test]
fn model_mismatch_in_the_rows_of_one_arm() {
    planted(
        |tiny| tiny.edit_rows(of_arm("auto-context"), |row| row["model"] = "tiny-2".into()),
        &["model-mismatch"],
    );
}

#[test]
fn model_mismatch_inside_a_session() {
    planted(
        |tiny| {
            tiny.edit_file("alpha", "auto-context", "session", |text| {
                text.replace("\"model\":\"tiny-1\"", "\"model\":\"tiny-2\"")
            });
        },
        &["model-mismatch"],
    );
}

#[test]
fn thinking_mismatch() {
    planted(
        |tiny| tiny.edit_rows(of_arm("auto-context"), |row| row["thinking_level"] = "high".into()),
        &["thinking-mismatch"],
    );
}

#[test]
fn agent_mismatch() {
    planted(
        |tiny| tiny.edit_rows(of_arm("auto-context"), |row| row["agent_version"] = "1.5.0".into()),
        &["agent-mismatch"],
    );
}

#[test]
fn tree_mismatch() {
    planted(
        |tiny| tiny.edit_rows(of_arm("auto-context"), |row| row["tree_sha256"] = "0".repeat(64).into()),
        &["tree-mismatch"],
    );
}

#[test]
fn tree_mismatch_for_a_fixture_changed_since() {
    planted(|tiny| tiny.write("scenarios/repos/alpha-repo/alpha/extra.py", "x = 1\n"), &["tree-mismatch"]);
}

#[test]
fn tools_mismatch() {
    planted(
        |tiny| tiny.edit_rows(of_arm("auto-context"), |row| row["tools_sha256"] = "0".repeat(64).into()),
        &["tools-mismatch"],
    );
}

#[test]
fn task_mismatch_for_another_prompt() {
    planted(
        |tiny| tiny.edit_rows(of_arm("auto-context"), |row| row["prompt_sha256"] = "0".repeat(64).into()),
        &["task-mismatch"],
    );
}

#[test]
fn task_mismatch_for_a_grader_changed_since() {
    planted(|tiny| tiny.write("scenarios/tasks/alpha/grader/grader_check.sh", "true\n"), &["task-mismatch"]);
}

#[test]
fn tier_mismatch() {
    planted(
        |tiny| tiny.edit_rows(of_arm("auto-context"), |row| row["tier"] = "recorded-model".into()),
        &["tier-mismatch"],
    );
}

#[test]
fn not_preregistered() {
    let tiny = Tiny::new();
    let measured = measure_with(&tiny, 2, &"1".repeat(64));
    assert_eq!(codes(&measured.faults), BTreeSet::from(["not-preregistered"]));
}

#[test]
fn missing_runs_whatever_else_the_row_says() {
    let lose = |tiny: &Tiny| {
        tiny.edit_rows(is_run("alpha", "auto-context"), |row| {
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
        |tiny| {
            tiny.edit_rows(is_run("alpha", "native"), |row| {
                row["outcome"]["infrastructure_failure"] = "agent-crashed".into();
            });
        },
        &["missing-runs"],
    );
}

#[test]
fn differential_missingness() {
    planted(
        |tiny| tiny.edit_rows(of_arm("auto-context"), |row| row["session"] = Value::Null),
        &["differential-missingness", "missing-runs"],
    );
}

#[test]
fn too_few_runs() {
    let shorten = |tiny: &Tiny| {
        let manifest = tiny.read("corpus/corpus.toml").replace("repetitions = 3", "repetitions = 2");
        tiny.write("corpus/corpus.toml", &manifest);
        let rows: Vec<Value> = tiny.rows().into_iter().filter(|row| row["repetition"] != 2).collect();
        tiny.write_rows(&rows);
    };
    planted(shorten, &["too-few-runs"]);
}

#[test]
fn the_order_of_lines_and_the_number_of_threads_change_no_byte() {
    let tiny = Tiny::new();
    let one = measure_with(&tiny, 1, POLICY);
    let hash = Corpus::load(&tiny.corpus_folder()).unwrap().0.sha256;
    let mut rows = tiny.rows();
    rows.reverse();
    rows.swap(3, 17);
    let spaced: String = rows.iter().map(|row| row.to_string().replace("\":", "\" : ") + "\n\n").collect();
    tiny.write("corpus/runs.jsonl", &spaced);
    let other = measure_with(&tiny, 2, POLICY);
    assert_eq!(Corpus::load(&tiny.corpus_folder()).unwrap().0.sha256, hash);
    assert_eq!(one, other);
    assert_eq!(one.frame.to_parquet().unwrap(), other.frame.to_parquet().unwrap());
}

#[test]
fn the_values_are_those_of_the_made_up_runs() {
    let measured = measure(&Tiny::new());
    let mean = |metric: Metric, arm: &str| {
        let rows: Vec<f64> = measured
            .frame
            .rows()
            .filter(|row| row.metric == metric && row.variant == arm)
            .map(|row| row.value)
            .collect();
        rows.iter().sum::<f64>() / rows.len() as f64
    };
    assert_eq!(mean(Metric::Accepted, "native"), 1.0);
    // Read, edit, verify, answer; a third of the native runs reads twice.
    assert_eq!(mean(Metric::Requests, "native"), 4.0 + 1.0 / 3.0);
    assert_eq!(mean(Metric::Requests, "auto-context"), 3.0);
    assert_eq!(mean(Metric::DuplicateReads, "native"), 1.0 / 3.0);
    assert_eq!(mean(Metric::Rework, "native"), 0.0);
    assert_eq!(mean(Metric::FirstCorrectEditRequests, "native"), 2.0 + 1.0 / 3.0);
    assert_eq!(mean(Metric::FirstCorrectEditRequests, "auto-context"), 1.0);
    assert_eq!(mean(Metric::FreshInputTokens, "auto-context"), 12.0 + 1_100.0 + 50.0 + 100.0);
    for metric in Metric::SAFETY {
        assert_eq!(mean(metric, "auto-context"), 0.0, "{}", metric.id());
    }
}

#[test]
fn a_pack_that_quotes_what_is_protected_or_secret_is_counted() {
    let tiny = Tiny::new();
    let name = "corpus/blocks/alpha.jsonl";
    let old = "alpha/total.py:1-4";
    let new = "data/closed.csv:1-1\\\\n2023-12-31,closing balance,1204.50\\\\nFAKE-TOKEN-0001";
    // The same replacement in blocks, hashes and requests of the scenario.
    let mut renamed = Vec::new();
    let blocks: String = tiny
        .read(name)
        .lines()
        .map(|line| {
            let mut block: Value = serde_json::from_str(line).unwrap();
            let json = block["json"].as_str().unwrap().replace(old, &new.replace("\\\\", "\\"));
            let hash = engine::message::sha256_hex(json.as_bytes());
            renamed.push((block["sha256"].as_str().unwrap().to_owned(), hash.clone()));
            block["json"] = json.into();
            block["sha256"] = hash.into();
            block.to_string() + "\n"
        })
        .collect();
    tiny.write(name, &blocks);
    let rename = |text: &str| renamed.iter().fold(text.to_owned(), |text, (old, new)| text.replace(old, new));
    tiny.edit_file("alpha", "auto-context", "wire", rename);
    let measured = measure(&tiny);
    let value = |metric: Metric| {
        let found = measured.frame.rows().find(|row| {
            row.metric == metric
                && row.scenario == "alpha"
                && row.variant == "auto-context"
                && row.repetition == 0
        });
        found.unwrap().value
    };
    assert_eq!((value(Metric::SafetyProtectedPath), value(Metric::SafetySecret)), (1.0, 1.0));
}
