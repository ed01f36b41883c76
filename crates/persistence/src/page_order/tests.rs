use allclear_application::component::ComponentStore;
use allclear_application::component_group::ComponentGroupStore;
use allclear_application::stamp::Stamp;
use allclear_domain::author::Author;
use allclear_domain::component::{Component, ComponentDraft};
use allclear_domain::component_group::{ComponentGroup, ComponentGroupPatch};
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, PaginatorTrait, QueryFilter};

use allclear_domain::page_order::OrderEntry;

use super::*;
use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::fixture::{add_organisation, on_each_database};

/// With two variables for each of these components, a statement would have too many for SQLite.
const MANY: u32 = 20_000;
const GROUP: ComponentGroupId = ComponentGroupId(Uuid::from_u128(1));
const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

async fn insert_group(database: &Database, organisation: &OrganisationId) {
    let create = Box::new(|stamp: Stamp| {
        let patch = ComponentGroupPatch {
            name: Some("Edge".into()),
            ..ComponentGroupPatch::default()
        };
        Ok(ComponentGroup::create(GROUP, patch, stamp.committed_at)?)
    });
    let created = ComponentGroupStore::insert(database, organisation, create);
    created.await.unwrap();
}

/// Components of the group.
async fn insert_many(database: &Database, organisation: &OrganisationId) {
    let component = |number: u32| component::ActiveModel {
        id: Set(Uuid::from_u128(number.into())),
        organisation_id: Set(organisation.to_string()),
        code: Set(number.to_string()),
        name: Set("API".into()),
        description: Set(String::new()),
        status: Set("OPERATIONAL".into()),
        status_source: Set("OPERATOR".into()),
        created_at: Set(AT),
        updated_at: Set(AT),
        version: Set(0),
        group_id: Set(Some(GROUP.0)),
        position: Set(number.cast_signed()),
        ..Default::default()
    };
    let rows: Vec<_> = (1..=MANY).map(component).collect();
    let inserted = database.write_unaudited(NoAuditItem::Upkeep, |transaction| {
        Box::pin(async move {
            for rows in batch::of_rows(&rows) {
                let rows = component::Entity::insert_many(rows.to_vec());
                rows.run(transaction).await?;
            }
            Ok(())
        })
    });
    inserted.await.unwrap();
}

/// Creates a component of the group. Returns its identifier.
async fn create(database: &Database, organisation: &OrganisationId) -> ComponentId {
    let create = Box::new(|stamp: Stamp| {
        let id = ComponentId(Uuid::max());
        let draft = ComponentDraft {
            name: "Web".into(),
            group: Some(GROUP),
            ..ComponentDraft::default()
        };
        let (zone, now) = (stamp.zone, stamp.committed_at);
        Ok(Component::create(id, draft, zone, now)?)
    });
    let author = Author {
        id: "user_1".into(),
        name: "Ann".into(),
    };
    let created = ComponentStore::insert(database, organisation, create, author);
    created.await.unwrap().state.component.id
}

async fn order_of_many_components_can_change(database: &Database) {
    let organisation = add_organisation(database, "acme").await;
    insert_group(database, &organisation).await;
    insert_many(database, &organisation).await;
    let mut components = vec![create(database, &organisation).await];
    components.extend((1..=MANY).map(|number| ComponentId(Uuid::from_u128(number.into()))));
    let order = || async { load(database.read(), &organisation).await.unwrap() };
    let entry = |group| OrderEntry {
        group,
        components: components.clone(),
    };
    assert!(order().await.entries == [entry(Some(GROUP))]);
    let deletion = Box::new(|group: ComponentGroup, _| Ok(group.delete()));
    let deleted = ComponentGroupStore::delete(database, &organisation, GROUP, deletion);
    let revision = deleted.await.unwrap().unwrap().commit.unwrap().revision.0;
    assert!(order().await.entries == [entry(None)]);
    let regrouped = component::Entity::find()
        .filter(component::Column::Version.eq(revision))
        .count(database.read());
    assert_eq!(regrouped.await.unwrap(), u64::from(MANY) + 1);
}

on_each_database!(order_of_many_components_can_change);
