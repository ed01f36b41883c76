//! The command line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use allclear_persistence::backup::BackupError;
use allclear_persistence::{backup, database_url, integrity_check, restore};
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use tracing::Level;

use crate::app::App;
use crate::domain::{self, DomainAction};
use crate::output::{print_error, print_if_possible, print_line, with_causes};
use crate::settings::{self, LogFormat, Settings};
use crate::signals::{EndSignals, survive_file_size_limit};
use crate::user::{self, UserAction};
use crate::{connect, demo, file_permissions, identity, log, rlimit, test_mail};

/// Incidents, maintenance and the public status page, in one binary.
#[derive(Debug, Parser)]
#[command(
    name = "allclear",
    version,
    after_help = "Every setting can be a flag, an environment variable, or a key of allclear.toml."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Action>,
    #[command(flatten)]
    settings: Settings,
}

#[derive(Debug, Clone, Subcommand)]
enum Action {
    /// Start the server; the default
    Serve,
    /// Start a server with example data in a temporary folder
    Demo,
    /// Print the OpenAPI document
    Openapi,
    /// Check whether the server on this machine is ready
    Healthcheck,
    /// Copy the SQLite database to a new file; the server may be running
    Backup {
        /// Path of the copy; must not exist yet
        file: PathBuf,
    },
    /// Check the whole SQLite database for damage
    Check,
    /// Invite a person to sign up, in every sign-up mode
    Invite {
        /// Mail address of the person
        address: String,
    },
    /// Send a test mail by the configured mail server, which shows whether its settings are right
    TestMail {
        /// Mail address that receives it
        address: String,
    },
    /// Replace the key that signs tokens; the server may be running
    RotateKeys,
    /// List people, make a person an admin, remove the second factors of a person who has lost
    /// them, or delete an account
    // Without a command, the error names the commands; the help would list all settings.
    #[command(arg_required_else_help = false)]
    User {
        #[command(subcommand)]
        action: UserAction,
    },
    /// Release a domain that its organisation no longer controls
    // As for `user`.
    #[command(arg_required_else_help = false)]
    Domain {
        #[command(subcommand)]
        action: DomainAction,
    },
    /// Raise all revisions after a restore with the database's own tools, such as `pg_restore`
    AfterRestore,
}

/// What a command needs before it runs.
#[derive(Debug, Clone, Copy)]
struct Needs {
    /// Settings without a mistake.
    checked_settings: bool,
    /// The log.
    log: bool,
    /// As many open files as possible.
    many_files: bool,
}

impl Action {
    const fn needs(&self) -> Needs {
        let (checked_settings, log, many_files) = match self {
            Self::Serve => (true, true, true),
            Self::Demo => (false, true, true),
            Self::Invite { .. }
            | Self::TestMail { .. }
            | Self::RotateKeys
            | Self::User { .. }
            | Self::Domain { .. } => (true, true, false),
            Self::AfterRestore => (false, true, false),
            Self::Openapi | Self::Healthcheck | Self::Backup { .. } | Self::Check => {
                (false, false, false)
            }
        };
        Needs {
            checked_settings,
            log,
            many_files,
        }
    }
}

/// Runs the command. The exit code is 0 after success, 1 after a failure and 2 for wrong arguments.
#[must_use]
pub fn main() -> ExitCode {
    file_permissions::restrict_umask();
    // TLS clients need a default cryptography provider. A second call has no effect.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let action = arguments.command.unwrap_or(Action::Serve);
    let needs = action.needs();
    if needs.checked_settings
        && let Err(message) = arguments.settings.check()
    {
        return wrong_setting(&message);
    }
    if needs.log {
        log::start(&arguments.settings);
    }
    if needs.many_files {
        rlimit::raise();
    }
    // A filter may hide errors. Then this one is printed.
    let is_logged_as_json = matches!(action, Action::Serve)
        && arguments.settings.log_format == LogFormat::Json
        && tracing::enabled!(Level::ERROR);
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error.to_string()),
    };
    let outcome = runtime.block_on(async {
        survive_file_size_limit()?;
        match action {
            Action::Serve => serve(&arguments.settings).await,
            Action::Demo => demo::serve(arguments.settings).await,
            Action::Openapi => openapi(),
            Action::Healthcheck => healthcheck(&arguments.settings).await,
            Action::Backup { file } => copy(&arguments.settings, &file).await,
            Action::Check => check(&arguments.settings).await,
            Action::Invite { address } => invite(&arguments.settings, address).await,
            Action::TestMail { address } => test_mail(&arguments.settings, address).await,
            Action::RotateKeys => rotate_keys(&arguments.settings).await,
            Action::User { action } => user::run(&arguments.settings, action).await,
            Action::Domain { action } => domain::run(&arguments.settings, action).await,
            Action::AfterRestore => after_restore(&arguments.settings).await,
        }
    });
    // A look-up of a name may still run, and take as long as the resolver.
    runtime.shutdown_timeout(Duration::from_secs(1));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) if is_logged_as_json => {
            tracing::error!("{message}");
            ExitCode::FAILURE
        }
        Err(message) => fail(&message),
    }
}

