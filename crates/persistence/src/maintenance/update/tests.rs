use allclear_domain::author::Author;
use chrono::{DateTime, Utc};

use super::*;
use crate::audit::NoAuditItem;
use crate::fixture::{add_organisation, insert, on_each_database};

const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;
const ID: Uuid = Uuid::from_u128(1);

/// Stores a maintenance, and the update as the deletion of its author's account leaves it.
async fn store(database: &Database, update: Model) {
    let organisation = add_organisation(database, "acme").await;
    let maintenance = maintenance::Model {
        id: ID,
        organisation_id: organisation.to_string(),
        code: "code".into(),
        title: "Move".into(),
        description: String::new(),
        start_at: AT,
        end_at: None,
        cancelled_at: None,
        created_at: AT,
        updated_at: AT,
        version: 0,
        published_status: "IN_PROGRESS".into(),
        next_change_at: None,
        shown_until: AT,
        notify: false,
        reschedules: 0,
    };
    insert(database, vec![maintenance.into_active_model()]).await;
    let update = Model {
        user_name: Author::DELETED.into(),
        ..update
    };
    insert(database, vec![update.into_active_model()]).await;
}

async fn edit_restores_no_name_that_was_removed_after_it_was_read(database: &Database) {
    let read = Model {
        maintenance_id: ID,
        id: ID,
        status: "INVESTIGATING".into(),
        message: "Read".into(),
        user_id: "ann".into(),
        user_name: "Ann".into(),
        created_at: AT,
        version: 0,
        display_at: AT,
        edited_at: None,
    };
    store(database, read.clone()).await;
    let edited = Model {
        message: "Edited".into(),
        edited_at: Some(AT),
        ..read.clone()
    };
    let upkeep = NoAuditItem::Upkeep;
    let stored = database.write_unaudited(upkeep, move |transaction| {
        Box::pin(store_edited(transaction, edited))
    });
    stored.await.unwrap();
    let found = Entity::find().fetch_one(database.read()).await.unwrap();
    let expected = Model {
        message: "Edited".into(),
        edited_at: Some(AT),
        user_name: Author::DELETED.into(),
        ..read
    };
    assert_eq!(found, Some(expected));
}

on_each_database!(edit_restores_no_name_that_was_removed_after_it_was_read);
