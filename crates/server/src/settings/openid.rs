//! Settings of OpenID Connect: any number of providers, each with settings of its own.

use std::collections::BTreeMap;
use std::fmt;

use allclear_domain::id::OrganisationId;
use allclear_domain::membership::Role;
use allclear_domain::openid::{FactorValues, LOWEST_ROLE, MailDomains, ProviderId, RoleMapping};
use allclear_domain::rate_limit::RateLimit;
use allclear_identity::openid::{IssuerUrl, issuer};
use allclear_transport::built_in::openid::OpenIdThrottle;
use allclear_transport::configuration::SignInProvider;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use super::limit::limit;
use super::secret_string::SecretString;

/// Beginning of the names of all variables.
pub(super) const PREFIX: &str = "ALLCLEAR_OIDC_";
const PROVIDERS: &str = "oidc_providers";
/// Flag, and key of the file, for a setting of a single provider: `okta_issuer=https://…`.
pub(super) const PROVIDER_SETTING: &str = "oidc_setting";
const PASSWORDS: &str = "passwords";
const LIMIT: &str = "limit_oidc";

/// The settings of a provider, and whether they are required.
const KEYS: [(&str, bool); 13] = [
    ("ISSUER", true),
    ("CLIENT_ID", true),
    ("CLIENT_SECRET", true),
    ("DOMAINS", true),
    ("NAME", false),
    ("SCOPES", false),
    ("EMAIL_VERIFIED_CLAIM", false),
    ("ORGANISATION", false),
    ("ROLE_CLAIM", false),
    ("ROLE_ADMIN", false),
    ("ROLE_EDITOR", false),
    ("ROLE_VIEWER", false),
    ("SECOND_FACTOR", false),
];

/// Identity providers beside the built-in one, and whether passwords are allowed.
#[derive(Clone)]
pub(crate) struct OpenIdSettings {
    providers: Vec<String>,
    /// By the end of the variable's name: `OKTA_ISSUER`.
    values: BTreeMap<String, SecretString>,
    passwords: bool,
    limit: RateLimit,
}

impl Default for OpenIdSettings {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            values: BTreeMap::new(),
            passwords: true,
            limit: OpenIdThrottle::LIMIT,
        }
    }
}

impl fmt::Debug for OpenIdSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenIdSettings")
            .field("providers", &self.providers)
            .field("passwords", &self.passwords)
            .finish_non_exhaustive()
    }
}

/// A provider to sign in with.
#[derive(Clone)]
pub(crate) struct ProviderSettings {
    pub(crate) id: ProviderId,
    pub(crate) name: String,
    pub(crate) issuer: IssuerUrl,
    pub(crate) client_id: String,
    pub(crate) client_secret: SecretString,
    pub(crate) domains: MailDomains,
    pub(crate) scopes: Vec<String>,
    pub(crate) email_verified_claim: String,
    pub(crate) organisation: Option<OrganisationId>,
    pub(crate) role_claim: Option<String>,
    pub(crate) roles: Option<RoleMapping>,
    pub(crate) second_factor: FactorValues,
}

