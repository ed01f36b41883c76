//! The deletion of an account and its data.

use allclear_application::account::{Credentials, DeletionOutcome};
use allclear_application::error::Error;
use allclear_application::password::PasswordHash;
use allclear_domain::audit::Action;
use allclear_domain::author::Author;
use allclear_domain::id::{OrganisationId, SessionId, UserId};
use allclear_domain::membership::Departure;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::UpdateStatement;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryTrait};

use crate::audit::{NewAuditItems, NoAuditItem};
use crate::database::Database;
use crate::entity::user::{Column, Entity};
use crate::entity::{
    audit_item, component_period, incident_update, invitation, maintenance_update, organisation,
};
use crate::membership::{self as members, member_state, organisations_of};
use crate::session::{lock_account, lock_account_of};
use crate::statement::{Run, RunStatement, exists};
use crate::transaction::Transaction;
use crate::{installation, organisation as organisations};

/// The organisations of an account that may be deleted.
#[derive(Default)]
struct Departures {
    /// Organisations that stay.
    left: Vec<OrganisationId>,
    /// Organisations without other members, which are deleted with the account.
    ended: Vec<OrganisationId>,
}

impl Database {
    /// Deletes an account. Most rows of its organisations are removed before, in transactions of
    /// their own.
    pub(super) async fn delete_account(
        self,
        id: UserId,
        verified: Option<PasswordHash>,
        session: SessionId,
    ) -> Result<DeletionOutcome, Error> {
        let now = self.clock.now();
        let checked = self.write_unaudited(NoAuditItem::OrganisationDeleted, move |transaction| {
            Box::pin(async move {
                // Not checked again in the last transaction: rows are removed before that.
                let account = lock_account_of(transaction, id, session, now).await?;
                let present = Credentials::from(account).password;
                if verified.is_some_and(|verified| verified != present) {
                    return Ok(Err(DeletionOutcome::PasswordChanged));
                }
                let checked = check(transaction, id).await?;
                if let Ok(departures) = &checked {
                    // They cannot be accepted while its rows are removed.
                    remove_invitations(transaction, &departures.ended).await?;
                }
                Ok(checked)
            })
        });
        let departures = match checked.await? {
            Ok(departures) => departures,
            Err(refusal) => return Ok(refusal),
        };
        for organisation in &departures.ended {
            self.remove_rows_of(organisation, Some(id)).await?;
        }
        let now = self.clock.now();
        self.write_audited(move |transaction| Box::pin(delete(transaction, id, now)))
            .await
    }
}

/// Deletes an account. The foreign keys delete its sessions, memberships, resets and new addresses.
async fn delete(
    transaction: &Transaction,
    id: UserId,
    now: DateTime<Utc>,
) -> Result<(DeletionOutcome, NewAuditItems), Error> {
    let departures = match check(transaction, id).await? {
        Ok(departures) => departures,
        Err(refusal) => return Ok((refusal, NewAuditItems::none(NoAuditItem::Unchanged))),
    };
    let mut audit_items = NewAuditItems::none(NoAuditItem::OfInstallation);
    for organisation in &departures.left {
        let left = audit_items_of_departure(transaction, organisation, id, now).await?;
        audit_items = audit_items.and(left);
    }
    for organisation in departures.ended {
        organisation::Entity::delete_by_id(organisation.as_str())
            .run(transaction)
            .await?;
    }
    let invitations =
        invitation::Entity::delete_many().filter(invitation::Column::InviterId.eq(id.0));
    invitations.run(transaction).await?;
    remove_name(transaction, id).await?;
    Entity::delete_by_id(id.0).run(transaction).await?;
    Ok((DeletionOutcome::Deleted, audit_items.anonymous(id)))
}

/// Returns what the deletion does to the account's organisations, or why it is refused. Locks the
/// account, the installation and these organisations.
async fn check(
    transaction: &Transaction,
    id: UserId,
) -> Result<Result<Departures, DeletionOutcome>, Error> {
    let Some(user) = lock_account(transaction, id).await? else {
        return Ok(Err(DeletionOutcome::Gone));
    };
    installation::lock(transaction).await?;
    let others = Entity::find().filter(Column::Id.ne(id.0));
    if user.administrator && exists(others, transaction).await? {
        return Ok(Err(DeletionOutcome::Administrator));
    }
    let mut departures = Departures::default();
    for organisation in organisations_of(transaction, id).await? {
        match departure(transaction, &organisation, id).await? {
            Ok(Departure::Leaves) => departures.left.push(organisation),
            Ok(Departure::EndsOrganisation) => departures.ended.push(organisation),
            Err(name) => return Ok(Err(DeletionOutcome::LastAdmin(name))),
        }
    }
    Ok(Ok(departures))
}

