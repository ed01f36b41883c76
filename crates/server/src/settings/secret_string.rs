//! Settings that may contain a password. They are printed neither in logs nor in errors.

use std::ffi::OsStr;
use std::fmt;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use url::Url;

/// A text that may contain a password. Its `Debug` output is redacted.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretString(String);

impl SecretString {
    /// The text itself.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<&str> for SecretString {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for SecretString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretString(..)")
    }
}

/// Parses a URL with one of the given schemes. Unlike clap's own parsers, its errors do not repeat
/// the value.
#[derive(Debug, Clone, Copy)]
pub(super) struct UrlWithScheme(pub(super) &'static [&'static str]);

impl TypedValueParser for UrlWithScheme {
    type Value = SecretString;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<SecretString, Error> {
        let refused = |reason: &str| {
            let name = argument.map(ToString::to_string).unwrap_or_default();
            let message = format!("invalid value for '{name}': {reason}\n");
            Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        };
        let text = value
            .to_str()
            .filter(|text| self.0.iter().any(|scheme| text.starts_with(scheme)));
        let text =
            text.ok_or_else(|| refused(&format!("it must begin with {}", self.0.join(" or "))))?;
        // A driver's own error would repeat the URL with its password.
        let url = Url::parse(text)
            .map_err(|error| refused(&format!("{error}; a password must be percent-encoded")))?;
        if url.scheme().starts_with("redis") && !is_database_number(url.path()) {
            return Err(refused(
                "its path must be the number of a database, such as /0",
            ));
        }
        Ok(text.into())
    }
}

/// Whether the path of a Redis URL is empty or a number.
fn is_database_number(path: &str) -> bool {
    let path = path.trim_matches('/');
    path.is_empty() || path.parse::<i64>().is_ok_and(|number| number >= 0)
}
