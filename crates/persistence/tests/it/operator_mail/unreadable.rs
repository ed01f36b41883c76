//! Mails that cannot be read.

use allclear_application::operator_mail::OperatorMailStore;
use allclear_persistence::database::Database;
use sea_orm::ConnectionTrait;

use super::{Operators, addresses, after, send_all};
use crate::backend::clock;
use crate::contract;

contract!(by url: a_mail_that_cannot_be_read_is_removed_and_stops_no_other);

async fn a_mail_that_cannot_be_read_is_removed_and_stops_no_other(url: &str) {
    let database = Database::connect(url, clock()).await.unwrap();
    let operators = Operators::with_reminders(&database, 1).await;
    operators.fixture.incident("Down").await;
    let now = after(1);
    assert_eq!(database.queue_reminders(now).await.unwrap(), 1);
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let damage = "UPDATE operator_mails SET content = '{' \
                  WHERE user_id IN (SELECT id FROM users WHERE email = 'ada@example.com')";
    let damaged = connection.execute_unprepared(damage).await.unwrap();
    assert_eq!(damaged.rows_affected(), 1);
    connection.close().await.unwrap();
    let sent = send_all(&database, now).await;
    assert_eq!(addresses(&sent), ["bob@example.com"]);
}
