//! Subscribers of 0.1, which compared the parts before the `@` with case.

use allclear_application::subscriber::{SubscriberKey, SubscriberStore, SubscriberTransition};
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::subscriber::SubscriberStatus;
use allclear_migrations::Migrator;
use allclear_persistence::database::Database;
use sea_orm::{ConnectionTrait, DbBackend};
use sea_orm_migration::MigratorTrait;
use uuid::Uuid;

use super::connect;
use super::schema::lines;
use crate::backend::clock;
use crate::contract;

contract!(by url: addresses_that_differ_in_case_become_one_key_and_keep_their_links);

/// Addresses and states of subscribers, the oldest first.
const STORED: [(&str, &str); 9] = [
    ("Ann@example.com", "PENDING"),
    ("ANN@example.com", "SUBSCRIBED"),
    ("aNN@example.com", "SUBSCRIBED"),
    ("ann@example.com", "UNSUBSCRIBED"),
    ("Bob@example.com", "PENDING"),
    ("BOB@example.com", "UNSUBSCRIBED"),
    ("Cy@example.com", "SUBSCRIBED"),
    ("cy@example.com", "SUBSCRIBED"),
    ("Dan@xn--exmple-cua.com", "SUBSCRIBED"),
];

/// Their keys after the migration.
const KEYS: [&str; 9] = [
    "Ann@example.com",
    "ann@example.com",
    "aNN@example.com",
    "ann@example.com ",
    "bob@example.com",
    "BOB@example.com",
    "Cy@example.com",
    "cy@example.com",
    "dan@xn--exmple-cua.com",
];

/// The subscriber at this place of [`STORED`].
fn id(place: usize) -> SubscriberId {
    SubscriberId(Uuid::from_u128(place as u128 + 1))
}

/// Statements that store two organisations, both with a subscriber of Ann's address.
fn rows(backend: DbBackend) -> Vec<String> {
    let id_text = |id: SubscriberId| match backend {
        DbBackend::Sqlite => format!("X'{}'", id.0.simple()),
        _ => format!("'{}'", id.0),
    };
    let time = "'2026-01-01T00:00:00+00:00'";
    let subscriber = |organisation: &str, place: usize, address: &str, status: &str| {
        format!(
            "INSERT INTO subscribers (id, organisation_id, target, target_key, status, is_verified, round, created_at, updated_at) \
             VALUES ({}, '{organisation}', '{address}', '{address}', '{status}', true, 0, {time}, {time})",
            id_text(id(place))
        )
    };
    let organisations = ["acme", "other"].map(|name| {
        format!(
            "INSERT INTO organisations (id, code, name, revision, created_at) VALUES ('{name}', '{name}', 'Acme', 0, {time})"
        )
    });
    let stored = STORED.into_iter().enumerate();
    organisations
        .into_iter()
        .chain(stored.map(|(place, (address, status))| subscriber("acme", place, address, status)))
        .chain([subscriber(
            "other",
            STORED.len(),
            "Ann@example.com",
            "PENDING",
        )])
        .collect()
}

async fn addresses_that_differ_in_case_become_one_key_and_keep_their_links(url: &str) {
    let connection = connect(url).await;
    let steps = Migrator::migrations();
    let before = steps
        .iter()
        .position(|step| step.name() == "m0048_mail_addresses_without_case");
    let before = u32::try_from(before.unwrap()).unwrap();
    Migrator::up(&connection, Some(before)).await.unwrap();
    for row in rows(connection.get_database_backend()) {
        connection.execute_unprepared(&row).await.unwrap();
    }

    let database = Database::connect(url, clock()).await.unwrap();
    let keys = "SELECT target_key AS line FROM subscribers WHERE organisation_id = 'acme'";
    let mut expected = KEYS;
    expected.sort_unstable();
    assert_eq!(lines(&connection, keys).await, expected);
    let others = "SELECT target_key AS line FROM subscribers WHERE organisation_id = 'other'";
    assert_eq!(lines(&connection, others).await, ["ann@example.com"]);

    let acme = OrganisationId::parse("acme").unwrap();
    let found = async |key: SubscriberKey| {
        let found = SubscriberStore::find(&database, &acme, &key).await.unwrap();
        found.unwrap().id
    };
    for (address, place) in [("aNn@example.com", 1), ("bob@example.com", 4)] {
        assert_eq!(found(SubscriberKey::of_email(address)).await, id(place));
        assert_eq!(found(SubscriberKey::of_link(address)).await, id(place));
    }
    for (place, (address, _)) in STORED.iter().enumerate() {
        let linked = found(SubscriberKey::of_link(address)).await;
        // The key of the fourth belongs to the second, which is confirmed.
        let expected = if place == 3 { 1 } else { place };
        assert_eq!(linked, id(expected), "{address}");
    }

    // One of several ends alone, and its key stays.
    let key = SubscriberKey::of_link("aNN@example.com");
    let end: SubscriberTransition = Box::new(|known| Ok(known.unwrap().unsubscribe(clock().now())));
    let ended = database.save(&acme, key, end).await.unwrap().after;
    assert_eq!(
        (ended.id, ended.status),
        (id(2), SubscriberStatus::Unsubscribed)
    );
    assert_eq!(lines(&connection, keys).await, expected);
    database.close().await.unwrap();
    connection.close().await.unwrap();
}
