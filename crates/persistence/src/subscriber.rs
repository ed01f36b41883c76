//! Subscribers, and the counts of recent verification mails.

use allclear_application::error::Error;
use allclear_application::origin::Origin;
use allclear_application::page::{Listed, Page};
use allclear_application::subscriber::{SubscriberRule, SubscriberStore};
use allclear_application::usage_limit::UsageLimits;
use allclear_domain::audit::Action;
use allclear_domain::email::{EmailKey, Mailbox};
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::mail_limit::MailLimit;
use allclear_domain::subscriber::{Subscriber, SubscriberStatus};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction,
    EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
};

use crate::audit::{self, SubscriberChange};
use crate::database::Database;
use crate::delivery::{drop_queued, queue_verification};
use crate::entity::subscriber::{Column, Entity, Model};
use crate::entity::{organisation, verification_mail};
use crate::error::{broken, parse_stored};
use crate::organisation::lock::lock;
use crate::page;

#[async_trait]
impl SubscriberStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<Subscriber>, Error> {
        page::read(self.read(), of(organisation), page, Column::Id, |row| {
            row.id
        })
        .await?
        .try_map(subscriber)
    }

    async fn find(
        &self,
        organisation: &OrganisationId,
        mailbox: &Mailbox,
    ) -> Result<Option<Subscriber>, Error> {
        find(self.read(), organisation, mailbox).await
    }

    async fn save(
        &self,
        organisation: &OrganisationId,
        mailbox: Mailbox,
        rule: SubscriberRule,
    ) -> Result<Subscriber, Error> {
        let organisation = organisation.clone();
        self.write(move |transaction| {
            Box::pin(async move { store(transaction, &organisation, &mailbox, rule).await })
        })
        .await
    }

    async fn enter(
        &self,
        organisation: &OrganisationId,
        mailbox: Mailbox,
        rule: SubscriberRule,
    ) -> Result<Subscriber, Error> {
        let (organisation, now) = (organisation.clone(), self.clock.now());
        let limits = self.limits;
        let (origin, random) = (Origin::current(), self.clock.id());
        self.write(move |transaction| {
            Box::pin(async move {
                // Before the address is looked up: the response must not reveal whether it is a subscriber.
                check_limit(transaction, &organisation, limits).await?;
                let state = store(transaction, &organisation, &mailbox, rule).await?;
                queue_verification(transaction, &organisation, state.id, now).await?;
                let action = Action::SubscriberCreated;
                let change = SubscriberChange::new(action, state.id, now, random);
                audit::append_subscriber(transaction, &organisation, &origin, change).await?;
                Ok(state)
            })
        })
        .await
    }

    async fn delete(&self, organisation: &OrganisationId, id: SubscriberId) -> Result<bool, Error> {
        let (organisation, now) = (organisation.clone(), self.clock.now());
        let (origin, random) = (Origin::current(), self.clock.id());
        self.write(move |transaction| {
            Box::pin(async move {
                lock(transaction, &organisation).await?;
                let gone = Entity::delete_by_id(id.0)
                    .filter(Column::OrganisationId.eq(organisation.as_str()));
                let gone = gone.exec(transaction).await.map_err(broken)?.rows_affected > 0;
                if gone {
                    add_to_count(transaction, &organisation, -1).await?;
                    let change = SubscriberChange::new(Action::SubscriberDeleted, id, now, random);
                    audit::append_subscriber(transaction, &organisation, &origin, change).await?;
                }
                Ok(gone)
            })
        })
        .await
    }

    async fn may_mail(
        &self,
        address: EmailKey,
        limit: MailLimit,
        now: DateTime<Utc>,
    ) -> Result<bool, Error> {
        self.write(move |transaction| Box::pin(may_mail(transaction, address, limit, now)))
            .await
    }
}

/// The subscribers of an organisation. Every query of subscribers begins here.
fn of(organisation: &OrganisationId) -> sea_orm::Select<Entity> {
    Entity::find().filter(Column::OrganisationId.eq(organisation.as_str()))
}

async fn find(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    mailbox: &Mailbox,
) -> Result<Option<Subscriber>, Error> {
    let found = find_row(connection, organisation, mailbox).await?;
    found.map(subscriber).transpose()
}

async fn find_row(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    mailbox: &Mailbox,
) -> Result<Option<Model>, Error> {
    of(organisation)
        .filter(Column::Mailbox.eq(mailbox.as_str()))
        .one(connection)
        .await
        .map_err(broken)
}

