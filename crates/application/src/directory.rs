//! What is known of the users, sessions and organisations of a hosted identity provider.
//!
//! Its tokens prove who somebody was when they were issued. What has ended since, and what people and organisations are
//! called, comes from three places, the first that knows wins: the token itself, the messages the provider sends, and its
//! own API. News carry the moment they are of, so that late ones change nothing.

mod message;
mod port;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use allclear_domain::id::OrganisationId;
use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Clock;
use crate::error::Error;
use crate::relay::Relay;
use crate::security_log::{SecurityEvent, SecurityRecord};

pub use self::message::{Envelope, InvalidWebhook, Message, News, WebhookVerifier};
pub use self::port::{Claimed, Credential, DirectoryStore, Ending, Known, Profiles, Standing};
#[cfg(any(test, feature = "mock"))]
pub use self::{
    message::MockWebhookVerifier,
    port::{MockDirectoryStore, MockProfiles},
};

/// Who a token's bearer turned out to be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Admitted {
    /// Their name, where anybody knows it.
    pub user: Option<String>,
    /// Their organisation's name.
    pub organisation: Option<String>,
}

/// The provider's directory, as far as it is known here.
pub struct Directory {
    store: Arc<dyn DirectoryStore>,
    profiles: Arc<dyn Profiles>,
    announcer: Arc<dyn WebhookVerifier>,
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
    /// When the provider was last asked for a name in vain, or is being asked.
    asked: Mutex<HashMap<String, DateTime<Utc>>>,
}

impl Directory {
    /// How long ended sessions, memberships and users are remembered. No token that lives longer may be accepted.
    pub const MEMORY: TimeDelta = TimeDelta::hours(24);
    /// How long a message's identifier is remembered: longer than its signature counts, before and after its time.
    pub const MESSAGES: TimeDelta = TimeDelta::minutes(15);
    /// How long the provider is not asked again for a name that it did not tell.
    const RETRY_DELAY: TimeDelta = TimeDelta::minutes(1);
    /// Names that are being waited for; past that many the oldest questions may be asked again.
    const MOST_ASKED: usize = 10_000;

