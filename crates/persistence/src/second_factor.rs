//! Second factors of accounts, and their recovery codes.

use allclear_application::error::{Error, Resource};
use allclear_application::second_factor::{
    FactorStore, Factors, SessionProof, TotpConfirmation, TotpFactor, UsedCode,
};
use allclear_application::secret::Digest;
use allclear_application::session::AdminSession;
use allclear_domain::audit::{Action, TargetType};
use allclear_domain::id::{OrganisationId, SessionId, UserId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter,
};
use serde_json::{Value, json};

use crate::audit::{NewAuditItem, NewAuditItems, NoAuditItem};
use crate::database::Database;
use crate::entity::totp_factor::{ActiveModel, Column, Entity};
use crate::entity::{factor_requirement, openid_session, recovery_code};
use crate::error::broken;
use crate::membership;
use crate::organisation::lock::lock;
use crate::passkey;
use crate::session::{self, end_other_sessions, lock_account, lock_account_of};
use crate::statement::{Fetch, Run, exists};
use crate::transaction::Transaction;

#[async_trait]
impl FactorStore for Database {
    async fn factors(&self, user: UserId) -> Result<Factors, Error> {
        let totp = Entity::find_by_id(user.0).fetch_one(self.read()).await?;
        Ok(Factors {
            totp: totp.map(TotpFactor::from),
            passkeys: passkey::passkeys_of(self.read(), user).await?,
            recovery_codes: recovery_codes(self.read(), user).await?,
        })
    }

    async fn begin_totp(
        &self,
        user: UserId,
        nonce: String,
        session: SessionId,
        now: DateTime<Utc>,
    ) -> Result<bool, Error> {
        self.write_unaudited(NoAuditItem::Step, move |transaction| {
            Box::pin(async move {
                lock_account_of(transaction, user, session, now).await?;
                begin_totp(transaction, user, nonce, now).await
            })
        })
        .await
    }

    async fn confirm_totp(&self, confirmation: TotpConfirmation) -> Result<bool, Error> {
        self.write_audited(move |transaction| Box::pin(confirm_totp(transaction, confirmation)))
            .await
    }

    async fn use_step(&self, user: UserId, step: i64) -> Result<bool, Error> {
        self.write_unaudited(NoAuditItem::Step, move |transaction| {
            Box::pin(async move {
                let stored = Entity::update_many()
                    .set(ActiveModel {
                        last_step: Set(step),
                        ..Default::default()
                    })
                    .filter(Column::UserId.eq(user.0))
                    .filter(Column::LastStep.lt(step))
                    .run(transaction)
                    .await?;
                Ok(stored > 0)
            })
        })
        .await
    }

    async fn use_recovery_code(&self, user: UserId, digest: &Digest) -> Result<Option<u64>, Error> {
        let digest = digest.clone();
        self.write_unaudited(NoAuditItem::Step, move |transaction| {
            Box::pin(async move {
                let removed = recovery_code::Entity::delete_many()
                    .filter(recovery_code::Column::Digest.eq(digest.as_str()))
                    .filter(recovery_code::Column::UserId.eq(user.0))
                    .run(transaction)
                    .await?;
                if removed == 0 {
                    return Ok(None);
                }
                recovery_codes(transaction, user).await.map(Some)
            })
        })
        .await
    }

    async fn set_recovery_codes(
        &self,
        user: UserId,
        digests: Vec<Digest>,
        current_session: SessionId,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        self.write_audited(move |transaction| {
            Box::pin(async move {
                lock_account_of(transaction, user, current_session, now).await?;
                let count = digests.len();
                replace_recovery_codes(transaction, user, digests).await?;
                let states = (None, Some(json!({"count": count})));
                let change = (Action::RecoveryCodesCreated, states);
                let kept = Some(current_session);
                let audit_items = end_other_sessions(transaction, user, kept, now, change);
                Ok(((), audit_items.await?))
            })
        })
        .await
    }

