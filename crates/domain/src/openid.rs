//! OpenID Connect: what an identity provider says about a person, and what follows from it.

use std::fmt;
use std::str::FromStr;

use url::Url;

use crate::email::{Mailbox, email_address};
use crate::membership::Role;
use crate::text::{MAX_NAME_LENGTH, clean_line};

/// The role of a new member if the provider's claims give none.
pub const LOWEST_ROLE: Role = Role::Viewer;

/// Identifier of a provider in the configuration and in addresses: up to 20 lower-case letters and
/// digits, beginning with a letter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderId(String);

impl ProviderId {
    /// Maximum length, in characters.
    pub const MAX_LENGTH: usize = 20;

    /// The identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ProviderId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let begins_with_letter = text.starts_with(|first: char| first.is_ascii_lowercase());
        if begins_with_letter && text.len() <= Self::MAX_LENGTH && text.bytes().all(plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err("it must be up to 20 lower-case letters and digits, beginning with a letter")
        }
    }
}

impl fmt::Display for ProviderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Domains of the mail addresses that people of a provider may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailDomains {
    /// Every domain.
    Any,
    /// These domains, in ASCII and lower case. Subdomains are not included.
    Listed(Vec<String>),
}

impl MailDomains {
    /// Reads a list of domains; `*` is every domain.
    ///
    /// # Errors
    /// The first text that is not a domain; an empty text for an empty list.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut domains = Vec::new();
        for text in texts.into_iter().map(str::trim) {
            if text == "*" {
                return Ok(Self::Any);
            }
            let address = format!("a@{text}");
            email_address(&address).map_err(|_| text.to_owned())?;
            domains.extend(domain(&address));
        }
        if domains.is_empty() {
            return Err(String::new());
        }
        Ok(Self::Listed(domains))
    }

    /// Whether an address has one of the domains.
    #[must_use]
    pub fn contains(&self, address: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Listed(domains) => {
                domain(address).is_some_and(|domain| domains.contains(&domain))
            }
        }
    }
}

/// The domain of an address, in ASCII and lower case.
fn domain(address: &str) -> Option<String> {
    let mailbox = Mailbox::of(address);
    let (_, domain) = mailbox.as_str().rsplit_once('@')?;
    Some(domain.to_lowercase())
}

/// Values of a claim that give roles. `*` stands for every person of the provider.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoleMapping {
    /// Roles with their values.
    pub values: Vec<(Role, Vec<String>)>,
}

impl RoleMapping {
    /// The highest role that the values of a claim give. `None` if they give none.
    #[must_use]
    pub fn role(&self, claimed: &[String]) -> Option<Role> {
        let matches = |value: &String| value == "*" || claimed.contains(value);
        let given = self
            .values
            .iter()
            .filter(|(_, values)| values.iter().any(matches));
        given.map(|(role, _)| *role).max()
    }
}

/// Values of the claims `amr` and `acr` by which a provider says that it has checked a second
/// factor. `*` stands for every sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactorValues(pub Vec<String>);

impl FactorValues {
    /// Several factors were used (RFC 8176, section 2).
    const SEVERAL: &str = "mfa";

    /// Whether the values of a sign-in's claims name a second factor.
    #[must_use]
    pub fn prove(&self, claimed: &[String]) -> bool {
        let matches = |value: &String| value == "*" || claimed.contains(value);
        self.0.iter().any(matches)
    }
}

impl Default for FactorValues {
    fn default() -> Self {
        Self(vec![Self::SEVERAL.to_owned()])
    }
}

/// A path of the installation's own pages, with query and fragment, to which a browser may be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnPath(String);

impl ReturnPath {
    /// Maximum length, in bytes.
    const MAX_LENGTH: usize = 1000;

    /// A path. `None` if the text could lead a browser to another site, or to an API call.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let base = Url::parse("https://own.invalid").ok()?;
        // Browsers read a backslash as a slash, and ignore tabs and line breaks.
        let plain = |character: char| !character.is_control() && character != '\\';
        if text.len() > Self::MAX_LENGTH || !text.starts_with('/') || !text.chars().all(plain) {
            return None;
        }
        let url = base.join(text).ok()?;
        let is_own = url.origin() == base.origin() && !text.starts_with("//");
        // The form that the URL Standard defines, so that no browser reads the path differently.
        let path = url.as_str().strip_prefix("https://own.invalid")?.to_owned();
        let leads_home = !path.starts_with("//") && !path.starts_with("/api/");
        (is_own && leads_home).then_some(Self(path))
    }

    /// The path as text. It begins with one slash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for ReturnPath {
    fn default() -> Self {
        Self("/".to_owned())
    }
}

