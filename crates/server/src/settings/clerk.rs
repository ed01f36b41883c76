//! Settings of Clerk.

use allclear_identity::clerk::api::BackendApi;
use allclear_identity::clerk::application_keys::{PublishableKey, SecretKey};
use allclear_identity::clerk::webhook_verifier::WebhookSecret;
use allclear_identity::http_client::is_loopback;
use clap::Args;
use url::Url;

use super::secret_string::SecretString;

/// Clerk's keys, as its dashboard shows them. Without keys the built-in provider is used.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "People")]
#[expect(clippy::struct_field_names, reason = "a flag is named as its field is")]
pub(crate) struct ClerkSettings {
    /// Publishable key of Clerk, `pk_…`; people then sign in with Clerk [default: the
    /// built-in provider]
    #[arg(long, env = "ALLCLEAR_CLERK_PUBLISHABLE_KEY")]
    clerk_publishable_key: Option<String>,

    /// Secret key of Clerk, `sk_…`
    #[arg(long, env = "ALLCLEAR_CLERK_SECRET_KEY", hide_env_values = true)]
    clerk_secret_key: Option<SecretString>,

    /// Signing secret of Clerk's webhook endpoint, `whsec_…`
    #[arg(long, env = "ALLCLEAR_CLERK_WEBHOOK_SECRET", hide_env_values = true)]
    clerk_webhook_secret: Option<SecretString>,

    /// Public key of Clerk in PEM, to verify tokens without requests to Clerk [default: the
    /// published keys]
    #[arg(long, env = "ALLCLEAR_CLERK_JWT_KEY", hide_env_values = true)]
    clerk_jwt_key: Option<String>,

    /// Address of Clerk's Backend API [default: `https://api.clerk.com`]
    #[arg(long, env = "ALLCLEAR_CLERK_API_URL")]
    clerk_api_url: Option<String>,

    /// Address of Clerk's published keys [default: at the Frontend API that the publishable
    /// key names]
    #[arg(long, env = "ALLCLEAR_CLERK_JWKS_URL")]
    clerk_jwks_url: Option<String>,
}

/// A Clerk application to sign in with.
#[derive(Debug, Clone)]
pub(crate) struct Clerk {
    pub(crate) publishable_key: PublishableKey,
    pub(crate) secret_key: SecretKey,
    pub(crate) webhook_secret: WebhookSecret,
    /// In PEM.
    pub(crate) jwt_key: Option<String>,
    pub(crate) api: Url,
    pub(crate) key_set: Url,
}

impl ClerkSettings {
    /// The Clerk application; `None` if Clerk is not configured.
    ///
    /// # Errors
    /// One line that says what is wrong, without secrets. A value parser of clap would repeat the
    /// whole value.
    pub(crate) fn application(&self) -> Result<Option<Clerk>, String> {
        let filled = |value: &Option<String>| value.clone().filter(|value| !value.is_empty());
        let revealed = |value: &Option<SecretString>| {
            filled(&value.as_ref().map(|value| value.reveal().to_owned()))
        };
        let (publishable, secret) = (
            filled(&self.clerk_publishable_key),
            revealed(&self.clerk_secret_key),
        );
        let (webhook, jwt_key) = (
            revealed(&self.clerk_webhook_secret),
            filled(&self.clerk_jwt_key),
        );
        let (api, key_set) = (filled(&self.clerk_api_url), filled(&self.clerk_jwks_url));
        if [&publishable, &secret, &webhook, &jwt_key, &api, &key_set]
            .iter()
            .all(|value| value.is_none())
        {
            return Ok(None);
        }
        let publishable = needed("ALLCLEAR_CLERK_PUBLISHABLE_KEY", publishable)?;
        let secret = needed("ALLCLEAR_CLERK_SECRET_KEY", secret)?;
        let webhook = needed("ALLCLEAR_CLERK_WEBHOOK_SECRET", webhook)?;
        let publishable_key =
            PublishableKey::parse(&publishable).map_err(wrong("ALLCLEAR_CLERK_PUBLISHABLE_KEY"))?;
        let secret_key = SecretKey::parse(&secret, &publishable_key)
            .map_err(wrong("ALLCLEAR_CLERK_SECRET_KEY"))?;
        let webhook_secret =
            WebhookSecret::parse(&webhook).map_err(wrong("ALLCLEAR_CLERK_WEBHOOK_SECRET"))?;
        let api = api.as_deref().unwrap_or(BackendApi::ADDRESS);
        let api = address(api).map_err(wrong("ALLCLEAR_CLERK_API_URL"))?;
        let key_set = address(&key_set.unwrap_or_else(|| publishable_key.key_set()));
        let key_set = key_set.map_err(wrong("ALLCLEAR_CLERK_JWKS_URL"))?;
        Ok(Some(Clerk {
            publishable_key,
            secret_key,
            webhook_secret,
            jwt_key,
            api,
            key_set,
        }))
    }
}

