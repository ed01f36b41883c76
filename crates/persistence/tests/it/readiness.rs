use std::error::Error as _;

use allclear_application::component::ComponentStore;
use allclear_application::error::Error;
use allclear_application::health::{NotReady, Readiness};
use allclear_application::transition::CreateTransition;
use allclear_application::usage_limit::UsageLimits;
use allclear_domain::component::{Component, ComponentDraft, ComponentStatus};
use allclear_domain::id::ComponentId;
use allclear_persistence::database::Database;
use sea_orm::ConnectionTrait;
use tokio::task::JoinSet;

use crate::backend::{author, clock, organisation, sqlite_url};
use crate::contract;

contract!(
    connected_database_is_ready,
    of_twenty_components_created_at_once_as_many_as_allowed_are_stored,
);

async fn connected_database_is_ready(database: &Database) {
    for _ in 0..3 {
        database.ready().await.unwrap();
    }
}

async fn of_twenty_components_created_at_once_as_many_as_allowed_are_stored(database: &Database) {
    let organisation = organisation(database, "org_limited").await;
    let limits = UsageLimits {
        components: Some(5),
        ..UsageLimits::default()
    };
    let database = database.clone().limited(limits);
    let mut requests = JoinSet::new();
    for _ in 0..20 {
        let (database, organisation) = (database.clone(), organisation.clone());
        let draft = ComponentDraft {
            name: "API".into(),
            description: String::new(),
            status: ComponentStatus::Operational,
            ..ComponentDraft::default()
        };
        let created: CreateTransition<Component> = Box::new(move |stamp| {
            Ok(Component::create(
                ComponentId(stamp.id),
                draft,
                stamp.zone,
                stamp.committed_at,
            )?)
        });
        requests.spawn(async move { database.insert(&organisation, created, author()).await });
    }
    let outcomes = requests.join_all().await;
    let stored = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let result = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Err(Error::Conflict(_))))
        .count();
    assert_eq!((stored, result), (5, 15));
}

#[tokio::test(flavor = "multi_thread")]
async fn database_that_something_else_holds_is_not_ready_until_it_is_let_go() {
    let folder = tempfile::tempdir().unwrap();
    let url = sqlite_url(&folder);
    let database = Database::connect(&url, clock()).await.unwrap();
    let mut options = sea_orm::ConnectOptions::new(&url);
    options.max_connections(1);
    let other = sea_orm::Database::connect(options).await.unwrap();
    other.execute_unprepared("BEGIN IMMEDIATE").await.unwrap();
    let not_ready = database.ready().await.unwrap_err();
    let NotReady::NotWritable(cause) = not_ready else {
        panic!("{not_ready:?}")
    };
    assert!(cause.source().is_some(), "{cause:?}");
    other.execute_unprepared("ROLLBACK").await.unwrap();
    let mut ticks = tokio::time::interval(std::time::Duration::from_millis(100));
    let released = async {
        while database.ready().await.is_err() {
            ticks.tick().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), released)
        .await
        .expect("it is ready again");
}
