//! Search and pack over small projects.

use engine::plan::Confidence;
use engine::project::{ChangeKind, PastChange, PastCommit};
use engine::retrieve::{Hints, Omitted, PackBudget, Source, UsefulFile, pack, search, search_with};
use engine::tokens::{ByteClass, TokenCounter};
use proptest::prelude::*;

use crate::fixture::Project;

const SHOP: &str = include_str!("shop.txt");

fn hits(project: &Project, query: &str) -> Vec<String> {
    search(&project.index(), query, 20).unwrap().hits.into_iter().map(|hit| hit.path).collect()
}

#[test]
fn a_path_in_the_query_leads_whatever_else_matches() {
    let project =
        Project::new("//- a/stream.ts\nexport const x = 1;\n//- z/stream.ts\nexport const y = 2;\n");
    assert_eq!(hits(&project, "x in z/stream.ts.")[0], "z/stream.ts");
    let result = search(&project.index(), "look at z/stream.ts", 5).unwrap();
    assert_eq!(result.confidence, Confidence::High);
    assert_eq!(result.hits[0].reasons, [Source::ExplicitPath, Source::FileName, Source::Lexical]);
}

#[test]
fn many_near_names_in_one_file_do_not_beat_the_exact_name() {
    let many: String = (0..12).map(|n| format!("export function retryHelper{n}() {{}}\n")).collect();
    let project = Project::new(&format!("//- helpers.ts\n{many}//- core.ts\nexport function retry() {{}}\n"));
    assert_eq!(hits(&project, "retry")[0], "core.ts");
}

#[test]
fn a_word_of_work_does_not_pull_in_the_changelog() {
    let project = Project::new(
        "//- CHANGELOG.md\n## Fixed\n### Fixed\n- Fixed login, fixed logout, fixed the session\n\
         //- src/session.ts\nexport function closeSession() {}\n//- src/other.ts\nexport const other = 1;\n",
    );
    assert_eq!(hits(&project, "fix session not closed")[0], "src/session.ts");
}

#[test]
fn a_file_that_defines_beats_one_that_passes_on() {
    let project = Project::new(
        "//- src/index.ts\nexport { type SessionManager, type Other } from './session-manager';\n\
         //- src/session-manager.ts\nexport interface SessionManager { open(): void }\nexport interface Other {}\n",
    );
    assert_eq!(hits(&project, "SessionManager forgets sessions")[0], "src/session-manager.ts");
}

#[test]
fn identifiers_are_found_by_their_parts_and_parts_by_their_identifier() {
    let project =
        Project::new("//- a.ts\nconst agentSession = 1;\n//- b.ts\nconst agent = 1;\n//- c.ts\nlet z;\n");
    assert_eq!(hits(&project, "agent session")[0], "a.ts");
    assert_eq!(hits(&project, "agent_session")[0], "a.ts");
}

#[test]
fn the_limit_cuts_and_never_reorders() {
    let project = Project::new(SHOP);
    let all = hits(&project, "discount of a cart with a coupon");
    let index = project.index();
    for limit in 0..all.len() {
        let some = search(&index, "discount of a cart with a coupon", limit).unwrap();
        let some: Vec<String> = some.hits.into_iter().map(|hit| hit.path).collect();
        assert_eq!(some, all[..limit]);
    }
}

#[test]
fn what_changes_together_with_a_working_change_is_found() {
    let mut project = Project::new(
        "//- a/one.ts\nexport const one = 1;\n//- b/two.ts\nexport const two = 2;\n//- c.ts\nlet c;\n",
    )
    .index();
    let change = |path: &str| PastChange {
        path: path.to_owned(),
        kind: ChangeKind::Changed,
        before: String::new(),
        after: String::new(),
    };
    let commit = PastCommit {
        time_s: 0,
        message: "x".to_owned(),
        changes: vec![change("a/one.ts"), change("b/two.ts")],
    };
    project.learn_history("k", &[commit.clone(), commit]).unwrap();
    let hints = Hints { changed: vec!["b/two.ts".to_owned(), "gone.ts".to_owned()], ..Hints::default() };
    let found = search_with(&project, "zebra", &hints, 5).unwrap().hits;
    let found: Vec<_> = found.iter().map(|hit| (hit.path.as_str(), hit.reasons.as_slice())).collect();
    let expected = [Source::CoChange, Source::WorkingChange];
    assert_eq!(found, [("a/one.ts", &expected[..]), ("b/two.ts", &expected[..])]);
    assert!(search(&project, "zebra", 5).unwrap().hits.is_empty());
}

