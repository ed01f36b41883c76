//! Passkeys of accounts.

use allclear_application::error::Error;
use allclear_application::passkey::{
    CredentialId, NewPasskey, PasskeyAdditionOutcome, PasskeyStore, PasskeyUse, PasskeyUseOutcome,
    StoredPasskey, UsedChallenge,
};
use allclear_domain::audit::Action;
use allclear_domain::id::{PasskeyId, SessionId, UserId};
use allclear_domain::passkey::Passkey;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, Select,
};
use serde_json::{Value, json};

use crate::audit::{self, NewAuditItems, NoAuditItem};
use crate::database::Database;
use crate::entity::passkey::{ActiveModel, Column, Entity};
use crate::entity::user as user_entity;
use crate::error::broken;
use crate::second_factor::{has_factor, remove_codes_of_no_factor, replace_recovery_codes};
use crate::session::{end_other_sessions, lock_account_of, note_own_factor};
use crate::statement::{Fetch, Run, exists};
use crate::transaction::Transaction;
use crate::used_challenge::{mark_used, unmark};

#[async_trait]
impl PasskeyStore for Database {
    async fn add_passkey(&self, passkey: NewPasskey) -> Result<PasskeyAdditionOutcome, Error> {
        self.write_audited(move |transaction| Box::pin(add(transaction, passkey)))
            .await
    }

    async fn credentials_of(&self, user: UserId) -> Result<Vec<CredentialId>, Error> {
        let ids: Vec<String> = Entity::find()
            .select_only()
            .column(Column::CredentialId)
            .filter(Column::UserId.eq(user.0))
            .order_by_asc(Column::Id)
            .into_tuple()
            .fetch_all(self.read())
            .await?;
        Ok(ids.into_iter().map(CredentialId).collect())
    }

    async fn find_passkey(
        &self,
        credential: &CredentialId,
    ) -> Result<Option<StoredPasskey>, Error> {
        let found = Entity::find()
            .filter(Column::CredentialId.eq(credential.0.as_str()))
            .find_also_related(user_entity::Entity)
            .fetch_one(self.read())
            .await?;
        let Some((row, Some(owner))) = found else {
            return Ok(None);
        };
        Ok(Some(StoredPasskey {
            credential: row.credential.clone(),
            account: owner.into(),
            passkey: row.into(),
        }))
    }

    async fn use_passkey(&self, used: PasskeyUse) -> Result<PasskeyUseOutcome, Error> {
        self.write_unaudited(NoAuditItem::Step, move |transaction| {
            Box::pin(use_passkey(transaction, used))
        })
        .await
    }

    async fn record_copied(
        &self,
        passkey: &Passkey,
        user: UserId,
        challenge: UsedChallenge,
    ) -> Result<bool, Error> {
        let (state, now) = (state(passkey), self.clock.now());
        self.write_audited(move |transaction| {
            Box::pin(async move {
                if !use_challenge(transaction, &challenge, now).await? {
                    return Ok((false, NewAuditItems::unchanged()));
                }
                let states = (Some(state.clone()), Some(state));
                let action = Action::FactorCopied;
                let audit_items =
                    audit::audit_items_of_person(transaction, user, now, action, states);
                Ok((true, audit_items.await?))
            })
        })
        .await
    }

    async fn rename_passkey(
        &self,
        user: UserId,
        id: PasskeyId,
        name: String,
        session: SessionId,
    ) -> Result<Option<Passkey>, Error> {
        let now = self.clock.now();
        self.write_audited(move |transaction| {
            Box::pin(async move {
                lock_account_of(transaction, user, session, now).await?;
                let Some(before) = owned(transaction, user, id).await? else {
                    return Ok((None, NewAuditItems::unchanged()));
                };
                let after = Passkey {
                    name,
                    ..before.clone()
                };
                let renamed = ActiveModel {
                    name: Set(after.name.clone()),
                    ..Default::default()
                };
                Entity::update_many()
                    .set(renamed)
                    .filter(Column::Id.eq(id.0))
                    .run(transaction)
                    .await?;
                let states = (Some(state(&before)), Some(state(&after)));
                let action = Action::FactorUpdated;
                audit::check_changes_of_person(transaction, user, now, action).await?;
                let audit_items =
                    audit::audit_items_of_person(transaction, user, now, action, states);
                Ok((Some(after), audit_items.await?))
            })
        })
        .await
    }

    async fn remove_passkey(
        &self,
        user: UserId,
        id: PasskeyId,
        current_session: SessionId,
    ) -> Result<bool, Error> {
        let now = self.clock.now();
        self.write_audited(move |transaction| {
            Box::pin(async move {
                lock_account_of(transaction, user, current_session, now).await?;
                let Some(before) = owned(transaction, user, id).await? else {
                    return Ok((false, NewAuditItems::unchanged()));
                };
                let removed = Entity::delete_by_id(id.0).run(transaction);
                removed.await?;
                remove_codes_of_no_factor(transaction, user).await?;
                let change = (Action::FactorDeleted, (Some(state(&before)), None));
                let kept = Some(current_session);
                let audit_items = end_other_sessions(transaction, user, kept, now, change);
                Ok((true, audit_items.await?))
            })
        })
        .await
    }
}

