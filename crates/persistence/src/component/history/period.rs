//! The rows of periods.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_domain::author::Author;
use allclear_domain::id::{ComponentId, IncidentId, OrganisationId, StatusPeriodId};
use allclear_domain::organisation::Revision;
use allclear_domain::status_period::{PeriodCause, PeriodChanges, StatusPeriod, StatusSpan};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, IntoActiveModel, Iterable, QueryFilter, QuerySelect};
use uuid::Uuid;

use crate::batch;
use crate::commit::Scope;
use crate::entity::component_period::{Column, Entity, Model};
use crate::entity::incident;
use crate::error::parse_stored;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

/// Words of the column `cause_type`.
const INCIDENT: &str = "INCIDENT";
const OPERATOR: &str = "OPERATOR";
const CORRECTION: &str = "CORRECTION";

/// The periods with the titles of the incidents that caused them.
pub(super) async fn periods_from(
    transaction: &Transaction,
    organisation: &OrganisationId,
    rows: Vec<Model>,
) -> Result<Vec<StatusPeriod>, Error> {
    let mut causes: Vec<_> = rows.iter().filter_map(|row| row.incident_id).collect();
    causes.sort_unstable();
    causes.dedup();
    let mut titles = HashMap::new();
    for ids in batch::of_keys(&causes) {
        let some = crate::incident::of(organisation)
            .select_only()
            .columns([incident::Column::Id, incident::Column::Title])
            .filter(incident::Column::Id.is_in(ids))
            .into_tuple::<(Uuid, String)>();
        titles.extend(some.fetch_all(transaction).await?);
    }
    rows.into_iter()
        .map(|row| period_from(row, &titles))
        .collect()
}

fn period_from(row: Model, titles: &HashMap<Uuid, String>) -> Result<StatusPeriod, Error> {
    let author = row
        .user_id
        .zip(row.user_name)
        .map(|(id, name)| Author { id, name });
    let cause = match (row.cause_type.as_str(), row.incident_id, author) {
        (INCIDENT, Some(id), _) => PeriodCause::Incident(IncidentId(id), titles.get(&id).cloned()),
        (OPERATOR, _, author) => PeriodCause::Operator(author),
        (CORRECTION, _, Some(author)) => PeriodCause::Correction(author),
        (word, ..) => {
            return Err(Error::internal(format!(
                "period {} has the cause {word}",
                row.id
            )));
        }
    };
    Ok(StatusPeriod {
        id: StatusPeriodId(row.id),
        span: StatusSpan {
            status: parse_stored(&row.status)?,
            start_at: row.start_at,
            end_at: row.end_at,
        },
        cause,
        version: Revision(row.version),
    })
}

/// Stores changes of components' histories under the revision of the commit. The caller stores
/// the components.
pub(super) async fn store(
    scope: Scope<'_>,
    histories: &[(ComponentId, PeriodChanges)],
) -> Result<(), Error> {
    let deleted = histories
        .iter()
        .flat_map(|(_, changes)| changes.deleted.iter().map(|id| id.0));
    let stored = histories.iter().flat_map(|(id, changes)| {
        let periods = changes.updated.iter().chain(&changes.inserted);
        periods.map(|period| model_of(scope, *id, period))
    });
    let rows = ChangedRows {
        deleted: deleted.collect(),
        stored: stored.collect(),
    };
    rows.store(scope.transaction).await
}

/// Rows of periods to store and to remove.
#[derive(Default)]
pub(super) struct ChangedRows {
    pub(super) deleted: Vec<Uuid>,
    /// New rows, and known ones with other values.
    pub(super) stored: Vec<Model>,
}

impl ChangedRows {
    pub(super) async fn store(self, transaction: &Transaction) -> Result<(), Error> {
        for ids in batch::of_keys(&self.deleted) {
            let rows = Entity::delete_many().filter(Column::Id.is_in(ids));
            rows.run(transaction).await?;
        }
        // The author of a period stays the same, and so does the stored name: the deletion of an
        // account may have replaced it after the row was read.
        let is_replaced = |column: &Column| {
            let stays = matches!(column, Column::Id | Column::UserId | Column::UserName);
            !stays
        };
        let known = OnConflict::column(Column::Id)
            .update_columns(Column::iter().filter(is_replaced))
            .to_owned();
        for rows in batch::of_rows(&self.stored) {
            let rows = rows.iter().cloned().map(Model::into_active_model);
            Entity::insert_many(rows)
                .on_conflict(known.clone())
                .run(transaction)
                .await?;
        }
        Ok(())
    }
}

/// The row of a period that this commit stores.
pub(super) fn model_of(scope: Scope<'_>, id: ComponentId, period: &StatusPeriod) -> Model {
    let (cause_type, incident_id, author) = match &period.cause {
        PeriodCause::Incident(id, _) => (INCIDENT, Some(id.0), None),
        PeriodCause::Operator(author) => (OPERATOR, None, author.clone()),
        PeriodCause::Correction(author) => (CORRECTION, None, Some(author.clone())),
    };
    let (user_id, user_name) = author.map(|Author { id, name }| (id, name)).unzip();
    Model {
        id: period.id.0,
        organisation_id: scope.organisation.as_str().to_owned(),
        component_id: id.0,
        status: period.span.status.to_string(),
        start_at: period.span.start_at,
        end_at: period.span.end_at,
        cause_type: cause_type.to_owned(),
        incident_id,
        user_id,
        user_name,
        version: scope.stamp.revision.0,
    }
}

#[cfg(test)]
mod tests;