#[test]
fn a_file_that_was_useful_lately_gains_and_none_ever_loses() {
    let project = Project::new("//- a.ts\nlet cart;\n//- b.ts\nlet cart;\n//- c.ts\nlet cart;\n");
    let index = project.index();
    let day = 86_400;
    let useful = |path: &str, days: u64| UsefulFile { path: path.to_owned(), age_s: days * day };
    let hints = Hints { useful: vec![useful("b.ts", 30), useful("c.ts", 1)], ..Hints::default() };
    let with = search_with(&index, "cart", &hints, 5).unwrap().hits;
    let without = search(&index, "cart", 5).unwrap().hits;
    let order: Vec<&str> = with.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(order, ["c.ts", "b.ts", "a.ts"]);
    assert!(with[0].reasons.contains(&Source::Feedback));
    assert!(without.iter().all(|hit| hit.score <= with[2].score));
}

#[test]
fn confidence_can_be_low_and_none() {
    let project = Project::new(SHOP);
    let index = project.index();
    let confidence = |query: &str| search(&index, query, 5).unwrap().confidence;
    assert_eq!(confidence("zebra crossing at dawn with one cart"), Confidence::Low);
    assert_eq!(confidence("zebra"), Confidence::None);
    assert_eq!(confidence(""), Confidence::None);
    assert_eq!(confidence("applyCoupon is wrong"), Confidence::High);
}

#[test]
fn any_query_is_safe() {
    let project = Project::new(SHOP);
    let index = project.index();
    for query in ["\"", "a AND b OR (", "col:*", "NEAR(a b)", "'; DROP TABLE files; --", "%_", "\u{0}", "*"] {
        search(&index, query, 5).unwrap();
    }
}

#[test]
fn a_pack_quotes_the_region_that_matters() {
    let project = Project::new(SHOP);
    let index = project.index();
    let task = "An expired coupon still lowers the total of the cart.";
    let packed = pack(&index, task, PackBudget::tokens(400), &[], &ByteClass).unwrap();
    assert!(packed.text.contains("export function applyCoupon"), "{}", packed.text);
    insta::assert_snapshot!(packed.text);
    let again = pack(&index, task, PackBudget::tokens(400), &[], &ByteClass).unwrap();
    assert_eq!(packed, again);
}

#[test]
fn withheld_files_are_neither_quoted_nor_named() {
    let project = Project::new(SHOP);
    let withheld = ["src/coupon.ts".to_owned()];
    let packed =
        pack(&project.index(), "expired coupon", PackBudget::tokens(2_000), &withheld, &ByteClass).unwrap();
    assert!(!packed.text.contains("src/coupon.ts ("), "{}", packed.text);
    assert!(packed.map.iter().all(|mapped| mapped.path != withheld[0]));
    assert_eq!(packed.omitted, [("src/coupon.ts".to_owned(), Omitted::Withheld)]);
}

#[test]
fn a_file_changed_since_it_was_indexed_is_not_quoted() {
    let project = Project::new(SHOP);
    let index = project.index();
    project.write("src/coupon.ts", "export const coupon = 'changed';\n");
    let packed = pack(&index, "expired coupon", PackBudget::tokens(2_000), &[], &ByteClass).unwrap();
    assert!(packed.snippets.iter().all(|s| s.path != "src/coupon.ts"));
    assert!(packed.omitted.contains(&("src/coupon.ts".to_owned(), Omitted::Changed)));
}

#[test]
fn snippets_say_where_their_lines_stand() {
    let project = Project::new(SHOP);
    let packed =
        pack(&project.index(), "coupon cart total", PackBudget::tokens(900), &[], &ByteClass).unwrap();
    assert!(!packed.snippets.is_empty());
    for snippet in &packed.snippets {
        let text = std::fs::read_to_string(project.root().join(&snippet.path)).unwrap();
        let (from, to) = (snippet.start_line as usize - 1, snippet.end_line as usize);
        let lines: String = text.split_inclusive('\n').take(to).skip(from).collect();
        assert_eq!(lines, snippet.text, "{}", snippet.path);
        assert!(packed.text.contains(&snippet.text));
    }
}

#[test]
fn the_map_names_what_ranks_next_with_definitions_that_the_task_names() {
    let project = Project::new(SHOP);
    let packed =
        pack(&project.index(), "coupon cart total", PackBudget { tokens: 900, files: 1 }, &[], &ByteClass)
            .unwrap();
    assert_eq!(packed.files.len(), 1);
    assert!(packed.map.iter().any(|mapped| !mapped.definitions.is_empty()), "{:?}", packed.map);
    insta::assert_snapshot!(packed.text);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_pack_never_exceeds_its_budget(tokens in 0_u64..1_500, task in "[a-zA-Z ./`]{0,60}(coupon|cart|total|tax)?") {
        thread_local! {
            static SHOP_PROJECT: Project = Project::new(SHOP);
        }
        SHOP_PROJECT.with(|project| {
            let packed = pack(&project.index(), &task, PackBudget::tokens(tokens), &[], &ByteClass).unwrap();
            assert!(packed.tokens <= tokens, "{} > {tokens}", packed.tokens);
            assert_eq!(packed.tokens, ByteClass.text(&packed.text));
        });
    }
}
