//! Recall of session entries: what may be found, what never, and what becomes of any text.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use engine::message::{Block, Message, Role, ToolAnswer};
use engine::recall::{Query, Quoting, Recalled, Scope};
use engine::session::{Entry, EntryId, EntryKind, SessionTree, TreeIndex};
use engine::store::{SESSIONS_FILE, SessionIndex, StoreError, Synced};
use engine::tokens::{ByteClass, O200k, TokenCounter};
use proptest::prelude::*;

/// A tree under construction: entries are named by their position.
#[derive(Default, Clone)]
struct Tree(SessionTree);

impl Tree {
    fn add(mut self, parent: Option<usize>, kind: EntryKind) -> Tree {
        let at = self.0.entries.len();
        self.0.entries.push(Entry {
            id: EntryId(format!("e{at}").into()),
            parent: parent.map(|parent| EntryId(format!("e{parent}").into())),
            line: at as u64 + 2,
            bytes: 0..0,
            time_ms: None,
            kind,
        });
        self
    }

    fn next(self, kind: EntryKind) -> Tree {
        let parent = self.0.entries.len().checked_sub(1);
        self.add(parent, kind)
    }

    fn user(self, text: &str) -> Tree {
        self.next(said(text))
    }

    fn result(self, text: &str) -> Tree {
        let answer = ToolAnswer { call_id: "c".to_owned(), tool: "read".to_owned(), is_error: false };
        self.next(EntryKind::Message(Message {
            answers: Some(answer),
            ..Message::from_text(Role::ToolResult, text)
        }))
    }

    fn compaction(self, first_kept: usize) -> Tree {
        self.next(EntryKind::Compaction {
            messages: vec![Message::from_text(Role::User, "Summary: the ledger was closed.")],
            system: None,
            first_kept: Some(EntryId(format!("e{first_kept}").into())),
            tokens_before: None,
            usage: None,
        })
    }

    fn indexed(&self) -> SessionIndex {
        let mut index = SessionIndex::in_memory().unwrap();
        index.sync(&self.0.entries).unwrap();
        index
    }

    fn beside_context(&self) -> Scope {
        let index = TreeIndex::new(&self.0);
        Scope::beside_the_agents_context(&self.0, &index, index.leaf(&self.0).unwrap())
    }

    fn path_to(&self, leaf: usize) -> Scope {
        Scope::whole_path(&self.0, &TreeIndex::new(&self.0), leaf)
    }

    fn recall(&self, scope: &Scope, query: &str) -> Recalled {
        recall(&self.indexed(), scope, query, 2_000)
    }
}

fn said(text: &str) -> EntryKind {
    EntryKind::Message(Message::from_text(Role::User, text))
}

fn recall(index: &SessionIndex, scope: &Scope, query: &str, tokens: u64) -> Recalled {
    index.recall(&Query::new(query), scope, false, Quoting::tokens(tokens), &ByteClass).unwrap()
}

fn entries(recalled: &Recalled) -> Vec<&str> {
    recalled.excerpts.iter().map(|excerpt| excerpt.entry.0.as_str()).collect()
}

/// A session in which the first half was compacted away.
fn compacted() -> Tree {
    Tree::default()
        .user("Close the ledger of 2025. The opening balance must stay.")
        .result("src/ledger.py\nTraceback (most recent call last):\n  File \"src/ledger.py\", line 12\nLedgerError: year 2025 is open\n")
        .user("Use integers for money, never floats.")
        .user("Now write the report.")
        .compaction(3)
        .user("What did we say about money?")
}

#[test]
fn what_was_compacted_away_comes_back_and_what_is_still_shown_does_not() {
    let tree = compacted();
    let scope = tree.beside_context();
    assert_eq!(entries(&tree.recall(&scope, "money")), ["e2"]);
    assert_eq!(entries(&tree.recall(&scope, "report")), [""; 0], "kept, so shown");
    assert_eq!(entries(&tree.recall(&scope, "LedgerError: year 2025 is open")), ["e1", "e0"]);
    assert_eq!(entries(&tree.recall(&scope, "summary")), [""; 0], "a summary is no source");
    insta::assert_snapshot!(
        "recalled_text",
        tree.recall(&scope, "what failed in src/ledger.py on closing the year?").text
    );
}

#[test]
fn an_entry_whose_content_an_edit_took_away_is_found() {
    let cleared = EntryKind::ContextEdit {
        target: EntryId("e1".into()),
        replacement: Some(vec![Block::Text("[cleared]".to_owned())]),
    };
    let tree = Tree::default().user("read it").result("the quarterly figures").next(cleared).user("and now?");
    assert_eq!(entries(&tree.recall(&tree.beside_context(), "quarterly figures")), ["e1"]);
}

#[test]
fn what_says_the_same_as_something_shown_is_not_recalled_and_twins_are_told_once() {
    let tree = Tree::default()
        .result("quarterly  figures\n")
        .result("other quarterly words")
        .result("other quarterly\nwords")
        .user("x")
        .compaction(3)
        .result("quarterly figures");
    let recalled = tree.recall(&tree.beside_context(), "quarterly");
    assert_eq!((entries(&recalled), recalled.duplicates), (vec!["e2"], 1), "of twins the later");
}

