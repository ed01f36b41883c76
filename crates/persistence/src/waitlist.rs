//! The waitlist.

use allclear_application::error::Error;
use allclear_application::waitlist::{Waiting, WaitlistStore};
use allclear_domain::email::EmailKey;
use allclear_domain::id::WaitlistId;
use async_trait::async_trait;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, EntityTrait, QueryOrder};

use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::entity::waiting::{ActiveModel, Column, Entity, Model};
use crate::run::{Fetch, Run};

#[async_trait]
impl WaitlistStore for Database {
    async fn add(&self, waiting: Waiting) -> Result<(), Error> {
        self.write(NoAuditItem::OfInstallation, move |transaction| {
            Box::pin(async move {
                let row = ActiveModel {
                    id: Set(waiting.id.0),
                    email_key: Set(EmailKey::of(&waiting.email).as_str().to_owned()),
                    name: Set(waiting.name),
                    email: Set(waiting.email),
                    created_at: Set(waiting.created_at),
                };
                let once = OnConflict::column(Column::EmailKey).do_nothing().to_owned();
                Entity::insert(row)
                    .on_conflict(once)
                    .run(transaction)
                    .await?;
                Ok(())
            })
        })
        .await
    }

    async fn list(&self) -> Result<Vec<Waiting>, Error> {
        let rows = Entity::find()
            .order_by_desc(Column::Id)
            .fetch_all(self.read())
            .await?;
        Ok(rows.into_iter().map(waiting).collect())
    }

    async fn find(&self, id: WaitlistId) -> Result<Option<Waiting>, Error> {
        Ok(Entity::find_by_id(id.0)
            .fetch_one(self.read())
            .await?
            .map(waiting))
    }

    async fn remove(&self, id: WaitlistId) -> Result<bool, Error> {
        self.write(NoAuditItem::OfInstallation, move |transaction| {
            Box::pin(async move {
                let gone = Entity::delete_by_id(id.0).run(transaction).await?;
                Ok(gone > 0)
            })
        })
        .await
    }
}

fn waiting(row: Model) -> Waiting {
    Waiting {
        id: WaitlistId(row.id),
        name: row.name,
        email: row.email,
        created_at: row.created_at,
    }
}
