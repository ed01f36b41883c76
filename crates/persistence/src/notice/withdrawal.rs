//! The withdrawal of notices, with what is queued of them.
//!
//! A million messages about an incident may wait. If there are many, most of them are removed in
//! transactions of their own before the one that withdraws the notices.

use allclear_application::error::Error;
use allclear_domain::id::OrganisationId;
use allclear_domain::notice::NoticeContent;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, DeleteMany, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select,
};
use uuid::Uuid;

use super::json;
use crate::audit::NoAuditItem;
use crate::commit::Scope;
use crate::database::Database;
use crate::delivery::lock_rows;
use crate::entity::notice::{ActiveModel, Column, Entity, Model};
use crate::entity::{delivery, notice_component};
use crate::organisation::lock::lock;
use crate::removal::MAX_ROWS;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

/// Maximum number of notices that are read to find those to withdraw.
const MAX_READ: u64 = 500;
/// Number of notices that are in memory at the same time: each may have 100 KB.
const READ_AT_ONCE: usize = 20;

impl Database {
    /// Removes what is queued of the notices of an incident, a maintenance or a component that is
    /// about to be deleted, and most of the notices, if that is much. Returns whether it is. The
    /// caller has found the subject in its organisation. The rest is left to [`withdraw`].
    pub(crate) async fn withdraw_many(
        &self,
        organisation: &OrganisationId,
        subject: Uuid,
    ) -> Result<bool, Error> {
        let notices = Column::SubjectId.eq(subject);
        let ids = || {
            let ids = of_subject(subject).select_only().column(Column::Id);
            ids.into_query()
        };
        let queued = delivery::Column::NoticeId.in_subquery(ids());
        let components = notice_component::Column::NoticeId.in_subquery(ids());
        let has_many_rows = self.are_many::<delivery::Entity>(&queued).await?
            || self
                .are_many::<notice_component::Entity>(&components)
                .await?
            || self.are_many::<Entity>(&notices).await?;
        if has_many_rows {
            self.end_expansion(organisation, &notices).await?;
            self.remove_queued(organisation, &queued).await?;
            self.remove_if_many::<notice_component::Entity>(organisation, &components)
                .await?;
            self.remove_if_many::<Entity>(organisation, &notices)
                .await?;
        }
        Ok(has_many_rows)
    }

    /// Removes what is queued of the notices that [`withdraw_updates`] is about to withdraw, if
    /// that is much.
    pub(crate) async fn withdraw_many_of_updates(
        &self,
        organisation: &OrganisationId,
        subject: Uuid,
        versions: Vec<i64>,
        is_resolved: bool,
    ) -> Result<(), Error> {
        let of_updates = of_subject(subject).filter(Column::Revision.is_in(versions));
        let withdrawn = self.with_many_queued(of_updates, |row| {
            is_withdrawn(&NoticeContent::try_from(row), is_resolved)
        });
        self.remove_queued_of(organisation, withdrawn.await?)
            .await?;
        Ok(())
    }

    /// Removes what is queued of the notice that [`withdraw_review`] is about to withdraw, if that
    /// is much. Returns whether it is.
    pub(crate) async fn withdraw_many_of_review(
        &self,
        organisation: &OrganisationId,
        incident: Uuid,
        published_at: DateTime<Utc>,
    ) -> Result<bool, Error> {
        let since = of_subject(incident).filter(Column::CreatedAt.gte(published_at));
        let withdrawn = self.with_many_queued(since, is_of_review);
        self.remove_queued_of(organisation, withdrawn.await?).await
    }

