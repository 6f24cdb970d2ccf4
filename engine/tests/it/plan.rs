//! The two engines over small sessions.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::builtin::{BuiltIn, Settings};
use engine::contract::{Capability, ContextEngine, EngineError, Outcome};
use engine::learn::{Direction, Trial};
use engine::message::{Block, Message, Reply, Role, StopReason, ToolAnswer};
use engine::passthrough::PassThrough;
use engine::plan::{
    Confidence, FileOrder, ItemSource, Manifest, ManifestKey, ModelProfile, Plan, PlanMode, PlanRequest,
    ProjectHit, ProjectHits, ProjectItem, ProjectQuery, ProjectSearch, ProjectSource, ProjectText, Reason,
};
use engine::project::{ExcludePolicy, Index};
use engine::retrieve::{IndexedProject, UsefulFile};
use engine::session::{Entry, EntryId, EntryKind, SharedEntry};
use engine::tokens::{ByteClass, TokenCounter};
use proptest::prelude::*;

/// A linear session under construction.
#[derive(Default, Clone)]
struct Log(Vec<Entry>);

impl Log {
    fn push(mut self, kind: EntryKind) -> Log {
        let line = self.0.len() as u64 + 2;
        let parent = self.0.last().map(|entry| entry.id.clone());
        self.0.push(Entry {
            id: EntryId(format!("e{line}").into()),
            parent,
            line,
            bytes: 0..0,
            time_ms: None,
            kind,
        });
        self
    }

    fn user(self, text: &str) -> Log {
        self.push(EntryKind::Message(Message::from_text(Role::User, text)))
    }

    fn system(self, text: &str) -> Log {
        self.push(EntryKind::Message(Message::from_text(Role::System, text)))
    }

    fn reply(self, text: &str, calls: &[&str], stop: StopReason) -> Log {
        let mut message = Message::from_text(Role::Assistant, text);
        let call = |id: &&str| Block::ToolCall {
            id: (*id).to_owned(),
            name: "read".to_owned(),
            arguments: serde_json::json!({"path": "src/a.rs"}),
            json: r#"{"path":"src/a.rs"}"#.to_owned(),
        };
        message.blocks.extend(calls.iter().map(call));
        message.reply = Some(Box::new(Reply {
            provider: "p".to_owned(),
            model: "m".to_owned(),
            api: "a".to_owned(),
            stop,
            usage: None,
            response_id: None,
            started_ms: None,
            continues: false,
        }));
        self.push(EntryKind::Message(message))
    }

    fn result(self, call: &str, text: &str) -> Log {
        let answer = ToolAnswer { call_id: call.to_owned(), tool: "read".to_owned(), is_error: false };
        let message = Message { answers: Some(answer), ..Message::from_text(Role::ToolResult, text) };
        self.push(EntryKind::Message(message))
    }

    fn head(&self) -> EntryId {
        self.0.last().unwrap().id.clone()
    }

    fn request(&self, window: u64) -> PlanRequest {
        let profile = ModelProfile {
            provider: "p".to_owned(),
            model: "m".to_owned(),
            context_window: window,
            reserve_output: 0,
        };
        PlanRequest { head: self.head(), profile, unrecorded_head_tokens: 0, withhold: Vec::new() }
    }
}

/// A project with one fixed file.
struct OneFile {
    text: String,
    confidence: Confidence,
}

impl ProjectSource for OneFile {
    fn quote(&self, query: &ProjectQuery<'_>) -> Result<ProjectText, String> {
        let item = ProjectItem {
            path: "src/a.rs".to_owned(),
            start_line: 1,
            end_line: 3,
            tokens: ByteClass.text(&self.text),
        };
        if query.withhold.contains(&item.path) {
            let dropped = vec![(item, Reason::Withheld)];
            return Ok(ProjectText {
                text: String::new(),
                items: vec![],
                dropped,
                confidence: Confidence::None,
                notes: vec![],
            });
        }
        Ok(ProjectText {
            text: self.text.clone(),
            items: vec![item],
            dropped: vec![],
            confidence: self.confidence,
            notes: vec![],
        })
    }

    fn search(&self, search: &ProjectSearch<'_>) -> Result<ProjectHits, String> {
        let hit = ProjectHit { path: "src/a.rs".to_owned(), score: 1.0, reasons: vec![search.order.name()] };
        Ok(ProjectHits { hits: [hit].into_iter().take(search.limit).collect(), confidence: self.confidence })
    }
}

struct Broken;

