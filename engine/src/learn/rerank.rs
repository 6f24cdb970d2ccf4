//! When a model may re-order the head of the static ranking, and how.

use std::cmp::Reverse;

use crate::project::{Role, View};
use crate::retrieve::{Asked, Query, Ranked, Ranking, Reorder, Reordered, Signals, Source, Task};

use super::constants::FEATURES;
use super::context::Context;
use super::feature::quantise;
use super::model::Model;
use super::seal::{SealError, Sealed};
use super::trial::{Direction, Trial};

/// Files of the head that may be re-ordered.
pub const HEAD: usize = FEATURES.head;

/// Units of work (nodes and weights visited, over all candidates) that a request may take. Counted, not timed: what is
/// printed must not depend on the machine. A visit takes a few nanoseconds, so that this is a few milliseconds.
pub const WORK_BUDGET: u64 = 1 << 20;

/// Whether the model's order counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// The model isn't asked.
    Off,
    /// It is asked and compared; the static order stays.
    Shadow,
    /// Its order is used.
    Active,
}

/// Reason code: candidates and trees are too many.
pub const OVER_BUDGET: &str = "over-budget";

/// Reason code: none was given.
const NO_MODEL: &str = "no-model";

/// A model under a mode.
///
/// Its order counts for one reason alone: a seal, or a trial that says what it is.
///
/// ```compile_fail
/// # use engine::learn::{Learned, Model};
/// fn active_without_a_seal(model: Model) -> Learned {
///     Learned::active(Ok(model))
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    model: Result<Model, &'static str>,
    mode: Mode,
    reversed: bool,
    budget: u64,
}

impl Learned {
    /// No model is asked.
    pub fn off() -> Learned {
        Learned::new(Err(NO_MODEL), Mode::Off)
    }

    /// A model that is asked and compared; nothing moves.
    pub fn shadow(model: Model) -> Learned {
        Learned::new(Ok(model), Mode::Shadow)
    }

    /// A sealed model, whose order is used; without a seal every request keeps its static order, for that reason.
    pub fn active(sealed: Result<Sealed, SealError>) -> Learned {
        let model = sealed.map(|sealed| sealed.model().clone()).map_err(|error| error.code());
        Learned::new(model, Mode::Active)
    }

    /// A model whose order is used so that it becomes evidence; without a model (a reason code) every request keeps its
    /// static order.
    pub fn on_trial(model: Result<Model, &'static str>, trial: Trial) -> Learned {
        let reversed = trial.direction() == Direction::Reversed;
        Learned { reversed, ..Learned::new(model, Mode::Active) }
    }

    fn new(model: Result<Model, &'static str>, mode: Mode) -> Learned {
        Learned { model, mode, reversed: false, budget: WORK_BUDGET }
    }

    /// The same with another limit of work.
    pub fn with_budget(self, budget: u64) -> Learned {
        Learned { budget, ..self }
    }

    /// The order that the model gives the files of a ranking that may move: positions in [`Ranking::files`], ascending
    /// ones first, and the model's order of them.
    fn order(&self, model: &Model, context: &Context<'_>, ranking: &Ranking) -> (Vec<usize>, Vec<usize>) {
        let head = ranking.files.iter().take(HEAD);
        let places: Vec<usize> =
            head.enumerate().filter(|(_, ranked)| movable(context.view, ranked)).map(|(at, _)| at).collect();
        let forest = model.forest();
        let score = |at: usize| {
            let file = ranking.files[at].file;
            let row: Vec<u8> =
                forest.features().iter().map(|feature| quantise(feature.value(context, file))).collect();
            forest.score(&row)
        };
        let mut scored: Vec<(i64, usize)> = places.iter().map(|&at| (score(at), at)).collect();
        // Equal scores keep their static order, which is total.
        scored.sort_by_key(|&(score, at)| (Reverse(score), at));
        if self.reversed {
            scored.reverse();
        }
        (places, scored.into_iter().map(|(_, at)| at).collect())
    }
}

/// Whether the model may move a file: program text and its tests, which models are trained on. Documents, data and what the
/// task itself names stay where the static ranking has them.
pub fn movable(view: &View, ranked: &Ranked) -> bool {
    matches!(view.files[ranked.file].role, Role::Source | Role::Test)
        && ranked.explicit == 0.0
        && !ranked.reasons.contains(&Source::RunTarget)
}

impl Reorder for Learned {
    fn asks(&self) -> Asked {
        // Agreement counts every source, so that any model reads all of them.
        let reads = self.mode != Mode::Off && self.model.is_ok();
        if reads { Asked::Every } else { Asked::Weighed }
    }

    fn reorder(
        &self,
        query: &Query<'_>,
        task: &Task,
        signals: &Signals,
        ranking: &mut Ranking,
    ) -> Option<Reordered> {
        if self.mode == Mode::Off {
            return None;
        }
        let mut outcome =
            Reordered { candidates: 0, first_changed: false, shift: 0, work: 0, fallback: None };
        let model = match &self.model {
            Ok(model) => model,
            Err(reason) => {
                outcome.fallback = Some(*reason);
                return Some(outcome);
            }
        };
        let candidates =
            ranking.files.iter().take(HEAD).filter(|ranked| movable(query.view, ranked)).count() as u64;
        outcome.work = candidates * model.forest().cost();
        if outcome.work > self.budget {
            outcome.fallback = Some(OVER_BUDGET);
            return Some(outcome);
        }
        let (places, order) = {
            let context = Context::new(query, task, signals, ranking);
            self.order(model, &context, ranking)
        };
        outcome.candidates = places.len();
        outcome.first_changed = places.first() != order.first();
        outcome.shift = places.iter().zip(&order).map(|(place, from)| place.abs_diff(*from) as u64).sum();
        if self.mode == Mode::Active {
            permute(ranking, &places, &order);
        }
        Some(outcome)
    }
}

/// Puts the files of `order` on `places`. The scores stay on their places: they say how the list falls off, which is what
/// packs cut by, and the model's own scores have another unit.
fn permute(ranking: &mut Ranking, places: &[usize], order: &[usize]) {
    let moved: Vec<Ranked> = order.iter().map(|&at| ranking.files[at].clone()).collect();
    for (&place, mut ranked) in places.iter().zip(moved) {
        let stays = &ranking.files[place];
        (ranked.score, ranked.base) = (stays.score, stays.base);
        ranking.files[place] = ranked;
    }
}
