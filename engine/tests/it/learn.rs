//! What a learned ranking may do to a static one.

use std::sync::OnceLock;

use engine::learn::seal::SealError;
use engine::learn::{Direction, Feature, Forest, Learned, Model, OVER_BUDGET, Training, Trial, WORK_BUDGET};
use engine::plan::Confidence;
use engine::project::{Index, Role};
use engine::retrieve::{
    Asked, Column, Ranker, Ranking, Reorder, Reordered, Signals, Task, Weights, ask, rank_signals, rank_task,
    rank_task_by,
};
use proptest::prelude::*;

use crate::fixture::Project;

const SHOP: &str = include_str!("shop.txt");

/// A model of one weight, in millionths a step.
fn model(feature: Feature, weight: i64) -> Model {
    let forest = Forest::new(vec![feature], vec![(0, weight)], Vec::new()).unwrap();
    let training = Training {
        recipe: "by hand".to_owned(),
        repositories: Vec::new(),
        queries: 0,
        rows: 0,
        rows_sha256: String::new(),
    };
    Model::new(forest, training)
}

/// A model whose order counts.
fn counting(model: Model) -> Learned {
    Learned::on_trial(Ok(model), Trial::for_evidence(Direction::Forward))
}

fn by(index: &Index, text: &str, learned: &Learned) -> (Ranking, Option<Reordered>) {
    let ranker = Ranker { weights: Weights::default(), reorder: Some(learned) };
    rank_task_by(index, &Task::new(text), &ranker).unwrap()
}

fn fixed(index: &Index, text: &str) -> Ranking {
    rank_task(index, &Task::new(text), &Weights::default()).unwrap()
}

fn paths(index: &Index, ranking: &Ranking) -> Vec<String> {
    let view = index.view().unwrap();
    ranking.files.iter().map(|ranked| view.files[ranked.file].path.clone()).collect()
}

const TASK: &str = "cart total with an expired coupon";

#[test]
fn an_active_model_orders_program_text_and_leaves_the_rest_in_place() {
    let index = Project::new(SHOP).index();
    let before = fixed(&index, TASK);
    let (after, told) = by(&index, TASK, &counting(model(Feature::StaticShare, -1)));
    let told = told.unwrap();
    assert!(told.first_changed && told.fallback.is_none() && told.candidates > 2, "{told:?}");
    let view = index.view().unwrap();
    let moves = |file: usize| matches!(view.files[file].role, Role::Source | Role::Test);
    for (old, new) in before.files.iter().zip(&after.files) {
        assert_eq!(moves(old.file), moves(new.file));
        assert!(moves(old.file) || old == new, "documents and data stay");
        assert_eq!((old.score, old.base), (new.score, new.base), "the list falls off as before");
    }
    let order = |ranking: &Ranking| -> Vec<usize> {
        ranking.files.iter().map(|ranked| ranked.file).filter(|file| moves(*file)).collect()
    };
    let turned: Vec<usize> = order(&before).into_iter().rev().collect();
    assert_eq!(order(&after), turned);
}

/// Confidence once spoke of the static first file, whatever the model had put before it.
#[test]
fn confidence_judges_the_file_that_is_returned_first() {
    let index = Project::new(SHOP).index();
    let text = "apply the coupon discount to the cart total";
    let before = fixed(&index, text);
    assert!(before.confidence > Confidence::Low, "{:?}", before.confidence);
    let (after, _) = by(&index, text, &counting(model(Feature::StaticShare, -1)));
    assert_ne!(before.files[0].file, after.files[0].file);
    assert_eq!(
        after.confidence,
        Confidence::Low,
        "the last file of the list has no claim to the first place"
    );
    let (same, _) = by(&index, text, &counting(model(Feature::StaticShare, 1)));
    assert_eq!(same.confidence, before.confidence);
}

