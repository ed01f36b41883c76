//! Rows for tests.

use allclear_application::directory::{DirectoryStore, NameRecord};
use allclear_application::subscriber::SubscriberStore;
use allclear_application::subscriber::import::ImportBatch;
use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::subscriber::{Choice, Scope, Subscriber, SubscriberDraft};
use chrono::DateTime;
use sea_orm::{ActiveModelTrait, EntityTrait};
use uuid::Uuid;

use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::statement::Run;

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
