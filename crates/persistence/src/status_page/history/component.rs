//! The components that the pages of the public history name.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::status_page::history::NamedComponent;
use allclear_domain::id::{ComponentGroupId, ComponentId, OrganisationId};
use allclear_domain::page_order::{ComponentPlace, PageOrder, Positions};
use chrono::{DateTime, NaiveDate, Utc};
use sea_orm::{DerivePartialModel, QuerySelect, Select};
use uuid::Uuid;

use crate::component_group;
use crate::entity::component::Entity;
use crate::entity::component_group::Column as GroupColumn;
use crate::statement::Fetch;
use crate::transaction::Transaction;

#[derive(DerivePartialModel)]
#[sea_orm(entity = "crate::entity::component::Entity")]
pub(super) struct Row {
    pub(super) id: Uuid,
    name: String,
    group_id: Option<Uuid>,
    position: i32,
    pub(super) start_date: Option<NaiveDate>,
    pub(super) created_at: DateTime<Utc>,
}

/// A component of a page.
pub(super) struct ShownComponent {
    pub(super) row: Row,
    pub(super) component: NamedComponent,
}

/// The components that `query` selects, in the order of the status page.
pub(super) async fn named_in_page_order(
    transaction: &Transaction,
    organisation: &OrganisationId,
    query: Select<Entity>,
) -> Result<Vec<ShownComponent>, Error> {
    let rows: Vec<Row> = query.into_partial_model().fetch_all(transaction).await?;
    let groups: Vec<(Uuid, String, i32)> = component_group::of(organisation)
        .select_only()
        .columns([GroupColumn::Id, GroupColumn::Name, GroupColumn::Position])
        .into_tuple()
        .fetch_all(transaction)
        .await?;
    let place = |row: &Row| {
        let group = row.group_id.map(ComponentGroupId);
        let position = row.position;
        (ComponentId(row.id), ComponentPlace { group, position })
    };
    let positions = Positions {
        groups: groups
            .iter()
            .map(|(id, _, position)| (ComponentGroupId(*id), *position))
            .collect(),
        components: rows.iter().map(place).collect(),
    };
    let names: HashMap<_, _> = groups.into_iter().map(|(id, name, _)| (id, name)).collect();
    let mut rows: HashMap<_, _> = rows.into_iter().map(|row| (row.id, row)).collect();
    let listed = PageOrder::of(&positions)
        .entries
        .into_iter()
        .flat_map(|entry| entry.components)
        .filter_map(|id| rows.remove(&id.0))
        .map(|row| {
            let component = NamedComponent {
                code: ComponentId(row.id).code(),
                name: row.name.clone(),
                group: row.group_id.and_then(|group| names.get(&group).cloned()),
            };
            ShownComponent { row, component }
        });
    Ok(listed.collect())
}
