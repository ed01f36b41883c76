//! Configuration: environment variables, or the same keys in `allclear.toml`, or flags.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use allclear_transport::client_address::TrustedProxies;
use allclear_transport::socket::SocketSettings;
use clap::{Args, ValueEnum};
use url::Url;

use self::clerk::ClerkSettings;
use self::connection::ConnectionSettings;
use self::limit::LimitSettings;
use self::mail::MailSettings;
use self::metrics::MetricsSettings;
use self::public_url::PublicUrl;
use self::redis::RedisSettings;
use self::secret_string::{SecretString, UrlWithScheme};
use self::usage::UsageSettings;

pub(crate) mod clerk;
mod connection;
mod file;
mod limit;
mod mail;
mod metrics;
mod public_url;
mod redis;
pub mod secret_string;
mod usage;

pub use self::file::{FILE, with_file};

/// How long a balancer takes to notice that a node is not ready.
const BALANCER_DELAY: Duration = Duration::from_secs(5);

/// How this installation is set up.
#[derive(Debug, Clone, Args)]
pub struct Settings {
    /// Where to listen: address and port; port 0 takes a free one
    #[arg(long, env = "ALLCLEAR_LISTEN", value_name = "ALLCLEAR_LISTEN", default_value = "127.0.0.1:8080", value_parser = listen)]
    pub listen: SocketAddr,

    /// The address people reach the product at [default: <http://localhost> and the port]
    #[arg(long, env = "ALLCLEAR_PUBLIC_URL", value_name = "ALLCLEAR_PUBLIC_URL", value_parser = PublicUrl)]
    pub public_url: Option<Url>,

    /// The folder for the SQLite file and mail files
    #[arg(
        long,
        env = "ALLCLEAR_DATA_DIR",
        value_name = "ALLCLEAR_DATA_DIR",
        default_value = "./data"
    )]
    pub data_dir: PathBuf,

    /// `postgres://…` for several nodes [default: an SQLite file in the data folder]
    #[arg(long, env = "ALLCLEAR_DATABASE_URL", value_name = "ALLCLEAR_DATABASE_URL", value_parser = UrlWithScheme(&["postgres:", "postgresql:", "sqlite:"]), hide_env_values = true)]
    pub database_url: Option<SecretString>,

    #[command(flatten)]
    pub(crate) redis: RedisSettings,

    #[command(flatten)]
    pub(crate) mail: MailSettings,

    /// How many mails to subscribers are sent at once
    #[arg(long, env = "ALLCLEAR_MAIL_CONCURRENCY", value_name = "ALLCLEAR_MAIL_CONCURRENCY", default_value = "16", value_parser = concurrency)]
    pub mail_concurrency: usize,

    /// Who may sign up
    #[arg(
        long,
        env = "ALLCLEAR_SIGN_UP",
        value_name = "ALLCLEAR_SIGN_UP",
        default_value = "open"
    )]
    pub sign_up: SignUp,

    #[command(flatten)]
    pub(crate) clerk: ClerkSettings,

    /// Other origins whose pages may call the API, by commas
    #[arg(long, env = "ALLCLEAR_ALLOWED_ORIGINS", value_name = "ALLCLEAR_ALLOWED_ORIGINS", value_delimiter = ',', value_parser = origin)]
    pub allowed_origins: Vec<String>,

    /// Proxies whose word about a client's address counts: addresses or CIDR, by commas
    #[arg(long, env = "ALLCLEAR_TRUSTED_PROXIES", value_name = "ALLCLEAR_TRUSTED_PROXIES", value_delimiter = ',', value_parser = network)]
    pub trusted_proxies: Vec<String>,

    /// Milliseconds between the pings of a socket; access is looked at as often
    #[arg(long, env = "ALLCLEAR_PING_INTERVAL", value_name = "ALLCLEAR_PING_INTERVAL", default_value = "25000", value_parser = milliseconds)]
    pub ping_interval: Duration,

    /// Milliseconds a socket's client has to answer a ping
    #[arg(long, env = "ALLCLEAR_PING_TIMEOUT", value_name = "ALLCLEAR_PING_TIMEOUT", default_value = "20000", value_parser = milliseconds)]
    pub ping_timeout: Duration,

    /// Milliseconds a client may take to send the head of a request
    #[arg(long, env = "ALLCLEAR_HEAD_TIMEOUT", value_name = "ALLCLEAR_HEAD_TIMEOUT", default_value = "10000", value_parser = milliseconds)]
    pub head_timeout: Duration,

    /// Milliseconds it may then take to send the body
    #[arg(long, env = "ALLCLEAR_BODY_TIMEOUT", value_name = "ALLCLEAR_BODY_TIMEOUT", default_value = "30000", value_parser = milliseconds)]
    pub body_timeout: Duration,

    /// Milliseconds a connection is kept for the client's next request
    #[arg(long, env = "ALLCLEAR_KEEP_ALIVE", value_name = "ALLCLEAR_KEEP_ALIVE", default_value = "75000", value_parser = milliseconds)]
    pub keep_alive: Duration,

    /// Milliseconds between a SIGTERM and the end of the listener, in which the server is not ready but answers [default: 5000
    /// with trusted proxies, 0 without]
    #[arg(long, env = "ALLCLEAR_SHUTDOWN_DELAY", value_name = "ALLCLEAR_SHUTDOWN_DELAY", value_parser = delay)]
    pub shutdown_delay: Option<Duration>,

    /// Whether browsers that came by https:// are told to come by https:// alone (HSTS)
    #[arg(
        long,
        env = "ALLCLEAR_HSTS",
        value_name = "ALLCLEAR_HSTS",
        default_value = "host"
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

    /// Where /discord leads
    #[arg(long, env = "ALLCLEAR_DISCORD_URL", value_name = "ALLCLEAR_DISCORD_URL", value_parser = web_address)]
    pub discord_url: Option<Url>,

    /// Where /sponsor leads
    #[arg(long, env = "ALLCLEAR_SPONSOR_URL", value_name = "ALLCLEAR_SPONSOR_URL", value_parser = web_address)]
    pub sponsor_url: Option<Url>,

    /// What to log: a level, or `crate=level` by commas
    #[arg(
        long,
        env = "ALLCLEAR_LOG",
        value_name = "ALLCLEAR_LOG",
        default_value = "info,actix_server=warn,sea_orm_migration=warn,sqlx=warn"
    )]
    pub log: String,

    /// How to write the log
    #[arg(
        long,
        env = "ALLCLEAR_LOG_FORMAT",
        value_name = "ALLCLEAR_LOG_FORMAT",
        default_value = "text"
    )]
    pub log_format: LogFormat,
}

