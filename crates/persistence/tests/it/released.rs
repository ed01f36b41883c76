//! Databases of every released version, kept as files. Their content is found again, and their
//! migrated schema is that of a new database.

mod addresses;
mod duplicates;
mod mixed_nodes;
mod schema;

use std::collections::BTreeMap;
use std::path::Path;

use allclear_application::component::ComponentStore;
use allclear_application::page::Page;
use allclear_application::status_page::SnapshotStore;
use allclear_application::subscriber::{SubscriberFilter, SubscriberStore};
use allclear_application::transition::CreateTransition;
use allclear_domain::component::{Component, ComponentDraft, ComponentStatus};
use allclear_domain::id::{ComponentId, OrganisationId};
use allclear_migrations::Migrator;
use allclear_persistence::database::Database;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, EntityTrait};
use sea_orm_migration::{MigratorTrait, seaql_migrations};

use crate::backend::{author, clock, sqlite_url};
use schema::{lines, schema, tables};

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/schemas");

/// The kept databases of a kind, by their version.
fn kept(kind: &str) -> Vec<(String, String)> {
    let mut kept = Vec::new();
    for entry in std::fs::read_dir(Path::new(KEPT)).unwrap() {
        let path = entry.unwrap().path();
        if let Some(version) = path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .strip_suffix(&format!(".{kind}.sql"))
        {
            kept.push((version.to_owned(), std::fs::read_to_string(&path).unwrap()));
        }
    }
    kept.sort();
    assert!(!kept.is_empty());
    kept
}

async fn connect(url: &str) -> DatabaseConnection {
    let url = url
        .strip_prefix("sqlite:")
        .map_or(url.to_owned(), |file| format!("sqlite:{file}?mode=rwc"));
    sea_orm::Database::connect(url).await.unwrap()
}

/// How many rows each table has.
async fn rows(connection: &DatabaseConnection) -> BTreeMap<String, usize> {
    let mut rows = BTreeMap::new();
    for table in tables(connection).await {
        let all = lines(connection, &format!("SELECT '' AS line FROM {table}")).await;
        rows.insert(table, all.len());
    }
    rows
}

/// Starts on the database that a released version has left, and finds everything in it.
async fn starts_on(version: &str, left: &str, at: &str, fresh: &str) {
    let connection = connect(at).await;
    connection.execute_unprepared(left).await.unwrap();
    let before = rows(&connection).await;
    assert!(
        before.values().all(|rows| *rows > 0),
        "{version} has something in every table: {before:?}"
    );
    takes_the_steps_of(version, &connection).await;

    let database = Database::connect(at, clock()).await.unwrap();
    let after = rows(&connection).await;
    let mut replaced = vec!["seaql_migrations", "component_status_changes"];
    if connection.get_database_backend() == DbBackend::Sqlite {
        // The revisions were raised.
        replaced.push("outbox");
    }
    for (table, rows) in before
        .iter()
        .filter(|(table, _)| !replaced.contains(&table.as_str()))
    {
        let name = match table.as_str() {
            "directory_endings" => "directory_revocations",
            same => same,
        };
        assert_eq!(after.get(name), Some(rows), "{version}: {table}");
    }
    shows_what_was_there(&database, &connection).await;
    database.close().await.unwrap();

    Database::connect(fresh, clock())
        .await
        .unwrap()
        .close()
        .await
        .unwrap();
    let today = connect(fresh).await;
    assert_eq!(
        schema(&connection).await,
        schema(&today).await,
        "{version} became what is made today"
    );
    connection.close().await.unwrap();
    today.close().await.unwrap();
}

/// The migrations of a release stay in their order, and new ones come after them.
async fn takes_the_steps_of(version: &str, connection: &DatabaseConnection) {
    let taken = seaql_migrations::Entity::find()
        .all(connection)
        .await
        .unwrap();
    let mut taken: Vec<_> = taken.into_iter().map(|step| step.version).collect();
    taken.sort();
    let known: Vec<_> = Migrator::migrations()
        .iter()
        .map(|step| step.name().to_owned())
        .collect();
    assert!(
        known.starts_with(&taken),
        "{version} has taken {taken:?}, known are {known:?}"
    );
}

