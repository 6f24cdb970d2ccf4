//! The files of a report.

use super::{html, junit, markdown, view};
use crate::failure::Failure;
use crate::gate::document::Document;

/// Everything that is drawn from the document alone: name and bytes, in the order of publishing.
///
/// # Errors
/// A bug in a renderer (70).
pub fn drawn(document: &Document) -> Result<Vec<(&'static str, Vec<u8>)>, Failure> {
    let view = view::view(document);
    Ok(vec![
        ("report.html", html::html(document, &view)?.into_bytes()),
        ("report.md", markdown::markdown(document, &view).into_bytes()),
        ("junit.xml", junit::junit(document, &view)?.into_bytes()),
    ])
}

/// The one-word file `verdict`.
pub fn verdict_word(document: &Document) -> Vec<u8> {
    format!("{}\n", document.result).into_bytes()
}