impl ProjectSource for Broken {
    fn quote(&self, _: &ProjectQuery<'_>) -> Result<ProjectText, String> {
        Err("index unreadable".to_owned())
    }

    fn search(&self, _: &ProjectSearch<'_>) -> Result<ProjectHits, String> {
        Err("index unreadable".to_owned())
    }
}

/// The same engine, which also recalls.
fn recalling(log: &Log, recall_tokens: u64) -> BuiltIn {
    let settings = Settings { pack_tokens: 400, recall_tokens, ..Settings::default() };
    let mut engine = BuiltIn::new(settings, Arc::new(ByteClass), one_file());
    engine.ingest(&SharedEntry::all(log.0.clone())).unwrap();
    engine
}

fn built_in(log: &Log, project: Option<Arc<dyn ProjectSource>>) -> BuiltIn {
    let mut engine =
        BuiltIn::new(Settings { pack_tokens: 400, ..Settings::default() }, Arc::new(ByteClass), project);
    engine.ingest(&SharedEntry::all(log.0.clone())).unwrap();
    engine
}

fn one_file() -> Option<Arc<dyn ProjectSource>> {
    Some(Arc::new(OneFile { text: "fn secret_sauce() {}".to_owned(), confidence: Confidence::High }))
}

/// One line an item: what, why.
fn shown(plan: &Plan) -> String {
    let name = |source: &ItemSource| match source {
        ItemSource::Entry(id) => id.0.to_string(),
        ItemSource::Project { path, start_line, end_line } => format!("{path}:{start_line}-{end_line}"),
        ItemSource::Recalled { entry, start_line, end_line, .. } => {
            format!("recalled {}:{start_line}-{end_line}", entry.0)
        }
    };
    let line = |sign: &str, decision: &engine::plan::Decision| {
        format!("{sign} {} {} {}", name(&decision.source), decision.tokens, decision.reason.code())
    };
    let mut lines = vec![format!("{} {} of {}", plan.mode.name(), plan.tokens, plan.budget.total)];
    lines.extend(plan.selected.iter().map(|decision| line("+", decision)));
    lines.extend(plan.dropped.iter().map(|decision| line("-", decision)));
    lines.extend(plan.diagnostics.clone());
    lines.join("\n")
}

fn specimen() -> Log {
    Log::default()
        .system("be brief")
        .user("look at the parser")
        .reply("", &["c1"], StopReason::ToolUse)
        .result("c1", "fn parse() {}")
        .reply("half", &["c2"], StopReason::Aborted)
        .result("c2", "never seen")
        .reply("done", &[], StopReason::Stop)
        .user("rename parse to read")
}

#[test]
fn what_fits_is_kept_and_the_pack_stands_before_the_request() {
    let log = specimen();
    let plan = built_in(&log, one_file()).plan(&log.request(200_000)).unwrap();
    insta::assert_snapshot!(shown(&plan));
    let supplement = plan.supplement.unwrap();
    assert_eq!(supplement.text, "fn secret_sauce() {}");
    assert_eq!(plan.tokens, supplement.tokens + entry_tokens(&plan.selected));
}

fn entry_tokens(decisions: &[engine::plan::Decision]) -> u64 {
    let entries = decisions.iter().filter(|decision| matches!(decision.source, ItemSource::Entry(_)));
    entries.map(|decision| decision.tokens).sum()
}

#[test]
fn the_baseline_passes_the_agents_own_context_through() {
    let log = specimen();
    let mut engine = PassThrough::new(Arc::new(ByteClass));
    engine.ingest(&SharedEntry::all(log.0.clone())).unwrap();
    insta::assert_snapshot!(shown(&engine.plan(&log.request(200_000)).unwrap()));
}

/// A session whose old part is far beyond the window: one old exchange speaks of what the request asks for.
fn long_log() -> Log {
    let filler = "plain words of no interest ".repeat(40);
    let mut log = Log::default().system("be brief").user("start");
    for turn in 0..30 {
        let call = "c"; // The identifier recurs on purpose.
        let text = if turn == 3 { "the quux_ledger lives here ".repeat(20) } else { filler.clone() };
        log = log.reply("", &[call], StopReason::ToolUse).result(call, &text);
    }
    log.user("fix quux_ledger")
}