/// The walk costs the most of the sources and weighs nothing: it is for models.
#[test]
fn the_walk_is_walked_for_a_model_alone_and_moves_nothing() {
    let index = Project::new(SHOP).index();
    let (task, weights) = (Task::new(TASK), Weights::default());
    let query = ask(&index, &task).unwrap();
    let of = |asked: Asked| Signals::seeded(&query, &task, &weights, asked);
    let (every, weighed) = (of(Asked::Every), of(Asked::Weighed));
    assert!(every.column(Column::GraphWalk).iter().any(|score| *score > 0.0));
    assert!(weighed.column(Column::GraphWalk).iter().all(|score| *score == 0.0));
    for column in Column::ALL.into_iter().filter(|column| *column != Column::GraphWalk) {
        assert_eq!(every.column(column), weighed.column(column), "{}", column.name());
    }
    let ranking = |signals: &Signals| rank_signals(&query, &task, signals, &weights);
    assert_eq!(ranking(&every), ranking(&weighed));
    let walks = Weights { graph_walk: 0.1, ..weights };
    let walked = Signals::seeded(&query, &task, &walks, Asked::Weighed);
    assert!(walked.column(Column::GraphWalk).iter().any(|score| *score > 0.0));
    let even = || model(Feature::StaticShare, 1);
    assert_eq!([counting(even()), Learned::shadow(even())].map(|learned| learned.asks()), [Asked::Every; 2]);
    let unsealed = Learned::active(Err(SealError::NoCertificate));
    assert_eq!([Learned::off(), unsealed].map(|learned| learned.asks()), [Asked::Weighed; 2]);
}

#[test]
fn what_the_task_names_is_not_moved() {
    let index = Project::new(SHOP).index();
    let named = paths(&index, &fixed(&index, TASK)).into_iter().find(|path| path.contains('/')).unwrap();
    let text = format!("{TASK} in {named}");
    let (after, _) = by(&index, &text, &counting(model(Feature::StaticShare, -1)));
    assert_eq!(paths(&index, &after)[0], named);
}

#[test]
fn shadow_and_off_change_nothing() {
    let index = Project::new(SHOP).index();
    let before = fixed(&index, TASK);
    let turned = model(Feature::StaticShare, -1);
    let (after, told) = by(&index, TASK, &Learned::shadow(turned));
    assert_eq!(after, before);
    assert!(told.unwrap().first_changed && told.unwrap().shift > 0);
    assert_eq!(by(&index, TASK, &Learned::off()), (before, None));
}

#[test]
fn without_model_or_beyond_the_budget_the_static_order_stays_and_says_why() {
    let index = Project::new(SHOP).index();
    let before = fixed(&index, TASK);
    let turned = counting(model(Feature::StaticShare, -1));
    for (learned, why) in [
        (Learned::active(Err(SealError::NoCertificate)), "no-certificate"),
        (turned.with_budget(1), OVER_BUDGET),
    ] {
        let (after, told) = by(&index, TASK, &learned);
        assert_eq!(after, before);
        assert_eq!(told.unwrap().fallback, Some(why));
    }
    const { assert!(WORK_BUDGET > 100_000) };
}

#[test]
fn reversed_is_the_order_turned_round() {
    let index = Project::new(SHOP).index();
    let forward = counting(model(Feature::StaticShare, 1));
    assert_eq!(by(&index, TASK, &forward).0, fixed(&index, TASK));
    let backward = counting(model(Feature::StaticShare, -1));
    let trial = Trial::for_evidence(Direction::Reversed);
    let reversed = Learned::on_trial(Ok(model(Feature::StaticShare, 1)), trial);
    assert_eq!(by(&index, TASK, &reversed).0, by(&index, TASK, &backward).0);
}

#[test]
fn equal_scores_keep_the_static_order() {
    let index = Project::new(SHOP).index();
    let even = counting(model(Feature::ProjectFiles, 5));
    assert_eq!(by(&index, TASK, &even).0, fixed(&index, TASK));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the task and the weight, a model moves files and neither adds nor loses one.
    #[test]
    fn a_model_only_moves_files(text in "(cart|coupon|total|tax|test|[a-z ]{0,12}|src/cart.ts)( [a-z]{1,8}){0,6}",
                                feature in 0..40_usize, weight in -1_000_i64..1_000) {
        static PROJECT: OnceLock<Project> = OnceLock::new();
        let index = PROJECT.get_or_init(|| Project::new(SHOP)).index();
        let all = Feature::all();
        let learned = counting(model(all[feature % all.len()], weight));
        let mut before = paths(&index, &fixed(&index, &text));
        let (ranking, _) = by(&index, &text, &learned);
        prop_assert_eq!(&by(&index, &text, &learned).0, &ranking);
        let mut after = paths(&index, &ranking);
        before.sort();
        after.sort();
        prop_assert_eq!(before, after);
    }
}
