//! The deletion of an account and its data.

use allclear_application::account::{Credentials, DeletionOutcome};
use allclear_application::error::Error;
use allclear_application::password::PasswordHash;
use allclear_domain::audit::{Action, ActorType};
use allclear_domain::author::Author;
use allclear_domain::id::{OrganisationId, SessionId, UserId};
use allclear_domain::membership::Departure;
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Order, Query, SelectStatement, UpdateStatement};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, Iterable, QueryFilter, QueryTrait,
};
use uuid::Uuid;

use crate::audit::{NewAuditItems, NoAuditItem, first_id};
use crate::database::Database;
use crate::entity::user::{Column, Entity};
use crate::entity::{
    audit_item, component_period, incident_update, invitation, maintenance_update, organisation,
};
use crate::error::broken;
use crate::membership::{self as members, member_state, organisations_of};
use crate::removal::MAX_ROWS;
use crate::session::{lock_account, lock_account_of};
use crate::statement::{Run, RunStatement, exists};
use crate::transaction::Transaction;
use crate::{installation, organisation as organisations};

/// The session of an account that asks for its deletion.
pub(super) struct CurrentSession {
    pub(super) session: SessionId,
    /// Hash of the entered password; `None` if none was entered.
    pub(super) verified: Option<PasswordHash>,
}

/// The organisations of an account that may be deleted.
#[derive(Default)]
struct Departures {
    /// Organisations that stay.
    left: Vec<OrganisationId>,
    /// Organisations without other members, which are deleted with the account.
    ended: Vec<OrganisationId>,
}

/// Maximum number of identifiers of rows that are read at a time.
const READ_AT_ONCE: u64 = 50_000;
/// Maximum difference between the clocks of two nodes.
const CLOCK_DIFFERENCE: TimeDelta = TimeDelta::minutes(10);

