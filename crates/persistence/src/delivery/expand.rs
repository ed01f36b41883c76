//! Expansion of notices into deliveries.

use allclear_application::error::Error;
use allclear_domain::channel::Channel;
use allclear_domain::notice::{IncidentChange, NoticeChange, NoticeContent};
use allclear_domain::subscriber::{ScopeKind, Subscriber, SubscriberStatus};
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::sea_query::{
    Alias, CommonTableExpression, DynIden, Expr, ExprTrait, Func, InsertStatement, IntoIden,
    LockBehavior, LockType, Query, SelectStatement, UnionType, WithClause,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, EntityTrait, JoinType, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait, Select,
};
use uuid::Uuid;

use super::early::bring_forward;
use super::{Rank, waiting_after};
use crate::entity::notice::{ActiveModel, Column, Entity, Model, UNREADABLE};
use crate::entity::{
    delivery, incident, notice_component, subscriber, subscriber_component, subscriber_group,
};
use crate::error::{broken, parse_stored};
use crate::notice::{is_webhook, subscribed};
use crate::statement::{Fetch, Run, RunStatement};
use crate::transaction::Transaction;

/// Returns the organisation whose notice is expanded next: the first one with notices to expand
/// after `last`, or else the first one of all. `None` if there are only those in `left_out`.
pub(super) async fn next_organisation(
    connection: &impl ConnectionTrait,
    last: Option<String>,
    left_out: &[String],
) -> Result<Option<String>, Error> {
    // Every identifier comes after the empty text.
    for last in last.into_iter().chain([String::new()]) {
        let next = organisation_after(&last, left_out);
        if let Some(row) = connection.fetch_row(&next).await? {
            return row.try_get("", "id").map(Some).map_err(broken);
        }
    }
    Ok(None)
}

/// Selects the first organisation after `last` with notices to expand that is not in `left_out`.
/// Each step to the next organisation is one search in the index: an organisation may have
/// thousands of such notices.
pub(super) fn organisation_after(last: &str, left_out: &[String]) -> SelectStatement {
    let (waiting, id) = (Alias::new("waiting"), Alias::new("id"));
    let current = || Expr::col((waiting.clone(), id.clone()));
    let left_out = || left_out.iter().map(String::as_str);
    let first_after = |last: Expr| {
        let first = Query::select()
            .expr(Func::min(Expr::col(Column::OrganisationId)))
            .from(Entity)
            .and_where(Column::ExpandedAt.is_null())
            .and_where(Expr::col(Column::OrganisationId).gt(last))
            .take();
        Query::select().expr(Expr::from(first)).take()
    };
    let following = first_after(current())
        .from(waiting.clone())
        .and_where(current().is_in(left_out()))
        .take();
    let organisations = first_after(Expr::val(last))
        .union(UnionType::All, following)
        .take();
    let organisations = CommonTableExpression::new()
        .query(organisations)
        .table_name(waiting.clone())
        .column(id.clone())
        .to_owned();
    Query::select()
        .with_cte(
            WithClause::new()
                .recursive(true)
                .cte(organisations)
                .to_owned(),
        )
        .column(id.clone())
        .from(waiting.clone())
        .and_where(current().is_not_in(left_out()))
        // There may be no organisation after the last one.
        .and_where(current().is_not_null())
        .limit(1)
        .take()
}

/// Selects the first notice of an organisation to expand, and no later one even if another node has
/// locked the first.
pub(super) fn next(organisation: &str) -> Select<Entity> {
    let first = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::OrganisationId.eq(organisation))
        .filter(Column::ExpandedAt.is_null())
        .order_by_asc(Column::Revision)
        .order_by_asc(Column::Part)
        .limit(1)
        .into_query();
    Entity::find()
        .filter(Expr::col((Entity, Column::Id)).eq(Expr::from(first)))
        .filter(Column::ExpandedAt.is_null())
}

/// Number of subscribers that one transaction looks at. Those of a notice may be few among many.
const MAX_SCANNED: u64 = 1_000;

