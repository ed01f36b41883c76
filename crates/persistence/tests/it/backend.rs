//! A new database for a test.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use allclear_application::clock::{Clock, TestClock};
use allclear_application::directory::{DirectoryStore, NameRecord};
use allclear_application::error::Error;
use allclear_application::outbox::Commit;
use allclear_application::page::Page;
use allclear_domain::author::Author;
use allclear_domain::id::OrganisationId;
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use uuid::Uuid;

pub(crate) struct Backend {
    pub(crate) database: Database,
    _folder: Option<tempfile::TempDir>,
}

pub(crate) fn clock() -> Arc<dyn Clock> {
    TestClock::system()
}

pub(crate) async fn sqlite() -> Backend {
    let folder = tempfile::tempdir().unwrap();
    allclear_test_support::migrated_sqlite(&sqlite_file(&folder), migrate).await;
    Backend {
        database: connected(&sqlite_url(&folder)).await,
        _folder: Some(folder),
    }
}

pub(crate) fn sqlite_url(folder: &tempfile::TempDir) -> String {
    format!("sqlite:{}", sqlite_file(folder).display())
}

fn sqlite_file(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("allclear.db")
}

/// `None` if the test run has no PostgreSQL.
pub(crate) async fn postgres() -> Option<Backend> {
    let url = allclear_test_support::migrated_postgres(migrate).await?;
    Some(Backend {
        database: connected(&url).await,
        _folder: None,
    })
}

pub(crate) async fn connected(url: &str) -> Database {
    Database::connect(url, clock()).await.unwrap()
}

async fn migrate(url: &str) {
    connected(url).await.close().await.unwrap();
}

/// Waits until a commit has a later time than those before: times are in milliseconds.
pub(crate) async fn next_millisecond() {
    let before = clock().now();
    while clock().now() <= before {
        tokio::task::yield_now().await;
    }
}

/// A part of a list: two items, those before the identifier.
pub(crate) fn two(before: Option<Uuid>) -> Page {
    Page {
        limit: Some(2),
        before,
    }
}

/// Asserts that storage finds nothing.
pub(crate) async fn assert_none<T>(found: impl Future<Output = Result<Option<T>, Error>>) {
    assert!(found.await.unwrap().is_none());
}

pub(crate) fn author() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ada ☃".into(),
    }
}

pub(crate) async fn organisation(database: &Database, id: &str) -> OrganisationId {
    let id = OrganisationId::parse(id).unwrap();
    name_organisation(database, &id, "Acme").await;
    id
}

/// Names an organisation as a provider does, and creates it if it does not exist.
pub(crate) async fn name_organisation(
    database: &Database,
    id: &OrganisationId,
    name: &str,
) -> Option<Commit> {
    static REPORTS: AtomicI64 = AtomicI64::new(0);
    let seconds = REPORTS.fetch_add(1, Ordering::Relaxed);
    let known = NameRecord {
        name: name.to_owned(),
        as_of: NameRecord::NEVER + TimeDelta::seconds(seconds + 1),
    };
    let named = DirectoryStore::name_organisation(database, id, known).await;
    named.unwrap().commit
}