impl Database {
    /// Deletes an account, for one of its sessions; `None` if an operator of the installation asks.
    /// Most rows of its organisations are removed before, and its name is replaced in most rows
    /// that stay, in transactions of their own.
    pub(super) async fn delete_account(
        &self,
        id: UserId,
        current_session: Option<CurrentSession>,
    ) -> Result<DeletionOutcome, Error> {
        let began_at = self.clock.now();
        let checked = self.write_unaudited(NoAuditItem::OrganisationDeleted, move |transaction| {
            Box::pin(async move {
                // Not checked again in the last transaction: rows are removed before that.
                if let Some(CurrentSession { session, verified }) = current_session {
                    let account = lock_account_of(transaction, id, session, began_at).await?;
                    let present = Credentials::from(account).password;
                    if verified.is_some_and(|verified| verified != present) {
                        return Ok(Err(DeletionOutcome::PasswordChanged));
                    }
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
        for rows in named_rows(id) {
            self.remove_name_from(&rows).await?;
        }
        let now = self.clock.now();
        let first_left = first_id(began_at - CLOCK_DIFFERENCE);
        self.write_audited(move |transaction| Box::pin(delete(transaction, id, now, first_left)))
            .await
    }

    /// Replaces the name in these rows, in several transactions: there may be millions. What is
    /// added meanwhile is left to the transaction that deletes the account.
    async fn remove_name_from(&self, rows: &NamedRows) -> Result<(), Error> {
        let changed_at_once = usize::try_from(MAX_ROWS).map_err(Error::internal)?;
        let mut after = Uuid::nil();
        loop {
            let found = self.read().fetch_rows(&rows.ids_after(after)).await?;
            let ids = found.iter().map(|row| row.try_get::<Uuid>("", ID));
            let ids = ids.collect::<Result<Vec<_>, _>>().map_err(broken)?;
            for some in ids.chunks(changed_at_once) {
                let removal = rows.removal_from(some);
                self.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
                    transaction.run_statement(&removal)
                })
                .await?;
            }
            match ids.last() {
                Some(last) if ids.len() as u64 == READ_AT_ONCE => after = *last,
                _ => return Ok(()),
            }
        }
    }
}

/// Deletes an account. The foreign keys delete its sessions, memberships, resets and new addresses.
/// Its name is left in rows from the identifier `first_left` on.
async fn delete(
    transaction: &Transaction,
    id: UserId,
    now: DateTime<Utc>,
    first_left: Uuid,
) -> Result<(DeletionOutcome, NewAuditItems), Error> {
    let departures = match check(transaction, id).await? {
        Ok(departures) => departures,
        Err(refusal) => return Ok((refusal, NewAuditItems::unchanged())),
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
    for rows in named_rows(id) {
        let removal = rows.removal_since(first_left);
        transaction.run_statement(&removal).await?;
    }
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
        return Ok(NewAuditItems::unchanged());
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

/// Column of each table of [`NamedRows`]: an identifier that begins with the time.
const ID: &str = "id";

/// The rows of a table that name a person. They belong to an organisation and stay. They are among
/// those of all organisations, so the condition needs an index.
struct NamedRows {
    /// Whether a row is one of them.
    whose: Expr,
    /// The identifiers of these rows, in order.
    ids: SelectStatement,
    /// Whether the identifier alone finds a row.
    is_found_by_id: bool,
    /// Replaces the name in all rows of the table.
    removal: UpdateStatement,
}

impl NamedRows {
    /// Rows that meet a condition, and the columns to replace.
    fn new<A: ActiveModelTrait>(replaced: A, whose: Expr) -> Self {
        let ids = Query::select()
            .column(ID)
            .from(A::Entity::default())
            .and_where(whose.clone())
            .order_by(ID, Order::Asc)
            .limit(READ_AT_ONCE)
            .take();
        Self {
            whose,
            ids,
            is_found_by_id: <A::Entity as EntityTrait>::PrimaryKey::iter().count() == 1,
            removal: A::Entity::update_many().set(replaced).into_query(),
        }
    }

    /// Selects at most [`READ_AT_ONCE`] identifiers after the given one.
    fn ids_after(&self, after: Uuid) -> SelectStatement {
        let mut ids = self.ids.clone();
        ids.and_where(Expr::col(ID).gt(after)).take()
    }

    /// Replaces the name in those of these rows that have these identifiers.
    fn removal_from(&self, ids: &[Uuid]) -> UpdateStatement {
        let mut removal = self.removal.clone();
        removal.and_where(Expr::col(ID).is_in(ids.iter().copied()));
        if !self.is_found_by_id {
            removal.and_where(self.whose.clone());
        }
        removal
    }

    /// Replaces the name in those of these rows that have this identifier or a later one.
    fn removal_since(&self, first: Uuid) -> UpdateStatement {
        let mut removal = self.removal.clone();
        removal
            .and_where(self.whose.clone())
            .and_where(Expr::col(ID).gte(first))
            .take()
    }
}

/// Rows that name a person: updates, periods of components, and the audit log.
fn named_rows(id: UserId) -> [NamedRows; 7] {
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
    // Of a request without a caller, such as a refused sign-in: the address may be the person's.
    let without_caller = audit_item::ActiveModel {
        address: Set(None),
        ..Default::default()
    };
    let id = id.to_string();
    let is_concerned = audit_item::Column::TargetId.eq(id.as_str());
    let is_named = is_concerned
        .clone()
        .and(audit_item::Column::Action.eq(Action::AccountUpdated.to_string()));
    // Not `actor_id IS NULL`: the databases could choose the index of the actor for it, which has
    // the items of the scheduler, too.
    let is_without_caller = is_concerned
        .clone()
        .and(audit_item::Column::ActorType.eq(ActorType::Provider.to_string()));
    [
        NamedRows::new(incidents, incident_update::Column::UserId.eq(id.as_str())),
        NamedRows::new(
            maintenances,
            maintenance_update::Column::UserId.eq(id.as_str()),
        ),
        NamedRows::new(periods, component_period::Column::UserId.eq(id.as_str())),
        NamedRows::new(acted, audit_item::Column::ActorId.eq(id.as_str())),
        NamedRows::new(concerned, is_concerned),
        NamedRows::new(named, is_named),
        NamedRows::new(without_caller, is_without_caller),
    ]
}

#[cfg(test)]
mod query_plan_tests;
#[cfg(test)]
mod tests;
