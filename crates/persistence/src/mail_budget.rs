//! Daily counters of mails.

use allclear_application::error::Error;
use allclear_application::mail_budget::{MailCount, MailCountStore};
use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::entity::mail_count::{Column, Entity};
use crate::statement::{Fetch, Run, RunStatement};
use crate::transaction::Transaction;

#[async_trait]
impl MailCountStore for Database {
    async fn take(
        &self,
        organisation: Option<OrganisationId>,
        counts: Vec<MailCount>,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        self.write_unaudited_of(
            organisation.as_ref(),
            NoAuditItem::Upkeep,
            move |transaction| {
                Box::pin(async move {
                    for count in counts {
                        if !add(transaction, &count, now.date_naive()).await? {
                            // An error, so that the counts before it are rolled back.
                            return Err(count.scope.refusal(now));
                        }
                    }
                    Ok(())
                })
            },
        )
        .await
    }

    async fn give_back(
        &self,
        organisation: Option<OrganisationId>,
        counts: Vec<MailCount>,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        self.write_unaudited_of(
            organisation.as_ref(),
            NoAuditItem::Upkeep,
            move |transaction| {
                Box::pin(async move {
                    for count in counts {
                        let one_less = Entity::update_many()
                            .col_expr(Column::Count, Expr::col(Column::Count).sub(1))
                            .filter(Column::Scope.eq(count.scope.as_str()))
                            .filter(Column::Key.eq(count.key.as_str()))
                            .filter(Column::Day.eq(now.date_naive()))
                            .filter(Column::Count.gt(0_i64));
                        one_less.run(transaction).await?;
                    }
                    Ok(())
                })
            },
        )
        .await
    }

    async fn counted(&self, count: &MailCount, now: DateTime<Utc>) -> Result<u32, Error> {
        let scope = count.scope.as_str().to_owned();
        let key = (scope, count.key.clone(), now.date_naive());
        let found = Entity::find_by_id(key).fetch_one(self.read()).await?;
        let counted = found.map_or(0, |row| row.count);
        Ok(u32::try_from(counted).unwrap_or(u32::MAX))
    }

    async fn prune(&self, before: NaiveDate) -> Result<(), Error> {
        // Strangers may cause any number of counters: one for each address that they enter.
        self.remove_all::<Entity>(&Column::Day.lt(before)).await
    }
}

/// Adds one unless the counter is at its limit. A concurrent transaction waits for the row and then
/// sees the sum.
async fn add(transaction: &Transaction, count: &MailCount, day: NaiveDate) -> Result<bool, Error> {
    if count.limit == 0 {
        return Ok(false);
    }
    let sum = || Expr::col((Entity, Column::Count));
    let one_more = OnConflict::columns([Column::Scope, Column::Key, Column::Day])
        .value(Column::Count, sum().add(1))
        .action_and_where(sum().lt(i64::from(count.limit)))
        .to_owned();
    let insert = Query::insert()
        .into_table(Entity)
        .columns([Column::Scope, Column::Key, Column::Day, Column::Count])
        .values_panic([
            count.scope.as_str().into(),
            count.key.as_str().into(),
            day.into(),
            1_i64.into(),
        ])
        .on_conflict(one_more)
        .to_owned();
    let counted = transaction.run_statement(&insert).await?;
    Ok(counted > 0)
}