    /// Returns the identifiers of those of the first [`MAX_READ`] of these notices that meet a
    /// condition, if many messages of these notices wait; otherwise none.
    async fn with_many_queued(
        &self,
        notices: Select<Entity>,
        condition: impl Fn(&Model) -> bool + Send,
    ) -> Result<Vec<Uuid>, Error> {
        let first = notices
            .select_only()
            .column(Column::Id)
            .order_by_asc(Column::Revision)
            .order_by_asc(Column::Part)
            .limit(MAX_READ);
        let queued = delivery::Column::NoticeId.in_subquery(first.clone().into_query());
        if !self.are_many::<delivery::Entity>(&queued).await? {
            return Ok(Vec::new());
        }
        let first: Vec<Uuid> = first.into_tuple().fetch_all(self.read()).await?;
        let mut found = Vec::new();
        for some in first.chunks(READ_AT_ONCE) {
            let rows = Entity::find().filter(Column::Id.is_in(some.iter().copied()));
            let rows = rows.fetch_all(self.read()).await?.into_iter();
            found.extend(rows.filter(&condition).map(|row| row.id));
        }
        Ok(found)
    }

    /// Removes what is queued of notices. Returns whether there are any notices.
    async fn remove_queued_of(
        &self,
        organisation: &OrganisationId,
        notices: Vec<Uuid>,
    ) -> Result<bool, Error> {
        if notices.is_empty() {
            return Ok(false);
        }
        let queued = delivery::Column::NoticeId
            .is_in(notices.iter().copied())
            .and(delivery::Column::GivenUpAt.is_null());
        self.end_expansion(organisation, &Column::Id.is_in(notices))
            .await?;
        self.remove_queued(organisation, &queued).await?;
        Ok(true)
    }

    /// Ends the expansion of notices, so that no more messages of them are queued.
    async fn end_expansion(
        &self,
        organisation: &OrganisationId,
        notices: &Expr,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        loop {
            let waiting = Entity::find()
                .select_only()
                .column(Column::Id)
                .filter(notices.clone())
                .filter(Column::ExpandedAt.is_null())
                .limit(MAX_ROWS);
            let ended = Entity::update_many()
                .col_expr(Column::ExpandedAt, Expr::val(now))
                .filter(Column::Id.in_subquery(waiting.into_query()));
            if self.run_locked(organisation, ended.into_query()).await? < MAX_ROWS {
                return Ok(());
            }
        }
    }

    /// Removes deliveries. Workers change them without the organisation's lock.
    async fn remove_queued(
        &self,
        organisation: &OrganisationId,
        queued: &Expr,
    ) -> Result<(), Error> {
        loop {
            let (owner, queued) = (organisation.clone(), queued.clone());
            let delivery = NoAuditItem::Delivery;
            let removed =
                self.write_unaudited_of(Some(organisation), delivery, move |transaction| {
                    Box::pin(async move {
                        lock(transaction, &owner).await?;
                        remove_some_queued(transaction, queued).await
                    })
                });
            if removed.await? < MAX_ROWS {
                return Ok(());
            }
        }
    }
}

/// Removes at most [`MAX_ROWS`] deliveries. Returns the number of those that it found.
async fn remove_some_queued(transaction: &Transaction, queued: Expr) -> Result<u64, Error> {
    use delivery::{Column as Queued, Entity as Deliveries};

    let found: Vec<i64> = Deliveries::find()
        .select_only()
        .column(Queued::Id)
        .filter(queued)
        .limit(MAX_ROWS)
        .into_tuple()
        .fetch_all(transaction)
        .await?;
    let these = || Queued::Id.is_in(found.iter().copied());
    lock_rows(transaction, Deliveries::find().filter(these())).await?;
    let removal = Deliveries::delete_many().filter(these());
    removal.run(transaction).await?;
    Ok(found.len() as u64)
}

/// Removes the notices of a deleted incident, maintenance or component, with what is queued
/// of them.
pub(crate) async fn withdraw(scope: Scope<'_>, subject: Uuid) -> Result<(), Error> {
    let notices = of_subject(subject).select_only().column(Column::Id);
    let queued = delivery::Column::NoticeId.in_subquery(notices.into_query());
    lock_rows(scope.transaction, delivery::Entity::find().filter(queued)).await?;
    withdrawal(subject).run(scope.transaction).await?;
    Ok(())
}