/// What an expansion found.
pub(super) enum Expanded {
    /// A notice of which deliveries are queued.
    Notice,
    /// No notice that this node can expand now.
    Nothing,
    /// So many unsent deliveries of the organisation that its next notice waits.
    Full,
}

/// Queues at most `limit` deliveries of the next notice of an organisation, unless another node
/// is expanding it. Does not begin a notice while the organisation has more than `most_waiting`
/// unsent deliveries.
pub(super) async fn expand(
    transaction: &Transaction,
    organisation: String,
    most_waiting: Option<u64>,
    now: DateTime<Utc>,
    limit: u64,
) -> Result<Expanded, Error> {
    let mut claiming = next(&organisation);
    QuerySelect::query(&mut claiming)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
    let Some(notice) = claiming.fetch_one(transaction).await? else {
        return Ok(Expanded::Nothing);
    };
    if let Some(most) = most_waiting.filter(|_| notice.batches == 0) {
        let beyond = waiting_after(&organisation, most).into_tuple();
        let beyond: Option<i64> = beyond.fetch_one(transaction).await?;
        if beyond.is_some() {
            return Ok(Expanded::Full);
        }
    }
    let id = notice.id;
    let content = match NoticeContent::try_from(&notice) {
        Ok(content) => content,
        Err(error) => return skip(transaction, &notice, &error, now).await,
    };
    let last_scanned = last_scanned(transaction, &notice).await?;
    let recipients = Condition::all()
        .add(recipients(transaction, &notice, &content.change).await?)
        .add_option(last_scanned.map(|last| subscriber::Column::Id.lte(last)));
    let rows = transaction
        .fetch_rows(&queued(&notice, recipients, limit)?)
        .await?;
    let mut reached = Vec::new();
    let mut held_back = Vec::new();
    for row in rows {
        let subscriber: Uuid = row.try_get("", "subscriber_id").map_err(broken)?;
        let due_at: DateTime<Utc> = row.try_get("", "due_at").map_err(broken)?;
        reached.push(subscriber);
        if due_at > now {
            held_back.push(subscriber);
        }
    }
    bring_forward(transaction, &held_back, now).await?;
    let is_full = reached.len() as u64 == limit;
    let last = if is_full {
        reached.into_iter().max()
    } else {
        last_scanned
    };
    let noted = ActiveModel {
        id: Set(id),
        reached: Set(last.or(notice.reached)),
        expanded_at: Set((!is_full && last_scanned.is_none()).then_some(now)),
        batches: Set(notice.batches.saturating_add(1)),
        ..Default::default()
    };
    Entity::update(noted).run(transaction).await?;
    Ok(Expanded::Notice)
}

/// How long a notice that cannot be read is left to newer nodes: they may have written it.
pub(super) const UNREADABLE_FOR: TimeDelta = TimeDelta::hours(1);

/// Leaves a notice that cannot be read to newer nodes, and with it the later ones of its
/// organisation. Ends its expansion after [`UNREADABLE_FOR`].
async fn skip(
    transaction: &Transaction,
    notice: &Model,
    error: &Error,
    now: DateTime<Utc>,
) -> Result<Expanded, Error> {
    let is_logged = notice.batches == UNREADABLE;
    let is_ended = now - notice.created_at > UNREADABLE_FOR;
    if is_logged && !is_ended {
        return Ok(Expanded::Nothing);
    }
    tracing::error!(
        organisation = notice.organisation_id,
        notice = %notice.id,
        error = error as &dyn std::error::Error,
        is_ended,
        "a stored notice cannot be read; its messages are not sent"
    );
    let skipped = ActiveModel {
        id: Set(notice.id),
        expanded_at: Set(is_ended.then_some(now)),
        batches: Set(UNREADABLE),
        ..Default::default()
    };
    Entity::update(skipped).run(transaction).await?;
    Ok(if is_ended {
        Expanded::Notice
    } else {
        Expanded::Nothing
    })
}

/// The last of the next [`MAX_SCANNED`] subscribers; `None` if there are fewer.
async fn last_scanned(transaction: &Transaction, notice: &Model) -> Result<Option<Uuid>, Error> {
    scanned(notice)?
        .offset(MAX_SCANNED - 1)
        .limit(1)
        .into_tuple()
        .fetch_one(transaction)
        .await
}

