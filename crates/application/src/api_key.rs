//! API keys: the use cases, their storage port, and their verification.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use allclear_domain::api_key::{ApiKey, ApiKeyDraft, KeyText};
use allclear_domain::id::{ApiKeyId, OrganisationId};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;

use crate::background::Background;
use crate::caller::{Caller, TokenError, TokenMembership, TokenVerifier};
use crate::clock::Clock;
use crate::delivery::Founder;
use crate::error::{Error, Resource};
use crate::page::{Listed, Page};
use crate::secret::Digest;
use crate::security_log::{SecurityEvent, SecurityRecord};
use crate::session::AdminSession;
use crate::transition::{Committed, CreateTransition};

/// The organisation of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyOwner {
    /// Its identifier.
    pub organisation: OrganisationId,
    /// Its name.
    pub name: String,
    /// Its founder.
    pub founder: Founder,
}

impl KeyOwner {
    /// Whose limits the keys use: those of all organisations of the [`Founder`]. They are not the
    /// limits of the founder's own account, because other admins create keys, too.
    fn account(&self) -> String {
        format!("keys of {}", self.founder)
    }
}

/// Storage of API keys, each with the digest of its text. An organisation has at most
/// [`ApiKey::MAX_COUNT`].
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait ApiKeyStore: Send + Sync {
    /// A page of the keys of an organisation, newest first.
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<ApiKey>, Error>;

    /// Stores the key that a rule creates. [`Error::NotFound`] if the organisation does not exist,
    /// [`Error::Conflict`] if it has too many, [`Error::Forbidden`] if the account of `admin` is
    /// not an admin, [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn insert(
        &self,
        organisation: &OrganisationId,
        digest: Digest,
        admin: Option<AdminSession>,
        create: CreateTransition<ApiKey>,
    ) -> Result<Committed<ApiKey>, Error>;

    /// Deletes a key. `None` if it does not exist.
    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: ApiKeyId,
    ) -> Result<Option<Committed<()>>, Error>;

    /// The key with this digest. Once a deletion has returned, an adapter MUST NOT return the key
    /// any more, on any node.
    async fn find_by_digest(&self, digest: &Digest) -> Result<Option<(ApiKey, KeyOwner)>, Error>;

    /// Records a use of a key, unless it was used after `unless_after`.
    async fn touch(
        &self,
        id: ApiKeyId,
        now: DateTime<Utc>,
        unless_after: DateTime<Utc>,
    ) -> Result<(), Error>;
}

/// The use cases of API keys.
pub struct ApiKeys {
    store: Arc<dyn ApiKeyStore>,
    clock: Arc<dyn Clock>,
    background: Background,
    /// When this node last noted the use of a key, for the keys of the last minute.
    noted: Arc<Mutex<NotedUses>>,
}

/// The time at which the use of each key was noted.
type NotedUses = HashMap<ApiKeyId, DateTime<Utc>>;

impl ApiKeys {
    /// How often the use of a key is noted.
    pub(crate) const NOTE_INTERVAL: TimeDelta = TimeDelta::minutes(1);

    /// The use cases over these ports.
    #[must_use]
    pub fn new(store: Arc<dyn ApiKeyStore>, clock: Arc<dyn Clock>, background: Background) -> Self {
        Self {
            store,
            clock,
            background,
            noted: Arc::default(),
        }
    }

    /// A new random text.
    #[must_use]
    pub fn generate() -> KeyText {
        KeyText::of(rand::random())
    }

    /// A page of the keys of an organisation, newest first.
    pub async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<ApiKey>, Error> {
        self.store.list(organisation, page).await
    }

