//! Faults of the evidence, as the verbs that read a corpus tell them.

use serde_json::{Value, json};

use super::output;
use crate::corpus::Fault;

/// Code and message of each.
pub fn as_json(faults: &[&Fault]) -> Value {
    faults.iter().map(|fault| json!({ "code": fault.code.code(), "message": fault.message })).collect()
}

/// One line each on standard error.
pub fn tell(faults: &[&Fault]) {
    faults.iter().for_each(|fault| output::note(&format!("{}: {}", fault.code.code(), fault.message)));
}
