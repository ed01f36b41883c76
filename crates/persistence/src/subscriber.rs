//! Subscribers, and the counts of recent verification messages.

mod import;
mod limit;
mod prune;
mod query;
mod row;
mod scope;

use allclear_application::audit::state;
use allclear_application::delivery::DeliveryQueue;
use allclear_application::error::{Error, Resource};
use allclear_application::origin::Origin;
use allclear_application::page::{Listed, Page};
use allclear_application::subscriber::import::{CsvComponent, ImportBatch, Imported};
use allclear_application::subscriber::{
    SubscriberChange, SubscriberFilter, SubscriberKey, SubscriberStore, SubscriberTransition,
};
use allclear_domain::audit::{Action, Actor, TargetType};
use allclear_domain::channel::{RecipientKey, TargetKey};
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::rate_limit::RateLimit;
use allclear_domain::subscriber::{Scope, Subscriber, SubscriberStatus};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use uuid::Uuid;

pub(crate) use self::limit::add_to_count;
use self::limit::{check_limit, count_of, count_verification, prune_verification_limits};
#[cfg(test)]
pub(crate) use self::prune::unconfirmed;
pub(crate) use self::query::lock_rows;
use self::query::{condition, find, follows, of, of_same_target, row_of};
use self::row::{changed, model_of, optional_subscriber_from};
pub(crate) use self::row::{no_failure, subscribers_from};
pub(crate) use self::scope::add_components_of;
use crate::audit::{NewAuditItem, NewAuditItems, NoAuditItem};
use crate::database::Database;
use crate::delivery::{drop_queued, make_due, queue_verification};
use crate::entity::subscriber::{Column, Entity};
use crate::error::parse_stored;
use crate::idempotency;
use crate::organisation::lock::lock;
use crate::page;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

