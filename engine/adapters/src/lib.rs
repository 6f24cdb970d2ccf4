//! Session formats of real agents.
