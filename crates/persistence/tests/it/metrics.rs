use allclear_application::component::ComponentStore;
use allclear_application::component::history::{ComponentHistoryStore, HistoryScope};
use allclear_application::incident::IncidentStore;
use allclear_application::metrics::{MetricsReport, MetricsStore};
use allclear_application::stamp::Stamp;
use allclear_application::transition::{CreateTransition, Transition};
use allclear_domain::component::{Component, ComponentDraft, ComponentStatus, UptimeStart};
use allclear_domain::id::{
    ComponentGroupId, ComponentId, IncidentId, OrganisationId, StatusPeriodId,
};
use allclear_domain::incident::{Incident, IncidentDraft, IncidentStatus};
use allclear_domain::metrics::{Durations, MetricsDays};
use allclear_domain::status_period::{ComponentHistory, HistoryChange, StatusSpan};
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};

use crate::backend::{assert_none, author, clock};
use crate::contract;
use crate::organisation_fixture::{OrganisationFixture, ann, open_on};

contract!(
    uptime_is_that_of_each_component_and_the_mean_of_its_group,
    incidents_are_counted_by_week_and_component_with_their_times,
    metrics_belong_to_their_organisation,
);

fn hours_ago(hours: i64) -> DateTime<Utc> {
    clock().now() - TimeDelta::hours(hours)
}

impl OrganisationFixture {
    async fn metrics(&self, days: &str) -> MetricsReport {
        let days = MetricsDays::parse(days).unwrap();
        let found = self.database.metrics(&self.id, days, clock().now()).await;
        found.unwrap().unwrap()
    }

    /// A component whose uptime counts from the beginning.
    async fn measured(&self, name: &str, group: ComponentGroupId, is_shown: bool) -> ComponentId {
        let draft = ComponentDraft {
            name: name.into(),
            group: Some(group),
            show_uptime: is_shown,
            start_date: Some(UptimeStart::Unlimited),
            ..ComponentDraft::default()
        };
        let create: CreateTransition<Component> = Box::new(move |stamp| {
            let id = ComponentId(stamp.id);
            Ok(Component::create(
                id,
                draft,
                stamp.zone,
                stamp.committed_at,
            )?)
        });
        let created = ComponentStore::insert(&self.database, &self.id, create, author()).await;
        created.unwrap().state.component.id
    }

    /// An hour of a major outage.
    async fn outage(&self, id: ComponentId, start_at: DateTime<Utc>) {
        let span = StatusSpan {
            status: ComponentStatus::MajorOutage,
            start_at,
            end_at: Some(start_at + TimeDelta::hours(1)),
        };
        let rule: Transition<ComponentHistory, HistoryChange> = Box::new(move |history, stamp| {
            Ok(history.add(StatusPeriodId(stamp.id), span, ann(), stamp.committed_at)?)
        });
        let scope = HistoryScope::New(span);
        let changed = self.database.change_history(&self.id, id, scope, rule);
        changed.await.unwrap().unwrap();
    }

    /// An incident that began and ended this many hours ago.
    async fn past(&self, title: &str, from: i64, to: i64, component: ComponentId) {
        let draft = IncidentDraft {
            title: title.into(),
            description: "All of it".into(),
            status: IncidentStatus::Resolved,
            occured_at: Some(hours_ago(from)),
            resolved_at: Some(hours_ago(to)),
            ..IncidentDraft::default()
        };
        let components = vec![open_on(component, ComponentStatus::Degraded)];
        let attached = components.clone();
        let create: CreateTransition<Incident> = Box::new(move |stamp: Stamp| {
            let id = IncidentId(stamp.id);
            let notify = stamp.notify_by_default;
            Ok(Incident::create(
                id,
                draft,
                &attached,
                notify,
                stamp.committed_at,
            )?)
        });
        IncidentStore::insert(&self.database, &self.id, create, components)
            .await
            .unwrap();
    }
}

async fn uptime_is_that_of_each_component_and_the_mean_of_its_group(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let edge = fixture.group().await;
    let api = fixture.measured("API", edge, true).await;
    fixture.measured("Web", edge, true).await;
    let hidden = fixture.measured("Hidden", edge, false).await;
    for days in [1, 2, 20] {
        fixture.outage(api, hours_ago(days * 24)).await;
    }
    fixture.outage(hidden, hours_ago(24)).await;
    let found = fixture.metrics("30").await;
    let percentages: Vec<_> = found
        .components
        .iter()
        .map(|uptime| (uptime.name.as_str(), f64::from(uptime.percentage.unwrap())))
        .collect();
    // 3 and 1 of 720 hours.
    assert_eq!(
        percentages,
        [("Hidden", 99.86), ("Web", 100.0), ("API", 99.58)]
    );
    let groups: Vec<_> = found
        .groups
        .iter()
        .map(|uptime| (uptime.id, f64::from(uptime.percentage.unwrap())))
        .collect();
    assert_eq!(groups, [(edge, 99.79)]);
    // Two of 168 hours.
    let week = fixture.metrics("7").await;
    assert_eq!(
        week.components[2].percentage.map(f64::from),
        Some(98.8),
        "{week:?}"
    );
}

async fn incidents_are_counted_by_week_and_component_with_their_times(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    fixture.past("One", 50, 49, api).await;
    fixture.past("Two", 60, 56, web).await;
    fixture.past("Three", 70, 69, web).await;
    fixture.past("Long ago", 24 * 40, 24 * 40 - 1, web).await;
    let open = fixture.open("Now", &[]).await.id;
    for message in ["First", "Second"] {
        fixture
            .record(open, IncidentStatus::Identified, message)
            .await;
    }
    let found = fixture.metrics("30").await;
    let counted: u64 = found.incidents.by_week.iter().map(|week| week.count).sum();
    assert_eq!(counted, 4);
    let by_component: Vec<_> = found
        .incidents_by_component
        .iter()
        .map(|found| (found.name.as_str(), found.count))
        .collect();
    assert_eq!(by_component, [("Web", 2), ("API", 1)]);
    let expected = Durations {
        median: Some(3600),
        longest: Some(4 * 3600),
    };
    assert_eq!(found.incidents.time_to_resolve, expected);
    assert!(found.incidents.time_to_first_update.longest.unwrap() < 60);
    assert_eq!(
        fixture.metrics("90").await.incidents_by_component[0].count,
        3,
        "with the one of long ago"
    );
}

async fn metrics_belong_to_their_organisation(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let other = OrganisationFixture::new(database, "other").await;
    let api = fixture.component("API").await;
    fixture.past("One", 50, 49, api).await;
    let found = other.metrics("365").await;
    assert!(found.components.is_empty() && found.incidents_by_component.is_empty());
    assert_eq!(found.incidents.time_to_resolve, Durations::default());
    assert!(found.incidents.by_week.iter().all(|week| week.count == 0));
    let (nobody, days) = (
        OrganisationId::parse("nobody").unwrap(),
        MetricsDays::default(),
    );
    assert_none(database.metrics(&nobody, days, clock().now())).await;
}