/// The identifiers of the subscribers after the last one reached, in order.
fn scanned(notice: &Model) -> Result<Select<subscriber::Entity>, Error> {
    use subscriber::Column as Of;

    let organisation = parse_stored(&notice.organisation_id)?;
    let mut these = subscribed(&organisation)
        .select_only()
        .column(Of::Id)
        .order_by_asc(Of::Id);
    if let Some(reached) = notice.reached {
        these = these.filter(Of::Id.gt(reached));
    }
    Ok(these)
}

/// The subscribers that receive a notice.
async fn recipients(
    transaction: &Transaction,
    notice: &Model,
    change: &NoticeChange,
) -> Result<Condition, Error> {
    use subscriber::Column as Of;

    let mut scopes = concerned(notice, &subscriber::Entity.into_iden());
    Ok(match change {
        NoticeChange::Incident { change, .. } => {
            // The end of an incident is sent however long ago it was.
            if *change == IncidentChange::Resolved || is_followed(transaction, notice).await? {
                scopes = scopes.add(followers(notice));
            }
            scopes
        }
        NoticeChange::Maintenance { .. } => Condition::all()
            .add(scopes)
            .add(Of::MuteMaintenances.eq(false)),
        NoticeChange::Component { .. } => Condition::all().add(scopes).add(is_webhook()),
    })
}

/// Whether a row of `subscribers` is of everything, or of a component or group that the
/// notice concerns.
pub(super) fn concerned(notice: &Model, subscribers: &DynIden) -> Condition {
    let is_of = |scope: ScopeKind| {
        Expr::col((subscribers.clone(), subscriber::Column::Scope)).eq(scope.to_string())
    };
    let has_chosen = Condition::any()
        .add(Expr::exists(chosen_components(notice.id, subscribers)))
        .add(Expr::exists(chosen_groups(notice.id, subscribers)));
    let chosen = Condition::all()
        .add(is_of(ScopeKind::Components))
        .add(has_chosen);
    Condition::any().add(is_of(ScopeKind::All)).add(chosen)
}

/// The subscribers that follow the incident of the notice, without those whose target receives the
/// notice by another subscription.
pub(super) fn followers(notice: &Model) -> Condition {
    use subscriber::Column as Of;

    Condition::all()
        .add(Of::Scope.eq(ScopeKind::Incident.to_string()))
        .add(Of::IncidentId.eq(notice.subject_id))
        .add(Expr::exists(receives_already(notice)).not())
}

/// A row that exists if the subscriber's target receives the notice by a subscription to
/// everything, or to components and groups.
fn receives_already(notice: &Model) -> SelectStatement {
    use subscriber::{Column as Of, Entity as Subscribers};

    let other = Alias::new("other").into_iden();
    let of_other = |column: Of| Expr::col((other.clone(), column));
    let of_own = |column: Of| Expr::col((Subscribers, column));
    Query::select()
        .expr(Expr::val(1))
        .from_as(Subscribers, other.clone())
        .and_where(of_other(Of::OrganisationId).eq(of_own(Of::OrganisationId)))
        .and_where(of_other(Of::TargetKey).eq(of_own(Of::TargetKey)))
        .and_where(of_other(Of::IncidentId).is_null())
        .and_where(of_other(Of::Status).eq(SubscriberStatus::Subscribed.to_string()))
        .and_where(of_other(Of::ConfirmedRevision).lt(notice.revision))
        .cond_where(concerned(notice, &other))
        .take()
}

/// Whether the incident of a notice is still followed by its subscribers.
async fn is_followed(transaction: &Transaction, notice: &Model) -> Result<bool, Error> {
    let resolved_at: Option<Option<DateTime<Utc>>> =
        incident::Entity::find_by_id(notice.subject_id)
            .select_only()
            .column(incident::Column::ResolvedAt)
            .into_tuple()
            .fetch_one(transaction)
            .await?;
    Ok(Subscriber::is_followed(
        resolved_at.flatten(),
        notice.created_at,
    ))
}

