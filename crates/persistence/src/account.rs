//! Accounts.

pub mod administration;
mod candidates;
mod deletion;
mod password;
mod pending;
#[cfg(test)]
mod query_plan_tests;

use allclear_application::account::{
    AccountStore, Admission, Candidates, Confirmation, ConfirmationOutcome, CreationOutcome,
    Credentials, DeletionOutcome, NewAccount, PasswordChange, PendingAddress, PendingSignUp, Reset,
    ResetOutcome,
};
use allclear_application::audit::state;
use allclear_application::error::Error;
use allclear_application::invitation::Invitations;
use allclear_application::password::PasswordHash;
use allclear_application::secret::Digest;
use allclear_domain::account::User;
use allclear_domain::audit::Action;
use allclear_domain::email::EmailKey;
use allclear_domain::id::{SessionId, UserId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use self::deletion::CurrentSession;
use crate::audit::{self, NewAuditItems, NoAuditItem};
use crate::database::Database;
use crate::entity::user::{ActiveModel, Column, Entity};
use crate::entity::{
    invitation, password_reset, pending_address, pending_sign_up, session as session_entity,
};
use crate::error::Duplicate;
use crate::statement::{Fetch, Run, exists};
use crate::transaction::Transaction;
use crate::{installation, session};

#[async_trait]
impl AccountStore for Database {
    async fn any(&self) -> Result<bool, Error> {
        exists(Entity::find(), self.read()).await
    }

    async fn find(&self, id: UserId) -> Result<Option<Credentials>, Error> {
        let found = Entity::find_by_id(id.0).fetch_one(self.read()).await?;
        Ok(found.map(Credentials::from))
    }

    async fn owner(&self, address: &EmailKey) -> Result<Option<Credentials>, Error> {
        owner(self.read(), address).await
    }

    async fn candidates(&self, address: &EmailKey) -> Result<Candidates, Error> {
        candidates::of(self.read(), address).await
    }

    async fn create(&self, account: NewAccount) -> Result<CreationOutcome, Error> {
        let created = self.write_audited(|transaction| Box::pin(create(transaction, account)));
        or_taken(created.await, CreationOutcome::Taken)
    }

    async fn rename(&self, id: UserId, name: String, session: SessionId) -> Result<User, Error> {
        let now = self.clock.now();
        self.write_audited(move |transaction| {
            Box::pin(async move {
                let before = session::lock_account_of(transaction, id, session, now).await?;
                let before = User::from(before);
                let after = User {
                    name,
                    ..before.clone()
                };
                if before == after {
                    return Ok((after, NewAuditItems::unchanged()));
                }
                let renamed = Entity::update_many().set(ActiveModel {
                    name: Set(after.name.clone()),
                    ..Default::default()
                });
                renamed.filter(Column::Id.eq(id.0)).run(transaction).await?;
                let states = (Some(state::account(&before)), Some(state::account(&after)));
                let action = Action::AccountUpdated;
                audit::check_changes_of_person(transaction, id, now, action).await?;
                let audit_items =
                    audit::audit_items_of_person(transaction, id, now, action, states);
                Ok((after, audit_items.await?))
            })
        })
        .await
    }

    async fn upgrade_password(
        &self,
        id: UserId,
        outdated: PasswordHash,
        stronger: PasswordHash,
    ) -> Result<bool, Error> {
        self.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            Box::pin(async move {
                let upgraded = Entity::update_many().set(ActiveModel {
                    password: Set(stronger.as_str().to_owned()),
                    ..Default::default()
                });
                let count = upgraded
                    .filter(Column::Id.eq(id.0))
                    .filter(Column::Password.eq(outdated.as_str()))
                    .run(transaction)
                    .await?;
                Ok(count > 0)
            })
        })
        .await
    }

    async fn record_refused_sign_in(&self, id: UserId) -> Result<(), Error> {
        let now = self.clock.now();
        self.write_audited(move |transaction| {
            Box::pin(async move {
                let (action, states) = (Action::SessionRefused, (None, None));
                let audit_items =
                    audit::audit_items_of_person(transaction, id, now, action, states);
                Ok(((), audit_items.await?))
            })
        })
        .await
    }

    async fn delete(
        &self,
        id: UserId,
        verified: Option<PasswordHash>,
        session: SessionId,
    ) -> Result<DeletionOutcome, Error> {
        let current_session = CurrentSession { session, verified };
        Box::pin(self.delete_account(id, Some(current_session))).await
    }

    async fn prune(&self, now: DateTime<Utc>) -> Result<(), Error> {
        let sessions = session_entity::Column::ExpiresAt.lte(now);
        self.remove_all::<session_entity::Entity>(&sessions).await?;
        let resets = password_reset::Column::ExpiresAt.lte(now);
        self.remove_all::<password_reset::Entity>(&resets).await?;
        let invitations = invitation::Column::ExpiresAt.lte(now);
        self.remove_all::<invitation::Entity>(&invitations).await?;
        let sign_ups = pending_sign_up::Column::ExpiresAt.lte(now);
        self.remove_all::<pending_sign_up::Entity>(&sign_ups)
            .await?;
        let addresses = pending_address::Column::ExpiresAt.lte(now);
        self.remove_all::<pending_address::Entity>(&addresses).await
    }

    async fn add_sign_up(&self, pending: PendingSignUp) -> Result<bool, Error> {
        self.write_unaudited(NoAuditItem::Step, move |transaction| {
            Box::pin(pending::add_sign_up(transaction, pending))
        })
        .await
    }

    async fn confirm_sign_up(
        &self,
        confirmation: Confirmation,
    ) -> Result<ConfirmationOutcome, Error> {
        let confirmed = self.write_audited(move |transaction| {
            Box::pin(pending::confirm_sign_up(transaction, confirmation))
        });
        or_taken(confirmed.await, ConfirmationOutcome::Taken)
    }

    async fn add_address(&self, pending: PendingAddress) -> Result<(), Error> {
        self.write_unaudited(NoAuditItem::Step, move |transaction| {
            Box::pin(pending::add_address(transaction, pending))
        })
        .await
    }

    async fn confirm_address(
        &self,
        digest: &Digest,
        user: UserId,
        session: SessionId,
        now: DateTime<Utc>,
    ) -> Result<ConfirmationOutcome, Error> {
        let digest = digest.clone();
        let confirmed = self.write_audited(move |transaction| {
            Box::pin(async move {
                pending::confirm_address(transaction, &digest, user, session, now).await
            })
        });
        or_taken(confirmed.await, ConfirmationOutcome::Taken)
    }

    async fn change_password(&self, change: PasswordChange) -> Result<bool, Error> {
        let now = self.clock.now();
        self.write_audited(move |transaction| Box::pin(password::change(transaction, change, now)))
            .await
    }

    async fn add_reset(&self, reset: Reset) -> Result<bool, Error> {
        self.write_unaudited(NoAuditItem::Step, move |transaction| {
            Box::pin(password::add_reset(transaction, reset))
        })
        .await
    }

    async fn find_reset(
        &self,
        digest: &Digest,
        now: DateTime<Utc>,
    ) -> Result<Option<Credentials>, Error> {
        password::find_reset(self.read(), digest, now).await
    }

    async fn use_reset(
        &self,
        digest: &Digest,
        password: PasswordHash,
        now: DateTime<Utc>,
    ) -> Result<ResetOutcome, Error> {
        let digest = digest.clone();
        self.write_audited(move |transaction| {
            Box::pin(async move { password::use_reset(transaction, &digest, password, now).await })
        })
        .await
    }
}

