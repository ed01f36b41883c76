//! `allclear demo`: a filled organisation to look around in, gone when it ends.

use allclear_application::account::SignedUp;
use allclear_application::error::Error;
use allclear_domain::account::{Password, SignUpDraft};
use allclear_domain::component::{ComponentDraft, ComponentStatus};
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::OrganisationDraft;

use crate::app::App;
use crate::command::ended;
use crate::settings::Settings;

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "all-clear-demo";
const ORGANISATION: &str = "Meridian Cloud";

const COMPONENTS: [(&str, &str, ComponentStatus); 6] = [
    ("Object storage", "Buckets, uploads and downloads in every region.", ComponentStatus::Operational),
    ("Build pipeline", "Builds, tests and deployments.", ComponentStatus::Operational),
    ("Webhooks", "Delivery of events to your endpoints.", ComponentStatus::Degraded),
    ("Database clusters", "Managed PostgreSQL with point-in-time recovery.", ComponentStatus::Operational),
    ("Dashboard", "The console at console.meridian.example.", ComponentStatus::Operational),
    ("API", "REST and streaming interfaces.", ComponentStatus::Operational),
];

/// Serves the demo until it is told to end.
///
/// # Errors
/// One line that says what stands in the way.
pub(crate) async fn serve(mut settings: Settings) -> Result<(), String> {
    let folder = tempfile::Builder::new().prefix("allclear-demo-").tempdir().map_err(|error| error.to_string())?;
    folder.path().clone_into(&mut settings.data_dir);
    settings.database_url = None;
    let app = App::start(&settings).await?;
    let organisation = fill(&app).await.map_err(|error| error.to_string())?;
    let url = app.public_url().to_owned();
    println!("\n  Allclear's demo is running; what you change is gone when it ends.\n");
    println!("  Listens   {}", app.address());
    println!("  Public    {url}/status/{organisation}");
    println!("  Sign in   {url}/login");
    println!("            {EMAIL}");
    println!("            {PASSWORD}");
    println!("  Stop      Ctrl+C\n");
    app.serve_until(ended()).await
}

async fn fill(app: &App) -> Result<OrganisationId, Error> {
    let draft =
        SignUpDraft { name: "Ada Lovelace".into(), email: EMAIL.into(), password: Password::new(PASSWORD.into()) };
    let SignedUp::SignedIn(signed_in) = app.identity.accounts.sign_up(draft, None).await? else {
        return Err(Error::internal("the first account can always be made"));
    };
    let session = app.identity.sessions.find(&signed_in.token).await?;
    let session = session.ok_or_else(|| Error::internal("a session that was just opened is there"))?;
    let draft = OrganisationDraft { name: ORGANISATION.into() };
    let organisation = app.identity.memberships.found(&session, draft).await?.organisation;
    for (name, description, status) in COMPONENTS {
        let draft = ComponentDraft { name: name.into(), description: description.into(), status };
        app.components.create(&organisation, draft).await?;
    }
    Ok(organisation)
}
