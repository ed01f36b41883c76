//! Quotas of accounts and organisations.

use std::num::NonZeroU32;

use allclear_application::mail_budget::MailBudgetLimits;
use allclear_application::usage_limit::UsageLimits;
use allclear_domain::rate_limit::RateLimit;
use allclear_transport::limit::usage::WriteLimits;
use clap::Args;

/// Quotas; 0 switches a quota off.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
#[expect(clippy::struct_field_names, reason = "a flag is named as its field is")]
pub(crate) struct UsageSettings {
    /// Organisations that an account may create; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_ORGANISATIONS", default_value = "20")]
    limit_organisations: u64,

    /// Components that an organisation may have; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_COMPONENTS", default_value = "1000")]
    limit_components: u64,

    /// Component groups that an organisation may have; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_GROUPS", default_value = "200")]
    limit_groups: u64,

    /// Subscribers that an organisation may have; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_SUBSCRIBERS", default_value = "100000")]
    limit_subscribers: u64,

    /// Incidents of an organisation that are not resolved; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_OPEN_INCIDENTS", default_value = "1000")]
    limit_open_incidents: u64,

    /// Maintenances of an organisation that are neither over nor cancelled; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_MAINTENANCES", default_value = "1000")]
    limit_maintenances: u64,

    /// Writing requests of an organisation's people, of its API keys together, and changes with the
    /// sessions of an account: burst and rate an hour of each; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_WRITES", default_value = "600/36000", value_parser = rate)]
    limit_writes: Rate,

    /// Bytes of text that an organisation's people may write a day, and its API keys together; 0
    /// for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_TEXT", default_value = "100000000")]
    limit_text: u32,

    /// Requests with an API key: burst and rate an hour; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_API_KEY", default_value = "600/36000", value_parser = rate)]
    limit_api_key: Rate,

    /// Mails a day to a mailbox that its owner did not consent to; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_MAIL_MAILBOX", default_value = "10")]
    limit_mail_mailbox: u32,

    /// Such mails a day that an account causes; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_MAIL_ACCOUNT", default_value = "100")]
    limit_mail_account: u32,

    /// Such mails a day in an organisation's name; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_MAIL_ORGANISATION", default_value = "1000")]
    limit_mail_organisation: u32,

    /// Such mails a day in all, without password resets and notices about an account, at most four
    /// fifths of them in the name of organisations, and at most three fifths caused by people
    /// without an account; 0 for no limit
    #[arg(
        long,
        env = "ALLCLEAR_LIMIT_MAIL_INSTALLATION",
        default_value = "10000"
    )]
    limit_mail_installation: u32,
}

/// A rate limit; `None` if there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rate(Option<RateLimit>);

impl UsageSettings {
    /// Quotas that storage enforces.
    pub(crate) fn stored(&self) -> UsageLimits {
        let limit = |most: u64| (most > 0).then_some(most);
        UsageLimits {
            organisations: limit(self.limit_organisations),
            components: limit(self.limit_components),
            groups: limit(self.limit_groups),
            subscribers: limit(self.limit_subscribers),
            open_incidents: limit(self.limit_open_incidents),
            maintenances: limit(self.limit_maintenances),
        }
    }

    /// Quotas of mails that people cause.
    pub(crate) fn mails(&self) -> MailBudgetLimits {
        let limit = |most: u32| (most > 0).then_some(most);
        MailBudgetLimits {
            mailbox: limit(self.limit_mail_mailbox),
            account: limit(self.limit_mail_account),
            organisation: limit(self.limit_mail_organisation),
            installation: limit(self.limit_mail_installation),
        }
    }

    /// Limit of the requests with an API key.
    pub(crate) const fn api_key(&self) -> Option<RateLimit> {
        self.limit_api_key.0
    }

    /// Quotas that are enforced before storage.
    pub(crate) const fn write_limits(&self) -> WriteLimits {
        WriteLimits {
            writes: self.limit_writes.0,
            text: NonZeroU32::new(self.limit_text),
        }
    }
}

fn rate(text: &str) -> Result<Rate, String> {
    if text == "0" {
        return Ok(Rate(None));
    }
    match super::limit::limit(text) {
        Ok(limit) => Ok(Rate(Some(limit))),
        Err(reason) => Err(format!("{reason}, or 0 for no limit")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, FromArgMatches};

    fn parse(flags: &[&str]) -> UsageSettings {
        let command = UsageSettings::augment_args(Command::new("allclear").no_binary_name(true));
        UsageSettings::from_arg_matches(&command.get_matches_from(flags)).unwrap()
    }

    #[test]
    fn limits_have_defaults_and_zero_switches_each_off() {
        let settings = parse(&[]);
        assert_eq!(
            settings.stored(),
            UsageLimits {
                organisations: Some(20),
                components: Some(1000),
                groups: Some(200),
                subscribers: Some(100_000),
                open_incidents: Some(1000),
                maintenances: Some(1000),
            }
        );
        assert_eq!(
            settings.mails(),
            MailBudgetLimits {
                mailbox: Some(10),
                account: Some(100),
                organisation: Some(1000),
                installation: Some(10_000),
            }
        );
        let written = settings.write_limits();
        assert_eq!(
            (written.writes, written.text.map(NonZeroU32::get)),
            (
                Some(RateLimit {
                    burst: 600,
                    per_hour: 36_000
                }),
                Some(100_000_000)
            )
        );
        let names = [
            "organisations",
            "components",
            "groups",
            "subscribers",
            "open-incidents",
            "maintenances",
            "writes",
            "text",
            "api-key",
            "mail-mailbox",
            "mail-account",
            "mail-organisation",
            "mail-installation",
        ];
        let flags: Vec<_> = names.map(|name| format!("--limit-{name}=0")).to_vec();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let off = parse(&flags);
        assert_eq!(off.stored(), UsageLimits::default());
        assert_eq!(off.mails(), MailBudgetLimits::default());
        assert!(off.write_limits().writes.is_none() && off.write_limits().text.is_none());
        assert_eq!(settings.api_key(), settings.write_limits().writes);
        assert!(off.api_key().is_none());
    }
}
