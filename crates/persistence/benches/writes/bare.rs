//! Stores the rows of a measured run again, in transactions without the product: on a copy of the
//! same database, with its indexes and foreign keys, five prepared statements and a commit.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use futures_util::future::join_all;
use parking_lot::Mutex;
use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::query::Query;
use sea_orm::sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous,
};
use sea_orm::sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, Database, Encode, IntoArguments, Type, query,
};
use sea_orm::{ConnectionTrait, QueryResult, Statement};
use uuid::Uuid;

use crate::{OPERATORS, Taken};

/// A value of a row.
#[derive(Debug, Clone)]
enum Cell {
    Text(Option<String>),
    Number(Option<i64>),
    Uuid(Option<Uuid>),
    Time(Option<DateTime<Utc>>),
    Bytes(Option<Vec<u8>>),
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Number,
    Uuid,
    Time,
    Bytes,
}

type Columns = &'static [(&'static str, Kind)];

const UPDATE: Columns = &[
    ("incident_id", Kind::Uuid),
    ("id", Kind::Uuid),
    ("status", Kind::Text),
    ("message", Kind::Text),
    ("user_id", Kind::Text),
    ("user_name", Kind::Text),
    ("created_at", Kind::Time),
    ("version", Kind::Number),
    ("display_at", Kind::Time),
    ("affected_before", Kind::Text),
];
const AUDIT_ITEM: Columns = &[
    ("id", Kind::Uuid),
    ("organisation_id", Kind::Text),
    ("created_at", Kind::Time),
    ("actor_type", Kind::Text),
    ("actor_id", Kind::Text),
    ("actor_name", Kind::Text),
    ("action", Kind::Text),
    ("target_type", Kind::Text),
    ("target_id", Kind::Text),
    ("target_name", Kind::Text),
    ("state_after", Kind::Text),
];
const COMMIT: Columns = &[
    ("organisation_id", Kind::Text),
    ("revision", Kind::Number),
    ("events", Kind::Text),
    ("packed", Kind::Bytes),
    ("created_at", Kind::Time),
];

/// The values that one transaction stores.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    update: Vec<Cell>,
    audit_item: Vec<Cell>,
    commit: Vec<Cell>,
    incident: Uuid,
    revision: i64,
    at: DateTime<Utc>,
}

/// The rows that a run of the product has stored.
pub(crate) async fn rows(url: &str) -> Vec<Row> {
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let columns = |table: &str, columns: Columns| {
        let named = columns
            .iter()
            .map(|(name, _)| format!("{table}.{name} AS {table}_{name}"));
        named.collect::<Vec<_>>().join(", ")
    };
    let sql = format!(
        "SELECT {}, {}, {} FROM incident_updates \
         JOIN outbox ON outbox.revision = incident_updates.version \
         JOIN audit_items ON audit_items.id = incident_updates.id \
         ORDER BY outbox.revision",
        columns("incident_updates", UPDATE),
        columns("audit_items", AUDIT_ITEM),
        columns("outbox", COMMIT)
    );
    let backend = connection.get_database_backend();
    let rows = connection
        .query_all_raw(Statement::from_string(backend, sql))
        .await
        .unwrap();
    let row = |row: &QueryResult| Row {
        update: cells(row, "incident_updates", UPDATE),
        audit_item: cells(row, "audit_items", AUDIT_ITEM),
        commit: cells(row, "outbox", COMMIT),
        incident: row.try_get("", "incident_updates_incident_id").unwrap(),
        revision: row.try_get("", "outbox_revision").unwrap(),
        at: row.try_get("", "outbox_created_at").unwrap(),
    };
    rows.iter().map(row).collect()
}

fn cells(row: &QueryResult, table: &str, columns: Columns) -> Vec<Cell> {
    let cell = |(name, kind): &(&str, Kind)| {
        let name = format!("{table}_{name}");
        match kind {
            Kind::Text => Cell::Text(row.try_get("", &name).unwrap()),
            Kind::Number => Cell::Number(row.try_get("", &name).unwrap()),
            Kind::Uuid => Cell::Uuid(row.try_get("", &name).unwrap()),
            Kind::Time => Cell::Time(row.try_get("", &name).unwrap()),
            Kind::Bytes => Cell::Bytes(row.try_get("", &name).unwrap()),
        }
    };
    columns.iter().map(cell).collect()
}

fn bind<'q, D>(query: Query<'q, D, D::Arguments>, cells: &[Cell]) -> Query<'q, D, D::Arguments>
where
    D: Database,
    D::Arguments: IntoArguments<D>,
    for<'a> Option<String>: Encode<'a, D> + Type<D>,
    for<'a> Option<i64>: Encode<'a, D> + Type<D>,
    for<'a> Option<Uuid>: Encode<'a, D> + Type<D>,
    for<'a> Option<DateTime<Utc>>: Encode<'a, D> + Type<D>,
    for<'a> Option<Vec<u8>>: Encode<'a, D> + Type<D>,
{
    cells.iter().cloned().fold(query, |query, cell| match cell {
        Cell::Text(text) => query.bind(text),
        Cell::Number(number) => query.bind(number),
        Cell::Uuid(id) => query.bind(id),
        Cell::Time(time) => query.bind(time),
        Cell::Bytes(bytes) => query.bind(bytes),
    })
}

