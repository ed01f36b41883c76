//! Incidents with their entries.

use std::collections::{BTreeSet, HashMap};

use allclear_application::error::Error;
use allclear_application::statuspage::{IncidentRecord, LISTED, OPEN_SHOWN};
use allclear_domain::component::ComponentStatus;
use allclear_domain::entry::{Postmortem, of_incident};
use allclear_domain::id::OrganisationId;
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect, Select,
};
use uuid::Uuid;

use super::{TextBudget, Updates, links, live, read_links};
use crate::affected::read_change;
use crate::entity::incident::{Column, Entity};
use crate::entity::{incident_component, incident_review};
use crate::error::{broken, parse_stored};
use crate::incident::public::unresolved;
use crate::incident::{by_ids, incident, of, timeline};
use crate::timeline::AT_ONCE;
use crate::transaction::Transaction;

/// The newest incidents, and those that are not resolved, newest first.
pub(super) async fn records(
    transaction: &Transaction,
    organisation: &OrganisationId,
) -> Result<Vec<IncidentRecord>, Error> {
    let mut ids = BTreeSet::new();
    for selected in [newest(organisation), open(organisation)] {
        let found: Vec<Uuid> = selected
            .into_tuple()
            .all(transaction)
            .await
            .map_err(broken)?;
        ids.extend(found);
    }
    // Identifiers are in the order of creation.
    let ids: Vec<_> = ids.into_iter().rev().collect();
    let mut budget = TextBudget::new();
    let mut records = Vec::with_capacity(ids.len());
    for some in ids.chunks(AT_ONCE) {
        for mut record in read(transaction, some).await? {
            budget.fit(&mut record.entries);
            records.push(record);
        }
    }
    Ok(records)
}

pub(super) fn newest(organisation: &OrganisationId) -> Select<Entity> {
    ids(of(organisation)).limit(LISTED as u64)
}

pub(super) fn open(organisation: &OrganisationId) -> Select<Entity> {
    ids(Entity::find().filter(unresolved(organisation))).limit(OPEN_SHOWN)
}

fn ids(incidents: Select<Entity>) -> Select<Entity> {
    incidents
        .select_only()
        .column(Column::Id)
        .order_by_desc(Column::Id)
}

#[derive(FromQueryResult)]
struct AttachedRow {
    id: Uuid,
    affected_before: Option<String>,
    affected_after: Option<String>,
}

/// Selects the components at the creation of incidents.
fn attached(ids: &[Uuid]) -> SelectStatement {
    Query::select()
        .columns(["id", "affected_before", "affected_after"])
        .from(Entity)
        .and_where(Expr::col("id").is_in(ids.iter().copied()))
        .take()
}

async fn read(transaction: &Transaction, ids: &[Uuid]) -> Result<Vec<IncidentRecord>, Error> {
    let these = || by_ids(ids.iter().copied());
    let rows = Entity::find()
        .filter(these())
        .order_by_desc(Column::Id)
        .all(transaction)
        .await
        .map_err(broken)?;
    let mut first = HashMap::new();
    for row in transaction
        .query_all(&attached(ids))
        .await
        .map_err(broken)?
    {
        let row = AttachedRow::from_query_result(&row, "").map_err(broken)?;
        let affected = read_change(
            row.affected_before.as_deref(),
            row.affected_after.as_deref(),
        )?;
        first.insert(row.id, affected);
    }
    let columns = [
        timeline::COLUMNS.as_slice(),
        &["edited_at", "affected_before", "affected_after"],
    ]
    .concat();
    let query = timeline::newest(transaction.get_database_backend(), these(), &columns);
    let mut updates = Updates::default();
    for row in transaction.query_all(&query).await.map_err(broken)? {
        updates.push("incident_id", &row, Some("affected_after"))?;
    }
    let reviews = incident_review::Entity::find()
        .filter(incident_review::Column::IncidentId.is_in(ids.iter().copied()))
        .filter(incident_review::Column::PublishedAt.is_not_null())
        .all(transaction)
        .await
        .map_err(broken)?;
    let mut reviews: HashMap<_, _> = reviews
        .into_iter()
        .map(|review| (review.incident_id, review))
        .collect();
    let status = Expr::col((
        incident_component::Entity,
        incident_component::Column::Status,
    ));
    let links = links("incident_components", "incident_id", ids, status);
    let mut links = read_links(transaction, &links).await?;
    rows.into_iter()
        .map(|row| {
            let id = row.id;
            let incident = incident(row)?;
            let links = links.remove(&id).unwrap_or_default();
            let review = reviews.remove(&id).and_then(|review| {
                Some(Postmortem {
                    published_at: review.published_at?,
                    body: review.body,
                })
            });
            let impacts = links.iter().filter_map(|link| link.status.as_deref());
            Ok(IncidentRecord {
                impacts: impacts
                    .map(parse_stored::<ComponentStatus>)
                    .collect::<Result<_, _>>()?,
                components: live(&links),
                reviewed_at: review.as_ref().map(|review| review.published_at),
                entries: of_incident(
                    &incident,
                    first.remove(&id).flatten(),
                    updates.take(id),
                    review,
                ),
                incident,
            })
        })
        .collect()
}
