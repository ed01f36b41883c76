//! Users, sessions and organisations of a hosted identity provider.
//!
//! A token proves its bearer's identity at the time of issue. Revocations and the current names of
//! people and organisations come from three sources: the token, the provider's webhooks, and the
//! provider's API, which is asked only if no other source has a name. The newest name wins: tokens
//! and events carry their time, so late ones change nothing.

mod key_mail;
mod message;
mod port;

use std::collections::HashMap;
use std::sync::Arc;

use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::OrganisationDraft;
use allclear_domain::text;
use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;

use crate::clock::Clock;
use crate::error::Error;
use crate::relay::Relay;
use crate::security_log::{SecurityEvent, SecurityRecord};

pub use self::key_mail::ApiKeyMails;
pub use self::message::{DirectoryEvent, Envelope, InvalidWebhook, Message, WebhookVerifier};
pub use self::port::{
    ClaimedNames, Credential, DirectoryStore, MemberChange, MemberRecord, NameRecord, Profiles,
    Revocation, TokenStatus,
};
#[cfg(any(test, feature = "mock"))]
pub use self::{
    message::MockWebhookVerifier,
    port::{MockDirectoryStore, MockProfiles},
};

/// The names of a token's bearer and organisation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedNames {
    /// The bearer's name; `None` if it is unknown.
    pub user: Option<String>,
    /// The organisation's name.
    pub organisation: Option<String>,
}

/// The known part of the provider's directory.
pub struct Directory {
    store: Arc<dyn DirectoryStore>,
    profiles: Arc<dyn Profiles>,
    webhook_verifier: Arc<dyn WebhookVerifier>,
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
    /// Time of the last request to the provider for a name, if it failed or is under way.
    last_lookup: Mutex<HashMap<String, DateTime<Utc>>>,
}

impl Directory {
    /// How long revocations are stored. No token that lives longer may be accepted.
    pub const MEMORY: TimeDelta = TimeDelta::hours(24);
    /// How long a message's identifier is stored: longer than its signature is valid.
    pub const MESSAGES: TimeDelta = TimeDelta::minutes(15);
    /// Delay before the provider is asked again for a name that it did not return.
    const RETRY_DELAY: TimeDelta = TimeDelta::minutes(1);
    /// Maximum number of pending names; beyond it, all requests may be repeated.
    const MAX_PENDING: usize = 10_000;

