//! Unsigned numbers in SQLite's signed columns, bit for bit.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};

/// A number of 64 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unsigned(pub(super) u64);

impl ToSql for Unsigned {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.cast_signed().into())
    }
}

impl FromSql for Unsigned {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Unsigned> {
        i64::column_result(value).map(|signed| Unsigned(signed.cast_unsigned()))
    }
}
