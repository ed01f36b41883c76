//! The deletion of an organisation that may have millions of rows. Most of them are removed in many
//! transactions before the one that deletes the organisation.

use allclear_application::error::Error;
use allclear_domain::id::{OrganisationId, UserId};
use sea_orm::sea_query::{DeleteStatement, Expr};
use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, SelectGetableTuple,
    Selector,
};
use uuid::Uuid;

use super::lock::lock;
use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::entity::{
    audit_item, component, component_period, delivery, idempotent_response, incident,
    incident_component, incident_update, maintenance, maintenance_component, maintenance_update,
    notice, notice_component, operator_mail, outbox, subscriber, subscriber_component,
    subscriber_group,
};
use crate::membership::other_members;
use crate::removal::{MAX_ROWS, delete_at_most};
use crate::statement::{Fetch, Run, RunStatement};
use crate::subscriber::{add_to_count, lock_rows};
use crate::transaction::Transaction;

/// Maximum number of owners that one transaction removes.
const MAX_OWNERS: u64 = 200;

/// A kind of rows that own many other rows.
#[derive(Debug, Clone, Copy)]
enum Owner {
    Subscriber,
    Incident,
    Maintenance,
    Component,
}

impl Owner {
    /// Subscribers are first: without them, notices add no deliveries.
    const ALL: [Self; 4] = [
        Self::Subscriber,
        Self::Incident,
        Self::Maintenance,
        Self::Component,
    ];

    /// The next owners of an organisation by their identifiers.
    fn next(
        self,
        organisation: &OrganisationId,
        after: Uuid,
    ) -> Selector<SelectGetableTuple<Uuid>> {
        match self {
            Self::Subscriber => next::<subscriber::Entity>(
                subscriber::Column::OrganisationId.eq(organisation.as_str()),
                subscriber::Column::Id,
                after,
            ),
            Self::Incident => next::<incident::Entity>(
                incident::Column::OrganisationId.eq(organisation.as_str()),
                incident::Column::Id,
                after,
            ),
            Self::Maintenance => next::<maintenance::Entity>(
                maintenance::Column::OrganisationId.eq(organisation.as_str()),
                maintenance::Column::Id,
                after,
            ),
            Self::Component => next::<component::Entity>(
                component::Column::OrganisationId.eq(organisation.as_str()),
                component::Column::Id,
                after,
            ),
        }
    }

    /// Statements that remove some rows of these owners, those first that belong to others.
    fn removals(self, owners: &[Uuid]) -> Vec<DeleteStatement> {
        let owners = || owners.iter().copied();
        match self {
            Self::Subscriber => vec![
                delete_at_most::<delivery::Entity>(delivery::Column::SubscriberId.is_in(owners())),
                delete_at_most::<subscriber_component::Entity>(
                    subscriber_component::Column::SubscriberId.is_in(owners()),
                ),
                delete_at_most::<subscriber_group::Entity>(
                    subscriber_group::Column::SubscriberId.is_in(owners()),
                ),
            ],
            Self::Incident => vec![
                delete_components_of_notices(owners().collect()),
                delete_at_most::<notice::Entity>(notice::Column::SubjectId.is_in(owners())),
                delete_at_most::<incident_update::Entity>(
                    incident_update::Column::IncidentId.is_in(owners()),
                ),
                delete_at_most::<incident_component::Entity>(
                    incident_component::Column::IncidentId.is_in(owners()),
                ),
            ],
            Self::Maintenance => vec![
                delete_components_of_notices(owners().collect()),
                delete_at_most::<notice::Entity>(notice::Column::SubjectId.is_in(owners())),
                delete_at_most::<maintenance_update::Entity>(
                    maintenance_update::Column::MaintenanceId.is_in(owners()),
                ),
                delete_at_most::<maintenance_component::Entity>(
                    maintenance_component::Column::MaintenanceId.is_in(owners()),
                ),
            ],
            Self::Component => vec![
                delete_components_of_notices(owners().collect()),
                delete_at_most::<notice::Entity>(notice::Column::SubjectId.is_in(owners())),
                delete_at_most::<component_period::Entity>(
                    component_period::Column::ComponentId.is_in(owners()),
                ),
            ],
        }
    }

    /// Removes some rows of these owners, and then the owners, except components, of which there
    /// are few. Returns whether nothing is left.
    async fn remove(
        self,
        transaction: &Transaction,
        organisation: &OrganisationId,
        owners: Vec<Uuid>,
    ) -> Result<bool, Error> {
        if let Self::Subscriber = self {
            let these = subscriber::Column::Id.is_in(owners.iter().copied());
            lock_rows(transaction, subscriber::Entity::find().filter(these)).await?;
        }
        for removal in self.removals(&owners) {
            if transaction.run_statement(&removal).await? >= MAX_ROWS {
                return Ok(false);
            }
        }
        match self {
            Self::Subscriber => {
                let these = subscriber::Column::Id.is_in(owners);
                let removed = subscriber::Entity::delete_many().filter(these);
                let removed = removed.run(transaction).await?;
                let removed = i64::try_from(removed).unwrap_or(0);
                add_to_count(transaction, organisation, -removed).await?;
            }
            Self::Incident => {
                let these = incident::Column::Id.is_in(owners);
                let removed = incident::Entity::delete_many().filter(these);
                removed.run(transaction).await?;
            }
            Self::Maintenance => {
                let these = maintenance::Column::Id.is_in(owners);
                let removed = maintenance::Entity::delete_many().filter(these);
                removed.run(transaction).await?;
            }
            Self::Component => {}
        }
        Ok(true)
    }
}

