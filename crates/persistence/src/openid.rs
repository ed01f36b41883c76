//! Sign-ins by OpenID Connect.

use allclear_application::account::Credentials;
use allclear_application::error::Error;
use allclear_application::openid::{
    AccountOrigin, MembershipOutcome, OpenIdStore, ProvidedMembership, ProviderSession,
    ProviderSignIn, ProviderSignInOutcome, ProviderSignedIn, Reauthentication,
    ReauthenticationOutcome, StoredSignInMethods,
};
use allclear_application::secret::Digest;
use allclear_domain::audit::Action;
use allclear_domain::email::EmailKey;
use allclear_domain::id::{SessionId, UserId};
use allclear_domain::membership::MemberState;
use allclear_domain::openid::LOWEST_ROLE;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::account::{insert_account_without_password, owner};
use crate::audit::{self, NewAuditItems, NoAuditItem};
use crate::database::Database;
use crate::entity::{openid_account, openid_session, session as session_entity, user};
use crate::error::Duplicate;
use crate::membership;
use crate::organisation::lock::lock;
use crate::session;
use crate::statement::{Fetch, Run, exists};
use crate::transaction::Transaction;
use crate::used_challenge;

#[async_trait]
impl OpenIdStore for Database {
    async fn use_state(
        &self,
        digest: &Digest,
        expires_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool, Error> {
        let digest = digest.clone();
        self.write_unaudited(NoAuditItem::Step, move |transaction| {
            Box::pin(async move {
                used_challenge::mark_used(transaction, &digest, expires_at, now).await
            })
        })
        .await
    }

    async fn sign_in(&self, sign_in: ProviderSignIn) -> Result<ProviderSignInOutcome, Error> {
        let attempt = |sign_in| {
            self.write_audited(move |transaction| Box::pin(open_session(transaction, sign_in)))
        };
        match attempt(sign_in.clone()).await {
            // A concurrent first sign-in of the person has made or linked the account, which the
            // second attempt finds.
            Err(error) if Duplicate::is_cause_of(&error) => attempt(sign_in).await,
            signed_in => signed_in,
        }
    }

    async fn reauthenticate(
        &self,
        reauthentication: Reauthentication,
        now: DateTime<Utc>,
    ) -> Result<ReauthenticationOutcome, Error> {
        self.write_unaudited(NoAuditItem::OwnSession, move |transaction| {
            Box::pin(async move { reauthenticate(transaction, &reauthentication, now).await })
        })
        .await
    }

    async fn linked(&self, issuer: &str, subject: &str) -> Result<Option<UserId>, Error> {
        let key = (issuer.to_owned(), subject.to_owned());
        let found = openid_account::Entity::find_by_id(key);
        let found = found.fetch_one(self.read()).await?;
        Ok(found.map(|row| UserId(row.user_id)))
    }

    async fn sign_in_methods(&self, user: UserId) -> Result<StoredSignInMethods, Error> {
        let account = user::Entity::find_by_id(user.0)
            .fetch_one(self.read())
            .await?;
        let issuers = openid_account::Entity::find()
            .select_only()
            .column(openid_account::Column::Issuer)
            .filter(openid_account::Column::UserId.eq(user.0))
            .into_tuple()
            .fetch_all(self.read())
            .await?;
        Ok(StoredSignInMethods {
            password: account.is_some_and(|account| account.has_password),
            issuers,
        })
    }

    async fn session_origin(
        &self,
        session: SessionId,
        user: UserId,
    ) -> Result<Option<ProviderSession>, Error> {
        let owned = session_entity::Entity::find_by_id(session.0)
            .filter(session_entity::Column::UserId.eq(user.0));
        if !exists(owned, self.read()).await? {
            return Ok(None);
        }
        let found = openid_session::Entity::find_by_id(session.0)
            .fetch_one(self.read())
            .await?;
        let Some(row) = found else {
            return Ok(None);
        };
        // A provider whose identifier was valid once may not be configured any more.
        let provider = row.provider.parse().map_err(Error::internal)?;
        Ok(Some(ProviderSession {
            provider,
            id_token: row.id_token,
            second_factor: row.provider_factor,
        }))
    }
}

/// [`Duplicate`] if another account took the address, or another request linked the person, at the
/// same time.
async fn open_session(
    transaction: &Transaction,
    sign_in: ProviderSignIn,
) -> Result<(ProviderSignInOutcome, NewAuditItems), Error> {
    let (Credentials { user, password }, account) = match account(transaction, &sign_in).await? {
        Ok(found) => found,
        Err(refused) => return Ok((refused, NewAuditItems::unchanged())),
    };
    let now = sign_in.session.created_at;
    let session_id = sign_in.session.id;
    let mut audit_items = NewAuditItems::unchanged();
    if let Some(before) = sign_in.before {
        let found = session_entity::Entity::find_by_id(before.0);
        audit_items = session::end_session(transaction, found, now).await?;
    }
    let ended = session::insert(transaction, user.id, sign_in.session).await?;
    let origin = openid_session::ActiveModel {
        session_id: Set(session_id.0),
        provider: Set(sign_in.origin.provider.as_str().to_owned()),
        id_token: Set(sign_in.origin.id_token),
        provider_factor: Set(sign_in.origin.second_factor),
        own_factor: Set(false),
    };
    openid_session::Entity::insert(origin)
        .run(transaction)
        .await?;
    let (membership, member) = match sign_in.membership {
        Some(provided) => give(transaction, user.id, provided, now).await?,
        None => without_change(MembershipOutcome::Unchanged),
    };
    let (action, states) = (
        Action::SessionCreated,
        (None, Some(session::state(session_id))),
    );
    let session = audit::audit_items_of_person(transaction, user.id, now, action, states).await?;
    let audit_items = audit_items.and(ended).and(member).and(session);
    let signed_in = ProviderSignedIn {
        user,
        password,
        account,
        membership,
    };
    let outcome = ProviderSignInOutcome::SignedIn(signed_in);
    Ok((outcome, audit_items))
}

/// The account of a person: the linked one, the one of the same address, or a new one; or why the
/// person gets none.
async fn account(
    transaction: &Transaction,
    sign_in: &ProviderSignIn,
) -> Result<Result<(Credentials, AccountOrigin), ProviderSignInOutcome>, Error> {
    let person = Person {
        issuer: &sign_in.issuer,
        subject: &sign_in.subject,
    };
    if let Some(linked) = person.linked(transaction).await? {
        return Ok(Ok((linked, AccountOrigin::Existing)));
    }
    let found = owner(transaction, &EmailKey::of(&sign_in.user.email)).await?;
    let (account, origin) = match found {
        Some(found) if person.is_not(transaction, found.user.id).await? => {
            return Ok(Err(ProviderSignInOutcome::AnotherPerson));
        }
        Some(found) => (found, AccountOrigin::Linked),
        None => {
            let Some(password) = &sign_in.password else {
                return Ok(Err(ProviderSignInOutcome::AccountGone));
            };
            let user =
                insert_account_without_password(transaction, &sign_in.user, password).await?;
            let password = password.clone();
            (Credentials { user, password }, AccountOrigin::Created)
        }
    };
    let now = sign_in.session.created_at;
    person.link(transaction, account.user.id, now).await?;
    Ok(Ok((account, origin)))
}

async fn reauthenticate(
    transaction: &Transaction,
    reauthentication: &Reauthentication,
    now: DateTime<Utc>,
) -> Result<ReauthenticationOutcome, Error> {
    let locked = session::lock_account_of_session(transaction, reauthentication.session, now);
    let Some(user) = locked.await? else {
        return Ok(ReauthenticationOutcome::Ended);
    };
    let person = Person {
        issuer: &reauthentication.issuer,
        subject: &reauthentication.subject,
    };
    let known = person.linked(transaction).await?;
    let linked = known.is_none();
    let theirs = if let Some(known) = known {
        Some(known.user.id)
    } else {
        let found = owner(transaction, &EmailKey::of(&reauthentication.email)).await?;
        found.map(|found| found.user.id)
    };
    if theirs != Some(user.id) || (linked && person.is_not(transaction, user.id).await?) {
        return Ok(ReauthenticationOutcome::AnotherAccount);
    }
    if linked {
        person.link(transaction, user.id, now).await?;
    }
    if reauthentication.second_factor {
        let change = openid_session::ActiveModel {
            provider_factor: Set(true),
            ..Default::default()
        };
        session::change_origin(transaction, reauthentication.session, change).await?;
    }
    let (digest, at) = (&reauthentication.digest, reauthentication.at);
    session::authenticate(transaction, reauthentication.session, digest, at).await?;
    Ok(ReauthenticationOutcome::Done { user, linked })
}

/// A person of a provider.
struct Person<'a> {
    issuer: &'a str,
    subject: &'a str,
}

