//! Databases and rows for tests.

use allclear_application::clock::TestClock;
use allclear_application::directory::{DirectoryStore, NameRecord};
use allclear_application::subscriber::SubscriberStore;
use allclear_application::subscriber::import::ImportBatch;
use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::subscriber::{Choice, Scope, Subscriber, SubscriberDraft};
use chrono::DateTime;
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait};
use tempfile::TempDir;
use uuid::Uuid;

use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::error::broken;
use crate::statement::Run;

/// An empty database, and its folder.
pub(crate) async fn sqlite() -> (Database, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("allclear.db").display());
    (
        Database::connect(&url, TestClock::stopped()).await.unwrap(),
        folder,
    )
}

/// A database with these rows; `None` if the test run has no PostgreSQL.
pub(crate) async fn postgresql(rows: &[&str]) -> Option<Database> {
    let url = allclear_test_support::postgres()?;
    let database = Database::connect(&url, TestClock::stopped()).await.unwrap();
    for statement in rows {
        database.read().execute_unprepared(statement).await.unwrap();
    }
    Some(database)
}

/// Makes tests of the named functions of the module: each of them runs on SQLite and on PostgreSQL.
macro_rules! on_each_database {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let (database, _folder) = crate::fixture::sqlite().await;
                Box::pin(super::$name(&database)).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let Some(database) = crate::fixture::postgresql(&[]).await else { return };
                Box::pin(super::$name(&database)).await;
            })+
        }
    };
}
pub(crate) use on_each_database;

/// Adds an organisation whose name is its identifier.
pub(crate) async fn add_organisation(database: &Database, id: &str) -> OrganisationId {
    let organisation = OrganisationId::parse(id).unwrap();
    let known = NameRecord {
        name: id.into(),
        as_of: database.clock.now(),
    };
    let named = database.name_organisation(&organisation, known);
    named.await.unwrap();
    organisation
}

/// Inserts any number of rows in one transaction.
pub(crate) async fn insert<A: ActiveModelTrait + Send + 'static>(
    database: &Database,
    rows: Vec<A>,
) {
    database
        .write_unaudited(NoAuditItem::Upkeep, |transaction| {
            Box::pin(async move {
                let mut rows = rows.into_iter().peekable();
                while rows.peek().is_some() {
                    let some: Vec<A> = rows.by_ref().take(500).collect();
                    <A::Entity as EntityTrait>::insert_many(some)
                        .run(transaction)
                        .await?;
                }
                Ok(())
            })
        })
        .await
        .unwrap();
}

/// Makes SQLite refuse to remove a row of a table, `OLD`, that has too many rows of other tables.
pub(crate) async fn refuse_many_at_once(database: &Database, table: &str, has_many: &str) {
    let trigger = format!(
        "CREATE TRIGGER many_at_once BEFORE DELETE ON {table} WHEN {has_many} \
         BEGIN SELECT RAISE(ABORT, 'too many at once'); END"
    );
    let created = database.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
        Box::pin(async move {
            let created = transaction.execute_unprepared(&trigger).await;
            created.map(drop).map_err(broken)
        })
    });
    created.await.unwrap();
}

/// Imports this number of subscribers with a choice.
pub(crate) async fn add_subscribers(
    database: &Database,
    organisation: &OrganisationId,
    choice: &Choice,
    count: u128,
) {
    let subscriber = |number| {
        let target = Target::parse(Channel::Email, &format!("{number}@example.com"));
        let draft = SubscriberDraft {
            target: target.unwrap(),
            scope: Scope::Components(choice.clone()),
            mute_maintenances: false,
        };
        let id = SubscriberId(Uuid::from_u128(number));
        Subscriber::create(id, draft, DateTime::UNIX_EPOCH)
    };
    let subscribers: Vec<_> = (1..=count).map(subscriber).collect();
    for some in subscribers.chunks(500) {
        let batch = ImportBatch {
            subscribers: some.to_vec(),
            consent: Some("Asked in June".into()),
        };
        let imported = SubscriberStore::import(database, organisation, batch);
        imported.await.unwrap();
    }
}
