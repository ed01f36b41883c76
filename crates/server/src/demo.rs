//! `allclear demo`: a server with example data in a temporary folder.

mod clock;
mod story;
mod writer;
mod year;

use std::sync::Arc;
use std::time::Duration;

use allclear_application::origin::Origin;

use crate::app::App;
use crate::settings::Settings;
use crate::settings::clerk::ClerkSettings;
use crate::signals::EndSignals;

use self::clock::DemoClock;

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "all-clear-demo";

/// Serves the demo until a signal ends the process.
///
/// # Errors
/// One line with the reason why the server cannot start.
pub(crate) async fn serve(mut settings: Settings) -> Result<(), String> {
    let folder = tempfile::Builder::new()
        .prefix("allclear-demo-")
        .tempdir()
        .map_err(|error| error.to_string())?;
    folder.path().clone_into(&mut settings.data_dir);
    settings.database_url = None;
    // The demo signs in with the built-in provider.
    settings.clerk = ClerkSettings::default();
    let signals = EndSignals::receive()?;
    let clock = Arc::new(DemoClock::default());
    let app = App::start_at(&settings, Arc::clone(&clock) as _).await?;
    let organisation = Origin::of_request(None, None, story::write(&app, &clock))
        .await
        .map_err(|error| error.to_string())?;
    let url = app.public_url().to_owned();
    println!("\n  Allclear's demo is running. Your changes are deleted when it stops.\n");
    println!("  Listens   {}", app.address());
    println!("  Public    {url}/status/{organisation}");
    println!("  Sign in   {url}/login");
    println!("            {EMAIL}");
    println!("            {PASSWORD}");
    println!("  Stop      Ctrl+C\n");
    app.serve_until(signals, Duration::ZERO).await
}
