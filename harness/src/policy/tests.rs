//! Each rule of the policy on a tiny conversation.

use serde_json::json;

use crate::scenario::{Knowledge, Replacement};

use super::*;

const RIGHT: &str = "def total(lines):\n    return sum(lines)\n";
const FIXED: &str = "def total(lines):\n    return round(sum(lines), 2)\n";
const BAD: &str = "def total(lines):\n    return round(sum(lines))\n";
const NEAR: &str = "def show(value):\n    return str(value)\n";
const NEAR_CHANGED: &str = "def show(value):\n    return f'{value:.2f}'\n";
const PROMPT: &str = "Invoice totals drift by a cent.\n\nCheck: `python3 -m unittest tests.test_total`\n";
const CHECK: &str = "python3 -m unittest tests.test_total";

fn change(find: &str, replace: &str) -> Replacement {
    Replacement { find: find.to_owned(), replace: replace.to_owned() }
}

fn knowledge() -> Knowledge {
    Knowledge {
        search: vec!["total".to_owned(), "cent".to_owned()],
        edits: vec![change(RIGHT, FIXED)],
        bad_first_edit: Some(change(RIGHT, BAD)),
        distractors: vec![change(NEAR, NEAR_CHANGED)],
    }
}

/// A model that never errs, save where a test says so.
fn flawless() -> Parameters {
    Parameters {
        seed: 1,
        distractor: 0.0,
        bad_first_edit: 0.0,
        wrong_file: 0.0,
        reread: 0.0,
        check_first: 0.0,
        read_check: 0.0,
        abandon: 0.0,
        reads_per_search: 2,
        max_steps: 20,
    }
}

fn draws() -> Draws {
    Draws { seed: 1, scenario: "invoice".to_owned(), repetition: 0 }
}

struct Talk(Transcript);

impl Talk {
    fn new() -> Self {
        let turns = vec![Turn::User(PROMPT.to_owned())];
        Talk(Transcript { system: "<cwd>\n/home/user/shop\n</cwd>".to_owned(), turns, has_tools: true })
    }

    fn beside(mut self, text: &str) -> Self {
        self.0.turns.push(Turn::User(text.to_owned()));
        self
    }

    fn after(mut self, tool: &Tool, answer: &str, failed: bool) -> Self {
        let (name, arguments) = tool.call();
        let id = format!("c{}", self.0.turns.len());
        let call = Call { id: id.clone(), name: name.to_owned(), arguments };
        self.0.turns.push(Turn::Assistant { text: String::new(), calls: vec![call] });
        self.0.turns.push(Turn::Result { call: id, text: answer.to_owned(), failed });
        self
    }

    fn read(self, path: &str, answer: &str) -> Self {
        self.after(&Tool::Read { path: path.to_owned() }, answer, false)
    }

    fn edited(self, path: &str, old: &str, new: &str) -> Self {
        self.after(&edit(path, old, new), "Successfully replaced 1 block(s).", false)
    }

    fn checked(self, passed: bool) -> Self {
        let tool = Tool::Shell { command: CHECK.to_owned() };
        self.after(&tool, if passed { "OK" } else { "F\n\nCommand exited with code 1" }, !passed)
    }

    fn next(&self, parameters: &Parameters) -> Action {
        decide(&self.0, &knowledge(), parameters, &draws())
    }

    fn tool(&self, parameters: &Parameters) -> Tool {
        match self.next(parameters) {
            Action::Call { tool, .. } => tool,
            Action::Answer { say } => panic!("ended: {say}"),
        }
    }
}

fn edit(path: &str, old: &str, new: &str) -> Tool {
    Tool::Edit { path: path.to_owned(), changes: vec![(old.to_owned(), new.to_owned())] }
}

fn read(path: &str) -> Tool {
    Tool::Read { path: path.to_owned() }
}

fn search(word: &str) -> Tool {
    Tool::Shell { command: search_command(word) }
}

#[test]
fn without_a_path_it_searches_in_order() {
    assert_eq!(Talk::new().tool(&flawless()), search("total"));
    let nothing = Talk::new().after(&search("total"), "\n\nCommand exited with code 1", true);
    assert_eq!(nothing.tool(&flawless()), search("cent"));
}

#[test]
fn with_a_promising_path_it_reads_and_not_twice() {
    let hits = "shop/total.py:3:def total(lines):\nshop/dates.py:9:# total days\n";
    let talk = Talk::new().after(&search("total"), hits, false);
    assert_eq!(talk.tool(&flawless()), read("shop/total.py"));
    let talk = talk.read("shop/total.py", "nothing here\n");
    assert_eq!(talk.tool(&flawless()), read("shop/dates.py"));
}

