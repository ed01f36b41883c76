//! Incidents of many components.

use allclear_application::component::history::{ComponentHistoryStore, Interval};
use allclear_application::outbox::{Backlog, Outbox, PublicEvent};
use allclear_application::page::Page;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::ComponentId;
use allclear_domain::incident::{IncidentPatch, IncidentStatus};
use allclear_domain::organisation::Revision;
use allclear_domain::status_period::{PeriodCause, StatusPeriod};
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use serde_json::Value;

use crate::contract;
use crate::organisation_fixture::{OrganisationFixture, open_on, set};

contract!(
    incident_gives_hundreds_of_components_their_statuses_and_periods,
    corrected_time_moves_the_periods_of_hundreds_of_components,
);

/// No power of two: the last batches are small.
const MANY: usize = 299;

async fn components(fixture: &OrganisationFixture) -> Vec<ComponentId> {
    let mut components = Vec::new();
    for number in 0..MANY {
        components.push(fixture.component(&format!("API {number}")).await);
    }
    components
}

/// The impact on the component with this number.
fn impact(number: usize) -> ComponentStatus {
    [ComponentStatus::MajorOutage, ComponentStatus::Degraded][number % 2]
}

/// The names of the events of a revision before those of components, and the components, in order.
async fn events_of(
    fixture: &OrganisationFixture,
    revision: Revision,
) -> (Vec<String>, Vec<String>) {
    let before = Revision(revision.0 - 1);
    let found = fixture.database.after(&fixture.id, before, 1).await;
    let Backlog::Commits(commits) = found.unwrap() else {
        panic!("nothing was pruned");
    };
    let is_of_component = |event: &&PublicEvent| event.name == "component-update";
    let (of_components, others): (Vec<_>, Vec<_>) =
        commits[0].events.iter().partition(is_of_component);
    let component = |event: &&PublicEvent| {
        let args: Value = serde_json::from_str(event.args.get()).unwrap();
        args[0]["id"].as_str().unwrap().to_owned()
    };
    (
        others.iter().map(|event| event.name.clone()).collect(),
        of_components.iter().map(component).collect(),
    )
}

async fn periods(fixture: &OrganisationFixture, id: ComponentId) -> Vec<StatusPeriod> {
    let (interval, page) = (Interval::default(), Page::default());
    let found = fixture.database.history(&fixture.id, id, interval, page);
    found.await.unwrap().unwrap().periods.items
}

async fn incident_gives_hundreds_of_components_their_statuses_and_periods(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let components = components(&fixture).await;
    let ids: Vec<_> = components.iter().map(ToString::to_string).collect();
    let impacts = components.iter().enumerate();
    let impacts: Vec<_> = impacts
        .map(|(number, id)| open_on(*id, impact(number)))
        .rev()
        .collect();
    let incident = fixture.open("Down", &impacts).await;
    let events = (vec!["new-incident".to_owned()], ids.clone());
    assert_eq!(events_of(&fixture, incident.version).await, events);
    for (number, id) in components.iter().enumerate() {
        let found = fixture.found_component(*id).await;
        assert_eq!(
            (found.status, found.version, found.history_version),
            (impact(number), incident.version, incident.version)
        );
        let periods = periods(&fixture, *id).await;
        let [period] = periods.as_slice() else {
            panic!("{periods:?}")
        };
        assert_eq!(
            (period.span.status, period.span.start_at, period.span.end_at),
            (impact(number), incident.occured_at, None)
        );
        let PeriodCause::Incident(cause, _) = &period.cause else {
            panic!("{period:?}")
        };
        assert_eq!(*cause, incident.id);
    }
    let update = fixture
        .record(incident.id, IncidentStatus::Resolved, "Over")
        .await;
    let names = ["timeline-updated", "incident-updated"].map(str::to_owned);
    let events = (Vec::from(names), ids);
    assert_eq!(events_of(&fixture, update.version).await, events);
    let resolved = fixture.found(incident.id).await;
    for (number, id) in components.iter().enumerate() {
        let found = fixture.found_component(*id).await;
        assert_eq!(found.status, ComponentStatus::Operational);
        let periods = periods(&fixture, *id).await;
        let spans: Vec<_> = periods.iter().map(|period| period.span).collect();
        let [span] = spans.as_slice() else {
            panic!("{spans:?}")
        };
        assert_eq!(
            (span.status, span.end_at),
            (impact(number), resolved.resolved_at)
        );
    }
}

async fn corrected_time_moves_the_periods_of_hundreds_of_components(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let components = components(&fixture).await;
    let impacts = components.iter().enumerate();
    let impacts: Vec<_> = impacts
        .map(|(number, id)| open_on(*id, impact(number)))
        .collect();
    let incident = fixture.open("Down", &impacts).await;
    let occured_at = incident.occured_at - TimeDelta::hours(1);
    let moved = IncidentPatch {
        occured_at: Some(occured_at),
        ..set(IncidentStatus::Investigating)
    };
    let moved = fixture.edit(incident.id, moved).await;
    for id in components {
        let periods = periods(&fixture, id).await;
        let starts: Vec<_> = periods.iter().map(|period| period.span.start_at).collect();
        assert_eq!(starts, [occured_at]);
        let found = fixture.found_component(id).await;
        assert_eq!(
            (found.version, found.history_version),
            (incident.version, moved.version)
        );
    }
}