fn fail(message: &str) -> ExitCode {
    print_error(&format!("allclear: {message}"));
    ExitCode::FAILURE
}

fn wrong_setting(message: &str) -> ExitCode {
    print_error(&format!("allclear: {message}"));
    ExitCode::from(2)
}

/// The commands and settings. A setting may precede or follow the command's name.
fn command_line() -> Command {
    settings::with_value_names(Arguments::command()).mut_args(|setting| setting.global(true))
}

/// Parses flags, environment and `allclear.toml`. Prints one line for a bad value.
fn arguments() -> Result<Arguments, ExitCode> {
    let command = settings::with_file(command_line(), Path::new(settings::FILE))
        .map_err(|error| wrong_setting(&error))?;
    let parsed = command
        .try_get_matches()
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    parsed.map_err(|error| {
        if error.use_stderr() {
            wrong_setting(&in_one_line(&error.to_string()))
        } else {
            // --help and --version: a closed pipe is no error.
            let _ = error.print();
            ExitCode::SUCCESS
        }
    })
}

/// What an error of clap says before the usage, such as the missing arguments or the
/// possible values.
fn in_one_line(error: &str) -> String {
    let lines = error
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty());
    let mut text = String::new();
    for line in lines {
        let separator = match (text.is_empty(), line.starts_with("tip:")) {
            (true, _) => "",
            (false, true) => "; ",
            (false, false) => " ",
        };
        text.push_str(separator);
        text.push_str(line);
    }
    text.trim_start_matches("error: ").to_owned()
}

async fn serve(settings: &Settings) -> Result<(), String> {
    let mut signals = EndSignals::receive()?;
    warn_of_unknown_variables();
    if settings.trusts_everybody() {
        tracing::warn!(
            "ALLCLEAR_TRUSTED_PROXIES contains every address: any client can choose the address that limits and the log use"
        );
    }
    if settings.opens_listed_targets() {
        tracing::warn!(
            "ALLCLEAR_WEBHOOK_ALLOW and open sign-up: anybody can create an organisation and send requests to the listed targets; set ALLCLEAR_SIGN_UP"
        );
    }
    let app = tokio::select! {
        app = App::start(settings) => app?,
        // A migration that is not complete changes nothing.
        _ = signals.next() => {
            tracing::info!("stopped before the start was complete");
            return Ok(());
        }
    };
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        address = %app.address(),
        public_url = app.public_url(),
        database = if settings.is_on_sqlite() { "SQLite" } else { "PostgreSQL" },
        "started"
    );
    if settings.log_format == LogFormat::Text {
        print_if_possible(&welcome(&app, settings));
    }
    app.serve_until(signals, settings.shutdown_delay()).await
}

/// Logs the names of variables that look like settings and are not: they are probably mistyped.
/// Values may be secret.
fn warn_of_unknown_variables() {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let unknown = settings::unknown_variables(&Arguments::command(), names);
    if !unknown.is_empty() {
        tracing::warn!(
            variables = unknown.join(", "),
            "environment variables that are no settings are ignored"
        );
    }
}

/// Text that is printed after the start.
fn welcome(app: &App, settings: &Settings) -> String {
    let first = if app.is_with_clerk() {
        "Sign in with Clerk to manage components, incidents and maintenance."
    } else if app.identity.is_first {
        "Create an account: the first one administers this installation."
    } else {
        "Sign in to manage components, incidents and maintenance."
    };
    format!(
        "\n  Allclear {} is running.\n\n  Open      {}\n            {first}\n  Listens   {}\n  Data      {}\n  Mail      {}\n  Stop      Ctrl+C\n",
        env!("CARGO_PKG_VERSION"),
        app.public_url(),
        app.address(),
        data(settings),
        mail(settings),
    )
}

fn data(settings: &Settings) -> String {
    if settings.is_on_sqlite() {
        settings.database().trim_start_matches("sqlite:").to_owned()
    } else {
        "PostgreSQL".to_owned()
    }
}

