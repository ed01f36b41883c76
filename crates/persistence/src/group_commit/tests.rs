use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use allclear_application::error::Error;
use allclear_domain::id::OrganisationId;
use futures_util::future::join_all;
use parking_lot::Mutex;
use sea_orm::sea_query::Query;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use tempfile::TempDir;
use tokio::sync::oneshot;

use super::GroupCommit;
use crate::audit::{NewAuditItems, NoAuditItem};
use crate::connect_options::sqlite_writer;
use crate::database::Database;
use crate::error::broken;
use crate::fixture::sqlite;
use crate::last_commit::LastCommit;
use crate::transaction::Transaction;

/// A database with an empty table of numbers.
async fn numbers() -> (Database, TempDir) {
    let (database, folder) = sqlite().await;
    let table = "CREATE TABLE numbers (number INTEGER PRIMARY KEY)";
    let made = database.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
        Box::pin(async move {
            transaction
                .execute_unprepared(table)
                .await
                .map(|_| ())
                .map_err(broken)
        })
    });
    made.await.unwrap();
    (database, folder)
}

async fn insert(transaction: &Transaction, number: i64) -> Result<i64, Error> {
    let sql = "INSERT INTO numbers VALUES (?)";
    let statement = Statement::from_sql_and_values(DbBackend::Sqlite, sql, [number.into()]);
    transaction.execute_raw(statement).await.map_err(broken)?;
    Ok(number)
}

async fn defer(transaction: &Transaction, number: i64) -> Result<(), Error> {
    let insert = Query::insert()
        .into_table("numbers")
        .columns(["number"])
        .values_panic([number.into()])
        .take();
    transaction.defer(&insert).await.map_err(broken)
}

/// Stores a number. Fails afterwards if the number ends in 3, and panics if it ends in 7.
async fn write(database: &Database, number: i64) -> Result<i64, Error> {
    let written = database.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
        Box::pin(async move {
            insert(transaction, number).await?;
            match number % 10 {
                3 => Err(Error::Conflict("three".into())),
                7 => panic!("seven"),
                // A failed statement does not fail the transaction.
                9 => Ok(insert(transaction, number).await.unwrap_or(number)),
                _ => Ok(number),
            }
        })
    });
    written.await
}

async fn stored(database: &Database) -> Vec<i64> {
    let sql = "SELECT number FROM numbers ORDER BY number";
    let rows = database
        .read()
        .query_all_raw(Statement::from_string(DbBackend::Sqlite, sql))
        .await
        .unwrap();
    rows.iter()
        .map(|row| row.try_get("", "number").unwrap())
        .collect()
}

/// Polls work once. Returns whether it waits for something.
async fn waits<T>(mut work: Pin<&mut impl Future<Output = T>>) -> bool {
    poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_pending())).await
}

