//! Sessions.

mod end;

use allclear_application::error::Error;
use allclear_application::secret::Digest;
use allclear_application::session::{
    Bearer, ListedSession, NewSession, Session, SessionStore, Sessions, SignInProof,
};
use allclear_domain::account::User;
use allclear_domain::audit::Action;
use allclear_domain::id::{OrganisationId, SessionId, UserId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::LockType;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};
use serde_json::{Value, json};

use self::end::{audit_items_of_end, end_all, make_room, several};
pub(crate) use self::end::{end_other_sessions, end_session};
use crate::audit::{self, NewAuditItems, NoAuditItem};
use crate::database::Database;
use crate::entity::session::{ActiveModel, Column, Entity, Model};
use crate::entity::{openid_session, user};
use crate::error::parse_stored;
use crate::statement::{Fetch, Run, exists};
use crate::transaction::Transaction;
use crate::{membership, passkey, second_factor};

#[async_trait]
impl SessionStore for Database {
    async fn open(
        &self,
        user: UserId,
        proof: SignInProof,
        session: NewSession,
    ) -> Result<(), Error> {
        self.write_audited(move |transaction| {
            Box::pin(async move {
                require_proof(transaction, user, &proof).await?;
                let (now, states) = (session.created_at, (None, Some(state(session.id))));
                let ended = insert(transaction, user, session).await?;
                let action = Action::SessionCreated;
                let created = audit::audit_items_of_person(transaction, user, now, action, states);
                Ok(((), ended.and(created.await?)))
            })
        })
        .await
    }

    async fn find(&self, digest: &Digest, now: DateTime<Utc>) -> Result<Option<Session>, Error> {
        let found = alive(Entity::find(), now)
            .filter(Column::Digest.eq(digest.as_str()))
            .find_also_related(user::Entity)
            .fetch_one(self.read())
            .await?;
        let Some((row, Some(user))) = found else {
            return Ok(None);
        };
        session_from(row, user).map(Some)
    }

    async fn touch(
        &self,
        id: SessionId,
        used_at: DateTime<Utc>,
        expires_at: DateTime<Utc>,
    ) -> Result<(), Error> {
        self.change_session(
            id,
            ActiveModel {
                used_at: Set(used_at),
                expires_at: Set(expires_at),
                ..Default::default()
            },
        )
        .await
    }

    async fn authenticate(
        &self,
        id: SessionId,
        digest: Digest,
        second_factor: bool,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        self.write_unaudited(NoAuditItem::OwnSession, move |transaction| {
            Box::pin(async move {
                authenticate(transaction, id, &digest, now).await?;
                if second_factor {
                    note_own_factor(transaction, id).await?;
                }
                Ok(())
            })
        })
        .await
    }

    async fn activate(&self, id: SessionId, organisation: &OrganisationId) -> Result<(), Error> {
        let active_organisation_id = Set(Some(organisation.as_str().to_owned()));
        self.change_session(
            id,
            ActiveModel {
                active_organisation_id,
                ..Default::default()
            },
        )
        .await
    }

    async fn end(&self, digest: &Digest) -> Result<(), Error> {
        let (digest, now) = (digest.clone(), self.clock.now());
        self.write_audited(move |transaction| {
            Box::pin(async move {
                let found = Entity::find().filter(Column::Digest.eq(digest.as_str()));
                Ok(((), end_session(transaction, found, now).await?))
            })
        })
        .await
    }

    async fn list(&self, user: UserId, now: DateTime<Utc>) -> Result<Vec<ListedSession>, Error> {
        let rows = alive(Entity::find(), now)
            .filter(Column::UserId.eq(user.0))
            .order_by_desc(Column::UsedAt)
            .order_by_desc(Column::Id)
            .limit(Sessions::PER_ACCOUNT)
            .fetch_all(self.read())
            .await?;
        Ok(rows.into_iter().map(ListedSession::from).collect())
    }

    async fn end_one(
        &self,
        user: UserId,
        id: SessionId,
        current_session: SessionId,
    ) -> Result<bool, Error> {
        let now = self.clock.now();
        self.write_audited(move |transaction| {
            Box::pin(async move {
                lock_account_of(transaction, user, current_session, now).await?;
                let ended = Entity::delete_many()
                    .filter(Column::UserId.eq(user.0))
                    .filter(Column::Id.eq(id.0));
                let ended = ended.run(transaction).await?;
                if ended == 0 {
                    return Ok((false, NewAuditItems::unchanged()));
                }
                let audit_items = audit_items_of_end(transaction, user, now, state(id));
                Ok((true, audit_items.await?))
            })
        })
        .await
    }

