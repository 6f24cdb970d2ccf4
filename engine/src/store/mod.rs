//! What every SQLite state needs: a private folder for it, and checksummed migrations.

pub(crate) mod folder;
pub(crate) mod migrate;
