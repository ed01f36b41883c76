//! Accounts of the built-in identity provider, and their drafts.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};
use strum::{EnumString, VariantNames};
use utoipa::ToSchema;
use validator::{Validate, ValidationError};

use crate::email::{email_address, known_email_address};
use crate::id::UserId;
use crate::text;

/// A person's account, without its password. An address has one account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its identifier.
    pub id: UserId,
    /// 1 to 200 characters.
    pub name: String,
    /// The address as it was entered.
    pub email: String,
    /// Whether it administers the installation and its waitlist.
    pub administrator: bool,
    /// Whether the address belongs to an older account, from the time when several accounts could have one address. Such an
    /// account has to prove an address of its own before it can be used.
    pub needs_address: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// Which people may sign up.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, ToSchema, EnumString, VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[schema(as = SignUp)]
pub enum SignUpMode {
    /// Everybody may sign up.
    #[default]
    Open,
    /// Invited people may sign up; other requests go to a waitlist.
    Waitlist,
    /// Only invited people may sign up.
    Closed,
}

/// A password as entered. It is never trimmed, displayed or logged.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// The fewest characters of a new password (OWASP ASVS 5.0, 6.2.1 asks for 8 and recommends more).
    pub const MIN: usize = 12;
    /// The most characters of a password (OWASP ASVS 5.0, 6.2.9 asks for at least 64).
    pub const MAX: usize = 128;

    /// A password as entered.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// Input of the hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// The validator stores rejected values in its errors as JSON; a password must not be stored.
impl Serialize for Password {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

/// Every character is allowed, and no class of characters is required (OWASP ASVS 5.0, 6.2.5).
fn new_password(password: &Password) -> Result<(), ValidationError> {
    if password.0.chars().count() < Password::MIN {
        let message = format!("Must be at least {} characters", Password::MIN);
        return Err(ValidationError::new("length").with_message(message.into()));
    }
    given_password(password)
}

/// Bounds the work of hashing.
fn given_password(password: &Password) -> Result<(), ValidationError> {
    if password.0.is_empty() {
        return Err(ValidationError::new("length").with_message("Password is required".into()));
    }
    if password.0.chars().count() > Password::MAX {
        let message = format!("Must be at most {} characters", Password::MAX);
        return Err(ValidationError::new("length").with_message(message.into()));
    }
    text::no_nul(&password.0)
}

/// Input of a sign-up, name and address trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct SignUpDraft {
    /// The name that other members see.
    #[validate(
        length(min = 1, message = "Name is required"),
        custom(function = text::name_length),
        custom(function = text::one_line)
    )]
    pub name: String,
    /// The mail address.
    #[validate(custom(function = email_address))]
    pub email: String,
    /// The password.
    #[validate(custom(function = new_password))]
    pub password: Password,
}

/// Input of a sign-in, the address trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct SignInDraft {
    /// The account's address.
    #[validate(custom(function = known_email_address))]
    pub email: String,
    /// The account's password.
    #[validate(custom(function = given_password))]
    pub password: Password,
}

/// A new name for an account, trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct NameDraft {
    /// The name that other members see.
    #[validate(
        length(min = 1, message = "Name is required"),
        custom(function = text::name_length),
        custom(function = text::one_line)
    )]
    pub name: String,
}

/// Input of a password change.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct PasswordChangeDraft {
    /// The current password.
    #[validate(custom(function = given_password))]
    pub current_password: Password,
    /// The new password.
    #[validate(custom(function = new_password))]
    pub new_password: Password,
}

/// Input of a password reset.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct PasswordDraft {
    /// The new password.
    #[validate(custom(function = new_password))]
    pub password: Password,
}

/// Input of an account deletion.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct DeletionDraft {
    /// The account's password.
    #[validate(custom(function = given_password))]
    pub password: Password,
}

/// Input of a request for a password reset, trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct ResetDraft {
    /// The address. A domain without a dot is accepted, because old accounts may have one.
    #[validate(custom(function = known_email_address))]
    pub email: String,
}

/// Address of an invited person, trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct AddressDraft {
    /// The address.
    #[validate(custom(function = email_address))]
    pub email: String,
}

#[cfg(test)]
mod tests;