/// Runs a rule on the subscriber of a mailbox and stores the result.
async fn store(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    mailbox: &Mailbox,
    rule: SubscriberRule,
) -> Result<Subscriber, Error> {
    // Of concurrent requests for one address, one finds it missing. Under the lock no notice is committed, so the revision shows
    // whether the notice or the confirmation was first.
    let locked = lock(transaction, organisation)
        .await?
        .ok_or(Error::NotFound("Organisation"))?;
    let known = find_row(transaction, organisation, mailbox).await?;
    let is_new = known.is_none();
    let subscribed = SubscriberStatus::Subscribed.to_string();
    let confirmed = known
        .as_ref()
        .filter(|known| known.status == subscribed)
        .map_or(locked.revision, |known| known.confirmed_revision);
    let state = rule(known.map(subscriber).transpose()?)?;
    let row = row(organisation, &state, confirmed);
    if is_new {
        let insert = Entity::insert(row.into_active_model());
        insert
            .exec_without_returning(transaction)
            .await
            .map_err(broken)?;
        add_to_count(transaction, organisation, 1).await?;
    } else {
        // Every column is set even if nothing has changed: see the port.
        let all = row.into_active_model().reset_all();
        Entity::update(all)
            .exec(transaction)
            .await
            .map_err(broken)?;
    }
    if state.status == SubscriberStatus::Unsubscribed {
        drop_queued(transaction, state.id).await?;
    }
    Ok(state)
}

/// Fails if the organisation has reached its limit of subscribers.
async fn check_limit(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    limits: UsageLimits,
) -> Result<(), Error> {
    if limits.subscribers.is_none() {
        return Ok(());
    }
    // Under the lock, so that concurrent requests count each other.
    lock(transaction, organisation).await?;
    let count: Option<i64> = organisation::Entity::find_by_id(organisation.as_str())
        .select_only()
        .column(organisation::Column::SubscriberCount)
        .into_tuple()
        .one(transaction)
        .await
        .map_err(broken)?;
    let count = count.and_then(|count| u64::try_from(count).ok());
    limits.check_subscribers(count.unwrap_or(0))
}

/// Updates the stored number of the organisation's subscribers: counting a hundred thousand rows would delay every write. The
/// caller holds the organisation's lock.
async fn add_to_count(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    more: i64,
) -> Result<(), Error> {
    let count = organisation::Column::SubscriberCount;
    organisation::Entity::update_many()
        .col_expr(count, Expr::col(count).add(more))
        .filter(organisation::Column::Id.eq(organisation.as_str()))
        .exec(transaction)
        .await
        .map_err(broken)?;
    Ok(())
}

async fn may_mail(
    transaction: &DatabaseTransaction,
    address: EmailKey,
    limit: MailLimit,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    use verification_mail::{ActiveModel, Column, Entity};

    let over = Entity::delete_many()
        .filter(Column::UsedUntil.lte(now))
        .filter(Column::EmailKey.ne(address.as_str()));
    over.exec(transaction).await.map_err(broken)?;
    // The row is inserted before it is read, so that concurrent requests wait for it.
    let fresh = ActiveModel {
        email_key: Set(address.as_str().to_owned()),
        used_until: Set(now),
    };
    let once = OnConflict::column(Column::EmailKey).do_nothing().to_owned();
    Entity::insert(fresh)
        .on_conflict(once)
        .exec_without_returning(transaction)
        .await
        .map_err(broken)?;
    let row = Entity::find_by_id(address.as_str())
        .lock_exclusive()
        .one(transaction)
        .await
        .map_err(broken)?;
    let Some(used_until) = limit.take(row.map(|row| row.used_until), now) else {
        return Ok(false);
    };
    let used = ActiveModel {
        email_key: Set(address.as_str().to_owned()),
        used_until: Set(used_until),
    };
    Entity::update(used)
        .exec(transaction)
        .await
        .map_err(broken)?;
    Ok(true)
}

fn row(organisation: &OrganisationId, state: &Subscriber, confirmed_revision: i64) -> Model {
    Model {
        id: state.id.0,
        organisation_id: organisation.as_str().to_owned(),
        email: state.email.clone(),
        mailbox: state.mailbox().as_str().to_owned(),
        status: state.status.to_string(),
        is_verified: state.is_verified,
        round: state.round,
        confirmed_revision,
        created_at: state.created_at,
        updated_at: state.updated_at,
    }
}

/// Converts a stored subscriber.
pub(crate) fn subscriber(row: Model) -> Result<Subscriber, Error> {
    Ok(Subscriber {
        id: SubscriberId(row.id),
        email: row.email,
        status: parse_stored(&row.status)?,
        is_verified: row.is_verified,
        round: row.round,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}