fn mail(settings: &Settings) -> String {
    if settings.mail.is_sent() {
        return "sent by the server of ALLCLEAR_SMTP_URL".to_owned();
    }
    settings.data_dir.join("mail").display().to_string()
}

fn openapi() -> Result<(), String> {
    print_line(allclear_transport::openapi::json().map_err(|error| error.to_string())?)
}

async fn healthcheck(settings: &Settings) -> Result<(), String> {
    let client = reqwest::Client::builder()
        .timeout(Duration::from_secs(5))
        .no_proxy()
        .build();
    let client = client.map_err(|error| error.to_string())?;
    let url = format!("http://{}/readyz", settings.listen);
    let response = client
        .get(&url)
        .send()
        .await
        .map_err(|error| format!("{url}: {}", with_causes(&error.without_url())))?;
    let status = response.status();
    if status.is_success() {
        Ok(())
    } else {
        let reason = response.text().await.unwrap_or_default();
        Err(format!("{url} returns {status}: {}", reason.trim_end()))
    }
}

async fn copy(settings: &Settings, file: &Path) -> Result<(), String> {
    match backup::backup(&settings.database(), file).await {
        Ok(()) => Ok(()),
        Err(BackupError::Open(error)) => {
            Err(connect::not_opened(&settings.database(), &error.to_string()).await)
        }
        Err(error) => Err(format!("{}: {error}", file.display())),
    }
}

async fn check(settings: &Settings) -> Result<(), String> {
    let faults = integrity_check::check(&settings.database())
        .await
        .map_err(|error| {
            format!(
                "the database cannot be checked: {}: {}",
                database_url::place_of(&settings.database()),
                with_causes(&error)
            )
        })?;
    for fault in &faults {
        print_line(fault)?;
    }
    if faults.is_empty() {
        print_line("ok")
    } else {
        Err("the database is damaged: restore a backup".to_owned())
    }
}

async fn invite(settings: &Settings, address: String) -> Result<(), String> {
    let stored = identity::command::invite(settings, address).await?;
    print_line(stored.link)?;
    stored.mailed.map_err(|error| {
        format!("the person is invited, but the mail could not be sent: {error}. Send the person the printed link")
    })
}

async fn test_mail(settings: &Settings, address: String) -> Result<(), String> {
    test_mail::send(settings, address.clone()).await?;
    print_line(format_args!(
        "The mail server accepted the mail to {address}. If it does not arrive, look in the spam folder and in the mail server's log."
    ))
}

async fn rotate_keys(settings: &Settings) -> Result<(), String> {
    let key = identity::command::rotate_keys(settings).await?;
    print_line(format_args!(
        "{key} signs tokens now. Running nodes use it within ten seconds. Tokens of the previous key stay valid for six minutes."
    ))
}

async fn after_restore(settings: &Settings) -> Result<(), String> {
    connect::require_database(settings)?;
    // The database is opened so that its schema is up to date.
    let raised = connect::with_database(settings, async |_, _| {
        let raised = restore::raise_revisions(&settings.database()).await;
        raised.map_err(|error| with_causes(&error))
    })
    .await?;
    print_line(format_args!(
        "Raised the revisions of {raised} organisations. You can start the nodes now."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line about wrong arguments.
    fn refused(arguments: &[&str]) -> String {
        let command = command_line().mut_args(|setting| setting.env(None::<&'static str>));
        let parsed = command.try_get_matches_from([&["allclear"], arguments].concat());
        in_one_line(&parsed.unwrap_err().to_string())
    }

    #[test]
    fn error_about_arguments_is_one_line_with_all_it_needs() {
        for (arguments, expected) in [
            (
                &["backup"][..],
                "the following required arguments were not provided: <FILE>",
            ),
            (
                &["user", "make-admin"],
                "the following required arguments were not provided: <ADDRESS> <ORGANISATION>",
            ),
            (
                &["--sign-up", "maybe"],
                "invalid value 'maybe' for '--sign-up <ALLCLEAR_SIGN_UP>' [possible values: open, waitlist, closed]",
            ),
            (
                &["user"],
                "'allclear user' requires a subcommand but one was not provided [subcommands: list, reset-factors, make-admin, delete, help]",
            ),
            (
                &["domain"],
                "'allclear domain' requires a subcommand but one was not provided [subcommands: release, help]",
            ),
            (
                &["domain", "release", "acme"],
                "invalid value 'acme' for '<NAME>': Invalid domain name",
            ),
            (
                &["--sing-up", "open"],
                "unexpected argument '--sing-up' found; tip: a similar argument exists: '--sign-up'",
            ),
        ] {
            assert_eq!(refused(arguments), expected);
        }
    }
}