#[test]
fn beyond_the_window_a_tail_without_holes_and_relevant_history_remain() {
    let log = long_log();
    let plan = built_in(&log, one_file()).plan(&log.request(4_000)).unwrap();
    assert_eq!(plan.mode, PlanMode::Managed);
    assert!(plan.tokens <= plan.budget.total && !plan.overflow);
    let of = |reason: Reason| -> Vec<String> {
        let with = plan.selected.iter().filter(|decision| decision.reason == reason);
        with.map(|decision| match &decision.source {
            ItemSource::Entry(id) => id.0.to_string(),
            ItemSource::Project { path, .. } => path.clone(),
            ItemSource::Recalled { entry, .. } => entry.0.to_string(),
        })
        .collect()
    };
    assert_eq!(of(Reason::RelevantHistory), ["e10", "e11"]);
    assert_eq!(of(Reason::CurrentRequest), [log.head().0.to_string()]);
    let tail: Vec<u64> = of(Reason::RecentTail).iter().map(|id| id[1..].parse().unwrap()).collect();
    let newest = log.0.last().unwrap().line;
    assert_eq!(tail, ((newest - tail.len() as u64)..newest).collect::<Vec<_>>());
    assert!(tail.len() >= 4);
    assert!(plan.dropped.iter().any(|decision| decision.reason == Reason::NotRelevant));
}

#[test]
fn mandatory_content_that_does_not_fit_fails_open() {
    let log = Log::default().user("earlier").user(&"long ".repeat(10_000));
    let plan = built_in(&log, one_file()).plan(&log.request(4_000)).unwrap();
    assert_eq!(plan.mode, PlanMode::FailOpen);
    assert!(plan.overflow && plan.supplement.is_none() && plan.dropped.is_empty());
    assert_eq!(plan.diagnostics, ["fail-open: mandatory-over-total"]);
}

#[test]
fn a_project_that_fails_withholds_or_finds_nothing_costs_only_the_pack() {
    let log = Log::default().user("fix it");
    let unsure = OneFile { text: "x".to_owned(), confidence: Confidence::None };
    let huge = OneFile { text: "word ".repeat(1_000), confidence: Confidence::High };
    let mut withheld = log.request(200_000);
    withheld.withhold.push("src/a.rs".to_owned());
    let plans = [
        built_in(&log, Some(Arc::new(Broken))).plan(&log.request(200_000)),
        built_in(&log, Some(Arc::new(unsure))).plan(&log.request(200_000)),
        built_in(&log, Some(Arc::new(huge))).plan(&log.request(200_000)),
        built_in(&log, one_file()).plan(&withheld),
    ];
    let plans: Vec<String> = plans.iter().map(|plan| shown(plan.as_ref().unwrap())).collect();
    insta::assert_snapshot!(plans.join("\n\n"));
}

/// Long ago something was said of the ledger; a compaction took it away.
fn compacted() -> Log {
    Log::default()
        .system("be brief")
        .user("The ledger must be closed with integers, never with floats.")
        .reply("The ledger is closed.", &["c1"], StopReason::ToolUse)
        .result("c1", "ledger.rs: fn close_year()")
        .user("Thanks.")
        .push(EntryKind::Compaction {
            messages: vec![Message::from_text(Role::User, "Summary: work on the ledger was done.")],
            system: None,
            first_kept: Some(EntryId("e6".into())),
            tokens_before: None,
            usage: None,
        })
        .user("Which numbers close the ledger, integers?")
}

#[test]
fn what_a_compaction_took_away_is_recalled_beside_the_pack_where_that_is_switched_on() {
    let log = compacted();
    let request = log.request(200_000);
    let without = built_in(&log, one_file()).plan(&request).unwrap();
    assert_eq!(recalling(&log, 0).plan(&request).unwrap(), without);
    let plan = recalling(&log, 300).plan(&request).unwrap();
    let text = plan.supplement.as_ref().unwrap().text.clone();
    insta::assert_snapshot!(format!("{}\n\n{text}", shown(&plan)));
    let added = plan.tokens - without.tokens;
    assert!(0 < added && added <= 300, "{added}");
    assert_eq!(plan.tokens, plan.supplement.unwrap().tokens + entry_tokens(&plan.selected));
    assert!(recalling(&log, 20).plan(&request).unwrap().selected == without.selected, "no room, no excerpt");
}

#[test]
fn a_manifest_tells_a_recalled_excerpt_by_its_lines_and_a_keyed_hash() {
    let log = compacted();
    let plan = recalling(&log, 300).plan(&log.request(200_000)).unwrap();
    let manifest = Manifest::of(&plan, "built-in", "byte-class-v1", &ManifestKey::new(b"salt"));
    let item = manifest.selected.iter().find(|item| item.source == "recalled").unwrap();
    assert_eq!((item.reason, item.start_line, item.end_line), ("recalled-history", Some(1), Some(1)));
    assert_eq!(item.key, ManifestKey::new(b"salt").hash(b"e3"));
}

