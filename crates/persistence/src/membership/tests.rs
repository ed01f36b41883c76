use sea_orm::IntoActiveModel;
use uuid::Uuid;

use super::*;
use crate::database::Database;
use crate::fixture::{add_organisation, insert, postgresql, sqlite};

/// Makes PostgreSQL order identifiers by language, as most of its databases do.
const BY_LANGUAGE: &str =
    "ALTER TABLE memberships ALTER COLUMN organisation_id TYPE varchar COLLATE \"en-x-icu\"";

/// The organisations of an account that is a member of `org_a` and of `org_B`.
async fn organisations_of_a_member(database: &Database) -> Vec<String> {
    let ann = user::Model {
        id: Uuid::from_u128(1),
        name: "Ann".into(),
        email: "ann@example.com".into(),
        email_key: "ann@example.com".into(),
        password: "hash".into(),
        administrator: false,
        needs_address: false,
        created_at: DateTime::UNIX_EPOCH,
        has_password: true,
    };
    let id = ann.id;
    insert(database, vec![ann.into_active_model()]).await;
    for name in ["org_a", "org_B"] {
        let membership = Model {
            organisation_id: add_organisation(database, name).await.to_string(),
            user_id: id,
            role: "editor".into(),
            created_at: DateTime::UNIX_EPOCH,
        };
        insert(database, vec![membership.into_active_model()]).await;
    }
    let found = organisations_of(database.read(), UserId(id)).await.unwrap();
    found.iter().map(ToString::to_string).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_returns_the_organisations_of_an_account_in_the_order_of_bytes() {
    let (database, _folder) = sqlite().await;
    let organisations = organisations_of_a_member(&database).await;
    assert_eq!(organisations, ["org_B", "org_a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_returns_the_organisations_of_an_account_in_the_order_of_bytes() {
    if let Some(database) = postgresql(&[BY_LANGUAGE]).await {
        let organisations = organisations_of_a_member(&database).await;
        assert_eq!(organisations, ["org_B", "org_a"]);
    }
}
