//! Reports: terminal, Markdown, HTML, JUnit and Parquet. They draw what the gate's document holds and decide nothing.

pub mod bar;
pub mod folder;
pub mod html;
pub mod junit;
pub mod markdown;
pub mod render;
pub mod terminal;
pub mod view;
