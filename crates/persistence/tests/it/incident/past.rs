//! Past incidents, the start of impacts, and timelines in the order of display.

use allclear_application::component::history::{ComponentHistoryStore, Interval};
use allclear_application::incident::IncidentStore;
use allclear_application::outbox::Commit;
use allclear_application::page::Page;
use allclear_application::stamp::Stamp;
use allclear_domain::component::ComponentStatus;
use allclear_domain::display_time::DisplayTime;
use allclear_domain::id::{ComponentId, IncidentId, IncidentUpdateId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::{Incident, IncidentDraft, IncidentPatch, IncidentStatus};
use allclear_domain::incident_update::{IncidentAndNewest, IncidentAndUpdate, IncidentUpdate};
use allclear_domain::status_period::{PeriodCause, StatusSpan};
use allclear_domain::update::{UpdateDraft, UpdatePatch};
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};

use crate::backend::clock;
use crate::contract;
use crate::organisation_fixture::{OrganisationFixture, ann, open_on, set};

contract!(
    past_incident_joins_the_history_of_its_components_and_leaves_their_status,
    commit_says_how_many_impacts_it_added_to_histories,
    impact_starts_with_the_incident_but_not_before_the_previous_change,
    impact_ends_when_the_incident_was_resolved,
    impacts_of_other_incidents_count_from_their_occurrence_after_a_resolution_in_the_past,
    equal_impact_of_another_incident_counts_from_its_occurrence_after_a_resolution_in_the_past,
    resolution_in_the_past_shortens_a_period_that_another_status_ended,
    resolution_in_the_past_reveals_an_impact_that_was_hidden_until_another_status_took_over,
    resolution_in_the_past_leaves_the_period_of_another_incident_with_the_same_status,
    status_set_by_hand_stays_until_a_resolution_in_the_past_is_recorded,
    status_set_by_hand_stays_until_an_incident_that_occurred_before_is_recorded,
    occurrence_in_the_future_is_corrected,
    impact_of_an_incident_in_the_future_counts_from_its_creation_after_a_resolution_in_the_past,
    corrected_times_of_an_incident_move_its_periods,
    corrected_times_of_an_incident_reveal_and_hide_the_impact_of_another,
    component_attached_to_a_past_incident_counts_for_its_history,
    timeline_is_ordered_by_display_time,
    moved_update_changes_which_one_is_newest,
);

/// A time this many hours ago, in whole milliseconds.
fn ago(hours: i64) -> DateTime<Utc> {
    let time = clock().now() - TimeDelta::hours(hours);
    DateTime::from_timestamp_millis(time.timestamp_millis()).unwrap()
}

impl OrganisationFixture {
    async fn occured(
        &self,
        occured_at: DateTime<Utc>,
        resolved_at: Option<DateTime<Utc>>,
        components: &[Attachment],
    ) -> Incident {
        self.entered(occured_at, resolved_at, components).await.0
    }

    async fn entered(
        &self,
        occured_at: DateTime<Utc>,
        resolved_at: Option<DateTime<Utc>>,
        components: &[Attachment],
    ) -> (Incident, Commit) {
        let draft = IncidentDraft {
            title: "Down".into(),
            description: "d".into(),
            status: resolved_at.map_or(IncidentStatus::Investigating, |_| IncidentStatus::Resolved),
            occured_at: Some(occured_at),
            resolved_at,
            ..Default::default()
        };
        let attached = components.to_vec();
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
        let components = components.to_vec();
        let created = IncidentStore::insert(&self.database, &self.id, create, components);
        let created = created.await.unwrap();
        (created.state.incident, created.commit.unwrap())
    }

    /// The periods of a component, oldest first, with whether an incident caused them.
    async fn periods(&self, id: ComponentId) -> Vec<(StatusSpan, bool)> {
        let (interval, page) = (Interval::default(), Page::default());
        let found = ComponentHistoryStore::history(&self.database, &self.id, id, interval, page);
        let periods = found.await.unwrap().unwrap().periods.items;
        periods
            .into_iter()
            .rev()
            .map(|period| {
                let by_incident = matches!(period.cause, PeriodCause::Incident(..));
                (period.span, by_incident)
            })
            .collect()
    }

