//! Conversion of driver errors: temporary ones become [`Error::Unavailable`], others
//! [`Error::Internal`].

use std::any::type_name;
use std::str::FromStr;

use allclear_application::error::Error;
use sea_orm::sqlx::Error as DriverError;
use sea_orm::{DbErr, RuntimeErr, SqlErr};

/// SQLSTATE of a statement whose time to wait for a lock has passed.
const LOCK_NOT_AVAILABLE: &str = "55P03";
/// SQLSTATE of a statement that was ended because it and others wait for each other.
const DEADLOCK_DETECTED: &str = "40P01";

/// Converts a database error.
pub(crate) fn broken(error: DbErr) -> Error {
    if is_passing(&error) {
        Error::Unavailable(Box::new(error))
    } else {
        Error::Internal(Box::new(error))
    }
}

/// Parses a stored name of an enum's variant.
///
/// # Errors
/// [`Error::Internal`] if the enum has no such variant.
pub(crate) fn parse_stored<T: FromStr>(name: &str) -> Result<T, Error> {
    name.parse().map_err(|_| {
        Error::internal(format!(
            "stored value {name:?} is not a {}",
            type_name::<T>()
        ))
    })
}

/// Why a transaction was rolled back: another one has stored the same unique key at the same time.
/// The caller of the transaction returns an outcome instead, so it does not leave this crate.
#[derive(Debug, thiserror::Error)]
#[error("another transaction has stored the same key")]
pub(crate) struct Duplicate;

impl Duplicate {
    /// Converts the error of a write that may violate a unique constraint.
    pub(crate) fn or_broken(error: DbErr) -> Error {
        if is_duplicate(&error) {
            Error::internal(Self)
        } else {
            broken(error)
        }
    }

    /// Whether a transaction was rolled back for this reason.
    pub(crate) fn is_cause_of(error: &Error) -> bool {
        matches!(error, Error::Internal(cause) if cause.is::<Self>())
    }
}

/// Whether a write violated a unique constraint.
pub(crate) fn is_duplicate(error: &DbErr) -> bool {
    matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
}

/// Whether PostgreSQL ended a statement that waited for a lock.
pub(crate) fn is_lock_failure(error: &DbErr) -> bool {
    let Some(DriverError::Database(refused)) = statement_error(error) else {
        return false;
    };
    matches!(
        refused.code().as_deref(),
        Some(LOCK_NOT_AVAILABLE | DEADLOCK_DETECTED)
    )
}

fn is_passing(error: &DbErr) -> bool {
    match statement_error(error) {
        Some(
            DriverError::Io(_)
            | DriverError::Tls(_)
            | DriverError::PoolTimedOut
            | DriverError::PoolClosed
            | DriverError::WorkerCrashed,
        ) => true,
        Some(DriverError::Database(refused)) => {
            refused.code().is_some_and(|code| is_passing_code(&code))
        }
        Some(_) => false,
        // No connection, whatever the reason.
        None => matches!(error, DbErr::ConnectionAcquire(_) | DbErr::Conn(_)),
    }
}

/// Returns the driver's error of a statement.
fn statement_error(error: &DbErr) -> Option<&DriverError> {
    match error {
        DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause)) => {
            Some(cause.as_ref())
        }
        _ => None,
    }
}

/// SQLite's primary result codes (`BUSY`, `READONLY`, `IOERR`, `FULL`, `CANTOPEN`) and PostgreSQL's
/// SQLSTATE classes (connection exception, insufficient resources, operator intervention, system
/// error) and codes (read-only transaction, as on a server that was demoted; idle in transaction,
/// serialization failure, deadlock, lock not available).
fn is_passing_code(code: &str) -> bool {
    if let Ok(extended) = code.parse::<i32>()
        && code.len() < 5
    {
        return matches!(extended & 0xff, 5 | 8 | 10 | 13 | 14);
    }
    ["08", "53", "57", "58"]
        .iter()
        .any(|class| code.starts_with(class))
        || [
            "25006",
            "25P03",
            "40001",
            DEADLOCK_DETECTED,
            LOCK_NOT_AVAILABLE,
        ]
        .contains(&code)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn refused_connection_passes_and_a_failed_statement_does_not() {
        // A login whose password has changed, for example.
        let refused = || RuntimeErr::SqlxError(Arc::new(DriverError::Protocol("no".to_owned())));
        assert!(is_passing(&DbErr::Conn(refused())));
        assert!(!is_passing(&DbErr::Query(refused())));
    }

    #[test]
    fn a_full_disk_and_a_lost_server_pass_and_a_broken_constraint_does_not() {
        for code in [
            "13", "5", "266", "1546", "53100", "57P01", "58030", "08006", "55P03", "25006",
        ] {
            assert!(is_passing_code(code), "{code}");
        }
        for code in ["19", "2067", "23505", "42P01"] {
            assert!(!is_passing_code(code), "{code}");
        }
    }
}