async fn add(
    transaction: &Transaction,
    passkey: NewPasskey,
) -> Result<(PasskeyAdditionOutcome, NewAuditItems), Error> {
    let NewPasskey {
        user,
        passkey,
        credential,
        challenge,
        recovery_codes,
        current_session,
    } = passkey;
    let now = passkey.created_at;
    lock_account_of(transaction, user, current_session, now).await?;
    if !use_challenge(transaction, &challenge, now).await? {
        return Ok((PasskeyAdditionOutcome::Known, NewAuditItems::unchanged()));
    }
    let present = of(user).count(transaction).await.map_err(broken)?;
    if present >= Passkey::MAX_COUNT {
        return Ok((PasskeyAdditionOutcome::Full, NewAuditItems::unchanged()));
    }
    let is_first = !has_factor(transaction, user).await?;
    let after = state(&passkey);
    let row = ActiveModel {
        id: Set(passkey.id.0),
        user_id: Set(user.0),
        name: Set(passkey.name),
        credential_id: Set(credential.id.0),
        credential: Set(credential.credential),
        sign_count: Set(credential.sign_count.into()),
        created_at: Set(now),
        last_used_at: Set(None),
    };
    let once = OnConflict::column(Column::CredentialId)
        .do_nothing()
        .to_owned();
    let inserted = Entity::insert(row)
        .on_conflict(once)
        .run(transaction)
        .await?;
    if inserted == 0 {
        return Ok((PasskeyAdditionOutcome::Known, NewAuditItems::unchanged()));
    }
    if is_first {
        replace_recovery_codes(transaction, user, recovery_codes).await?;
    }
    note_own_factor(transaction, current_session).await?;
    let change = (Action::FactorCreated, (None, Some(after)));
    let kept = Some(current_session);
    let audit_items = end_other_sessions(transaction, user, kept, now, change).await?;
    let stored = if is_first {
        PasskeyAdditionOutcome::First
    } else {
        PasskeyAdditionOutcome::Further
    };
    Ok((stored, audit_items))
}

async fn use_passkey(
    transaction: &Transaction,
    used: PasskeyUse,
) -> Result<PasskeyUseOutcome, Error> {
    let PasskeyUse {
        id,
        credential,
        challenge,
        now,
    } = used;
    // Comes first, so that a repeated response does not change the passkey.
    if !use_challenge(transaction, &challenge, now).await? {
        return Ok(PasskeyUseOutcome::Refused);
    }
    let sign_count = i64::from(credential.sign_count);
    // Authenticators without a counter always send 0.
    let counts_on = if sign_count == 0 {
        Column::SignCount.eq(0)
    } else {
        Column::SignCount.lt(sign_count)
    };
    let stored = Entity::update_many()
        .set(ActiveModel {
            credential: Set(credential.credential),
            sign_count: Set(sign_count),
            last_used_at: Set(Some(now)),
            ..Default::default()
        })
        .filter(Column::Id.eq(id.0))
        .filter(counts_on)
        .run(transaction)
        .await?;
    if stored > 0 {
        return Ok(PasskeyUseOutcome::Accepted);
    }
    if !exists(Entity::find_by_id(id.0), transaction).await? {
        return Ok(PasskeyUseOutcome::Refused);
    }
    // The caller then records the copy, which marks the challenge as used.
    unmark(transaction, &challenge.digest).await?;
    Ok(PasskeyUseOutcome::CounterWentBack)
}

/// Marks a challenge as used. Returns false if it was used before.
async fn use_challenge(
    transaction: &Transaction,
    challenge: &UsedChallenge,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    mark_used(transaction, &challenge.digest, challenge.expires_at, now).await
}

/// The passkeys of an account, the oldest first.
pub(crate) async fn passkeys_of(
    connection: &impl ConnectionTrait,
    user: UserId,
) -> Result<Vec<Passkey>, Error> {
    let rows = of(user)
        .order_by_asc(Column::Id)
        .fetch_all(connection)
        .await?;
    Ok(rows.into_iter().map(Passkey::from).collect())
}

/// Removes all passkeys of an account, and returns them as the audit log shows them.
pub(crate) async fn remove_all(
    transaction: &Transaction,
    user: UserId,
) -> Result<Vec<Value>, Error> {
    let removed = passkeys_of(transaction, user).await?;
    Entity::delete_many()
        .filter(Column::UserId.eq(user.0))
        .run(transaction)
        .await?;
    Ok(removed.iter().map(state).collect())
}

pub(crate) async fn owned(
    transaction: &Transaction,
    user: UserId,
    id: PasskeyId,
) -> Result<Option<Passkey>, Error> {
    let row = of(user)
        .filter(Column::Id.eq(id.0))
        .fetch_one(transaction)
        .await?;
    Ok(row.map(Passkey::from))
}

pub(crate) fn of(user: UserId) -> Select<Entity> {
    Entity::find().filter(Column::UserId.eq(user.0))
}

/// A passkey in the audit log.
fn state(passkey: &Passkey) -> Value {
    json!({"type": "PASSKEY", "id": passkey.id.to_string(), "name": passkey.name})
}