#[test]
fn search_and_pack_answer_where_there_is_a_project_and_are_refused_where_there_is_none() {
    let log = Log::default().user("fix it");
    let mut engine = recalling(&log, 100);
    let offers = engine.describe().offers;
    assert_eq!(offers, [Capability::Search, Capability::Pack, Capability::Feedback, Capability::Recall]);
    assert_eq!(engine.search("sauce", 5).unwrap().hits[0].path, "src/a.rs");
    assert_eq!(engine.search("sauce", 0).unwrap().hits, []);
    let on_trial = |direction| FileOrder::Trial(Trial::for_evidence(direction));
    for order in
        [FileOrder::Static, FileOrder::Learned, on_trial(Direction::Forward), on_trial(Direction::Reversed)]
    {
        let settings = Settings { order, ..Settings::default() };
        let found = BuiltIn::new(settings, Arc::new(ByteClass), one_file()).search("sauce", 1).unwrap();
        assert_eq!(found.hits[0].reasons, [order.name()], "a search goes by the order of the pack");
    }
    assert_eq!(engine.pack("fix it", 100, &[]).unwrap().items[0].path, "src/a.rs");
    let broken = built_in(&log, Some(Arc::new(Broken))).search("sauce", 5).unwrap_err();
    assert_eq!(broken.to_string(), "project index: index unreadable");
    let engines: [Box<dyn ContextEngine>; 2] =
        [Box::new(built_in(&log, None)), Box::new(PassThrough::new(Arc::new(ByteClass)))];
    for mut engine in engines {
        let described = engine.describe();
        assert_eq!(
            (described.offers.as_slice(), described.lacks.as_slice()),
            (&[][..], &Capability::ALL[..])
        );
        let refused = [
            engine.search("sauce", 5).unwrap_err(),
            engine.pack("fix it", 100, &[]).unwrap_err(),
            engine.observe(&Outcome::default()).unwrap_err(),
        ];
        let expected = ["search", "pack", "feedback"]
            .map(|name| format!("{}: no {name}: choose an engine that offers it", described.name));
        assert_eq!(refused.map(|error| error.to_string()), expected);
    }
}

/// A project that quotes what it was told of useful files.
struct Echo;

impl ProjectSource for Echo {
    fn quote(&self, query: &ProjectQuery<'_>) -> Result<ProjectText, String> {
        let line = |file: &UsefulFile| format!("{} {}\n", file.path, file.age_s);
        let text = query.useful.iter().map(line).collect();
        Ok(ProjectText { text, items: vec![], dropped: vec![], confidence: Confidence::High, notes: vec![] })
    }

    fn search(&self, _: &ProjectSearch<'_>) -> Result<ProjectHits, String> {
        Err("not asked here".to_owned())
    }
}

#[test]
fn what_helped_is_passed_on_with_its_age_and_never_from_the_future() {
    let mut log = Log::default().user("first").user("second");
    for (entry, time) in log.0.iter_mut().zip([10_000, 70_000]) {
        entry.time_ms = Some(time);
    }
    let mut engine = built_in(&log, Some(Arc::new(Echo)));
    let outcome =
        Outcome { at_ms: 20_000, read: vec!["src/b.rs".to_owned()], edited: vec!["src/a.rs".to_owned()] };
    let quoted = |engine: &mut BuiltIn, head: &Entry| {
        let request = PlanRequest { head: head.id.clone(), ..log.request(200_000) };
        engine.plan(&request).unwrap().supplement.map(|supplement| supplement.text)
    };
    assert_eq!(quoted(&mut engine, &log.0[1]), None);
    engine.observe(&outcome).unwrap();
    engine.observe(&outcome).unwrap();
    assert_eq!(quoted(&mut engine, &log.0[1]).as_deref(), Some("src/b.rs 50\nsrc/a.rs 50\n"));
    assert_eq!(quoted(&mut engine, &log.0[0]), None, "the first request knew nothing of it");
}