#[async_trait]
impl SubscriberStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        filter: &SubscriberFilter,
        page: Page,
    ) -> Result<Listed<Subscriber>, Error> {
        let selected = of(organisation).filter(condition(filter));
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let listed = page::read(transaction, selected, page, Column::Id, |row| row.id);
                let Listed { items, next } = listed.await?;
                let items = subscribers_from(transaction, items).await?;
                Ok(Listed { items, next })
            })
        })
        .await
    }

    async fn find(
        &self,
        organisation: &OrganisationId,
        key: &SubscriberKey,
    ) -> Result<Option<Subscriber>, Error> {
        find(self.read(), organisation, key).await
    }

    async fn check_scope(&self, organisation: &OrganisationId, scope: &Scope) -> Result<(), Error> {
        scope::check(self.read(), organisation, scope, self.clock.now()).await
    }

    async fn save(
        &self,
        organisation: &OrganisationId,
        key: SubscriberKey,
        rule: SubscriberTransition,
    ) -> Result<SubscriberChange, Error> {
        let (owner, now) = (organisation.clone(), self.clock.now());
        self.write_audited_of(Some(organisation), move |transaction| {
            Box::pin(async move {
                let (before, after) = store(transaction, &owner, &key, rule).await?;
                let audit_items = audit_items(&owner, now, (before.as_ref(), Some(&after)));
                Ok((SubscriberChange { before, after }, audit_items))
            })
        })
        .await
    }

    async fn save_and_queue_verification(
        &self,
        organisation: &OrganisationId,
        key: SubscriberKey,
        rule: SubscriberTransition,
    ) -> Result<Subscriber, Error> {
        let (owner, now) = (organisation.clone(), self.clock.now());
        let limits = self.limits;
        self.write_audited_of(Some(organisation), move |transaction| {
            Box::pin(async move {
                // Before the target is looked up: the response must not reveal whether it is a
                // subscriber.
                check_limit(transaction, &owner, limits).await?;
                let (before, state) = store(transaction, &owner, &key, rule).await?;
                let response = idempotency::response_to(&state)?;
                idempotency::keep(transaction, &owner, now, response).await?;
                queue_verification(transaction, &owner, &state, now).await?;
                let audit_items = audit_items(&owner, now, (before.as_ref(), Some(&state)));
                Ok((state, audit_items))
            })
        })
        .await
    }

    async fn delete(&self, organisation: &OrganisationId, id: SubscriberId) -> Result<bool, Error> {
        let (owner, now) = (organisation.clone(), self.clock.now());
        self.write_audited_of(Some(organisation), move |transaction| {
            Box::pin(async move {
                lock(transaction, &owner).await?;
                let before = find(transaction, &owner, &SubscriberKey::Id(id)).await?;
                let gone =
                    Entity::delete_by_id(id.0).filter(Column::OrganisationId.eq(owner.as_str()));
                let gone = gone.run(transaction).await? > 0;
                if !gone {
                    return Ok((false, NewAuditItems::unchanged()));
                }
                add_to_count(transaction, &owner, -1).await?;
                Ok((true, audit_items(&owner, now, (before.as_ref(), None))))
            })
        })
        .await
    }

    async fn named_components(
        &self,
        organisation: &OrganisationId,
    ) -> Result<Vec<CsvComponent>, Error> {
        import::named_components(self.read(), organisation).await
    }

    async fn import(
        &self,
        organisation: &OrganisationId,
        batch: ImportBatch,
    ) -> Result<Vec<Imported>, Error> {
        let (owner, now) = (organisation.clone(), self.clock.now());
        let limits = self.limits;
        self.write_audited_of(Some(organisation), move |transaction| {
            Box::pin(async move { import::import(transaction, &owner, batch, limits, now).await })
        })
        .await
    }

    async fn preview_import(
        &self,
        organisation: &OrganisationId,
        keys: Vec<TargetKey>,
        added: u64,
    ) -> Result<Vec<Imported>, Error> {
        import::outcomes(self.read(), organisation, &keys, added, self.limits).await
    }

    async fn check_subscriber_limit(&self, organisation: &OrganisationId) -> Result<(), Error> {
        if self.limits.subscribers.is_none() {
            return Ok(());
        }
        let present = count_of(self.read(), organisation).await?;
        self.limits.check_subscribers(present)
    }

    async fn clear_failure(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
    ) -> Result<(), Error> {
        let owner = organisation.clone();
        // Due times use the clock of the database.
        let now = DeliveryQueue::database_time(self).await?;
        let delivery = NoAuditItem::Delivery;
        self.write_unaudited_of(Some(organisation), delivery, move |transaction| {
            Box::pin(async move {
                let recovered = Entity::update_many()
                    .set(no_failure())
                    .filter(Column::OrganisationId.eq(owner.as_str()))
                    .filter(Column::Id.eq(id.0));
                if recovered.run(transaction).await? > 0 {
                    make_due(transaction, id, now).await?;
                }
                Ok(())
            })
        })
        .await
    }

    async fn record_verification(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let owner = organisation.clone();
        let delivery = NoAuditItem::Delivery;
        self.write_unaudited_of(Some(organisation), delivery, move |transaction| {
            Box::pin(async move {
                let sent = Entity::update_many()
                    .set(no_failure())
                    .col_expr(Column::UpdatedAt, Expr::val(now))
                    .filter(Column::OrganisationId.eq(owner.as_str()))
                    .filter(Column::Id.eq(id.0))
                    .filter(Column::Status.eq(SubscriberStatus::Pending.to_string()));
                if sent.run(transaction).await? > 0 {
                    drop_queued(transaction, id).await?;
                }
                Ok(())
            })
        })
        .await
    }

    async fn prune_followers(
        &self,
        resolved_before: DateTime<Utc>,
        limit: u64,
    ) -> Result<u64, Error> {
        prune::followers(self, resolved_before, limit).await
    }

    async fn prune_unconfirmed(
        &self,
        requested_before: DateTime<Utc>,
        limit: u64,
    ) -> Result<u64, Error> {
        prune::never_confirmed(self, requested_before, limit).await
    }

    async fn prune_verification_limits(
        &self,
        now: DateTime<Utc>,
        limit: u64,
    ) -> Result<u64, Error> {
        self.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            Box::pin(prune_verification_limits(transaction, now, limit))
        })
        .await
    }

    async fn count_verification(
        &self,
        recipient: RecipientKey,
        limit: RateLimit,
        now: DateTime<Utc>,
    ) -> Result<bool, Error> {
        self.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            Box::pin(count_verification(transaction, recipient, limit, now))
        })
        .await
    }
}

