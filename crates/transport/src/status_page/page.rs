//! The page of an organisation at one revision: everything that is drawn from its snapshot, ready
//! to send.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::HeaderMap;
use allclear_application::error::Error;
use allclear_application::relay::StreamPosition;
use allclear_application::status_page::Snapshot;
use allclear_domain::organisation::Revision;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::byte_bounded_cache::{SLOT_BYTES, Weigh};
use crate::status_page::badge::BadgeContents;
use crate::status_page::embed;
use crate::status_page::ready_response::ReadyResponse;
use crate::web_app::page_template::PageTemplate;

/// The page of an organisation at one revision.
#[derive(Debug)]
pub struct Page {
    pub(super) revision: Revision,
    pub(super) read_at: DateTime<Utc>,
    pub(super) position: StreamPosition,
    /// Time at which the clock alone changes the content; `None` if it never does.
    pub(super) valid_until: Option<DateTime<Utc>>,
    pub(super) json: ReadyResponse,
    pub(super) html: ReadyResponse,
    /// The page in the frame of the embedded banner.
    pub(super) embed: Arc<ReadyResponse>,
    pub(super) badges: Arc<BadgeContents>,
}

/// A list of the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SnapshotList {
    /// The components.
    Components,
    /// The incidents.
    Incidents,
    /// The maintenances.
    Maintenances,
}

/// The lists of the snapshot as unparsed JSON.
#[derive(Deserialize)]
struct Lists<'a> {
    #[serde(borrow)]
    components: &'a RawValue,
    #[serde(borrow)]
    incidents: &'a RawValue,
    #[serde(borrow)]
    maintenances: &'a RawValue,
}

/// The JSON response with the snapshot.
#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    data: Lists<'a>,
}

impl Page {
    /// Renders the page. Takes milliseconds, so it must not run in a worker thread.
    ///
    /// # Errors
    /// [`Error::Internal`] if the snapshot cannot be serialised.
    pub(super) fn render(
        snapshot: &Snapshot,
        now: DateTime<Utc>,
        position: StreamPosition,
        template: &PageTemplate,
    ) -> Result<Self, Error> {
        let data = serde_json::to_string(snapshot).map_err(Error::internal)?;
        let tag = snapshot_tag(snapshot);
        let html = template.page(snapshot, &tag);
        Ok(Self {
            revision: snapshot.revision,
            read_at: now,
            position,
            valid_until: snapshot.changes_at(now),
            json: ReadyResponse::new(format!("{{\"data\":{data}}}"), "application/json", &tag)?,
            html: ReadyResponse::new(
                html,
                "text/html; charset=utf-8",
                &page_tag(snapshot, template),
            )?,
            embed: ReadyResponse::hashed(
                embed::page(template.embed(), snapshot),
                "text/html; charset=utf-8",
            )
            .map(Arc::new)?,
            badges: Arc::new(BadgeContents::new(snapshot)),
        })
    }

    /// Whether the page shows the newest known revision, and the clock has not changed its
    /// content since.
    pub(super) fn is_up_to_date(&self, now: DateTime<Utc>) -> bool {
        // A page from the future was rendered before the clock was set back.
        let of_now =
            self.age(now) >= TimeDelta::zero() && self.valid_until.is_none_or(|end| now < end);
        of_now
            && self
                .position
                .latest_if_followed()
                .is_some_and(|latest| self.revision >= latest)
    }

    /// A copy whose snapshot and page share no memory. The rest is not requested by way of a copy.
    pub(crate) fn deep_copy(&self) -> Self {
        Self {
            json: self.json.deep_copy(),
            html: self.html.deep_copy(),
            position: self.position.clone(),
            embed: Arc::clone(&self.embed),
            badges: Arc::clone(&self.badges),
            ..*self
        }
    }

    /// Time since the snapshot was read; negative if the clock was set back.
    pub(super) fn age(&self, now: DateTime<Utc>) -> TimeDelta {
        now - self.read_at
    }

    /// The revision of the organisation.
    pub(crate) const fn revision(&self) -> Revision {
        self.revision
    }

    /// Size of the snapshot as JSON, in bytes.
    pub(crate) const fn size(&self) -> usize {
        self.json.body.plain().len()
    }

    /// The page in the frame of the embedded banner.
    pub(crate) fn embed(&self) -> &ReadyResponse {
        &self.embed
    }

    /// What badges show.
    pub(crate) fn badges(&self) -> &BadgeContents {
        &self.badges
    }

    /// A list as JSON. It is extracted from the snapshot's body, because few clients request lists
    /// and a second copy would cost memory.
    pub(crate) fn list(&self, list: SnapshotList) -> Result<&RawValue, Error> {
        let Body { data } =
            serde_json::from_slice(self.json.body.plain()).map_err(Error::internal)?;
        Ok(match list {
            SnapshotList::Components => data.components,
            SnapshotList::Incidents => data.incidents,
            SnapshotList::Maintenances => data.maintenances,
        })
    }

    /// The snapshot as JSON, or 304.
    pub fn json(&self, request_headers: &HeaderMap) -> HttpResponse<Option<Bytes>> {
        self.json.respond(request_headers)
    }

