//! Configuration: environment variables, or the same keys in `allclear.toml`, or flags.

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use allclear_domain::account::SignUpMode;
use allclear_identity::clerk::jwks::Keys;
use allclear_transport::configuration::{Configuration, IdentityProvider};
use allclear_transport::server::headers::Hsts;
use allclear_transport::server::timeouts::Timeouts;
use allclear_transport::socket::SocketSettings;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Command, FromArgMatches, ValueEnum};
use strum::VariantNames;
use url::Url;

use crate::log;

use self::clerk::{Clerk, ClerkSettings};
use self::connection::ConnectionSettings;
use self::custom_domain::DomainSettings;
use self::limit::LimitSettings;
use self::mail::MailSettings;
use self::metrics::MetricsSettings;
use self::openid::OpenIdSettings;
use self::outbound::WebhookSettings;
use self::parse::{
    audit_days, concurrency, delay, listen, milliseconds, network, origin, web_address,
};
use self::public_url::PublicUrl;
use self::redis::RedisSettings;
use self::secret_string::{SecretString, UrlWithScheme};
use self::usage::UsageSettings;

pub(crate) mod clerk;
mod connection;
mod custom_domain;
mod file;
mod limit;
mod mail;
mod metrics;
pub(crate) mod openid;
mod outbound;
mod parse;
mod public_url;
mod redis;
pub mod secret_string;
mod usage;

pub(crate) use self::file::{FILE, with_file};

/// Time in which a load balancer notices that a node is not ready.
const BALANCER_DELAY: Duration = Duration::from_secs(5);

/// Settings of an installation.
#[derive(Debug, Clone, Args)]
pub struct Settings {
    /// Public address of the installation [default: `http://localhost` and the port]
    #[arg(long, env = "ALLCLEAR_PUBLIC_URL", value_parser = PublicUrl, help_heading = "Essentials")]
    pub public_url: Option<Url>,

    /// Address and port to listen on; port 0 chooses a free port
    #[arg(
        long,
        env = "ALLCLEAR_LISTEN",
        default_value = "127.0.0.1:8080",
        value_parser = listen,
        help_heading = "Addresses"
    )]
    pub listen: SocketAddr,

    /// Folder for the SQLite file and mail files
    #[arg(
        long,
        env = "ALLCLEAR_DATA_DIR",
        default_value = "./data",
        help_heading = "Data"
    )]
    pub data_dir: PathBuf,

    /// `postgres://…`, needed for several nodes [default: an SQLite file in the data folder]
    #[arg(
        long,
        env = "ALLCLEAR_DATABASE_URL",
        value_parser = UrlWithScheme(&["postgres:", "postgresql:", "sqlite:"]),
        hide_env_values = true,
        help_heading = "Data"
    )]
    pub database_url: Option<SecretString>,

    #[command(flatten)]
    pub(crate) domain: DomainSettings,

    #[command(flatten)]
    pub(crate) webhook: WebhookSettings,

    #[command(flatten)]
    pub(crate) redis: RedisSettings,

    #[command(flatten)]
    pub(crate) mail: MailSettings,

    /// Mails to subscribers that are sent at the same time, 1 to 1000
    #[arg(
        long,
        env = "ALLCLEAR_MAIL_CONCURRENCY",
        default_value = "16",
        value_parser = concurrency,
        help_heading = "Mail"
    )]
    pub mail_concurrency: usize,

    /// Sign-up for everybody, for invited people with a waitlist for others, or for invited
    /// people only
    #[arg(
        long,
        env = "ALLCLEAR_SIGN_UP",
        default_value = "open",
        value_parser = PossibleValuesParser::new(SignUpMode::VARIANTS).try_map(|mode| mode.parse::<SignUpMode>()),
        help_heading = "Essentials"
    )]
    pub sign_up: SignUpMode,

    #[command(flatten)]
    pub(crate) openid: OpenIdSettings,

    #[command(flatten)]
    pub(crate) clerk: ClerkSettings,

    /// Days for which the audit log keeps items, 1 to 3650
    #[arg(
        long,
        env = "ALLCLEAR_AUDIT_DAYS",
        default_value = "365",
        value_parser = audit_days,
        help_heading = "Data"
    )]
    pub audit_days: u16,

    /// Other origins whose pages may call the API, separated by commas
    #[arg(
        long,
        env = "ALLCLEAR_ALLOWED_ORIGINS",
        value_delimiter = ',',
        value_parser = origin,
        help_heading = "Addresses"
    )]
    pub allowed_origins: Vec<String>,

    /// Proxies whose X-Forwarded-For is trusted: addresses or CIDR ranges, separated by commas
    #[arg(
        long,
        env = "ALLCLEAR_TRUSTED_PROXIES",
        value_delimiter = ',',
        value_parser = network,
        help_heading = "Essentials"
    )]
    pub trusted_proxies: Vec<String>,

    /// Milliseconds between pings of a socket; its access is checked as often
    #[arg(
        long,
        env = "ALLCLEAR_PING_INTERVAL",
        default_value = "25000",
        value_parser = milliseconds,
        help_heading = "Realtime"
    )]
    pub ping_interval: Duration,

    /// Milliseconds in which a socket's client must respond to a ping
    #[arg(
        long,
        env = "ALLCLEAR_PING_TIMEOUT",
        default_value = "20000",
        value_parser = milliseconds,
        help_heading = "Realtime"
    )]
    pub ping_timeout: Duration,

    /// Milliseconds in which a client must send the head of a connection's first request
    #[arg(
        long,
        env = "ALLCLEAR_HEAD_TIMEOUT",
        default_value = "10000",
        value_parser = milliseconds,
        help_heading = "Limits"
    )]
    pub head_timeout: Duration,

    /// Milliseconds in which a client must send the body of a request
    #[arg(
        long,
        env = "ALLCLEAR_BODY_TIMEOUT",
        default_value = "30000",
        value_parser = milliseconds,
        help_heading = "Limits"
    )]
    pub body_timeout: Duration,

    /// Milliseconds for which an idle connection is kept for the client's next request
    #[arg(
        long,
        env = "ALLCLEAR_KEEP_ALIVE",
        default_value = "75000",
        value_parser = milliseconds,
        help_heading = "Limits"
    )]
    pub keep_alive: Duration,

    /// Milliseconds for which the server still serves after a SIGTERM, although it is not ready, at
    /// most 3600000 [default: 5000 with trusted proxies, 0 without]
    #[arg(long, env = "ALLCLEAR_SHUTDOWN_DELAY", value_parser = delay, help_heading = "Shutdown")]
    pub shutdown_delay: Option<Duration>,

    /// Scope of the Strict-Transport-Security header (HSTS), sent if the public address begins
    /// with https://
    #[arg(
        long,
        env = "ALLCLEAR_HSTS",
        default_value = "host",
        help_heading = "Addresses"
    )]
    pub hsts: HstsScope,

    #[command(flatten)]
    pub(crate) metrics: MetricsSettings,

    #[command(flatten)]
    pub(crate) limits: LimitSettings,

    #[command(flatten)]
    pub(crate) usage: UsageSettings,

    #[command(flatten)]
    pub(crate) connections: ConnectionSettings,

    /// Address that /discord redirects to
    #[arg(long, env = "ALLCLEAR_DISCORD_URL", value_parser = web_address, help_heading = "Links")]
    pub discord_url: Option<Url>,

    /// Address that /sponsor redirects to
    #[arg(long, env = "ALLCLEAR_SPONSOR_URL", value_parser = web_address, help_heading = "Links")]
    pub sponsor_url: Option<Url>,

    /// Log level, or `crate=level` separated by commas
    #[arg(
        long,
        env = "ALLCLEAR_LOG",
        default_value = "info,actix_server=warn,sea_orm_migration=warn,sqlx=warn",
        value_parser = log::filter,
        help_heading = "Log and metrics"
    )]
    pub log: String,

    /// Format of the log
    #[arg(
        long,
        env = "ALLCLEAR_LOG_FORMAT",
        default_value = "text",
        help_heading = "Log and metrics"
    )]
    pub log_format: LogFormat,
}

