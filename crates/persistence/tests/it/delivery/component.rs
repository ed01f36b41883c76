//! Changes of components' statuses, which webhooks receive.

use allclear_application::component::history::{ComponentHistoryStore, HistoryScope, Interval};
use allclear_application::delivery::{
    ClaimRequest, Delivery, DeliveryKind, DeliveryQueue, DeliveryRoute,
};
use allclear_application::incident::IncidentStore;
use allclear_application::maintenance::MaintenanceStore;
use allclear_application::page::Page;
use allclear_application::review::ReviewStore;
use allclear_application::stamp::Stamp;
use allclear_application::transition::{CreateTransition, Transition};
use allclear_domain::channel::{Channel, Target};
use allclear_domain::component::{ComponentPatch, ComponentStatus};
use allclear_domain::id::{ComponentId, IncidentId, IncidentUpdateId};
use allclear_domain::incident::{Incident, IncidentPatch, IncidentStatus};
use allclear_domain::incident_update::{IncidentAndNewest, IncidentAndUpdate};
use allclear_domain::maintenance::MaintenancePatch;
use allclear_domain::notice::NoticeChange;
use allclear_domain::review::{IncidentAndReview, Review};
use allclear_domain::status_period::{ComponentHistory, HistoryChange, StatusSpan};
use allclear_domain::subscriber::{Choice, Scope, SubscriberDraft};
use allclear_domain::update::UpdateDraft;
use allclear_persistence::database::Database;

use super::fixture::{later, request};
use crate::backend::clock;
use crate::contract;
use crate::maintenance::{create, edit};
use crate::organisation_fixture::{OrganisationFixture, ann, draft, open_on, set};

contract!(
    a_webhook_receives_a_changed_status_and_no_other_change,
    a_webhook_receives_a_status_that_a_corrected_history_changes,
    only_webhooks_that_want_the_component_receive_its_status,
    the_message_of_the_incident_comes_before_that_of_its_components,
    without_webhooks_a_changed_status_makes_no_notice,
    deliveries_of_a_deleted_component_are_withdrawn,
    changes_that_do_not_notify_are_sent_on_no_channel,
);

impl OrganisationFixture {
    async fn hook(&self, channel: Channel, name: &str, scope: Scope) {
        let target = Target::parse(channel, &format!("https://hooks.example/{name}")).unwrap();
        let draft = SubscriberDraft {
            scope,
            ..SubscriberDraft::of_everything(target)
        };
        self.subscriber_of(draft, clock().now()).await;
    }

    /// The requests that are queued, in order. They count as sent.
    async fn requests(&self) -> Vec<Delivery> {
        self.expand().await;
        let mut all = Vec::new();
        loop {
            let due = ClaimRequest {
                route: DeliveryRoute::Message,
                ..request(clock().now(), later(5), 100)
            };
            let claimed = DeliveryQueue::claim(&self.database, due).await.unwrap();
            if claimed.is_empty() {
                return all;
            }
            self.sent(&claimed).await;
            all.extend(claimed);
        }
    }

    /// What the requests are about: `api: DEGRADED` or the title of an incident.
    async fn received(&self) -> Vec<String> {
        self.requests().await.iter().map(about).collect()
    }

    async fn rename(&self, id: ComponentId, name: &str) {
        let patch = ComponentPatch {
            name: Some(name.into()),
            ..Default::default()
        };
        self.edit_component(id, patch).await;
    }
}

fn about(delivery: &Delivery) -> String {
    let DeliveryKind::Notice(notice) = &delivery.kind else {
        panic!("no notice: {delivery:?}")
    };
    let title = &notice.content.title;
    match notice.content.change {
        NoticeChange::Component { old_status, status } => {
            format!("{title}: {old_status} to {status}")
        }
        _ => title.clone(),
    }
}

fn components(ids: &[ComponentId]) -> Scope {
    Scope::Components(Choice {
        components: ids.to_vec(),
        groups: Vec::new(),
    })
}

async fn a_webhook_receives_a_changed_status_and_no_other_change(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.hook(Channel::Webhook, "all", Scope::All).await;
    let api = fixture.component("API").await;
    fixture.set_by_hand(api, ComponentStatus::Degraded).await;
    assert_eq!(fixture.received().await, ["API: OPERATIONAL to DEGRADED"]);
    fixture.set_by_hand(api, ComponentStatus::Degraded).await;
    fixture.rename(api, "Edge").await;
    let group = fixture.group().await;
    fixture.move_component(api, Some(group)).await;
    assert!(fixture.received().await.is_empty());
}