    async fn record_at(
        &self,
        incident: &Incident,
        message: &str,
        display_at: DateTime<Utc>,
    ) -> IncidentUpdate {
        let draft = UpdateDraft {
            message: message.into(),
            status: IncidentStatus::Identified,
            display_at: DisplayTime::At(display_at),
            ..Default::default()
        };
        let rule = Box::new(move |latest: IncidentAndNewest, stamp: Stamp| {
            let id = IncidentUpdateId(stamp.id);
            let notify = stamp.notify_by_default;
            Ok(latest.record(id, draft, ann(), notify, stamp.committed_at)?)
        });
        let database = &self.database;
        let recorded = database.insert_update(&self.id, incident.id, Vec::new(), rule);
        recorded.await.unwrap().unwrap().state
    }

    async fn page(&self, incident: &Incident, page: Page) -> Vec<String> {
        let listed = self.database.list_updates(&self.id, incident.id, page);
        let updates = listed.await.unwrap().unwrap().items;
        updates.into_iter().map(|update| update.message).collect()
    }
}

/// The change that resolves an incident at a time, or corrects when it was resolved.
fn resolved(at: DateTime<Utc>) -> IncidentPatch {
    IncidentPatch {
        resolved_at: Some(at),
        ..set(IncidentStatus::Resolved)
    }
}

fn span(status: ComponentStatus, from: DateTime<Utc>, to: Option<DateTime<Utc>>) -> StatusSpan {
    StatusSpan {
        status,
        start_at: from,
        end_at: to,
    }
}

async fn past_incident_joins_the_history_of_its_components_and_leaves_their_status(
    database: &Database,
) {
    use ComponentStatus::{Degraded, MajorOutage, Operational};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let [first, second, third, fourth] = [8, 6, 4, 2].map(ago);
    let slow = [open_on(api, Degraded), open_on(web, Operational)];
    fixture.occured(first, Some(third), &slow).await;
    assert_eq!(fixture.last_names().await, ["new-incident"]);
    assert_eq!(
        fixture.periods(api).await,
        [(span(Degraded, first, Some(third)), true)]
    );
    assert_eq!(fixture.periods(web).await, []);
    let component = fixture.found_component(api).await;
    let down = [open_on(api, MajorOutage)];
    fixture.occured(second, Some(fourth), &down).await;
    assert_eq!(
        fixture.periods(api).await,
        [
            (span(Degraded, first, Some(second)), true),
            (span(MajorOutage, second, Some(fourth)), true)
        ]
    );
    let after = fixture.found_component(api).await;
    assert!(after.history_version > component.history_version);
    assert_eq!(
        (after.status, after.version),
        (Operational, component.version)
    );
    // An incident in the past does not end a status that still lasts.
    fixture.set_by_hand(api, Degraded).await;
    fixture.occured(third, Some(ago(1)), &down).await;
    assert_eq!(fixture.status(api).await, Degraded);
    let periods = fixture.periods(api).await;
    assert_eq!(periods.last().unwrap().0.end_at, None);
}

async fn commit_says_how_many_impacts_it_added_to_histories(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let attached = [api, web].map(|id| open_on(id, ComponentStatus::Degraded));
    for (resolved_at, expected) in [(Some(ago(1)), 2), (None, 0)] {
        let (_, commit) = fixture.entered(ago(2), resolved_at, &attached).await;
        assert_eq!(commit.past_impacts, expected, "{resolved_at:?}");
    }
}

async fn impact_starts_with_the_incident_but_not_before_the_previous_change(database: &Database) {
    use ComponentStatus::{Degraded, MajorOutage, PartialOutage};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let [first, second, third] = [6, 4, 2].map(ago);
    fixture
        .occured(first, None, &[open_on(api, Degraded)])
        .await;
    assert_eq!(
        fixture.last_names().await,
        ["new-incident", "component-update"]
    );
    assert_eq!(
        fixture.periods(api).await,
        [(span(Degraded, first, None), true)]
    );
    fixture
        .occured(second, None, &[open_on(api, PartialOutage)])
        .await;
    fixture
        .occured(third, None, &[open_on(api, MajorOutage)])
        .await;
    assert_eq!(
        fixture.periods(api).await,
        [
            (span(Degraded, first, Some(second)), true),
            (span(PartialOutage, second, Some(third)), true),
            (span(MajorOutage, third, None), true)
        ]
    );
    let web = fixture.component("Web").await;
    fixture
        .occured(second, None, &[open_on(web, Degraded)])
        .await;
    // It occurred before the component's last change, and replaces what would be an empty period.
    fixture
        .occured(first, None, &[open_on(web, MajorOutage)])
        .await;
    assert_eq!(
        fixture.periods(web).await,
        [(span(MajorOutage, second, None), true)]
    );
    let mail = fixture.component("Mail").await;
    let future = clock().now() + TimeDelta::days(1);
    fixture
        .occured(future, None, &[open_on(mail, Degraded)])
        .await;
    assert!(fixture.periods(mail).await[0].0.start_at <= clock().now());
}