/// Scope of Strict-Transport-Security (RFC 6797).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HstsScope {
    /// The header is not sent
    Off,
    /// The host
    Host,
    /// The host and its subdomains
    Subdomains,
}

/// Format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// For machines: one JSON object a line
    Json,
}

impl Settings {
    /// The default of every setting. Neither the environment nor a file is read.
    ///
    /// # Errors
    /// If a default is invalid.
    pub(crate) fn defaults() -> Result<Self, String> {
        let command = Self::augment_args(Command::new("allclear"));
        // `None` makes an argument ignore its variable.
        let command = command.mut_args(|setting| setting.env(None::<&'static str>));
        let matches = command.try_get_matches_from(["allclear"]);
        let settings = matches.and_then(|matches| Self::from_arg_matches(&matches));
        let mut settings = settings.map_err(|error| error.to_string())?;
        // Its values come from variables that no argument names.
        settings.openid = OpenIdSettings::default();
        Ok(settings)
    }

    /// Address of the database.
    #[must_use]
    pub fn database(&self) -> String {
        let file = || format!("sqlite:{}", self.data_dir.join("allclear.db").display());
        self.database_url
            .as_ref()
            .map_or_else(file, |url| url.reveal().to_owned())
    }

    /// Whether the database is SQLite.
    pub(crate) fn is_on_sqlite(&self) -> bool {
        self.database().starts_with("sqlite:")
    }

    /// Whether the database or mails are files in the data folder.
    pub(crate) fn uses_data_folder(&self) -> bool {
        self.is_on_sqlite() || !self.mail.is_sent()
    }

    /// Whether a range of trusted proxies contains every address.
    pub(crate) fn trusts_everybody(&self) -> bool {
        let mut proxies = self.trusted_proxies.iter();
        proxies.any(|range| range.ends_with("/0"))
    }

    /// Whether anybody can sign up with a password, create an organisation, and enter a target that
    /// is not public.
    pub(crate) fn opens_listed_targets(&self) -> bool {
        let is_open = self.sign_up == SignUpMode::Open && self.openid.passwords();
        let is_built_in = matches!(self.clerk.application(), Ok(None));
        self.webhook.has_listed_targets() && is_open && is_built_in
    }

    /// Checks the settings whose values are not checked while they are parsed, because an error
    /// would repeat a secret.
    ///
    /// # Errors
    /// One line that says what is wrong, without secrets.
    pub(crate) fn check(&self) -> Result<(), String> {
        let clerk = self.clerk.application()?;
        if let Some(pem) = clerk.as_ref().and_then(|clerk| clerk.jwt_key.as_ref()) {
            Keys::configured(pem).map_err(clerk::wrong("ALLCLEAR_CLERK_JWT_KEY"))?;
        }
        self.openid.providers(clerk.is_some())?;
        self.mail.server()?;
        self.redis.authorities()?;
        self.metrics.access()?;
        self.webhook.outbound()?;
        Ok(())
    }

    /// Time for which the server still serves after a SIGTERM, so that a load balancer notices that
    /// it is not ready.
    pub(crate) fn shutdown_delay(&self) -> Duration {
        let is_behind_balancer = !self.trusted_proxies.is_empty();
        let usual = if is_behind_balancer {
            BALANCER_DELAY
        } else {
            Duration::ZERO
        };
        self.shutdown_delay.unwrap_or(usual)
    }

    /// Timeouts of a client's connection.
    pub(crate) const fn timeouts(&self) -> Timeouts {
        Timeouts {
            head: self.head_timeout,
            body: self.body_timeout,
            keep_alive: self.keep_alive,
        }
    }

    /// Settings of the socket.
    #[must_use]
    pub fn socket(&self, public_url: &str) -> SocketSettings {
        let origins = self.origins(public_url);
        SocketSettings {
            ping_interval: self.ping_interval,
            ping_timeout: self.ping_timeout,
            origins,
        }
    }

    /// This installation's own origin and the allowed ones.
    pub(crate) fn origins(&self, public_url: &str) -> Vec<String> {
        let mut origins = self.allowed_origins.clone();
        origins.extend(Url::parse(public_url).map(|url| url.origin().ascii_serialization()));
        origins
    }

    /// Public address, given the port that the server listens on.
    #[must_use]
    pub fn public_url(&self, port: u16) -> String {
        let configured = self
            .public_url
            .as_ref()
            .map(|url| url.as_str().trim_end_matches('/').to_owned());
        configured.unwrap_or_else(|| format!("http://localhost:{port}"))
    }

    /// The Strict-Transport-Security header; off if the public address is not HTTPS.
    pub(crate) fn hsts(&self, public_url: &str) -> Hsts {
        match self.hsts {
            _ if !public_url.starts_with("https:") => Hsts::Off,
            HstsScope::Off => Hsts::Off,
            HstsScope::Host => Hsts::Host,
            HstsScope::Subdomains => Hsts::Subdomains,
        }
    }

    /// The settings that the web app may read.
    pub(crate) fn configuration(&self, clerk: Option<&Clerk>, passkeys: bool) -> Configuration {
        let text = |url: &Option<Url>| url.as_ref().map(ToString::to_string);
        Configuration {
            identity_provider: if clerk.is_some() {
                IdentityProvider::Clerk
            } else {
                IdentityProvider::BuiltIn
            },
            clerk_publishable_key: clerk.map(|clerk| clerk.publishable_key.as_str().to_owned()),
            sign_up: self.sign_up,
            mail_server: self.mail.is_sent(),
            passwords: self.openid.passwords(),
            passkeys: passkeys && clerk.is_none(),
            sign_in_providers: self.openid.buttons(),
            discord_url: text(&self.discord_url),
            sponsor_url: text(&self.sponsor_url),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// Gives the value of each setting the name of its variable, which the help and errors show.
pub(crate) fn with_value_names(command: Command) -> Command {
    command.mut_args(|setting| {
        let variable = setting.get_env().and_then(OsStr::to_str);
        match variable.map(str::to_owned) {
            Some(variable) => setting.value_name(variable),
            None => setting,
        }
    })
}

/// The names that begin like a setting of the environment and are none, in order. The settings of
/// OpenID Connect providers are [checked](OpenIdSettings::providers) elsewhere.
pub(crate) fn unknown_variables(
    command: &Command,
    names: impl Iterator<Item = String>,
) -> Vec<String> {
    // Variables of the tests, and those that Kubernetes sets for a service with the
    // name `allclear`.
    let is_of_others = |name: &str| {
        ["TEST_", "SERVICE_HOST", "SERVICE_PORT", "PORT"]
            .iter()
            .any(|start| name.starts_with(start))
    };
    let is_setting = |name: &str| {
        let mut settings = command.get_arguments().filter_map(clap::Arg::get_env);
        name.starts_with(openid::PREFIX) || settings.any(|known| known == name)
    };
    let is_unknown = |name: &String| {
        let end = name.strip_prefix("ALLCLEAR_");
        end.is_some_and(|end| !is_of_others(end)) && !is_setting(name)
    };
    let mut unknown: Vec<_> = names.filter(is_unknown).collect();
    unknown.sort_unstable();
    unknown
}

#[cfg(test)]
mod tests;