    /// The use cases over these ports.
    #[must_use]
    pub fn new(
        store: Arc<dyn DirectoryStore>,
        profiles: Arc<dyn Profiles>,
        webhook_verifier: Arc<dyn WebhookVerifier>,
        relay: Arc<Relay>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            store,
            profiles,
            webhook_verifier,
            relay,
            clock,
            last_lookup: Mutex::default(),
        }
    }

    /// The names of a token's bearer and organisation; `None` if the token was revoked. The first
    /// token for an organisation creates the organisation.
    pub async fn resolve(
        &self,
        credential: &Credential,
        claimed: ClaimedNames,
    ) -> Result<Option<ResolvedNames>, Error> {
        let token_status = self.store.token_status(credential).await?;
        if token_status.revoked {
            return Ok(None);
        }
        let named = claimed.user.as_deref().and_then(user_name);
        let user = self.user(credential, named, token_status.user);
        let organisation = async {
            match &credential.organisation {
                Some(id) => self
                    .organisation(id, credential.issued_at, claimed, token_status.organisation)
                    .await
                    .map(Some),
                None => Ok(None),
            }
        };
        let (user, organisation) = tokio::try_join!(user, organisation)?;
        Ok(Some(ResolvedNames { user, organisation }))
    }

    /// Verifies a webhook message of the provider.
    ///
    /// # Errors
    /// [`InvalidWebhook`] if the provider did not sign it now.
    pub fn verify(&self, envelope: &Envelope<'_>) -> Result<Message, InvalidWebhook> {
        self.webhook_verifier.verify(envelope)
    }

    /// Handles a verified message of the provider; a repeated one changes nothing.
    pub async fn handle_webhook(&self, message: Message) -> Result<(), Error> {
        if self.store.is_handled(&message.id).await? {
            return Ok(());
        }
        for event in message.events {
            self.apply(event, message.happened_at).await?;
        }
        // Last: after a failure the provider delivers the message again, and handling it twice has
        // the same result as once.
        self.store.mark_handled(&message.id, self.clock.now()).await
    }

    async fn apply(&self, event: DirectoryEvent, happened_at: DateTime<Utc>) -> Result<(), Error> {
        match event {
            DirectoryEvent::User { id, name, as_of } => match user_name(&name) {
                Some(name) => self.store.name_user(&id, NameRecord { name, as_of }).await,
                None => Ok(()),
            },
            DirectoryEvent::Organisation { id, name, as_of } => match organisation_name(&name) {
                Some(name) => self.name(&id, NameRecord { name, as_of }).await,
                None => Ok(()),
            },
            DirectoryEvent::OrganisationDeleted(id) => {
                self.store.delete_organisation(&id, happened_at).await?;
                SecurityRecord {
                    organisation: Some(&id),
                    ..SecurityRecord::new(SecurityEvent::OrganisationDeleted)
                }
                .write();
                Ok(())
            }
            DirectoryEvent::Member(member) => self.store.record_member(&member).await,
            DirectoryEvent::Revoked(revocation) => {
                self.store.revoke(&revocation, happened_at).await?;
                record_revoked(&revocation);
                Ok(())
            }
        }
    }

    async fn user(
        &self,
        credential: &Credential,
        claimed: Option<String>,
        known: Option<NameRecord>,
    ) -> Result<Option<String>, Error> {
        let user = credential.user.as_str();
        let named = claimed.map(|name| NameRecord {
            name,
            as_of: credential.issued_at,
        });
        let fresh = match named {
            Some(named) => named.newer_than(known.as_ref()),
            None if known.is_none() && self.may_look_up(user) => {
                let response = self.profiles.user(user).await;
                let found = self.accept_response(user, response, user_name);
                found.map(|name| NameRecord {
                    name,
                    as_of: self.clock.now(),
                })
            }
            None => None,
        };
        let Some(fresh) = fresh else {
            return Ok(known.map(|known| known.name));
        };
        let name = fresh.name.clone();
        self.store.name_user(user, fresh).await?;
        Ok(Some(name))
    }

    async fn organisation(
        &self,
        id: &OrganisationId,
        issued_at: DateTime<Utc>,
        claimed: ClaimedNames,
        known: Option<NameRecord>,
    ) -> Result<String, Error> {
        let named = claimed
            .organisation
            .as_deref()
            .and_then(organisation_name)
            .map(|name| NameRecord {
                name,
                as_of: issued_at,
            });
        let fresh = match (named, &known) {
            (Some(named), known) => named.newer_than(known.as_ref()),
            (None, Some(known)) if known.is_known() => None,
            (None, _) => {
                let may_look_up = self.may_look_up(id.as_str());
                let found = if may_look_up {
                    self.accept_response(
                        id.as_str(),
                        self.profiles.organisation(id).await,
                        organisation_name,
                    )
                } else {
                    None
                };
                found.map(|name| NameRecord {
                    name,
                    as_of: self.clock.now(),
                })
            }
        };
        let fresh = match (fresh, known) {
            (Some(fresh), _) => fresh,
            (None, Some(known)) => return Ok(known.name),
            (None, None) => {
                let name = claimed
                    .otherwise
                    .as_deref()
                    .and_then(organisation_name)
                    .unwrap_or_else(|| id.to_string());
                NameRecord {
                    name,
                    as_of: NameRecord::NEVER,
                }
            }
        };
        let name = fresh.name.clone();
        self.name(id, fresh).await?;
        Ok(name)
    }

    async fn name(&self, id: &OrganisationId, known: NameRecord) -> Result<(), Error> {
        let committed = self.store.name_organisation(id, known).await?;
        self.relay.publish(committed).await;
        Ok(())
    }

    /// Returns whether the provider may be asked for this name, and records the request.
    fn may_look_up(&self, id: &str) -> bool {
        let now = self.clock.now();
        let mut last_lookup = self.last_lookup.lock();
        if last_lookup
            .get(id)
            .is_some_and(|last| (now - *last).abs() < Self::RETRY_DELAY)
        {
            return false;
        }
        if last_lookup.len() >= Self::MAX_PENDING {
            last_lookup.clear();
        }
        last_lookup.insert(id.to_owned(), now);
        true
    }

    /// Returns the name from the provider, cleaned by `clean`; `None` if there is none. A failure
    /// is only logged.
    fn accept_response(
        &self,
        id: &str,
        response: Result<Option<String>, Error>,
        clean: fn(&str) -> Option<String>,
    ) -> Option<String> {
        match response {
            Ok(found) => {
                let found = found.as_deref().and_then(clean);
                if found.is_some() {
                    self.last_lookup.lock().remove(id);
                }
                found
            }
            Err(error) => {
                tracing::warn!(
                    id,
                    error = &error as &dyn std::error::Error,
                    "the identity provider did not return a name"
                );
                None
            }
        }
    }
}

/// Writes revocations to the security log.
fn record_revoked(revocation: &Revocation) {
    let revoked = SecurityRecord::new(SecurityEvent::AccessRevoked);
    match revocation {
        Revocation::Session(id) => SecurityRecord {
            object: Some(id),
            detail: Some("session"),
            ..revoked
        },
        Revocation::User(id) => SecurityRecord {
            subject: Some(id),
            detail: Some("account"),
            ..revoked
        },
        Revocation::Membership { organisation, user } => SecurityRecord {
            subject: Some(user),
            organisation: Some(organisation),
            detail: Some("membership"),
            ..revoked
        },
    }
    .write();
}

/// Returns the user's name as stored: one line of at most 200 characters; `None` if it is
/// empty then.
fn user_name(claimed: &str) -> Option<String> {
    let name = text::clean_line(claimed, text::MAX_NAME_LENGTH);
    (!name.is_empty()).then_some(name)
}

/// Returns the organisation's name as stored; `None` if no person could enter it.
fn organisation_name(claimed: &str) -> Option<String> {
    OrganisationDraft::from_provider(claimed).map(|draft| draft.name)
}

#[cfg(test)]
mod tests;
