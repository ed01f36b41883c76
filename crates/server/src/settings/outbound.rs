//! Requests to addresses that people enter.

use allclear_outbound::client::OutboundSettings;
use allclear_outbound::target::AllowedTargets;
use clap::{ArgAction, Args};

/// Which addresses that people enter may be connected to.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Addresses")]
pub(crate) struct WebhookSettings {
    /// Targets outside the public internet that the operators of all organisations may enter:
    /// addresses, CIDR ranges or host names, separated by commas; visitors may enter those that are
    /// not ranges
    #[arg(long, env = "ALLCLEAR_WEBHOOK_ALLOW", value_delimiter = ',', value_parser = target)]
    webhook_allow: Vec<String>,

    /// Whether webhooks may be reached by http, without encryption
    #[arg(
        long,
        env = "ALLCLEAR_WEBHOOK_HTTP",
        default_value = "false",
        action = ArgAction::Set
    )]
    webhook_http: bool,
}

impl WebhookSettings {
    /// Whether targets outside the public internet are listed.
    pub(crate) const fn has_listed_targets(&self) -> bool {
        !self.webhook_allow.is_empty()
    }

    /// What requests to entered addresses may reach.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub(crate) fn outbound(&self) -> Result<OutboundSettings, String> {
        let listed = self.webhook_allow.iter().map(String::as_str);
        let allowed = AllowedTargets::parse(listed)
            .map_err(|wrong| format!("ALLCLEAR_WEBHOOK_ALLOW: '{wrong}' is not a target"))?;
        Ok(OutboundSettings {
            allowed,
            allow_http: self.webhook_http,
        })
    }
}

fn target(text: &str) -> Result<String, String> {
    AllowedTargets::parse([text])
        .map_err(|_| "it is neither an address nor a CIDR range nor a host name".to_owned())?;
    Ok(text.trim().to_owned())
}