impl Person<'_> {
    /// The linked account. `None` if there is none.
    async fn linked(&self, transaction: &Transaction) -> Result<Option<Credentials>, Error> {
        let key = (self.issuer.to_owned(), self.subject.to_owned());
        let linked = openid_account::Entity::find_by_id(key)
            .find_also_related(user::Entity)
            .fetch_one(transaction)
            .await?;
        Ok(linked.and_then(|(_, user)| user).map(Credentials::from))
    }

    /// Whether an account is linked to another person of the issuer. A link to the same person has
    /// just been made by another request.
    async fn is_not(&self, transaction: &Transaction, user: UserId) -> Result<bool, Error> {
        let other = openid_account::Entity::find()
            .filter(openid_account::Column::UserId.eq(user.0))
            .filter(openid_account::Column::Issuer.eq(self.issuer))
            .filter(openid_account::Column::Subject.ne(self.subject));
        exists(other, transaction).await
    }

    /// Links an account. [`Duplicate`] if another request linked the person at the same time.
    async fn link(
        &self,
        transaction: &Transaction,
        user: UserId,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let link = openid_account::ActiveModel {
            issuer: Set(self.issuer.to_owned()),
            subject: Set(self.subject.to_owned()),
            user_id: Set(user.0),
            created_at: Set(now),
        };
        let linked = openid_account::Entity::insert(link)
            .exec_without_returning(transaction)
            .await;
        linked.map(drop).map_err(Duplicate::or_broken)
    }
}

