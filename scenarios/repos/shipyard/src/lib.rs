//! Plans the builds of many packages in one repository. The map of the modules stands in the
//! README.

pub mod affected;
pub mod cache;
pub mod cachekey;
pub mod catalog;
pub mod cli;
pub mod critical;
pub mod duration;
pub mod error;
pub mod fileset;
pub mod glob;
pub mod graph;
pub mod hash;
pub mod history;
pub mod lockdiff;
pub mod lockfile;
pub mod manifest;
pub mod range;
pub mod report;
pub mod resolver;
pub mod schedule;
pub mod tree;
pub mod version;

pub use error::Error;
pub use manifest::{Manifest, Package};
pub use range::VersionRange;
pub use version::Version;
