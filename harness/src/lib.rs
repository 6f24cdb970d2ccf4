//! Records, replays, measures and gates context-engine variants.