async fn impact_ends_when_the_incident_was_resolved(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let (began, ended) = (ago(3), ago(1));
    let degraded = ComponentStatus::Degraded;
    let incident = fixture
        .occured(began, None, &[open_on(api, degraded)])
        .await;
    fixture.edit(incident.id, resolved(ended)).await;
    assert_eq!(fixture.status(api).await, ComponentStatus::Operational);
    assert_eq!(
        fixture.periods(api).await,
        [(span(degraded, began, Some(ended)), true)]
    );
}

async fn impacts_of_other_incidents_count_from_their_occurrence_after_a_resolution_in_the_past(
    database: &Database,
) {
    use ComponentStatus::{Degraded, MajorOutage, PartialOutage};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let [first, second, third, fourth] = [8, 6, 4, 2].map(ago);
    let down = [open_on(api, MajorOutage), open_on(web, MajorOutage)];
    let down = fixture.occured(first, None, &down).await;
    fixture
        .occured(second, None, &[open_on(web, Degraded)])
        .await;
    let partial = [open_on(api, PartialOutage), open_on(web, PartialOutage)];
    fixture.occured(fourth, None, &partial).await;
    fixture.edit(down.id, resolved(third)).await;
    assert_eq!(
        fixture.periods(api).await,
        [
            (span(MajorOutage, first, Some(third)), true),
            (span(PartialOutage, fourth, None), true)
        ]
    );
    assert_eq!(
        fixture.periods(web).await,
        [
            (span(MajorOutage, first, Some(third)), true),
            (span(Degraded, third, Some(fourth)), true),
            (span(PartialOutage, fourth, None), true)
        ]
    );
    assert_eq!(fixture.status(api).await, PartialOutage);
}

async fn equal_impact_of_another_incident_counts_from_its_occurrence_after_a_resolution_in_the_past(
    database: &Database,
) {
    let major_outage = ComponentStatus::MajorOutage;
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let [first, second, third] = [6, 4, 2].map(ago);
    let down = [open_on(api, major_outage)];
    let incident = fixture.occured(first, None, &down).await;
    fixture.occured(third, None, &down).await;
    let before = fixture.found_component(api).await;
    fixture.edit(incident.id, resolved(second)).await;
    assert_eq!(
        fixture.periods(api).await,
        [
            (span(major_outage, first, Some(second)), true),
            (span(major_outage, third, None), true)
        ]
    );
    let after = fixture.found_component(api).await;
    assert_eq!(
        (after.status, after.version),
        (major_outage, before.version)
    );
    assert!(after.history_version > before.history_version);
}

async fn resolution_in_the_past_shortens_a_period_that_another_status_ended(database: &Database) {
    use ComponentStatus::{MajorOutage, PartialOutage};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let [first, second, third] = [6, 4, 2].map(ago);
    let partial = fixture
        .occured(first, None, &[open_on(api, PartialOutage)])
        .await;
    fixture
        .occured(third, None, &[open_on(api, MajorOutage)])
        .await;
    fixture.edit(partial.id, resolved(second)).await;
    assert_eq!(fixture.status(api).await, MajorOutage);
    assert_eq!(
        fixture.periods(api).await,
        [
            (span(PartialOutage, first, Some(second)), true),
            (span(MajorOutage, third, None), true)
        ]
    );
}

