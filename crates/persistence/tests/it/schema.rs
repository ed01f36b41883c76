//! What a start makes of a database that another version of the program has used.

use allclear_persistence::database::Database;
use sea_orm::ConnectionTrait;

use crate::backend::clock;
use crate::contract;

contract!(by url: a_newer_schema_is_refused);

async fn a_newer_schema_is_refused(url: &str) {
    for _ in 0..2 {
        let database = Database::connect(url, clock()).await.unwrap();
        database.close().await.unwrap();
    }
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let step =
        "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_of_the_future', 0)";
    connection.execute_unprepared(step).await.unwrap();
    let error = Database::connect(url, clock())
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("a newer version of Allclear has used it (schema step m9999_of_the_future)"),
        "{error}"
    );
    assert!(!error.contains('\n'), "{error}");
}
