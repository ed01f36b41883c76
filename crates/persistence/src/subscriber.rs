//! Subscribers, and the counts of recent verification messages.

mod import;
mod scope;

use std::collections::BTreeMap;

use allclear_application::audit::state;
use allclear_application::error::Error;
use allclear_application::origin::Origin;
use allclear_application::page::{Listed, Page};
use allclear_application::subscriber::import::{ImportBatch, Imported, NamedComponent};
use allclear_application::subscriber::{SubscriberKey, SubscriberRule, SubscriberStore};
use allclear_application::usage_limit::UsageLimits;
use allclear_domain::audit::{Action, Actor, TargetType};
use allclear_domain::channel::Target;
use allclear_domain::email::EmailKey;
use allclear_domain::id::{IncidentId, OrganisationId, SubscriberId};
use allclear_domain::mail_limit::MailLimit;
use allclear_domain::subscriber::{
    Choice, Failing, Scope, ScopeKind, SecretRound, Subscriber, SubscriberStatus,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait,
    DatabaseTransaction, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
};
use serde_json::json;
use uuid::Uuid;

use crate::audit::{self, Note};
use crate::database::Database;
use crate::delivery::{drop_queued, queue_verification};
use crate::entity::subscriber::{ActiveModel, Column, Entity, Model};
use crate::entity::{incident, organisation, verification_mail};
use crate::error::{broken, parse_stored};
use crate::idempotency;
use crate::organisation::lock::lock;
use crate::page;

