//! Tables of the vectors.

use crate::store::database::Database;

/// Name of the database within the state folder.
pub const VECTORS_FILE: &str = "vectors.sqlite";

/// The database of the vectors.
pub(super) const VECTORS: Database = Database { file: VECTORS_FILE, migrations: MIGRATIONS };

/// Migrations in order; a released one never changes.
const MIGRATIONS: &[&str] = &[r"
-- Who made the vectors: of one model and one way to cut at a time. Others aren't comparable.
CREATE TABLE maker (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    model TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    cutting TEXT NOT NULL
) STRICT;

CREATE TABLE files (
    path TEXT PRIMARY KEY,
    sha256 BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Little-endian 32-bit floats of length 1.
CREATE TABLE vectors (
    path TEXT NOT NULL REFERENCES files (path) ON DELETE CASCADE,
    piece INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (path, piece)
) STRICT;
"];
