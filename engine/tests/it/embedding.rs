//! Embeddings: what is sent, what is kept, what they change, and what happens when a provider fails.

use std::cell::RefCell;
use std::rc::Rc;

use engine::project::Index;
use engine::retrieve::{
    Consent, Embedder, EmbeddingFailure, EmbeddingModel, EmbeddingProvider, Hints, Outbound, PackBudget,
    SearchResult, Semantic, Source, TextKind, pack_with, search, search_with,
};
use engine::store::VectorStore;
use engine::tokens::ByteClass;

use crate::fixture::{Project, contains, policy};

/// What a provider was sent.
type Sent = Rc<RefCell<Vec<(TextKind, String)>>>;

/// Changes vectors before they are given out; told how many requests came before.
type Fault = fn(usize, Vec<Vec<f32>>) -> Result<Vec<Vec<f32>>, EmbeddingFailure>;

/// A model of three notions, each with its words.
struct Notions {
    model: EmbeddingModel,
    sent: Sent,
    requests: usize,
    fault: Fault,
}

const NOTIONS: [&[&str]; 3] =
    [&["car", "engine", "vehicle"], &["invoice", "ledger", "bill"], &["tree", "forest"]];

fn notions(name: &str, batch: usize) -> (Notions, Sent) {
    let sent = Sent::default();
    let model = EmbeddingModel::new(name, NOTIONS.len(), batch).unwrap();
    (Notions { model, sent: Rc::clone(&sent), requests: 0, fault: |_, vectors| Ok(vectors) }, sent)
}

impl EmbeddingProvider for Notions {
    fn destination(&self) -> &str {
        "notions"
    }

    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn embed(&mut self, kind: TextKind, texts: &[Outbound]) -> Result<Vec<Vec<f32>>, EmbeddingFailure> {
        assert!(texts.len() <= self.model.batch());
        self.sent.borrow_mut().extend(texts.iter().map(|text| (kind, text.as_str().to_owned())));
        let vector = |text: &Outbound| -> Vec<f32> {
            let count =
                |words: &[&str]| words.iter().map(|word| text.as_str().matches(word).count()).sum::<usize>();
            NOTIONS.iter().map(|words| count(words) as f32 + 0.01).collect()
        };
        let vectors = texts.iter().map(vector).collect();
        self.requests += 1;
        (self.fault)(self.requests - 1, vectors)
    }
}

fn embedder(provider: Notions) -> Embedder<Notions> {
    Embedder::new(provider, &Consent::given_to("notions")).unwrap()
}

fn passages(sent: &Sent) -> Vec<String> {
    let sent = sent.borrow();
    let passages = sent.iter().filter(|(kind, _)| *kind == TextKind::Passage);
    passages.map(|(_, text)| text.lines().next().unwrap_or_default().to_owned()).collect()
}

fn ask(index: &Index, store: &mut VectorStore, provider: Notions, query: &str) -> SearchResult {
    let semantic = Some(embedder(provider).hear(index, store, query, 0.5));
    search_with(index, query, &Hints { semantic, ..Hints::default() }, 10).unwrap()
}

const GARAGE: &str = "//- a.py\ndef drive():\n    return engine\n//- b.py\ndef pay(bill):\n    return bill\n\
                      //- c.py\ndef grow():\n    return forest\n";

fn paths(result: &SearchResult) -> Vec<&str> {
    result.hits.iter().map(|hit| hit.path.as_str()).collect()
}

#[test]
fn a_file_is_found_by_what_it_means() {
    let project = Project::new(GARAGE);
    let index = project.index();
    assert!(search(&index, "vehicle", 10).unwrap().hits.is_empty());
    let (provider, _) = notions("m", 8);
    let found = ask(&index, &mut VectorStore::in_memory().unwrap(), provider, "vehicle");
    assert_eq!(paths(&found), ["a.py"]);
    assert_eq!(found.hits[0].reasons, [Source::Embedding]);
    let usage = found.embeddings.unwrap().unwrap();
    assert_eq!((usage.model.as_str(), usage.files, usage.sent, usage.left_out), ("m", 3, 4, 0));
}

