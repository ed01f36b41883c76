//! Wires the subscribers.

use std::sync::Arc;

use allclear_application::background::Background;
use allclear_application::clock::Clock;
use allclear_application::link::Links;
use allclear_application::mail::Mailer;
use allclear_application::secret::Seal;
use allclear_application::subscriber::{SubscriberPorts, Subscribers};
use allclear_identity::secrets;
use allclear_persistence::database::Database;

use crate::settings::Settings;

/// The use cases over this database. Links in mail are sealed with the installation's secret.
pub(crate) async fn subscribers(
    settings: &Settings,
    public_url: &str,
    database: &Database,
    clock: &Arc<dyn Clock>,
    background: &Background,
    mailer: Arc<dyn Mailer>,
) -> Result<Arc<Subscribers>, String> {
    let store = Arc::new(database.clone());
    let secrets = secrets::load(store.as_ref(), clock.as_ref()).await.map_err(|error| error.to_string())?;
    let seal = Seal::new(&secrets.salt).map_err(|error| error.to_string())?;
    let clock = Arc::clone(clock);
    let ports = SubscriberPorts { subscribers: Arc::clone(&store) as _, organisations: store, mailer, clock };
    let (links, limit) = (Links::new(public_url), settings.limits.verification_mail());
    Ok(Arc::new(Subscribers::new(ports, background.clone(), links, seal, limit)))
}
