//! The public history and the uptime by month.

use allclear_application::component::ComponentStore;
use allclear_application::component::history::{ComponentHistoryStore, HistoryScope, Interval};
use allclear_application::incident::IncidentStore;
use allclear_application::organisation::OrganisationStore;
use allclear_application::page::Page;
use allclear_application::review::ReviewStore;
use allclear_application::stamp::Stamp;
use allclear_application::status_page::history::{
    ENTRIES_SHOWN, History, HistorySelection, PublicHistoryStore,
};
use allclear_application::status_page::uptime::{UptimePage, UptimeSelection};
use allclear_application::transition::Transition;
use allclear_domain::code::Code;
use allclear_domain::component::{Component, ComponentPatch, ComponentStatus, UptimeStart};
use allclear_domain::id::{ComponentId, IncidentId, StatusPeriodId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::{Incident, IncidentDraft, IncidentStatus};
use allclear_domain::organisation::{Organisation, OrganisationPatch};
use allclear_domain::review::{IncidentAndReview, Review};
use allclear_domain::status_period::{ComponentHistory, HistoryChange, StatusSpan};
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};

use crate::backend::{author, clock, organisation};
use crate::contract;
use crate::maintenance;
use crate::organisation_fixture::{OrganisationFixture, open_on, set};

contract!(
    a_page_has_the_entries_of_three_months_of_the_zone,
    entries_of_a_component_are_those_that_affected_it,
    a_page_of_many_entries_is_bounded,
    details_have_the_periods_that_the_incident_caused,
    details_have_a_period_whose_start_was_corrected,
    affected_components_have_their_groups_and_the_worst_come_first,
    only_a_published_review_is_public,
    codes_belong_to_their_organisation,
    calendars_come_in_pages_and_in_the_order_of_the_page,
    calendar_of_a_component_counts_its_periods_by_month,
);

const FIRST: HistorySelection = HistorySelection {
    page: 1,
    component: None,
};

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn now() -> DateTime<Utc> {
    at("2025-11-20T12:00:00Z")
}

