//! How the databases find the periods of the last days among many.

use allclear_application::component::history::Interval;
use allclear_domain::id::{ComponentId, OrganisationId};
use chrono::{DateTime, TimeDelta};
use sea_orm::sea_query::SelectStatement;
use sea_orm::{EntityTrait, QueryFilter, QuerySelect, QueryTrait};
use uuid::Uuid;

use super::correction::beginning_of_each;
use super::current::last_periods;
use super::spans::{SpanPlace, count_within, ended_spans, lasting_spans, newest_within};
use super::{overlapping, related};
use crate::entity::component_period::Entity;
use crate::fixture::{postgresql, sqlite};
use crate::query_plan::plan;

/// 20,000 old periods of one component, and one that lasts.
const OLD_PERIODS: [&str; 4] = [
    "INSERT INTO organisations (id, code, name, revision, created_at) VALUES ('acme', 'c', 'Acme', 0, now())",
    "INSERT INTO components (id, organisation_id, code, name, description, status, status_source, created_at, updated_at, version) \
     VALUES (lpad('c', 32, '0')::uuid, 'acme', 'c', 'API', '', 'OPERATIONAL', 'OPERATOR', now(), now(), 0)",
    "INSERT INTO component_periods (id, organisation_id, component_id, status, start_at, end_at, cause_type, version) \
     SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', lpad('c', 32, '0')::uuid, 'DEGRADED', TIMESTAMPTZ '2020-01-01', \
     CASE WHEN n = 20000 THEN NULL ELSE TIMESTAMPTZ '2020-01-02' END, 'OPERATOR', 0 FROM generate_series(1, 20000) n",
    "ANALYZE",
];

/// 20,000 incidents of one component. All but 1,000 are old.
const OLD_INCIDENTS: [&str; 5] = [
    "INSERT INTO organisations (id, code, name, revision, created_at) VALUES ('acme', 'c', 'Acme', 0, now())",
    "INSERT INTO components (id, organisation_id, code, name, description, status, status_source, created_at, updated_at, version) \
     VALUES (lpad('c', 32, '0')::uuid, 'acme', 'c', 'API', '', 'OPERATIONAL', 'OPERATOR', now(), now(), 0)",
    "INSERT INTO incidents (id, organisation_id, code, title, description, status, occured_at, resolved_at, created_at, updated_at, \
     version) SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', n::text, 't', 'd', 'RESOLVED', TIMESTAMPTZ '2020-01-01', \
     CASE WHEN n > 19000 THEN TIMESTAMPTZ '2020-09-20' ELSE TIMESTAMPTZ '2020-01-02' END, now(), now(), 0 \
     FROM generate_series(1, 20000) n",
    "INSERT INTO incident_components SELECT id, lpad('c', 32, '0')::uuid, 'DEGRADED' FROM incidents",
    "ANALYZE",
];

/// Pages of all periods of an organisation.
fn pages() -> [SelectStatement; 3] {
    let acme = OrganisationId::parse("acme").unwrap();
    let at = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let place = SpanPlace {
        end_at: at,
        id: Uuid::from_u128(7),
    };
    [
        lasting_spans(&acme),
        ended_spans(&acme, at, None),
        ended_spans(&acme, at, Some(place)),
    ]
}

/// The statuses and the periods of some components on some days, and from a day on.
fn of_components() -> [SelectStatement; 4] {
    let from = DateTime::from_timestamp(1_600_000_000, 0).unwrap();
    let until = from + TimeDelta::days(90);
    let components = [Uuid::from_u128(12), Uuid::from_u128(13)];
    let periods = |to| {
        let from = Some(from);
        beginning_of_each(&components, Interval { from, to }).into_query()
    };
    [
        newest_within(&components, (from, Some(until)), 100),
        newest_within(&components, (from, None), 100),
        periods(Some(until)),
        periods(None),
    ]
}

/// The number of periods of some components on some days, and from a day on.
fn counts() -> [SelectStatement; 2] {
    let from = DateTime::from_timestamp(1_600_000_000, 0).unwrap();
    let components = [Uuid::from_u128(12), Uuid::from_u128(13)];
    [Some(from + TimeDelta::days(90)), None].map(|to| count_within(&components, (from, to), 100))
}

/// The incidents of one component and of many on some days.
fn related_incidents() -> [SelectStatement; 2] {
    let acme = OrganisationId::parse("acme").unwrap();
    let from = DateTime::from_timestamp(1_600_000_000, 0).unwrap();
    [12..13, 12..212].map(|ids| {
        let components: Vec<_> = ids.map(|id| ComponentId(Uuid::from_u128(id))).collect();
        related(&acme, &components, from, from + TimeDelta::days(90))
    })
}

