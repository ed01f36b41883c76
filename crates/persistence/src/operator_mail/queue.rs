//! The queue of mails to operators.

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::operator_mail::{
    ClaimedMails, MAX_RECIPIENTS, OperatorMail, OperatorMailContent,
};
use allclear_domain::id::OrganisationId;
use allclear_domain::membership::Role;
use allclear_domain::permission::Permission;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, Query, SelectStatement};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, Order,
    QueryFilter, QueryOrder, QueryResult, QuerySelect,
};
use uuid::Uuid;

use super::reminder;
use crate::entity::operator_mail::{ActiveModel, Column, Entity, Model};
use crate::entity::{membership, organisation, user};
use crate::error::{broken, parse_stored};
use crate::statement::{Fetch, Run, RunStatement, executed_once};
use crate::transaction::Transaction;

/// The permission of the members that receive a mail.
const fn permission_for(content: &OperatorMailContent) -> Permission {
    match content {
        OperatorMailContent::Reminder(_) => Permission::Write,
        OperatorMailContent::Digest(_) => Permission::Administer,
    }
}

/// The accounts that receive a mail, at most [`MAX_RECIPIENTS`].
async fn recipients(
    transaction: &Transaction,
    organisation: &OrganisationId,
    content: &OperatorMailContent,
) -> Result<Vec<Uuid>, Error> {
    use membership::{Column, Entity};

    let roles = Role::with_permission(permission_for(content)).map(|role| role.to_string());
    let is_admin = Expr::col((Entity, Column::Role)).eq(Role::Admin.to_string());
    Entity::find()
        .select_only()
        .column(Column::UserId)
        .inner_join(user::Entity)
        .filter(user::Column::NeedsAddress.eq(false))
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .filter(Column::Role.is_in(roles))
        // Admins first, in case there are too many.
        .order_by_desc(is_admin)
        .order_by_asc(Column::CreatedAt)
        .limit(MAX_RECIPIENTS)
        .into_tuple()
        .fetch_all(transaction)
        .await
}

/// Queues a mail to each recipient whose confirmed address is known.
pub(super) async fn insert(
    transaction: &Transaction,
    clock: &dyn Clock,
    organisation: &OrganisationId,
    content: &OperatorMailContent,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let incident = match content {
        OperatorMailContent::Reminder(reminder) => Some(reminder.incident),
        OperatorMailContent::Digest(_) => None,
    };
    let users = recipients(transaction, organisation, content).await?;
    if users.is_empty() {
        return Ok(());
    }
    let content = serde_json::to_string(content).map_err(Error::internal)?;
    let rows = users.into_iter().map(|user| ActiveModel {
        id: Set(clock.id()),
        organisation_id: Set(organisation.as_str().to_owned()),
        user_id: Set(user),
        incident_id: Set(incident),
        content: Set(content.clone()),
        created_at: Set(now),
        due_at: Set(now),
        attempts: Set(0),
        unconfirmed: Set(0),
    });
    Entity::insert_many(rows).run(transaction).await?;
    Ok(())
}

pub(super) async fn is_due(
    connection: &impl ConnectionTrait,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    let due = connection.fetch_row(&due(now, 1)).await?;
    Ok(due.is_some())
}

/// The mails that have been due for the longest time.
pub(super) fn due(now: DateTime<Utc>, limit: u64) -> SelectStatement {
    Query::select()
        .column(Column::Id)
        .from(Entity)
        .and_where(Column::DueAt.lte(now))
        .order_by(Column::DueAt, Order::Asc)
        .limit(limit)
        .take()
}

pub(super) async fn claim(
    transaction: &Transaction,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
    limit: u64,
) -> Result<ClaimedMails, Error> {
    const FREE: &str = "free";
    let mut free = due(now, limit);
    // Mails that another node is claiming are skipped.
    free.lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
    let ids = Query::select().column(Column::Id).from(FREE).take();
    let claiming = Query::update()
        .with_cte(executed_once(FREE, free))
        .table(Entity)
        .value(Column::DueAt, until)
        .value(Column::Attempts, Expr::col(Column::Attempts).add(1))
        .and_where(Expr::col(Column::Id).in_subquery(ids))
        .returning_all()
        .take();
    let rows = transaction.fetch_rows(&claiming).await?;
    let mut claimed = ClaimedMails {
        mails: Vec::new(),
        taken: rows.len() as u64,
    };
    for row in rows {
        let id: Uuid = row.try_get("", "id").map_err(broken)?;
        match mail(transaction, &row).await {
            Ok(Some(mail)) => claimed.mails.push(mail),
            Ok(None) => remove(transaction, id).await?,
            Err(Error::Internal(error)) => {
                tracing::error!(
                    %id,
                    error = &*error as &dyn std::error::Error,
                    "a mail to an operator cannot be read and is removed"
                );
                remove(transaction, id).await?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(claimed)
}

/// `None` if the mail is no longer needed. [`Error::Internal`] if it cannot be read.
async fn mail(transaction: &Transaction, row: &QueryResult) -> Result<Option<OperatorMail>, Error> {
    let row = Model::from_query_result(row, "").map_err(broken)?;
    let content = serde_json::from_str::<OperatorMailContent>(&row.content);
    let content = content.map_err(Error::internal)?;
    if let OperatorMailContent::Reminder(reminder) = &content
        && !reminder::is_needed(transaction, reminder, row.created_at).await?
    {
        return Ok(None);
    }
    let key = (row.organisation_id.clone(), row.user_id);
    let member = membership::Entity::find_by_id(key)
        .find_also_related(user::Entity)
        .fetch_one(transaction)
        .await?;
    let Some((member, Some(user))) = member else {
        return Ok(None);
    };
    if !parse_stored::<Role>(&member.role)?.may(permission_for(&content)) {
        return Ok(None);
    }
    let organisation = organisation::Entity::find_by_id(row.organisation_id)
        .fetch_one(transaction)
        .await?;
    let Some(organisation) = organisation else {
        return Ok(None);
    };
    Ok(Some(OperatorMail {
        id: row.id,
        attempt: u32::try_from(row.attempts).unwrap_or(u32::MAX),
        unconfirmed: u32::try_from(row.unconfirmed).unwrap_or(u32::MAX),
        queued_at: row.created_at,
        organisation_name: organisation.name,
        time_zone: parse_stored(&organisation.time_zone)?,
        to: user.email,
        content,
    }))
}

pub(super) async fn remove(transaction: &Transaction, id: Uuid) -> Result<(), Error> {
    Entity::delete_by_id(id).run(transaction).await?;
    Ok(())
}

pub(super) async fn retry(
    transaction: &Transaction,
    id: Uuid,
    attempt: u32,
    at: DateTime<Utc>,
    is_unconfirmed: bool,
) -> Result<(), Error> {
    let unconfirmed = Expr::col(Column::Unconfirmed).add(i32::from(is_unconfirmed));
    Entity::update_many()
        .col_expr(Column::DueAt, at.into())
        .col_expr(Column::Unconfirmed, unconfirmed)
        .filter(Column::Id.eq(id))
        .filter(Column::Attempts.eq(i64::from(attempt)))
        .run(transaction)
        .await?;
    Ok(())
}
