//! Reminders of open incidents.

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::operator_mail::{OperatorMailContent, Reminder};
use allclear_domain::id::IncidentId;
use allclear_domain::reminder::OpenIncident;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Query, SelectStatement, WindowStatement};
use sea_orm::{Condition, ConnectionTrait, FromQueryResult, Order};
use uuid::Uuid;

use super::queue;
use crate::entity::{incident, incident_update, organisation};
use crate::error::{broken, parse_stored};
use crate::organisation::lock::lock;
use crate::statement::RunStatement;
use crate::transaction::Transaction;

/// When the operators were last reminded or the incident was reopened. The other queries of
/// incidents do not read it.
const REMINDED_AT: &str = "reminded_at";

/// An open incident of an organisation with reminders.
#[derive(Debug, FromQueryResult)]
pub(super) struct OpenRow {
    id: Uuid,
    pub(super) organisation_id: String,
    title: String,
    created_at: DateTime<Utc>,
    updated_at: Option<DateTime<Utc>>,
    reminded_at: Option<DateTime<Utc>>,
    reminder_hours: i32,
}

impl OpenRow {
    const fn times(&self) -> OpenIncident {
        OpenIncident {
            created_at: self.created_at,
            updated_at: self.updated_at,
            reminded_at: self.reminded_at,
        }
    }

    fn is_due(&self, now: DateTime<Utc>) -> Result<bool, Error> {
        let hours = u16::try_from(self.reminder_hours).map_err(Error::internal)?;
        Ok(self.times().reminder_due_at(hours) <= now)
    }
}

/// The incidents of which the operators are to be reminded.
pub(super) async fn due(
    connection: &impl ConnectionTrait,
    now: DateTime<Utc>,
) -> Result<Vec<OpenRow>, Error> {
    let rows = connection.fetch_rows(&open()).await?;
    let mut due = Vec::new();
    for row in rows {
        let row = OpenRow::from_query_result(&row, "").map_err(broken)?;
        if row.is_due(now)? {
            due.push(row);
        }
    }
    Ok(due)
}

/// The newest open incidents of each organisation with reminders, newest first: those of which its
/// operators may be reminded.
pub(super) fn open() -> SelectStatement {
    use incident::{Column, Entity};
    use incident_update::{Column as UpdateColumn, Entity as Update};
    use organisation::{Column as OrganisationColumn, Entity as Organisation};

    let newest_first = WindowStatement::partition_by((Organisation, OrganisationColumn::Id))
        .order_by((Entity, Column::Id), Order::Desc)
        .take();
    let (numbered, number) = (Alias::new("numbered"), Alias::new("number"));
    let incidents = Query::select()
        .columns([Column::Id, Column::OrganisationId].map(|column| (Entity, column)))
        .column((Organisation, OrganisationColumn::ReminderHours))
        .expr_window_as(Expr::cust("ROW_NUMBER()"), newest_first, number.clone())
        .from(Organisation)
        .inner_join(
            Entity,
            Expr::col((Entity, Column::OrganisationId))
                .equals((Organisation, OrganisationColumn::Id)),
        )
        .and_where(Expr::col((Organisation, OrganisationColumn::ReminderHours)).is_not_null())
        .and_where(Expr::col((Entity, Column::ResolvedAt)).is_null())
        .take();
    // Identifiers have the order of commits.
    let newest = Query::select()
        .column((Update, UpdateColumn::CreatedAt))
        .from(Update)
        .and_where(Expr::col((Update, UpdateColumn::IncidentId)).equals((Entity, Column::Id)))
        .order_by((Update, UpdateColumn::Id), Order::Desc)
        .limit(1)
        .take();
    let columns = [
        Column::Id,
        Column::OrganisationId,
        Column::Title,
        Column::CreatedAt,
    ];
    Query::select()
        .columns(columns.map(|column| (Entity, column)))
        .column((Entity, REMINDED_AT))
        .column((numbered.clone(), OrganisationColumn::ReminderHours))
        .expr_as(newest, "updated_at")
        .from_subquery(incidents, numbered.clone())
        .inner_join(
            Entity,
            Expr::col((Entity, Column::Id)).equals((numbered.clone(), Column::Id)),
        )
        .and_where(Expr::col((numbered.clone(), number)).lte(OpenIncident::REMINDED as u64))
        // By these columns: for those of the table, SQLite would use an index through all incidents
        // of all organisations.
        .order_by((numbered.clone(), Column::OrganisationId), Order::Asc)
        .order_by((numbered, Column::Id), Order::Desc)
        .take()
}