/// Statements that remove some rows of an organisation that belong to nothing else. The audit log
/// is last: it shows what was done as long as anything else is left.
fn removals_of_organisation(organisation: &OrganisationId) -> [DeleteStatement; 4] {
    let id = organisation.as_str();
    [
        delete_at_most::<operator_mail::Entity>(operator_mail::Column::OrganisationId.eq(id)),
        delete_at_most::<idempotent_response::Entity>(
            idempotent_response::Column::OrganisationId.eq(id),
        ),
        delete_at_most::<outbox::Entity>(outbox::Column::OrganisationId.eq(id)),
        delete_at_most::<audit_item::Entity>(audit_item::Column::OrganisationId.eq(id)),
    ]
}

fn next<E: EntityTrait>(
    of_organisation: Expr,
    id: E::Column,
    after: Uuid,
) -> Selector<SelectGetableTuple<Uuid>> {
    E::find()
        .select_only()
        .column(id)
        .filter(of_organisation)
        .filter(id.gt(after))
        .order_by_asc(id)
        .limit(MAX_OWNERS)
        .into_tuple()
}

fn delete_components_of_notices(subjects: Vec<Uuid>) -> DeleteStatement {
    let notices = notice::Entity::find()
        .select_only()
        .column(notice::Column::Id)
        .filter(notice::Column::SubjectId.is_in(subjects))
        .into_query();
    delete_at_most::<notice_component::Entity>(
        notice_component::Column::NoticeId.in_subquery(notices),
    )
}

impl Database {
    /// Removes most rows of an organisation that is about to be deleted, in many transactions. What
    /// is added meanwhile is left to the transaction that deletes the organisation.
    /// [`Error::Conflict`] as soon as there is another member than `sole_member`, if the
    /// organisation is deleted with the account of its sole member.
    pub(crate) async fn remove_rows_of(
        &self,
        organisation: &OrganisationId,
        sole_member: Option<UserId>,
    ) -> Result<(), Error> {
        for owner in Owner::ALL {
            let mut after = Uuid::nil();
            loop {
                let owners = owner.next(organisation, after);
                let owners = owners.fetch_all(self.read()).await?;
                if owners.is_empty() {
                    break;
                }
                while !self
                    .remove_some_of(owner, organisation, sole_member, &owners)
                    .await?
                {}
                match owners.last() {
                    Some(last) if owners.len() as u64 == MAX_OWNERS => after = *last,
                    _ => break,
                }
            }
        }
        for removal in removals_of_organisation(organisation) {
            while self
                .run_removal(organisation, sole_member, &removal)
                .await?
                >= MAX_ROWS
            {}
        }
        Ok(())
    }

    async fn remove_some_of(
        &self,
        owner: Owner,
        organisation: &OrganisationId,
        sole_member: Option<UserId>,
        owners: &[Uuid],
    ) -> Result<bool, Error> {
        let (ending, owners) = (organisation.clone(), owners.to_vec());
        let deleted = NoAuditItem::OrganisationDeleted;
        self.write_unaudited_of(Some(organisation), deleted, move |transaction| {
            Box::pin(async move {
                lock_ending(transaction, &ending, sole_member).await?;
                owner.remove(transaction, &ending, owners).await
            })
        })
        .await
    }

    async fn run_removal(
        &self,
        organisation: &OrganisationId,
        sole_member: Option<UserId>,
        removal: &DeleteStatement,
    ) -> Result<u64, Error> {
        let (ending, removal) = (organisation.clone(), removal.clone());
        let deleted = NoAuditItem::OrganisationDeleted;
        self.write_unaudited_of(Some(organisation), deleted, move |transaction| {
            Box::pin(async move {
                lock_ending(transaction, &ending, sole_member).await?;
                transaction.run_statement(&removal).await
            })
        })
        .await
    }
}

/// Locks an organisation that is about to be deleted, as every write to it does, so that the two
/// cannot deadlock. [`Error::Conflict`] if it has another member than `sole_member`.
async fn lock_ending(
    transaction: &Transaction,
    organisation: &OrganisationId,
    sole_member: Option<UserId>,
) -> Result<(), Error> {
    let locked = lock(transaction, organisation).await?;
    if let (Some(locked), Some(sole_member)) = (locked, sole_member)
        && other_members(transaction, organisation, sole_member).await? > 0
    {
        return Err(Error::Conflict(format!(
            "{} has a new member and stays; a part of its data may be deleted already. Please try again",
            locked.name
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
