use allclear_application::audit::{AuditFilter, AuditStore};
use allclear_application::component::ComponentStore;
use allclear_application::component::history::{ComponentHistoryStore, HistoryScope, Interval};
use allclear_application::component_group::ComponentGroupStore;
use allclear_application::error::Error;
use allclear_application::incident::IncidentStore;
use allclear_application::page::Page;
use allclear_application::stamp::Stamp;
use allclear_application::status_page::SnapshotStore;
use allclear_application::transition::{CreateTransition, Transition};
use allclear_domain::audit::Action;
use allclear_domain::component::{Component, ComponentDraft, ComponentPatch, ComponentStatus};
use allclear_domain::component_group::{ComponentGroup, ComponentGroupPatch};
use allclear_domain::id::{
    ComponentGroupId, ComponentId, IncidentId, OrganisationId, StatusPeriodId,
};
use allclear_domain::incident::{Incident, IncidentDraft, IncidentStatus};
use allclear_domain::status_period::{
    ComponentHistory, HistoryChange, HistoryError, PeriodCause, StatusPeriod, StatusSpan,
};
use allclear_domain::time_zone::TimeZone;
use allclear_domain::uptime::NewestSpans;
use allclear_domain::validation::Invalid;
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::backend::{author, clock, organisation};
use crate::contract;
use crate::organisation_fixture::{OrganisationFixture, open_on};

contract!(
    a_change_of_status_ends_one_period_and_begins_another,
    changes_of_one_instant_leave_no_empty_period,
    a_period_that_lasts_ends_although_an_empty_one_began_with_it,
    a_corrected_history_reads_as_it_was_written,
    a_rule_sees_what_a_new_period_overlaps,
    a_history_is_newest_first_and_comes_in_parts,
    a_history_belongs_to_its_organisation,
    spans_of_a_group_are_those_of_its_components_that_show_uptime,
    related_incidents_affected_the_components_in_the_interval,
    the_snapshot_has_the_seconds_of_the_last_days,
);

async fn create(database: &Database, organisation: &OrganisationId) -> Component {
    let draft = ComponentDraft {
        name: "API".into(),
        start_date: Some(allclear_domain::component::UptimeStart::Unlimited),
        ..ComponentDraft::default()
    };
    let create = Box::new(move |stamp: Stamp| {
        Ok(Component::create(
            ComponentId(stamp.id),
            draft,
            stamp.zone,
            stamp.committed_at,
        )?)
    });
    let inserted = ComponentStore::insert(database, organisation, create, author()).await;
    inserted.unwrap().state.component
}

async fn set_status(
    database: &Database,
    organisation: &OrganisationId,
    id: ComponentId,
    status: ComponentStatus,
) -> Component {
    // A millisecond later, so that the period before has a length.
    let later = |stamp: Stamp| stamp.committed_at + TimeDelta::milliseconds(1);
    set_status_at(database, organisation, id, status, later).await
}

async fn set_status_at(
    database: &Database,
    organisation: &OrganisationId,
    id: ComponentId,
    status: ComponentStatus,
    at: impl FnOnce(Stamp) -> DateTime<Utc> + Send + 'static,
) -> Component {
    let patch = ComponentPatch {
        status: Some(status),
        ..ComponentPatch::default()
    };
    let rule: Transition<Component> =
        Box::new(move |component, stamp| Ok(component.edit(patch, stamp.zone, at(stamp))?));
    let changed = ComponentStore::change(database, organisation, id, rule, author()).await;
    changed.unwrap().unwrap().state.component
}

/// From so many hours ago to so many hours ago.
fn span(from: i64, to: i64) -> StatusSpan {
    // A whole second: the seconds of each day are rounded down, and midnight may be within
    // the span.
    let now = DateTime::from_timestamp(clock().now().timestamp(), 0).unwrap();
    StatusSpan {
        status: ComponentStatus::MajorOutage,
        start_at: now - TimeDelta::hours(from),
        end_at: Some(now - TimeDelta::hours(to)),
    }
}