#[test]
fn a_file_that_helped_before_ranks_higher_in_a_real_index() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        std::fs::write(folder.path().join(format!("{name}.py")), "def close_year():\n    return 1\n")
            .unwrap();
    }
    let mut index = Index::in_memory(ExcludePolicy::built_in_only()).unwrap();
    index.refresh(folder.path()).unwrap();
    let project = Arc::new(IndexedProject::new(index, Box::new(ByteClass)));
    let mut engine = built_in(&Log::default().user("x"), Some(project));
    let found = |engine: &mut BuiltIn| -> Vec<String> {
        engine.search("close_year", 9).unwrap().hits.into_iter().map(|hit| hit.path).collect()
    };
    assert_eq!(found(&mut engine), ["a.py", "b.py", "c.py"]);
    engine.observe(&Outcome { edited: vec!["c.py".to_owned()], ..Outcome::default() }).unwrap();
    assert_eq!(found(&mut engine), ["c.py", "a.py", "b.py"]);
}

#[test]
fn a_project_that_remembers_answers_alike_and_reads_a_file_once() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        let text = format!("def close_{name}_year():\n    return 1\n");
        std::fs::write(folder.path().join(format!("{name}.py")), text).unwrap();
    }
    let mut index = Index::in_memory(ExcludePolicy::built_in_only()).unwrap();
    index.refresh(folder.path()).unwrap();
    let plain = IndexedProject::new(index, Box::new(ByteClass));
    let (one, other) = (plain.remembering(), plain.remembering());
    let answer = |project: &IndexedProject, task: &str, withhold: &[&str], useful: &[&str]| {
        let withhold: Vec<String> = withhold.iter().map(|path| (*path).to_owned()).collect();
        let useful: Vec<UsefulFile> =
            useful.iter().map(|path| UsefulFile { path: (*path).to_owned(), age_s: 60 }).collect();
        let query = ProjectQuery {
            task,
            tokens: 300,
            withhold: &withhold,
            useful: &useful,
            order: FileOrder::Static,
        };
        project.quote(&query).unwrap()
    };
    let questions: [(&str, &[&str], &[&str]); 5] = [
        ("close the year", &[], &[]),
        ("close the year", &["a.py"], &[]),
        ("close the year", &[], &["c.py"]),
        ("fix close_b_year", &[], &[]),
        ("close the year", &[], &[]),
    ];
    for (task, withhold, useful) in questions {
        let [plain, one, other] =
            [&plain, &one, &other].map(|project| answer(project, task, withhold, useful));
        assert!(!plain.text.is_empty());
        assert_eq!((&one, &other), (&plain, &plain), "{task} {withhold:?} {useful:?}");
    }
    assert_ne!(answer(&one, "close the year", &[], &["c.py"]), answer(&one, "close the year", &[], &[]));
    std::fs::write(folder.path().join("a.py"), "def changed():\n    pass\n").unwrap();
    let task = "fix close_a_year";
    assert!(answer(&plain, task, &[], &[]).items.iter().all(|item| item.path != "a.py"), "it has changed");
    for project in [&one, &other, &plain.remembering()] {
        assert!(
            answer(project, task, &[], &[]).items.iter().any(|item| item.path == "a.py"),
            "as it was read"
        );
    }
}

#[test]
fn an_entry_that_was_not_ingested_is_an_error() {
    let log = Log::default().user("a");
    let mut engine = built_in(&log, None);
    let request = PlanRequest { head: EntryId("nowhere".into()), ..log.request(10_000) };
    assert!(matches!(engine.plan(&request), Err(EngineError::UnknownEntry(_))));
}

#[test]
fn ingesting_again_changes_nothing() {
    let log = specimen();
    let mut engine = built_in(&log, None);
    let first = engine.plan(&log.request(10_000)).unwrap();
    engine.ingest(&SharedEntry::all(log.0.clone())).unwrap();
    assert_eq!(engine.plan(&log.request(10_000)).unwrap(), first);
}

#[test]
fn a_manifest_holds_codes_and_keyed_hashes_only() {
    let log = specimen();
    let plan = built_in(&log, one_file()).plan(&log.request(200_000)).unwrap();
    let manifest = |salt: &[u8]| {
        let manifest = Manifest::of(&plan, "built-in", ByteClass.id(), &ManifestKey::new(salt));
        serde_json::to_string_pretty(&manifest).unwrap()
    };
    let text = manifest(b"salt");
    for private in ["secret_sauce", "parser", "src/a.rs", "rename", "\"e9\""] {
        assert!(!text.contains(private), "{private}");
    }
    assert_ne!(text, manifest(b"another salt"));
    insta::assert_snapshot!(text);
}