/// An insertion; the parameters are `?`, or `$1` and so on.
fn insertion(table: &str, columns: Columns, is_numbered: bool) -> String {
    let names: Vec<_> = columns.iter().map(|(name, _)| *name).collect();
    let parameters = (1..=columns.len()).map(|number| {
        if is_numbered {
            format!("${number}")
        } else {
            "?".to_owned()
        }
    });
    let parameters = parameters.collect::<Vec<_>>().join(", ");
    format!(
        "INSERT INTO {table} ({}) VALUES ({parameters})",
        names.join(", ")
    )
}

/// Stores rows in SQLite over this many connections. A transaction is one message to the thread of
/// its connection.
pub(crate) async fn sqlite(file: &Path, rows: Vec<Row>, connections: usize) -> Taken {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("wal_autocheckpoint", "4000")
        .pragma("cache_size", "-8000")
        .busy_timeout(Duration::from_secs(30));
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(options.connect().await.unwrap());
    }
    let sql = format!(
        "BEGIN IMMEDIATE; \
         UPDATE organisations SET revision = ?, committed_at = ? WHERE id = 'acme'; \
         {}; \
         UPDATE incidents SET status = 'IDENTIFIED', updated_at = ?, version = ? WHERE id = ?; \
         {}; \
         {}; \
         COMMIT",
        insertion("incident_updates", UPDATE, false),
        insertion("audit_items", AUDIT_ITEM, false),
        insertion("outbox", COMMIT, false),
    );
    let sql: Arc<str> = sql.into();
    in_turns(
        open,
        rows,
        async move |connection: &mut SqliteConnection, row: Row| {
            let query = query(AssertSqlSafe(Arc::clone(&sql)))
                .bind(row.revision)
                .bind(row.at);
            let query = bind(query, &row.update)
                .bind(row.at)
                .bind(row.revision)
                .bind(row.incident);
            let query = bind(bind(query, &row.audit_item), &row.commit);
            query.execute(connection).await.unwrap();
        },
    )
    .await
}

/// Each connection takes the next row until there is none left.
async fn in_turns<C: Send + 'static>(
    connections: Vec<C>,
    rows: Vec<Row>,
    store: impl AsyncFn(&mut C, Row) + Clone + Send + 'static,
) -> Taken {
    let next = Arc::new(Mutex::new(rows.into_iter()));
    let start = Instant::now();
    let writers = connections.into_iter().map(|mut connection| {
        let next = Arc::clone(&next);
        let store = store.clone();
        async move {
            let mut each = Vec::new();
            loop {
                let Some(row) = next.lock().next() else {
                    return each;
                };
                let start = Instant::now();
                store(&mut connection, row).await;
                each.push(start.elapsed());
            }
        }
    });
    let each = join_all(writers).await.into_iter().flatten().collect();
    Taken {
        whole: start.elapsed(),
        each,
    }
}

/// Stores rows in PostgreSQL, over one connection for each operator.
pub(crate) async fn postgresql(url: &str, rows: Vec<Row>) -> Taken {
    let mut connections = Vec::new();
    for _ in 0..OPERATORS {
        connections.push(PgConnection::connect(url).await.unwrap());
    }
    let [update, audit_item, commit] = [
        ("incident_updates", UPDATE),
        ("audit_items", AUDIT_ITEM),
        ("outbox", COMMIT),
    ]
    .map(|(table, columns)| Arc::<str>::from(insertion(table, columns, true)));
    in_turns(
        connections,
        rows,
        async move |connection: &mut PgConnection, row: Row| {
            let mut transaction = connection.begin().await.unwrap();
            // Comes first, because all writers of the organisation wait for this lock, as in
            // the product.
            query("UPDATE organisations SET revision = $1, committed_at = $2 WHERE id = 'acme'")
                .bind(row.revision)
                .bind(row.at)
                .execute(&mut *transaction)
                .await
                .unwrap();
            let incident = query(
                "UPDATE incidents SET status = 'IDENTIFIED', updated_at = $1, version = $2 WHERE id = $3",
            );
            let statements = [
                bind(query(AssertSqlSafe(Arc::clone(&update))), &row.update),
                incident.bind(row.at).bind(row.revision).bind(row.incident),
                bind(query(AssertSqlSafe(Arc::clone(&audit_item))), &row.audit_item),
                bind(query(AssertSqlSafe(Arc::clone(&commit))), &row.commit),
            ];
            for statement in statements {
                statement.execute(&mut *transaction).await.unwrap();
            }
            transaction.commit().await.unwrap();
        },
    )
    .await
}
