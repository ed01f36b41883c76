//! The same rows in transactions without a product around them: four prepared statements and a commit.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous,
};
use sea_orm::sqlx::{AssertSqlSafe, ConnectOptions, Connection, query, raw_sql};
use sea_orm::{ConnectionTrait, Statement};

use crate::{OPERATORS, Taken};

/// What a transaction stores, beside what every one stores alike.
#[derive(Clone)]
pub(crate) struct Row {
    revision: i64,
    message: String,
    events: String,
}

const TABLES: &str = "
    CREATE TABLE organisations (id varchar PRIMARY KEY, name varchar NOT NULL, revision bigint NOT NULL);
    CREATE TABLE incidents (id bigint PRIMARY KEY, organisation_id varchar NOT NULL REFERENCES organisations (id),
        title varchar NOT NULL, description text NOT NULL, status varchar NOT NULL, updated_at varchar NOT NULL,
        resolved_at varchar NULL, version bigint NOT NULL);
    CREATE INDEX incidents_by_resolution ON incidents (organisation_id, resolved_at);
    CREATE TABLE incident_updates (incident_id bigint NOT NULL REFERENCES incidents (id), id bigint NOT NULL,
        status varchar NOT NULL, message text NOT NULL, user_id varchar NOT NULL, user_name varchar NOT NULL,
        created_at varchar NOT NULL, version bigint NOT NULL, PRIMARY KEY (incident_id, id));
    CREATE TABLE outbox (organisation_id varchar NOT NULL REFERENCES organisations (id), revision bigint NOT NULL,
        events text NOT NULL, created_at varchar NOT NULL, PRIMARY KEY (organisation_id, revision));
    CREATE INDEX outbox_by_age ON outbox (created_at);
    INSERT INTO organisations VALUES ('acme', 'Acme', 0);
";
const NOW: &str = "2026-01-01 00:00:00.000 +00:00";
const INCIDENTS: i64 = 640;

/// The rows our own run has stored.
pub(crate) async fn rows(url: &str) -> Vec<Row> {
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let sql = "SELECT outbox.revision, message, events FROM outbox JOIN incident_updates ON version = revision \
               ORDER BY outbox.revision";
    let rows = connection
        .query_all_raw(Statement::from_string(
            connection.get_database_backend(),
            sql,
        ))
        .await
        .unwrap();
    let row = |row: &sea_orm::QueryResult| Row {
        revision: row.try_get("", "revision").unwrap(),
        message: row.try_get("", "message").unwrap(),
        events: row.try_get("", "events").unwrap(),
    };
    rows.iter().map(row).collect()
}

fn insert_incident(number: i64) -> String {
    format!(
        "INSERT INTO incidents VALUES ({number}, 'acme', 'Slow', 'It is slow', 'INVESTIGATING', '{NOW}', NULL, 0)"
    )
}

/// On SQLite through this many connections. A transaction is one message to the thread of its connection.
pub(crate) async fn sqlite(file: &Path, rows: Vec<Row>, connections: usize) -> Taken {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .foreign_keys(true);
    let options = options
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let options = options.busy_timeout(Duration::from_secs(30));
    let mut first = options.connect().await.unwrap();
    raw_sql(TABLES).execute(&mut first).await.unwrap();
    for number in 0..INCIDENTS {
        raw_sql(AssertSqlSafe(insert_incident(number)))
            .execute(&mut first)
            .await
            .unwrap();
    }
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(options.connect().await.unwrap());
    }
    in_turns(
        open,
        rows,
        async |connection: &mut SqliteConnection, row| {
            let incident = row.revision % INCIDENTS;
            query(
                "BEGIN IMMEDIATE;
             INSERT INTO incident_updates VALUES (?, ?, 'IDENTIFIED', ?, 'user_1', 'Ann', ?, ?);
             UPDATE incidents SET status = 'IDENTIFIED', updated_at = ?, version = ? WHERE id = ?;
             INSERT INTO outbox VALUES ('acme', ?, ?, ?);
             UPDATE organisations SET revision = ? WHERE id = 'acme';
             COMMIT",
            )
            .bind(incident)
            .bind(row.revision)
            .bind(row.message)
            .bind(NOW)
            .bind(row.revision)
            .bind(NOW)
            .bind(row.revision)
            .bind(incident)
            .bind(row.revision)
            .bind(row.events)
            .bind(NOW)
            .bind(row.revision)
            .execute(connection)
            .await
            .unwrap();
        },
    )
    .await
}

/// Each connection takes the next row until there is none left.
async fn in_turns<C: Send + 'static>(
    connections: Vec<C>,
    rows: Vec<Row>,
    store: impl AsyncFn(&mut C, Row) + Copy + Send + 'static,
) -> Taken {
    let next = Arc::new(Mutex::new(rows.into_iter()));
    let start = Instant::now();
    let writers = connections.into_iter().map(|mut connection| {
        let next = Arc::clone(&next);
        async move {
            let mut each = Vec::new();
            loop {
                let Some(row) = next.lock().unwrap().next() else {
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

/// On PostgreSQL through a connection an operator.
pub(crate) async fn postgresql(url: &str, rows: Vec<Row>) -> Taken {
    let admin = sea_orm::Database::connect(url).await.unwrap();
    admin.execute_unprepared(TABLES).await.unwrap();
    for number in 0..INCIDENTS {
        admin
            .execute_unprepared(&insert_incident(number))
            .await
            .unwrap();
    }
    let mut connections = Vec::new();
    for _ in 0..OPERATORS {
        connections.push(PgConnection::connect(url).await.unwrap());
    }
    in_turns(connections, rows, store_in_postgresql).await
}

async fn store_in_postgresql(connection: &mut PgConnection, row: Row) {
    let incident = row.revision % INCIDENTS;
    let mut transaction = connection.begin().await.unwrap();
    // In this order: whoever writes to the organisation waits here, as in the product.
    let stamp =
        query("UPDATE organisations SET revision = $1 WHERE id = 'acme'").bind(row.revision);
    stamp.execute(&mut *transaction).await.unwrap();
    let update =
        "INSERT INTO incident_updates VALUES ($1, $2, 'IDENTIFIED', $3, 'user_1', 'Ann', $4, $2)";
    let update = query(update)
        .bind(incident)
        .bind(row.revision)
        .bind(row.message)
        .bind(NOW);
    update.execute(&mut *transaction).await.unwrap();
    let state = query(
        "UPDATE incidents SET status = 'IDENTIFIED', updated_at = $1, version = $2 WHERE id = $3",
    );
    state
        .bind(NOW)
        .bind(row.revision)
        .bind(incident)
        .execute(&mut *transaction)
        .await
        .unwrap();
    let outbox = query("INSERT INTO outbox VALUES ('acme', $1, $2, $3)")
        .bind(row.revision)
        .bind(row.events)
        .bind(NOW);
    outbox.execute(&mut *transaction).await.unwrap();
    transaction.commit().await.unwrap();
}