/// Makes `others` wait behind a write, and then lets that write end.
async fn while_one_writes<T>(database: &Database, others: impl Future<Output = T>) -> T {
    let ((began, beginning), (end, ending)) = (oneshot::channel(), oneshot::channel::<()>());
    let first = database.write_unaudited(NoAuditItem::Upkeep, move |_| {
        Box::pin(async move {
            began.send(()).unwrap();
            ending.await.map_err(Error::internal)
        })
    });
    let after = async {
        beginning.await.unwrap();
        let mut others = Box::pin(others);
        // All of them are queued.
        assert!(waits(others.as_mut()).await);
        end.send(()).unwrap();
        others.await
    };
    // The first write may share its commit, and its failure, with those that waited.
    let (_, outcome) = tokio::join!(first, after);
    outcome
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_fails_takes_back_its_own_and_nothing_else() {
    let (database, _folder) = numbers().await;
    let outcomes = while_one_writes(
        &database,
        join_all((0..100).map(|number| write(&database, number))),
    )
    .await;
    for (number, outcome) in (0..).zip(outcomes) {
        match number % 10 {
            3 => assert!(matches!(outcome, Err(Error::Conflict(_))), "{outcome:?}"),
            7 => assert!(matches!(outcome, Err(Error::Internal(_))), "{outcome:?}"),
            _ => assert_eq!(outcome.unwrap(), number),
        }
    }
    let expected: Vec<_> = (0..100)
        .filter(|number| !matches!(number % 10, 3 | 7))
        .collect();
    assert_eq!(stored(&database).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_whose_caller_is_gone_before_it_begins_does_nothing() {
    let (database, _folder) = numbers().await;
    let gone = async {
        let mut leaving = Box::pin(write(&database, 1));
        let staying = write(&database, 2);
        assert!(waits(leaving.as_mut()).await);
        drop(leaving);
        staying.await
    };
    assert_eq!(while_one_writes(&database, gone).await.unwrap(), 2);
    assert_eq!(stored(&database).await, [2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_commit_fails_each_of_its_writes_and_the_next_one_works() {
    let (database, _folder) = numbers().await;
    let breaking = database.write_unaudited(NoAuditItem::Upkeep, |transaction| {
        Box::pin(async move {
            // As SQLite does by itself when the disk is full.
            transaction
                .execute_unprepared("ROLLBACK")
                .await
                .map_err(broken)?;
            Err::<(), _>(Error::Conflict("full".into()))
        })
    });
    let others = async { tokio::join!(write(&database, 1), breaking, write(&database, 2)) };
    let (before, broken, after) = while_one_writes(&database, Box::pin(others)).await;
    assert!(broken.is_err());
    assert!(matches!(after, Err(Error::Unavailable(_))), "{after:?}");
    let mut expected = Vec::from_iter(before.ok());
    expected.push(write(&database, 4).await.unwrap());
    assert_eq!(stored(&database).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn file_that_was_moved_away_or_replaced_is_not_written_to() {
    let (database, folder) = numbers().await;
    let (file, moved) = (
        folder.path().join("allclear.db"),
        folder.path().join("moved"),
    );
    std::fs::rename(&file, &moved).unwrap();
    for is_replaced in [false, true] {
        if is_replaced {
            std::fs::write(&file, "").unwrap();
        }
        for outcome in join_all((0..3).map(|number| write(&database, number))).await {
            assert!(matches!(outcome, Err(Error::Unavailable(_))), "{outcome:?}");
        }
    }
    std::fs::rename(&moved, &file).unwrap();
    // A write that arrives while the waiting ones are dropped is dropped with them.
    let mut attempts = 0;
    while write(&database, 4).await.is_err() {
        attempts += 1;
        assert!(attempts < 100, "the file is in its place");
    }
    assert_eq!(stored(&database).await, [4]);
}

/// Stores a number by a deferred statement. Numbers that end in 3 fail after it; those that end in
/// 5 store 0 again.
async fn write_deferred(database: &Database, number: i64) -> Result<i64, Error> {
    let written = database.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
        Box::pin(async move {
            defer(transaction, number).await?;
            match number % 10 {
                3 => return Err(Error::Conflict("three".into())),
                5 => defer(transaction, 0).await?,
                _ => {}
            }
            Ok(number)
        })
    });
    written.await
}

#[tokio::test(flavor = "multi_thread")]
async fn deferred_statements_fail_with_their_write_and_no_other() {
    let (database, _folder) = numbers().await;
    let outcomes = while_one_writes(
        &database,
        join_all((0..40).map(|number| write_deferred(&database, number))),
    )
    .await;
    for (number, outcome) in (0..).zip(outcomes) {
        match number % 10 {
            3 => assert!(matches!(outcome, Err(Error::Conflict(_))), "{outcome:?}"),
            5 => assert!(outcome.is_err(), "{outcome:?}"),
            _ => assert_eq!(outcome.unwrap(), number),
        }
    }
    let expected: Vec<_> = (0..40)
        .filter(|number| !matches!(number % 10, 3 | 5))
        .collect();
    assert_eq!(stored(&database).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn query_sees_deferred_statements_and_a_count_leaves_them_out() {
    let (database, _folder) = numbers().await;
    let (numbers, deleted) = database
        .write_unaudited(NoAuditItem::Upkeep, |transaction| {
            Box::pin(async move {
                // More than wait at once.
                for number in 1..=20 {
                    defer(transaction, number).await?;
                }
                let all = "SELECT number FROM numbers WHERE number > ? ORDER BY number";
                let all = Statement::from_sql_and_values(DbBackend::Sqlite, all, [1.into()]);
                let rows = transaction.query_all_raw(all).await.map_err(broken)?;
                let numbers = rows.iter().map(|row| row.try_get("", "number"));
                let numbers: Result<Vec<i64>, _> = numbers.collect();
                defer(transaction, 21).await?;
                let delete = "DELETE FROM numbers WHERE number > 20";
                let delete = Statement::from_string(DbBackend::Sqlite, delete);
                let deleted = transaction.execute_raw(delete).await.map_err(broken)?;
                Ok((numbers.map_err(broken)?, deleted.rows_affected()))
            })
        })
        .await
        .unwrap();
    let expected: Vec<_> = (1..=20).collect();
    assert_eq!((&numbers[..], deleted), (&expected[1..], 1));
    assert_eq!(stored(&database).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn organisation_with_one_waiting_write_does_not_wait_for_all_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("queue.db").display());
    let writer = sea_orm::Database::connect(sqlite_writer(&url)).await;
    let group = GroupCommit::on(writer.unwrap(), None, LastCommit::new());
    let (end, ending) = oneshot::channel::<()>();
    let first = group.write(None, move |_| {
        Box::pin(async move { ending.await.map_err(Error::internal) })
    });
    let order = Arc::new(Mutex::new(Vec::new()));
    let others = ["busy", "busy", "busy", "quiet"].map(|name| {
        let (organisation, order) = (OrganisationId::parse(name).ok(), Arc::clone(&order));
        group.write(organisation, move |_| {
            Box::pin(async move {
                order.lock().push(name);
                Ok(())
            })
        })
    });
    let mut all = Box::pin(async { tokio::join!(first, join_all(others)) });
    // All of them are queued.
    assert!(waits(all.as_mut()).await);
    end.send(()).unwrap();
    all.await.0.unwrap();
    assert_eq!(*order.lock(), ["busy", "quiet", "busy", "busy"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_without_a_revision_take_turns_by_organisation() {
    let (database, _folder) = numbers().await;
    let order = Arc::new(Mutex::new(Vec::new()));
    let audited = |name: &'static str| {
        let (database, order) = (database.clone(), Arc::clone(&order));
        async move {
            let organisation = OrganisationId::parse(name).unwrap();
            let write = database.write_audited_of(Some(&organisation), move |_| {
                Box::pin(async move {
                    order.lock().push(name);
                    Ok(((), NewAuditItems::unchanged()))
                })
            });
            write.await
        }
    };
    let unaudited = |name: &'static str| {
        let (database, order) = (database.clone(), Arc::clone(&order));
        async move {
            let organisation = OrganisationId::parse(name).unwrap();
            let write =
                database.write_unaudited_of(Some(&organisation), NoAuditItem::Upkeep, move |_| {
                    Box::pin(async move {
                        order.lock().push(name);
                        Ok(())
                    })
                });
            write.await
        }
    };
    let others = async {
        tokio::join!(
            audited("busy"),
            unaudited("busy"),
            audited("busy"),
            unaudited("quiet"),
            audited("late"),
        )
    };
    while_one_writes(&database, Box::pin(others))
        .await
        .0
        .unwrap();
    assert_eq!(*order.lock(), ["busy", "quiet", "late", "busy", "busy"]);
}
