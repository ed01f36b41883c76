//! Responses to requests with an `Idempotency-Key`, stored in the transaction of their change.

use std::any::Any;

use allclear_application::error::Error;
use allclear_application::idempotency::{
    CurrentRequest, Idempotency, IdempotencyStore, NewResponse, StoredResponse,
};
use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect,
};

use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::entity::idempotent_response::{ActiveModel, Column, Entity};
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

#[async_trait]
impl IdempotencyStore for Database {
    async fn find(
        &self,
        organisation: &OrganisationId,
        name: &str,
        after: DateTime<Utc>,
    ) -> Result<Option<StoredResponse>, Error> {
        let found = Entity::find_by_id((organisation.as_str().to_owned(), name.to_owned()))
            .filter(Column::CreatedAt.gt(after))
            .fetch_one(self.read())
            .await?;
        Ok(found.map(|row| StoredResponse {
            request: row.request,
            sealed: row.sealed,
        }))
    }

    async fn prune(&self, before: DateTime<Utc>, limit: u64) -> Result<u64, Error> {
        let old: Vec<(String, String)> = Entity::find()
            .select_only()
            .columns([Column::OrganisationId, Column::Name])
            .filter(Column::CreatedAt.lte(before))
            .order_by_asc(Column::CreatedAt)
            .limit(limit)
            .into_tuple()
            .fetch_all(self.read())
            .await?;
        if old.is_empty() {
            return Ok(0);
        }
        self.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            Box::pin(remove(transaction, old, before))
        })
        .await
    }
}

/// Removes those of the responses with these keys that are not newer than the given time. Returns
/// their number. A request may have replaced one of them since the keys were read.
async fn remove(
    transaction: &Transaction,
    keys: Vec<(String, String)>,
    before: DateTime<Utc>,
) -> Result<u64, Error> {
    let mut removed = 0;
    for key in keys {
        let old = Entity::delete_by_id(key).filter(Column::CreatedAt.lte(before));
        removed += old.run(transaction).await?;
    }
    Ok(removed)
}

/// The response to store for the state that a request made; `None` if the request is not
/// repeatable.
pub(crate) fn response_to(state: &dyn Any) -> Result<Option<NewResponse>, Error> {
    let request = CurrentRequest::current();
    request
        .map(|request| request.response_to(state))
        .transpose()
}

/// Stores a response with the change that it describes. The caller must hold the
/// organisation's lock.
///
/// # Errors
/// [`Error::Conflict`] if another request with the same key was first, [`Error::TooMany`] if the
/// organisation keeps too many responses.
pub(crate) async fn keep(
    transaction: &Transaction,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
    new: Option<NewResponse>,
) -> Result<(), Error> {
    match new {
        Some(new) => insert(transaction, organisation, now, new).await,
        None => Ok(()),
    }
}

async fn insert(
    transaction: &Transaction,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
    new: NewResponse,
) -> Result<(), Error> {
    let key = (organisation.as_str().to_owned(), new.name.clone());
    Entity::delete_by_id(key)
        .filter(Column::CreatedAt.lte(now - Idempotency::RETENTION))
        .run(transaction)
        .await?;
    let bytes = i64::try_from(new.stored.sealed.len()).map_err(Error::internal)?;
    let (number, total_bytes) = match end(transaction, organisation, Order::Desc).await? {
        Some((number, total)) => (number + 1, total + bytes),
        None => (1, bytes),
    };
    if let Some((first, total)) = end(transaction, organisation, Order::Asc).await?
        && (number - first >= Idempotency::MAX_RESPONSES
            || total_bytes - total > Idempotency::MAX_BYTES)
    {
        return Err(too_many());
    }
    let row = ActiveModel {
        organisation_id: Set(organisation.as_str().to_owned()),
        name: Set(new.name),
        request: Set(new.stored.request),
        sealed: Set(new.stored.sealed),
        number: Set(number),
        total_bytes: Set(total_bytes),
        created_at: Set(now),
    };
    let first_wins = OnConflict::columns([Column::OrganisationId, Column::Name])
        .do_nothing()
        .to_owned();
    let inserted = Entity::insert(row)
        .on_conflict(first_wins)
        .run(transaction)
        .await?;
    if inserted == 0 {
        return Err(CurrentRequest::in_progress());
    }
    Ok(())
}

/// Number of the oldest or newest response of an organisation, and the total bytes of all responses
/// up to it.
async fn end(
    transaction: &Transaction,
    organisation: &OrganisationId,
    order: Order,
) -> Result<Option<(i64, i64)>, Error> {
    Entity::find()
        .select_only()
        .columns([Column::Number, Column::TotalBytes])
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .order_by(Column::Number, order)
        .limit(1)
        .into_tuple()
        .fetch_one(transaction)
        .await
}

fn too_many() -> Error {
    Error::TooMany {
        message: format!(
            "The organisation has used {} Idempotency-Keys or {} MiB of responses within a day, please try again later",
            Idempotency::MAX_RESPONSES,
            Idempotency::MAX_BYTES / 1024 / 1024,
        ),
        retry_after: 3600,
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use sea_orm::PaginatorTrait;

    use super::*;
    use crate::fixture::{add_organisation, insert as insert_rows, on_each_database};

    async fn response_that_was_replaced_meanwhile_stays(database: &Database) {
        let acme = add_organisation(database, "acme").await;
        let old = DateTime::UNIX_EPOCH;
        let kept_at = |name: &str, number, created_at| ActiveModel {
            organisation_id: Set(acme.to_string()),
            name: Set(name.to_owned()),
            request: Set(String::new()),
            sealed: Set(Vec::new()),
            number: Set(number),
            total_bytes: Set(0),
            created_at: Set(created_at),
        };
        let replaced = kept_at("replaced", 2, old + TimeDelta::milliseconds(1));
        insert_rows(database, vec![kept_at("old", 1, old), replaced]).await;
        let keys = ["old", "replaced"].map(|name| (acme.to_string(), name.to_owned()));
        let removed = database.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            Box::pin(remove(transaction, keys.to_vec(), old))
        });
        assert_eq!(removed.await.unwrap(), 1);
        let left = Entity::find().filter(Column::Name.eq("replaced"));
        assert_eq!(left.count(database.read()).await.unwrap(), 1);
        assert_eq!(Entity::find().count(database.read()).await.unwrap(), 1);
    }

    on_each_database!(response_that_was_replaced_meanwhile_stays);
}
