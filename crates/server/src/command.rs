//! The command line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use allclear_application::clock::Clock;
use allclear_persistence::{backup, check};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::app::{App, connect, one_line};
use crate::clock::SystemClock;
use crate::settings::{self, Settings};
use crate::signals::{EndSignals, survive_file_size_limit};
use crate::{demo, identity, log, private, rlimit};

/// Incidents, maintenance and the public status page, in one binary.
#[derive(Debug, Parser)]
#[command(
    name = "allclear",
    version,
    after_help = "Every setting is a flag, an environment variable, or a key of allclear.toml."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Action>,
    #[command(flatten)]
    settings: Settings,
}

#[derive(Debug, Clone, Subcommand)]
enum Action {
    /// Serve; the default
    Serve,
    /// Serve a filled organisation from a throwaway folder
    Demo,
    /// Print the OpenAPI document
    Openapi,
    /// Ask the server on this machine whether it is ready
    Healthcheck,
    /// Copy the SQLite database to a new file, beside a running server
    Backup {
        /// The file, which must not exist yet
        file: PathBuf,
    },
    /// Read the whole SQLite database and report what is damaged
    Check,
    /// Let one person in, whatever the mode of sign-up
    Invite {
        /// The mail address
        address: String,
    },
    /// Replace the key that signs tokens, beside a running server
    RotateKeys,
    /// Make revisions jump after a restore by the database's own tools, such as `pg_restore`
    AfterRestore,
}

/// Runs the command; the exit code is 0 when it did what was asked, 2 when it was asked wrongly.
#[must_use]
pub fn main() -> ExitCode {
    private::restrict_umask();
    // Clients want to know whose cryptography to use before they speak to anybody. A second call changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let action = arguments.command.unwrap_or(Action::Serve);
    if matches!(
        action,
        Action::Serve
            | Action::Demo
            | Action::Invite { .. }
            | Action::RotateKeys
            | Action::AfterRestore
    ) {
        log::start(&arguments.settings);
    }
    if matches!(action, Action::Serve | Action::Demo) {
        rlimit::raise();
    }
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
            Action::RotateKeys => rotate_keys(&arguments.settings).await,
            Action::AfterRestore => after_restore(&arguments.settings).await,
        }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => fail(&message),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("allclear: {message}");
    ExitCode::FAILURE
}

/// A bad value stops the start with one clear line.
fn arguments() -> Result<Arguments, ExitCode> {
    let wrong = |message: &str| {
        eprintln!("allclear: {message}");
        ExitCode::from(2)
    };
    // A setting may stand before or after the command's name.
    let command = Arguments::command().mut_args(|setting| setting.global(true));
    let command =
        settings::with_file(command, Path::new(settings::FILE)).map_err(|error| wrong(&error))?;
    let parsed = command
        .try_get_matches()
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    parsed.map_err(|error| {
        if error.use_stderr() {
            let text = error.to_string();
            wrong(
                text.lines()
                    .next()
                    .unwrap_or_default()
                    .trim_start_matches("error: "),
            )
        } else {
            // --help and --version; whoever reads them may stop early.
            let _ = error.print();
            ExitCode::SUCCESS
        }
    })
}

async fn serve(settings: &Settings) -> Result<(), String> {
    let signals = EndSignals::receive()?;
    let app = App::start(settings).await?;
    print!("{}", welcome(&app, settings));
    app.serve_until(signals, settings.shutdown_delay()).await
}

/// What a newcomer needs to know, in one screen.
fn welcome(app: &App, settings: &Settings) -> String {
    let first = if app.is_with_clerk() {
        "Sign in with Clerk to manage components, incidents and maintenance."
    } else if app.identity.is_first {
        "Create an account: the first one administers this installation."
    } else {
        "Sign in to manage components, incidents and maintenance."
    };
    format!(
        "\n  Allclear {} is running.\n\n  Open      {}\n            {first}\n  Listens   {}\n  Data      {}\n  Mail      {}\n  Stop      Ctrl+C\n\n",
        env!("CARGO_PKG_VERSION"),
        app.public_url(),
        app.address(),
        data(settings),
        settings.data_dir.join("mail").display(),
    )
}

fn data(settings: &Settings) -> String {
    match &settings.database_url {
        Some(url) if !url.reveal().starts_with("sqlite:") => "PostgreSQL".to_owned(),
        _ => settings.database().trim_start_matches("sqlite:").to_owned(),
    }
}

fn openapi() -> Result<(), String> {
    println!(
        "{}",
        allclear_transport::openapi::json().map_err(|error| error.to_string())?
    );
    Ok(())
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
        .map_err(|error| format!("{url}: {error}"))?;
    let status = response.status();
    if status.is_success() {
        Ok(())
    } else {
        Err(format!("{url} answers {status}"))
    }
}

async fn copy(settings: &Settings, file: &Path) -> Result<(), String> {
    backup::backup(&settings.database(), file)
        .await
        .map_err(|error| format!("{}: {error}", file.display()))
}

async fn check(settings: &Settings) -> Result<(), String> {
    let faults = check::check(&settings.database()).await.map_err(|error| {
        format!(
            "the database cannot be checked: {}",
            one_line(&error.to_string())
        )
    })?;
    for fault in &faults {
        println!("{fault}");
    }
    if faults.is_empty() {
        println!("ok");
        Ok(())
    } else {
        Err("the database is damaged: restore a backup".to_owned())
    }
}

async fn invite(settings: &Settings, address: String) -> Result<(), String> {
    let link = identity::invite(settings, address).await?;
    println!("{link}");
    Ok(())
}

async fn rotate_keys(settings: &Settings) -> Result<(), String> {
    let key = identity::rotate_keys(settings).await?;
    println!(
        "{key} signs tokens from now on; running nodes use it within ten seconds. Tokens of the key before count for six more minutes."
    );
    Ok(())
}

async fn after_restore(settings: &Settings) -> Result<(), String> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let database = connect(settings, &clock).await?;
    let advanced = database
        .after_restore()
        .await
        .map_err(|error| error.to_string())?;
    database.close().await.map_err(|error| error.to_string())?;
    println!("The revisions of {advanced} organisations have jumped. Start the nodes now.");
    Ok(())
}
