//! `allclear demo`: a server with example data in a temporary folder.

mod clock;
mod story;
mod writer;
mod year;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use allclear_application::delivery::DeliveryQueue as _;
use allclear_application::origin::Origin;
use allclear_domain::id::OrganisationId;
use tokio::time::{sleep, timeout};

use crate::app::App;
use crate::output::{print_if_possible, with_causes};
use crate::settings::Settings;
use crate::signals::EndSignals;

use self::clock::DemoClock;

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "all-clear-demo";

/// Serves the demo until a signal ends the process.
///
/// # Errors
/// One line with the reason why the server cannot start.
pub(crate) async fn serve(settings: Settings) -> Result<(), String> {
    let folder = tempfile::Builder::new()
        .prefix("allclear-demo-")
        .tempdir()
        .map_err(|error| with_causes(&error))?;
    let settings = demo_settings(settings, folder.path())?;
    let mut signals = EndSignals::receive()?;
    let (app, organisation) = tokio::select! {
        filled = start_filled(&settings) => filled?,
        _ = signals.next() => return Ok(()),
    };
    let url = app.public_url().to_owned();
    print_if_possible(&format!(
        "\n  Allclear's demo is running. Your changes are deleted when it stops.\n\n  Listens   {}\n  Public    {url}/status/{organisation}\n  Sign in   {url}/login\n            {EMAIL}\n            {PASSWORD}\n  Stop      Ctrl+C\n",
        app.address(),
    ));
    app.serve_until(signals, Duration::ZERO).await
}

/// Starts a server on an empty installation, and fills it. Returns the organisation, too.
async fn start_filled(settings: &Settings) -> Result<(App, OrganisationId), String> {
    let clock = Arc::new(DemoClock::default());
    let app = App::start_at(settings, Arc::clone(&clock) as _).await?;
    let organisation = Origin::of_request(None, None, story::write(&app, &clock))
        .await
        .map_err(|error| with_causes(&error))?;
    wait_for_mails(&app).await;
    Ok((app, organisation))
}

/// Waits until the mails of the story are written: their log lines would push the addresses out
/// of sight.
async fn wait_for_mails(app: &App) {
    let written = async {
        while app
            .database
            .waiting()
            .await
            .is_ok_and(|waiting| waiting > 0)
        {
            sleep(Duration::from_millis(20)).await;
        }
    };
    // The demo works without them.
    let _ = timeout(Duration::from_secs(3), written).await;
}

/// Settings of the demo with its data in `folder`. It takes only the given settings that concern
/// its address, its clients with their timeouts, and its log. The others have their defaults, so
/// that the demo neither sends mail nor uses other systems of the installation.
fn demo_settings(given: Settings, folder: &Path) -> Result<Settings, String> {
    Ok(Settings {
        data_dir: folder.to_owned(),
        listen: given.listen,
        public_url: given.public_url,
        trusted_proxies: given.trusted_proxies,
        allowed_origins: given.allowed_origins,
        ping_interval: given.ping_interval,
        ping_timeout: given.ping_timeout,
        head_timeout: given.head_timeout,
        body_timeout: given.body_timeout,
        keep_alive: given.keep_alive,
        limits: given.limits,
        connections: given.connections,
        log: given.log,
        log_format: given.log_format,
        ..Settings::defaults()?
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches};

    fn parse(flags: &[&str]) -> Settings {
        let command = Settings::augment_args(Command::new("allclear"));
        let matches = command.get_matches_from([&["allclear"], flags].concat());
        Settings::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn demo_keeps_its_address_and_timeouts_and_uses_no_other_system() {
        let given = parse(&[
            "--listen=127.0.0.1:9999",
            "--log=warn",
            "--ping-interval=1001",
            "--ping-timeout=1002",
            "--head-timeout=1003",
            "--body-timeout=1004",
            "--keep-alive=1005",
            "--data-dir=/var/lib/allclear",
            "--database-url=postgres://db",
            "--redis-url=redis://cache",
            "--smtp-url=smtp://mail.example.com",
            "--passwords=off",
            "--oidc-providers=okta",
            "--oidc-setting=okta_issuer=https://example.okta.com",
            "--clerk-publishable-key=pk_test_ZXhhbXBsZS5jb20k",
            "--sign-up=closed",
        ]);
        let settings = demo_settings(given, Path::new("demo")).unwrap();

        let expected = Settings {
            data_dir: "demo".into(),
            listen: "127.0.0.1:9999".parse().unwrap(),
            log: "warn".to_owned(),
            ping_interval: Duration::from_millis(1001),
            ping_timeout: Duration::from_millis(1002),
            head_timeout: Duration::from_millis(1003),
            body_timeout: Duration::from_millis(1004),
            keep_alive: Duration::from_millis(1005),
            ..Settings::defaults().unwrap()
        };
        assert_eq!(format!("{settings:?}"), format!("{expected:?}"));
        assert_eq!(settings.database(), "sqlite:demo/allclear.db");
        assert!(settings.redis.redis_url.is_none());
        assert!(!settings.mail.is_sent());
        assert!(settings.openid.passwords());
        assert!(settings.openid.providers(false).unwrap().is_empty());
        assert!(settings.clerk.application().unwrap().is_none());
    }
}
