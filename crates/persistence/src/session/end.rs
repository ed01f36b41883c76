//! The end of sessions.

use allclear_application::error::Error;
use allclear_application::session::Sessions;
use allclear_domain::audit::Action;
use allclear_domain::id::{SessionId, UserId};
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use serde_json::{Value, json};
use uuid::Uuid;

use super::state;
use crate::audit::{self, NewAuditItems, States};
use crate::entity::session::{Column, Entity};
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

/// Ends the sessions of an account except `kept`, because its password, its address or its second
/// factors are changed. Returns the items for that change. The caller holds the account's lock.
pub(crate) async fn end_other_sessions(
    transaction: &Transaction,
    user: UserId,
    kept: Option<SessionId>,
    now: DateTime<Utc>,
    (action, states): (Action, States),
) -> Result<NewAuditItems, Error> {
    end_all(transaction, user, kept).await?;
    audit::audit_items_of_person(transaction, user, now, action, states).await
}

/// Ends the sessions of an account except `kept`. Returns their number.
pub(super) async fn end_all(
    transaction: &Transaction,
    user: UserId,
    kept: Option<SessionId>,
) -> Result<u64, Error> {
    let mut ended = Entity::delete_many().filter(Column::UserId.eq(user.0));
    if let Some(kept) = kept {
        ended = ended.filter(Column::Id.ne(kept.0));
    }
    let ended = ended.run(transaction).await?;
    Ok(ended)
}

/// Ends the session that a query finds, if there is one.
pub(crate) async fn end_session(
    transaction: &Transaction,
    found: Select<Entity>,
    now: DateTime<Utc>,
) -> Result<NewAuditItems, Error> {
    let Some(session) = found.fetch_one(transaction).await? else {
        return Ok(NewAuditItems::unchanged());
    };
    // Of several concurrent requests, one deletes the row.
    let ended = Entity::delete_by_id(session.id).run(transaction).await?;
    if ended == 0 {
        return Ok(NewAuditItems::unchanged());
    }
    let (user, ended) = (UserId(session.user_id), state(SessionId(session.id)));
    audit_items_of_end(transaction, user, now, ended).await
}

/// Ends the sessions of an account beyond the newest ones, so that another one has room.
pub(super) async fn make_room(
    transaction: &Transaction,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<NewAuditItems, Error> {
    let excess: Vec<Uuid> = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::UserId.eq(user.0))
        .order_by_desc(Column::UsedAt)
        .order_by_desc(Column::Id)
        .offset(Sessions::PER_ACCOUNT - 1)
        .limit(Sessions::PER_ACCOUNT)
        .into_tuple()
        .fetch_all(transaction)
        .await?;
    let mut ended = 0;
    if !excess.is_empty() {
        let these = Entity::delete_many().filter(Column::Id.is_in(excess.iter().copied()));
        ended = these.run(transaction).await?;
    }
    let before = match (ended, excess.as_slice()) {
        (0, _) => return Ok(NewAuditItems::unchanged()),
        (1, &[id]) => state(SessionId(id)),
        _ => several(ended),
    };
    audit_items_of_end(transaction, user, now, before).await
}

/// Several sessions in the audit log.
pub(super) fn several(number: u64) -> Value {
    json!({"sessions": number})
}

/// The items for sessions of a person that have ended.
pub(super) async fn audit_items_of_end(
    transaction: &Transaction,
    user: UserId,
    now: DateTime<Utc>,
    ended: Value,
) -> Result<NewAuditItems, Error> {
    let (action, states) = (Action::SessionDeleted, (Some(ended), None));
    audit::audit_items_of_person(transaction, user, now, action, states).await
}
