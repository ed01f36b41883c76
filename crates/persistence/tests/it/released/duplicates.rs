//! Accounts of 0.1, when an address could have several.

use allclear_application::account::{AccountStore, ConfirmationOutcome, PendingAddress};
use allclear_application::secret::SecretToken;
use allclear_domain::email::EmailKey;
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use sea_orm::ConnectionTrait;

use super::{connect, kept};
use crate::backend::{clock, sqlite_url};
use crate::session::opened;

/// Another account of Ada's address, older than hers, and two of one address whose domain is spelt
/// in two ways.
fn older_ones(kind: &str) -> String {
    let id = |number: u32| match kind {
        "sqlite" => format!("X'0000000000007000800000000000000{number}'"),
        _ => format!("'00000000-0000-7000-8000-00000000000{number}'"),
    };
    let no = if kind == "sqlite" { "0" } else { "false" };
    let row = |number: u32, email: &str, key: &str| {
        format!(
            "INSERT INTO users VALUES ({}, 'Eve', '{email}', '{key}', '$argon2id$v=19$m=19456,t=2,p=1$x{number}', {no},
            '2020-01-01T00:00:00.000+00:00');",
            id(number)
        )
    };
    [
        row(1, "ADA@example.com", "ada@example.com"),
        row(2, "cy@exämple.com", "cy@exämple.com"),
        row(3, "cy@xn--exmple-cua.com", "cy@xn--exmple-cua.com"),
    ]
    .concat()
}

async fn keeps_the_oldest(kind: &str, left: &str, at: &str) {
    let connection = connect(at).await;
    connection.execute_unprepared(left).await.unwrap();
    connection
        .execute_unprepared("SET search_path TO public")
        .await
        .ok();
    connection
        .execute_unprepared(&older_ones(kind))
        .await
        .unwrap();
    connection.close().await.unwrap();
    let database = Database::connect(at, clock()).await.unwrap();

    let key = EmailKey::of("ada@example.com");
    let candidates = database.candidates(&key).await.unwrap();
    let owner = candidates.owner.unwrap().user;
    assert_eq!(owner.email, "ADA@example.com");
    let [ada] = &candidates.without_address[..] else {
        panic!("{:?}", candidates.without_address)
    };
    assert!(ada.user.needs_address && ada.user.name == "Ada");
    let fields = ada.password.as_str().split('$').count();
    assert_eq!(fields, 6, "the hash has its salt");
    let cys = database
        .candidates(&EmailKey::of("CY@EXÄMPLE.com"))
        .await
        .unwrap();
    assert_eq!(cys.without_address.len(), 1);

    let (free, taken) = (SecretToken::generate(), SecretToken::generate());
    let pending = |token: &SecretToken, email: &str| PendingAddress {
        digest: token.digest(),
        user: ada.user.id,
        email: email.into(),
        expires_at: clock().now() + TimeDelta::hours(1),
    };
    let now = clock().now();
    let session = opened(&database, ada.user.id).await;
    let confirm = async |token: &SecretToken| {
        let digest = token.digest();
        let confirmed = database.confirm_address(&digest, ada.user.id, session, now);
        confirmed.await.unwrap()
    };
    database
        .add_address(pending(&taken, "cy@exämple.com"))
        .await
        .unwrap();
    assert_eq!(confirm(&taken).await, ConfirmationOutcome::Taken);
    database
        .add_address(pending(&free, "Ada@new.example"))
        .await
        .unwrap();
    let of_owner = opened(&database, owner.id).await;
    let digest = free.digest();
    let foreign = database.confirm_address(&digest, owner.id, of_owner, now);
    assert_eq!(foreign.await.unwrap(), ConfirmationOutcome::Unknown);
    let confirmed = confirm(&free).await;
    assert!(
        matches!(&confirmed, ConfirmationOutcome::Confirmed(one) if !one.user.needs_address),
        "{confirmed:?}"
    );
    assert_eq!(confirm(&free).await, ConfirmationOutcome::Unknown);
    let new = EmailKey::of("ada@new.example");
    let owner = database.owner(&new).await.unwrap().unwrap();
    assert_eq!(owner.user.id, ada.user.id);
    database.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_oldest_account_of_an_address_keeps_it_on_sqlite() {
    for (version, left) in kept("sqlite") {
        if version == "0.1" {
            let folder = tempfile::tempdir().unwrap();
            keeps_the_oldest("sqlite", &left, &sqlite_url(&folder)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_oldest_account_of_an_address_keeps_it_on_postgresql() {
    for (version, left) in kept("postgresql") {
        if version != "0.1" {
            continue;
        }
        let Some(url) = allclear_test_support::postgres() else {
            return;
        };
        keeps_the_oldest("postgresql", &left, &url).await;
    }
}
