//! Incidents with their entries.

use std::collections::{BTreeSet, HashMap};

use allclear_application::error::Error;
use allclear_application::statuspage_api::{IncidentRecord, LISTED, OPEN_LISTED};
use allclear_domain::id::{ComponentId, OrganisationId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::Incident;
use allclear_domain::statuspage_entry::{Postmortem, StatuspageAffectedComponent, StatuspageEntry};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, Select,
};
use uuid::Uuid;

use super::attached::PageComponents;
use super::lists::{self, ListBudget, UpdateLists};
use super::{LinkRow, TextBudget, Updates, links, live, read_links};
use crate::affected::{self, read_change};
use crate::entity::incident::{Column, Entity};
use crate::entity::{incident_component, incident_review};
use crate::error::{broken, parse_stored};
use crate::incident::public::open_ids;
use crate::incident::{by_ids, of, timeline};
use crate::statement::Fetch;
use crate::timeline::MAX_TIMELINES_PER_READ;
use crate::transaction::Transaction;

/// Columns of an incident and of an update: the components before and after its change.
const LISTS: [&str; 2] = [affected::BEFORE, affected::AFTER];

const UPDATES: UpdateLists = UpdateLists {
    table: timeline::UPDATES,
    columns: &LISTS,
};

/// The newest incidents, those that are not resolved, and those that were resolved last,
/// newest first.
pub(super) async fn records(
    transaction: &Transaction,
    organisation: &OrganisationId,
    page: &PageComponents<'_>,
) -> Result<Vec<IncidentRecord>, Error> {
    let mut open = open_ids(transaction, organisation).await?;
    open.truncate(OPEN_LISTED);
    let mut ids = BTreeSet::from_iter(open);
    for selected in [newest(organisation), resolved_last(organisation)] {
        let found: Vec<Uuid> = selected.into_tuple().fetch_all(transaction).await?;
        ids.extend(found);
    }
    // Identifiers are in the order of creation.
    let ids: Vec<_> = ids.into_iter().rev().collect();
    let (mut budget, mut lists) = (TextBudget::new(), ListBudget::new());
    let mut records = Vec::with_capacity(ids.len());
    for some in ids.chunks(MAX_TIMELINES_PER_READ) {
        for mut record in read(transaction, some, page, &mut lists).await? {
            budget.fit(&mut record.entries);
            records.push(record);
        }
    }
    Ok(records)
}

pub(super) fn newest(organisation: &OrganisationId) -> Select<Entity> {
    ids(of(organisation))
        .order_by_desc(Column::Id)
        .limit(LISTED as u64)
}

/// The feeds begin with the newest entries, also of old incidents.
pub(super) fn resolved_last(organisation: &OrganisationId) -> Select<Entity> {
    ids(of(organisation).filter(Column::ResolvedAt.is_not_null()))
        .order_by_desc(Column::ResolvedAt)
        .limit(LISTED as u64)
}

fn ids(incidents: Select<Entity>) -> Select<Entity> {
    incidents.select_only().column(Column::Id)
}

#[derive(FromQueryResult)]
struct AttachedRow {
    id: Uuid,
    affected_before: Option<String>,
    affected_after: Option<String>,
}

async fn read(
    transaction: &Transaction,
    ids: &[Uuid],
    page: &PageComponents<'_>,
    lists: &mut ListBudget,
) -> Result<Vec<IncidentRecord>, Error> {
    let rows = Entity::find()
        .filter(by_ids(ids.iter().copied()))
        .order_by_desc(Column::Id)
        .fetch_all(transaction)
        .await?;
    let mut affected = read_affected(transaction, ids, lists).await?;
    let mut updates = read_updates(transaction, ids, lists).await?;
    let mut postmortems = read_postmortems(transaction, ids).await?;
    let status = Expr::col((
        incident_component::Entity,
        incident_component::Column::Status,
    ));
    let links = links("incident_components", "incident_id", ids, status);
    let mut links = read_links(transaction, &links).await?;
    let mut records = Vec::with_capacity(rows.len());
    for row in rows {
        let id = row.id;
        let incident = Incident::try_from(row)?;
        let links = links.remove(&id).unwrap_or_default();
        let postmortem = postmortems.remove(&id);
        let affected = affected.remove(&id).flatten();
        let impacts = links
            .iter()
            .filter_map(attachment)
            .collect::<Result<Vec<_>, _>>()?;
        records.push(IncidentRecord {
            components: live(&links),
            reviewed_at: postmortem.as_ref().map(|review| review.published_at),
            entries: StatuspageEntry::all_of_incident(
                &incident,
                affected,
                updates.take(id),
                postmortem,
                || page.of_incident(&incident, &impacts, lists),
            ),
            impacts,
            incident,
        });
    }
    Ok(records)
}

fn attachment(link: &LinkRow) -> Option<Result<Attachment, Error>> {
    let status = parse_stored(link.status.as_deref()?);
    Some(status.map(|status| Attachment {
        component_id: ComponentId(link.component_id),
        status,
    }))
}

/// The components that each incident affected when it was created.
async fn read_affected(
    transaction: &Transaction,
    ids: &[Uuid],
    budget: &mut ListBudget,
) -> Result<HashMap<Uuid, Option<Vec<StatuspageAffectedComponent>>>, Error> {
    let rows = lists::read(transaction, "incidents", &LISTS, ids, budget).await?;
    let mut affected = HashMap::new();
    for row in rows {
        let row = AttachedRow::from_query_result(&row, "").map_err(broken)?;
        let (before, after) = (row.affected_before, row.affected_after);
        affected.insert(row.id, read_change(before.as_deref(), after.as_deref())?);
    }
    Ok(affected)
}

/// The newest updates of each incident.
async fn read_updates(
    transaction: &Transaction,
    ids: &[Uuid],
    budget: &mut ListBudget,
) -> Result<Updates, Error> {
    Updates::read(transaction, UPDATES, ids, budget).await
}

/// The published review of each incident that has one.
async fn read_postmortems(
    transaction: &Transaction,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, Postmortem>, Error> {
    let reviews = incident_review::Entity::find()
        .filter(incident_review::Column::IncidentId.is_in(ids.iter().copied()))
        .filter(incident_review::Column::PublishedAt.is_not_null())
        .fetch_all(transaction)
        .await?;
    let postmortem = |review: incident_review::Model| {
        let postmortem = Postmortem {
            published_at: review.published_at?,
            body: review.body,
        };
        Some((review.incident_id, postmortem))
    };
    Ok(reviews.into_iter().filter_map(postmortem).collect())
}
