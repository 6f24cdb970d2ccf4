//! The way for an unsealed model to order files: runs that are to become evidence.

/// Which way a model orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// As it was trained.
    Forward,
    /// Turned round: the declared degradation of the learned ranking.
    Reversed,
}

/// Leave for an unsealed model to order files, so that its order can be recorded and measured before any promotion exists.
///
/// The harness alone asks for it (a test of the workspace's sources holds that), no default and no file gives it, and every
/// plan made under it says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Trial {
    direction: Direction,
}

impl Trial {
    /// What a plan made under a trial reports.
    pub const NOTE: &'static str = "order on trial: an unsealed model, for evidence only";

    /// A trial whose results are evidence about the model, never service.
    pub const fn for_evidence(direction: Direction) -> Trial {
        Trial { direction }
    }

    /// Which way the model orders in it.
    pub const fn direction(self) -> Direction {
        self.direction
    }
}
