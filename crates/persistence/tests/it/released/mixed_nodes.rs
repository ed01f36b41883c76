//! Rows that nodes of 0.1 stored in a database that a newer node had migrated.

use allclear_domain::id::OrganisationId;
use allclear_migrations::Migrator;
use allclear_persistence::database::Database;
use sea_orm::{ConnectionTrait, DbBackend};
use sea_orm_migration::MigratorTrait;

use super::connect;
use super::schema::lines;
use crate::backend::clock;
use crate::contract;

contract!(by url: rows_of_nodes_of_0_1_have_codes_and_display_times);

/// Statements of 0.1, which names no newer column.
const INSERTS: [&str; 4] = [
    "INSERT INTO organisations (id, name, revision, created_at) VALUES ('acme', 'Acme', 7, {time})",
    "INSERT INTO incidents (id, organisation_id, title, description, status, occured_at, created_at, updated_at, version) \
     VALUES ({id}, 'acme', 'Down', '', 'IDENTIFIED', {time}, {time}, {time}, 0)",
    UPDATE,
    "INSERT INTO outbox (organisation_id, revision, created_at, events) VALUES ('acme', 7, {time}, '[]')",
];

const UPDATE: &str = "INSERT INTO incident_updates (incident_id, id, status, message, user_id, user_name, created_at, version) \
     VALUES ({id}, {id}, 'IDENTIFIED', 'Found it', 'u', 'U', {time}, 0)";

async fn rows_of_nodes_of_0_1_have_codes_and_display_times(url: &str) {
    let connection = connect(url).await;
    let steps = Migrator::migrations();
    let before = steps
        .iter()
        .position(|step| step.name() == "m0044_rows_of_first_release");
    let before = u32::try_from(before.unwrap()).unwrap();
    Migrator::up(&connection, Some(before)).await.unwrap();
    let is_sqlite = connection.get_database_backend() == DbBackend::Sqlite;
    let id = if is_sqlite {
        "X'00000000000070008000000000000001'"
    } else {
        "'00000000-0000-7000-8000-000000000001'"
    };
    let statement = |insert: &str| {
        let insert = insert.replace("{id}", id);
        insert.replace("{time}", "'2026-01-01T00:00:00+00:00'")
    };
    for insert in INSERTS {
        connection
            .execute_unprepared(&statement(insert))
            .await
            .unwrap();
    }

    let database = Database::connect(url, clock()).await.unwrap();
    let code = OrganisationId::parse("acme").unwrap().code().to_string();
    let found = async |sql: &str| lines(&connection, sql).await;
    let organisations = "SELECT code AS line FROM organisations";
    assert_eq!(found(organisations).await, [code]);
    let incidents = "SELECT CAST(length(code) AS text) AS line FROM incidents";
    assert_eq!(found(incidents).await, ["12"]);
    let updates = "SELECT message AS line FROM incident_updates WHERE display_at = created_at";
    assert_eq!(found(updates).await, ["Found it"]);
    // A copy that 0.1 made has no mark.
    let revisions = "SELECT CAST(revision AS text) AS line FROM organisations";
    let revision = if is_sqlite { "4294967303" } else { "7" };
    assert_eq!(found(revisions).await, [revision]);
    let commits = found("SELECT events AS line FROM outbox").await;
    assert_eq!(commits.is_empty(), is_sqlite);
    if !is_sqlite {
        let remove = "DELETE FROM incident_updates";
        connection.execute_unprepared(remove).await.unwrap();
        let refused = connection.execute_unprepared(&statement(UPDATE)).await;
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("display_at"), "{error}");
    }
    database.close().await.unwrap();
    connection.close().await.unwrap();
}