    async fn remove_totp(&self, user: UserId, current_session: SessionId) -> Result<bool, Error> {
        let now = self.clock.now();
        self.write_audited(move |transaction| {
            Box::pin(async move {
                lock_account_of(transaction, user, current_session, now).await?;
                let removed = Entity::delete_many()
                    .filter(Column::UserId.eq(user.0))
                    .filter(Column::ConfirmedAt.is_not_null())
                    .run(transaction)
                    .await?;
                if removed == 0 {
                    return Ok((false, NewAuditItems::unchanged()));
                }
                remove_codes_of_no_factor(transaction, user).await?;
                let change = (Action::FactorDeleted, (Some(totp_state()), None));
                let kept = Some(current_session);
                let audit_items = end_other_sessions(transaction, user, kept, now, change);
                Ok((true, audit_items.await?))
            })
        })
        .await
    }

    async fn session_proof(&self, session: SessionId) -> Result<SessionProof, Error> {
        let origin = openid_session::Entity::find_by_id(session.0);
        let origin = origin.fetch_one(self.read()).await?;
        Ok(match origin {
            Some(origin) if origin.provider_factor => SessionProof::Provider,
            Some(origin) if !origin.own_factor => SessionProof::Missing,
            _ => SessionProof::Account,
        })
    }

    async fn prove_factor(&self, session: SessionId, digest: Digest) -> Result<(), Error> {
        self.write_unaudited(NoAuditItem::OwnSession, move |transaction| {
            Box::pin(async move {
                session::replace_token(transaction, session, &digest).await?;
                session::note_own_factor(transaction, session).await
            })
        })
        .await
    }

    async fn is_factor_required(&self, organisation: &OrganisationId) -> Result<bool, Error> {
        let requirement = factor_requirement::Entity::find_by_id(organisation.as_str());
        exists(requirement, self.read()).await
    }

    async fn require_factor(
        &self,
        organisation: &OrganisationId,
        required: bool,
        admin: AdminSession,
    ) -> Result<bool, Error> {
        let (owner, now) = (organisation.clone(), self.clock.now());
        self.write_audited_of(Some(organisation), move |transaction| {
            Box::pin(async move {
                lock_account_of(transaction, admin.user, admin.id, now).await?;
                // Of concurrent requests, one finds it missing.
                lock(transaction, &owner)
                    .await?
                    .ok_or(Error::NotFound(Resource::Organisation))?;
                membership::check_admin(transaction, &owner, admin.user).await?;
                require_factor(transaction, &owner, required, now).await
            })
        })
        .await
    }

    async fn reset_factors(&self, user: UserId) -> Result<(), Error> {
        let now = self.clock.now();
        self.write_audited(move |transaction| {
            Box::pin(async move {
                let account = lock_account(transaction, user).await?;
                account.ok_or(Error::NotFound(Resource::Account))?;
                let removed = Entity::delete_by_id(user.0).run(transaction).await?;
                let mut factors = passkey::remove_all(transaction, user).await?;
                if removed > 0 {
                    factors.push(totp_state());
                }
                replace_recovery_codes(transaction, user, Vec::new()).await?;
                let states = (Some(json!({"factors": factors})), None);
                let change = (Action::FactorDeleted, states);
                let audit_items = end_other_sessions(transaction, user, None, now, change);
                Ok(((), audit_items.await?))
            })
        })
        .await
    }
}

/// The authenticator app in the audit log.
fn totp_state() -> Value {
    json!({"type": "TOTP"})
}

/// Whether an account has a second factor in this transaction.
pub(crate) async fn has_factor(transaction: &Transaction, user: UserId) -> Result<bool, Error> {
    let totp = Entity::find_by_id(user.0).filter(Column::ConfirmedAt.is_not_null());
    Ok(exists(totp, transaction).await? || exists(passkey::of(user), transaction).await?)
}

/// Whether a code that was entered at a sign-in still proves a second factor of the account.
/// Without a code, whether the account has none.
pub(crate) async fn is_enough(
    transaction: &Transaction,
    user: UserId,
    code: Option<&UsedCode>,
) -> Result<bool, Error> {
    match code {
        None => Ok(!has_factor(transaction, user).await?),
        Some(UsedCode::Totp { nonce }) => {
            let app = Entity::find_by_id(user.0)
                .filter(Column::Nonce.eq(nonce.as_str()))
                .filter(Column::ConfirmedAt.is_not_null());
            exists(app, transaction).await
        }
        Some(UsedCode::RecoveryCode { left }) => {
            let present = recovery_codes(transaction, user).await?;
            Ok(present <= *left && has_factor(transaction, user).await?)
        }
    }
}