/// Gives the membership of a provider. The last admin stays one.
async fn give(
    transaction: &Transaction,
    user: UserId,
    provided: ProvidedMembership,
    now: DateTime<Utc>,
) -> Result<(MembershipOutcome, NewAuditItems), Error> {
    let ProvidedMembership { organisation, role } = provided;
    if lock(transaction, &organisation).await?.is_none() {
        return Ok(without_change(MembershipOutcome::NoOrganisation));
    }
    let state = membership::member_state(transaction, &organisation, user).await?;
    match (state, role) {
        (None, role) => {
            let role = role.unwrap_or(LOWEST_ROLE);
            membership::insert(transaction, &organisation, user, role, now).await?;
            let roles = (None, Some(role));
            let audit_items = membership::audit_items(transaction, &organisation, user, now, roles);
            Ok((MembershipOutcome::Changed(role), audit_items.await?))
        }
        (Some(MemberState { role: own, .. }), Some(role)) if own == role => {
            Ok(without_change(MembershipOutcome::Unchanged))
        }
        (Some(state), Some(role)) => {
            if state.become_role(role).is_err() {
                return Ok(without_change(MembershipOutcome::LastAdmin));
            }
            membership::change_role(transaction, &organisation, user, role).await?;
            let roles = (Some(state.role), Some(role));
            let audit_items = membership::audit_items(transaction, &organisation, user, now, roles);
            Ok((MembershipOutcome::Changed(role), audit_items.await?))
        }
        (Some(_), None) => Ok(without_change(MembershipOutcome::Unchanged)),
    }
}

/// An outcome that leaves the membership as it is.
const fn without_change(outcome: MembershipOutcome) -> (MembershipOutcome, NewAuditItems) {
    (outcome, NewAuditItems::unchanged())
}