    async fn end_others(&self, user: UserId, current_session: SessionId) -> Result<u64, Error> {
        let now = self.clock.now();
        self.write_audited(move |transaction| {
            Box::pin(async move {
                lock_account_of(transaction, user, current_session, now).await?;
                let ended = end_all(transaction, user, Some(current_session)).await?;
                if ended == 0 {
                    return Ok((0, NewAuditItems::unchanged()));
                }
                let audit_items = audit_items_of_end(transaction, user, now, several(ended));
                Ok((ended, audit_items.await?))
            })
        })
        .await
    }

    async fn bearer(
        &self,
        session: SessionId,
        user: UserId,
        organisation: Option<OrganisationId>,
        now: DateTime<Utc>,
    ) -> Result<Option<Bearer>, Error> {
        let found = alive(Entity::find_by_id(session.0), now)
            .filter(Column::UserId.eq(user.0))
            .find_also_related(user::Entity)
            .fetch_one(self.read())
            .await?;
        let Some((session, Some(bearer))) = found else {
            return Ok(None);
        };
        let membership = match organisation {
            Some(organisation) => membership::find(self.read(), &organisation, user).await?,
            None => None,
        };
        Ok(Some(Bearer {
            name: bearer.name,
            authenticated_at: session.authenticated_at,
            membership,
        }))
    }
}

/// A session in the audit log.
pub(crate) fn state(id: SessionId) -> Value {
    json!({"id": id.to_string()})
}

impl Database {
    /// Changes a session, unless it has ended.
    async fn change_session(&self, id: SessionId, change: ActiveModel) -> Result<(), Error> {
        self.write_unaudited(NoAuditItem::OwnSession, move |transaction| {
            Box::pin(async move {
                change_one(transaction, id, change).await?;
                Ok(())
            })
        })
        .await
    }
}

/// Changes a session. Returns whether it exists.
async fn change_one(
    transaction: &Transaction,
    id: SessionId,
    change: ActiveModel,
) -> Result<bool, Error> {
    let changed = Entity::update_many()
        .set(change)
        .filter(Column::Id.eq(id.0));
    Ok(changed.run(transaction).await? > 0)
}

/// Stores an authentication of a session's person, and the digest of the token that the session has
/// from now on. [`Sessions::ENDED`] if it has ended.
pub(crate) async fn authenticate(
    transaction: &Transaction,
    id: SessionId,
    digest: &Digest,
    at: DateTime<Utc>,
) -> Result<(), Error> {
    let change = ActiveModel {
        digest: Set(digest.as_str().to_owned()),
        authenticated_at: Set(at),
        ..Default::default()
    };
    let is_stored = change_one(transaction, id, change).await?;
    is_stored.then_some(()).ok_or(Sessions::ENDED)
}

/// Gives a session another token. [`Sessions::ENDED`] if it has ended.
pub(crate) async fn replace_token(
    transaction: &Transaction,
    id: SessionId,
    digest: &Digest,
) -> Result<(), Error> {
    let change = ActiveModel {
        digest: Set(digest.as_str().to_owned()),
        ..Default::default()
    };
    let is_stored = change_one(transaction, id, change).await?;
    is_stored.then_some(()).ok_or(Sessions::ENDED)
}

/// Records that a second factor of the account was used in a session that a provider opened. Other
/// sessions need no note. Comes after a change of the session: two transactions could wait for each
/// other otherwise.
pub(crate) async fn note_own_factor(transaction: &Transaction, id: SessionId) -> Result<(), Error> {
    let change = openid_session::ActiveModel {
        own_factor: Set(true),
        ..Default::default()
    };
    change_origin(transaction, id, change).await
}

/// Changes what is known of the provider's sign-in that opened a session. Other sessions have no
/// such row.
pub(crate) async fn change_origin(
    transaction: &Transaction,
    id: SessionId,
    change: openid_session::ActiveModel,
) -> Result<(), Error> {
    openid_session::Entity::update_many()
        .set(change)
        .filter(openid_session::Column::SessionId.eq(id.0))
        .run(transaction)
        .await?;
    Ok(())
}

/// Makes other changes of an account wait for this transaction. `None` if the account does not
/// exist. Comes first in each change of the password, the factors or the address, and before locks
/// of sessions and organisations: two transactions could wait for each other otherwise.
pub(crate) async fn lock_account(
    transaction: &Transaction,
    user: UserId,
) -> Result<Option<user::Model>, Error> {
    // Not FOR UPDATE: adding a session takes FOR KEY SHARE, which need not wait for it.
    let account = user::Entity::find_by_id(user.0).lock(LockType::NoKeyUpdate);
    account.fetch_one(transaction).await
}

