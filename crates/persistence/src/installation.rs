//! The installation's secrets.

use allclear_application::error::Error;
use allclear_application::installation::{InstallationStore, Secrets, SigningKey};
use async_trait::async_trait;
use chrono::TimeDelta;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect,
};

use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::entity::{installation, signing_key};
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

#[async_trait]
impl InstallationStore for Database {
    async fn secrets(&self, fresh: Secrets) -> Result<Secrets, Error> {
        self.write_unaudited(NoAuditItem::OfInstallation, move |transaction| {
            Box::pin(async move {
                let row = lock(transaction).await?;
                let salt = if let Some(salt) = row.salt {
                    salt
                } else {
                    let kept = installation::ActiveModel {
                        id: Set(row.id),
                        salt: Set(Some(fresh.salt.clone())),
                    };
                    installation::Entity::update(kept).run(transaction).await?;
                    fresh.salt
                };
                let mut keys = signing_keys(transaction).await?;
                if keys.is_empty() {
                    for key in fresh.signing_keys {
                        insert(transaction, key).await?;
                    }
                    keys = signing_keys(transaction).await?;
                }
                Ok(Secrets {
                    salt,
                    signing_keys: keys,
                })
            })
        })
        .await
    }

    async fn signing_keys(&self) -> Result<Vec<SigningKey>, Error> {
        signing_keys(self.read()).await
    }

    async fn replace_signing_key(&self, fresh: SigningKey) -> Result<(), Error> {
        self.write_unaudited(NoAuditItem::OfInstallation, move |transaction| {
            Box::pin(replace_signing_key(transaction, fresh))
        })
        .await
    }
}

async fn replace_signing_key(
    transaction: &Transaction,
    mut fresh: SigningKey,
) -> Result<(), Error> {
    lock(transaction).await?;
    let newest = signing_keys(transaction).await?.into_iter().next();
    let mut old = signing_key::Entity::delete_many();
    if let Some(newest) = newest {
        // This machine's clock may be behind the clock that dated the newest key.
        let after = newest.created_at + TimeDelta::milliseconds(1);
        fresh.created_at = fresh.created_at.max(after);
        old = old.filter(signing_key::Column::Id.ne(newest.id));
    }
    old.run(transaction).await?;
    insert(transaction, fresh).await
}

async fn insert(transaction: &Transaction, key: SigningKey) -> Result<(), Error> {
    let row = signing_key::ActiveModel {
        id: Set(key.id),
        private_key: Set(key.private),
        created_at: Set(key.created_at),
    };
    signing_key::Entity::insert(row).run(transaction).await?;
    Ok(())
}

/// Takes the installation's write lock until the transaction ends, for decisions that concern
/// all organisations.
pub(crate) async fn lock(transaction: &Transaction) -> Result<installation::Model, Error> {
    let row = installation::Entity::find()
        .lock_exclusive()
        .fetch_one(transaction)
        .await?;
    row.ok_or_else(|| Error::internal("the installation's row is gone"))
}

async fn signing_keys(connection: &impl ConnectionTrait) -> Result<Vec<SigningKey>, Error> {
    let newest_first = signing_key::Entity::find().order_by_desc(signing_key::Column::CreatedAt);
    let rows = newest_first.fetch_all(connection).await?;
    Ok(rows.into_iter().map(SigningKey::from).collect())
}
