//! API keys: how programs call the API.

mod form;

use chrono::{DateTime, Utc};
use validator::Validate;

pub use self::form::{KeyText, Malformed};
use crate::audit::{Action, ChangeTarget};
use crate::event::Changed;
use crate::id::ApiKeyId;
use crate::membership::Role;
use crate::text;
use crate::validation::{FieldError, Invalid};

/// An API key of an organisation, as stored: without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Its identifier.
    pub id: ApiKeyId,
    /// Its name.
    pub name: String,
    /// What it may do; never [`Role::Admin`].
    pub role: Role,
    /// The beginning of its text, by which people recognise it.
    pub prefix: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires; `None` means never.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was last used, to about a minute; `None` if it never was.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// What an admin enters for a key, the name trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct ApiKeyDraft {
    /// 2 to 200 characters.
    #[validate(custom(function = text::name))]
    pub name: String,
    /// The role; a key cannot be an admin.
    pub role: Role,
    /// When it expires; `None` means never.
    pub expires_at: Option<DateTime<Utc>>,
}

impl ApiKey {
    /// How many keys an organisation may have.
    pub const MAX_COUNT: u64 = 100;

    /// A new key with this text.
    ///
    /// # Errors
    /// [`Invalid`] if the fields break a rule.
    pub fn create(
        id: ApiKeyId,
        draft: ApiKeyDraft,
        key: &KeyText,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        let mut invalid = Invalid::default();
        invalid.check(&draft);
        if draft.role == Role::Admin {
            invalid.add(FieldError::new("role", "Select Any One"));
        }
        if draft.expires_at.is_some_and(|end| end <= now) {
            invalid.add(FieldError::new("expiresAt", "Must be in the future"));
        }
        invalid.into_result()?;
        let state = Self {
            id,
            name: draft.name,
            role: draft.role,
            prefix: key.prefix().to_owned(),
            created_at: now,
            expires_at: draft.expires_at,
            last_used_at: None,
        };
        let name = state.name.clone();
        let created = Changed::without_events(state);
        Ok(created.audited(Action::ApiKeyCreated, ChangeTarget::ApiKey(id), name))
    }

    /// Revokes the key.
    #[must_use]
    pub fn revoke(self) -> Changed<()> {
        Changed::without_events(()).audited(
            Action::ApiKeyDeleted,
            ChangeTarget::ApiKey(self.id),
            self.name,
        )
    }

    /// Whether the key has expired.
    #[must_use]
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use uuid::Uuid;

    use super::*;

    fn created(draft: ApiKeyDraft) -> Result<ApiKey, Invalid> {
        let key = KeyText::of([7; 32]);
        let now = DateTime::UNIX_EPOCH;
        ApiKey::create(ApiKeyId(Uuid::nil()), draft, &key, now).map(|created| created.state)
    }

    fn draft() -> ApiKeyDraft {
        ApiKeyDraft {
            name: "Deploys".into(),
            role: Role::Editor,
            expires_at: None,
        }
    }

    #[test]
    fn key_has_the_beginning_of_its_text() {
        let key = created(draft()).unwrap();
        assert_eq!(key.prefix, KeyText::of([7; 32]).reveal()[..12]);
        assert!(!key.is_expired(DateTime::UNIX_EPOCH + TimeDelta::days(100_000)));
    }

    #[test]
    fn key_that_is_an_admin_or_expired_or_without_a_name_is_refused() {
        let admin = ApiKeyDraft {
            role: Role::Admin,
            ..draft()
        };
        let expired = ApiKeyDraft {
            expires_at: Some(DateTime::UNIX_EPOCH),
            ..draft()
        };
        let nameless = ApiKeyDraft {
            name: String::new(),
            ..draft()
        };
        assert_eq!(
            created(admin),
            Err(Invalid::field("role", "Select Any One"))
        );
        let past = Invalid::field("expiresAt", "Must be in the future");
        assert_eq!(created(expired), Err(past));
        assert_eq!(
            created(nameless),
            Err(Invalid::field("name", "Name is required"))
        );
        let all = ApiKeyDraft {
            name: String::new(),
            role: Role::Admin,
            expires_at: Some(DateTime::UNIX_EPOCH),
        };
        assert_eq!(created(all).unwrap_err().errors.len(), 3);
    }

    #[test]
    fn key_expires_at_its_time() {
        let end = DateTime::UNIX_EPOCH + TimeDelta::seconds(1);
        let key = created(ApiKeyDraft {
            expires_at: Some(end),
            ..draft()
        });
        let key = key.unwrap();
        assert!(!key.is_expired(end - TimeDelta::milliseconds(1)) && key.is_expired(end));
    }
}
