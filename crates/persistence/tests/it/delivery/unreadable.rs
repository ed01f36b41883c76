//! Notices that cannot be read.

use std::collections::BTreeSet;

use allclear_application::delivery::DeliveryQueue;
use allclear_domain::incident::IncidentStatus;
use allclear_persistence::database::Database;
use sea_orm::ConnectionTrait;

use super::fixture::{later, request};
use crate::backend::clock;
use crate::contract;
use crate::organisation_fixture::OrganisationFixture;

contract!(
    by url: unreadable_notice_stops_no_others_and_is_left_to_newer_nodes_for_an_hour,
    a_later_notice_does_not_bring_an_unreadable_one_forward,
    update_with_an_unreadable_notice_is_deleted,
);

async fn unreadable_notice_stops_no_others_and_is_left_to_newer_nodes_for_an_hour(url: &str) {
    let database = Database::connect(url, clock()).await.unwrap();
    let (acme, beta) = (
        OrganisationFixture::new(&database, "acme").await,
        OrganisationFixture::new(&database, "beta").await,
    );
    acme.subscriber("ann@example.com").await;
    beta.subscriber("bob@example.com").await;
    acme.incident("Down").await;
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let change = async |statement: &str| {
        let changed = connection.execute_unprepared(statement).await.unwrap();
        assert_eq!(changed.rows_affected(), 1);
    };
    change("UPDATE notices SET content = '{' WHERE organisation_id = 'acme'").await;
    acme.incident("Down again").await;
    beta.incident("Slow").await;

    let queued = async |minutes| {
        let now = later(minutes);
        while database.expand(now, 10).await.unwrap() {}
        let claimed = database.claim(request(now, now, 10)).await.unwrap();
        let addresses = claimed
            .into_iter()
            .map(|delivery| delivery.subscriber.target.as_str().to_owned());
        addresses.collect::<BTreeSet<_>>()
    };
    let of = |addresses: &[&str]| {
        addresses
            .iter()
            .copied()
            .map(String::from)
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(queued(59).await, of(&["bob@example.com"]));
    assert_eq!(
        queued(61).await,
        of(&["ann@example.com", "bob@example.com"]),
        "with the later notice of the same organisation"
    );

    // A delivery that a newer node has queued.
    change("UPDATE notices SET content = '{' WHERE organisation_id = 'beta'").await;
    beta.incident("Slow again").await;
    assert_eq!(queued(62).await, of(&["ann@example.com"]));
    assert_eq!(
        queued(64).await,
        of(&["ann@example.com", "bob@example.com"]),
        "the unreadable one is removed"
    );
    connection.close().await.unwrap();
}

async fn a_later_notice_does_not_bring_an_unreadable_one_forward(url: &str) {
    let database = Database::connect(url, clock()).await.unwrap();
    let fixture = OrganisationFixture::new(&database, "acme").await;
    fixture.subscriber("ann@example.com").await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let unread = "UPDATE notices SET content = '{'";
    let changed = connection.execute_unprepared(unread).await.unwrap();
    assert_eq!(changed.rows_affected(), 1);
    assert!(fixture.claim(10).await.is_empty());
    let due = database.next_due(clock().now()).await.unwrap();
    assert!(due.is_some());
    fixture.incident("Slow").await;
    fixture.expand().await;
    assert_eq!(database.next_due(clock().now()).await.unwrap(), due);
    connection.close().await.unwrap();
}

async fn update_with_an_unreadable_notice_is_deleted(url: &str) {
    let database = Database::connect(url, clock()).await.unwrap();
    let fixture = OrganisationFixture::new(&database, "acme").await;
    fixture.subscriber("ann@example.com").await;
    let incident = fixture.incident("Down").await;
    fixture.expand().await;
    let connection = sea_orm::Database::connect(url).await.unwrap();
    for is_expanded in [false, true] {
        let update = fixture
            .record(incident, IncidentStatus::Identified, "Found")
            .await;
        if is_expanded {
            fixture.expand().await;
        }
        let unread = "UPDATE notices SET content = '{' WHERE content LIKE '%Found%'";
        let changed = connection.execute_unprepared(unread).await.unwrap();
        assert_eq!(changed.rows_affected(), 1);
        fixture.delete_update(incident, update.id).await;
        let waiting = database.waiting().await.unwrap();
        assert_eq!(waiting, 1, "that of the incident alone");
    }
    connection.close().await.unwrap();
}
