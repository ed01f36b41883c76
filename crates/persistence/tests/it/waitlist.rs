use allclear_application::page::Page;
use allclear_application::waitlist::{Waiting, Waitlist, WaitlistStore};
use allclear_domain::id::WaitlistId;
use allclear_persistence::database::Database;
use sea_orm::ConnectionTrait;
use sea_orm::sea_query::Query;
use uuid::Uuid;

use crate::backend::{clock, two};
use crate::contract;

contract!(by url:
    an_address_waits_once,
    the_newest_entries_are_listed_first_and_in_parts,
    a_full_waitlist_keeps_its_entries_and_takes_no_other,
);

fn entry(email: &str) -> Waiting {
    let (id, created_at) = (WaitlistId(clock().id()), clock().now());
    Waiting {
        id,
        name: "Bob".into(),
        email: email.into(),
        created_at,
    }
}

async fn add(database: &Database, email: &str) -> Waiting {
    let entry = entry(email);
    assert!(database.add(entry.clone()).await.unwrap());
    entry
}

async fn an_address_waits_once(url: &str) {
    let database = Database::connect(url, clock()).await.unwrap();
    let bob = add(&database, "bob@example.com").await;
    let eve = add(&database, "eve@example.com").await;
    add(&database, "Bob@example.com").await;
    let listed = WaitlistStore::list(&database, Page::default()).await;
    assert_eq!(listed.unwrap().items, [eve, bob.clone()]);
    let found = WaitlistStore::find(&database, bob.id).await;
    assert_eq!(found.unwrap(), Some(bob.clone()));
    assert!(WaitlistStore::remove(&database, bob.id).await.unwrap());
    assert!(!WaitlistStore::remove(&database, bob.id).await.unwrap());
}

async fn the_newest_entries_are_listed_first_and_in_parts(url: &str) {
    let database = Database::connect(url, clock()).await.unwrap();
    let mut added = Vec::new();
    for number in 0..3 {
        added.push(add(&database, &format!("person{number}@example.com")).await);
    }
    added.reverse();
    let first = WaitlistStore::list(&database, two(None)).await.unwrap();
    assert_eq!(first.items, added[..2]);
    assert_eq!(first.next, Some(added[1].id.0));
    let rest = WaitlistStore::list(&database, two(first.next))
        .await
        .unwrap();
    assert_eq!((rest.items, rest.next), (vec![added[2].clone()], None));
}

async fn a_full_waitlist_keeps_its_entries_and_takes_no_other(url: &str) {
    let database = Database::connect(url, clock()).await.unwrap();
    let oldest = WaitlistId(Uuid::from_u128(1));
    fill(url).await;
    let is_stored = async |id| WaitlistStore::find(&database, id).await.unwrap().is_some();
    let refused = entry("new@example.com");
    assert!(!database.add(refused.clone()).await.unwrap());
    assert!(is_stored(oldest).await && !is_stored(refused.id).await);
    assert!(WaitlistStore::remove(&database, oldest).await.unwrap());
    assert!(database.add(refused.clone()).await.unwrap());
    assert!(is_stored(refused.id).await);
}

/// Fills the waitlist with entries that have the identifiers 1, 2, 3 and so on.
async fn fill(url: &str) {
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let numbers: Vec<_> = (1..=Waitlist::MAX_LENGTH).collect();
    for numbers in numbers.chunks(1000) {
        let columns = ["id", "name", "email", "email_key", "created_at"];
        let mut rows = Query::insert();
        rows.into_table("waitlist").columns(columns);
        for number in numbers {
            let email = format!("person{number}@example.com");
            rows.values_panic([
                Uuid::from_u128((*number).into()).into(),
                "Bob".into(),
                email.clone().into(),
                email.into(),
                clock().now().into(),
            ]);
        }
        connection.execute(&rows).await.unwrap();
    }
    connection.close().await.unwrap();
}
