//! The model that ships with the engine.

use std::sync::OnceLock;

use super::model::Model;
use super::rerank::{Learned, Mode};

/// Which way the shipped model orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// As it was trained.
    Forward,
    /// Turned round: the declared degradation of the learned ranking.
    Reversed,
}

/// The shipped model, active. Where it can't be used, each request keeps its static order and says why.
pub fn shipped(direction: Direction) -> &'static Learned {
    static SHIPPED: OnceLock<[Learned; 2]> = OnceLock::new();
    let [forward, reversed] = SHIPPED.get_or_init(|| {
        let forward = match Model::parse(include_str!("model.json")) {
            Ok(model) => Learned::new(model, Mode::Active),
            Err(error) => Learned::without_model(error.code(), Mode::Active),
        };
        [forward.clone(), forward.reversed()]
    });
    match direction {
        Direction::Forward => forward,
        Direction::Reversed => reversed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_model_belongs_to_this_engine() {
        let model = Model::parse(include_str!("model.json")).expect("train it again: docs/ranking.md");
        assert!(!model.forest().trees().is_empty());
    }
}
