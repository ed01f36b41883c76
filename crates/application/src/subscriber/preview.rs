//! A mail or a message as subscribers would get it, for operators.

use std::sync::Arc;

use allclear_domain::channel::{Channel, Target};
use allclear_domain::component::{Component, ComponentStatus, full_name};
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::notice::{ComponentImpact, IncidentChange, NoticeChange, NoticeContent};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Subscribers;
use crate::error::{Error, Resource};
use crate::mail::{MailContent, MailPreview};
use crate::message::{Message, MessageContent, MessageKind};
use crate::notice::Notice;
use crate::statuspage_api::{IncidentRecord, StatuspageState};

impl Subscribers {
    /// Returns the body of a message to a channel other than mail, as JSON text with line breaks:
    /// about the newest incident, or about an example. [`Error::NotFound`] if the organisation does
    /// not exist.
    pub async fn preview(
        &self,
        organisation: &OrganisationId,
        channel: Channel,
    ) -> Result<String, Error> {
        let now = self.ports.clock.now();
        let (state, notice) = self.sample(organisation, now).await?;
        let message = Message {
            id: Uuid::nil().simple().to_string(),
            target: Target::stored(channel, state.url.clone()),
            secrets: Vec::new(),
            content: MessageContent {
                manage: manage_page(&state),
                state: Arc::new(state),
                at: now,
                kind: MessageKind::Notice(Arc::new(notice)),
            },
        };
        Ok(self.ports.messenger.preview(&message))
    }

    /// Returns a mail about the newest incident, or about an example. [`Error::NotFound`] if the
    /// organisation does not exist.
    pub async fn preview_mail(&self, organisation: &OrganisationId) -> Result<MailPreview, Error> {
        let now = self.ports.clock.now();
        let (state, notice) = self.sample(organisation, now).await?;
        self.ports.mailer.preview(&MailContent::Notice {
            manage: manage_page(&state),
            unsubscribe: format!("{}/unsubscribe", state.url),
            organisation: state.organisation.name,
            notice: Arc::new(notice),
            time_zone: state.organisation.time_zone,
            page: state.url,
        })
    }

    /// The state of an organisation, and a notice about its newest incident or about an example.
    async fn sample(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<(StatuspageState, Notice), Error> {
        let states = &self.ports.states;
        let state = states.statuspage_state(organisation, now).await?;
        let state = state.ok_or(Error::NotFound(Resource::Organisation))?;
        let notice = state
            .incidents
            .first()
            .map_or_else(|| example(&state, now), |record| of(record, &state, now));
        Ok((state, notice))
    }
}

/// The page that changes a subscription, without the parameters of a subscriber.
fn manage_page(state: &StatuspageState) -> String {
    format!("{}/subscription", state.url)
}

/// What subscribers receive about the newest entry of an incident.
fn of(record: &IncidentRecord, state: &StatuspageState, now: DateTime<Utc>) -> Notice {
    let incident = &record.incident;
    let is_described = record.entries.len() < 2;
    let newest = record.entries.first().filter(|_| !is_described);
    let attached = state
        .components
        .iter()
        .filter(|report| record.components.contains(&report.component.id));
    let components = attached.map(|report| ComponentImpact {
        name: shown_name(&report.component, state),
        status: report.component.status,
    });
    Notice {
        id: Uuid::nil(),
        subject: incident.id.0,
        at: now,
        content: NoticeContent {
            title: incident.title.clone(),
            description: incident.description.clone(),
            message: newest.map(|entry| entry.body.clone()),
            unnamed_components: 0,
            change: NoticeChange::Incident {
                change: IncidentChange::Updated,
                status: incident.status,
                update_status: None,
                shown_at: None,
                occurred_at: incident.occured_at,
                resolved_at: incident.resolved_at,
                components: components.collect(),
            },
        },
    }
}

fn shown_name(component: &Component, state: &StatuspageState) -> String {
    let mut groups = state.groups.iter().map(|report| &report.group);
    let group = groups.find(|group| Some(group.id) == component.place.group);
    full_name(group.map(|group| group.name.as_str()), &component.name)
}

/// An incident that an organisation without incidents might have.
fn example(state: &StatuspageState, now: DateTime<Utc>) -> Notice {
    let component = state.components.first();
    let component = component.map(|report| ComponentImpact {
        name: shown_name(&report.component, state),
        status: ComponentStatus::PartialOutage,
    });
    Notice {
        id: Uuid::nil(),
        subject: Uuid::nil(),
        at: now,
        content: NoticeContent {
            title: "Elevated error rates".to_owned(),
            description: "Some requests fail. We are looking for the cause.".to_owned(),
            message: None,
            unnamed_components: 0,
            change: NoticeChange::Incident {
                change: IncidentChange::Created,
                status: IncidentStatus::Investigating,
                update_status: None,
                shown_at: None,
                occurred_at: now,
                resolved_at: None,
                components: component.into_iter().collect(),
            },
        },
    }
}