/// Removes the recovery codes of an account that has no second factor any more.
pub(crate) async fn remove_codes_of_no_factor(
    transaction: &Transaction,
    user: UserId,
) -> Result<(), Error> {
    if has_factor(transaction, user).await? {
        return Ok(());
    }
    replace_recovery_codes(transaction, user, Vec::new()).await
}

/// Stores whether an organisation requires a second factor. Returns whether that is a change. The
/// caller holds the organisation's lock.
async fn require_factor(
    transaction: &Transaction,
    organisation: &OrganisationId,
    required: bool,
    now: DateTime<Utc>,
) -> Result<(bool, NewAuditItems), Error> {
    let removed = factor_requirement::Entity::delete_by_id(organisation.as_str())
        .run(transaction)
        .await?;
    if required {
        let row = factor_requirement::ActiveModel {
            organisation_id: Set(organisation.as_str().to_owned()),
        };
        factor_requirement::Entity::insert(row)
            .run(transaction)
            .await?;
    }
    let before = removed > 0;
    if before == required {
        return Ok((false, NewAuditItems::unchanged()));
    }
    let state = |required: bool| Some(json!({"requireSecondFactor": required}));
    let (action, kind) = (Action::OrganisationUpdated, TargetType::Organisation);
    let change = NewAuditItem::new(organisation, now, action, (kind, organisation));
    let change = change.states(state(before), state(required));
    Ok((true, change.into()))
}

async fn begin_totp(
    transaction: &Transaction,
    user: UserId,
    nonce: String,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    let row = ActiveModel {
        user_id: Set(user.0),
        nonce: Set(nonce),
        last_step: Set(0),
        created_at: Set(now),
        confirmed_at: Set(None),
    };
    let newest = OnConflict::column(Column::UserId)
        .update_columns([Column::Nonce, Column::LastStep, Column::CreatedAt])
        .action_and_where(Expr::col((Entity, Column::ConfirmedAt)).is_null())
        .to_owned();
    let stored = Entity::insert(row)
        .on_conflict(newest)
        .run(transaction)
        .await?;
    Ok(stored > 0)
}

async fn confirm_totp(
    transaction: &Transaction,
    confirmation: TotpConfirmation,
) -> Result<(bool, NewAuditItems), Error> {
    let TotpConfirmation {
        user,
        nonce,
        step,
        now,
        recovery_codes,
        current_session,
    } = confirmation;
    lock_account_of(transaction, user, current_session, now).await?;
    let confirmed = Entity::update_many()
        .set(ActiveModel {
            last_step: Set(step),
            confirmed_at: Set(Some(now)),
            ..Default::default()
        })
        .filter(Column::UserId.eq(user.0))
        .filter(Column::Nonce.eq(nonce))
        .filter(Column::ConfirmedAt.is_null())
        .run(transaction)
        .await?;
    if confirmed == 0 {
        return Ok((false, NewAuditItems::unchanged()));
    }
    replace_recovery_codes(transaction, user, recovery_codes).await?;
    session::note_own_factor(transaction, current_session).await?;
    let change = (Action::FactorCreated, (None, Some(totp_state())));
    let kept = Some(current_session);
    let audit_items = end_other_sessions(transaction, user, kept, now, change).await?;
    Ok((true, audit_items))
}

async fn recovery_codes(connection: &impl ConnectionTrait, user: UserId) -> Result<u64, Error> {
    recovery_code::Entity::find()
        .filter(recovery_code::Column::UserId.eq(user.0))
        .count(connection)
        .await
        .map_err(broken)
}

pub(crate) async fn replace_recovery_codes(
    transaction: &Transaction,
    user: UserId,
    digests: Vec<Digest>,
) -> Result<(), Error> {
    recovery_code::Entity::delete_many()
        .filter(recovery_code::Column::UserId.eq(user.0))
        .run(transaction)
        .await?;
    let rows = digests
        .into_iter()
        .map(|digest| recovery_code::ActiveModel {
            digest: Set(digest.as_str().to_owned()),
            user_id: Set(user.0),
        });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    recovery_code::Entity::insert_many(rows)
        .run(transaction)
        .await?;
    Ok(())
}
