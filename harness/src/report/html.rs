//! `report.html`: one file, no script, nothing fetched; every text escaped by the template engine.

use adapters::cli::shown;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context, escape_formatter};

use super::bar;
use super::view::{SHOWN_UNITS, View};
use crate::failure::Failure;
use crate::gate::document::Document;

const TEMPLATE: &str = include_str!("../../templates/report.html");

/// Renders the document.
///
/// # Errors
/// A bug: the template fits the view.
pub fn html(document: &Document, view: &View) -> Result<String, Failure> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_formatter(|out, state, value| match value.as_str() {
        // What acts on the text around it shows instead; a safe string is the template's own.
        Some(text) if !value.is_safe() => escape_formatter(out, state, &Value::from(shown(text))),
        _ => escape_formatter(out, state, value),
    });
    let internal = |error: minijinja::Error| Failure::internal(format!("report.html: {error:#}"));
    environment.add_template("report.html", TEMPLATE).map_err(internal)?;
    let template = environment.get_template("report.html").map_err(internal)?;
    // Of the document only what the view doesn't hold: its figures can be millions.
    let facts = context! {
        result => document.result.as_str(),
        as_of => document.as_of.as_str(),
        engine_digest => document.engine_digest.as_str(),
        corpora => Value::from(Serde(&document.corpora)),
    };
    let shown_units = SHOWN_UNITS;
    let view = Value::from(Serde(view));
    template
        .render(context! { document => facts, view, shown_units, bar_width => bar::WIDTH })
        .map_err(internal)
}
