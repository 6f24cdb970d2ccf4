//! The lines of the protocol.

use engine::retrieve::{EmbeddingFailure, EmbeddingModel, Outbound, TextKind};
use serde::{Deserialize, Serialize};

/// Name and version of the protocol.
pub const PROTOCOL: &str = "sluice-embeddings/1";

/// Most characters kept of what a provider says.
const MAX_WORDS: usize = 200;

/// The first line to a provider.
#[derive(Serialize)]
pub(super) struct Hello {
    protocol: &'static str,
}

/// A request for vectors.
#[derive(Serialize)]
pub(super) struct Request<'a> {
    id: u64,
    kind: &'static str,
    texts: Vec<&'a str>,
}

/// The first line of a provider, once its version is known.
#[derive(Deserialize)]
struct Welcome {
    model: String,
    dimensions: usize,
    max_batch: usize,
}

#[derive(Deserialize)]
struct Answer {
    id: u64,
    /// A number that isn't finite is `null` to some writers of JSON.
    vectors: Option<Vec<Vec<Option<f64>>>>,
    error: Option<String>,
}

impl Hello {
    pub(super) fn new() -> Hello {
        Hello { protocol: PROTOCOL }
    }
}

impl<'a> Request<'a> {
    pub(super) fn new(id: u64, kind: TextKind, texts: &'a [Outbound]) -> Request<'a> {
        Request { id, kind: kind.code(), texts: texts.iter().map(Outbound::as_str).collect() }
    }
}

/// One line of JSON.
pub(super) fn line(message: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("strings and numbers are JSON");
    line.push(b'\n');
    line
}

/// The model that a handshake tells.
pub(super) fn welcome(line: &[u8]) -> Result<EmbeddingModel, EmbeddingFailure> {
    let handshake = |what| EmbeddingFailure::Handshake { what };
    let value: serde_json::Value =
        serde_json::from_slice(line).map_err(|_| handshake("the first line isn't JSON"))?;
    // The version first: what else a line of another version holds isn't known.
    match value.get("protocol").and_then(serde_json::Value::as_str) {
        Some(PROTOCOL) => {}
        Some(other) => return Err(EmbeddingFailure::Version { found: words(other), known: PROTOCOL }),
        None => return Err(handshake("the first line names no protocol")),
    }
    let welcome: Welcome = serde_json::from_value(value)
        .map_err(|_| handshake("model, dimensions or max_batch is missing or of another type"))?;
    EmbeddingModel::new(&welcome.model, welcome.dimensions, welcome.max_batch)
}

/// The vectors of the answer to a request.
pub(super) fn vectors(line: &[u8], id: u64) -> Result<Vec<Vec<f32>>, EmbeddingFailure> {
    let answer: Answer = serde_json::from_slice(line).map_err(|error| unreadable(line, &error))?;
    if answer.id != id {
        return Err(EmbeddingFailure::Answer { what: "it answers another request" });
    }
    if let Some(message) = answer.error {
        return Err(EmbeddingFailure::Refused { message: words(&message) });
    }
    let vectors = answer.vectors.ok_or(EmbeddingFailure::Answer { what: "neither vectors nor an error" })?;
    // A number beyond what 32 bits hold becomes infinite, and the engine refuses it.
    let number = |number: Option<f64>| number.map(|n| n as f32).ok_or(EmbeddingFailure::NotFinite);
    vectors.into_iter().map(|vector| vector.into_iter().map(number).collect()).collect()
}

/// Python writes `NaN` and `Infinity`, which aren't JSON; numbers beyond 64 bits aren't either to its readers.
fn unreadable(line: &[u8], error: &serde_json::Error) -> EmbeddingFailure {
    let has = |word: &[u8]| memchr::memmem::find(line, word).is_some();
    if has(b"NaN") || has(b"Infinity") || error.to_string().starts_with("number out of range") {
        return EmbeddingFailure::NotFinite;
    }
    EmbeddingFailure::Answer { what: "a line that isn't an answer" }
}

/// A provider's words as part of a message of one line.
fn words(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_WORDS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<T>(outcome: Result<T, EmbeddingFailure>) -> &'static str {
        outcome.err().map_or("none", |failure| failure.code())
    }

    #[test]
    fn a_handshake_names_version_first() {
        let welcome = |text: &str| code(welcome(text.as_bytes()));
        let good = r#"{"protocol":"sluice-embeddings/1","model":"m","dimensions":3,"max_batch":9,"more":1}"#;
        assert_eq!(welcome(good), "none");
        assert_eq!(
            welcome(r#"{"protocol":"sluice-embeddings/2","vectors":"otherwise"}"#),
            "protocol-version"
        );
        for bad in [
            "loading model",
            "[]",
            r#"{"protocol":1}"#,
            r#"{"protocol":"sluice-embeddings/1"}"#,
            r#"{"protocol":"sluice-embeddings/1","model":"","dimensions":3,"max_batch":9}"#,
            r#"{"protocol":"sluice-embeddings/1","model":"m","dimensions":0,"max_batch":9}"#,
            r#"{"protocol":"sluice-embeddings/1","model":"m","dimensions":99999,"max_batch":9}"#,
            r#"{"protocol":"sluice-embeddings/1","model":"m","dimensions":-1,"max_batch":9}"#,
            r#"{"protocol":"sluice-embeddings/1","model":"m","dimensions":3,"max_batch":0}"#,
        ] {
            assert_eq!(welcome(bad), "bad-handshake", "{bad}");
        }
    }

    #[test]
    fn an_answer_is_to_its_request_and_of_numbers() {
        let vectors = |text: &str| vectors(text.as_bytes(), 7);
        assert_eq!(vectors(r#"{"id":7,"vectors":[[1,-0.5],[]]}"#), Ok(vec![vec![1.0, -0.5], vec![]]));
        for (bad, expected) in [
            (r#"{"id":8,"vectors":[]}"#, "bad-answer"),
            (r#"{"id":7}"#, "bad-answer"),
            (r#"{"id":7,"vectors":[[1,2"#, "bad-answer"),
            (r#"{"id":7,"vectors":[["1"]]}"#, "bad-answer"),
            (r#"{"id":7,"vectors":[[NaN]]}"#, "not-finite"),
            (r#"{"id":7,"vectors":[[-Infinity]]}"#, "not-finite"),
            (r#"{"id":7,"vectors":[[1e999]]}"#, "not-finite"),
            (r#"{"id":7,"vectors":[[null]]}"#, "not-finite"),
            (r#"{"id":7,"error":"no room"}"#, "refused"),
        ] {
            assert_eq!(code(vectors(bad)), expected, "{bad}");
        }
        assert_eq!(words("two\nlines\u{1b}[31m"), "twolines[31m");
    }
}