#[test]
fn with_the_region_in_view_it_edits_wherever_that_came_from() {
    let read = Talk::new().read("shop/total.py", &format!("import x\n\n{RIGHT}\n"));
    let beside = Talk::new().beside(&format!("Source:\n\nshop/total.py:1-5\nimport x\n\n{RIGHT}\n"));
    let numbered = Talk::new().beside("shop/total.py\n 1: def total(lines):\n 2:     return sum(lines)\n");
    for talk in [read, beside, numbered] {
        assert_eq!(talk.tool(&flawless()), edit("shop/total.py", RIGHT, FIXED));
    }
}

#[test]
fn after_the_edit_it_checks_and_after_a_pass_it_ends() {
    let talk = Talk::new().read("shop/total.py", RIGHT).edited("shop/total.py", RIGHT, FIXED);
    assert_eq!(talk.tool(&flawless()), Tool::Shell { command: CHECK.to_owned() });
    assert!(matches!(talk.checked(true).next(&flawless()), Action::Answer { .. }));
}

#[test]
fn a_bad_first_edit_is_checked_and_redone() {
    let errs = Parameters { bad_first_edit: 1.0, ..flawless() };
    let talk = Talk::new().read("shop/total.py", RIGHT);
    assert_eq!(talk.tool(&errs), edit("shop/total.py", RIGHT, BAD));
    let talk = talk.edited("shop/total.py", RIGHT, BAD);
    assert_eq!(talk.tool(&errs), Tool::Shell { command: CHECK.to_owned() });
    let talk = talk.checked(false);
    assert_eq!(talk.tool(&errs), edit("shop/total.py", BAD, FIXED));
    let talk = talk.edited("shop/total.py", BAD, FIXED).checked(true);
    assert!(matches!(talk.next(&errs), Action::Answer { .. }));
}

#[test]
fn a_neighbour_before_the_right_place_is_edited_checked_and_taken_back() {
    let falls = Parameters { distractor: 1.0, ..flawless() };
    let talk = Talk::new().beside(&format!("shop/show.py:1-2\n{NEAR}\n\nshop/total.py:1-2\n{RIGHT}"));
    assert_eq!(talk.tool(&flawless()), edit("shop/total.py", RIGHT, FIXED));
    assert_eq!(talk.tool(&falls), edit("shop/show.py", NEAR, NEAR_CHANGED));
    let talk = talk.edited("shop/show.py", NEAR, NEAR_CHANGED);
    assert_eq!(talk.tool(&falls), Tool::Shell { command: CHECK.to_owned() });
    let talk = talk.checked(false);
    assert_eq!(talk.tool(&falls), edit("shop/show.py", NEAR_CHANGED, NEAR));
    let talk = talk.edited("shop/show.py", NEAR_CHANGED, NEAR);
    assert_eq!(talk.tool(&falls), edit("shop/total.py", RIGHT, FIXED));
}

#[test]
fn a_neighbour_that_comes_after_the_right_place_is_left_alone() {
    let falls = Parameters { distractor: 1.0, ..flawless() };
    let talk = Talk::new().read("shop/total.py", RIGHT).read("shop/show.py", NEAR);
    assert_eq!(talk.tool(&falls), edit("shop/total.py", RIGHT, FIXED));
}

#[test]
fn it_may_leave_a_failed_edit_in_place() {
    let abandons = Parameters { abandon: 1.0, ..flawless() };
    let talk =
        Talk::new().read("shop/show.py", NEAR).edited("shop/show.py", NEAR, NEAR_CHANGED).checked(false);
    assert!(matches!(talk.next(&abandons), Action::Answer { .. }));
}

#[test]
fn habits_come_first_and_once() {
    let habits = Parameters { check_first: 1.0, read_check: 1.0, ..flawless() };
    assert_eq!(Talk::new().tool(&habits), Tool::Shell { command: CHECK.to_owned() });
    let talk = Talk::new().checked(false);
    assert_eq!(talk.tool(&habits), read("tests/test_total.py"));
    assert_eq!(talk.read("tests/test_total.py", "x\n").tool(&habits), search("total"));
}

#[test]
fn a_second_reading_happens_once() {
    let rereads = Parameters { reread: 1.0, ..flawless() };
    let talk = Talk::new().beside(&format!("shop/total.py:1-2\n{RIGHT}"));
    assert_eq!(talk.tool(&rereads), read("shop/total.py"));
    assert_eq!(talk.read("shop/total.py", RIGHT).tool(&rereads), edit("shop/total.py", RIGHT, FIXED));
}

