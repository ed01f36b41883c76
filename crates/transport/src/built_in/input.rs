//! Fields common to the identity routes.

use allclear_application::secret::SecretToken;
use allclear_domain::account::Password;
use allclear_domain::validation::Invalid;
use serde::Deserialize;
use utoipa::ToSchema;
use validator::Validate;

use crate::request::field::{FieldInput, Text};

/// The token of a mail's link.
#[derive(Deserialize, ToSchema)]
pub(super) struct LinkInput {
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    token: FieldInput<String>,
}

impl LinkInput {
    pub(super) fn token(self) -> Result<SecretToken, Invalid> {
        let mut invalid = Invalid::default();
        let token = token(self.token, &mut invalid);
        invalid.into_result()?;
        Ok(token)
    }
}

/// The token of a mail's link; an empty one with an error if it is missing.
pub(super) fn token(input: FieldInput<String>, invalid: &mut Invalid) -> SecretToken {
    let token = input.required("token", "Must be a text", invalid);
    SecretToken::presented(token.unwrap_or_default())
}

/// The text of a required field; empty with an error if it is missing.
pub(super) fn text(
    input: FieldInput<Text>,
    field: &str,
    message: &str,
    invalid: &mut Invalid,
) -> String {
    input
        .required(field, message, invalid)
        .map(|text| text.0)
        .unwrap_or_default()
}

/// The password of a required field, not trimmed; empty with an error if it is missing.
pub(super) fn password(input: FieldInput<String>, field: &str, invalid: &mut Invalid) -> Password {
    let message = if matches!(input, FieldInput::Wrong) {
        "Must be a text"
    } else {
        "Password is required"
    };
    Password::new(input.required(field, message, invalid).unwrap_or_default())
}

/// Collects the errors of the field types and of the draft's rules.
pub(super) fn checked(draft: &impl Validate, mut invalid: Invalid) -> Result<(), Invalid> {
    invalid.check(draft);
    invalid.into_result()
}
