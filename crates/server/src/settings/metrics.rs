//! Who may read the figures for Prometheus.

use allclear_transport::metrics_access::MetricsAccess;
use clap::Args;

use super::secret_string::SecretString;

/// Shortest token taken, in characters.
const SHORTEST_TOKEN: usize = 16;

/// Networks and a token that may read `/metrics`, beside the machine itself.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct MetricsSettings {
    /// Networks whose clients may read /metrics for Prometheus: addresses or CIDR, by commas [default: this machine alone]
    #[arg(long, env = "ALLCLEAR_METRICS_NETWORKS", value_name = "ALLCLEAR_METRICS_NETWORKS", value_delimiter = ',', value_parser = super::network)]
    metrics_networks: Vec<String>,

    /// A token that lets its bearer read /metrics from anywhere
    #[arg(
        long,
        env = "ALLCLEAR_METRICS_TOKEN",
        value_name = "ALLCLEAR_METRICS_TOKEN",
        hide_env_values = true
    )]
    metrics_token: Option<SecretString>,
}

impl MetricsSettings {
    /// Who may read the figures.
    ///
    /// # Errors
    /// One line that says what is wrong, without the token.
    pub(crate) fn access(&self) -> Result<MetricsAccess, String> {
        let token = self.metrics_token.as_ref().map(SecretString::reveal);
        let token = token.filter(|token| !token.is_empty());
        if token.is_some_and(|token| token.chars().count() < SHORTEST_TOKEN) {
            return Err(format!(
                "ALLCLEAR_METRICS_TOKEN is too short: it needs at least {SHORTEST_TOKEN} characters"
            ));
        }
        MetricsAccess::new(self.metrics_networks.iter().map(String::as_str), token)
    }
}
