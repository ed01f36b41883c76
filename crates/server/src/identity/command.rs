//! The commands about accounts and keys of the built-in identity provider. A server may be running
//! on the same database.

use std::sync::Arc;

use allclear_application::background::Background;
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::invitation::{Invitations, StoredInvitation};
use allclear_application::link::Links;
use allclear_application::mail::Mailer;
use allclear_application::mail_budget::MailBudget;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::security_mail::SecurityMails;
use allclear_domain::account::AddressDraft;
use allclear_identity::secrets;
use allclear_persistence::database::Database;

use super::{mail_budget, record_new_key};
use crate::installation::Installation;
use crate::output::with_causes;
use crate::settings::Settings;
use crate::{connect, mail};

/// Replaces the key that signs tokens. Returns the new key's name.
pub(crate) async fn rotate_keys(settings: &Settings) -> Result<String, String> {
    if settings.clerk.application()?.is_some() {
        return Err("people sign in with Clerk: rotate the keys in Clerk's dashboard".to_owned());
    }
    connect::require_database(settings)?;
    connect::with_database(settings, async |database, clock| {
        let key = secrets::rotate(database, &**clock)
            .await
            .map_err(|error| with_causes(&error))?;
        record_new_key(&key);
        Ok(key)
    })
    .await
}

/// Invites a person. Returns the invitation, also if its mail could not be sent.
pub(crate) async fn invite(
    settings: &Settings,
    address: String,
) -> Result<StoredInvitation, String> {
    if settings.clerk.application()?.is_some() {
        return Err("people sign in with Clerk: invite them in Clerk's dashboard".to_owned());
    }
    connect::require_database(settings)?;
    connect::with_database(settings, async |database, clock| {
        let mail = CommandMail::load(settings, database, clock).await?;
        let store = Arc::new(database.clone());
        let factors = Arc::clone(&store) as _;
        let clock = Arc::clone(clock);
        let invitations =
            Invitations::new(store, factors, mail.mailer, mail.budget, clock, mail.links);
        let stored = invitations
            .admit(AddressDraft { email: address }, None)
            .await;
        let stored = stored.map_err(|error| match error {
            Error::Invalid(invalid) => invalid.errors.first().map_or_else(
                || invalid.to_string(),
                |first| format!("{}: {}", first.field, first.message),
            ),
            error => with_causes(&error),
        })?;
        SecurityRecord {
            object: Some(&stored.invitation.id),
            ..SecurityRecord::new(SecurityEvent::Invited)
        }
        .write();
        Ok(stored)
    })
    .await
}

/// Mails about the security of accounts, for a command.
pub(crate) async fn security_mails(
    settings: &Settings,
    database: &Database,
    clock: &Arc<dyn Clock>,
    background: &Background,
) -> Result<SecurityMails, String> {
    let mail = CommandMail::load(settings, database, clock).await?;
    let (clock, background) = (Arc::clone(clock), background.clone());
    Ok(SecurityMails::new(
        mail.mailer,
        mail.budget,
        clock,
        background,
        mail.links,
    ))
}

/// What a command needs to send mail.
struct CommandMail {
    mailer: Arc<dyn Mailer>,
    budget: Arc<MailBudget>,
    links: Links,
}

impl CommandMail {
    async fn load(
        settings: &Settings,
        database: &Database,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, String> {
        let public_url = settings.public_url(settings.listen.port());
        let mailer = mail::mailer(settings, &public_url, clock)?;
        let hmac_key = Installation::load(database, &**clock).await?.hmac_key;
        let store = Arc::new(database.clone());
        Ok(Self {
            mailer,
            budget: mail_budget(settings, store, Arc::clone(clock), &hmac_key),
            links: Links::new(&public_url),
        })
    }
}