/// Rows that say that a row of `subscribers` chose a component of the notice.
fn chosen_components(notice: Uuid, subscribers: &DynIden) -> SelectStatement {
    use notice_component::{Column as Of, Entity as Concerned};
    use subscriber_component::{Column as ByComponent, Entity as Chosen};

    // SQLite keeps the order of a cross join. Otherwise it begins at the notice, which may have
    // more components than a choice.
    Query::select()
        .expr(Expr::val(1))
        .from(Chosen)
        .join(JoinType::CrossJoin, Concerned, Condition::all())
        .and_where(
            Expr::col((Chosen, ByComponent::ComponentId)).equals((Concerned, Of::ComponentId)),
        )
        .and_where(Expr::col((Concerned, Of::NoticeId)).eq(notice))
        .and_where(
            Expr::col((Chosen, ByComponent::SubscriberId))
                .equals((subscribers.clone(), subscriber::Column::Id)),
        )
        .take()
}

/// Rows that say that a row of `subscribers` chose the group of a component of the notice.
fn chosen_groups(notice: Uuid, subscribers: &DynIden) -> SelectStatement {
    use notice_component::{Column as Of, Entity as Concerned};
    use subscriber_group::{Column as ByGroup, Entity as Chosen};

    let groups = Query::select()
        .column(Of::GroupId)
        .from(Concerned)
        .and_where(Of::NoticeId.eq(notice))
        .and_where(Of::GroupId.is_not_null())
        .take();
    Query::select()
        .expr(Expr::val(1))
        .from(Chosen)
        .and_where(
            Expr::col((Chosen, ByGroup::SubscriberId))
                .equals((subscribers.clone(), subscriber::Column::Id)),
        )
        .and_where(Expr::col((Chosen, ByGroup::GroupId)).in_subquery(groups))
        .take()
}

/// Queues deliveries for the subscribers after the last one reached, and returns these subscribers
/// with the times at which the deliveries are due. A delivery is not due before the earlier ones of
/// its subscriber: a claim reads deliveries in the order of their due times, and would skip it each
/// time.
fn queued(notice: &Model, recipients: Condition, limit: u64) -> Result<InsertStatement, Error> {
    use delivery::Column as Queued;

    let subscriber = |column: subscriber::Column| Expr::col((subscriber::Entity, column));
    let due_at = Rank::Notice.due_at();
    let ahead = Alias::new("ahead");
    let held_back = Query::select()
        .expr(Func::max(Expr::col((ahead.clone(), Queued::DueAt))))
        .from_as(delivery::Entity, ahead.clone())
        .and_where(
            Expr::col((ahead.clone(), Queued::SubscriberId))
                .equals((subscriber::Entity, subscriber::Column::Id)),
        )
        .and_where(Expr::col((ahead, Queued::DueAt)).gt(due_at))
        .take();
    let these = scanned(notice)?
        .select_only()
        .expr(subscriber(subscriber::Column::OrganisationId))
        .expr(subscriber(subscriber::Column::Id))
        .expr(Expr::val(notice.id))
        .expr(Expr::val(notice.created_at))
        .expr(Func::coalesce([Expr::from(held_back), Expr::val(due_at)]))
        .expr(Expr::val(0))
        .expr(subscriber(subscriber::Column::Channel).eq(Channel::Email.to_string()))
        .filter(subscriber::Column::ConfirmedRevision.lt(notice.revision))
        .filter(recipients)
        .limit(limit);
    let columns = [
        Queued::OrganisationId,
        Queued::SubscriberId,
        Queued::NoticeId,
        Queued::CreatedAt,
        Queued::DueAt,
        Queued::Attempts,
        Queued::ByMail,
    ];
    let mut insert = Query::insert()
        .into_table(delivery::Entity)
        .columns(columns)
        .take();
    insert
        .select_from(these.into_query())
        .map_err(Error::internal)?;
    let returned = [Queued::SubscriberId, Queued::DueAt];
    Ok(insert
        .returning(Query::returning().columns(returned))
        .take())
}