/// Who may make an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SignUp {
    /// Everybody.
    Open,
    /// Who is let in from the waitlist.
    Waitlist,
    /// Who is invited.
    Closed,
}

/// What Strict-Transport-Security (RFC 6797) covers where the public address begins with `https://`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HstsScope {
    /// Nothing: the header is not sent.
    Off,
    /// The host.
    Host,
    /// The host and every subdomain of it.
    Subdomains,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines: one JSON object a line.
    Json,
}

impl Settings {
    /// The database's address.
    #[must_use]
    pub fn database(&self) -> String {
        let file = || format!("sqlite:{}", self.data_dir.join("allclear.db").display());
        self.database_url
            .as_ref()
            .map_or_else(file, |url| url.reveal().to_owned())
    }

    /// How long the server answers, without being ready, after a SIGTERM: a balancer needs some seconds to notice.
    #[must_use]
    pub fn shutdown_delay(&self) -> Duration {
        let is_behind_balancer = !self.trusted_proxies.is_empty();
        let usual = if is_behind_balancer {
            BALANCER_DELAY
        } else {
            Duration::ZERO
        };
        self.shutdown_delay.unwrap_or(usual)
    }

    /// What is set on the socket.
    #[must_use]
    pub fn socket(&self, public_url: &str) -> SocketSettings {
        let origins = self.origins(public_url);
        SocketSettings {
            ping_interval: self.ping_interval,
            ping_timeout: self.ping_timeout,
            origins,
        }
    }

    /// The origins whose pages are ours or allowed.
    pub(crate) fn origins(&self, public_url: &str) -> Vec<String> {
        let mut origins = self.allowed_origins.clone();
        origins.extend(Url::parse(public_url).map(|url| url.origin().ascii_serialization()));
        origins
    }

    /// The address people reach the product at, given the port that is listened on.
    #[must_use]
    pub fn public_url(&self, port: u16) -> String {
        let told = self
            .public_url
            .as_ref()
            .map(|url| url.as_str().trim_end_matches('/').to_owned());
        told.unwrap_or_else(|| format!("http://localhost:{port}"))
    }
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    let mut addresses = text
        .to_socket_addrs()
        .map_err(|_| "it must be address:port".to_owned())?;
    addresses
        .next()
        .ok_or_else(|| "it names no address".to_owned())
}

fn web_address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    if matches!(url.scheme(), "http" | "https") {
        Ok(url)
    } else {
        Err("it must begin with http:// or https://".to_owned())
    }
}

fn origin(text: &str) -> Result<String, String> {
    let url = web_address(text.trim())?;
    let plain = url.path() == "/" && url.query().is_none();
    if plain {
        Ok(url.origin().ascii_serialization())
    } else {
        Err("an origin has no path".to_owned())
    }
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(Duration::from_millis(number)),
        _ => Err("it must be a number of milliseconds".to_owned()),
    }
}

fn delay(text: &str) -> Result<Duration, String> {
    text.parse()
        .map(Duration::from_millis)
        .map_err(|_| "it must be a number of milliseconds".to_owned())
}

fn concurrency(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=1000) => Ok(number),
        _ => Err("it must be a number from 1 to 1000".to_owned()),
    }
}