/// The name of a person: the first of these texts that is a name, otherwise the part of the address
/// before the `@`. It is cleaned as an entered name is checked: one line, no characters that
/// disguise it, at most 200 characters.
#[must_use]
pub fn display_name<'a>(claimed: impl IntoIterator<Item = &'a str>, address: &'a str) -> String {
    let local = address.rsplit_once('@').map_or(address, |(local, _)| local);
    let texts = claimed.into_iter().chain([local]);
    let mut names = texts.map(|text| clean_line(text, MAX_NAME_LENGTH));
    names.find(|name| !name.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn identifiers_fit_into_variables_and_paths() {
        for good in ["okta", "azure2", "a"] {
            assert_eq!(good.parse::<ProviderId>().unwrap().as_str(), good);
        }
        for bad in [
            "",
            "Okta",
            "2fa",
            "azure_b2c",
            "a/b",
            "abcdefghijklmnopqrstu",
        ] {
            assert!(bad.parse::<ProviderId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn domains_are_compared_in_every_spelling_and_without_subdomains() {
        let listed = MailDomains::parse(["Example.com", " bücher.example "]).unwrap();
        for (address, expected) in [
            ("ann@example.com", true),
            ("ann@EXAMPLE.com", true),
            ("ann@xn--bcher-kva.example", true),
            ("ann@bücher.example", true),
            ("ann@sub.example.com", false),
            ("ann@notexample.com", false),
            ("ann@example.com.evil.example", false),
            ("example.com@evil.example", false),
            ("ann", false),
        ] {
            assert_eq!(listed.contains(address), expected, "{address}");
        }
        assert!(MailDomains::parse(["*"]).unwrap().contains("a@b.example"));
        assert_eq!(MailDomains::parse(["a b"]), Err("a b".to_owned()));
        assert_eq!(
            MailDomains::parse(["@a.example"]),
            Err("@a.example".to_owned())
        );
        assert_eq!(MailDomains::parse([]), Err(String::new()));
    }

    #[test]
    fn highest_role_of_the_claimed_values_is_given() {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mapping = RoleMapping {
            values: vec![
                (Role::Admin, texts(&["ops", "root"])),
                (LOWEST_ROLE, texts(&["all"])),
            ],
        };
        assert_eq!(mapping.role(&texts(&["all", "root"])), Some(Role::Admin));
        assert_eq!(mapping.role(&texts(&["all"])), Some(LOWEST_ROLE));
        assert_eq!(mapping.role(&texts(&["Ops", "*"])), None);
        let everybody = RoleMapping {
            values: vec![(LOWEST_ROLE, texts(&["*"]))],
        };
        assert_eq!(everybody.role(&[]), Some(LOWEST_ROLE));
    }

    #[test]
    fn only_own_pages_are_returned_to() {
        for own in ["/", "/components?a=b#c", "/login?invitation=x", "/a//b"] {
            assert_eq!(
                ReturnPath::parse(own).map(|path| path.0).as_deref(),
                Some(own)
            );
        }
        for foreign in [
            "",
            "a",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "javascript:alert(1)",
            "/..//evil.example",
            "/.//evil.example",
            "/%2e%2e//evil.example",
            "/api/v1/identity/session",
            "/a/../api/v1/x",
        ] {
            assert_eq!(ReturnPath::parse(foreign), None, "{foreign}");
        }
        assert_eq!(ReturnPath::parse(&format!("/{}", "a".repeat(1000))), None);
    }

    proptest! {
        #[test]
        fn a_returned_path_stays_on_its_host(text in prop_oneof![3 => "[/\\\\.a%2eE:@?# \\t]{0,12}", 1 => "\\PC{0,12}"]) {
            if let Some(path) = ReturnPath::parse(&format!("/{text}")) {
                let url = Url::parse("https://status.example.com").unwrap().join(path.as_str()).unwrap();
                prop_assert_eq!(url.host_str(), Some("status.example.com"));
                prop_assert!(path.as_str().starts_with('/') && !path.as_str().starts_with("//"));
            }
        }

        #[test]
        fn a_name_is_one_line_of_bounded_length(claimed in any::<String>()) {
            let name = display_name([claimed.as_str()], "ann@example.com");
            prop_assert!(!name.is_empty());
            prop_assert!(crate::text::one_line(&name).is_ok() && crate::text::name_length(&name).is_ok());
        }
    }

    #[test]
    fn a_name_without_text_is_taken_from_the_address() {
        assert_eq!(display_name(["\u{202E}\n", ""], "ann@example.com"), "ann");
        assert_eq!(display_name(["\u{200B}"], "ann@example.com"), "ann");
        assert_eq!(display_name([" Ann\nLee "], "x@example.com"), "Ann Lee");
    }
}