impl Args for OpenIdSettings {
    fn augment_args(command: Command) -> Command {
        let providers = Arg::new(PROVIDERS)
            .long("oidc-providers")
            .env("ALLCLEAR_OIDC_PROVIDERS")
            .value_delimiter(',')
            .action(ArgAction::Append)
            .help_heading("People")
            .help(
                "Identity providers that people sign in with by OpenID Connect, such as okta,azure. Each has settings of its \
                 own: ALLCLEAR_OIDC_OKTA_ISSUER, _CLIENT_ID, _CLIENT_SECRET, _DOMAINS and those of the guide",
            );
        let setting = Arg::new(PROVIDER_SETTING)
            .long("oidc-setting")
            .value_name("NAME_KEY=VALUE")
            .action(ArgAction::Append)
            .hide(true)
            .hide_default_value(true)
            .help_heading("People")
            .help("A setting of a provider: okta_issuer=https://example.okta.com");
        let passwords = Arg::new(PASSWORDS)
            .long("passwords")
            .env("ALLCLEAR_PASSWORDS")
            .default_value("on")
            .value_parser(["on", "off"])
            .help_heading("People")
            .help("Whether people may sign up and sign in with a password");
        let limit = Arg::new(LIMIT)
            .long("limit-oidc")
            .env("ALLCLEAR_LIMIT_OIDC")
            .value_parser(limit)
            .help_heading("Limits")
            .help(
                "Sign-ins by OpenID Connect that a client address begins and does not complete: burst and rate an hour \
                 [default: 60/600]",
            );
        command.args([providers, setting, passwords, limit])
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OpenIdSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let texts = |id: &str| matches.get_many::<String>(id).unwrap_or_default().cloned();
        let given = texts(PROVIDER_SETTING).filter_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            Some((name.to_ascii_uppercase(), value.into()))
        });
        let given: BTreeMap<String, SecretString> = given.collect();
        let environment = std::env::vars_os().filter_map(|(name, value)| {
            let name = name.to_str()?.strip_prefix(PREFIX)?.to_owned();
            let value = value.to_str()?;
            (name != "PROVIDERS" && !value.is_empty()).then(|| (name, value.into()))
        });
        let environment: BTreeMap<String, SecretString> = environment.collect();
        // Flags have precedence over the environment, and the environment over the file.
        let by_flag = matches.value_source(PROVIDER_SETTING) == Some(ValueSource::CommandLine);
        let (mut values, stronger) = if by_flag {
            (environment, given)
        } else {
            (given, environment)
        };
        values.extend(stronger);
        let listed = texts(PROVIDERS).map(|text| text.trim().to_owned());
        let passwords = matches.get_one::<String>(PASSWORDS);
        Ok(Self {
            providers: listed.filter(|text| !text.is_empty()).collect(),
            values,
            passwords: passwords.is_none_or(|text| text != "off"),
            limit: matches
                .get_one(LIMIT)
                .copied()
                .unwrap_or(OpenIdThrottle::LIMIT),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl OpenIdSettings {
    /// The providers, in the order of the buttons.
    ///
    /// # Errors
    /// One line that says what is wrong, without secrets.
    pub(crate) fn providers(&self, with_clerk: bool) -> Result<Vec<ProviderSettings>, String> {
        if with_clerk && !(self.providers.is_empty() && self.values.is_empty() && self.passwords) {
            return Err(
                "ALLCLEAR_OIDC_… and ALLCLEAR_PASSWORDS cannot be used with Clerk: set up identity providers in Clerk's dashboard"
                    .to_owned(),
            );
        }
        let mut read = Vec::new();
        for name in &self.providers {
            let provider = self.provider(name)?;
            if read
                .iter()
                .any(|known: &ProviderSettings| known.id == provider.id)
            {
                return Err(format!("ALLCLEAR_OIDC_PROVIDERS names {name} twice"));
            }
            read.push(provider);
        }
        self.check_names(&read)?;
        if read.is_empty() && !self.passwords {
            return Err(
                "ALLCLEAR_PASSWORDS=off needs a provider in ALLCLEAR_OIDC_PROVIDERS: nobody could sign in"
                    .to_owned(),
            );
        }
        Ok(read)
    }

    /// Refuses variables that no provider reads, because they are probably mistyped.
    fn check_names(&self, providers: &[ProviderSettings]) -> Result<(), String> {
        let is_known = |name: &str| {
            providers.iter().any(|provider| {
                let prefix = format!("{}_", provider.id.as_str().to_ascii_uppercase());
                let key = name.strip_prefix(&prefix);
                key.is_some_and(|key| KEYS.iter().any(|(known, _)| *known == key))
            })
        };
        match self.values.keys().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(name) => Err(format!(
                "{PREFIX}{name} is not a setting of a provider in ALLCLEAR_OIDC_PROVIDERS"
            )),
        }
    }

    fn provider(&self, name: &str) -> Result<ProviderSettings, String> {
        let id: ProviderId = name
            .parse()
            .map_err(|reason| format!("ALLCLEAR_OIDC_PROVIDERS: {name}: {reason}"))?;
        let values = Values {
            prefix: format!("{}_", name.to_ascii_uppercase()),
            values: &self.values,
        };
        for (key, _) in KEYS.iter().filter(|(_, required)| *required) {
            values.required(key)?;
        }
        let issuer =
            issuer(values.required("ISSUER")?).map_err(|reason| values.wrong("ISSUER", reason))?;
        let domains = MailDomains::parse(values.list("DOMAINS").iter().map(String::as_str));
        let domains = domains.map_err(|wrong| {
            values.wrong(
                "DOMAINS",
                &format!("'{wrong}' is not a domain; * is every domain"),
            )
        })?;
        let organisation = values.get("ORGANISATION").map(OrganisationId::parse);
        let organisation = organisation.transpose().map_err(|_| {
            values.wrong(
                "ORGANISATION",
                "it is not the identifier of an organisation",
            )
        })?;
        let role_claim = values.get("ROLE_CLAIM").map(ToOwned::to_owned);
        let roles = values.roles(role_claim.as_deref(), organisation.as_ref())?;
        let verified = values
            .get("EMAIL_VERIFIED_CLAIM")
            .unwrap_or("email_verified");
        let scopes = match values.list("SCOPES") {
            scopes if scopes.is_empty() => vec!["email".to_owned(), "profile".to_owned()],
            scopes => scopes,
        };
        let second_factor = match values.list("SECOND_FACTOR") {
            values if values.is_empty() => FactorValues::default(),
            values => FactorValues(values),
        };
        Ok(ProviderSettings {
            name: values.get("NAME").unwrap_or(name).to_owned(),
            issuer,
            client_id: values.required("CLIENT_ID")?.to_owned(),
            client_secret: values.required("CLIENT_SECRET")?.into(),
            domains,
            scopes,
            email_verified_claim: verified.to_owned(),
            organisation,
            role_claim,
            roles,
            second_factor,
            id,
        })
    }

    /// Whether people may sign in with a password.
    pub(crate) const fn passwords(&self) -> bool {
        self.passwords
    }

    /// Limit of the sign-ins that a client begins.
    pub(crate) const fn limit(&self) -> RateLimit {
        self.limit
    }

    /// The providers for the sign-in page. Empty if the settings are wrong; [`Self::providers`]
    /// stops the start then.
    pub(crate) fn buttons(&self) -> Vec<SignInProvider> {
        let providers = self.providers(false).unwrap_or_default();
        let button = |provider: ProviderSettings| SignInProvider {
            id: provider.id.as_str().to_owned(),
            name: provider.name,
        };
        providers.into_iter().map(button).collect()
    }
}

/// The settings of one provider.
struct Values<'a> {
    prefix: String,
    values: &'a BTreeMap<String, SecretString>,
}