#[test]
fn a_text_said_a_hundred_times_keeps_no_other_out() {
    let said_often = (0..100).fold(Tree::default().user("the quarterly ledger of long ago"), |tree, _| {
        tree.result("quarterly ledger: quarterly ledger")
    });
    let recalled = said_often.recall(&said_often.path_to(100), "\"quarterly ledger\"");
    assert_eq!((entries(&recalled), recalled.duplicates), (vec!["e100", "e0"], 99));
}

#[test]
fn verbatim_comes_before_words() {
    let tree = Tree::default()
        .user("retry retry retry later, parser, backoff, parser")
        .user("nothing here")
        .result("fn retry_later() { backoff() }")
        .user("about the parser of retry_later, in other words");
    let recalled = tree.recall(&tree.path_to(3), "where is `retry_later` with parser and backoff?");
    assert_eq!(entries(&recalled), ["e2", "e3", "e0"]);
    assert_eq!(recalled.excerpts[0].reasons, ["exact-identifier", "words"]);
    assert_eq!(recalled.excerpts[2].reasons, ["words"]);
}

#[test]
fn a_sibling_branch_changes_not_a_byte() {
    let path = Tree::default().user("the ledger opens").user("the ledger closes").user("done");
    let forked = path
        .clone()
        .add(Some(0), said("the ledger of another branch, the ledger, ledger"))
        .add(Some(3), said("ledger ledger ledger"));
    let query = "ledger closes";
    let alone = path.recall(&path.path_to(2), query);
    assert_eq!(alone, forked.recall(&forked.path_to(2), query));
    assert_eq!(entries(&alone), ["e1", "e0"]);
    assert_eq!(entries(&forked.recall(&forked.path_to(4), query)), ["e4", "e3", "e0"]);
}

#[test]
fn hostile_queries_find_what_their_words_name_or_nothing() {
    let tree = compacted();
    let scope = tree.path_to(5);
    let index = tree.indexed();
    let long = "ledger \"unclosed ".repeat(6_000);
    let cases: [(&str, bool); 15] = [
        ("NEAR(ledger year, 5)", true),
        ("body : ledger", true),
        ("ledger*", true),
        ("ledger AND NOT year OR (", true),
        ("\"ledger", true),
        ("'; DROP TABLE passages; --ledger", true),
        ("ledger\0year", true),
        ("^ledger - year", true),
        ("الميزانية ledger \u{202e}", true),
        (&long, true),
        ("דוח הכנסות", false),
        ("the of and to", false),
        ("\0\0\0", false),
        ("\"\" '' `` * ^ :", false),
        ("", false),
    ];
    for (query, finds) in cases {
        let recalled = recall(&index, &scope, query, 500);
        assert_eq!(!recalled.excerpts.is_empty(), finds, "{:.40}", query);
        assert!(recalled.tokens <= 500);
    }
}

#[test]
fn words_of_any_script_are_found() {
    let tree = Tree::default()
        .user("Die Prüfsumme der Größe stimmt nicht")
        .user("設定ファイルを読み込む前に検証してください")
        .user("يجب إغلاق الدفتر قبل التقرير");
    let scope = tree.path_to(2);
    let found = |query: &str| entries(&tree.recall(&scope, query)).first().map(|id| (*id).to_owned());
    assert_eq!(found("prüfsumme").as_deref(), Some("e0"));
    assert_eq!(found("検証").as_deref(), Some("e1"));
    assert_eq!(found("الدفتر").as_deref(), Some("e2"));
}

#[test]
fn an_index_that_grew_or_was_made_at_once_or_read_back_answers_alike() {
    let tree = compacted();
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let scope = tree.beside_context();
    let query = "closing the ledger with integers";
    let expected = tree.recall(&scope, query);
    let mut grown = SessionIndex::in_memory().unwrap();
    for entry in &tree.0.entries {
        assert_eq!(grown.append(std::slice::from_ref(entry)).unwrap().added, 1);
    }
    assert_eq!(recall(&grown, &scope, query, 2_000), expected);
    let synced = |added, changed, unchanged, removed| Synced { added, changed, unchanged, removed };
    let mut kept = SessionIndex::open(&state, "s").unwrap();
    assert_eq!(kept.sync(&tree.0.entries[..4]).unwrap(), synced(4, 0, 0, 0));
    drop(kept);
    let mut kept = SessionIndex::open(&state, "s").unwrap();
    assert_eq!(kept.sync(&tree.0.entries).unwrap(), synced(2, 0, 4, 0));
    assert_eq!(recall(&kept, &scope, query, 2_000), expected);
    let mut other = SessionIndex::open(&state, "another session").unwrap();
    other.sync(&Tree::default().user("closing the ledger with integers, elsewhere").0.entries).unwrap();
    assert_eq!(recall(&kept, &scope, query, 2_000), expected, "a session knows nothing of another");
    let mut changed = tree.clone();
    changed.0.entries[2].kind = said("Use decimals for money.");
    changed.0.entries.remove(1);
    assert_eq!(kept.sync(&changed.0.entries).unwrap(), synced(0, 1, 4, 1));
    assert_eq!(recall(&kept, &scope, "integers", 500).excerpts, []);
    assert_eq!(entries(&recall(&kept, &scope, "decimals", 500)), ["e2"]);
}

