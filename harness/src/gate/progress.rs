//! What a gate is at, for people who wait.

use std::time::Duration;

use adapters::cli::visible;
use indicatif::{ProgressBar, ProgressStyle};

/// A line on standard error saying what goes on; silent where that isn't a terminal.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A line that shows only where `visible`.
    pub fn new(visible: bool) -> Progress {
        if !visible {
            return Progress(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::default_spinner());
        bar.enable_steady_tick(Duration::from_millis(120));
        Progress(bar)
    }

    pub(super) fn step(&self, what: String) {
        self.0.set_message(visible(&what));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
