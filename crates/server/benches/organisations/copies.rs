//! Copies an organisation and its rows in the database.

use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbBackend, DbErr};

/// The way to make the value of a copy from that of the original.
#[derive(Clone, Copy)]
enum Kind {
    /// A text identifier or a mail address: starts with the number of the copy.
    Text,
    /// A UUID: its time is the number of the copy.
    Uuid,
    /// A code of twelve characters: its first half is the number of the copy.
    Code,
}

/// The tables with rows of a new organisation that has components, and the columns that differ in
/// copies. Referenced tables come first.
const TABLES: [(&str, &[(&str, Kind)]); 7] = [
    (
        "users",
        &[
            ("id", Kind::Uuid),
            ("email", Kind::Text),
            ("email_key", Kind::Text),
        ],
    ),
    (
        "organisations",
        &[
            ("id", Kind::Text),
            ("code", Kind::Code),
            ("founder_id", Kind::Uuid),
        ],
    ),
    (
        "memberships",
        &[("organisation_id", Kind::Text), ("user_id", Kind::Uuid)],
    ),
    (
        "components",
        &[
            ("id", Kind::Uuid),
            ("organisation_id", Kind::Text),
            ("code", Kind::Code),
        ],
    ),
    (
        "component_periods",
        &[
            ("id", Kind::Uuid),
            ("organisation_id", Kind::Text),
            ("component_id", Kind::Uuid),
        ],
    ),
    ("outbox", &[("organisation_id", Kind::Text)]),
    (
        "audit_items",
        &[("id", Kind::Uuid), ("organisation_id", Kind::Text)],
    ),
];

/// The identifier of a copy.
pub(crate) fn identifier(number: usize, original: &str) -> String {
    format!("{number}-{original}")
}

/// Makes this many copies of the only organisation of a database, with numbers from 1.
pub(crate) async fn make(url: &str, count: usize) -> Result<(), DbErr> {
    let connection = Database::connect(url).await?;
    for (table, changed) in TABLES {
        let columns = columns(&connection, table).await?;
        let statement = copy(connection.get_database_backend(), table, changed, &columns);
        let series = series(connection.get_database_backend(), count);
        let sql =
            format!("WITH RECURSIVE original AS (SELECT * FROM {table}), {series} {statement}");
        connection.execute_unprepared(&sql).await?;
    }
    if connection.get_database_backend() == DbBackend::Postgres {
        // Autovacuum would do the same after a while.
        connection.execute_unprepared("VACUUM ANALYZE").await?;
    }
    connection.close().await
}

fn series(backend: DbBackend, count: usize) -> String {
    if backend == DbBackend::Sqlite {
        format!("s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count})")
    } else {
        format!("s(n) AS (SELECT generate_series(1, {count}))")
    }
}

fn copy(backend: DbBackend, table: &str, changed: &[(&str, Kind)], columns: &[String]) -> String {
    let values: Vec<String> = columns
        .iter()
        .map(|column| {
            let kind = changed.iter().find(|(name, _)| name == column);
            kind.map_or_else(|| column.clone(), |(_, kind)| kind.copied(backend, column))
        })
        .collect();
    format!(
        "INSERT INTO {table} ({}) SELECT {} FROM s, original",
        columns.join(", "),
        values.join(", ")
    )
}

impl Kind {
    fn copied(self, backend: DbBackend, column: &str) -> String {
        let is_sqlite = backend == DbBackend::Sqlite;
        match self {
            Self::Text => format!("n || '-' || {column}"),
            Self::Uuid if is_sqlite => {
                format!("unhex(printf('%012x', n) || substr(hex({column}), 13))")
            }
            Self::Uuid => format!(
                "(lpad(to_hex(n), 12, '0') || substr(replace({column}::text, '-', ''), 13))::uuid"
            ),
            Self::Code if is_sqlite => format!("printf('%06x', n) || substr({column}, 7)"),
            Self::Code => format!("lpad(to_hex(n), 6, '0') || substr({column}, 7)"),
        }
    }
}

async fn columns(connection: &DatabaseConnection, table: &str) -> Result<Vec<String>, DbErr> {
    let sql = if connection.get_database_backend() == DbBackend::Sqlite {
        format!("SELECT name FROM pragma_table_info('{table}')")
    } else {
        format!(
            "SELECT column_name::text FROM information_schema.columns WHERE table_name = '{table}'"
        )
    };
    let rows = connection
        .query_all_raw(sea_orm::Statement::from_string(
            connection.get_database_backend(),
            sql,
        ))
        .await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}