    /// Creates a key with this text, which is not stored. A key outlives the session of the admin
    /// that creates it, so storage checks the session again; `None` if storage does not have it.
    /// [`Error::Invalid`] if the draft breaks a rule, [`Error::Conflict`] if the organisation has
    /// too many keys, [`Error::Forbidden`], [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    pub async fn create(
        &self,
        organisation: &OrganisationId,
        admin: Option<AdminSession>,
        draft: ApiKeyDraft,
        text: KeyText,
    ) -> Result<ApiKey, Error> {
        let digest = digest(&text);
        let create: CreateTransition<ApiKey> = Box::new(move |stamp| {
            let id = ApiKeyId(stamp.id);
            Ok(ApiKey::create(id, draft, &text, stamp.committed_at)?)
        });
        let created = self
            .store
            .insert(organisation, digest, admin, create)
            .await?;
        let key = created.state;
        let detail = Some(key.role.as_ref());
        SecurityRecord {
            organisation: Some(organisation),
            object: Some(&key.id),
            detail,
            ..SecurityRecord::new(SecurityEvent::ApiKeyCreated)
        }
        .write_with_originator();
        Ok(key)
    }

    /// Revokes a key; from then on it is refused. [`Error::NotFound`].
    pub async fn revoke(&self, organisation: &OrganisationId, id: ApiKeyId) -> Result<(), Error> {
        self.store
            .delete(organisation, id)
            .await?
            .ok_or(Error::NotFound(Resource::ApiKey))?;
        SecurityRecord {
            organisation: Some(organisation),
            object: Some(&id),
            ..SecurityRecord::new(SecurityEvent::ApiKeyRevoked)
        }
        .write_with_originator();
        Ok(())
    }

    /// The caller of a key. The checksum is checked before the storage is read.
    async fn caller(&self, text: &str) -> Result<Caller, TokenError> {
        let text: KeyText = text
            .parse()
            .map_err(|_| TokenError::Bad("malformed API key".to_owned()))?;
        let found = self.store.find_by_digest(&digest(&text)).await?;
        let unknown = || TokenError::Bad("unknown or revoked API key".to_owned());
        let (key, owner) = found.ok_or_else(unknown)?;
        let now = self.clock.now();
        if key.is_expired(now) {
            return Err(TokenError::KeyExpired);
        }
        self.note_use(&key, now);
        Ok(Caller {
            subject: key.id.to_string(),
            account: owner.account(),
            name: Some(key.name),
            session: None,
            authenticated_at: None,
            api_key: Some(key.id),
            membership: Some(TokenMembership {
                organisation: owner.organisation,
                organisation_name: Some(owner.name),
                role: key.role,
            }),
            expires_at: key.expires_at,
        })
    }

    /// Records the use of a key after the response, at most once a minute.
    fn note_use(&self, key: &ApiKey, now: DateTime<Utc>) {
        let unless_after = now - Self::NOTE_INTERVAL;
        if key.last_used_at.is_some_and(|at| at > unless_after) {
            return;
        }
        {
            let mut noted = self.noted.lock();
            noted.retain(|_, at| *at > unless_after);
            let Entry::Vacant(unnoted) = noted.entry(key.id) else {
                return;
            };
            unnoted.insert(now);
        }
        let (store, noted, id) = (Arc::clone(&self.store), Arc::clone(&self.noted), key.id);
        self.background
            .start("noting the use of an API key", async move {
                let touched = store.touch(id, now, unless_after).await;
                if touched.is_err() {
                    // The next request tries again.
                    noted.lock().remove(&id);
                }
                touched
            });
    }
}

/// The digest of a key, which is stored. The text has 256 random bits, so one fast round is enough.
fn digest(text: &KeyText) -> Digest {
    Digest::of(text.reveal())
}

/// Verifies API keys, and every other token by the identity provider.
pub struct KeyVerifier {
    keys: Arc<ApiKeys>,
    provider: Arc<dyn TokenVerifier>,
}

impl KeyVerifier {
    /// A verifier of keys beside a provider's tokens.
    #[must_use]
    pub const fn new(keys: Arc<ApiKeys>, provider: Arc<dyn TokenVerifier>) -> Self {
        Self { keys, provider }
    }
}

#[async_trait]
impl TokenVerifier for KeyVerifier {
    async fn verify(&self, token: &str) -> Result<Caller, TokenError> {
        if KeyText::is_meant(token) {
            self.keys.caller(token).await
        } else {
            self.provider.verify(token).await
        }
    }
}

#[cfg(test)]
mod tests;