async fn add(
    database: &Database,
    organisation: &OrganisationId,
    id: ComponentId,
    span: StatusSpan,
) -> Result<StatusPeriod, Error> {
    let rule: Transition<ComponentHistory, HistoryChange> = Box::new(move |history, stamp| {
        Ok(history.add(StatusPeriodId(stamp.id), span, author(), stamp.committed_at)?)
    });
    let scope = HistoryScope::New(span);
    let changed = database
        .change_history(organisation, id, scope, rule)
        .await?;
    Ok(changed.unwrap().state.period)
}

async fn history(
    database: &Database,
    organisation: &OrganisationId,
    id: ComponentId,
) -> Vec<StatusPeriod> {
    let page = database
        .history(organisation, id, Interval::default(), Page::default())
        .await;
    page.unwrap().unwrap().periods.items
}

async fn a_change_of_status_ends_one_period_and_begins_another(database: &Database) {
    let acme = organisation(database, "acme").await;
    let id = create(database, &acme).await.id;
    assert_eq!(history(database, &acme, id).await, []);
    let mut times: Vec<DateTime<Utc>> = Vec::new();
    for status in [
        ComponentStatus::Degraded,
        ComponentStatus::MajorOutage,
        ComponentStatus::Operational,
    ] {
        let changed = set_status(database, &acme, id, status).await;
        assert_eq!(changed.history_version, changed.version);
        times.push(changed.updated_at);
    }
    let periods = history(database, &acme, id).await;
    let spans: Vec<_> = periods.iter().map(|period| period.span).collect();
    let expected = [
        StatusSpan {
            status: ComponentStatus::MajorOutage,
            start_at: times[1],
            end_at: Some(times[2]),
        },
        StatusSpan {
            status: ComponentStatus::Degraded,
            start_at: times[0],
            end_at: Some(times[1]),
        },
    ];
    assert_eq!(spans, expected);
    let cause = PeriodCause::Operator(Some(author()));
    assert!(periods.iter().all(|period| period.cause == cause));
}

async fn changes_of_one_instant_leave_no_empty_period(database: &Database) {
    use ComponentStatus::{Degraded, MajorOutage, Operational, PartialOutage};
    let acme = organisation(database, "acme").await;
    let id = create(database, &acme).await.id;
    let first = clock().now() + TimeDelta::seconds(1);
    let (second, third) = (first + TimeDelta::seconds(1), first + TimeDelta::seconds(2));
    let set = async |status, at| set_status_at(database, &acme, id, status, move |_| at).await;
    let spans = async || {
        let periods = history(database, &acme, id).await;
        let spans = periods.into_iter().map(|period| period.span);
        spans.collect::<Vec<_>>()
    };
    let span = |status, start_at, end_at| StatusSpan {
        status,
        start_at,
        end_at,
    };
    for status in [Degraded, PartialOutage, MajorOutage] {
        set(status, first).await;
    }
    assert_eq!(spans().await, [span(MajorOutage, first, None)]);
    set(Degraded, second).await;
    set(Operational, second).await;
    let outage = span(MajorOutage, first, Some(second));
    assert_eq!(spans().await, [outage]);
    set(PartialOutage, second).await;
    set(Operational, third).await;
    let partial = span(PartialOutage, second, Some(third));
    assert_eq!(spans().await, [partial, outage]);
}

