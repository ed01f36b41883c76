//! Access to `/metrics`.

use allclear_transport::health::metrics_access::MetricsAccess;
use clap::Args;

use super::secret_string::SecretString;

/// Shortest token taken, in characters.
const MIN_TOKEN_LENGTH: usize = 16;

/// Clients outside this machine that may read `/metrics`.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Log and metrics")]
pub(crate) struct MetricsSettings {
    /// Networks whose clients may read /metrics: addresses or CIDR ranges, separated by commas
    /// [default: this machine only]
    #[arg(long, env = "ALLCLEAR_METRICS_NETWORKS", value_delimiter = ',', value_parser = super::parse::network)]
    metrics_networks: Vec<String>,

    /// Bearer token of at least 16 characters, with which a client of any network may read /metrics
    /// [default: none]
    #[arg(long, env = "ALLCLEAR_METRICS_TOKEN", hide_env_values = true)]
    metrics_token: Option<SecretString>,
}

impl MetricsSettings {
    /// Clients that may read `/metrics`.
    ///
    /// # Errors
    /// One line that says what is wrong, without the token.
    pub(crate) fn access(&self) -> Result<MetricsAccess, String> {
        let token = self.metrics_token.as_ref().map(SecretString::reveal);
        let token = token.filter(|token| !token.is_empty());
        if token.is_some_and(|token| token.chars().count() < MIN_TOKEN_LENGTH) {
            return Err(format!(
                "ALLCLEAR_METRICS_TOKEN is too short: it needs at least {MIN_TOKEN_LENGTH} characters"
            ));
        }
        MetricsAccess::new(self.metrics_networks.iter().map(String::as_str), token)
    }
}
