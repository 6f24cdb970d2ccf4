//! Which reading of a damaged log, as an argument.

use clap::ValueEnum;

use crate::log::View;

/// A reading of a session, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ViewArgument {
    /// As the agent itself reads it
    Agent,
    /// With everything that can be recovered
    Salvaged,
}

impl From<ViewArgument> for View {
    fn from(view: ViewArgument) -> View {
        match view {
            ViewArgument::Agent => View::Agent,
            ViewArgument::Salvaged => View::Salvaged,
        }
    }
}
