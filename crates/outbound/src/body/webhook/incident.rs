//! Incidents and maintenances as they were at a notice.

use allclear_application::link::{incident_path, maintenance_path};
use allclear_application::notice::Notice;
use allclear_application::statuspage_api::{
    IncidentRecord, MaintenanceRecord, Record, StatuspageState,
};
use allclear_domain::id::{IncidentId, MaintenanceId};
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::notice::{ComponentImpact, IncidentChange};
use allclear_domain::rollup::{Indicator, impact};
use allclear_domain::statuspage_entry::{StatuspageEntry, StatuspageStatus};
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::component::{Component, components};
use super::update::Update;
use super::{Time, within_limit};

/// The text of the entry that says that a maintenance is cancelled. Statuspage has no such status:
/// programs see it completed.
const CANCELLED: &str = "The scheduled maintenance was cancelled.";

/// An incident or a maintenance.
#[derive(Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are fields of Statuspage's form"
)]
pub(super) struct Incident<'a> {
    name: &'a str,
    status: &'static str,
    created_at: Time,
    updated_at: Time,
    monitoring_at: Option<Time>,
    resolved_at: Option<Time>,
    impact: &'static str,
    shortlink: String,
    postmortem_ignored: bool,
    postmortem_body: Option<&'a str>,
    postmortem_body_last_updated_at: Option<Time>,
    postmortem_published_at: Option<Time>,
    postmortem_notified_subscribers: bool,
    postmortem_notified_twitter: bool,
    backfilled: bool,
    scheduled_for: Option<Time>,
    scheduled_until: Option<Time>,
    scheduled_remind_prior: bool,
    scheduled_reminded_at: Option<Time>,
    impact_override: Option<&'static str>,
    scheduled_auto_in_progress: bool,
    scheduled_auto_completed: bool,
    started_at: Time,
    id: String,
    page_id: String,
    #[serde(rename = "incident_updates")]
    updates: Vec<Update<'a>>,
    components: Vec<Component<'a>>,
}

impl<'a> Incident<'a> {
    /// The incident of a notice. Later changes are left out; the components are those of the state.
    pub(super) fn of_incident(
        state: &'a StatuspageState,
        notice: &'a Notice,
        change: IncidentChange,
        status: IncidentStatus,
        occurred_at: DateTime<Utc>,
        affected: &[ComponentImpact],
    ) -> Self {
        let id = IncidentId(notice.subject);
        let mut records = state.incidents.iter();
        let record: Option<&'a IncidentRecord> = records.find(|record| record.incident.id == id);
        let incident = record.map(|record| &record.incident);
        let entries = entries(record.map(Record::Incident), notice);
        let review = entries
            .iter()
            .copied()
            .find(|entry| entry.status == StatuspageStatus::Postmortem);
        let is_reviewed = change == IncidentChange::Reviewed || review.is_some();
        let word = if is_reviewed && status == IncidentStatus::Resolved {
            StatuspageStatus::Postmortem
        } else {
            status.into()
        }
        .as_str();
        let resolved_at = incident
            .and_then(|incident| incident.resolved_at)
            .unwrap_or(notice.at);
        let impact = impact(affected.iter().map(|component| component.status));
        Self {
            monitoring_at: record
                .and_then(IncidentRecord::monitoring_at)
                .filter(|at| *at <= notice.at)
                .map(Time),
            resolved_at: (status == IncidentStatus::Resolved).then_some(Time(resolved_at)),
            postmortem_body: review.map(|entry| entry.body.as_str()),
            postmortem_body_last_updated_at: review.map(|entry| Time(entry.updated_at)),
            postmortem_published_at: review.map(|entry| Time(entry.created_at)),
            // Whether an earlier notice of the review was sent is not stored.
            postmortem_notified_subscribers: change == IncidentChange::Reviewed,
            // Entered after it was over.
            backfilled: incident.is_some_and(|incident| {
                let resolved_at = incident.resolved_at;
                resolved_at.is_some_and(|resolved_at| resolved_at < incident.created_at)
            }),
            started_at: Time(occurred_at),
            ..Self::new(
                state,
                notice,
                Subject {
                    code: id.code().to_string(),
                    path: incident_path(id.code()),
                    status: word,
                    impact,
                    created_at: incident.map_or(occurred_at, |incident| incident.created_at),
                    entries,
                    components: components(state, record.map_or(&[], |record| &*record.components)),
                },
            )
        }
    }

