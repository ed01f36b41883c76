//! Writes the demo's data through the services, at times in the past.

use std::collections::HashMap;

use allclear_application::account::SignedUp;
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_domain::account::{Password, SignUpDraft};
use allclear_domain::author::Author;
use allclear_domain::component::{ComponentDraft, ComponentStatus};
use allclear_domain::id::{ComponentId, IncidentId, MaintenanceId, OrganisationId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::{IncidentDraft, IncidentStatus};
use allclear_domain::incident_update::IncidentUpdateDraft;
use allclear_domain::maintenance::{MaintenanceDraft, MaintenanceStatus};
use allclear_domain::maintenance_update::MaintenanceUpdateDraft;
use allclear_domain::organisation::OrganisationDraft;
use chrono::TimeDelta;

use super::clock::DemoClock;
use super::{EMAIL, PASSWORD};
use crate::app::App;

/// Writes into one organisation. Times are in minutes before now; negative ones are in the future.
pub(super) struct Writer<'a> {
    app: &'a App,
    clock: &'a DemoClock,
    pub(super) organisation: OrganisationId,
    author: Author,
    components: HashMap<&'static str, ComponentId>,
}

impl<'a> Writer<'a> {
    /// Signs up and creates the organisation.
    pub(super) async fn sign_up(app: &'a App, clock: &'a DemoClock) -> Result<Self, Error> {
        let name = "Ada Lovelace".to_owned();
        let draft = SignUpDraft {
            name,
            email: EMAIL.into(),
            password: Password::new(PASSWORD.into()),
        };
        let SignedUp::SignedIn(signed_in) = app.identity.accounts.sign_up(draft, None).await?
        else {
            return Err(Error::internal("the first account can always be made"));
        };
        let session = app.identity.sessions.find(&signed_in.token).await?;
        let session =
            session.ok_or_else(|| Error::internal("a session that was just opened is there"))?;
        let draft = OrganisationDraft {
            name: "Meridian Cloud".into(),
        };
        let organisation = app
            .identity
            .memberships
            .create(&session, draft)
            .await?
            .organisation;
        let author = Author {
            id: session.user.id.to_string(),
            name: session.user.name,
        };
        Ok(Self {
            app,
            clock,
            organisation,
            author,
            components: HashMap::new(),
        })
    }

    pub(super) async fn components(
        &mut self,
        minutes_ago: i64,
        components: &[(&'static str, &str)],
    ) -> Result<(), Error> {
        self.clock.set_back(minutes_ago);
        for &(name, description) in components {
            let status = ComponentStatus::Operational;
            let draft = ComponentDraft {
                name: name.into(),
                description: description.into(),
                status,
                ..ComponentDraft::default()
            };
            let component = self
                .app
                .components
                .create(&self.organisation, draft)
                .await?;
            self.components.insert(name, component.id);
        }
        Ok(())
    }

    pub(super) async fn incident(
        &self,
        minutes_ago: i64,
        title: &str,
        description: &str,
        affected: &[(&str, ComponentStatus)],
    ) -> Result<IncidentId, Error> {
        self.clock.set_back(minutes_ago);
        let draft = IncidentDraft {
            title: title.into(),
            description: description.into(),
            status: IncidentStatus::Investigating,
            occured_at: None,
            ..Default::default()
        };
        let attachment = |(name, status): &(&str, ComponentStatus)| {
            self.components.get(name).map(|id| Attachment {
                component_id: *id,
                status: *status,
            })
        };
        let attachments = affected.iter().filter_map(attachment).collect();
        Ok(self
            .app
            .incidents
            .create(&self.organisation, draft, attachments)
            .await?
            .incident
            .id)
    }

    pub(super) async fn update(
        &self,
        id: IncidentId,
        minutes_ago: i64,
        status: IncidentStatus,
        message: &str,
    ) -> Result<(), Error> {
        self.clock.set_back(minutes_ago);
        let draft = IncidentUpdateDraft {
            status,
            message: message.into(),
            ..Default::default()
        };
        self.app
            .incidents
            .record_update(&self.organisation, id, draft, self.author.clone())
            .await?;
        Ok(())
    }

    pub(super) async fn maintenance(
        &self,
        minutes_ago: i64,
        began: i64,
        ended: Option<i64>,
        title: &str,
        description: &str,
    ) -> Result<MaintenanceId, Error> {
        self.clock.set_back(0);
        let now = self.clock.now();
        let at = |minutes_ago: i64| now - TimeDelta::minutes(minutes_ago);
        self.clock.set_back(minutes_ago);
        let draft = MaintenanceDraft {
            title: title.into(),
            description: description.into(),
            start_at: at(began),
            end_at: ended.map(at),
            status: MaintenanceStatus::Scheduled,
            notify: None,
        };
        Ok(self
            .app
            .maintenances
            .create(&self.organisation, draft)
            .await?
            .maintenance
            .id)
    }

    pub(super) async fn maintenance_update(
        &self,
        id: MaintenanceId,
        minutes_ago: i64,
        status: IncidentStatus,
        message: &str,
    ) -> Result<(), Error> {
        self.clock.set_back(minutes_ago);
        let draft = MaintenanceUpdateDraft {
            status,
            message: message.into(),
            ..Default::default()
        };
        self.app
            .maintenances
            .record_update(&self.organisation, id, draft, self.author.clone())
            .await?;
        Ok(())
    }
}