fn needed(name: &str, value: Option<String>) -> Result<String, String> {
    value.ok_or_else(|| format!("{name} is missing: it is required with Clerk's other keys"))
}

pub(crate) fn wrong(name: &'static str) -> impl FnOnce(&'static str) -> String {
    move |reason| format!("{name} is invalid: {reason}")
}

/// Parses an address. Requests to it carry keys, so another machine needs TLS.
fn address(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).map_err(|_| "it is not an address")?;
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => Err("http:// is only allowed for this machine; it must begin with https://"),
        _ => Err("it must begin with https://"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, FromArgMatches};

    // `clerk.example.com$`.
    const TEST: &str = "pk_test_Y2xlcmsuZXhhbXBsZS5jb20k";

    fn settings(publishable: &str, secret: &str, webhook: &str) -> ClerkSettings {
        let keys = [
            ("--clerk-publishable-key", publishable),
            ("--clerk-secret-key", secret),
            ("--clerk-webhook-secret", webhook),
        ];
        let flags = keys.into_iter().flat_map(|(flag, key)| [flag, key]);
        let command = ClerkSettings::augment_args(Command::new("allclear").no_binary_name(true));
        ClerkSettings::from_arg_matches(&command.get_matches_from(flags)).unwrap()
    }

    #[test]
    fn the_settings_hold_secrets_that_they_do_not_print() {
        let settings = settings(TEST, "sk_test_hunter2", "whsec_aHVudGVyMg");
        let printed = format!("{settings:?} {:?}", settings.application().unwrap());
        assert!(printed.contains(TEST), "{printed}");
        assert!(
            !printed.contains("hunter2") && !printed.contains("aHVudGVyMg"),
            "{printed}"
        );
    }

    #[test]
    fn no_key_at_all_is_the_built_in_provider() {
        assert!(ClerkSettings::default().application().unwrap().is_none());
        assert!(
            settings("", "", "").application().unwrap().is_none(),
            "an empty variable is none"
        );
    }

    #[test]
    fn three_keys_are_an_application() {
        let found = settings(TEST, "sk_test_abc", "whsec_YWJj")
            .application()
            .unwrap()
            .unwrap();
        assert_eq!(found.api.as_str(), "https://api.clerk.com/");
        assert_eq!(
            found.key_set.as_str(),
            "https://clerk.example.com/.well-known/jwks.json"
        );
    }

    #[test]
    fn missing_or_wrong_setting_is_named_without_its_secret() {
        for (settings, name) in [
            (
                settings("", "sk_test_abc", "whsec_YWJj"),
                "ALLCLEAR_CLERK_PUBLISHABLE_KEY is missing",
            ),
            (
                settings(TEST, "", "whsec_YWJj"),
                "ALLCLEAR_CLERK_SECRET_KEY is missing",
            ),
            (
                settings(TEST, "sk_test_abc", ""),
                "ALLCLEAR_CLERK_WEBHOOK_SECRET is missing",
            ),
            (
                settings("pk_test_abc", "sk_test_abc", "whsec_YWJj"),
                "ALLCLEAR_CLERK_PUBLISHABLE_KEY is invalid",
            ),
            (
                settings(TEST, "sk_live_abc", "whsec_YWJj"),
                "ALLCLEAR_CLERK_SECRET_KEY is invalid",
            ),
            (
                settings(TEST, "sk_test_abc", "abcYWJj"),
                "ALLCLEAR_CLERK_WEBHOOK_SECRET is invalid",
            ),
        ] {
            let refused = settings.application().unwrap_err();
            assert!(refused.starts_with(name), "{refused}");
            assert!(!refused.contains("abc"), "{refused}");
        }
        let pem = ClerkSettings {
            clerk_jwt_key: Some("x".into()),
            ..ClerkSettings::default()
        };
        assert!(
            pem.application()
                .unwrap_err()
                .contains("PUBLISHABLE_KEY is missing")
        );
    }

    #[test]
    fn plain_http_is_for_this_machine_alone() {
        let at = |url: &str| {
            let keys = settings(TEST, "sk_test_abc", "whsec_YWJj");
            ClerkSettings {
                clerk_api_url: Some(url.into()),
                ..keys
            }
            .application()
            .map(drop)
        };
        for good in [
            "http://127.0.0.1:4000",
            "http://localhost:4000",
            "http://[::1]:4000",
            "https://api.example.com",
        ] {
            assert_eq!(at(good), Ok(()), "{good}");
        }
        for bad in [
            "http://api.example.com",
            "http://127.0.0.1.example.com",
            "ftp://127.0.0.1",
            "127.0.0.1:4000",
        ] {
            assert!(
                at(bad)
                    .unwrap_err()
                    .starts_with("ALLCLEAR_CLERK_API_URL is invalid"),
                "{bad}"
            );
        }
    }
}
