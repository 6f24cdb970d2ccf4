//! The model that ships with the engine.

use std::sync::OnceLock;

use super::model::{Model, ModelError};
use super::rerank::Learned;
use super::trial::{Direction, Trial};

/// Its text.
pub const SHIPPED_ARTIFACT: &str = include_str!("model.json");

/// The shipped model, read once.
///
/// # Errors
/// [`ModelError`]: it isn't of this engine.
pub fn shipped() -> Result<&'static Model, &'static ModelError> {
    static SHIPPED: OnceLock<Result<Model, ModelError>> = OnceLock::new();
    SHIPPED.get_or_init(|| Model::parse(SHIPPED_ARTIFACT)).as_ref()
}

/// The shipped model on trial. Where it can't be used, each request keeps its static order and says why.
pub fn shipped_on_trial(trial: Trial) -> &'static Learned {
    static FORWARD: OnceLock<Learned> = OnceLock::new();
    static REVERSED: OnceLock<Learned> = OnceLock::new();
    let once = match trial.direction() {
        Direction::Forward => &FORWARD,
        Direction::Reversed => &REVERSED,
    };
    once.get_or_init(|| Learned::on_trial(shipped().cloned().map_err(ModelError::code), trial))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_model_belongs_to_this_engine() {
        let model = shipped().expect("train it again: docs/ranking.md");
        assert!(!model.forest().trees().is_empty());
    }
}