async fn remove_invitations(
    transaction: &Transaction,
    organisations: &[OrganisationId],
) -> Result<(), Error> {
    let ids = organisations.iter().map(OrganisationId::as_str);
    let invitations =
        invitation::Entity::delete_many().filter(invitation::Column::OrganisationId.is_in(ids));
    invitations.run(transaction).await?;
    Ok(())
}

async fn audit_items_of_departure(
    transaction: &Transaction,
    organisation: &OrganisationId,
    id: UserId,
    now: DateTime<Utc>,
) -> Result<NewAuditItems, Error> {
    let before = member_state(transaction, organisation, id).await?;
    let before = before.map(|member| member.role);
    if before.is_none() {
        return Ok(NewAuditItems::none(NoAuditItem::Unchanged));
    }
    members::audit_items(transaction, organisation, id, now, (before, None)).await
}

/// Returns the effect of the deletion on an organisation, or the name of an organisation that would
/// lose its last admin.
async fn departure(
    transaction: &Transaction,
    organisation: &OrganisationId,
    id: UserId,
) -> Result<Result<Departure, String>, Error> {
    let Some(locked) = organisations::lock::lock(transaction, organisation).await? else {
        return Ok(Ok(Departure::Leaves));
    };
    let Some(member_state) = member_state(transaction, organisation, id).await? else {
        return Ok(Ok(Departure::Leaves));
    };
    let others = members::other_members(transaction, organisation, id).await?;
    Ok(member_state.delete_account(others).map_err(|_| locked.name))
}

/// Replaces the name where it stays in the organisations' rows.
async fn remove_name(transaction: &Transaction, id: UserId) -> Result<(), Error> {
    for removal in removals(id) {
        transaction.run_statement(&removal).await?;
    }
    Ok(())
}

/// Statements that replace the name on updates, on periods of components and in the audit log,
/// which belong to the organisation and stay. Their rows are among those of all organisations, so
/// each statement needs an index.
fn removals(id: UserId) -> [UpdateStatement; 6] {
    let name = || Set(Author::DELETED.to_owned());
    let incidents = incident_update::ActiveModel {
        user_name: name(),
        ..Default::default()
    };
    let maintenances = maintenance_update::ActiveModel {
        user_name: name(),
        ..Default::default()
    };
    let periods = component_period::ActiveModel {
        user_name: Set(Some(Author::DELETED.to_owned())),
        ..Default::default()
    };
    let acted = audit_item::ActiveModel {
        actor_name: name(),
        address: Set(None),
        ..Default::default()
    };
    let concerned = audit_item::ActiveModel {
        target_name: Set(Some(Author::DELETED.to_owned())),
        ..Default::default()
    };
    let named = audit_item::ActiveModel {
        state_before: Set(None),
        state_after: Set(None),
        ..Default::default()
    };
    [
        incident_update::Entity::update_many()
            .set(incidents)
            .filter(incident_update::Column::UserId.eq(id.to_string()))
            .into_query(),
        maintenance_update::Entity::update_many()
            .set(maintenances)
            .filter(maintenance_update::Column::UserId.eq(id.to_string()))
            .into_query(),
        component_period::Entity::update_many()
            .set(periods)
            .filter(component_period::Column::UserId.eq(id.to_string()))
            .into_query(),
        audit_item::Entity::update_many()
            .set(acted)
            .filter(audit_item::Column::ActorId.eq(id.to_string()))
            .into_query(),
        audit_item::Entity::update_many()
            .set(concerned)
            .filter(audit_item::Column::TargetId.eq(id.to_string()))
            .into_query(),
        audit_item::Entity::update_many()
            .set(named)
            .filter(audit_item::Column::TargetId.eq(id.to_string()))
            .filter(audit_item::Column::Action.eq(Action::AccountUpdated.to_string()))
            .into_query(),
    ]
}

#[cfg(test)]
mod query_plan_tests;