    /// The maintenance of a notice, likewise.
    pub(super) fn of_maintenance(
        state: &'a StatuspageState,
        notice: &'a Notice,
        status: MaintenanceStatus,
        start_at: DateTime<Utc>,
        end_at: Option<DateTime<Utc>>,
    ) -> Self {
        let id = MaintenanceId(notice.subject);
        let mut records = state.maintenances.iter();
        let record: Option<&'a MaintenanceRecord> =
            records.find(|record| record.maintenance.id == id);
        let created_at = record.map_or(notice.at, |record| record.maintenance.created_at);
        let over_at = match status {
            MaintenanceStatus::Scheduled | MaintenanceStatus::InProgress => None,
            MaintenanceStatus::Completed => Some(end_at.unwrap_or(notice.at).max(created_at)),
            MaintenanceStatus::Cancelled => {
                let cancelled = record.and_then(|record| record.maintenance.cancelled_at);
                Some(cancelled.unwrap_or(notice.at).min(notice.at))
            }
        };
        let code = id.code().to_string();
        let mut body = Self {
            resolved_at: over_at.map(Time),
            scheduled_for: Some(Time(start_at)),
            scheduled_until: Some(Time(end_at.unwrap_or(start_at))),
            scheduled_auto_in_progress: true,
            scheduled_auto_completed: true,
            ..Self::new(
                state,
                notice,
                Subject {
                    code: code.clone(),
                    path: maintenance_path(&code),
                    status: StatuspageStatus::from(status).as_str(),
                    impact: Indicator::Maintenance,
                    created_at,
                    entries: entries(record.map(Record::Maintenance), notice),
                    components: components(state, record.map_or(&[], |record| &*record.components)),
                },
            )
        };
        if let (MaintenanceStatus::Cancelled, Some(at)) = (status, over_at) {
            let updates = &mut body.updates;
            let place = updates.partition_point(|update| update.display_at.0 > at);
            let entry_code = id.statuspage_entry_code("cancelled").to_string();
            let status = StatuspageStatus::Completed.as_str();
            let update = Update::new(status, CANCELLED.into(), Time(at), entry_code, &code);
            updates.insert(place, update);
        }
        body
    }

    fn new(state: &'a StatuspageState, notice: &'a Notice, subject: Subject<'a>) -> Self {
        let entries = subject.entries.iter();
        let mut updates = within_limit(entries.map(|entry| Update::of(entry, &subject.code)));
        if updates.is_empty() {
            let text = notice.content.text();
            let code = IncidentId(notice.id).code().to_string();
            let at = Time(notice.at);
            updates.push(Update::new(
                subject.status,
                text.into(),
                at,
                code,
                &subject.code,
            ));
        }
        Self {
            name: &notice.content.title,
            status: subject.status,
            created_at: Time(subject.created_at),
            updated_at: Time(notice.at),
            monitoring_at: None,
            resolved_at: None,
            impact: subject.impact.as_str(),
            shortlink: format!("{}{}", state.url, subject.path),
            postmortem_ignored: false,
            postmortem_body: None,
            postmortem_body_last_updated_at: None,
            postmortem_published_at: None,
            postmortem_notified_subscribers: false,
            postmortem_notified_twitter: false,
            backfilled: false,
            scheduled_for: None,
            scheduled_until: None,
            scheduled_remind_prior: false,
            scheduled_reminded_at: None,
            impact_override: None,
            scheduled_auto_in_progress: false,
            scheduled_auto_completed: false,
            started_at: Time(subject.created_at),
            id: subject.code,
            page_id: state.organisation.id.code().to_string(),
            updates,
            components: subject.components,
        }
    }
}

/// What incidents and maintenances share.
struct Subject<'a> {
    code: String,
    /// Path of its page, below the address of the status page.
    path: String,
    status: &'static str,
    impact: Indicator,
    created_at: DateTime<Utc>,
    entries: Vec<&'a StatuspageEntry>,
    components: Vec<Component<'a>>,
}

/// The entries until a notice, newest first.
fn entries<'a>(record: Option<Record<'a>>, notice: &Notice) -> Vec<&'a StatuspageEntry> {
    let entries = record.map_or(&[][..], Record::entries);
    entries
        .iter()
        .filter(|entry| entry.created_at <= notice.at)
        .collect()
}