    /// The page around the snapshot, or 304.
    pub fn html(&self, request_headers: &HeaderMap) -> HttpResponse<Option<Bytes>> {
        self.html.respond(request_headers)
    }
}

/// The entity tag of the snapshot: the revision, and a hash of what also changes without a
/// revision. This is the figures of uptime, the resolved incidents shown, and the maintenances
/// shown with their statuses.
fn snapshot_tag(snapshot: &Snapshot) -> String {
    let mut hasher = DefaultHasher::new();
    let mut moving = false;
    for uptime in snapshot
        .components
        .iter()
        .filter_map(|component| component.uptime.as_ref())
    {
        moving |= !uptime.days.is_empty();
        uptime.hash(&mut hasher);
    }
    for incident in &snapshot.incidents {
        if incident.resolved_at.is_some() {
            moving = true;
            incident.id.hash(&mut hasher);
        }
    }
    for maintenance in &snapshot.maintenances {
        moving = true;
        (&maintenance.id, maintenance.status).hash(&mut hasher);
    }
    if moving {
        format!("{}-{:x}", snapshot.revision, hasher.finish())
    } else {
        snapshot.revision.to_string()
    }
}

/// The entity tag of the page. It contains the organisation, because a domain may have had the page
/// of another one at the same revision.
fn page_tag(snapshot: &Snapshot, template: &PageTemplate) -> String {
    let organisation = &snapshot.organisation.code;
    let bars = bars_tag(snapshot);
    format!("{bars}-{organisation}-{}", template.fingerprint())
}

/// The part of the page's entity tag that changes: that of the snapshot, and the day on which the
/// bars end.
fn bars_tag(snapshot: &Snapshot) -> String {
    let tag = snapshot_tag(snapshot);
    let mut components = snapshot.components.iter();
    if components.any(|component| component.uptime.is_some()) {
        let today = snapshot
            .organisation
            .time_zone
            .date_of(snapshot.generated_at);
        format!("{tag}-{}", today.format("%Y%m%d"))
    } else {
        tag
    }
}

impl Weigh for Page {
    /// The bytes of all bodies in every coding, and of what badges show.
    fn weight(&self) -> u64 {
        let responses = [&self.json, &self.html, &self.embed];
        let bytes: u64 = responses.iter().map(|ready| ready.body.size()).sum();
        SLOT_BYTES + bytes + self.badges.size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use allclear_application::status_page::incident::PublicIncident;
    use allclear_application::status_page::maintenance::PublicMaintenance;
    use allclear_domain::incident::IncidentStatus;
    use allclear_domain::maintenance::MaintenanceStatus;

    use crate::status_page::page_cache::tests::snapshot;

    fn with_incidents(incidents: &[(&str, IncidentStatus)]) -> Snapshot {
        let incident = |(id, status): &(&str, IncidentStatus)| PublicIncident {
            id: (*id).into(),
            code: "0123456789ab".into(),
            title: String::new(),
            description: String::new(),
            description_truncated: false,
            status: *status,
            occured_at: DateTime::default(),
            resolved_at: (*status == IncidentStatus::Resolved).then(DateTime::default),
            created_at: DateTime::default(),
            timeline: Vec::new(),
            timeline_truncated: false,
            components: Vec::new(),
            components_truncated: false,
        };
        Snapshot {
            incidents: incidents.iter().map(incident).collect(),
            ..snapshot(1)
        }
    }

    fn with_maintenance(status: MaintenanceStatus) -> Snapshot {
        let maintenance = PublicMaintenance {
            id: "maintenance".into(),
            code: "0123456789ab".into(),
            title: String::new(),
            description: String::new(),
            description_truncated: false,
            status,
            start_at: DateTime::default(),
            end_at: None,
            shown_until: None,
            created_at: DateTime::default(),
            timeline: Vec::new(),
            timeline_truncated: false,
            components: Vec::new(),
            components_truncated: false,
        };
        Snapshot {
            maintenances: vec![maintenance],
            ..snapshot(1)
        }
    }

    #[test]
    fn tag_changes_when_a_resolved_incident_is_not_shown_any_more() {
        let (new, old) = (
            ("new", IncidentStatus::Resolved),
            ("old", IncidentStatus::Resolved),
        );
        let both = snapshot_tag(&with_incidents(&[new, old]));
        let one = snapshot_tag(&with_incidents(&[new]));
        let none = snapshot_tag(&with_incidents(&[]));
        assert_eq!(none, "1");
        assert!(both != one && one != none, "{both}, {one}");
        assert_eq!(one, snapshot_tag(&with_incidents(&[new])));
    }

    #[test]
    fn tag_changes_when_the_clock_changes_a_maintenance() {
        let tag = |status| snapshot_tag(&with_maintenance(status));
        let scheduled = tag(MaintenanceStatus::Scheduled);
        let in_progress = tag(MaintenanceStatus::InProgress);
        assert_ne!(scheduled, in_progress);
        assert_ne!(in_progress, snapshot_tag(&snapshot(1)));
    }

    #[test]
    fn tag_is_the_revision_if_only_changes_alter_the_page() {
        let open = with_incidents(&[("open", IncidentStatus::Investigating)]);
        assert_eq!(snapshot_tag(&open), "1");
    }
}