/// Removes the notices of a subject. See [`of_subject`].
pub(crate) fn withdrawal(subject: Uuid) -> DeleteMany<Entity> {
    Entity::delete_many().filter(Column::SubjectId.eq(subject))
}

/// The notices of a subject that the caller has found in its organisation. With the organisation in
/// the condition, SQLite would search through all of its notices.
pub(crate) fn of_subject(subject: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::SubjectId.eq(subject))
}

/// Withdraws the notices of deleted updates of an incident or maintenance, or only their messages
/// where the change stays. `versions` are those of the updates: one that was edited keeps its
/// notice. `is_resolved` says whether the incident is resolved without them.
pub(crate) async fn withdraw_updates(
    scope: Scope<'_>,
    subject: Uuid,
    versions: Vec<i64>,
    is_resolved: bool,
) -> Result<(), Error> {
    let rows = of_subject(subject)
        .filter(Column::Revision.is_in(versions))
        .lock_exclusive()
        .fetch_all(scope.transaction)
        .await?;
    lock_queued(scope, &rows).await?;
    for row in rows {
        let content = NoticeContent::try_from(&row);
        if let Err(error) = &content {
            // A newer node may have written it.
            tracing::error!(
                notice = %row.id,
                error = error as &dyn std::error::Error,
                "a stored notice cannot be read; its update is deleted, so it is withdrawn"
            );
        }
        if is_withdrawn(&content, is_resolved) {
            withdraw_notice(scope, &row).await?;
            continue;
        }
        let content = NoticeContent {
            message: None,
            ..content?
        };
        let changed = ActiveModel {
            id: Set(row.id),
            content: Set(json(&content)?),
            ..Default::default()
        };
        Entity::update(changed).run(scope.transaction).await?;
    }
    Ok(())
}

/// Whether the deletion of the update of a notice withdraws the notice.
fn is_withdrawn(content: &Result<NoticeContent, Error>, is_resolved: bool) -> bool {
    content.as_ref().map_or(true, |content| {
        content.change.is_withdrawn_with_update(is_resolved)
    })
}

/// Withdraws the notice of a deleted review, which was published at the given time.
pub(crate) async fn withdraw_review(
    scope: Scope<'_>,
    incident: Uuid,
    published_at: DateTime<Utc>,
) -> Result<(), Error> {
    let rows = of_subject(incident)
        .filter(Column::CreatedAt.gte(published_at))
        .lock_exclusive()
        .fetch_all(scope.transaction)
        .await?;
    lock_queued(scope, &rows).await?;
    for row in rows {
        if is_of_review(&row) {
            withdraw_notice(scope, &row).await?;
        }
    }
    Ok(())
}

/// Whether a notice is of a published review. One that cannot be read may be of another change.
fn is_of_review(row: &Model) -> bool {
    NoticeContent::try_from(row).is_ok_and(|content| content.review().is_some())
}

/// Locks what is queued of notices, of all of them together: see [`lock_rows`].
async fn lock_queued(scope: Scope<'_>, notices: &[Model]) -> Result<(), Error> {
    let expanded = notices.iter().filter(|notice| notice.batches > 0);
    let queued = delivery::Column::NoticeId.is_in(expanded.map(|notice| notice.id));
    lock_rows(scope.transaction, delivery::Entity::find().filter(queued)).await
}

/// Withdraws a notice with what is queued of it.
async fn withdraw_notice(scope: Scope<'_>, row: &Model) -> Result<(), Error> {
    if row.batches == 0 {
        Entity::delete_by_id(row.id).run(scope.transaction).await?;
        return Ok(());
    }
    delivery::Entity::delete_many()
        .filter(delivery::Column::NoticeId.eq(row.id))
        .filter(delivery::Column::GivenUpAt.is_null())
        .run(scope.transaction)
        .await?;
    // Some have received it, so the components of the next notice are compared with those of
    // this one.
    let ended = ActiveModel {
        id: Set(row.id),
        expanded_at: Set(row.expanded_at.or(Some(scope.stamp.wall_time))),
        ..Default::default()
    };
    Entity::update(ended).run(scope.transaction).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