impl<'a> Values<'a> {
    fn get(&self, key: &str) -> Option<&'a str> {
        let value = self.values.get(&format!("{}{key}", self.prefix))?;
        Some(value.reveal().trim()).filter(|value| !value.is_empty())
    }

    fn required(&self, key: &str) -> Result<&'a str, String> {
        let missing = || format!("{PREFIX}{}{key} is missing", self.prefix);
        self.get(key).ok_or_else(missing)
    }

    fn list(&self, key: &str) -> Vec<String> {
        let texts = self.get(key).unwrap_or_default().split(',').map(str::trim);
        let texts = texts.filter(|text| !text.is_empty());
        texts.map(ToOwned::to_owned).collect()
    }

    fn wrong(&self, key: &str, reason: &str) -> String {
        format!("{PREFIX}{}{key} is invalid: {reason}", self.prefix)
    }

    /// The mapping of the values of a claim to roles in an organisation. Settings that would have
    /// no effect are refused.
    fn roles(
        &self,
        claim: Option<&str>,
        organisation: Option<&OrganisationId>,
    ) -> Result<Option<RoleMapping>, String> {
        let roles = [
            ("ROLE_ADMIN", Role::Admin),
            ("ROLE_EDITOR", Role::Editor),
            ("ROLE_VIEWER", LOWEST_ROLE),
        ];
        let values = roles.map(|(key, role)| (role, self.list(key)));
        let has_values = values.iter().any(|(_, values)| !values.is_empty());
        if claim.is_some() != has_values {
            let reason = "a claim and values of it belong together: _ROLE_CLAIM with _ROLE_ADMIN, _ROLE_EDITOR or _ROLE_VIEWER";
            return Err(self.wrong("ROLE_CLAIM", reason));
        }
        if claim.is_some() && organisation.is_none() {
            return Err(self.wrong(
                "ROLE_CLAIM",
                "roles are those of the organisation in _ORGANISATION",
            ));
        }
        let values = values.into_iter().filter(|(_, values)| !values.is_empty());
        Ok(claim.map(|_| RoleMapping {
            values: values.collect(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: [&str; 4] = [
        "okta_issuer=https://example.okta.com",
        "okta_client_id=abc",
        "okta_client_secret=hunter2",
        "okta_domains=example.com, example.org",
    ];

    fn settings(flags: &[&str], values: &[&str]) -> OpenIdSettings {
        let command = OpenIdSettings::augment_args(Command::new("allclear").no_binary_name(true));
        let values = values.iter().flat_map(|value| ["--oidc-setting", value]);
        let all = flags.iter().copied().chain(values);
        OpenIdSettings::from_arg_matches(&command.get_matches_from(all)).unwrap()
    }

    fn okta(values: &[&str]) -> Result<Vec<ProviderSettings>, String> {
        settings(&["--oidc-providers", "okta"], values).providers(false)
    }

    #[test]
    fn four_settings_are_enough_for_a_provider() {
        let providers = okta(&GOOD).unwrap();
        let provider = &providers[0];
        assert_eq!((provider.id.as_str(), &*provider.name), ("okta", "okta"));
        assert_eq!(provider.issuer.as_str(), "https://example.okta.com");
        assert!(provider.domains.contains("ann@example.org"));
        assert_eq!(provider.scopes, ["email", "profile"]);
        assert_eq!(provider.roles, None);
        let without = settings(&[], &[]);
        assert!(without.providers(false).unwrap().is_empty() && without.passwords());
    }

    #[test]
    fn wrong_settings_are_named_without_their_secret() {
        let with = |more: &[&str]| okta(&[&GOOD, more].concat()).err().unwrap_or_default();
        for (refused, expected) in [
            (
                okta(&GOOD[1..]).err().unwrap_or_default(),
                "ALLCLEAR_OIDC_OKTA_ISSUER is missing",
            ),
            (
                okta(&GOOD[..3]).err().unwrap_or_default(),
                "ALLCLEAR_OIDC_OKTA_DOMAINS is missing",
            ),
            (
                with(&["okta_client_secret="]),
                "ALLCLEAR_OIDC_OKTA_CLIENT_SECRET is missing",
            ),
            (
                with(&["okta_issuer=http://example.com"]),
                "ALLCLEAR_OIDC_OKTA_ISSUER is invalid: it must begin",
            ),
            (
                with(&["okta_domains=a b"]),
                "ALLCLEAR_OIDC_OKTA_DOMAINS is invalid: 'a b'",
            ),
            (
                with(&["okta_isuer=x"]),
                "ALLCLEAR_OIDC_OKTA_ISUER is not a setting",
            ),
            (
                with(&["azure_issuer=x"]),
                "ALLCLEAR_OIDC_AZURE_ISSUER is not a setting",
            ),
            (
                with(&["okta_role_claim=groups"]),
                "ALLCLEAR_OIDC_OKTA_ROLE_CLAIM is invalid: a claim",
            ),
            (
                with(&["okta_role_admin=ops"]),
                "ALLCLEAR_OIDC_OKTA_ROLE_CLAIM is invalid: a claim",
            ),
            (
                with(&["okta_role_claim=groups", "okta_role_admin=ops"]),
                "ALLCLEAR_OIDC_OKTA_ROLE_CLAIM is invalid: roles",
            ),
        ] {
            assert!(refused.starts_with(expected), "{refused:?}, not {expected}");
            assert!(!refused.contains("hunter2"), "{refused}");
        }
        let bad_name = settings(&["--oidc-providers", "Okta"], &[]).providers(false);
        assert!(
            bad_name
                .err()
                .unwrap()
                .starts_with("ALLCLEAR_OIDC_PROVIDERS: Okta: ")
        );
        let twice = settings(&["--oidc-providers", "okta,okta"], &GOOD).providers(false);
        assert_eq!(
            twice.err().unwrap(),
            "ALLCLEAR_OIDC_PROVIDERS names okta twice"
        );
        assert!(!format!("{:?}", settings(&[], &GOOD)).contains("hunter2"));
    }

    #[test]
    fn passwords_are_switched_off_only_beside_a_provider() {
        let off = settings(&["--passwords", "off"], &[]).providers(false);
        assert!(
            off.err()
                .unwrap()
                .starts_with("ALLCLEAR_PASSWORDS=off needs a provider")
        );
        let flags = ["--passwords", "off", "--oidc-providers", "okta"];
        let off = settings(&flags, &GOOD);
        assert!(off.providers(false).is_ok() && !off.passwords());
    }

    #[test]
    fn openid_settings_are_refused_with_clerk() {
        assert!(settings(&[], &[]).providers(true).unwrap().is_empty());
        for with in [
            settings(&["--oidc-providers", "okta"], &GOOD),
            settings(&["--passwords", "off"], &[]),
        ] {
            let refused = with.providers(true).err().unwrap();
            assert!(
                refused.contains("Clerk") && !refused.contains("hunter2"),
                "{refused}"
            );
        }
    }

    #[test]
    fn claims_give_roles_in_the_organisation() {
        let more = [
            "okta_organisation=org_1",
            "okta_role_claim=groups",
            "okta_role_admin=ops, root",
            "okta_role_viewer=*",
        ];
        let providers = okta(&[&GOOD[..], &more[..]].concat()).unwrap();
        let roles = providers[0].roles.clone().unwrap();
        assert_eq!(roles.role(&["root".to_owned()]), Some(Role::Admin));
        assert_eq!(roles.role(&[]), Some(LOWEST_ROLE));
    }

    #[test]
    fn claims_prove_a_second_factor() {
        let proves = |more: &[&str], claimed: &[&str]| {
            let providers = okta(&[&GOOD, more].concat()).unwrap();
            let claimed: Vec<_> = claimed.iter().map(ToString::to_string).collect();
            providers[0].second_factor.prove(&claimed)
        };
        assert!(proves(&[], &["pwd", "mfa"]));
        assert!(!proves(&[], &["pwd", "otp"]) && !proves(&[], &[]));
        let listed = ["okta_second_factor=otp, gold"];
        assert!(proves(&listed, &["pwd", "otp"]) && proves(&listed, &["gold"]));
        assert!(!proves(&listed, &["mfa"]));
        assert!(proves(&["okta_second_factor=*"], &[]));
    }
}