#[derive(Debug, Clone)]
enum Step {
    User(u16),
    Reply(u16),
    Call(u8, u16),
    Result(u8, u16),
    Failed(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..400u16).prop_map(Step::User),
        (0..400u16).prop_map(Step::Reply),
        (0..3u8, 0..400u16).prop_map(|(id, size)| Step::Call(id, size)),
        (0..3u8, 0..4_000u16).prop_map(|(id, size)| Step::Result(id, size)),
        (0..3u8).prop_map(Step::Failed),
    ]
}

fn log_of(steps: &[Step]) -> Log {
    // Sizes name the texts, so that not all of them say the same.
    let text = |size: u16| format!("{}w{size}", "word ".repeat(usize::from(size) / 5));
    steps.iter().fold(Log::default().system("be brief"), |log, step| match step {
        Step::User(size) => log.user(&text(*size)),
        Step::Reply(size) => log.reply(&text(*size), &[], StopReason::Stop),
        Step::Call(id, size) => {
            log.reply(&text(*size), &[["a", "b", "c"][usize::from(*id)]], StopReason::ToolUse)
        }
        Step::Result(id, size) => log.result(["a", "b", "c"][usize::from(*id)], &text(*size)),
        Step::Failed(id) => log.reply("", &[["a", "b", "c"][usize::from(*id)]], StopReason::Error),
    })
}

fn entries(decisions: &[engine::plan::Decision]) -> Vec<String> {
    let id = |decision: &engine::plan::Decision| match &decision.source {
        ItemSource::Entry(id) => Some(id.0.to_string()),
        ItemSource::Project { .. } | ItemSource::Recalled { .. } => None,
    };
    decisions.iter().filter_map(id).collect()
}

proptest! {
    #[test]
    fn every_plan_keeps_its_promises(steps in proptest::collection::vec(step(), 1..60), window in 1_100..8_000u64) {
        let log = log_of(&steps);
        let mut engine = built_in(&log, one_file());
        let plan = engine.plan(&log.request(window)).unwrap();
        prop_assert_eq!(&engine.plan(&log.request(window)).unwrap(), &plan);

        let (kept, out) = (entries(&plan.selected), entries(&plan.dropped));
        let all: BTreeSet<&String> = kept.iter().chain(&out).collect();
        prop_assert_eq!(all.len(), kept.len() + out.len());
        prop_assert_eq!(all.len(), log.0.len());
        let lines: Vec<u64> = kept.iter().map(|id| id[1..].parse().unwrap()).collect();
        prop_assert!(lines.is_sorted());

        if plan.mode == PlanMode::Managed {
            prop_assert!(plan.tokens <= plan.budget.total && !plan.overflow);
            let groups: BTreeSet<_> = plan.selected.iter().filter_map(|decision| decision.group).collect();
            let split = plan.dropped.iter().filter_map(|decision| decision.group).any(|group| groups.contains(&group));
            prop_assert!(!split);
        } else {
            prop_assert_eq!(plan.mode, PlanMode::FailOpen);
            prop_assert!(plan.supplement.is_none());
        }
        if let Some(request) = log.0.iter().rev().find(|entry| matches!(&entry.kind, EntryKind::Message(m) if m.role == Role::User)) {
            prop_assert!(kept.contains(&request.id.0.to_string()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn recalling_adds_what_is_not_shown_and_disturbs_nothing(
        steps in proptest::collection::vec(step(), 1..40),
        window in 1_100..8_000u64,
        tokens in 0..400u64,
    ) {
        let log = log_of(&steps).user("word w200 w300");
        let without = built_in(&log, one_file()).plan(&log.request(window)).unwrap();
        let plan = recalling(&log, tokens).plan(&log.request(window)).unwrap();
        let is_recalled = |decision: &engine::plan::Decision| matches!(decision.source, ItemSource::Recalled { .. });
        let rest: Vec<_> = plan.selected.iter().filter(|decision| !is_recalled(decision)).cloned().collect();
        prop_assert_eq!(&rest, &without.selected);
        prop_assert_eq!((&plan.dropped, plan.mode), (&without.dropped, without.mode));
        prop_assert!(plan.tokens - without.tokens <= tokens);
        prop_assert!(plan.mode == PlanMode::FailOpen || plan.tokens <= plan.budget.total);
        let kept = entries(&plan.selected);
        for decision in plan.selected.iter().filter(|decision| is_recalled(decision)) {
            let ItemSource::Recalled { entry, .. } = &decision.source else { continue };
            prop_assert!(!kept.contains(&entry.0.to_string()));
        }
    }
}
