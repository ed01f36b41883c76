//! The waitlist.

use allclear_application::error::Error;
use allclear_application::page::{Listed, Page};
use allclear_application::waitlist::{Waiting, Waitlist, WaitlistStore};
use allclear_domain::email::EmailKey;
use allclear_domain::id::WaitlistId;
use async_trait::async_trait;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, EntityTrait, QuerySelect};

use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::entity::waiting::{ActiveModel, Column, Entity};
use crate::page;
use crate::statement::{Fetch, Run, exists};

#[async_trait]
impl WaitlistStore for Database {
    async fn add(&self, waiting: Waiting) -> Result<bool, Error> {
        self.write_unaudited(NoAuditItem::OfInstallation, move |transaction| {
            Box::pin(async move {
                let last = Entity::find().offset(Waitlist::MAX_LENGTH - 1);
                if exists(last, transaction).await? {
                    return Ok(false);
                }
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
                Ok(true)
            })
        })
        .await
    }

    async fn list(&self, page: Page) -> Result<Listed<Waiting>, Error> {
        let listed = page::read(self.read(), Entity::find(), page, Column::Id, |row| row.id);
        listed.await?.try_map(|row| Ok(Waiting::from(row)))
    }

    async fn find(&self, id: WaitlistId) -> Result<Option<Waiting>, Error> {
        Ok(Entity::find_by_id(id.0)
            .fetch_one(self.read())
            .await?
            .map(Waiting::from))
    }

    async fn remove(&self, id: WaitlistId) -> Result<bool, Error> {
        self.write_unaudited(NoAuditItem::OfInstallation, move |transaction| {
            Box::pin(async move {
                let gone = Entity::delete_by_id(id.0).run(transaction).await?;
                Ok(gone > 0)
            })
        })
        .await
    }
}