async fn resolution_in_the_past_reveals_an_impact_that_was_hidden_until_another_status_took_over(
    database: &Database,
) {
    use ComponentStatus::{Degraded, MajorOutage, PartialOutage};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let [first, second, third, fourth] = [8, 6, 4, 2].map(ago);
    fixture
        .occured(first, None, &[open_on(api, Degraded)])
        .await;
    let partial = [open_on(api, PartialOutage)];
    let incident = fixture.occured(second, None, &partial).await;
    fixture
        .occured(fourth, None, &[open_on(api, MajorOutage)])
        .await;
    fixture.edit(incident.id, resolved(third)).await;
    assert_eq!(fixture.status(api).await, MajorOutage);
    assert_eq!(
        fixture.periods(api).await,
        [
            (span(Degraded, first, Some(second)), true),
            (span(PartialOutage, second, Some(third)), true),
            (span(Degraded, third, Some(fourth)), true),
            (span(MajorOutage, fourth, None), true)
        ]
    );
}

async fn resolution_in_the_past_leaves_the_period_of_another_incident_with_the_same_status(
    database: &Database,
) {
    let major_outage = ComponentStatus::MajorOutage;
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let [first, second, third] = [6, 4, 2].map(ago);
    let down = [open_on(api, major_outage)];
    let incident = fixture.occured(first, None, &down).await;
    let other = fixture.occured(second, None, &down).await;
    let last = fixture.occured(second, None, &down).await;
    fixture.edit(other.id, resolved(third)).await;
    assert_eq!(
        fixture.periods(api).await,
        [(span(major_outage, first, None), true)]
    );
    let incident = fixture
        .edit(incident.id, set(IncidentStatus::Resolved))
        .await;
    assert_eq!(fixture.status(api).await, major_outage);
    fixture.edit(last.id, resolved(third)).await;
    assert_eq!(fixture.status(api).await, ComponentStatus::Operational);
    assert_eq!(
        fixture.periods(api).await,
        [(span(major_outage, first, incident.resolved_at), true)]
    );
}

async fn status_set_by_hand_stays_until_a_resolution_in_the_past_is_recorded(database: &Database) {
    use ComponentStatus::{Degraded, MajorOutage, PartialOutage};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let [first, second, third] = [6, 4, 2].map(ago);
    fixture
        .occured(first, None, &[open_on(api, Degraded)])
        .await;
    let partial = [open_on(api, PartialOutage)];
    let incident = fixture.occured(second, None, &partial).await;
    fixture.set_by_hand(api, MajorOutage).await;
    let set_at = fixture.found_component(api).await.updated_at;
    fixture.edit(incident.id, resolved(third)).await;
    let resolved_at = fixture.found_component(api).await.updated_at;
    assert_eq!(fixture.status(api).await, Degraded);
    let mut expected = vec![
        (span(Degraded, first, Some(second)), true),
        (span(PartialOutage, second, Some(third)), true),
        (span(Degraded, third, Some(set_at)), true),
    ];
    // Both changes may come in the same millisecond.
    if set_at < resolved_at {
        expected.push((span(MajorOutage, set_at, Some(resolved_at)), false));
    }
    expected.push((span(Degraded, resolved_at, None), true));
    assert_eq!(fixture.periods(api).await, expected);
}

async fn status_set_by_hand_stays_until_an_incident_that_occurred_before_is_recorded(
    database: &Database,
) {
    use ComponentStatus::{Degraded, MajorOutage, Operational, PartialOutage};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let [first, second] = [4, 2].map(ago);
    fixture
        .occured(first, None, &[open_on(api, MajorOutage)])
        .await;
    fixture.set_by_hand(api, Operational).await;
    fixture.set_by_hand(web, MajorOutage).await;
    let [api_set_at, web_set_at] = [
        fixture.found_component(api).await.updated_at,
        fixture.found_component(web).await.updated_at,
    ];
    let impacts = [open_on(api, Degraded), open_on(web, PartialOutage)];
    let incident = fixture.occured(second, None, &impacts).await;
    assert_eq!(fixture.status(api).await, MajorOutage);
    assert_eq!(
        fixture.periods(api).await,
        [
            (span(MajorOutage, first, Some(api_set_at)), true),
            (span(MajorOutage, incident.created_at, None), true)
        ]
    );
    let mut expected = Vec::new();
    // Both changes may come in the same millisecond.
    if web_set_at < incident.created_at {
        let set_by_hand = span(MajorOutage, web_set_at, Some(incident.created_at));
        expected.push((set_by_hand, false));
    }
    expected.push((span(PartialOutage, incident.created_at, None), true));
    assert_eq!(fixture.periods(web).await, expected);
}