/// The item for a change of a subscriber, if a person of the organisation made it. What visitors do
/// is not in the audit log.
fn audit_items(
    organisation: &OrganisationId,
    now: DateTime<Utc>,
    (before, after): (Option<&Subscriber>, Option<&Subscriber>),
) -> NewAuditItems {
    let Some(subscriber) = after.or(before) else {
        return NewAuditItems::unchanged();
    };
    if matches!(
        Origin::current().actor,
        Actor::Provider | Actor::CommandLine | Actor::Scheduler
    ) {
        return NewAuditItems::none(NoAuditItem::ByNoOperator);
    }
    let action = match (before, after) {
        (None, _) => Action::SubscriberCreated,
        (Some(_), None) => Action::SubscriberDeleted,
        (Some(_), Some(_)) => Action::SubscriberUpdated,
    };
    let target = (TargetType::Subscriber, &subscriber.id);
    let change = NewAuditItem::new(organisation, now, action, target);
    let state = |subscriber: Option<&Subscriber>| subscriber.map(state::subscriber);
    change.states(state(before), state(after)).into()
}

/// Runs a rule on a subscriber and stores the result. Returns the states before and after.
async fn store(
    transaction: &Transaction,
    organisation: &OrganisationId,
    key: &SubscriberKey,
    rule: SubscriberTransition,
) -> Result<(Option<Subscriber>, Subscriber), Error> {
    // Of concurrent requests for one target, one finds it missing. Under the lock no notice is
    // committed, so the revision shows whether the notice or the confirmation was first.
    let locked = lock(transaction, organisation)
        .await?
        .ok_or(Error::NotFound(Resource::Organisation))?;
    lock_rows(transaction, of_same_target(organisation, key)).await?;
    let row = row_of(organisation, key).fetch_one(transaction).await?;
    let subscribed = SubscriberStatus::Subscribed.to_string();
    let confirmed = row
        .as_ref()
        .filter(|known| known.status == subscribed)
        .map_or(locked.revision, |known| known.confirmed_revision);
    let known = optional_subscriber_from(transaction, row).await?;
    let before = known.clone();
    let state = rule(known)?;
    let row = model_of(organisation, &state, confirmed)?;
    if before.is_none() {
        let insert = Entity::insert(row.into_active_model());
        insert.run(transaction).await?;
        add_to_count(transaction, organisation, 1).await?;
    } else {
        // The columns are set even if nothing has changed: see the port.
        Entity::update(changed(row)).run(transaction).await?;
    }
    if before.as_ref().map(|before| &before.scope) != Some(&state.scope) {
        // A component or group may have been deleted since the first check.
        scope::check(transaction, organisation, &state.scope, state.updated_at).await?;
        scope::store(transaction, &state).await?;
    }
    if state.status == SubscriberStatus::Unsubscribed {
        drop_queued(transaction, state.id).await?;
        if before
            .as_ref()
            .is_some_and(|before| before.status == SubscriberStatus::Subscribed)
        {
            end_follows(transaction, organisation, &state).await?;
        }
    }
    Ok((before, state))
}

/// Ends the subscriptions to single incidents of a target that has just unsubscribed from the page.
/// Otherwise the next message about such an incident, which the subscription to the page has
/// replaced so far, would arrive after all.
async fn end_follows(
    transaction: &Transaction,
    organisation: &OrganisationId,
    unsubscribed: &Subscriber,
) -> Result<(), Error> {
    if unsubscribed.scope.incident().is_some() {
        return Ok(());
    }
    let follows = follows(organisation, &unsubscribed.target.key()).into_tuple();
    let mut follows: Vec<Uuid> = follows.fetch_all(transaction).await?;
    follows.sort_unstable();
    for id in follows {
        end(transaction, SubscriberId(id), unsubscribed.updated_at).await?;
    }
    Ok(())
}

/// Unsubscribes a subscriber whose receiver ended the subscription, and deletes its queued
/// deliveries. The caller MUST have locked its row.
pub(crate) async fn end(
    transaction: &Transaction,
    id: SubscriberId,
    at: DateTime<Utc>,
) -> Result<(), Error> {
    let Some(row) = Entity::find_by_id(id.0).fetch_one(transaction).await? else {
        return Ok(());
    };
    let organisation = parse_stored(&row.organisation_id)?;
    let confirmed = row.confirmed_revision;
    if let Some(known) = optional_subscriber_from(transaction, Some(row)).await? {
        let row = model_of(&organisation, &known.unsubscribe(at), confirmed)?;
        Entity::update(changed(row)).run(transaction).await?;
    }
    drop_queued(transaction, id).await
}

#[cfg(test)]
mod tests;