#[test]
fn a_forgotten_file_is_read_once_more_before_the_next() {
    let forgets = Parameters { reread: 1.0, reads_per_search: 9, ..flawless() };
    let hits = "shop/total.py:3:def total(lines):\nshop/cents.py:9:# total cent\nshop/days.py:1:# total\n";
    let talk = Talk::new().after(&search("total"), hits, false).read("shop/cents.py", "x\n");
    assert_eq!(talk.tool(&forgets), read("shop/total.py"), "one just read isn't forgotten");
    let talk = talk.read("shop/total.py", "x\n");
    assert_eq!(talk.tool(&forgets), read("shop/cents.py"));
    assert_eq!(talk.tool(&Parameters { reread: 0.0, ..forgets.clone() }), read("shop/days.py"));
    let talk = talk.read("shop/cents.py", "x\n");
    assert_eq!(talk.tool(&forgets), read("shop/total.py"));
    assert_eq!(talk.read("shop/total.py", "x\n").tool(&forgets), read("shop/days.py"));
}

#[test]
fn it_gives_up() {
    let mut talk = Talk::new();
    for word in ["total", "cent"] {
        talk = talk.after(&search(word), "\n\nCommand exited with code 1", true);
    }
    let talk = talk.after(&Tool::List { path: ".".into() }, "shop/\nREADME.md", false);
    assert_eq!(talk.tool(&flawless()), Tool::List { path: "shop".into() });
    let impatient = Parameters { max_steps: 3, ..flawless() };
    assert!(matches!(talk.next(&impatient), Action::Answer { .. }));
}

#[test]
fn a_request_without_tools_gets_a_summary() {
    let mut talk = Talk::new();
    talk.0.has_tools = false;
    assert!(matches!(talk.next(&flawless()), Action::Answer { .. }));
}

/// The function has no argument that could tell one arm from another; equal text must give equal actions.
#[test]
fn equal_text_gives_equal_actions_whoever_put_it_there() {
    let quoted = format!("shop/show.py:1-2\n{NEAR}\n\nshop/total.py:1-2\n{RIGHT}");
    let falls = Parameters { distractor: 0.5, bad_first_edit: 0.5, reread: 0.5, ..flawless() };
    let by_engine = Talk::new().beside(&quoted);
    let mut by_person = Talk::new();
    by_person.0.turns.push(Turn::User(quoted));
    for repetition in 0..50 {
        let draws = Draws { repetition, ..draws() };
        let act = |talk: &Talk| decide(&talk.0, &knowledge(), &falls, &draws);
        assert_eq!(act(&by_engine), act(&by_person));
    }
}

/// 1,000 draws of probability 0.35: the standard deviation is 0.015.
#[test]
fn a_visible_neighbour_is_edited_first_as_often_as_stated() {
    let talk = Talk::new().beside(&format!("shop/show.py:1-2\n{NEAR}\n\nshop/total.py:1-2\n{RIGHT}"));
    let falls = Parameters { distractor: 0.35, ..flawless() };
    let fallen = (0..1000)
        .filter(|repetition| {
            let draws = Draws { repetition: *repetition, ..draws() };
            let expected = edit("shop/show.py", NEAR, NEAR_CHANGED);
            matches!(decide(&talk.0, &knowledge(), &falls, &draws), Action::Call { tool, .. } if tool == expected)
        })
        .count();
    assert!((290..=410).contains(&fallen), "{fallen}");
}

#[test]
fn a_failed_edit_is_looked_into_and_finally_given_up() {
    let failed =
        |talk: Talk| talk.after(&edit("shop/total.py", RIGHT, FIXED), "Could not find the exact text", true);
    let talk = failed(Talk::new().beside(&format!("shop/total.py:1-2\n{RIGHT}")));
    assert_eq!(talk.tool(&flawless()), read("shop/total.py"), "what stood beside the prompt was stale");
    let talk = failed(failed(talk));
    assert!(matches!(talk.next(&flawless()), Action::Answer { .. }));
}

#[test]
fn calls_have_the_shape_of_the_agents_tools() {
    let call = edit("a.py", "x", "y").call();
    assert_eq!(call, ("edit", json!({ "path": "a.py", "edits": [{ "oldText": "x", "newText": "y" }] })));
    assert_eq!(read("a.py").call(), ("read", json!({ "path": "a.py" })));
}
