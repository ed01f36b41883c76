//! The state from which the Statuspage API, feeds and webhooks are drawn.

mod attached;
mod incident;
mod lists;
mod maintenance;
#[cfg(test)]
mod query_plan_tests;

use std::collections::HashMap;

use allclear_application::error::{Error, Resource};
use allclear_application::status_page::incident::TIMELINE_LENGTH;
use allclear_application::statuspage_api::{StatuspageState, StatuspageStateStore, TEXT_BYTES};
use allclear_domain::code::Code;
use allclear_domain::id::{ComponentId, OrganisationId};
use allclear_domain::statuspage_entry::{RecordedUpdate, StatuspageEntry};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ConnectionTrait, EntityTrait, FromQueryResult, Order, QueryResult, QuerySelect};
use uuid::Uuid;

use self::attached::PageComponents;
use self::lists::{ListBudget, UpdateLists};
use crate::affected::read_change;
use crate::database::Database;
use crate::entity;
use crate::error::{broken, parse_stored};
use crate::maintenance::component::UnderMaintenance;
use crate::organisation;
use crate::statement::{Fetch, RunStatement};
use crate::status_page::in_page_order;
use crate::timeline::{PARENT, Selected, columns_of};
use crate::transaction::Transaction;

#[async_trait]
impl StatuspageStateStore for Database {
    async fn statuspage_state(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<StatuspageState>, Error> {
        let id = organisation.clone();
        let links = self.links.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let Some(organisation) = organisation::find(transaction, &id).await? else {
                    return Ok(None);
                };
                let url = links.page(&id, organisation.verified_domain());
                let updated_at = updated_at(transaction, &id).await?;
                let maintained = UnderMaintenance::read(transaction, &id, now).await?;
                let (groups, components) = in_page_order(transaction, &id, &maintained).await?;
                let incidents =
                    incident::records(transaction, &id, &PageComponents::new(&groups, &components))
                        .await?;
                Ok(Some(StatuspageState {
                    organisation,
                    url,
                    updated_at,
                    groups,
                    components,
                    incidents,
                    maintenances: maintenance::records(transaction, &id, now).await?,
                    read_at: now,
                }))
            })
        })
        .await
    }
}

/// When something public of an organisation changed last.
async fn updated_at(
    transaction: &Transaction,
    id: &OrganisationId,
) -> Result<DateTime<Utc>, Error> {
    use entity::organisation::{Column, Entity};
    let times: Option<(DateTime<Utc>, DateTime<Utc>)> = Entity::find_by_id(id.as_str())
        .select_only()
        .columns([Column::CommittedAt, Column::CreatedAt])
        .into_tuple()
        .fetch_one(transaction)
        .await?;
    let (committed_at, created_at) = times.ok_or(Error::NotFound(Resource::Organisation))?;
    // An organisation without a commit has an earlier time.
    Ok(std::cmp::max(committed_at, created_at))
}

/// Columns of an update for the Statuspage API.
#[derive(FromQueryResult)]
struct UpdateRow {
    id: Uuid,
    status: String,
    message: String,
    created_at: DateTime<Utc>,
    edited_at: Option<DateTime<Utc>>,
    display_at: DateTime<Utc>,
}

/// The updates of each incident or maintenance, newest first.
#[derive(Default)]
struct Updates(HashMap<Uuid, Vec<RecordedUpdate>>);

impl Updates {
    /// Reads the newest updates of incidents or maintenances, and the lists that fit.
    async fn read(
        transaction: &Transaction,
        lists: UpdateLists,
        parents: &[Uuid],
        budget: &mut ListBudget,
    ) -> Result<Self, Error> {
        let backend = transaction.get_database_backend();
        let newest = |columns: &[Selected]| {
            lists
                .table
                .newest(backend, parents.iter().copied(), columns)
        };
        let sizes = transaction.fetch_rows(&newest(&lists.sizes())).await?;
        let last = lists.last_that_fits(&sizes, budget)?;
        let columns = [
            lists.table.entry_columns(),
            columns_of(lists.table.name, &["edited_at"]),
            lists.lists_until(last),
        ]
        .concat();
        let mut updates = Self::default();
        for row in transaction.fetch_rows(&newest(&columns)).await? {
            updates.push(lists, &row)?;
        }
        Ok(updates)
    }

