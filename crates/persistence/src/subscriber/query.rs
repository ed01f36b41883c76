//! The queries of subscribers.

use allclear_application::error::Error;
use allclear_application::subscriber::{SubscriberFilter, SubscriberKey};
use allclear_domain::channel::{Channel, TargetKey};
use allclear_domain::email::Mailbox;
use allclear_domain::id::OrganisationId;
use allclear_domain::subscriber::{Subscriber, SubscriberStatus};
use sea_orm::sea_query::{BinOper, Expr, ExprTrait, Func, LockType, UnionType};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Select,
};
use uuid::Uuid;

use super::row::optional_subscriber_from;
use crate::entity::subscriber::{Column, Entity};
use crate::statement::Fetch;
use crate::transaction::Transaction;

/// The subscribers of an organisation. Every query of subscribers begins here.
pub(super) fn of(organisation: &OrganisationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganisationId.eq(organisation.as_str()))
}

pub(super) fn condition(filter: &SubscriberFilter) -> Condition {
    let email = filter.email.as_deref().map(contains);
    let channel = filter.channel.map(|it| Column::Channel.eq(it.to_string()));
    let scope = filter.scope.map(|it| Column::Scope.eq(it.to_string()));
    let status = filter.status.map(|it| Column::Status.eq(it.to_string()));
    let failing = filter.failing.then(|| Column::FailingSince.is_not_null());
    Condition::all()
        .add_option(email)
        .add_option(channel)
        .add_option(scope)
        .add_option(status)
        .add_option(failing)
}

/// Selects mail addresses that contain `part`. The database converts both to lower case, so that it
/// converts them alike.
fn contains(part: &str) -> Expr {
    let mut pattern = String::from("%");
    for character in part.chars() {
        if matches!(character, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern.push('%');
    let pattern =
        Expr::from(Func::lower(pattern)).binary(BinOper::Escape, Expr::Constant("!".into()));
    let target = Expr::from(Func::lower(Expr::col(Column::Target)));
    Column::Channel
        .eq(Channel::Email.to_string())
        .and(target.binary(BinOper::Like, pattern))
}

pub(super) async fn find(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    key: &SubscriberKey,
) -> Result<Option<Subscriber>, Error> {
    let found = row_of(organisation, key).fetch_one(connection).await?;
    optional_subscriber_from(connection, found).await
}

pub(super) fn row_of(organisation: &OrganisationId, key: &SubscriberKey) -> Select<Entity> {
    match key {
        SubscriberKey::Id(id) => of(organisation).filter(Column::Id.eq(id.0)),
        SubscriberKey::Target(target, incident) => {
            let found = of(organisation).filter(Column::TargetKey.eq(target.as_str()));
            match incident {
                Some(incident) => found.filter(Column::IncidentId.eq(incident.0)),
                None => found.filter(Column::IncidentId.is_null()),
            }
        }
        SubscriberKey::Link(address) => of(organisation)
            .filter(Column::TargetKey.is_in(keys_of(address)))
            .filter(Column::IncidentId.is_null())
            .order_by_desc(Column::TargetKey.eq(address.as_str())),
    }
}

/// The keys that the subscriber of a link may have. One that version 0.1 stored beside another one
/// of the same address has its mailbox as its key.
fn keys_of(address: &Mailbox) -> [String; 2] {
    let key = TargetKey::of_email(address.as_str());
    [address.as_str().to_owned(), key.as_str().to_owned()]
}

/// Locks rows until the transaction ends: results of deliveries change subscribers without the lock
/// of the organisation. New deliveries do not wait for it. Every transaction locks the rows that it
/// may change in the order of their identifiers, and before it changes their deliveries, so that
/// none waits for another that waits for it.
pub(crate) async fn lock_rows(
    transaction: &Transaction,
    rows: Select<Entity>,
) -> Result<(), Error> {
    // SQLite has one writer at a time.
    if transaction.get_database_backend() == DbBackend::Sqlite {
        return Ok(());
    }
    let rows = rows.select_only().column(Column::Id);
    let locked = rows.order_by_asc(Column::Id).lock(LockType::NoKeyUpdate);
    let _: Vec<Uuid> = locked.into_tuple().fetch_all(transaction).await?;
    Ok(())
}

/// All subscriptions of the target of one.
pub(super) fn of_same_target(organisation: &OrganisationId, key: &SubscriberKey) -> Select<Entity> {
    let target_key = Expr::col((Entity, Column::TargetKey));
    let has_target = match key {
        SubscriberKey::Target(target, _) => target_key.eq(target.as_str()),
        SubscriberKey::Link(address) => target_key.is_in(keys_of(address)),
        SubscriberKey::Id(id) => {
            let target = Entity::find_by_id(id.0)
                .select_only()
                .column(Column::TargetKey);
            target_key.eq(Expr::from(target.into_query()))
        }
    };
    let these = |kind: Expr| {
        of(organisation)
            .select_only()
            .column(Column::Id)
            .filter(has_target.clone())
            .filter(kind)
            .into_query()
    };
    // One query for each of the two indexes, which have only the subscriptions to the page, or
    // to incidents.
    let ids = these(Column::IncidentId.is_null())
        .union(UnionType::All, these(Column::IncidentId.is_not_null()))
        .take();
    Entity::find().filter(Column::Id.in_subquery(ids))
}

/// The identifiers of the subscriptions of a target to single incidents. Unordered: for an order,
/// SQLite would use an index through all subscribers of the organisation.
pub(super) fn follows(organisation: &OrganisationId, target: &TargetKey) -> Select<Entity> {
    of(organisation)
        .select_only()
        .column(Column::Id)
        .filter(Column::TargetKey.eq(target.as_str()))
        .filter(Column::IncidentId.is_not_null())
        .filter(Column::Status.ne(SubscriberStatus::Unsubscribed.to_string()))
}