async fn a_webhook_receives_a_status_that_a_corrected_history_changes(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.hook(Channel::Webhook, "all", Scope::All).await;
    let api = fixture.component("API").await;
    fixture.set_by_hand(api, ComponentStatus::Degraded).await;
    assert_eq!(fixture.received().await, ["API: OPERATIONAL to DEGRADED"]);
    let (interval, page) = (Interval::default(), Page::default());
    let found = ComponentHistoryStore::history(database, &fixture.id, api, interval, page).await;
    let lasting = found.unwrap().unwrap().periods.items.remove(0);
    let (id, span) = (
        lasting.id,
        StatusSpan {
            status: ComponentStatus::MajorOutage,
            ..lasting.span
        },
    );
    let worsen: Transition<ComponentHistory, HistoryChange> =
        Box::new(move |history, stamp| Ok(history.change(id, span, stamp.committed_at).unwrap()));
    let delete: Transition<ComponentHistory, HistoryChange> =
        Box::new(move |history, stamp| Ok(history.delete(id, stamp.committed_at).unwrap()));
    for (scope, rule, expected) in [
        (
            HistoryScope::Changed(id, span),
            worsen,
            "API: DEGRADED to MAJOR_OUTAGE",
        ),
        (
            HistoryScope::Deleted(id),
            delete,
            "API: MAJOR_OUTAGE to OPERATIONAL",
        ),
    ] {
        let changed = database.change_history(&fixture.id, api, scope, rule);
        changed.await.unwrap().unwrap();
        assert_eq!(fixture.received().await, [expected]);
    }
}

async fn only_webhooks_that_want_the_component_receive_its_status(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let group = fixture.group().await;
    fixture.move_component(api, Some(group)).await;
    let of_group = Scope::Components(Choice {
        components: Vec::new(),
        groups: vec![group],
    });
    fixture.hook(Channel::Webhook, "all", Scope::All).await;
    fixture
        .hook(Channel::Webhook, "api", components(&[api]))
        .await;
    fixture
        .hook(Channel::Webhook, "web", components(&[web]))
        .await;
    fixture.hook(Channel::Webhook, "group", of_group).await;
    fixture.hook(Channel::Slack, "slack", Scope::All).await;
    fixture.subscriber("ann@example.com").await;
    fixture.set_by_hand(api, ComponentStatus::Degraded).await;
    let sent = fixture.requests().await;
    let mut names: Vec<_> = sent
        .iter()
        .map(|delivery| {
            delivery
                .subscriber
                .target
                .as_str()
                .rsplit('/')
                .next()
                .unwrap()
        })
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["all", "api", "group"]);
    assert!(fixture.claim(10).await.is_empty(), "no mail");
}

async fn the_message_of_the_incident_comes_before_that_of_its_components(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.hook(Channel::Webhook, "all", Scope::All).await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let attached = [
        open_on(api, ComponentStatus::MajorOutage),
        open_on(web, ComponentStatus::Operational),
    ];
    let incident = fixture.open("Down", &attached).await.id;
    assert_eq!(
        fixture.received().await,
        ["Down", "API: OPERATIONAL to MAJOR_OUTAGE"]
    );
    fixture
        .record(incident, IncidentStatus::Identified, "Found")
        .await;
    assert_eq!(fixture.received().await, ["Down"]);
    fixture
        .record(incident, IncidentStatus::Resolved, "Over")
        .await;
    assert_eq!(
        fixture.received().await,
        ["Down", "API: MAJOR_OUTAGE to OPERATIONAL"]
    );
}

async fn without_webhooks_a_changed_status_makes_no_notice(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.hook(Channel::Slack, "slack", Scope::All).await;
    fixture.subscriber("ann@example.com").await;
    let api = fixture.component("API").await;
    fixture.set_by_hand(api, ComponentStatus::Degraded).await;
    assert!(!database.expand(clock().now(), 100).await.unwrap());
    fixture
        .open("Down", &[open_on(api, ComponentStatus::MajorOutage)])
        .await;
    assert!(database.expand(clock().now(), 100).await.unwrap());
    assert!(!database.expand(clock().now(), 100).await.unwrap());
}

