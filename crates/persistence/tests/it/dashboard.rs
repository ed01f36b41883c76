use std::collections::HashSet;

use allclear_application::dashboard::{DashboardReport, DashboardStore, ShownChanges};
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::{MaintenancePatch, MaintenanceStatus};
use allclear_persistence::database::Database;
use chrono::TimeDelta;

use crate::backend::{assert_none, clock};
use crate::contract;
use crate::maintenance::component::plan;
use crate::maintenance::{create, edit};
use crate::organisation_fixture::{OrganisationFixture, open_on, set};

contract!(
    dashboard_shows_what_is_wrong,
    dashboard_names_the_newest_open_incident_of_a_component,
    dashboard_lists_an_operational_component_under_maintenance,
    dashboard_shows_the_maintenances_of_the_next_week,
    dashboard_shows_the_newest_twenty_changes,
    dashboard_belongs_to_its_organisation,
);

async fn dashboard(fixture: &OrganisationFixture) -> DashboardReport {
    let now = clock().now();
    let found = fixture
        .database
        .dashboard(&fixture.id, ShownChanges::OfContent, now, now)
        .await;
    found.unwrap().unwrap()
}

async fn dashboard_shows_what_is_wrong(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    assert_eq!(dashboard(&fixture).await.banner, None);
    let api = fixture.component("API").await;
    fixture.component("Web").await;
    let calm = dashboard(&fixture).await;
    assert!(calm.banner.unwrap().operational);
    assert!(calm.components.is_empty() && calm.incidents.is_empty());

    let past = fixture.open("Past", &[]).await.id;
    fixture.edit(past, set(IncidentStatus::Resolved)).await;
    let first = fixture.open("First", &[]).await.id;
    let impact = open_on(api, ComponentStatus::MajorOutage);
    let second = fixture.open("Second", &[impact]).await.id;
    fixture
        .record(second, IncidentStatus::Identified, "A cable")
        .await;
    let found = dashboard(&fixture).await;
    assert!(!found.banner.unwrap().operational);
    let incidents: Vec<_> = found
        .incidents
        .iter()
        .map(|report| (report.incident.id, report.timeline.len()))
        .collect();
    assert_eq!(incidents, [(second, 1), (first, 0)]);
    let components: Vec<_> = found
        .components
        .iter()
        .map(|found| found.component.id)
        .collect();
    assert_eq!(components, [api]);
}

async fn dashboard_names_the_newest_open_incident_of_a_component(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let on = |component| open_on(component, ComponentStatus::MajorOutage);
    fixture.open("First", &[on(api)]).await;
    let second = fixture.open("Second", &[on(api)]).await.id;
    let third = fixture.open("Third", &[on(api), on(web)]).await.id;
    let impacts = async || {
        let found = dashboard(&fixture).await.impacts;
        let pairs = found
            .iter()
            .map(|impact| (impact.component, impact.incident));
        pairs.collect::<HashSet<_>>()
    };
    assert_eq!(impacts().await, HashSet::from([(api, third), (web, third)]));
    fixture.edit(third, set(IncidentStatus::Resolved)).await;
    assert_eq!(impacts().await, HashSet::from([(api, second)]));
}

async fn dashboard_lists_an_operational_component_under_maintenance(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let at = |hours: i64| clock().now() + TimeDelta::hours(hours);
    plan(&fixture, at(-1), None, &[api]).await;
    plan(&fixture, at(1), None, &[web]).await;
    let found = dashboard(&fixture).await;
    let components: Vec<_> = found
        .components
        .iter()
        .map(|report| (report.component.id, report.under_maintenance))
        .collect();
    assert_eq!(components, [(api, true)]);
    let status = found.components[0].component.status;
    assert_eq!(status, ComponentStatus::Operational);
    assert!(found.banner.unwrap().operational);
}

async fn dashboard_shows_the_newest_twenty_changes(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let names: Vec<_> = (0..21).map(|number| format!("API {number}")).collect();
    for name in &names {
        fixture.component(name).await;
    }
    let found = dashboard(&fixture).await;
    let changes = found.changes.iter();
    let shown: Vec<_> = changes
        .map(|change| change.target_name.as_deref().unwrap())
        .collect();
    let newest: Vec<_> = names[1..].iter().rev().map(String::as_str).collect();
    assert_eq!(shown, newest);
}

async fn dashboard_shows_the_maintenances_of_the_next_week(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let at = |hours: i64| clock().now() + TimeDelta::hours(hours);
    let next_week = create(database, &fixture.id, at(7 * 24 - 1), None).await;
    let running = create(database, &fixture.id, at(-2), Some(at(1))).await;
    let soon = create(database, &fixture.id, at(3), Some(at(4))).await;
    create(database, &fixture.id, at(-4), Some(at(-3))).await;
    create(database, &fixture.id, at(7 * 24 + 1), None).await;
    let cancelled = create(database, &fixture.id, at(5), None).await;
    let patch = MaintenancePatch {
        status: Some(MaintenanceStatus::Cancelled),
        ..MaintenancePatch::default()
    };
    edit(database, &fixture.id, cancelled.id, patch).await;
    let found = dashboard(&fixture).await.maintenances;
    let ids: Vec<_> = found.iter().map(|report| report.maintenance.id).collect();
    assert_eq!(ids, [running.id, soon.id, next_week.id]);
}

async fn dashboard_belongs_to_its_organisation(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let other = OrganisationFixture::new(database, "other").await;
    fixture.component("API").await;
    fixture.open("Down", &[]).await;
    let found = dashboard(&other).await;
    assert_eq!((found.banner, found.incidents.len()), (None, 0));
    assert!(found.changes.is_empty());
    let (nobody, now) = (OrganisationId::parse("nobody").unwrap(), clock().now());
    assert_none(database.dashboard(&nobody, ShownChanges::All, now, now)).await;
}