async fn shows_what_was_there(database: &Database, connection: &DatabaseConnection) {
    let id = lines(connection, "SELECT id AS line FROM organisations").await;
    let acme = OrganisationId::parse(&id[0]).unwrap();
    let now = clock().now();

    // Whatever still lasts is public, however long ago it began.
    let snapshot = database.snapshot(&acme, now).await.unwrap().unwrap();
    assert_eq!(
        (
            snapshot.organisation.name.as_str(),
            snapshot.components[0].name.as_str()
        ),
        ("Acme", "API")
    );
    assert_eq!(snapshot.components[0].status, ComponentStatus::MajorOutage);
    let incident = &snapshot.incidents[0];
    assert_eq!(
        (
            incident.title.as_str(),
            incident.timeline[0].message.as_str()
        ),
        ("Down", "Found it")
    );
    assert_eq!(
        lines(
            connection,
            "SELECT status || ' ' || cause_type AS line FROM component_periods WHERE end_at IS NULL",
        )
        .await,
        ["MAJOR_OUTAGE INCIDENT"]
    );
    let stored = lines(
        connection,
        "SELECT code AS line FROM organisations UNION ALL SELECT code FROM components \
         UNION ALL SELECT code FROM incidents UNION ALL SELECT code FROM maintenances",
    );
    let mut shown = vec![
        acme.code().to_string(),
        snapshot.components[0].code.clone(),
        incident.code.clone(),
        snapshot.maintenances[0].code.clone(),
    ];
    shown.sort();
    assert_eq!(stored.await, shown);
    let maintenance = &snapshot.maintenances[0];
    assert_eq!(
        (
            maintenance.title.as_str(),
            maintenance.timeline[0].message.as_str()
        ),
        ("Upgrade", "Begun")
    );
    let subscribers = SubscriberStore::list(
        database,
        &acme,
        &SubscriberFilter::default(),
        Page::default(),
    )
    .await
    .unwrap();
    let addresses: Vec<_> = subscribers
        .items
        .iter()
        .map(|subscriber| subscriber.target.as_str())
        .collect();
    assert_eq!(addresses, ["bob@example.com", "ann@example.com"]);

    let draft = ComponentDraft {
        name: "New".into(),
        description: String::new(),
        status: ComponentStatus::Operational,
        ..ComponentDraft::default()
    };
    let create: CreateTransition<Component> = Box::new(move |stamp| {
        Ok(Component::create(
            ComponentId(stamp.id),
            draft,
            stamp.zone,
            stamp.committed_at,
        )?)
    });
    let written = ComponentStore::insert(database, &acme, create, author())
        .await
        .unwrap();
    assert_eq!(written.commit.unwrap().revision, snapshot.revision.next());
}

#[tokio::test(flavor = "multi_thread")]
async fn this_version_starts_on_every_released_one_on_sqlite() {
    for (version, left) in kept("sqlite") {
        let (folder, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        starts_on(&version, &left, &sqlite_url(&folder), &sqlite_url(&fresh)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn this_version_starts_on_every_released_one_on_postgresql() {
    for (version, left) in kept("postgresql") {
        let Some((url, fresh)) =
            allclear_test_support::postgres().zip(allclear_test_support::postgres())
        else {
            return;
        };
        starts_on(&version, &left, &url, &fresh).await;
    }
}

#[test]
fn every_release_is_kept_on_both_databases() {
    let versions = |kind| {
        kept(kind)
            .into_iter()
            .map(|(version, _)| version)
            .collect::<Vec<_>>()
    };
    assert_eq!(versions("sqlite"), versions("postgresql"));
}
