//! Sign-ups beyond the number that may wait for their links.

use allclear_application::account::{AccountStore, Accounts, ConfirmationOutcome};
use allclear_persistence::database::Database;
use sea_orm::ConnectionTrait;
use sea_orm::sea_query::Query;

use super::{follow, pending, waits};
use crate::backend::clock;
use crate::contract;

contract!(by url: too_many_pending_sign_ups_refuse_a_new_one_and_keep_the_oldest);

async fn too_many_pending_sign_ups_refuse_a_new_one_and_keep_the_oldest(url: &str) {
    let database = Database::connect(url, clock()).await.unwrap();
    let oldest = waits(&database, "ann@example.com", "Ann").await;
    fill(url, Accounts::PENDING - 1).await;
    let (link, refused) = pending("late@example.com", "Late", None);
    assert!(!database.add_sign_up(refused.clone()).await.unwrap());
    let outcome = database.confirm_sign_up(follow(&link)).await.unwrap();
    assert_eq!(outcome, ConfirmationOutcome::Unknown);
    let outcome = database.confirm_sign_up(follow(&oldest)).await.unwrap();
    assert!(matches!(outcome, ConfirmationOutcome::Confirmed(_)));
    assert!(database.add_sign_up(refused).await.unwrap());
}

/// Stores so many sign-ups of different addresses.
async fn fill(url: &str, count: u64) {
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let numbers: Vec<_> = (0..count).collect();
    for numbers in numbers.chunks(1000) {
        let columns = [
            "digest",
            "name",
            "email",
            "email_key",
            "password",
            "created_at",
            "expires_at",
        ];
        let mut rows = Query::insert();
        rows.into_table("pending_sign_ups").columns(columns);
        for number in numbers {
            let email = format!("person{number}@example.com");
            rows.values_panic([
                format!("digest {number}").into(),
                "Bob".into(),
                email.clone().into(),
                email.into(),
                "hash".into(),
                clock().now().into(),
                (clock().now() + Accounts::CONFIRMATION_LIFETIME).into(),
            ]);
        }
        connection.execute(&rows).await.unwrap();
    }
    connection.close().await.unwrap();
}
