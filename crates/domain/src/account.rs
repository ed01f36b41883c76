//! Accounts of the built-in identity provider, and the drafts that people enter for them.

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
    /// Whether it administers the installation: its waitlist.
    pub administrator: bool,
    /// Whether the address belongs to an older account, from the time when several accounts could have one address. Such an
    /// account has to prove an address of its own before it can be used.
    pub needs_address: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// For whom sign-up is open.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, ToSchema, EnumString, VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[schema(as = SignUp)]
pub enum SignUpMode {
    /// For every person.
    #[default]
    Open,
    /// For invited people; others are put on a waitlist.
    Waitlist,
    /// For invited people only.
    Closed,
}

/// A password as entered: never trimmed, never shown, not even in a log.
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

    /// What the hash is computed over.
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

/// The validator keeps what it refuses beside the error, as JSON; a password is not kept.
impl Serialize for Password {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

/// Every character is allowed and no kind is required (OWASP ASVS 5.0, 6.2.5).
fn new_password(password: &Password) -> Result<(), ValidationError> {
    if password.0.chars().count() < Password::MIN {
        let message = format!("Must be at least {} characters", Password::MIN);
        return Err(ValidationError::new("length").with_message(message.into()));
    }
    given_password(password)
}

/// The bound keeps the work of hashing bounded.
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

/// What a person enters to make an account, name and address trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct SignUpDraft {
    /// The name that other members see.
    #[validate(
        length(min = 1, message = "Name is required"),
        custom(function = text::name_length),
        custom(function = text::one_line)
    )]
    pub name: String,
    /// Where mail goes.
    #[validate(custom(function = email_address))]
    pub email: String,
    /// The password.
    #[validate(custom(function = new_password))]
    pub password: Password,
}

/// What a person enters to sign in, the address trimmed.
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

/// A change of password by a person who is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct PasswordChangeDraft {
    /// The password until now.
    #[validate(custom(function = given_password))]
    pub current_password: Password,
    /// The password from now on.
    #[validate(custom(function = new_password))]
    pub new_password: Password,
}

/// A password chosen by the link of a reset mail.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct PasswordDraft {
    /// The password from now on.
    #[validate(custom(function = new_password))]
    pub password: Password,
}

/// The present password of a person who deletes the account.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct DeletionDraft {
    /// The account's password.
    #[validate(custom(function = given_password))]
    pub password: Password,
}

/// Address of a person whose password is to be reset, trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct ResetDraft {
    /// The address; it may be one from the time when a domain needed no dot.
    #[validate(custom(function = known_email_address))]
    pub email: String,
}

/// Address of a person who is to be invited, trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct AddressDraft {
    /// The address.
    #[validate(custom(function = email_address))]
    pub email: String,
}

#[cfg(test)]
mod tests;