/// [`lock_account`] for a change that one of the account's sessions asks for. The end of the
/// session waits for this transaction.
///
/// # Errors
/// [`Sessions::ENDED`], which says why.
pub(crate) async fn lock_account_of(
    transaction: &Transaction,
    user: UserId,
    session: SessionId,
    now: DateTime<Utc>,
) -> Result<user::Model, Error> {
    let account = lock_if_alive(transaction, user, session, now).await?;
    account.ok_or(Sessions::ENDED)
}

/// [`lock_account_of`]; `None` if the session has ended.
async fn lock_if_alive(
    transaction: &Transaction,
    user: UserId,
    session: SessionId,
    now: DateTime<Utc>,
) -> Result<Option<user::Model>, Error> {
    let account = lock_account(transaction, user).await?;
    let current = alive(Entity::find_by_id(session.0), now)
        .filter(Column::UserId.eq(user.0))
        // Use of the session need not wait.
        .lock(LockType::KeyShare);
    let is_alive = exists(current, transaction).await?;
    Ok(account.filter(|_| is_alive))
}

/// [`lock_account_of`] for a change that knows only the session. Returns the account, `None` if the
/// session has ended.
pub(crate) async fn lock_account_of_session(
    transaction: &Transaction,
    id: SessionId,
    now: DateTime<Utc>,
) -> Result<Option<User>, Error> {
    let found = Entity::find_by_id(id.0).fetch_one(transaction).await?;
    let Some(session) = found else {
        return Ok(None);
    };
    let account = lock_if_alive(transaction, UserId(session.user_id), id, now).await?;
    Ok(account.map(User::from))
}

/// Sessions that have not ended. The expiry of a session from before the absolute lifetime may
/// be later.
fn alive(sessions: Select<Entity>, now: DateTime<Utc>) -> Select<Entity> {
    sessions
        .filter(Column::ExpiresAt.gt(now))
        .filter(Column::CreatedAt.gt(now - Sessions::LIFETIME))
}

/// Makes changes of the password and the factors wait for this transaction.
/// [`Error::Unauthenticated`] if the proof is not enough any more.
async fn require_proof(
    transaction: &Transaction,
    user: UserId,
    proof: &SignInProof,
) -> Result<(), Error> {
    const CHANGED_PASSWORD: Error =
        Error::Unauthenticated("The password was changed meanwhile, please sign in again");
    const CHANGED_FACTORS: Error =
        Error::Unauthenticated("The second factors were changed meanwhile, please sign in again");
    let owner = lock_account(transaction, user).await?;
    match proof {
        SignInProof::Password { hash, code } => {
            if owner.is_none_or(|owner| owner.password != hash.as_str()) {
                return Err(CHANGED_PASSWORD);
            }
            if !second_factor::is_enough(transaction, user, code.as_ref()).await? {
                return Err(CHANGED_FACTORS);
            }
        }
        SignInProof::Passkey(id) => {
            if passkey::owned(transaction, user, *id).await?.is_none() {
                return Err(CHANGED_FACTORS);
            }
        }
    }
    Ok(())
}

/// Stores a session of an account. Returns the items for the sessions that end because the account
/// has too many.
pub(crate) async fn insert(
    transaction: &Transaction,
    user: UserId,
    session: NewSession,
) -> Result<NewAuditItems, Error> {
    let ended = make_room(transaction, user, session.created_at).await?;
    let row = ActiveModel {
        id: Set(session.id.0),
        digest: Set(session.digest.as_str().to_owned()),
        user_id: Set(user.0),
        active_organisation_id: Set(None),
        created_at: Set(session.created_at),
        authenticated_at: Set(session.created_at),
        used_at: Set(session.created_at),
        expires_at: Set(session.expires_at),
        device: Set(session.device),
        address: Set(session.address),
    };
    Entity::insert(row).run(transaction).await?;
    Ok(ended)
}

fn session_from(row: Model, user: user::Model) -> Result<Session, Error> {
    let active = row.active_organisation_id.map(|id| parse_stored(&id));
    Ok(Session {
        id: SessionId(row.id),
        user: user.into(),
        active_organisation: active.transpose()?,
        created_at: row.created_at,
        authenticated_at: row.authenticated_at,
        used_at: row.used_at,
        expires_at: row.expires_at,
    })
}