    /// The use cases over these ports.
    #[must_use]
    pub fn new(
        store: Arc<dyn DirectoryStore>,
        profiles: Arc<dyn Profiles>,
        announcer: Arc<dyn WebhookVerifier>,
        relay: Arc<Relay>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            store,
            profiles,
            announcer,
            relay,
            clock,
            asked: Mutex::default(),
        }
    }

    /// Who bears a token; none where what it stands for has ended. From the first token for it on, the organisation exists.
    pub async fn admit(
        &self,
        credential: &Credential,
        claimed: Claimed,
    ) -> Result<Option<Admitted>, Error> {
        let standing = self.store.standing(credential).await?;
        if standing.ended {
            return Ok(None);
        }
        let named = claimed.user.as_deref().and_then(plain);
        let user = self.user(credential, named, standing.user);
        let organisation = async {
            match &credential.organisation {
                Some(id) => self
                    .organisation(id, credential.issued_at, claimed, standing.organisation)
                    .await
                    .map(Some),
                None => Ok(None),
            }
        };
        let (user, organisation) = tokio::try_join!(user, organisation)?;
        Ok(Some(Admitted { user, organisation }))
    }

    /// Hears a message of the provider; hearing it again changes nothing. [`Error::BadCode`] where it is not the provider's.
    pub async fn hear(&self, envelope: &Envelope<'_>) -> Result<(), Error> {
        let message = self.announcer.read(envelope).map_err(|refused| {
            tracing::warn!(reason = %refused, "a message of the identity provider was not believed");
            Error::BadCode("This message cannot be taken for the identity provider's")
        })?;
        if self.store.is_handled(&message.id).await? {
            return Ok(());
        }
        for news in message.news {
            self.follow(news, message.happened_at).await?;
        }
        // Last: a message that could not be followed is delivered again, and following it twice is following it once.
        self.store.mark_handled(&message.id, self.clock.now()).await
    }

    async fn follow(&self, news: News, happened_at: DateTime<Utc>) -> Result<(), Error> {
        match news {
            News::User { id, name, as_of } => match plain(&name) {
                Some(name) => self.store.name_user(&id, Known { name, as_of }).await,
                None => Ok(()),
            },
            News::Organisation { id, name, as_of } => match plain(&name) {
                Some(name) => self.name(&id, Known { name, as_of }).await,
                None => Ok(()),
            },
            News::OrganisationDeleted(id) => {
                self.store.delete_organisation(&id, happened_at).await?;
                SecurityRecord {
                    organisation: Some(&id),
                    ..SecurityRecord::new(SecurityEvent::OrganisationDeleted)
                }
                .write();
                Ok(())
            }
            News::Ended(ending) => {
                self.store.end(&ending, happened_at).await?;
                record_revoked(&ending);
                Ok(())
            }
        }
    }

    async fn user(
        &self,
        credential: &Credential,
        claimed: Option<String>,
        known: Option<Known>,
    ) -> Result<Option<String>, Error> {
        let user = credential.user.as_str();
        if let Some(name) = claimed {
            let as_of = credential.issued_at;
            if known.is_none_or(|known| known.is_older(&name, as_of)) {
                self.store
                    .name_user(
                        user,
                        Known {
                            name: name.clone(),
                            as_of,
                        },
                    )
                    .await?;
            }
            return Ok(Some(name));
        }
        if let Some(known) = known {
            return Ok(Some(known.name));
        }
        let found = if self.may_ask(user) {
            self.told(user, self.profiles.user(user).await)
        } else {
            None
        };
        if let Some(name) = &found {
            self.store
                .name_user(
                    user,
                    Known {
                        name: name.clone(),
                        as_of: self.clock.now(),
                    },
                )
                .await?;
        }
        Ok(found)
    }

    async fn organisation(
        &self,
        id: &OrganisationId,
        issued_at: DateTime<Utc>,
        claimed: Claimed,
        known: Option<Known>,
    ) -> Result<String, Error> {
        let named = claimed
            .organisation
            .as_deref()
            .and_then(plain)
            .map(|name| Known {
                name,
                as_of: issued_at,
            });
        let news = match (named, &known) {
            (Some(news), Some(known)) => known.is_older(&news.name, news.as_of).then_some(news),
            (Some(news), None) => Some(news),
            (None, Some(known)) if known.is_told() => None,
            (None, _) => {
                let asked = self.may_ask(id.as_str());
                let found = if asked {
                    self.told(id.as_str(), self.profiles.organisation(id).await)
                } else {
                    None
                };
                found.map(|name| Known {
                    name,
                    as_of: self.clock.now(),
                })
            }
        };
        let news = match (news, known) {
            (Some(news), _) => news,
            (None, Some(known)) => return Ok(known.name),
            (None, None) => {
                let name = claimed
                    .otherwise
                    .as_deref()
                    .and_then(plain)
                    .unwrap_or_else(|| id.to_string());
                Known {
                    name,
                    as_of: Known::NEVER,
                }
            }
        };
        let name = news.name.clone();
        self.name(id, news).await?;
        Ok(name)
    }

    async fn name(&self, id: &OrganisationId, known: Known) -> Result<(), Error> {
        let written = self.store.name_organisation(id, known).await?;
        self.relay.told(written).await;
        Ok(())
    }

    /// Whether it is time to ask the provider about this, and notes that it was asked.
    fn may_ask(&self, id: &str) -> bool {
        let now = self.clock.now();
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked
            .get(id)
            .is_some_and(|last| (now - *last).abs() < Self::RETRY_DELAY)
        {
            return false;
        }
        if asked.len() >= Self::MOST_ASKED {
            asked.clear();
        }
        asked.insert(id.to_owned(), now);
        true
    }

    /// What the provider answered. Whoever asks for a name goes on without one.
    fn told(&self, id: &str, answer: Result<Option<String>, Error>) -> Option<String> {
        match answer {
            Ok(found) => {
                let found = found.as_deref().and_then(plain);
                if found.is_some() {
                    self.asked
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .remove(id);
                }
                found
            }
            Err(error) => {
                tracing::warn!(
                    id,
                    error = &error as &dyn std::error::Error,
                    "the identity provider did not tell a name"
                );
                None
            }
        }
    }
}

/// Writes to the security log what no longer grants access.
fn record_revoked(ending: &Ending) {
    let revoked = SecurityRecord::new(SecurityEvent::AccessRevoked);
    match ending {
        Ending::Session(id) => SecurityRecord {
            object: Some(id),
            detail: Some("session"),
            ..revoked
        },
        Ending::User(id) => SecurityRecord {
            subject: Some(id),
            detail: Some("account"),
            ..revoked
        },
        Ending::Membership { organisation, user } => SecurityRecord {
            subject: Some(user),
            organisation: Some(organisation),
            detail: Some("membership"),
            ..revoked
        },
    }
    .write();
}

/// A name as it is kept: trimmed, without control characters, at most 200 characters; none where nothing is left.
fn plain(name: &str) -> Option<String> {
    let name: String = name
        .trim()
        .chars()
        .filter(|character| !character.is_control())
        .take(200)
        .collect();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests;
