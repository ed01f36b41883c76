//! Writes the demo's data through the services, at times in the past.

use std::collections::HashMap;

use allclear_application::account::SignedUp;
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::origin::Origin;
use allclear_application::precondition::Precondition;
use allclear_application::session::Client;
use allclear_application::subscriber::{SubscriberKey, SubscriberStore as _, SubscriberTransition};
use allclear_domain::account::{Password, SignUpDraft};
use allclear_domain::audit::Actor;
use allclear_domain::author::Author;
use allclear_domain::channel::{Channel, Target};
use allclear_domain::component::{ComponentDraft, ComponentStatus};
use allclear_domain::component_group::{ComponentGroupPatch, GroupDisplay};
use allclear_domain::id::{
    ComponentGroupId, ComponentId, IncidentId, MaintenanceId, OrganisationId, SubscriberId,
};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::{IncidentDraft, IncidentStatus};
use allclear_domain::maintenance::{MaintenanceDraft, MaintenanceStatus};
use allclear_domain::organisation::{OrganisationDraft, OrganisationPatch};
use allclear_domain::subscriber::{Subscriber, SubscriberDraft};
use allclear_domain::update::UpdateDraft;
use chrono::{TimeDelta, Timelike as _};

use super::clock::DemoClock;
use super::story::DAY;
use super::{EMAIL, PASSWORD};
use crate::app::App;

/// Writes into one organisation. Times are in minutes before now; negative ones are in the future.
pub(super) struct Writer<'a> {
    app: &'a App,
    clock: &'a DemoClock,
    pub(super) organisation: OrganisationId,
    author: Author,
    components: HashMap<&'static str, ComponentId>,
    /// Minutes since midnight, UTC, when the writing began.
    minute_of_day: i64,
    /// Whether what is written notifies subscribers.
    pub(super) notify: bool,
}

/// An incident from its beginning to its last update.
pub(super) struct IncidentStory<'a> {
    pub(super) title: &'a str,
    pub(super) description: &'a str,
    pub(super) affected: &'a [(&'a str, ComponentStatus)],
    /// Minutes after the beginning, with what was recorded then.
    pub(super) updates: &'a [(i64, IncidentStatus, &'a str)],
}

