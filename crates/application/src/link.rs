//! Links that mails carry.

use std::sync::Arc;

use allclear_domain::domain::DomainName;
use allclear_domain::email::Mailbox;
use allclear_domain::id::OrganisationId;
use url::form_urlencoded;

use crate::secret::SecretToken;

/// Builds absolute URLs from the installation's public URL.
#[derive(Debug, Clone, Default)]
pub struct Links {
    public_url: Arc<str>,
}

/// Whose pages a link leads to.
#[derive(Debug, Clone, Copy)]
pub struct LinkTarget<'a> {
    /// The organisation.
    pub organisation: &'a OrganisationId,
    /// Its verified domain; `None` if there is none.
    pub domain: Option<&'a DomainName>,
}

impl Links {
    /// Links below this URL.
    #[must_use]
    pub fn new(public_url: &str) -> Self {
        Self {
            public_url: public_url.trim_end_matches('/').into(),
        }
    }

    /// URL of the sign-in page.
    #[must_use]
    pub fn login(&self) -> String {
        format!("{}/login", self.public_url)
    }

    /// URL at which an invitation is accepted.
    #[must_use]
    pub fn invitation(&self, token: &SecretToken) -> String {
        format!("{}/login?invitation={}", self.public_url, token.reveal())
    }

    /// URL at which a new password is chosen.
    #[must_use]
    pub fn reset(&self, token: &SecretToken) -> String {
        format!("{}/login?reset={}", self.public_url, token.reveal())
    }

    /// URL at which a password reset is requested.
    #[must_use]
    pub fn forgot(&self) -> String {
        format!("{}/login?forgot", self.public_url)
    }

    /// URL that confirms a sign-up.
    #[must_use]
    pub fn confirmation(&self, token: &SecretToken) -> String {
        format!("{}/login?confirmation={}", self.public_url, token.reveal())
    }

    /// URL that confirms the new address of an account.
    #[must_use]
    pub fn address(&self, token: &SecretToken) -> String {
        format!("{}/login?address={}", self.public_url, token.reveal())
    }

    /// URL that confirms a subscription.
    #[must_use]
    pub fn verify(&self, email: &str, target: LinkTarget<'_>, code: &str) -> String {
        self.subscription("verify", email, target, ("verificationCode", code))
    }

    /// URL that ends a subscription.
    #[must_use]
    pub fn unsubscribe(&self, email: &str, target: LinkTarget<'_>, code: &str) -> String {
        self.subscription("unsubscribe", email, target, ("unsubscribeCode", code))
    }

    /// URL at which a mail program ends a subscription with one POST (RFC 8058).
    #[must_use]
    pub fn one_click(&self, email: &str, target: LinkTarget<'_>, code: &str) -> String {
        // In ASCII, so that it fits on one line of a header.
        let mailbox = Mailbox::of(email);
        let page = "api/v1/subscriber/unsubscribe/one-click";
        self.subscription(page, mailbox.as_str(), target, ("unsubscribeCode", code))
    }

    /// The public address of an organisation's page, without a slash at the end. The addresses of its other pages begin with it.
    /// `domain` is the verified one.
    #[must_use]
    pub fn page(&self, organisation: &OrganisationId, domain: Option<&DomainName>) -> String {
        match domain {
            Some(domain) => format!("https://{domain}"),
            None => format!("{}/status/{organisation}", self.public_url),
        }
    }

    fn subscription(
        &self,
        page: &str,
        email: &str,
        target: LinkTarget<'_>,
        code: (&str, &str),
    ) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query
            .append_pair("email", email)
            .append_pair("orgId", target.organisation.as_str())
            .append_pair(code.0, code.1);
        let query = query.finish();
        match target.domain {
            Some(domain) => format!("https://{domain}/{page}?{query}"),
            None => format!("{}/{page}?{query}", self.public_url),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_carries_any_address_whole() {
        let organisation = OrganisationId::parse("org_1").unwrap();
        let links = Links::new("https://status.example.com/");
        let target = LinkTarget {
            organisation: &organisation,
            domain: None,
        };
        let link = links.verify("o'neil+a&b=c@exämple.com", target, "x-_9");
        assert_eq!(
            link,
            "https://status.example.com/verify?email=o%27neil%2Ba%26b%3Dc%40ex%C3%A4mple.com&orgId=org_1&verificationCode=x-_9"
        );
        let link = links.unsubscribe("ann@example.com", target, "x");
        assert!(
            link.ends_with("/unsubscribe?email=ann%40example.com&orgId=org_1&unsubscribeCode=x"),
            "{link}"
        );
        let one_click = links.one_click("ann@example.com", target, "x");
        let query = link.split_once('?').unwrap().1;
        assert_eq!(
            one_click,
            format!("https://status.example.com/api/v1/subscriber/unsubscribe/one-click?{query}")
        );
        assert_eq!(
            links.page(&organisation, None),
            "https://status.example.com/status/org_1"
        );
        let domain = "status.acme.example".parse().unwrap();
        assert_eq!(
            links.page(&organisation, Some(&domain)),
            "https://status.acme.example"
        );
        let target = LinkTarget {
            domain: Some(&domain),
            ..target
        };
        let link = links.unsubscribe("ann@example.com", target, "x");
        assert_eq!(
            link,
            "https://status.acme.example/unsubscribe?email=ann%40example.com&orgId=org_1&unsubscribeCode=x"
        );
    }
}
