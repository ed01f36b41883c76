//! Rate limits.

use allclear_application::subscriber::Subscribers;
use allclear_domain::mail_limit::MailLimit;
use allclear_transport::identity::throttle::IdentityLimits;
use allclear_transport::limit::throttle::Limit;
use allclear_transport::subscriber;
use clap::Args;

/// Rate limits of a client, written `10/30`: a burst of 10, then 30 an hour.
#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_field_names, reason = "a flag is named as its field is")]
pub(crate) struct LimitSettings {
    /// Failed sign-ins of a client address before further tries are slowed down: burst and rate an hour [default: 10/30]
    #[arg(long, env = "ALLCLEAR_LIMIT_SIGN_IN", value_name = "ALLCLEAR_LIMIT_SIGN_IN", value_parser = limit)]
    limit_sign_in: Option<Limit>,

    /// Wrong passwords for a mail address from a client address: burst and rate an hour [default: 10/30]
    #[arg(long, env = "ALLCLEAR_LIMIT_GUESSES", value_name = "ALLCLEAR_LIMIT_GUESSES", value_parser = limit)]
    limit_guesses: Option<Limit>,

    /// Wrong passwords for a mail address from all clients before further tries are slowed down: burst and rate an hour [default: 100/100]
    #[arg(long, env = "ALLCLEAR_LIMIT_ACCOUNT_GUESSES", value_name = "ALLCLEAR_LIMIT_ACCOUNT_GUESSES", value_parser = limit)]
    limit_account_guesses: Option<Limit>,

    /// Accounts created from a client address: burst and rate an hour [default: 30/30]
    #[arg(long, env = "ALLCLEAR_LIMIT_SIGN_UP", value_name = "ALLCLEAR_LIMIT_SIGN_UP", value_parser = limit)]
    limit_sign_up: Option<Limit>,

    /// Password resets requested from a client address: burst and rate an hour [default: 10/30]
    #[arg(long, env = "ALLCLEAR_LIMIT_RESET", value_name = "ALLCLEAR_LIMIT_RESET", value_parser = limit)]
    limit_reset: Option<Limit>,

    /// Links of accounts and invitations followed from a client address, and separately those of subscribers with a wrong code: burst
    /// and rate an hour [default: 30/120]
    #[arg(long, env = "ALLCLEAR_LIMIT_VERIFY", value_name = "ALLCLEAR_LIMIT_VERIFY", value_parser = limit)]
    limit_verify: Option<Limit>,

    /// Subscriptions requested from a client address: burst and rate an hour [default: 10/30]
    #[arg(long, env = "ALLCLEAR_LIMIT_SUBSCRIBE", value_name = "ALLCLEAR_LIMIT_SUBSCRIBE", value_parser = limit)]
    limit_subscribe: Option<Limit>,

    /// Verification mails to a mail address, by all organisations together: burst and rate an hour [default: 3/1]
    #[arg(long, env = "ALLCLEAR_LIMIT_VERIFICATION_MAIL", value_name = "ALLCLEAR_LIMIT_VERIFICATION_MAIL", value_parser = limit)]
    limit_verification_mail: Option<Limit>,

    /// Invitations sent from a client address: burst and rate an hour [default: 50/100]
    #[arg(long, env = "ALLCLEAR_LIMIT_INVITE", value_name = "ALLCLEAR_LIMIT_INVITE", value_parser = limit)]
    limit_invite: Option<Limit>,
}

impl LimitSettings {
    /// Limits of the identity routes.
    pub(crate) fn identity(&self) -> IdentityLimits {
        let usual = IdentityLimits::default();
        IdentityLimits {
            sign_in: self.limit_sign_in.unwrap_or(usual.sign_in),
            guesses: self.limit_guesses.unwrap_or(usual.guesses),
            account_guesses: self.limit_account_guesses.unwrap_or(usual.account_guesses),
            sign_up: self.limit_sign_up.unwrap_or(usual.sign_up),
            reset: self.limit_reset.unwrap_or(usual.reset),
            verify: self.limit_verify.unwrap_or(usual.verify),
            invite: self.limit_invite.unwrap_or(usual.invite),
        }
    }

    /// Limits of the subscriber routes.
    pub(crate) fn subscriber(&self) -> subscriber::SubscriberLimits {
        let usual = subscriber::SubscriberLimits::default();
        subscriber::SubscriberLimits {
            subscribe: self.limit_subscribe.unwrap_or(usual.subscribe),
            links: self.limit_verify.unwrap_or(usual.links),
        }
    }

    /// Limit of verification mails to a mail address.
    pub(crate) fn verification_mail(&self) -> MailLimit {
        let configured = self
            .limit_verification_mail
            .map(|Limit { burst, per_hour }| MailLimit { burst, per_hour });
        configured.unwrap_or(Subscribers::MAIL_LIMIT)
    }
}

/// Parses `10/30`.
pub(super) fn limit(text: &str) -> Result<Limit, String> {
    let numbers = text
        .split_once('/')
        .and_then(|(burst, hour)| Some((burst.parse().ok()?, hour.parse().ok()?)));
    match numbers {
        Some((burst @ 1.., per_hour @ 1..)) => Ok(Limit { burst, per_hour }),
        _ => Err("it must be a burst and a rate an hour, such as 10/30".to_owned()),
    }
}
