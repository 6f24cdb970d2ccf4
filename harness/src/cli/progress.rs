//! How far a long job is, on a terminal.

use std::io::{self, IsTerminal as _};

use indicatif::{ProgressBar, ProgressStyle};

/// A line on standard error: how many of `total` things of a kind are done, at which rate, and how long the rest takes. It is
/// silent where standard error is no terminal.
pub fn progress(what: &str, total: usize) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(&format!(
        "{{pos}}/{{len}} {what}  {{per_sec}}  {{eta}} left  {{wide_msg}}"
    ));
    ProgressBar::new(total as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