async fn occurrence_in_the_future_is_corrected(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let degraded = ComponentStatus::Degraded;
    let tomorrow = clock().now() + TimeDelta::days(1);
    let incident = fixture
        .occured(tomorrow, None, &[open_on(api, degraded)])
        .await;
    let earlier = IncidentPatch {
        occured_at: Some(ago(2)),
        ..IncidentPatch::default()
    };
    let incident = fixture.edit(incident.id, earlier).await;
    assert_eq!(
        fixture.periods(api).await,
        [(span(degraded, incident.occured_at, None), true)]
    );
}

async fn impact_of_an_incident_in_the_future_counts_from_its_creation_after_a_resolution_in_the_past(
    database: &Database,
) {
    use ComponentStatus::{Degraded, MajorOutage};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let [first, second] = [4, 2].map(ago);
    let down = [open_on(api, MajorOutage)];
    let incident = fixture.occured(first, None, &down).await;
    let tomorrow = clock().now() + TimeDelta::days(1);
    let slow = [open_on(api, Degraded)];
    let other = fixture.occured(tomorrow, None, &slow).await;
    let created_at = fixture.found(other.id).await.created_at;
    fixture.edit(incident.id, resolved(second)).await;
    assert_eq!(
        fixture.periods(api).await,
        [
            (span(MajorOutage, first, Some(second)), true),
            (span(Degraded, created_at, None), true)
        ]
    );
}

async fn timeline_is_ordered_by_display_time(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let incident = fixture.occured(ago(9), Some(ago(1)), &[]).await;
    let mut updates = Vec::new();
    for (message, hours) in [("c", 5), ("a", 8), ("d", 4), ("b", 6), ("e", 4)] {
        updates.push(fixture.record_at(&incident, message, ago(hours)).await);
    }
    let newest_first = ["e", "d", "c", "b", "a"];
    assert_eq!(fixture.page(&incident, Page::default()).await, newest_first);
    let report = IncidentStore::find(database, &fixture.id, incident.id).await;
    let timeline = report.unwrap().unwrap().timeline;
    let messages: Vec<_> = timeline.iter().map(|entry| &*entry.message).collect();
    assert_eq!(messages, newest_first);
    assert_eq!(timeline[4].display_at, updates[1].display_at);
    let events = fixture.events().await;
    let entries = events.last().unwrap().args[0]["IncidentTimeline"].clone();
    assert_eq!(entries[0]["message"], "e");
    let page = |update: &IncidentUpdate| Page {
        limit: Some(2),
        before: Some(update.id.0),
    };
    assert_eq!(fixture.page(&incident, page(&updates[4])).await, ["d", "c"]);
    assert_eq!(fixture.page(&incident, page(&updates[0])).await, ["b", "a"]);
    assert_eq!(
        fixture.found(incident.id).await.status,
        IncidentStatus::Resolved
    );
}

async fn moved_update_changes_which_one_is_newest(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let incident = fixture.occured(ago(9), None, &[]).await;
    let first = fixture.record_at(&incident, "a", ago(8)).await;
    fixture
        .record(incident.id, IncidentStatus::Monitoring, "b")
        .await;
    fixture.record_at(&incident, "c", ago(7)).await;
    assert_eq!(
        fixture.found(incident.id).await.status,
        IncidentStatus::Monitoring
    );
    let patch = UpdatePatch {
        display_at: Some(DisplayTime::Recorded),
        ..Default::default()
    };
    let rule = Box::new(move |entry: IncidentAndUpdate, stamp: Stamp| {
        assert!(!entry.is_newest());
        Ok(entry.edit(patch, stamp.notify_by_default, stamp.committed_at)?)
    });
    let moved = database.change_update(&fixture.id, incident.id, first.id, rule);
    let moved = moved.await.unwrap().unwrap().state;
    assert_eq!(moved.display_at, moved.created_at);
    assert_eq!(
        fixture.page(&incident, Page::default()).await,
        ["b", "a", "c"]
    );
}

