use chrono::{DateTime, Utc};
use sea_orm::ActiveValue::Set;

use super::*;
use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::entity::component;
use crate::fixture::{add_organisation, insert, on_each_database};

const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;
const ID: Uuid = Uuid::from_u128(1);

/// Stores a component, and the period as the deletion of its author's account leaves it.
async fn store_read(database: &Database, period: Model) {
    let organisation = add_organisation(database, &period.organisation_id).await;
    let component = component::ActiveModel {
        id: Set(ID),
        organisation_id: Set(organisation.to_string()),
        code: Set("code".into()),
        name: Set("API".into()),
        description: Set(String::new()),
        status: Set("DEGRADED".into()),
        status_source: Set("OPERATOR".into()),
        created_at: Set(AT),
        updated_at: Set(AT),
        version: Set(0),
        ..Default::default()
    };
    insert(database, vec![component]).await;
    let period = Model {
        user_name: Some(Author::DELETED.into()),
        ..period
    };
    insert(database, vec![period.into_active_model()]).await;
}

async fn end_restores_no_name_that_was_removed_after_it_was_read(database: &Database) {
    let read = Model {
        id: ID,
        organisation_id: "acme".into(),
        component_id: ID,
        status: "DEGRADED".into(),
        start_at: AT,
        end_at: None,
        cause_type: OPERATOR.into(),
        incident_id: None,
        user_id: Some("ann".into()),
        user_name: Some("Ann".into()),
        version: 0,
    };
    store_read(database, read.clone()).await;
    let ended = Model {
        end_at: DateTime::from_timestamp(60, 0),
        version: 1,
        ..read
    };
    let changed = ChangedRows {
        stored: vec![ended.clone()],
        ..ChangedRows::default()
    };
    let upkeep = NoAuditItem::Upkeep;
    let stored = database.write_unaudited(upkeep, move |transaction| {
        Box::pin(changed.store(transaction))
    });
    stored.await.unwrap();
    let found = Entity::find().fetch_one(database.read()).await.unwrap();
    let expected = Model {
        user_name: Some(Author::DELETED.into()),
        ..ended
    };
    assert_eq!(found, Some(expected));
}

on_each_database!(end_restores_no_name_that_was_removed_after_it_was_read);