impl OrganisationFixture {
    async fn over(&self, title: &str, occured_at: &str, components: &[Attachment]) -> Incident {
        let occured_at = at(occured_at);
        let draft = IncidentDraft {
            title: title.into(),
            description: "d".into(),
            status: IncidentStatus::Resolved,
            occured_at: Some(occured_at),
            resolved_at: Some(occured_at + TimeDelta::hours(1)),
            ..Default::default()
        };
        let components = components.to_vec();
        let attached = components.clone();
        let create = Box::new(move |stamp: Stamp| {
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
        let created = IncidentStore::insert(&self.database, &self.id, create, components);
        created.await.unwrap().state.incident
    }

    async fn zone(&self, zone: &str) {
        let patch = OrganisationPatch {
            time_zone: Some(zone.parse().unwrap()),
            ..OrganisationPatch::default()
        };
        let rule: Transition<Organisation> =
            Box::new(move |organisation, _| Ok(organisation.edit(patch)?));
        let changed = OrganisationStore::change(&self.database, &self.id, rule).await;
        changed.unwrap().unwrap();
    }

    async fn patch(&self, id: ComponentId, patch: ComponentPatch) {
        let rule: Transition<Component> = Box::new(move |component, stamp| {
            Ok(component.edit(patch, stamp.zone, stamp.committed_at)?)
        });
        let changed = ComponentStore::change(&self.database, &self.id, id, rule, author()).await;
        changed.unwrap().unwrap();
    }

    async fn history(&self, selection: HistorySelection) -> Option<History> {
        let found = PublicHistoryStore::history(&self.database, &self.id, selection, now());
        found.await.unwrap()
    }

    async fn titles(&self, selection: HistorySelection) -> Vec<String> {
        let found = self.history(selection).await.unwrap();
        found.entries.into_iter().map(|entry| entry.title).collect()
    }

    async fn uptime(&self, page: u32, component: Option<Code>) -> Option<UptimePage> {
        let selection = UptimeSelection { page, component };
        let found = PublicHistoryStore::uptime(&self.database, &self.id, selection, now());
        found.await.unwrap()
    }
}

async fn a_page_has_the_entries_of_three_months_of_the_zone(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    for (title, occured_at) in [
        ("before", "2025-08-31T14:59:59Z"),
        ("oldest", "2025-08-31T15:00:00Z"),
        ("newest", "2025-11-30T14:59:59Z"),
        ("after", "2025-11-30T15:00:00Z"),
    ] {
        fixture.over(title, occured_at, &[]).await;
    }
    let start_at = at("2025-10-05T00:00:00Z");
    maintenance::create(database, &fixture.id, start_at, Some(start_at)).await;
    fixture.zone("Asia/Tokyo").await;
    assert_eq!(fixture.titles(FIRST).await, ["newest", "Move ☃", "oldest"]);
    let first = fixture.history(FIRST).await.unwrap();
    assert!(first.has_older && first.complete_since.is_none());
    let second = HistorySelection { page: 2, ..FIRST };
    assert_eq!(fixture.titles(second).await, ["before"]);
    assert!(!fixture.history(second).await.unwrap().has_older);
    let beyond = HistorySelection { page: 801, ..FIRST };
    assert_eq!(fixture.history(beyond).await.unwrap().months, None);
}

async fn entries_of_a_component_are_those_that_affected_it(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let degraded = |id| [open_on(id, ComponentStatus::Degraded)];
    fixture
        .over("api", "2025-11-02T00:00:00Z", &degraded(api))
        .await;
    fixture
        .over("web", "2025-11-03T00:00:00Z", &degraded(web))
        .await;
    fixture.over("none", "2025-11-04T00:00:00Z", &[]).await;
    let of = |component| HistorySelection {
        page: 1,
        component: Some(component),
    };
    assert_eq!(fixture.titles(of(api.code())).await, ["api"]);
    assert_eq!(fixture.titles(FIRST).await, ["none", "web", "api"]);
    assert_eq!(fixture.history(of(Code::of(b"other"))).await, None);
}

async fn a_page_of_many_entries_is_bounded(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    for _ in 0..=ENTRIES_SHOWN {
        fixture.over("Down", "2025-11-02T00:00:00Z", &[]).await;
    }
    let found = fixture.history(FIRST).await.unwrap();
    assert_eq!(found.entries.len() as u64, ENTRIES_SHOWN);
    assert_eq!(
        found.complete_since,
        found.entries.last().map(|entry| entry.start_at)
    );
}

async fn details_have_the_periods_that_the_incident_caused(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let links = [
        open_on(web, ComponentStatus::Degraded),
        open_on(api, ComponentStatus::MajorOutage),
    ];
    let incident = fixture.over("Down", "2025-11-02T00:00:00Z", &links).await;
    fixture.over("Later", "2025-11-03T00:00:00Z", &links).await;
    let found = database.incident_details(&fixture.id, incident.id.code());
    let found = found.await.unwrap().unwrap();
    let affected: Vec<_> = found
        .components
        .iter()
        .map(|affected| {
            let starts: Vec<_> = affected.periods.iter().map(|span| span.start_at).collect();
            (affected.component.name.as_str(), affected.impact, starts)
        })
        .collect();
    let start = vec![at("2025-11-02T00:00:00Z")];
    assert_eq!(
        affected,
        [
            ("API", Some(ComponentStatus::MajorOutage), start.clone()),
            ("Web", Some(ComponentStatus::Degraded), start),
        ]
    );
    assert_eq!((found.updates.len(), found.review), (0, None));
}

async fn details_have_a_period_whose_start_was_corrected(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let links = [open_on(api, ComponentStatus::MajorOutage)];
    fixture.over("Before", "2025-11-01T00:00:00Z", &links).await;
    let incident = fixture.over("Down", "2025-11-02T00:00:00Z", &links).await;
    let (interval, page) = (Interval::default(), Page::default());
    let found = ComponentHistoryStore::history(database, &fixture.id, api, interval, page).await;
    let newest = found.unwrap().unwrap().periods.items.remove(0);
    let (id, span) = (
        newest.id,
        StatusSpan {
            start_at: at("2025-11-01T23:40:00Z"),
            end_at: Some(at("2025-11-01T23:50:00Z")),
            ..newest.span
        },
    );
    let rule: Transition<ComponentHistory, HistoryChange> = Box::new(move |history, stamp| {
        let changed = history.change(id, span, stamp.committed_at);
        changed.map_err(|error| panic!("{error}"))
    });
    let scope = HistoryScope::Changed(id, span);
    let changed = database.change_history(&fixture.id, api, scope, rule).await;
    changed.unwrap().unwrap();
    // A period that the incident did not cause begins between the corrected start and the incident.
    let added = StatusSpan {
        start_at: at("2025-11-01T23:52:00Z"),
        end_at: Some(at("2025-11-01T23:55:00Z")),
        ..span
    };
    let rule: Transition<ComponentHistory, HistoryChange> = Box::new(move |history, stamp| {
        Ok(history.add(
            StatusPeriodId(stamp.id),
            added,
            author(),
            stamp.committed_at,
        )?)
    });
    let scope = HistoryScope::New(added);
    let changed = database.change_history(&fixture.id, api, scope, rule).await;
    changed.unwrap().unwrap();
    let found = database.incident_details(&fixture.id, incident.id.code());
    let found = found.await.unwrap().unwrap();
    assert_eq!(found.components[0].periods, [span]);
}

async fn affected_components_have_their_groups_and_the_worst_come_first(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (first, api) = (
        fixture.component("API").await,
        fixture.component("API").await,
    );
    let web = fixture.component("Web").await;
    let edge = fixture.group().await;
    for id in [first, web] {
        fixture.move_component(id, Some(edge)).await;
    }
    let links = [
        open_on(first, ComponentStatus::Degraded),
        open_on(api, ComponentStatus::Degraded),
        open_on(web, ComponentStatus::MajorOutage),
    ];
    let incident = fixture.over("Down", "2025-11-02T00:00:00Z", &links).await;
    let found = database.incident_details(&fixture.id, incident.id.code());
    let found = found.await.unwrap().unwrap().components;
    let named: Vec<_> = found
        .iter()
        .map(|it| {
            let component = &it.component;
            let group = component.group.as_deref();
            (&*component.name, group, it.has_namesake)
        })
        .collect();
    let expected = [
        ("Web", Some("Edge"), false),
        ("API", None, true),
        ("API", Some("Edge"), true),
    ];
    assert_eq!(named, expected);
}

async fn only_a_published_review_is_public(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let incident = fixture.open("Down", &[]).await;
    fixture
        .edit(incident.id, set(IncidentStatus::Resolved))
        .await;
    let change = async |rule: Transition<IncidentAndReview, Option<Review>>| {
        let changed = database.change_review(&fixture.id, incident.id, rule).await;
        changed.unwrap().unwrap().state
    };
    let public = async || {
        let found = database.incident_details(&fixture.id, incident.id.code());
        found.await.unwrap().unwrap().review
    };
    change(Box::new(|found, stamp| {
        Ok(found.write("Why ☃".into(), stamp.committed_at)?.map(Some))
    }))
    .await;
    assert_eq!(public().await, None);
    let published = change(Box::new(|found, stamp| {
        Ok(found.publish(stamp.committed_at).unwrap().map(Some))
    }));
    let published = published.await.unwrap();
    let shown = public().await.unwrap();
    assert_eq!(
        (shown.body.as_str(), Some(shown.published_at)),
        ("Why ☃", published.published_at)
    );
    change(Box::new(|found, _| {
        Ok(found.delete().unwrap().map(|()| None))
    }))
    .await;
    assert_eq!(public().await, None);
}

async fn codes_belong_to_their_organisation(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let other = organisation(database, "other").await;
    let component = fixture.component("API").await.code();
    let incident = fixture.open("Down", &[]).await.id.code();
    let start_at = at("2025-10-05T00:00:00Z");
    let maintenance = maintenance::create(database, &fixture.id, start_at, None).await;
    let maintenance = maintenance.id.code();
    let now = clock().now();
    for (organisation, known) in [(&fixture.id, true), (&other, false)] {
        let details = database.incident_details(organisation, incident).await;
        assert_eq!(details.unwrap().is_some(), known);
        let details = database.maintenance_details(organisation, maintenance, now);
        assert_eq!(details.await.unwrap().is_some(), known);
        let (page, component) = (1, Some(component));
        let selection = HistorySelection { page, component };
        let history = PublicHistoryStore::history(database, organisation, selection, now);
        assert_eq!(history.await.unwrap().is_some(), known);
        let selection = UptimeSelection { page, component };
        let uptime = PublicHistoryStore::uptime(database, organisation, selection, now);
        assert_eq!(uptime.await.unwrap().is_some(), known);
    }
}

async fn calendars_come_in_pages_and_in_the_order_of_the_page(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let mut codes = Vec::new();
    for number in 0..22 {
        let id = fixture.component(&format!("C{number}")).await;
        codes.push(id.code());
        if number == 0 {
            let patch = ComponentPatch {
                show_uptime: Some(false),
                ..ComponentPatch::default()
            };
            fixture.patch(id, patch).await;
        }
    }
    // New ones come first, and the first does not show its uptime.
    let shown: Vec<_> = codes.iter().skip(1).rev().copied().collect();
    let first = fixture.uptime(1, None).await.unwrap();
    let on_page = |page: &UptimePage| -> Vec<_> {
        let calendars = page.calendars.iter();
        calendars.map(|calendar| calendar.component.code).collect()
    };
    assert_eq!(on_page(&first), shown[..20]);
    assert!(first.has_next && first.components.len() == 21);
    assert!(
        first
            .calendars
            .iter()
            .all(|calendar| calendar.months.len() == 3)
    );
    let second = fixture.uptime(2, None).await.unwrap();
    assert_eq!(
        (on_page(&second), second.has_next),
        (shown[20..].to_vec(), false)
    );
    assert_eq!(on_page(&fixture.uptime(801, None).await.unwrap()), []);
    assert_eq!(fixture.uptime(1, Some(codes[0])).await, None);
}

async fn calendar_of_a_component_counts_its_periods_by_month(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let id = fixture.component("API").await;
    let patch = ComponentPatch {
        start_date: Some(UptimeStart::Unlimited),
        ..ComponentPatch::default()
    };
    fixture.patch(id, patch).await;
    let outage = [open_on(id, ComponentStatus::MajorOutage)];
    // An hour over the end of a month in the zone, and one in the year before.
    fixture.over("New", "2025-10-31T22:30:00Z", &outage).await;
    fixture.over("Old", "2024-11-30T10:00:00Z", &outage).await;
    fixture.zone("Europe/Berlin").await;
    let year = fixture.uptime(1, Some(id.code())).await.unwrap();
    let seconds = |page: &UptimePage| -> Vec<_> {
        let months = page.calendars[0].months.iter();
        months.map(|month| month.uptime.seconds().major).collect()
    };
    assert_eq!(seconds(&year), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1800, 1800]);
    assert_eq!(
        (year.has_next, year.valid_until),
        (true, Some(at("2025-11-20T23:00:00Z")))
    );
    let before = fixture.uptime(2, Some(id.code())).await.unwrap();
    assert_eq!(seconds(&before)[11], 3600);
    assert_eq!((before.has_next, before.valid_until), (false, None));
}
