//! Sign-ins: which account a person of a provider gets, and with which membership.

use std::sync::Arc;

use allclear_domain::account::{Password, User};
use allclear_domain::email::{EmailKey, email_address};
use allclear_domain::id::{SessionId, UserId};
use allclear_domain::openid::display_name;

use super::{
    AccountOrigin, OpenId, ProvidedMembership, Provider, ProviderPerson, ProviderSession,
    ProviderSignIn, ProviderSignInOutcome, ProviderSignedIn, SignInFailure,
};
use crate::error::Error;
use crate::mail::{Mail, MailContent};
use crate::mail_budget::{MailCause, MailKind};
use crate::password::{PasswordHash, Requester};
use crate::secret::SecretToken;
use crate::session::NewSession;

impl OpenId {
    /// Finds or makes the account of a person whose provider has proven who the person is: the
    /// linked account, that of the same address, or a new one.
    pub(super) async fn link_or_create_account(
        &self,
        provider: &Provider,
        person: ProviderPerson,
        session: NewSession,
        before: Option<SessionId>,
    ) -> Result<ProviderSignedIn, SignInFailure> {
        let email = proven_address(provider, &person)?;
        let membership = membership(provider, &person)?;
        let names = person.names.iter().map(String::as_str);
        let address = EmailKey::of(email);
        let user = User {
            id: UserId(self.ports.clock.id()),
            name: display_name(names, email),
            email: email.to_owned(),
            administrator: false,
            needs_address: false,
            created_at: session.created_at,
        };
        let sign_in = ProviderSignIn {
            password: self.password_of_new(email).await?,
            user,
            session,
            before,
            membership,
            origin: ProviderSession {
                provider: provider.id.clone(),
                id_token: person.id_token,
                second_factor: provider.second_factor.prove(&person.methods),
            },
            issuer: person.issuer,
            subject: person.subject,
        };
        let signed_in = match self.ports.store.sign_in(sign_in).await? {
            ProviderSignInOutcome::SignedIn(signed_in) => signed_in,
            ProviderSignInOutcome::AnotherPerson => {
                if let Some(owner) = self.ports.accounts.owner(&address).await? {
                    self.ports
                        .accounts
                        .record_refused_sign_in(owner.user.id)
                        .await?;
                }
                return Err(SignInFailure::AnotherPerson);
            }
            ProviderSignInOutcome::AccountGone => return Err(SignInFailure::Expired),
        };
        if signed_in.account == AccountOrigin::Linked {
            self.mail_link(&signed_in.user, &provider.name);
        }
        Ok(signed_in)
    }

    /// Records in the audit log that a sign-in of the account that is linked to a person
    /// was refused.
    pub(super) async fn record_refused_sign_in(
        &self,
        (issuer, subject): &(String, String),
    ) -> Result<(), Error> {
        if let Some(account) = self.ports.store.linked(issuer, subject).await? {
            self.ports.accounts.record_refused_sign_in(account).await?;
        }
        Ok(())
    }

    /// The hash of a random password that nobody knows, for a new account; `None` if the address
    /// has an account. The person can reset the password.
    async fn password_of_new(&self, email: &str) -> Result<Option<PasswordHash>, Error> {
        let owner = self.ports.accounts.owner(&EmailKey::of(email)).await?;
        if owner.is_some() {
            return Ok(None);
        }
        let random = Password::new(SecretToken::generate().reveal().to_owned());
        let hash = self.ports.hasher.hash(&random, Requester::Unknown);
        hash.await.map(Some)
    }

    /// Mails the owner of an account that a provider's person can sign in to it.
    pub(super) fn mail_link(&self, user: &User, provider: &str) {
        let (mailer, budget) = (
            Arc::clone(&self.ports.mailer),
            Arc::clone(&self.ports.mail_budget),
        );
        let background = self.background.clone();
        let to = user.email.clone();
        let content = MailContent::ProviderLinked {
            provider: provider.to_owned(),
            sign_in: self.links.login(),
        };
        self.background
            .start("mailing a linked account", async move {
                let cause = MailCause::by_anybody(MailKind::AccountNotice, EmailKey::of(&to));
                if budget.try_take(&cause).await? {
                    let mail = Mail::new(to, content);
                    background.send_mail(mailer.as_ref(), mail).await?;
                }
                Ok(())
            });
    }
}

/// The address of a person. The provider has verified it, and its domain is listed.
pub(super) fn proven_address<'a>(
    provider: &Provider,
    person: &'a ProviderPerson,
) -> Result<&'a str, SignInFailure> {
    let email = person.verified_email.as_deref().unwrap_or_default().trim();
    if email_address(email).is_err() {
        return Err(SignInFailure::EmailUnverified);
    }
    if !provider.domains.contains(email) {
        return Err(SignInFailure::ForeignDomain);
    }
    Ok(email)
}

/// The membership that a provider gives a person.
pub(super) fn membership(
    provider: &Provider,
    person: &ProviderPerson,
) -> Result<Option<ProvidedMembership>, SignInFailure> {
    let Some(organisation) = provider.organisation.clone() else {
        return Ok(None);
    };
    let role = match &provider.roles {
        Some(mapping) => Some(mapping.role(&person.roles).ok_or(SignInFailure::NoRole)?),
        None => None,
    };
    Ok(Some(ProvidedMembership { organisation, role }))
}
