//! Digests of failing subscriptions.

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::operator_mail::{
    FailingSubscription, FailureDigest, OperatorMailContent,
};
use allclear_domain::failure_digest::DigestWindow;
use allclear_domain::id::OrganisationId;
use allclear_domain::subscriber::SubscriberStatus;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Select,
};

use super::queue;
use crate::entity::{organisation, subscriber};
use crate::error::{broken, parse_stored};
use crate::organisation::lock::lock;
use crate::statement::{Fetch, Run, RunStatement};
use crate::subscriber::subscribers_from;
use crate::transaction::Transaction;

/// The organisations to whose admins a digest is due.
pub(super) async fn due(
    connection: &impl ConnectionTrait,
    now: DateTime<Utc>,
) -> Result<Vec<OrganisationId>, Error> {
    let rows = connection.fetch_rows(&with_new_failures(now)).await?;
    rows.iter()
        .map(|row| {
            let id: String = row.try_get("", "organisation_id").map_err(broken)?;
            parse_stored(&id)
        })
        .collect()
}

/// Selects the organisations whose newest failure is in no digest yet. It reads only the index of
/// failing subscribers, which are few.
pub(super) fn with_new_failures(now: DateTime<Utc>) -> SelectStatement {
    use organisation::{Column as OrganisationColumn, Entity as Organisation};
    use subscriber::{Column, Entity};

    let until = DigestWindow::end(now);
    let digest_at = || Expr::col((Organisation, OrganisationColumn::DigestAt));
    let since = || Expr::col((Entity, Column::FailingSince));
    let unreported = Condition::any().add(digest_at().is_null()).add(
        Condition::all()
            .add(since().gt(digest_at()))
            .add(digest_at().lte(until - DigestWindow::PERIOD)),
    );
    Query::select()
        .distinct()
        .column((Entity, Column::OrganisationId))
        .from(Entity)
        .inner_join(
            Organisation,
            Expr::col((Organisation, OrganisationColumn::Id))
                .equals((Entity, Column::OrganisationId)),
        )
        .and_where(since().is_not_null())
        .and_where(since().lte(until))
        .and_where(Expr::col((Entity, Column::Status)).eq(SubscriberStatus::Subscribed.to_string()))
        .cond_where(unreported)
        .take()
}

/// Stores that a digest was made, and queues its mails. `false` if another node has done so.
pub(super) async fn queue(
    transaction: &Transaction,
    clock: &dyn Clock,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    if lock(transaction, organisation).await?.is_none() {
        return Ok(false);
    }
    let last: Option<Option<DateTime<Utc>>> =
        organisation::Entity::find_by_id(organisation.as_str())
            .select_only()
            .column(organisation::Column::DigestAt)
            .into_tuple()
            .fetch_one(transaction)
            .await?;
    let Some(window) = DigestWindow::after(last.flatten(), now) else {
        return Ok(false);
    };
    let failing = failing_in(organisation, window);
    let count = failing.clone().count(transaction).await.map_err(broken)?;
    if count == 0 {
        return Ok(false);
    }
    let first = failing
        .order_by_asc(subscriber::Column::FailingSince)
        .order_by_asc(subscriber::Column::Id)
        .limit(DigestWindow::NAMED)
        .fetch_all(transaction)
        .await?;
    let first = subscribers_from(transaction, first).await?;
    let first = first.into_iter().filter_map(|subscriber| {
        let failing = subscriber.failing?;
        Some(FailingSubscription {
            channel: subscriber.target.channel(),
            target: subscriber.target.masked(),
            reason: failing.reason,
            since: failing.since,
        })
    });
    let content = OperatorMailContent::Digest(FailureDigest {
        count,
        first: first.collect(),
    });
    organisation::Entity::update_many()
        .col_expr(organisation::Column::DigestAt, window.until.into())
        .filter(organisation::Column::Id.eq(organisation.as_str()))
        .run(transaction)
        .await?;
    queue::insert(transaction, clock, organisation, &content, now).await?;
    Ok(true)
}

fn failing_in(organisation: &OrganisationId, window: DigestWindow) -> Select<subscriber::Entity> {
    use subscriber::{Column, Entity};

    let failing = Entity::find()
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .filter(Column::Status.eq(SubscriberStatus::Subscribed.to_string()))
        .filter(Column::FailingSince.lte(window.until));
    match window.after {
        Some(after) => failing.filter(Column::FailingSince.gt(after)),
        None => failing,
    }
}
