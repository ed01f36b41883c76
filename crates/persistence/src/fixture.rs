//! Rows for tests.

use allclear_application::directory::{DirectoryStore, NameRecord};
use allclear_domain::id::OrganisationId;
use sea_orm::{ActiveModelTrait, EntityTrait};

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