/// The periods of a component since a day.
fn of_component() -> SelectStatement {
    let interval = Interval {
        from: DateTime::from_timestamp(1_600_000_000, 0),
        to: None,
    };
    let id = ComponentId(Uuid::from_u128(12));
    QuerySelect::query(&mut Entity::find().filter(overlapping(id, interval))).take()
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_reads_of_a_component_only_the_periods_since_a_day() {
    let (database, _folder) = sqlite().await;
    let plan = plan(database.read(), &of_component()).await;
    assert!(!plan.contains("SCAN"), "{plan}");
    assert!(
        plan.contains("component_id=? AND start_at>?")
            && plan.contains("component_id=? AND start_at<?"),
        "{plan}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_reads_the_last_period_of_each_component_in_the_order_of_the_index() {
    let (database, _folder) = sqlite().await;
    let last = last_periods(&[12, 13].map(Uuid::from_u128));
    let plan = plan(database.read(), &last.into_query()).await;
    assert!(!plan.contains("SCAN"), "{plan}");
    assert!(plan.contains("component_id=?"), "{plan}");
    // Only periods that start together are sorted.
    assert!(plan.contains("LAST 2 TERMS OF ORDER BY"), "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_the_last_period_of_each_component() {
    let [organisation, component, ..] = OLD_PERIODS;
    let periods = "INSERT INTO component_periods (id, organisation_id, component_id, status, start_at, end_at, cause_type, version) \
         SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', lpad('c', 32, '0')::uuid, 'DEGRADED', \
         TIMESTAMPTZ '2020-01-01' + n * INTERVAL '2 hours', TIMESTAMPTZ '2020-01-01' + n * INTERVAL '2 hours' + INTERVAL '1 hour', \
         'OPERATOR', 0 FROM generate_series(1, 20000) n";
    let rows = [organisation, component, periods, "ANALYZE"];
    let Some(database) = postgresql(&rows).await else {
        return;
    };
    let last = last_periods(&[12, 13].map(Uuid::from_u128));
    let plan = plan(database.read(), &last.into_query()).await;
    assert!(!plan.contains("Seq Scan on component_periods"), "{plan}");
    assert!(plan.contains("periods_of_component"), "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_the_periods_of_an_organisation() {
    let (database, _folder) = sqlite().await;
    for page in pages() {
        let plan = plan(database.read(), &page).await;
        assert!(!plan.contains("SCAN"), "{plan}");
        assert!(plan.contains("periods_of_organisation"), "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_the_periods_of_an_organisation() {
    let Some(database) = postgresql(&OLD_PERIODS).await else {
        return;
    };
    for page in pages() {
        let plan = plan(database.read(), &page).await;
        assert!(!plan.contains("Seq Scan on component_periods"), "{plan}");
        assert!(plan.contains("periods_of_organisation"), "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_reads_of_each_component_only_the_periods_of_an_interval() {
    let (database, _folder) = sqlite().await;
    for query in of_components() {
        let plan = plan(database.read(), &query).await;
        assert!(!plan.contains("SCAN"), "{plan}");
        assert!(
            plan.contains("component_id=? AND start_at>?")
                && plan.contains("component_id=? AND start_at<?"),
            "{plan}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_counts_periods_of_an_interval_in_the_index() {
    let (database, _folder) = sqlite().await;
    for query in counts() {
        let plan = plan(database.read(), &query).await;
        assert!(!plan.contains("SCAN component_periods"), "{plan}");
        assert!(
            plan.contains("COVERING INDEX periods_of_component (component_id=? AND start_at>?"),
            "{plan}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_counts_periods_of_an_interval_in_the_index() {
    let Some(database) = postgresql(&OLD_PERIODS).await else {
        return;
    };
    for query in counts() {
        let plan = plan(database.read(), &query).await;
        assert!(!plan.contains("Seq Scan on component_periods"), "{plan}");
        assert!(plan.contains("periods_of_component"), "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_reads_of_each_component_only_the_periods_of_an_interval() {
    let Some(database) = postgresql(&OLD_PERIODS).await else {
        return;
    };
    for query in of_components() {
        let plan = plan(database.read(), &query).await;
        assert!(!plan.contains("Seq Scan on component_periods"), "{plan}");
        assert!(plan.matches("periods_of_component").count() >= 2, "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_reads_no_incident_that_was_over_before_an_interval() {
    let (database, _folder) = sqlite().await;
    for query in related_incidents() {
        let plan = plan(database.read(), &query).await;
        assert!(!plan.contains("SCAN"), "{plan}");
        assert!(
            plan.contains("incidents_by_resolution (organisation_id=? AND resolved_at>?)")
                && plan.contains("incidents_by_resolution (organisation_id=? AND resolved_at=?)"),
            "{plan}"
        );
        assert!(plan.contains("(incident_id=?"), "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_reads_no_incident_that_was_over_before_an_interval() {
    let Some(database) = postgresql(&OLD_INCIDENTS).await else {
        return;
    };
    for query in related_incidents() {
        let plan = plan(database.read(), &query).await;
        assert!(!plan.contains("Seq Scan"), "{plan}");
        assert!(!plan.contains("incidents_of_component"), "{plan}");
        assert_eq!(plan.matches("incidents_by_resolution").count(), 2, "{plan}");
        assert!(plan.contains("incident_components_pkey"), "{plan}");
    }
}
