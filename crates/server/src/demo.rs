//! `allclear demo`: a filled organisation to look around in, gone when it ends.

mod clock;
mod story;

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use crate::settings::Settings;
use crate::settings::clerk::ClerkSettings;
use crate::signals::EndSignals;

use self::clock::StoryClock;

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "all-clear-demo";

/// Serves the demo until it is told to end.
///
/// # Errors
/// One line that says what stands in the way.
pub(crate) async fn serve(mut settings: Settings) -> Result<(), String> {
    let folder = tempfile::Builder::new()
        .prefix("allclear-demo-")
        .tempdir()
        .map_err(|error| error.to_string())?;
    folder.path().clone_into(&mut settings.data_dir);
    settings.database_url = None;
    // Its people are its own.
    settings.clerk = ClerkSettings::default();
    let signals = EndSignals::receive()?;
    let clock = Arc::new(StoryClock::default());
    let app = App::start_at(&settings, Arc::clone(&clock) as _).await?;
    let organisation = story::tell(&app, &clock)
        .await
        .map_err(|error| error.to_string())?;
    let url = app.public_url().to_owned();
    println!("\n  Allclear's demo is running; what you change is gone when it ends.\n");
    println!("  Listens   {}", app.address());
    println!("  Public    {url}/status/{organisation}");
    println!("  Sign in   {url}/login");
    println!("            {EMAIL}");
    println!("            {PASSWORD}");
    println!("  Stop      Ctrl+C\n");
    app.serve_until(signals, Duration::ZERO).await
}
