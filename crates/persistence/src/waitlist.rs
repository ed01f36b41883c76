//! The waitlist.

use allclear_application::error::Error;
use allclear_application::page::{Listed, Page};
use allclear_application::waitlist::{Waiting, Waitlist, WaitlistStore};
use allclear_domain::email::EmailKey;
use allclear_domain::id::WaitlistId;
use async_trait::async_trait;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query, SubQueryStatement};
use sea_orm::{ActiveValue::Set, EntityTrait, Order, QueryFilter};

use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::entity::waiting::{ActiveModel, Column, Entity};
use crate::page;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

#[async_trait]
impl WaitlistStore for Database {
    async fn add(&self, waiting: Waiting) -> Result<(), Error> {
        self.write_unaudited(NoAuditItem::OfInstallation, move |transaction| {
            Box::pin(async move {
                let row = ActiveModel {
                    id: Set(waiting.id.0),
                    email_key: Set(EmailKey::of(&waiting.email).as_str().to_owned()),
                    name: Set(waiting.name),
                    email: Set(waiting.email),
                    created_at: Set(waiting.created_at),
                };
                let once = OnConflict::column(Column::EmailKey).do_nothing().to_owned();
                let added = Entity::insert(row)
                    .on_conflict(once)
                    .run(transaction)
                    .await?;
                if added > 0 {
                    keep_newest(transaction, Waitlist::MAX_LENGTH).await?;
                }
                Ok(())
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

/// Removes the entries that are older than the newest `kept`.
async fn keep_newest(transaction: &Transaction, kept: u64) -> Result<(), Error> {
    let newest_excess = Query::select()
        .column(Column::Id)
        .from(Entity)
        .order_by(Column::Id, Order::Desc)
        .limit(1)
        .offset(kept)
        .take();
    let newest_excess = SubQueryStatement::SelectStatement(newest_excess);
    let newest_excess = Expr::SubQuery(None, Box::new(newest_excess));
    Entity::delete_many()
        .filter(Expr::col(Column::Id).lte(newest_excess))
        .run(transaction)
        .await?;
    Ok(())
}
