//! Addresses of the product's pages.

use std::fmt::Display;
use std::sync::Arc;

use allclear_domain::custom_domain::DomainName;
use allclear_domain::email::Mailbox;
use allclear_domain::id::{IncidentId, OrganisationId};
use allclear_domain::subscriber::Subscriber;
use url::form_urlencoded;

use crate::secret::SecretToken;

/// Path of an organisation's status page below the installation's address.
#[must_use]
pub fn status_page_path(organisation: impl Display) -> String {
    format!("/status/{organisation}")
}

/// Path of the page about an incident with this public code, below the address of the
/// organisation's status page.
#[must_use]
pub fn incident_path(code: impl Display) -> String {
    format!("/incidents/{code}")
}

/// Path of the page about a maintenance with this public code, below the address of the
/// organisation's status page.
#[must_use]
pub fn maintenance_path(code: impl Display) -> String {
    format!("/maintenances/{code}")
}

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
    pub fn verify(&self, subscriber: &Subscriber, target: LinkTarget<'_>, code: &str) -> String {
        let (name, value) = subscriber_parameter(subscriber);
        self.subscription("verify", (name, &value), target, ("verificationCode", code))
    }

    /// URL that ends a subscription.
    #[must_use]
    pub fn unsubscribe(
        &self,
        subscriber: &Subscriber,
        target: LinkTarget<'_>,
        code: &str,
    ) -> String {
        let (name, value) = subscriber_parameter(subscriber);
        let code = ("unsubscribeCode", code);
        self.subscription("unsubscribe", (name, &value), target, code)
    }

    /// URL of the page that changes or ends a subscription.
    #[must_use]
    pub fn manage(&self, subscriber: &Subscriber, target: LinkTarget<'_>, code: &str) -> String {
        let id = subscriber.id.to_string();
        let parameter = ("subscriberId", id.as_str());
        self.subscription("subscription", parameter, target, ("manageCode", code))
    }

    /// URL at which a mail program ends a subscription with one POST (RFC 8058).
    #[must_use]
    pub fn one_click(&self, subscriber: &Subscriber, target: LinkTarget<'_>, code: &str) -> String {
        let (name, value) = subscriber_parameter(subscriber);
        let value = match subscriber.target.email() {
            // In ASCII, so that it fits on one line of a header.
            Some(email) if name == EMAIL => Mailbox::of(email).as_str().to_owned(),
            _ => value,
        };
        let page = "api/v1/subscriber/unsubscribe/one-click";
        self.subscription(page, (name, &value), target, ("unsubscribeCode", code))
    }

    /// The public address of an organisation's page, without a slash at the end. The addresses of
    /// its other pages begin with it. `domain` is the verified one.
    #[must_use]
    pub fn page(&self, organisation: &OrganisationId, domain: Option<&DomainName>) -> String {
        match domain {
            Some(domain) => format!("https://{domain}"),
            None => format!("{}{}", self.public_url, status_page_path(organisation)),
        }
    }

    /// URL of the screen on which operators edit an incident.
    #[must_use]
    pub fn incident(&self, incident: IncidentId) -> String {
        format!("{}/incidents/incident/edit/{incident}", self.public_url)
    }

    /// URL of the screen with the organisation's subscribers.
    #[must_use]
    pub fn subscribers(&self) -> String {
        format!("{}/subscribers", self.public_url)
    }

    /// URL of the screen with the organisation's settings.
    #[must_use]
    pub fn settings(&self) -> String {
        format!("{}/settings", self.public_url)
    }

    fn subscription(
        &self,
        page: &str,
        (name, value): (&str, &str),
        target: LinkTarget<'_>,
        code: (&str, &str),
    ) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query
            .append_pair(name, value)
            .append_pair("orgId", target.organisation.as_str())
            .append_pair(code.0, code.1);
        let query = query.finish();
        match target.domain {
            Some(domain) => format!("https://{domain}/{page}?{query}"),
            None => format!("{}/{page}?{query}", self.public_url),
        }
    }
}

const EMAIL: &str = "email";

/// The parameter that names a subscriber: the address, or the identifier if others may have the
/// same target or it is secret.
fn subscriber_parameter(subscriber: &Subscriber) -> (&'static str, String) {
    match subscriber.target.email() {
        Some(email) if subscriber.scope.incident().is_none() => (EMAIL, email.to_owned()),
        _ => ("subscriberId", subscriber.id.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use allclear_domain::channel::{Channel, Target};
    use allclear_domain::id::SubscriberId;
    use allclear_domain::subscriber::{Scope, SubscriberDraft};
    use uuid::Uuid;

    use crate::fixture::now;

    fn subscriber(email: &str) -> Subscriber {
        let target = Target::parse(Channel::Email, email).unwrap();
        let id = SubscriberId(Uuid::from_u128(1));
        Subscriber::create(id, SubscriberDraft::of_everything(target), now())
    }

    #[test]
    fn follower_or_url_is_named_by_its_identifier() {
        let organisation = OrganisationId::parse("org_1").unwrap();
        let links = Links::new("https://status.example.com/");
        let target = LinkTarget {
            organisation: &organisation,
            domain: None,
        };
        let ann = subscriber("ann@example.com");
        let follower = Subscriber {
            scope: Scope::Incident(IncidentId(Uuid::from_u128(2))),
            ..ann.clone()
        };
        let hook = Subscriber {
            target: Target::parse(Channel::Slack, "https://hooks.example/secret").unwrap(),
            ..ann.clone()
        };
        let id = "00000000-0000-0000-0000-000000000001";
        for subscriber in [&follower, &hook] {
            assert_eq!(
                links.verify(subscriber, target, "x"),
                format!(
                    "https://status.example.com/verify?subscriberId={id}&orgId=org_1&verificationCode=x"
                )
            );
        }
        assert_eq!(
            links.manage(&ann, target, "x"),
            format!(
                "https://status.example.com/subscription?subscriberId={id}&orgId=org_1&manageCode=x"
            )
        );
    }

    #[test]
    fn a_link_carries_any_address_whole() {
        let organisation = OrganisationId::parse("org_1").unwrap();
        let links = Links::new("https://status.example.com/");
        let target = LinkTarget {
            organisation: &organisation,
            domain: None,
        };
        let link = links.verify(&subscriber("o'neil+a&b=c@exämple.com"), target, "x-_9");
        assert_eq!(
            link,
            "https://status.example.com/verify?email=o%27neil%2Ba%26b%3Dc%40ex%C3%A4mple.com&orgId=org_1&verificationCode=x-_9"
        );
        let link = links.unsubscribe(&subscriber("ann@example.com"), target, "x");
        assert!(
            link.ends_with("/unsubscribe?email=ann%40example.com&orgId=org_1&unsubscribeCode=x"),
            "{link}"
        );
        let one_click = links.one_click(&subscriber("ann@example.com"), target, "x");
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
        let link = links.unsubscribe(&subscriber("ann@example.com"), target, "x");
        assert_eq!(
            link,
            "https://status.acme.example/unsubscribe?email=ann%40example.com&orgId=org_1&unsubscribeCode=x"
        );
    }
}