#[async_trait]
impl SubscriberStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<Subscriber>, Error> {
        let listed = page::read(self.read(), of(organisation), page, Column::Id, |row| {
            row.id
        })
        .await?;
        let items = subscribers(self.read(), listed.items).await?;
        Ok(Listed {
            items,
            next: listed.next,
        })
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
        rule: SubscriberRule,
    ) -> Result<Subscriber, Error> {
        let (organisation, now) = (organisation.clone(), self.clock.now());
        self.write(move |transaction| {
            Box::pin(async move {
                let (before, state) = store(transaction, &organisation, &key, rule).await?;
                let states = (before.as_ref(), Some(&state));
                note_subscriber(transaction, &organisation, now, states).await?;
                Ok(state)
            })
        })
        .await
    }

    async fn enter(
        &self,
        organisation: &OrganisationId,
        key: SubscriberKey,
        rule: SubscriberRule,
    ) -> Result<Subscriber, Error> {
        let (organisation, now) = (organisation.clone(), self.clock.now());
        let limits = self.limits;
        self.write(move |transaction| {
            Box::pin(async move {
                // Before the target is looked up: the response must not reveal whether it is a subscriber.
                check_limit(transaction, &organisation, limits).await?;
                let (before, state) = store(transaction, &organisation, &key, rule).await?;
                let response = idempotency::response_to(&state)?;
                idempotency::keep(transaction, &organisation, now, response).await?;
                queue_verification(transaction, &organisation, &state, now).await?;
                let states = (before.as_ref(), Some(&state));
                note_subscriber(transaction, &organisation, now, states).await?;
                Ok(state)
            })
        })
        .await
    }

    async fn delete(&self, organisation: &OrganisationId, id: SubscriberId) -> Result<bool, Error> {
        let (organisation, now) = (organisation.clone(), self.clock.now());
        self.write(move |transaction| {
            Box::pin(async move {
                lock(transaction, &organisation).await?;
                let before = find(transaction, &organisation, &SubscriberKey::Id(id)).await?;
                let gone = Entity::delete_by_id(id.0)
                    .filter(Column::OrganisationId.eq(organisation.as_str()));
                let gone = gone.exec(transaction).await.map_err(broken)?.rows_affected > 0;
                if gone {
                    add_to_count(transaction, &organisation, -1).await?;
                    let states = (before.as_ref(), None);
                    note_subscriber(transaction, &organisation, now, states).await?;
                }
                Ok(gone)
            })
        })
        .await
    }

    async fn named_components(
        &self,
        organisation: &OrganisationId,
    ) -> Result<Vec<NamedComponent>, Error> {
        import::named_components(self.read(), organisation).await
    }

    async fn import(
        &self,
        organisation: &OrganisationId,
        batch: ImportBatch,
    ) -> Result<Vec<Imported>, Error> {
        let (organisation, now) = (organisation.clone(), self.clock.now());
        let limits = self.limits;
        self.write(move |transaction| {
            Box::pin(
                async move { import::import(transaction, &organisation, batch, limits, now).await },
            )
        })
        .await
    }

    async fn would_import(
        &self,
        organisation: &OrganisationId,
        keys: Vec<SubscriberKey>,
        added: u64,
    ) -> Result<Vec<Imported>, Error> {
        import::outcomes(self.read(), organisation, &keys, added, self.limits).await
    }

    async fn note_import(&self, organisation: &OrganisationId, note: String) -> Result<(), Error> {
        let (organisation, now) = (organisation.clone(), self.clock.now());
        self.write(move |transaction| {
            Box::pin(async move {
                let (action, target) = (Action::SubscriberImported, TargetType::Organisation);
                let after = json!({"text": &note});
                let change = Note::new(action, target, &organisation)
                    .named(note)
                    .states(None, Some(after));
                audit::note(transaction, &organisation, now, change).await
            })
        })
        .await
    }

    async fn recover(&self, organisation: &OrganisationId, id: SubscriberId) -> Result<(), Error> {
        let organisation = organisation.clone();
        self.write(move |transaction| {
            Box::pin(async move {
                Entity::update_many()
                    .set(no_failure())
                    .filter(Column::OrganisationId.eq(organisation.as_str()))
                    .filter(Column::Id.eq(id.0))
                    .exec(transaction)
                    .await
                    .map_err(broken)?;
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
        if followers_of_the_past(self.read(), resolved_before, 1)
            .await?
            .is_empty()
        {
            return Ok(0);
        }
        self.write(move |transaction| {
            Box::pin(prune_followers(transaction, resolved_before, limit))
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
    key: &SubscriberKey,
) -> Result<Option<Subscriber>, Error> {
    let found = find_row(connection, organisation, key).await?;
    one(connection, found).await
}

async fn find_row(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    key: &SubscriberKey,
) -> Result<Option<Model>, Error> {
    let found = match key {
        SubscriberKey::Id(id) => of(organisation).filter(Column::Id.eq(id.0)),
        SubscriberKey::Target(target, incident) => {
            let found = of(organisation).filter(Column::TargetKey.eq(target.as_str()));
            match incident {
                Some(incident) => found.filter(Column::IncidentId.eq(incident.0)),
                None => found.filter(Column::IncidentId.is_null()),
            }
        }
    };
    found.one(connection).await.map_err(broken)
}

/// Appends an item for a change of a subscriber, if a person of the organisation made it. What visitors do is not in the audit log.
async fn note_subscriber(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
    (before, after): (Option<&Subscriber>, Option<&Subscriber>),
) -> Result<(), Error> {
    let Some(subscriber) = after.or(before) else {
        return Ok(());
    };
    if matches!(
        Origin::current().actor,
        Actor::Provider | Actor::CommandLine | Actor::Scheduler
    ) {
        return Ok(());
    }
    let action = match (before, after) {
        (None, _) => Action::SubscriberCreated,
        (Some(_), None) => Action::SubscriberDeleted,
        (Some(_), Some(_)) => Action::SubscriberUpdated,
    };
    let change = Note::new(action, TargetType::Subscriber, &subscriber.id);
    let change = change.states(before.map(state::subscriber), after.map(state::subscriber));
    audit::note(transaction, organisation, now, change).await
}

/// Runs a rule on a subscriber and stores the result. Returns the states before and after.
async fn store(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    key: &SubscriberKey,
    rule: SubscriberRule,
) -> Result<(Option<Subscriber>, Subscriber), Error> {
    // Of concurrent requests for one target, one finds it missing. Under the lock no notice is committed, so the revision shows
    // whether the notice or the confirmation was first.
    let locked = lock(transaction, organisation)
        .await?
        .ok_or(Error::NotFound("Organisation"))?;
    let row = find_row(transaction, organisation, key).await?;
    let subscribed = SubscriberStatus::Subscribed.to_string();
    let confirmed = row
        .as_ref()
        .filter(|known| known.status == subscribed)
        .map_or(locked.revision, |known| known.confirmed_revision);
    let known = one(transaction, row).await?;
    let before = known.clone();
    let state = rule(known)?;
    let row = self::row(organisation, &state, confirmed);
    if before.is_none() {
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
    if before.as_ref().map(|before| &before.scope) != Some(&state.scope) {
        scope::store(transaction, &state).await?;
    }
    if state.status == SubscriberStatus::Unsubscribed {
        drop_queued(transaction, state.id).await?;
    }
    Ok((before, state))
}

/// Subscribers of single incidents that are deleted or were resolved before the given time.
async fn followers_of_the_past(
    connection: &impl ConnectionTrait,
    resolved_before: DateTime<Utc>,
    limit: u64,
) -> Result<Vec<(Uuid, String)>, Error> {
    let lasting = Query::select()
        .expr(Expr::val(1))
        .from(incident::Entity)
        .and_where(
            Expr::col((incident::Entity, incident::Column::Id))
                .equals((Entity, Column::IncidentId)),
        )
        .cond_where(
            Condition::any()
                .add(incident::Column::ResolvedAt.is_null())
                .add(incident::Column::ResolvedAt.gte(resolved_before)),
        )
        .take();
    Entity::find()
        .select_only()
        .columns([Column::Id, Column::OrganisationId])
        .filter(Column::IncidentId.is_not_null())
        .filter(Expr::exists(lasting).not())
        .limit(limit)
        .into_tuple()
        .all(connection)
        .await
        .map_err(broken)
}

async fn prune_followers(
    transaction: &DatabaseTransaction,
    resolved_before: DateTime<Utc>,
    limit: u64,
) -> Result<u64, Error> {
    let past = followers_of_the_past(transaction, resolved_before, limit).await?;
    // In the order of organisations, so that concurrent nodes cannot deadlock.
    let mut by_organisation: BTreeMap<String, Vec<Uuid>> = BTreeMap::new();
    for (id, organisation) in &past {
        by_organisation
            .entry(organisation.clone())
            .or_default()
            .push(*id);
    }
    for (organisation, ids) in by_organisation {
        let organisation = OrganisationId::parse(&organisation).map_err(Error::internal)?;
        lock(transaction, &organisation).await?;
        let deleted = Entity::delete_many()
            .filter(Column::Id.is_in(ids))
            .exec(transaction)
            .await
            .map_err(broken)?;
        let deleted = i64::try_from(deleted.rows_affected).unwrap_or(0);
        add_to_count(transaction, &organisation, -deleted).await?;
    }
    Ok(past.len() as u64)
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
    limits.check_subscribers(count_of(transaction, organisation).await?)
}

/// The stored number of the organisation's subscribers.
async fn count_of(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
) -> Result<u64, Error> {
    let count: Option<i64> = organisation::Entity::find_by_id(organisation.as_str())
        .select_only()
        .column(organisation::Column::SubscriberCount)
        .into_tuple()
        .one(connection)
        .await
        .map_err(broken)?;
    Ok(count
        .and_then(|count| u64::try_from(count).ok())
        .unwrap_or(0))
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
        target: state.target.as_str().to_owned(),
        target_key: state.target.key().as_str().to_owned(),
        status: state.status.to_string(),
        is_verified: state.is_verified,
        round: state.round,
        confirmed_revision,
        created_at: state.created_at,
        updated_at: state.updated_at,
        channel: state.target.channel().to_string(),
        scope: state.scope.kind().to_string(),
        incident_id: state.scope.incident().map(|incident| incident.0),
        mute_maintenances: state.mute_maintenances,
        secret_number: state.secret.number,
        secret_rotated_at: state.secret.rotated_at,
        failing_reason: state.failing.as_ref().map(|failing| failing.reason.clone()),
        failing_since: state.failing.as_ref().map(|failing| failing.since),
    }
}

/// The columns of a subscriber whose messages arrive.
pub(crate) fn no_failure() -> ActiveModel {
    ActiveModel {
        failing_reason: Set(None),
        failing_since: Set(None),
        ..Default::default()
    }
}

async fn one(
    connection: &impl ConnectionTrait,
    row: Option<Model>,
) -> Result<Option<Subscriber>, Error> {
    let rows = row.into_iter().collect();
    Ok(subscribers(connection, rows).await?.pop())
}

/// Converts stored subscribers, in their order, with what they chose.
pub(crate) async fn subscribers(
    connection: &impl ConnectionTrait,
    rows: Vec<Model>,
) -> Result<Vec<Subscriber>, Error> {
    let mut choices = scope::choices(connection, &rows).await?;
    rows.into_iter()
        .map(|row| {
            let choice = choices.remove(&row.id).unwrap_or_default();
            subscriber(row, choice)
        })
        .collect()
}

fn subscriber(row: Model, choice: Choice) -> Result<Subscriber, Error> {
    let scope = match parse_stored(&row.scope)? {
        ScopeKind::All => Scope::All,
        ScopeKind::Components => Scope::Components(choice),
        ScopeKind::Incident => {
            let incident = row.incident_id.map(IncidentId);
            Scope::Incident(incident.ok_or_else(|| Error::internal("a follower has no incident"))?)
        }
    };
    let failing = row.failing_since.map(|since| Failing {
        reason: row.failing_reason.unwrap_or_default(),
        since,
    });
    Ok(Subscriber {
        id: SubscriberId(row.id),
        target: Target::stored(parse_stored(&row.channel)?, row.target),
        scope,
        mute_maintenances: row.mute_maintenances,
        status: parse_stored(&row.status)?,
        is_verified: row.is_verified,
        round: row.round,
        secret: SecretRound {
            number: row.secret_number,
            rotated_at: row.secret_rotated_at,
        },
        failing,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}