async fn deliveries_of_a_deleted_component_are_withdrawn(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.hook(Channel::Webhook, "all", Scope::All).await;
    let api = fixture.component("API").await;
    fixture.set_by_hand(api, ComponentStatus::Degraded).await;
    fixture.expand().await;
    assert_eq!(database.waiting().await.unwrap(), 1);
    fixture.set_by_hand(api, ComponentStatus::MajorOutage).await;
    fixture.delete_component(api).await;
    assert!(fixture.received().await.is_empty());
}

/// Every change that an operator or the clock makes of an incident and a maintenance,
/// without notices.
async fn changes_that_do_not_notify_are_sent_on_no_channel(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    fixture.hook(Channel::Webhook, "webhook", Scope::All).await;
    fixture.hook(Channel::Discord, "discord", Scope::All).await;
    fixture.subscriber("ann@example.com").await;

    let attached = [open_on(api, ComponentStatus::MajorOutage)];
    let create_loud = draft("Quiet", &attached);
    let create_quiet: CreateTransition<Incident> =
        Box::new(move |stamp| Ok(create_loud(stamp)?.notify_if(false)));
    let created =
        IncidentStore::insert(database, &fixture.id, create_quiet, attached.to_vec()).await;
    let incident = created.unwrap().state.incident.id;
    record_quietly(&fixture, incident, IncidentStatus::Identified).await;
    let edited: Transition<Incident> = Box::new(|incident, stamp| {
        let quiet = IncidentPatch {
            notify: Some(false),
            ..set(IncidentStatus::Monitoring)
        };
        Ok(incident.edit(quiet, stamp.notify_by_default, stamp.committed_at)?)
    });
    IncidentStore::change(database, &fixture.id, incident, edited)
        .await
        .unwrap()
        .unwrap();
    record_quietly(&fixture, incident, IncidentStatus::Resolved).await;
    assert_eq!(fixture.status(api).await, ComponentStatus::Operational);
    publish_review_quietly(&fixture, incident).await;

    let quiet = MaintenancePatch {
        notify: Some(false),
        ..Default::default()
    };
    let planned = create(database, &fixture.id, later(60), Some(later(90)))
        .await
        .id;
    fixture.requests().await;
    let mails = fixture.claim(10).await;
    assert_eq!(
        mails.len(),
        1,
        "the maintenance was scheduled with a notice"
    );
    fixture.sent(&mails).await;
    edit(database, &fixture.id, planned, quiet).await;
    for minutes in [60, 91] {
        let published = database.publish_due(&fixture.id, later(minutes)).await;
        assert!(published.unwrap().is_some());
    }
    assert!(!database.expand(clock().now(), 100).await.unwrap());
    assert_eq!(database.waiting().await.unwrap(), 0);
}

async fn record_quietly(
    fixture: &OrganisationFixture,
    incident: IncidentId,
    status: IncidentStatus,
) {
    let draft = UpdateDraft {
        message: "Quiet".into(),
        status,
        notify: Some(false),
        ..Default::default()
    };
    let rule: Transition<IncidentAndNewest, IncidentAndUpdate> =
        Box::new(move |found, stamp: Stamp| {
            let id = IncidentUpdateId(stamp.id);
            let notify = stamp.notify_by_default;
            Ok(found.record(id, draft, ann(), notify, stamp.committed_at)?)
        });
    let (database, id) = (&fixture.database, &fixture.id);
    let written = IncidentStore::insert_update(database, id, incident, Vec::new(), rule);
    written.await.unwrap().unwrap();
}

async fn publish_review_quietly(fixture: &OrganisationFixture, incident: IncidentId) {
    let write: Transition<IncidentAndReview, Option<Review>> =
        Box::new(|found, stamp| Ok(found.write("Why".into(), stamp.committed_at)?.map(Some)));
    let publish: Transition<IncidentAndReview, Option<Review>> = Box::new(|found, stamp| {
        Ok(found
            .publish(stamp.committed_at)
            .unwrap()
            .notify_if(false)
            .map(Some))
    });
    for rule in [write, publish] {
        let changed = fixture.database.change_review(&fixture.id, incident, rule);
        changed.await.unwrap().unwrap();
    }
}
