//! Output: plain text for people, JSON for programs, DOT for pictures.

pub mod dot;
pub mod json;
pub mod text;
