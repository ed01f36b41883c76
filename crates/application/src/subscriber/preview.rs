//! A mail or a message as subscribers would get it, for operators.

use std::cmp::Reverse;
use std::sync::Arc;

use allclear_domain::channel::{Channel, Target};
use allclear_domain::component::{Component, ComponentStatus, full_name};
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::notice::{ComponentImpact, IncidentChange, NoticeChange, NoticeContent};
use allclear_domain::review::beginning;
use allclear_domain::statuspage_entry::{StatuspageEntry, StatuspageStatus};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Subscribers;
use crate::error::{Error, Resource};
use crate::link::status_page_path;
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
                manage: subscriber_page(&state, "subscription"),
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
            manage: subscriber_page(&state, "subscription"),
            unsubscribe: subscriber_page(&state, "unsubscribe"),
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
            .map_or_else(|| example(&state, now), |record| of(record, &state));
        Ok((state, notice))
    }
}

/// URL of a page for subscribers, without the parameters of a subscriber. On the installation's
/// address, such a page is not below the path of the status page.
fn subscriber_page(state: &StatuspageState, page: &str) -> String {
    let path = status_page_path(&state.organisation.id);
    let base = state.url.strip_suffix(&*path).unwrap_or(&state.url);
    format!("{base}/{page}")
}

/// What subscribers receive about the newest entry of an incident, or about a later change of its
/// status without an entry.
fn of(record: &IncidentRecord, state: &StatuspageState) -> Notice {
    let incident = &record.incident;
    let (change, entry) = newest_change(record);
    let message = match change {
        IncidentChange::Reviewed => entry.map(|entry| beginning(&entry.body)),
        _ => entry.map(|entry| entry.body.clone()),
    };
    let shown_at = match change {
        IncidentChange::Resolved => incident.resolved_at,
        IncidentChange::Reviewed => None,
        _ => entry.map(|entry| entry.display_at),
    };
    let at = match change {
        IncidentChange::Created => incident.created_at,
        _ => entry.map_or(incident.updated_at, |entry| entry.created_at),
    };
    Notice {
        id: Uuid::nil(),
        subject: incident.id.0,
        at,
        content: NoticeContent {
            title: incident.title.clone(),
            description: incident.description.clone(),
            message,
            unnamed_components: 0,
            change: NoticeChange::Incident {
                change,
                status: incident.status,
                update_status: None,
                shown_at,
                occurred_at: incident.occured_at,
                resolved_at: incident.resolved_at,
                components: impacts(record, state),
            },
        },
    }
}

/// The newest change of an incident, and the update or the review that made it; `None` if none did.
fn newest_change(record: &IncidentRecord) -> (IncidentChange, Option<&StatuspageEntry>) {
    let status = StatuspageStatus::from(record.incident.status);
    let (before, entry) = match &*record.entries {
        [review, ..] if review.status == StatuspageStatus::Postmortem => {
            return (IncidentChange::Reviewed, Some(review));
        }
        [update, previous, ..] if update.status == status => (previous.status, Some(update)),
        [description] if description.status == status => return (IncidentChange::Created, None),
        // Its status has changed since the newest entry.
        [newest, ..] => (newest.status, None),
        [] => return (IncidentChange::Created, None),
    };
    let change = match status {
        StatuspageStatus::Resolved if before != status => IncidentChange::Resolved,
        _ if before == StatuspageStatus::Resolved && before != status => IncidentChange::Reopened,
        _ => IncidentChange::Updated,
    };
    (change, entry)
}

/// The impacts on the components of an incident, the worst ones first.
fn impacts(record: &IncidentRecord, state: &StatuspageState) -> Vec<ComponentImpact> {
    let mut impacts: Vec<_> = state
        .components
        .iter()
        .filter_map(|report| {
            let component = &report.component;
            let mut impacts = record.impacts.iter();
            let impact = impacts.find(|impact| impact.component_id == component.id)?;
            Some(ComponentImpact {
                name: shown_name(component, state),
                status: impact.status,
            })
        })
        .collect();
    impacts.sort_by_key(|impact| Reverse(impact.status));
    impacts
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

#[cfg(test)]
mod tests;
