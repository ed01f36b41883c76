//! The `domain` commands, for operators of an installation in which an organisation has a domain
//! that it no longer controls. A server may be running on the same database.

use allclear_application::custom_domain;
use allclear_application::error::Error;
use allclear_application::link::Links;
use allclear_application::origin::Origin;
use allclear_domain::audit::Actor;
use allclear_domain::custom_domain::DomainName;
use clap::Subcommand;

use crate::connect;
use crate::output::{print_line, with_causes};
use crate::settings::Settings;

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum DomainAction {
    /// Remove a verified domain from its organisation, so that another one can verify it; the
    /// server may be running
    Release {
        /// Name of the domain
        name: DomainName,
    },
}

/// Runs a command. What it changes is in the audit log of the organisation.
pub(crate) async fn run(settings: &Settings, action: DomainAction) -> Result<(), String> {
    connect::require_database(settings)?;
    match action {
        DomainAction::Release { name } => release(settings, &name).await,
    }
}

async fn release(settings: &Settings, name: &DomainName) -> Result<(), String> {
    let links = Links::new(&settings.public_url(settings.listen.port()));
    let organisation = connect::with_database(settings, async |database, _| {
        // The event of the change has the address of the organisation's page.
        let database = database.clone().linked(links);
        let work = custom_domain::release(&database, &database, name);
        let released = Origin::of(Actor::CommandLine).scope(work).await;
        released.map_err(|error| match error {
            Error::NotFound(_) => format!("no organisation has verified the domain {name}"),
            error => with_causes(&error),
        })
    })
    .await?;
    print_line(format_args!(
        "{} no longer has the domain {name}.",
        organisation.name
    ))
}
