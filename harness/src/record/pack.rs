//! What an arm's engine puts beside the prompt.

use serde_json::Value;

use crate::scenario::Scenario;
use crate::variant::Variant;

use super::error::RecordError;

/// A pack: text for the model, and its manifest without content for the log.
#[derive(Debug, Clone, PartialEq)]
pub struct PackMessage {
    /// Shown to the model.
    pub text: String,
    /// Kept in the session beside the text: codes, counts and hashes only.
    pub manifest: Value,
}

/// Makes packs. The agent never learns which source made one, nor that one was made: it gets a message.
pub trait PackSource {
    /// The pack of an arm for a scenario's task over its fixture; nothing for an arm without one, or if the engine isn't
    /// confident enough.
    ///
    /// # Errors
    /// The fixture can't be indexed.
    fn pack(&self, scenario: &Scenario, variant: &Variant) -> Result<Option<PackMessage>, RecordError>;
}