fn network(text: &str) -> Result<String, String> {
    let text = text.trim();
    TrustedProxies::parse([text])
        .map_err(|_| "it is neither an address nor a CIDR range".to_owned())?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, FromArgMatches};

    fn parse(flags: &[&str], file: &str) -> Result<Settings, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        std::fs::write(&path, file).unwrap();
        let command = with_file(Settings::augment_args(Command::new("allclear")), &path)?;
        let matches = command
            .try_get_matches_from([&["allclear"], flags].concat())
            .map_err(|error| error.to_string())?;
        Settings::from_arg_matches(&matches).map_err(|error| error.to_string())
    }

    #[test]
    fn without_configuration_the_defaults_stand() {
        let settings = parse(&[], "").unwrap();
        assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(settings.public_url(8080), "http://localhost:8080");
        assert_eq!(settings.database(), "sqlite:./data/allclear.db");
        assert_eq!(settings.sign_up, SignUp::Open);
    }

    #[test]
    fn the_file_gives_defaults_in_either_spelling_and_flags_win() {
        let file = "ALLCLEAR_SIGN_UP = 'closed'\nallowed_origins = ['https://a.example', 'https://b.example']";
        let settings = parse(&[], file).unwrap();
        assert_eq!(settings.sign_up, SignUp::Closed);
        assert_eq!(
            settings.allowed_origins,
            ["https://a.example", "https://b.example"]
        );
        assert_eq!(
            parse(&["--sign-up", "waitlist"], file).unwrap().sign_up,
            SignUp::Waitlist
        );
    }

    #[test]
    fn a_bad_value_is_named() {
        for (flag, bad) in [
            ("--listen", "nowhere"),
            ("--public-url", "ftp://x"),
            ("--trusted-proxies", "10.0.0.0/99"),
            ("--allowed-origins", "https://a.example/path"),
            ("--limit-sign-in", "0/5"),
            ("--ping-interval", "0"),
            ("--mail-concurrency", "0"),
            ("--ping-timeout", "20s"),
            ("--public-url", "https://a.example/path"),
            ("--metrics-networks", "10.0.0.0/99"),
            ("--shutdown-delay", "5s"),
            ("--hsts", "preload"),
            ("--limit-writes", "0/5"),
            ("--limit-text", "4294967296"),
            ("--limit-components", "many"),
            ("--sign-up", "maybe"),
        ] {
            let refused = parse(&[flag, bad], "").unwrap_err();
            assert!(refused.contains(flag) && refused.contains(bad), "{refused}");
        }
        assert!(
            parse(&[], "colour = 'red'")
                .unwrap_err()
                .ends_with("there is no setting colour")
        );
        assert!(parse(&[], "sign_up = ").is_err());
    }

    #[test]
    fn shutdown_waits_behind_a_balancer_or_as_long_as_is_set() {
        let delay = |flags: &[&str]| parse(flags, "").unwrap().shutdown_delay().as_millis();
        assert_eq!(delay(&[]), 0);
        assert_eq!(delay(&["--trusted-proxies", "10.0.0.1"]), 5000);
        assert_eq!(delay(&["--shutdown-delay", "700"]), 700);
        assert_eq!(
            delay(&["--trusted-proxies", "10.0.0.1", "--shutdown-delay", "0"]),
            0
        );
    }

    #[test]
    fn short_metrics_token_is_refused_and_not_printed() {
        let settings = parse(&["--metrics-token", "hunter2"], "").unwrap();
        let refused = settings.metrics.access().unwrap_err();
        assert!(
            refused.starts_with("ALLCLEAR_METRICS_TOKEN") && !refused.contains("hunter2"),
            "{refused}"
        );
        assert!(!format!("{settings:?}").contains("hunter2"));
    }

    #[test]
    fn a_password_is_never_printed() {
        for (flag, bad) in [
            ("--database-url", "mysql://ann:hunter2@x"),
            ("--redis-url", "http://:hunter2@x"),
        ] {
            let refused = parse(&[flag, bad], "").unwrap_err();
            assert!(
                refused.contains(flag) && refused.contains("it must begin with"),
                "{refused}"
            );
            assert!(!refused.contains("hunter2"), "{refused}");
            let key = flag.trim_start_matches('-').replace('-', "_");
            let refused = parse(&[], &format!("{key} = '{bad}'")).unwrap_err();
            assert!(!refused.contains("hunter2"), "{refused}");
        }
        let file = "database_url = 'postgres://ann:hunter2@x'\nredis_url = 'redis://:hunter2@x'\n\
            smtp_url = 'smtps://ann:hunter2@x'\nclerk_secret_key = 'hunter2'\nclerk_webhook_secret = 'hunter2'";
        let help = parse(&["--help"], file).unwrap_err();
        assert!(
            help.contains("ALLCLEAR_REDIS_URL") && !help.contains("hunter2"),
            "{help}"
        );
        let database = parse(&[], "database_url = 'postgres://ann:hunter2@x'").unwrap();
        assert_eq!(database.database(), "postgres://ann:hunter2@x");
        assert!(!format!("{database:?}").contains("hunter2"));
    }

    #[test]
    fn the_guide_has_every_setting() {
        let guide = include_str!("../../../docs/configuration.md");
        for setting in Settings::augment_args(Command::new("allclear")).get_arguments() {
            let Some(name) = setting.get_env().and_then(std::ffi::OsStr::to_str) else {
                continue;
            };
            assert!(guide.contains(&format!("`{name}`")), "{name}");
        }
    }
}