#[test]
fn without_a_provider_or_with_weight_nought_nothing_changes() {
    let project = Project::new(GARAGE);
    let index = project.index();
    let plain = search(&index, "pay the bill of the vehicle", 10).unwrap();
    assert_eq!(plain.embeddings, None);
    let (provider, _) = notions("m", 8);
    let mut store = VectorStore::in_memory().unwrap();
    let semantic = Some(embedder(provider).hear(&index, &mut store, "pay the bill of the vehicle", 0.0));
    let hints = Hints { semantic, ..Hints::default() };
    let silent = search_with(&index, "pay the bill of the vehicle", &hints, 10).unwrap();
    assert_eq!(silent.hits, plain.hits);
}

#[test]
fn consent_to_one_destination_is_none_to_another() {
    let (provider, sent) = notions("m", 8);
    let refused = Embedder::new(provider, &Consent::given_to("elsewhere")).err().unwrap();
    assert_eq!(refused.code(), "no-consent");
    assert!(sent.borrow().is_empty());
}

#[test]
fn no_secret_and_no_protected_or_excluded_file_is_sent() {
    let key = format!("{}{}", "ghp_", "R4nd0mTokenOfThirtySixCharacters9Zq1");
    let project = Project::new(&format!(
        "//- a.py\nTOKEN = '{key}'\nowner = 'bob.smith@corp-mail.io'\n//- .env\nCAR=1\n//- private/car.py\ncar = 1\n\
         //- id_rsa\ncar\n//- data.json\n{{\"car\": 1}}\n"
    ));
    let index = project.index_excluding(&["private/"]);
    let (provider, sent) = notions("m", 1);
    ask(&index, &mut VectorStore::in_memory().unwrap(), provider, &format!("car with {key}"));
    assert_eq!(passages(&sent), ["a.py"]);
    for (_, text) in sent.borrow().iter() {
        assert!(!text.contains(&key[4..]) && !text.contains("corp-mail"), "{text}");
    }
}

#[test]
fn a_second_run_sends_changed_files_only() {
    let project = Project::new(GARAGE);
    let mut store = VectorStore::open(&project.state()).unwrap();
    let mut index = project.index();
    let mut run = |index: &Index, model: &str| {
        let (provider, sent) = notions(model, 2);
        ask(index, &mut store, provider, "vehicle");
        passages(&sent)
    };
    assert_eq!(run(&index, "m"), ["a.py", "b.py", "c.py"]);
    assert!(run(&index, "m").is_empty());
    project.write("b.py", "def pay(invoice):\n    return invoice\n");
    project.remove("c.py");
    index.refresh(&project.root()).unwrap();
    assert_eq!(run(&index, "m"), ["b.py"]);
    assert_eq!(run(&index, "n"), ["a.py", "b.py"], "another model knows nothing of the first one's");
    assert!(!contains(&project.state_bytes(), "vehicle"), "a task's text is kept nowhere");
    assert!(!contains(&project.state_bytes(), "invoice"));
}

#[test]
fn what_is_excluded_later_leaves_no_vector() {
    let project = Project::new(GARAGE);
    let mut store = VectorStore::in_memory().unwrap();
    let (provider, _) = notions("m", 8);
    ask(&project.index(), &mut store, provider, "vehicle");
    let mut index = Index::in_memory(policy(&["a.py"])).unwrap();
    index.refresh(&project.root()).unwrap();
    let (provider, sent) = notions("m", 8);
    let found = ask(&index, &mut store, provider, "vehicle");
    assert!(paths(&found).is_empty() && passages(&sent).is_empty());
    assert_eq!(found.embeddings.unwrap().unwrap().files, 2);
}

#[test]
fn a_file_changed_since_it_was_indexed_is_left_out_and_counted() {
    let project = Project::new(GARAGE);
    let index = project.index();
    project.write("a.py", "engine = 2\n");
    let (provider, sent) = notions("m", 8);
    let found = ask(&index, &mut VectorStore::in_memory().unwrap(), provider, "vehicle");
    assert_eq!(passages(&sent), ["b.py", "c.py"]);
    assert_eq!(found.embeddings.unwrap().unwrap().left_out, 1);
}