    /// Adds the next older update of its incident or maintenance.
    fn push(&mut self, lists: UpdateLists, row: &QueryResult) -> Result<(), Error> {
        let parent: Uuid = row.try_get("", PARENT).map_err(broken)?;
        let updates = self.0.entry(parent).or_default();
        if updates.len() as u64 >= TIMELINE_LENGTH {
            return Ok(());
        }
        let list = |index: usize| -> Result<Option<String>, Error> {
            let list = lists.columns.get(index);
            list.map_or(Ok(None), |list| row.try_get("", list).map_err(broken))
        };
        let affected = read_change(list(0)?.as_deref(), list(1)?.as_deref())?;
        let row = UpdateRow::from_query_result(row, "").map_err(broken)?;
        updates.push(RecordedUpdate {
            code: Code::of(row.id.as_bytes()),
            status: parse_stored(&row.status)?,
            message: row.message,
            created_at: row.created_at,
            edited_at: row.edited_at,
            display_at: row.display_at,
            affected,
        });
        Ok(())
    }

    fn take(&mut self, parent: Uuid) -> Vec<RecordedUpdate> {
        self.0.remove(&parent).unwrap_or_default()
    }
}

/// The common size limit of texts.
struct TextBudget(usize);

impl TextBudget {
    const fn new() -> Self {
        Self(TEXT_BYTES)
    }

    /// Removes entries between the newest one and the description if they do not fit.
    fn fit(&mut self, entries: &mut Vec<StatuspageEntry>) {
        let size = |entries: &[StatuspageEntry]| entries.iter().map(size_of).sum::<usize>();
        if size(entries) > self.0 && entries.len() > 2 {
            entries.drain(1..entries.len() - 1);
        }
        self.0 = self.0.saturating_sub(size(entries));
    }
}

/// About the bytes of an entry as JSON, without its components, which have a limit of their own.
fn size_of(entry: &StatuspageEntry) -> usize {
    entry.body.len() + 300
}

#[derive(FromQueryResult)]
struct LinkRow {
    parent: Uuid,
    component_id: Uuid,
    status: Option<String>,
    deleted_at: Option<DateTime<Utc>>,
}

/// Selects the components that `table` links with incidents or maintenances, the oldest first.
fn links(table: &'static str, parent: &'static str, ids: &[Uuid], status: Expr) -> SelectStatement {
    use entity::component::{Column, Entity};
    Query::select()
        .expr_as(Expr::col((table, parent)), "parent")
        .expr_as(Expr::col((Entity, Column::Id)), "component_id")
        .expr_as(status, "status")
        .column((Entity, Column::DeletedAt))
        .from(table)
        .inner_join(
            Entity,
            Expr::col((Entity, Column::Id)).equals((table, "component_id")),
        )
        .and_where(Expr::col((table, parent)).is_in(ids.iter().copied()))
        .order_by((Entity, Column::Id), Order::Asc)
        .take()
}

/// The links of each incident or maintenance.
async fn read_links(
    transaction: &Transaction,
    query: &SelectStatement,
) -> Result<HashMap<Uuid, Vec<LinkRow>>, Error> {
    let mut links: HashMap<_, Vec<_>> = HashMap::new();
    for row in transaction.fetch_rows(query).await? {
        let row = LinkRow::from_query_result(&row, "").map_err(broken)?;
        links.entry(row.parent).or_default().push(row);
    }
    Ok(links)
}

/// The components of these links that are not deleted.
fn live(links: &[LinkRow]) -> Vec<ComponentId> {
    links
        .iter()
        .filter(|link| link.deleted_at.is_none())
        .map(|link| ComponentId(link.component_id))
        .collect()
}