/// The given result if another account took the address at the same time.
fn or_taken<T>(result: Result<T, Error>, taken: T) -> Result<T, Error> {
    match result {
        Err(error) if Duplicate::is_cause_of(&error) => Ok(taken),
        result => result,
    }
}

/// [`Duplicate`] if the address has an account already.
pub(super) async fn create(
    transaction: &Transaction,
    account: NewAccount,
) -> Result<(CreationOutcome, NewAuditItems), Error> {
    let administrator = is_first(transaction).await?;
    if account.admission == Admission::First && !administrator {
        return Ok((CreationOutcome::NotFirst, NewAuditItems::unchanged()));
    }
    let user = User {
        administrator,
        ..account.user
    };
    insert(transaction, model_of(&user, &account.password)).await?;
    let mut audit_items = session::insert(transaction, user.id, account.session).await?;
    if let Admission::Invitation(digest) = &account.admission {
        let (digest, now) = (digest.as_str(), user.created_at);
        let (accepted, joined) =
            crate::invitation::accept(transaction, digest, user.id, now).await?;
        audit_items = audit_items.and(joined);
        if accepted.is_none() {
            // The invitation existed when the service checked; a concurrent request has used it
            // since.
            return Err(Invitations::BAD);
        }
    }
    Ok((CreationOutcome::Created(user), audit_items))
}

/// Stores an account without a session and with a password that nobody knows. The first account
/// administers the installation. [`Duplicate`] if the address has an account already.
pub(crate) async fn insert_account_without_password(
    transaction: &Transaction,
    user: &User,
    password: &PasswordHash,
) -> Result<User, Error> {
    let user = User {
        administrator: is_first(transaction).await?,
        ..user.clone()
    };
    let row = ActiveModel {
        has_password: Set(false),
        ..model_of(&user, password)
    };
    insert(transaction, row).await?;
    Ok(user)
}

/// Whether an account that is made now is the first one. Concurrent first accounts wait here and
/// then find the one that was made.
async fn is_first(transaction: &Transaction) -> Result<bool, Error> {
    if exists(Entity::find(), transaction).await? {
        return Ok(false);
    }
    installation::lock(transaction).await?;
    Ok(!exists(Entity::find(), transaction).await?)
}

async fn insert(transaction: &Transaction, row: ActiveModel) -> Result<(), Error> {
    let inserted = Entity::insert(row)
        .exec_without_returning(transaction)
        .await;
    inserted.map(drop).map_err(Duplicate::or_broken)
}

/// Returns the account with an address. `None` if there is none.
pub(crate) async fn owner(
    connection: &impl ConnectionTrait,
    address: &EmailKey,
) -> Result<Option<Credentials>, Error> {
    let found = Entity::find()
        .filter(candidates::owned(address))
        .fetch_one(connection)
        .await?;
    Ok(found.map(Credentials::from))
}

fn model_of(user: &User, password: &PasswordHash) -> ActiveModel {
    ActiveModel {
        id: Set(user.id.0),
        name: Set(user.name.clone()),
        email: Set(user.email.clone()),
        email_key: Set(EmailKey::of(&user.email).as_str().to_owned()),
        password: Set(password.as_str().to_owned()),
        administrator: Set(user.administrator),
        needs_address: Set(user.needs_address),
        created_at: Set(user.created_at),
        has_password: Set(true),
    }
}
