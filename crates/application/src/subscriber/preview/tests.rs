use super::*;

use allclear_domain::code::Code;
use allclear_domain::component::ComponentDraft;
use allclear_domain::id::{ComponentId, IncidentId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::Incident;
use allclear_domain::organisation::{Organisation, Revision};
use allclear_domain::time_zone::TimeZone;
use chrono::TimeDelta;
use parking_lot::Mutex;

use crate::component::ComponentReport;
use crate::fixture::{now, organisation};
use crate::mail::MockMailer;
use crate::statuspage_api::MockStatuspageStateStore;
use crate::subscriber::MockSubscriberStore;
use crate::subscriber::tests::service;

use StatuspageStatus::{Identified, Investigating, Postmortem, Resolved};

fn at(hours: i64) -> DateTime<Utc> {
    now() + TimeDelta::hours(hours)
}

fn entry(status: StatuspageStatus, hours: i64) -> StatuspageEntry {
    StatuspageEntry {
        code: Code::of(status.as_str().as_bytes()),
        status,
        body: format!("**{}**", status.as_str()),
        created_at: at(hours),
        updated_at: at(hours),
        display_at: at(hours),
        affected: None,
    }
}

/// An operational component.
fn report(id: u128, name: &str) -> ComponentReport {
    let draft = ComponentDraft {
        name: name.into(),
        ..ComponentDraft::default()
    };
    let id = ComponentId(Uuid::from_u128(id));
    let created = Component::create(id, draft, TimeZone::default(), now()).unwrap();
    ComponentReport {
        component: created.state,
        under_maintenance: false,
    }
}

/// An incident that began as INVESTIGATING, with these entries beside its description, newest
/// first.
fn record(status: IncidentStatus, mut entries: Vec<StatuspageEntry>) -> IncidentRecord {
    entries.push(entry(Investigating, 0));
    let impact = |id: u128, status| Attachment {
        component_id: ComponentId(Uuid::from_u128(id)),
        status,
    };
    IncidentRecord {
        incident: Incident {
            id: IncidentId(Uuid::from_u128(9)),
            title: "Down".into(),
            description: "Requests fail.".into(),
            status,
            first_status: IncidentStatus::Investigating,
            occured_at: at(0),
            monitoring_at: None,
            resolved_at: (status == IncidentStatus::Resolved).then_some(at(5)),
            created_at: at(0),
            updated_at: at(9),
            version: Revision(1),
        },
        entries,
        impacts: vec![
            impact(1, ComponentStatus::Degraded),
            impact(2, ComponentStatus::MajorOutage),
            impact(3, ComponentStatus::PartialOutage),
        ],
        components: vec![ComponentId(Uuid::from_u128(1))],
        reviewed_at: None,
    }
}

/// The notice that a preview shows of an incident.
async fn previewed(record: IncidentRecord) -> Notice {
    let mut states = MockStatuspageStateStore::new();
    states.expect_statuspage_state().returning(move |id, now| {
        Ok(Some(StatuspageState {
            organisation: Organisation::new(id.clone(), "Acme".into()),
            url: "https://status.example.com".into(),
            updated_at: now,
            groups: Vec::new(),
            components: vec![report(1, "API"), report(2, "Web")],
            incidents: vec![record.clone()],
            maintenances: Vec::new(),
            read_at: now,
        }))
    });
    let shown = Arc::new(Mutex::new(None));
    let (kept, mut mailer) = (Arc::clone(&shown), MockMailer::new());
    mailer
        .expect_preview()
        .returning(move |content: &MailContent| {
            if let MailContent::Notice { notice, .. } = content {
                *kept.lock() = Some(Notice::clone(notice));
            }
            Ok(MailPreview::default())
        });
    let mut service = service(MockSubscriberStore::new());
    service.ports.states = Arc::new(states);
    service.ports.mailer = Arc::new(mailer);
    service.preview_mail(&organisation()).await.unwrap();
    shown.lock().take().unwrap()
}

/// The change, the message and the time that a preview shows of an incident.
async fn shown(
    status: IncidentStatus,
    entries: Vec<StatuspageEntry>,
) -> (IncidentChange, Option<String>, DateTime<Utc>) {
    let notice = previewed(record(status, entries)).await;
    let NoticeChange::Incident {
        change, shown_at, ..
    } = notice.content.change
    else {
        panic!("{notice:?}");
    };
    let message = notice.content.message;
    (change, message, shown_at.unwrap_or(notice.at))
}

#[tokio::test]
async fn preview_is_of_the_change_that_the_newest_entry_made() {
    let text = |status: &str| Some(format!("**{status}**"));
    assert_eq!(
        shown(IncidentStatus::Investigating, Vec::new()).await,
        (IncidentChange::Created, None, at(0))
    );
    assert_eq!(
        shown(IncidentStatus::Identified, vec![entry(Identified, 2)]).await,
        (IncidentChange::Updated, text("identified"), at(2))
    );
    let resolved = vec![entry(Resolved, 5), entry(Identified, 2)];
    assert_eq!(
        shown(IncidentStatus::Resolved, resolved).await,
        (IncidentChange::Resolved, text("resolved"), at(5))
    );
    let reopened = vec![entry(Investigating, 6), entry(Resolved, 5)];
    assert_eq!(
        shown(IncidentStatus::Investigating, reopened).await,
        (IncidentChange::Reopened, text("investigating"), at(6))
    );
}

#[tokio::test]
async fn preview_of_a_status_that_an_edit_has_changed_has_no_message() {
    assert_eq!(
        shown(IncidentStatus::Resolved, Vec::new()).await,
        (IncidentChange::Resolved, None, at(5))
    );
    let identified = vec![entry(Identified, 2)];
    assert_eq!(
        shown(IncidentStatus::Monitoring, identified).await,
        (IncidentChange::Updated, None, at(9))
    );
}

#[tokio::test]
async fn preview_of_a_review_is_its_beginning() {
    let long = StatuspageEntry {
        body: "x".repeat(50_000),
        ..entry(Postmortem, 7)
    };
    let reviewed = vec![long.clone(), entry(Resolved, 5)];
    assert_eq!(
        shown(IncidentStatus::Resolved, reviewed).await,
        (IncidentChange::Reviewed, Some(beginning(&long.body)), at(7))
    );
    assert!(beginning(&long.body).len() < 3_000);
}

#[tokio::test]
async fn preview_has_the_impacts_of_the_incident_the_worst_first() {
    let notice = previewed(record(IncidentStatus::Investigating, Vec::new())).await;
    let affected = notice.content.change.affected();
    let expected = [
        ("Web", Some(ComponentStatus::MajorOutage.into())),
        ("API", Some(ComponentStatus::Degraded.into())),
    ];
    assert_eq!(affected, expected);
}