#[test]
fn every_bad_answer_gives_the_ranking_without_embeddings_and_a_reason() {
    let faults: [(&str, Fault); 7] = [
        ("vector-count", |_, mut vectors| {
            vectors.pop();
            Ok(vectors)
        }),
        ("dimensions", |_, mut vectors| {
            vectors[0].push(1.0);
            Ok(vectors)
        }),
        ("not-finite", |_, mut vectors| {
            vectors[0][1] = f32::NAN;
            Ok(vectors)
        }),
        ("not-finite", |_, mut vectors| {
            vectors[0][2] = f32::INFINITY;
            Ok(vectors)
        }),
        ("zero-vector", |_, mut vectors| {
            vectors[0] = vec![0.0; 3];
            Ok(vectors)
        }),
        ("ended", |_, _| Err(EmbeddingFailure::Ended { awaited: "answer" })),
        // Only the task's own text goes wrong.
        ("timeout", |request, vectors| {
            let timeout = EmbeddingFailure::Timeout { awaited: "answer", seconds: 1 };
            if request < 2 { Ok(vectors) } else { Err(timeout) }
        }),
    ];
    let project = Project::new(GARAGE);
    let index = project.index();
    let plain = search(&index, "pay for a vehicle", 10).unwrap();
    for (code, fault) in faults {
        let (provider, _) = notions("m", 2);
        let provider = Notions { fault, ..provider };
        let found = ask(&index, &mut VectorStore::in_memory().unwrap(), provider, "pay for a vehicle");
        assert_eq!(found.hits, plain.hits, "{code}");
        assert_eq!(found.embeddings.unwrap().unwrap_err().code(), code);
    }
}

#[test]
fn a_provider_that_failed_is_not_asked_again_and_what_came_before_stays() {
    let project = Project::new(GARAGE);
    let index = project.index();
    let mut store = VectorStore::in_memory().unwrap();
    let (provider, sent) = notions("m", 1);
    let fault: Fault = |request, vectors| {
        if request == 1 { Err(EmbeddingFailure::Ended { awaited: "answer" }) } else { Ok(vectors) }
    };
    let mut failing = embedder(Notions { fault, ..provider });
    for _ in 0..2 {
        let semantic = failing.hear(&index, &mut store, "vehicle", 0.5);
        assert!(matches!(semantic, Semantic::Unheard(EmbeddingFailure::Ended { .. })));
    }
    assert_eq!(passages(&sent), ["a.py", "b.py"]);
    let (provider, sent) = notions("m", 1);
    ask(&index, &mut store, provider, "vehicle");
    assert_eq!(passages(&sent), ["b.py", "c.py"]);
}

#[test]
fn equal_vectors_rank_by_path_whatever_the_batch() {
    let project = Project::new("//- b.py\ncar\n//- a.py\ncar\n//- c.py\ncar\n//- d.py\ntree\n");
    let index = project.index();
    for batch in [1, 2, 3, 64] {
        let (provider, _) = notions("m", batch);
        let found = ask(&index, &mut VectorStore::in_memory().unwrap(), provider, "vehicle");
        assert_eq!(paths(&found), ["a.py", "b.py", "c.py"], "batches of {batch}");
        assert_eq!(found.hits[0].score, found.hits[2].score);
    }
}

#[test]
fn a_task_without_a_word_is_not_sent() {
    let project = Project::new(GARAGE);
    let index = project.index();
    let (provider, sent) = notions("m", 8);
    let found = ask(&index, &mut VectorStore::in_memory().unwrap(), provider, " ?! ");
    assert!(paths(&found).is_empty());
    assert!(sent.borrow().iter().all(|(kind, _)| *kind == TextKind::Passage));
    assert_eq!(found.embeddings.unwrap().unwrap().files, 0);
}

#[test]
fn a_pack_says_what_embeddings_did() {
    let project = Project::new(GARAGE);
    let index = project.index();
    let (provider, _) = notions("m", 8);
    let semantic =
        Some(embedder(provider).hear(&index, &mut VectorStore::in_memory().unwrap(), "vehicle", 0.5));
    let hints = Hints { semantic, ..Hints::default() };
    let packed = pack_with(&index, "vehicle", &hints, PackBudget::tokens(500), &[], &ByteClass).unwrap();
    assert_eq!(packed.map[0].path, "a.py", "no word of it is worth a quotation");
    assert_eq!(packed.embeddings.unwrap().unwrap().sent, 4);
}