/// Stores that a reminder was made, and queues its mails. `false` if another node has done so, or
/// the incident has changed meanwhile.
pub(super) async fn queue(
    transaction: &Transaction,
    clock: &dyn Clock,
    due: &OpenRow,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    let organisation = parse_stored(&due.organisation_id)?;
    // Locks the organisation first, as every write of an incident does, so that the two
    // cannot deadlock.
    if lock(transaction, &organisation).await?.is_none() || !claim(transaction, due, now).await? {
        return Ok(false);
    }
    let content = OperatorMailContent::Reminder(Reminder {
        incident: due.id,
        title: due.title.clone(),
        silent_since: due.times().silent_since(),
        hours: due.times().silent_hours(now),
        never_updated: due.updated_at.is_none(),
    });
    queue::insert(transaction, clock, &organisation, &content, now).await?;
    Ok(true)
}

async fn claim(
    transaction: &Transaction,
    due: &OpenRow,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    let reminded = Expr::col(REMINDED_AT);
    let as_read = match due.reminded_at {
        Some(at) => reminded.eq(at),
        None => reminded.is_null(),
    };
    let later_update = later_update(due.id, due.times().silent_since());
    let claim = Query::update()
        .table(incident::Entity)
        .value(REMINDED_AT, now)
        .and_where(Expr::col(incident::Column::Id).eq(due.id))
        .and_where(Expr::col(incident::Column::ResolvedAt).is_null())
        .cond_where(Condition::all().add(as_read))
        .and_where(Expr::exists(later_update).not())
        .take();
    let claimed = transaction.run_statement(&claim).await?;
    Ok(claimed > 0)
}

/// Whether a reminder that was queued at `queued_at` is still right: the incident is open and has
/// no later update, and no later reminder is queued.
pub(super) async fn is_needed(
    transaction: &Transaction,
    reminder: &Reminder,
    queued_at: DateTime<Utc>,
) -> Result<bool, Error> {
    let later_update = later_update(reminder.incident, reminder.silent_since);
    let needed = Query::select()
        .expr(Expr::val(1))
        .from(incident::Entity)
        .and_where(Expr::col(incident::Column::Id).eq(reminder.incident))
        .and_where(Expr::col(incident::Column::ResolvedAt).is_null())
        .and_where(Expr::col(REMINDED_AT).lte(queued_at))
        .and_where(Expr::exists(later_update).not())
        .take();
    Ok(transaction.fetch_row(&needed).await?.is_some())
}

/// The updates of an incident that were recorded after the given time.
fn later_update(incident: Uuid, since: DateTime<Utc>) -> SelectStatement {
    use incident_update::{Column as UpdateColumn, Entity as Update};

    Query::select()
        .expr(Expr::val(1))
        .from(Update)
        .and_where(Expr::col((Update, UpdateColumn::IncidentId)).eq(incident))
        .and_where(Expr::col((Update, UpdateColumn::CreatedAt)).gt(since))
        .take()
}

/// Begins to count the time without an update, for an incident that is open again.
pub(crate) async fn restart_count(
    transaction: &Transaction,
    incident: IncidentId,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let restart = Query::update()
        .table(incident::Entity)
        .value(REMINDED_AT, now)
        .and_where(Expr::col(incident::Column::Id).eq(incident.0))
        .take();
    transaction.run_statement(&restart).await?;
    Ok(())
}