#[test]
fn of_two_writers_the_later_sees_what_the_first_wrote() {
    let tree = compacted();
    let folder = tempfile::tempdir().unwrap();
    let mut first = SessionIndex::open(folder.path(), "s").unwrap();
    let mut second = SessionIndex::open(folder.path(), "s").unwrap();
    first.sync(&tree.0.entries).unwrap();
    assert_eq!(second.append(&tree.0.entries).unwrap().unchanged, 6);
    first.sync(&[]).unwrap();
    let gone = recall(&second, &tree.path_to(5), "ledger", 500);
    assert_eq!(gone.excerpts, [], "rows that are gone are missed, none is taken for another");
}

#[cfg(unix)]
#[test]
fn the_state_is_private_real_and_holds_no_secret() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let tree = Tree::default().user(&format!("push with {token}")).user("ok");
    let mut index = SessionIndex::open(&state, "s").unwrap();
    index.sync(&tree.0.entries).unwrap();
    let recalled = recall(&index, &tree.path_to(1), &format!("push {token}"), 500);
    assert!(recalled.text.contains("push with [redacted:github-token]"), "{}", recalled.text);
    drop(index);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&state), mode(&state.join(SESSIONS_FILE))), (0o700, 0o600));
    for file in fs::read_dir(&state).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("a1B2a1B2"));
    }
    let link = folder.path().join("link");
    symlink(&state, &link).unwrap();
    assert!(matches!(SessionIndex::open(&link, "s"), Err(StoreError::Symlink { .. })));
    fs::write(state.join(SESSIONS_FILE), "no database at all ".repeat(99)).unwrap();
    assert!(matches!(SessionIndex::open(&state, "s"), Err(StoreError::NotAnIndex { .. })));
}

#[test]
fn deleted_words_leave_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = SessionIndex::open(folder.path(), "s").unwrap();
    let words: String = (0..400).map(|n| format!("zanzibar{n} ")).collect();
    index.sync(&Tree::default().user(&words).user("rest").0.entries).unwrap();
    index.sync(&Tree::default().user("other").0.entries).unwrap();
    drop(index);
    let bytes = fs::read(folder.path().join(SESSIONS_FILE)).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("zanzibar"));
}

#[test]
fn one_identifier_twice_is_two_entries_where_the_lines_differ() {
    let mut tree = Tree::default().user("first ledger").user("second ledger");
    tree.0.entries[1].id = EntryId("e0".into());
    tree.0.entries[1].parent = None;
    let recalled = tree.recall(&tree.path_to(1), "ledger");
    assert_eq!(recalled.excerpts.len(), 1);
    assert_eq!(recalled.excerpts[0].entry, (EntryId("e0".into()), 3));
}

/// Texts of a few words that meet often, with anything between.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec!["ledger", "close_year", "\n", " ", "src/a.rs", "year", "E0308", "\"", "`"])
            .prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_text_and_query_stay_in_scope_and_budget(
        texts in prop::collection::vec((text(), any::<prop::sample::Index>()), 1..9),
        query in text(),
        leaf in any::<prop::sample::Index>(),
        shown in any::<prop::sample::Index>(),
        budget in 0_u64..600,
    ) {
        let mut tree = Tree::default();
        for (at, (text, parent)) in texts.iter().enumerate() {
            tree = tree.add((at > 0).then(|| parent.index(at)), said(text));
        }
        let leaf = leaf.index(texts.len());
        let mut scope = tree.path_to(leaf);
        let hidden = scope.path[shown.index(scope.path.len())].clone();
        scope.shown.insert(hidden.clone());
        let index = tree.indexed();
        let path: BTreeSet<_> = scope.path.iter().cloned().collect();
        for counter in [&ByteClass as &dyn TokenCounter, &O200k] {
            let quoting = Quoting::tokens(budget);
            let recalled = index.recall(&Query::new(&query), &scope, true, quoting, counter).unwrap();
            prop_assert!(recalled.tokens <= budget);
            prop_assert_eq!(recalled.tokens, counter.text(&recalled.text));
            for excerpt in &recalled.excerpts {
                prop_assert!(path.contains(&excerpt.entry) && excerpt.entry != hidden);
                prop_assert!(1 <= excerpt.start_line && excerpt.start_line <= excerpt.end_line);
                prop_assert!(excerpt.end_line <= excerpt.lines);
            }
            prop_assert_eq!(recalled.text.matches("\n=== entry ").count(), recalled.excerpts.len());
            // The rest of the tree changes nothing.
            let on_path = tree.0.entries.iter().filter(|e| path.contains(&(e.id.clone(), e.line)));
            let mut alone = SessionIndex::in_memory().unwrap();
            alone.append(&on_path.cloned().collect::<Vec<_>>()).unwrap();
            prop_assert_eq!(alone.recall(&Query::new(&query), &scope, true, quoting, counter).unwrap(), recalled);
        }
    }
}