async fn a_period_that_lasts_ends_although_an_empty_one_began_with_it(database: &Database) {
    let acme = organisation(database, "acme").await;
    let id = create(database, &acme).await.id;
    let start_at = set_status(database, &acme, id, ComponentStatus::Degraded).await;
    let start_at = start_at.updated_at;
    // Earlier versions stored such periods.
    let rule: Transition<ComponentHistory, HistoryChange> = Box::new(move |history, stamp| {
        let mut changed = history.add(
            StatusPeriodId(Uuid::max()),
            span(3, 2),
            author(),
            stamp.committed_at,
        )?;
        let empty = &mut changed.state.changes.inserted[0].span;
        (empty.start_at, empty.end_at) = (start_at, Some(start_at));
        Ok(changed)
    });
    let scope = HistoryScope::New(span(3, 2));
    let stored = database.change_history(&acme, id, scope, rule).await;
    stored.unwrap().unwrap();
    set_status(database, &acme, id, ComponentStatus::Operational).await;
    let periods = history(database, &acme, id).await;
    assert!(periods.iter().all(|period| period.span.end_at.is_some()));
}

async fn a_corrected_history_reads_as_it_was_written(database: &Database) {
    let acme = organisation(database, "acme").await;
    let component = create(database, &acme).await;
    let id = component.id;
    let added = add(database, &acme, id, span(3, 2)).await.unwrap();
    assert_eq!(added.cause, PeriodCause::Correction(author()));
    assert_eq!(
        history(database, &acme, id).await,
        std::slice::from_ref(&added)
    );

    let (period, longer) = (added.id, span(4, 1));
    let rule: Transition<ComponentHistory, HistoryChange> = Box::new(move |history, stamp| {
        let changed = history.change(period, longer, stamp.committed_at);
        changed.map_err(|error| panic!("{error}"))
    });
    let scope = HistoryScope::Changed(period, longer);
    let changed = database.change_history(&acme, id, scope, rule).await;
    let changed = changed.unwrap().unwrap();
    let commit = changed.commit.unwrap();
    assert_eq!(commit.events[0].name, "component-update");
    assert_eq!(changed.state.component.history_version, commit.revision);
    assert_eq!(changed.state.component.version, component.version);
    assert_eq!(history(database, &acme, id).await, [changed.state.period]);

    let rule: Transition<ComponentHistory, HistoryChange> = Box::new(move |history, stamp| {
        let changed = history.delete(period, stamp.committed_at);
        changed.map_err(|error| panic!("{error}"))
    });
    let scope = HistoryScope::Deleted(period);
    database
        .change_history(&acme, id, scope, rule)
        .await
        .unwrap();
    assert_eq!(history(database, &acme, id).await, []);
    let deletion = AuditFilter {
        action: Some(Action::ComponentHistoryDeleted),
        ..AuditFilter::default()
    };
    let log = AuditStore::list(database, &acme, &deletion, Page::default());
    let log = log.await.unwrap();
    assert!(log.items[0].before.is_some());
    assert_eq!(log.items[0].after, None);
    let rule: Transition<ComponentHistory, HistoryChange> = Box::new(move |history, stamp| {
        assert_eq!(
            history.delete(period, stamp.committed_at),
            Err(HistoryError::NotFound)
        );
        Err(Error::Stale)
    });
    assert!(
        database
            .change_history(&acme, id, scope, rule)
            .await
            .is_err()
    );
}

async fn a_rule_sees_what_a_new_period_overlaps(database: &Database) {
    let acme = organisation(database, "acme").await;
    let (one, other) = (
        create(database, &acme).await.id,
        create(database, &acme).await.id,
    );
    let added = add(database, &acme, one, span(3, 2)).await.unwrap();
    let touching = StatusSpan {
        start_at: added.span.end_at.unwrap(),
        end_at: Some(added.span.end_at.unwrap() + TimeDelta::minutes(1)),
        ..added.span
    };
    for overlapping in [span(4, 1), added.span] {
        let result = add(database, &acme, one, overlapping).await;
        assert!(matches!(result, Err(Error::Invalid(_))), "{result:?}");
    }
    assert!(add(database, &acme, one, touching).await.is_ok());
    assert!(add(database, &acme, other, added.span).await.is_ok());
}

