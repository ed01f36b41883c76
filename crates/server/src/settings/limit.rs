//! Rate limits.

use allclear_application::subscriber::Subscribers;
use allclear_domain::rate_limit::RateLimit;
use allclear_transport::built_in::throttle::IdentityLimits;
use allclear_transport::subscriber;
use clap::Args;

/// Rate limits of a client, written `10/30`: a burst of 10, then 30 an hour.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
#[expect(clippy::struct_field_names, reason = "a flag is named as its field is")]
pub(crate) struct LimitSettings {
    /// Failed sign-ins of a client address before further tries are slowed down: burst and rate an
    /// hour [default: 10/30]
    #[arg(long, env = "ALLCLEAR_LIMIT_SIGN_IN", value_parser = limit)]
    limit_sign_in: Option<RateLimit>,

    /// Wrong passwords for a mail address from a client address: burst and rate an hour
    /// [default: 10/30]
    #[arg(long, env = "ALLCLEAR_LIMIT_GUESSES", value_parser = limit)]
    limit_guesses: Option<RateLimit>,

    /// Wrong passwords for a mail address from all clients before further tries are slowed down:
    /// burst and rate an hour [default: 100/100]
    #[arg(long, env = "ALLCLEAR_LIMIT_ACCOUNT_GUESSES", value_parser = limit)]
    limit_account_guesses: Option<RateLimit>,

    /// Sign-ups and requests for new mail addresses from a client address: burst and rate an hour
    /// [default: 30/30]
    #[arg(long, env = "ALLCLEAR_LIMIT_SIGN_UP", value_parser = limit)]
    limit_sign_up: Option<RateLimit>,

    /// Password resets requested from a client address: burst and rate an hour [default: 10/30]
    #[arg(long, env = "ALLCLEAR_LIMIT_RESET", value_parser = limit)]
    limit_reset: Option<RateLimit>,

    /// Links of accounts and invitations followed from a client address, and separately those of
    /// subscribers with a wrong code: burst and rate an hour [default: 30/120]
    #[arg(long, env = "ALLCLEAR_LIMIT_VERIFY", value_parser = limit)]
    limit_verify: Option<RateLimit>,

    /// Subscriptions requested from a client address: burst and rate an hour [default: 10/30]
    #[arg(long, env = "ALLCLEAR_LIMIT_SUBSCRIBE", value_parser = limit)]
    limit_subscribe: Option<RateLimit>,

    /// Verification mails to a mail address, by all organisations together: burst and rate an hour
    /// [default: 3/1]
    #[arg(long, env = "ALLCLEAR_LIMIT_VERIFICATION_MAIL", value_parser = limit)]
    limit_verification_mail: Option<RateLimit>,

    /// Invitations sent from a client address: burst and rate an hour [default: 50/100]
    #[arg(long, env = "ALLCLEAR_LIMIT_INVITE", value_parser = limit)]
    limit_invite: Option<RateLimit>,
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
    pub(crate) fn verification_mail(&self) -> RateLimit {
        self.limit_verification_mail
            .unwrap_or(Subscribers::VERIFICATION_LIMIT)
    }
}

/// Parses `10/30`.
pub(super) fn limit(text: &str) -> Result<RateLimit, String> {
    let numbers = text
        .split_once('/')
        .and_then(|(burst, hour)| Some((burst.parse().ok()?, hour.parse().ok()?)));
    match numbers {
        Some((burst @ 1.., per_hour @ 1..)) => Ok(RateLimit { burst, per_hour }),
        _ => {
            Err("it must be a burst and a rate an hour, both at least 1, such as 10/30".to_owned())
        }
    }
}
