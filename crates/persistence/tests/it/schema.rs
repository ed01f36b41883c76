//! What a start makes of a database that another version of the program has used.

use allclear_persistence::database::Database;
use sea_orm::ConnectionTrait;

use crate::backend::{clock, postgres_url, sqlite_url};

async fn a_newer_schema_is_refused(url: &str) {
    Database::connect(url, clock())
        .await
        .unwrap()
        .close()
        .await
        .unwrap();
    Database::connect(url, clock())
        .await
        .unwrap()
        .close()
        .await
        .unwrap();
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let step =
        "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_of_the_future', 0)";
    connection.execute_unprepared(step).await.unwrap();
    let refused = Database::connect(url, clock())
        .await
        .unwrap_err()
        .to_string();
    assert!(
        refused
            .contains("a newer version of Allclear has used it (schema step m9999_of_the_future)"),
        "{refused}"
    );
    assert!(!refused.contains('\n'), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_schema_is_refused_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    a_newer_schema_is_refused(&sqlite_url(&folder)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_schema_is_refused_on_postgresql() {
    let Some(url) = postgres_url().await else {
        return;
    };
    a_newer_schema_is_refused(&url).await;
}