/// A maintenance with its two updates.
pub(super) struct MaintenanceStory<'a> {
    pub(super) title: &'a str,
    pub(super) description: &'a str,
    pub(super) affected: &'a [&'a str],
    pub(super) begun: &'a str,
    pub(super) ended: &'a str,
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
        let client = Client::default();
        let signed_up = app.identity.accounts.sign_up(draft, None, &client);
        let SignedUp::SignedIn(signed_in) = signed_up.await? else {
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
        Origin::identify(Actor::User(author.clone()));
        Ok(Self {
            app,
            clock,
            organisation,
            author,
            components: HashMap::new(),
            minute_of_day: i64::from(clock.now().num_seconds_from_midnight() / 60),
            notify: false,
        })
    }

    /// Returns how many minutes ago it was this minute of the day, UTC, that many days ago. What is
    /// past has fixed times of day, so that the demo shows the same year at every hour.
    pub(super) fn days_ago(&self, days: i64, minute_of_day: i64) -> i64 {
        days * DAY + self.minute_of_day - minute_of_day
    }

    /// Sets the time of the following writes.
    pub(super) fn set_time(&self, minutes_ago: i64) {
        self.clock.set_back(minutes_ago);
    }

    pub(super) async fn settings(&self, patch: OrganisationPatch) -> Result<(), Error> {
        self.app
            .content
            .organisations
            .edit(&self.organisation, patch, Precondition::Any)
            .await?;
        Ok(())
    }

    pub(super) async fn group(
        &self,
        name: &str,
        description: &str,
        display: GroupDisplay,
    ) -> Result<ComponentGroupId, Error> {
        let fields = ComponentGroupPatch {
            name: Some(name.into()),
            description: Some(description.into()),
            display: Some(display),
        };
        let groups = &self.app.content.component_groups;
        let created = groups.create(&self.organisation, fields).await?;
        Ok(created.group.id)
    }

    pub(super) async fn components(
        &mut self,
        group: Option<ComponentGroupId>,
        components: &[(&'static str, &str)],
    ) -> Result<(), Error> {
        for &(name, description) in components {
            let draft = ComponentDraft {
                name: name.into(),
                description: description.into(),
                status: ComponentStatus::Operational,
                group,
                ..ComponentDraft::default()
            };
            let created = self
                .app
                .content
                .components
                .create(&self.organisation, draft, self.author.clone())
                .await?;
            self.components.insert(name, created.component.id);
        }
        Ok(())
    }

    /// Writes an incident. Its updates come after `stretch` percent of their minutes.
    pub(super) async fn incident(
        &self,
        began: i64,
        stretch: i64,
        story: &IncidentStory<'_>,
    ) -> Result<IncidentId, Error> {
        self.set_time(began);
        let draft = IncidentDraft {
            title: story.title.into(),
            description: story.description.into(),
            status: IncidentStatus::Investigating,
            notify: Some(self.notify),
            ..Default::default()
        };
        let attachment = |(name, status): &(&str, ComponentStatus)| {
            self.components.get(name).map(|id| Attachment {
                component_id: *id,
                status: *status,
            })
        };
        let attachments = story.affected.iter().filter_map(attachment).collect();
        let incidents = &self.app.content.incidents;
        let created = incidents
            .create(&self.organisation, draft, attachments)
            .await?;
        let id = created.incident.id;
        for (minutes, status, message) in story.updates {
            self.set_time(began - minutes * stretch / 100);
            let draft = UpdateDraft {
                status: *status,
                message: (*message).into(),
                notify: Some(self.notify),
                ..Default::default()
            };
            let author = self.author.clone();
            incidents
                .record_update(&self.organisation, id, draft, Vec::new(), author)
                .await?;
        }
        Ok(id)
    }

    /// Publishes the review of an incident.
    pub(super) async fn review(&self, incident: IncidentId, body: &str) -> Result<(), Error> {
        let (reviews, any) = (&self.app.content.reviews, Precondition::Any);
        let notify = Some(self.notify);
        reviews
            .write(&self.organisation, incident, body.into(), any.clone())
            .await?;
        reviews
            .publish(&self.organisation, incident, notify, any)
            .await?;
        Ok(())
    }

    /// Adds subscribers whose addresses are verified.
    pub(super) async fn subscribers(&self, addresses: &[&str]) -> Result<(), Error> {
        for address in addresses {
            let target = Target::parse(Channel::Email, address)?;
            let draft = SubscriberDraft::of_everything(target);
            let now = self.clock.now();
            let subscriber = Subscriber::create(SubscriberId(self.clock.id()), draft, now)
                .verify(now + Subscriber::VERIFICATION_LIFETIME, now)
                .map_err(Error::internal)?;
            let rule: SubscriberTransition = Box::new(move |_| Ok(subscriber));
            let database = &self.app.database;
            database
                .save(&self.organisation, SubscriberKey::of_email(address), rule)
                .await?;
        }
        Ok(())
    }

    /// Writes a maintenance that was announced three days before.
    pub(super) async fn past_maintenance(
        &self,
        began: i64,
        minutes: i64,
        story: &MaintenanceStory<'_>,
    ) -> Result<(), Error> {
        let ended = began - minutes;
        let id = self
            .maintenance(
                began + 3 * DAY,
                began,
                Some(ended),
                story.title,
                story.description,
                story.affected,
            )
            .await?;
        self.maintenance_update(id, began, IncidentStatus::Monitoring, story.begun)
            .await?;
        self.maintenance_update(id, ended, IncidentStatus::Resolved, story.ended)
            .await
    }

    pub(super) async fn maintenance(
        &self,
        minutes_ago: i64,
        began: i64,
        ended: Option<i64>,
        title: &str,
        description: &str,
        affected: &[&str],
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
            notify: Some(self.notify),
            components: affected
                .iter()
                .filter_map(|name| self.components.get(name).copied())
                .collect(),
        };
        Ok(self
            .app
            .content
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
        let draft = UpdateDraft {
            status,
            message: message.into(),
            notify: Some(self.notify),
            ..Default::default()
        };
        self.app
            .content
            .maintenances
            .record_update(&self.organisation, id, draft, self.author.clone())
            .await?;
        Ok(())
    }
}