async fn a_history_is_newest_first_and_comes_in_parts(database: &Database) {
    let acme = organisation(database, "acme").await;
    let id = create(database, &acme).await.id;
    let mut added = Vec::new();
    for from in [10, 30, 20] {
        added.push(
            add(database, &acme, id, span(from, from - 5))
                .await
                .unwrap(),
        );
    }
    let part = async |before| {
        let page = Page {
            limit: Some(2),
            before,
        };
        let found = database.history(&acme, id, Interval::default(), page).await;
        found.unwrap().unwrap().periods
    };
    let first = part(None).await;
    assert_eq!(first.items, [added[0].clone(), added[2].clone()]);
    let rest = part(first.next).await;
    assert_eq!((rest.items, rest.next), (vec![added[1].clone()], None));
    let other = create(database, &acme).await.id;
    let elsewhere = add(database, &acme, other, span(9, 8)).await.unwrap().id;
    for unknown in [elsewhere.0, Uuid::max()] {
        let page = Page {
            limit: Some(2),
            before: Some(unknown),
        };
        let found = database.history(&acme, id, Interval::default(), page).await;
        let Err(Error::Invalid(invalid)) = found else {
            panic!("{found:?}");
        };
        assert_eq!(
            invalid,
            Invalid::field("before", "This period no longer exists")
        );
    }
    let bounded = Interval {
        from: Some(clock().now() - TimeDelta::hours(18)),
        to: Some(clock().now() - TimeDelta::hours(12)),
    };
    let found = database.history(&acme, id, bounded, Page::default()).await;
    assert_eq!(found.unwrap().unwrap().periods.items, [added[2].clone()]);
}

async fn a_history_belongs_to_its_organisation(database: &Database) {
    let acme = organisation(database, "acme").await;
    let other = organisation(database, "other").await;
    let id = create(database, &acme).await.id;
    add(database, &acme, id, span(3, 2)).await.unwrap();
    let page = database.history(&other, id, Interval::default(), Page::default());
    assert_eq!(page.await.unwrap(), None);
    let rule: Transition<ComponentHistory, HistoryChange> =
        Box::new(|_, _| panic!("the rule must not see it"));
    let scope = HistoryScope::New(span(6, 5));
    let changed = database.change_history(&other, id, scope, rule).await;
    assert!(changed.unwrap().is_none());
    let (from, to) = (clock().now() - TimeDelta::days(1), clock().now());
    let found = database.spans(&other, id, from, to).await.unwrap();
    assert_eq!(found, NewestSpans::default());
    let found = database.spans(&acme, id, from, to).await.unwrap();
    assert_eq!(found.spans.len(), 1);
    assert_eq!(database.zone(&acme).await.unwrap(), TimeZone::default());
}

async fn spans_of_a_group_are_those_of_its_components_that_show_uptime(database: &Database) {
    let acme = organisation(database, "acme").await;
    let other = organisation(database, "other").await;
    let new = Box::new(|stamp: Stamp| {
        let fields = ComponentGroupPatch {
            name: Some("Core".into()),
            ..ComponentGroupPatch::default()
        };
        let id = ComponentGroupId(stamp.id);
        Ok(ComponentGroup::create(id, fields, stamp.committed_at)?)
    });
    let group = ComponentGroupStore::insert(database, &acme, new);
    let group = group.await.unwrap().state.group.id;
    let mut ids = Vec::new();
    for shown in [true, true, false] {
        let id = create(database, &acme).await.id;
        let patch = ComponentPatch {
            group: Some(Some(group)),
            show_uptime: Some(shown),
            ..ComponentPatch::default()
        };
        let rule: Transition<Component> = Box::new(move |component, stamp| {
            Ok(component.edit(patch, stamp.zone, stamp.committed_at)?)
        });
        let moved = ComponentStore::change(database, &acme, id, rule, author()).await;
        moved.unwrap().unwrap();
        ids.push(id);
    }
    let ungrouped = create(database, &acme).await.id;
    // Over the start of the interval, within it, and after it.
    let mut added = Vec::new();
    for (from, to) in [(60, 45), (40, 35), (10, 5)] {
        for id in [ungrouped, ids[2], ids[0]] {
            added.push(add(database, &acme, id, span(from, to)).await.unwrap().span);
        }
    }
    let (from, to) = (
        clock().now() - TimeDelta::hours(50),
        clock().now() - TimeDelta::hours(30),
    );
    let found = database.spans_of_group(&acme, group, from, to).await;
    let mut found = found.unwrap().unwrap();
    found.sort_by_key(|component| component.id);
    assert_eq!(found.len(), 2);
    let expected = NewestSpans {
        spans: vec![added[5], added[2]],
        known_since: None,
    };
    assert_eq!((found[0].id, &found[0].newest), (ids[0], &expected));
    let none = NewestSpans::default();
    assert_eq!((found[1].id, &found[1].newest), (ids[1], &none));
    let foreign = database.spans_of_group(&other, group, from, to).await;
    assert_eq!(foreign.unwrap(), None);
}

