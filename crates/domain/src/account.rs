//! Accounts of the built-in identity provider, and their drafts.

mod password;

use std::fmt;

use chrono::{DateTime, Utc};
use serde::Serialize;
use strum::{EnumString, VariantNames};
use utoipa::ToSchema;
use validator::{Validate, ValidationError};

use crate::email::{email_address, known_email_address};
use crate::id::UserId;
use crate::text;

pub use password::Password;
use password::{given_password, new_password};

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
    /// Whether the address belongs to an older account, from the time when several accounts could
    /// have one address. Such an account has to prove an address of its own before it can be used.
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

/// Input of a sign-up, name and address trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct SignUpDraft {
    /// The name that other members see.
    #[validate(custom(function = text::short_name))]
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
    #[validate(custom(function = text::short_name))]
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
    /// The account's password; `None` if the person has just authenticated in another way.
    #[validate(custom(function = given_password))]
    pub password: Option<Password>,
}

/// Input of an authentication within a session.
#[derive(Clone, PartialEq, Eq, Validate)]
pub struct ReauthenticationDraft {
    /// The account's password.
    #[validate(custom(function = given_password))]
    pub password: Password,
    /// A code of the second factor, trimmed; `None` if none was entered.
    #[validate(custom(function = factor_code))]
    pub code: Option<String>,
}

/// Input of the second step of a sign-in, trimmed.
#[derive(Clone, PartialEq, Eq, Validate)]
pub struct CodeDraft {
    /// A code of the authenticator app, or a recovery code.
    #[validate(custom(function = factor_code))]
    pub code: String,
}

/// A code is a secret until it is used.
impl fmt::Debug for CodeDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CodeDraft(..)")
    }
}

impl fmt::Debug for ReauthenticationDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReauthenticationDraft(..)")
    }
}

/// The longest recovery code has 27 characters with its separators.
fn factor_code(code: &str) -> Result<(), ValidationError> {
    const MAX_LENGTH: usize = 64;
    if code.is_empty() {
        return Err(ValidationError::new("code").with_message("Code is required".into()));
    }
    text::at_most(code, MAX_LENGTH)
}

/// Input of a request for a password reset, trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct ResetDraft {
    /// The address. A domain without a dot is accepted, because old accounts may have one.
    #[validate(custom(function = known_email_address))]
    pub email: String,
}

/// Address of an invited person, or the new address of an account, trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct AddressDraft {
    /// The address.
    #[validate(custom(function = email_address))]
    pub email: String,
}

#[cfg(test)]
mod tests;
