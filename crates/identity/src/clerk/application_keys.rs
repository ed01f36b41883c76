//! The keys of a Clerk application, as its dashboard shows them.

use std::fmt;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use url::Url;

use crate::http_client::is_loopback;

/// Base64, padded or not: the dashboard's keys are not.
pub(crate) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The application's instance to which a key belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instance {
    /// Development.
    Test,
    /// Production.
    Live,
}

impl Instance {
    fn of<'a>(key: &'a str, kind: &str) -> Option<(Self, &'a str)> {
        let key = key.strip_prefix(kind)?;
        let test = key.strip_prefix("_test_").map(|rest| (Self::Test, rest));
        test.or_else(|| key.strip_prefix("_live_").map(|rest| (Self::Live, rest)))
    }
}

/// A publishable key, which contains the host of the application's Frontend API: `pk_test_` or
/// `pk_live_`, then in base64 the host and a `$` (`packages/shared/src/keys.ts`,
/// `parsePublishableKey`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishableKey {
    text: String,
    instance: Instance,
    host: String,
}

impl PublishableKey {
    /// Parses a key.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let (instance, encoded) =
            Instance::of(text, "pk").ok_or("it must begin with pk_test_ or pk_live_")?;
        let decoded = BASE64
            .decode(encoded)
            .ok()
            .and_then(|bytes| String::from_utf8(bytes).ok());
        let decoded =
            decoded.ok_or("it is cut short or mistyped: what follows the prefix is not base64")?;
        let host = decoded
            .strip_suffix('$')
            .ok_or("it is cut short or mistyped: it names no host")?;
        if !is_host(host) {
            return Err("it is mistyped: it names no host");
        }
        Ok(Self {
            text: text.to_owned(),
            instance,
            host: host.to_owned(),
        })
    }

    /// The key itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// URL of the Frontend API, which is the issuer of its tokens.
    #[must_use]
    pub fn issuer(&self) -> String {
        format!("https://{}", self.host)
    }

    /// URL of the keys that verify the tokens.
    #[must_use]
    pub fn key_set(&self) -> String {
        format!("https://{}/.well-known/jwks.json", self.host)
    }
}

/// Whether the text is only a host with an optional port: it is used in a content security policy.
fn is_host(text: &str) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']');
    let Ok(url) = Url::parse(&format!("https://{text}")) else {
        return false;
    };
    text.bytes().all(plain) && url.path() == "/" && (text.contains('.') || is_loopback(&url))
}

/// A secret key of the Backend API. It is never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey {
    text: String,
    instance: Instance,
}

impl SecretKey {
    /// Parses a key of the same instance as a publishable key.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str, beside: &PublishableKey) -> Result<Self, &'static str> {
        let (instance, rest) =
            Instance::of(text, "sk").ok_or("it must begin with sk_test_ or sk_live_")?;
        if rest.is_empty() || !rest.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("it is cut short or mistyped");
        }
        match (beside.instance, instance) {
            (Instance::Test, Instance::Live) => {
                Err("it is a live key, and the publishable key is a test key")
            }
            (Instance::Live, Instance::Test) => {
                Err("it is a test key, and the publishable key is a live key")
            }
            _ => Ok(Self {
                text: text.to_owned(),
                instance,
            }),
        }
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey")
            .field("instance", &self.instance)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(prefix: &str, host: &str) -> String {
        format!("{prefix}{}", BASE64.encode(host))
    }

    #[test]
    fn a_publishable_key_says_who_issues_the_tokens() {
        // The key of Clerk's own examples (`packages/shared/src/__tests__/keys.spec.ts`).
        let found =
            PublishableKey::parse("pk_test_Y2xlcmsuYWJjZWYuMTIzNDUubGNsY2xlcmsuY29tJA==").unwrap();
        assert_eq!(found.issuer(), "https://clerk.abcef.12345.lclclerk.com");
        assert_eq!(
            found.key_set(),
            "https://clerk.abcef.12345.lclclerk.com/.well-known/jwks.json"
        );
        assert_eq!(found.instance, Instance::Test);
        let unpadded =
            PublishableKey::parse("pk_live_Y2xlcmsuYWJjZWYuMTIzNDUubGNsY2xlcmsuY29tJA").unwrap();
        assert_eq!(
            (unpadded.host, unpadded.instance),
            (found.host, Instance::Live)
        );
        let local = PublishableKey::parse(&key("pk_test_", "127.0.0.1:4321$")).unwrap();
        assert_eq!(local.issuer(), "https://127.0.0.1:4321");
        assert!(PublishableKey::parse(&key("pk_test_", "localhost:4321$")).is_ok());
    }

    #[test]
    fn invalid_publishable_key_is_refused() {
        for bad in [
            "",
            "pk_test_",
            "pk_demo_Y2xlcmsuYWJjLmNvbSQ",
            "sk_test_Y2xlcmsuYWJjLmNvbSQ",
            "pk_test_!!!!",
            &key("pk_test_", "clerk.example.com"),
            &key("pk_test_", "$"),
            &key("pk_test_", "nodots$"),
            &key("pk_test_", "clerk.example.com/path$"),
            &key("pk_test_", "me@clerk.example.com$"),
            &key("pk_test_", "clerk.example.com; script-src *$"),
            &key("pk_test_", "clerk.example.com:99999$"),
        ] {
            assert!(PublishableKey::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_secret_key_is_of_the_same_instance_and_shows_nowhere() {
        let test = PublishableKey::parse(&key("pk_test_", "clerk.example.com$")).unwrap();
        let secret = SecretKey::parse("sk_test_abc123", &test).unwrap();
        assert!(!format!("{secret:?}").contains("abc123"));
        assert!(
            SecretKey::parse("sk_live_abc123", &test)
                .unwrap_err()
                .contains("live")
        );
        for bad in ["", "abc", "pk_test_abc", "sk_test_", "sk_test_a b"] {
            assert!(SecretKey::parse(bad, &test).is_err(), "{bad:?}");
        }
    }
}