/// An incident that began and ended this many hours ago, or is open.
async fn incident(
    fixture: &OrganisationFixture,
    from: i64,
    to: Option<i64>,
    on: &[ComponentId],
) -> IncidentId {
    let ago = |hours| clock().now() - TimeDelta::hours(hours);
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "All of it".into(),
        status: to.map_or(IncidentStatus::Investigating, |_| IncidentStatus::Resolved),
        occured_at: Some(ago(from)),
        resolved_at: to.map(ago),
        ..IncidentDraft::default()
    };
    let components: Vec<_> = on
        .iter()
        .map(|id| open_on(*id, ComponentStatus::Degraded))
        .collect();
    let attached = components.clone();
    let create: CreateTransition<Incident> = Box::new(move |stamp| {
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
    let created = IncidentStore::insert(&fixture.database, &fixture.id, create, components).await;
    created.unwrap().state.incident.id
}

async fn related_incidents_affected_the_components_in_the_interval(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let mail = fixture.component("Mail").await;
    incident(&fixture, 60, Some(51), &[api]).await;
    let across = incident(&fixture, 60, Some(45), &[api, web]).await;
    let within = incident(&fixture, 45, Some(35), &[web]).await;
    incident(&fixture, 45, Some(35), &[mail]).await;
    let open = incident(&fixture, 45, None, &[api, mail]).await;
    incident(&fixture, 29, Some(5), &[api]).await;
    incident(&fixture, 29, None, &[web]).await;
    let related = async |organisation: &OrganisationId, components: &[ComponentId]| {
        let from = clock().now() - TimeDelta::hours(50);
        let to = from + TimeDelta::hours(20);
        let found = database.related_incidents(organisation, components, from, to);
        let found = found.await.unwrap().into_iter();
        found.map(|incident| incident.id).collect::<Vec<_>>()
    };
    let acme = &fixture.id;
    assert_eq!(related(acme, &[api, web]).await, [open, within, across]);
    assert_eq!(related(acme, &[web]).await, [within, across]);
    assert_eq!(related(acme, &[]).await, []);
    let other = organisation(database, "other").await;
    assert_eq!(related(&other, &[api, web]).await, []);
}

async fn the_snapshot_has_the_seconds_of_the_last_days(database: &Database) {
    let acme = organisation(database, "acme").await;
    let id = create(database, &acme).await.id;
    add(database, &acme, id, span(3, 2)).await.unwrap();
    add(database, &acme, id, span(200 * 24, 199 * 24))
        .await
        .unwrap();
    let now = clock().now();
    let snapshot = database.snapshot(&acme, now).await.unwrap().unwrap();
    let uptime = snapshot.components[0].uptime.clone().unwrap();
    let major: u64 = uptime.days.iter().map(|day| day.major).sum();
    assert_eq!(major, 3600);
    assert_eq!(uptime.percentage.map(f64::from), Some(99.95));
}