async fn corrected_times_of_an_incident_move_its_periods(database: &Database) {
    use ComponentStatus::{Degraded, MajorOutage};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let [first, second, third, fourth] = [8, 6, 4, 2].map(ago);
    let past = fixture
        .occured(second, Some(third), &[open_on(api, Degraded)])
        .await;
    let version = fixture.found_component(api).await.history_version;
    fixture.edit(past.id, resolved(fourth)).await;
    assert_eq!(
        fixture.periods(api).await,
        [(span(Degraded, second, Some(fourth)), true)]
    );
    assert!(fixture.found_component(api).await.history_version > version);
    let occured_at = |time| IncidentPatch {
        occured_at: Some(time),
        ..IncidentPatch::default()
    };
    fixture.edit(past.id, occured_at(first)).await;
    fixture.edit(past.id, resolved(third)).await;
    assert_eq!(
        fixture.periods(api).await,
        [(span(Degraded, first, Some(third)), true)]
    );

    // The time of the update that resolved an incident moves too, and the occurrence while it
    // is unresolved.
    let open = fixture
        .occured(second, None, &[open_on(web, MajorOutage)])
        .await;
    fixture.edit(open.id, occured_at(first)).await;
    assert_eq!(
        fixture.periods(web).await,
        [(span(MajorOutage, first, None), true)]
    );
    let draft = UpdateDraft {
        message: "Over".into(),
        status: IncidentStatus::Resolved,
        display_at: DisplayTime::At(fourth),
        ..Default::default()
    };
    let rule = Box::new(move |latest: IncidentAndNewest, stamp: Stamp| {
        let id = IncidentUpdateId(stamp.id);
        let notify = stamp.notify_by_default;
        Ok(latest.record(id, draft, ann(), notify, stamp.committed_at)?)
    });
    let recorded = database.insert_update(&fixture.id, open.id, Vec::new(), rule);
    let update = recorded.await.unwrap().unwrap().state;
    assert_eq!(
        fixture.periods(web).await,
        [(span(MajorOutage, first, Some(fourth)), true)]
    );
    let patch = UpdatePatch {
        display_at: Some(DisplayTime::At(third)),
        ..UpdatePatch::default()
    };
    let rule = Box::new(move |found: IncidentAndUpdate, stamp: Stamp| {
        Ok(found.edit(patch, stamp.notify_by_default, stamp.committed_at)?)
    });
    let changed = database.change_update(&fixture.id, open.id, update.id, rule);
    changed.await.unwrap().unwrap();
    assert_eq!(
        fixture.periods(web).await,
        [(span(MajorOutage, first, Some(third)), true)]
    );
}

async fn corrected_times_of_an_incident_reveal_and_hide_the_impact_of_another(database: &Database) {
    use ComponentStatus::{Degraded, MajorOutage};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let [first, second, third, fourth] = [8, 6, 4, 2].map(ago);
    fixture
        .occured(first, None, &[open_on(api, Degraded)])
        .await;
    let down = [open_on(api, MajorOutage)];
    let down = fixture.occured(second, None, &down).await;
    for resolved_at in [third, fourth, third] {
        fixture.edit(down.id, resolved(resolved_at)).await;
        assert_eq!(
            fixture.periods(api).await,
            [
                (span(Degraded, first, Some(second)), true),
                (span(MajorOutage, second, Some(resolved_at)), true),
                (span(Degraded, resolved_at, None), true)
            ]
        );
    }
    assert_eq!(fixture.status(api).await, Degraded);

    // The impact that was hidden all the time lasts longer than what hid it.
    let outage = [open_on(web, MajorOutage)];
    fixture.occured(first, Some(third), &outage).await;
    let slow = [open_on(web, Degraded)];
    let slow = fixture.occured(second, Some(third), &slow).await;
    fixture.edit(slow.id, resolved(fourth)).await;
    assert_eq!(
        fixture.periods(web).await,
        [
            (span(MajorOutage, first, Some(third)), true),
            (span(Degraded, third, Some(fourth)), true)
        ]
    );
}

async fn component_attached_to_a_past_incident_counts_for_its_history(database: &Database) {
    use ComponentStatus::{MajorOutage, Operational};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let (first, second) = (ago(8), ago(6));
    let past = fixture.occured(first, Some(second), &[]).await;
    fixture.attach(past.id, api, MajorOutage).await;
    let expected = [(span(MajorOutage, first, Some(second)), true)];
    assert_eq!(fixture.periods(api).await, expected);
    assert_eq!(fixture.status(api).await, Operational);
    // Detaching keeps the history, and attaching again adds nothing to it.
    fixture.detach(past.id, api).await;
    assert_eq!(fixture.periods(api).await, expected);
    fixture.attach(past.id, api, MajorOutage).await;
    assert_eq!(fixture.periods(api).await, expected);
}
