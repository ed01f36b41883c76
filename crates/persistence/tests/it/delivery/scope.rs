//! Who receives what.

use std::collections::BTreeSet;

use allclear_application::audit::{AuditFilter, AuditStore};
use allclear_application::component_group::ComponentGroupStore;
use allclear_application::delivery::{DeliveryKind, DeliveryQueue};
use allclear_application::error::Error;
use allclear_application::page::Page;
use allclear_application::subscriber::import::{ImportBatch, Imported};
use allclear_application::subscriber::{SubscriberKey, SubscriberStore};
use allclear_domain::audit::Action;
use allclear_domain::channel::{Channel, Target};
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{ComponentGroupId, ComponentId, IncidentId, SubscriberId};
use allclear_domain::incident::IncidentStatus;
use allclear_domain::subscriber::{Choice, Scope, Subscriber, SubscriberDraft};
use allclear_persistence::database::Database;
use chrono::TimeDelta;

use super::fixture::later;
use crate::backend::clock;
use crate::contract;
use crate::maintenance::component::plan;
use crate::organisation_fixture::{OrganisationFixture, open_on};

contract!(
    subscriber_of_components_receives_these_and_one_without_a_choice_receives_all,
    a_notice_for_one_of_many_subscribers_is_queued_in_several_transactions,
    subscriber_of_a_group_receives_the_components_it_has_at_that_time,
    subscriber_of_a_deleted_group_has_chosen_its_components,
    all_of_many_subscribers_of_a_deleted_group_have_chosen_its_components,
    a_component_that_joins_or_leaves_brings_its_subscribers_one_update,
    a_component_that_leaves_after_a_deleted_update_brings_its_subscribers_one_update,
    deleted_update_is_sent_to_nobody_who_has_not_received_it,
    subscriber_of_an_incident_receives_it_alone_until_a_day_after_it_is_resolved,
    follower_of_a_resolved_incident_stays_until_its_messages_are_sent,
    subscriber_of_everything_and_of_an_incident_receives_it_once,
    unsubscribing_from_the_page_ends_followed_incidents_but_not_the_reverse,
    subscriber_of_a_component_and_of_its_incident_receives_it_once,
    subscriber_of_another_component_and_of_an_incident_receives_the_incident,
    subscriber_without_maintenances_receives_incidents_alone,
    unknown_or_foreign_part_of_a_scope_is_named,
    a_choice_is_stored_and_loses_deleted_components,
    an_import_refuses_subscribers_of_a_component_that_was_deleted_meanwhile,
);

impl OrganisationFixture {
    async fn chooses(&self, name: &str, scope: Scope) {
        self.wants(name, scope, false).await;
    }

    async fn wants(&self, name: &str, scope: Scope, mute_maintenances: bool) {
        let target = Target::parse(Channel::Email, &address(name)).unwrap();
        let draft = SubscriberDraft {
            target,
            scope,
            mute_maintenances,
        };
        self.subscriber_of(draft, clock().now()).await;
    }

    /// Imports subscribers with the names `person0`, `person1`, …, all of them with this outcome.
    async fn import(&self, count: usize, scope: &Scope, outcome: Imported) {
        let now = clock().now();
        let subscriber = |number: &usize| {
            let email = address(&format!("person{number}"));
            let draft = SubscriberDraft {
                target: Target::parse(Channel::Email, &email).unwrap(),
                scope: scope.clone(),
                mute_maintenances: false,
            };
            let pending = Subscriber::create(SubscriberId(clock().id()), draft, now);
            let end = now + Subscriber::VERIFICATION_LIFETIME;
            pending.verify(end, now).unwrap()
        };
        let numbers: Vec<_> = (0..count).collect();
        for numbers in numbers.chunks(500) {
            let batch = ImportBatch {
                subscribers: numbers.iter().map(subscriber).collect(),
                consent: Some("asked in June".to_owned()),
            };
            let imported = self.database.import(&self.id, batch).await.unwrap();
            assert!(imported.iter().all(|one| *one == outcome));
        }
    }

    async fn scope_of(&self, name: &str) -> Scope {
        let key = SubscriberKey::of_email(&address(name));
        let found = SubscriberStore::find(&self.database, &self.id, &key).await;
        found.unwrap().unwrap().scope
    }

    /// Sends what is queued. Returns the names of those it went to.
    async fn receivers(&self) -> Vec<String> {
        self.expand().await;
        let mut names = BTreeSet::new();
        loop {
            let claimed = self.claim(100).await;
            if claimed.is_empty() {
                return names.into_iter().collect();
            }
            for delivery in &claimed {
                assert!(matches!(delivery.kind, DeliveryKind::Notice(_)));
                let email = delivery.subscriber.target.email().unwrap();
                let name = email.split('@').next().unwrap();
                assert!(names.insert(name.to_owned()), "{name} receives it twice");
            }
            self.sent(&claimed).await;
        }
    }
}

fn address(name: &str) -> String {
    format!("{name}@example.com")
}

fn components(components: &[ComponentId]) -> Scope {
    Scope::Components(Choice {
        components: components.to_vec(),
        groups: Vec::new(),
    })
}

fn groups(groups: &[ComponentGroupId]) -> Scope {
    Scope::Components(Choice {
        components: Vec::new(),
        groups: groups.to_vec(),
    })
}

async fn subscriber_of_components_receives_these_and_one_without_a_choice_receives_all(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    fixture.chooses("all", Scope::All).await;
    fixture.chooses("api", components(&[api])).await;
    fixture.chooses("both", components(&[web, api])).await;
    fixture.chooses("nothing", components(&[])).await;
    fixture
        .open("API", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    assert_eq!(fixture.receivers().await, ["all", "api", "both"]);
    fixture
        .open("Web", &[open_on(web, ComponentStatus::Degraded)])
        .await;
    assert_eq!(fixture.receivers().await, ["all", "both"]);
    fixture.open("No component", &[]).await;
    assert_eq!(fixture.receivers().await, ["all"]);
}

async fn a_notice_for_one_of_many_subscribers_is_queued_in_several_transactions(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    fixture
        .import(1_200, &components(&[web]), Imported::Added)
        .await;
    fixture.chooses("api", components(&[api])).await;
    fixture
        .open("API", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    for (expanded, waiting) in [(true, 0), (true, 1), (false, 1)] {
        assert_eq!(database.expand(clock().now(), 500).await.unwrap(), expanded);
        assert_eq!(database.waiting().await.unwrap(), waiting);
    }
    assert_eq!(fixture.receivers().await, ["api"]);
}

async fn subscriber_of_a_group_receives_the_components_it_has_at_that_time(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let edge = fixture.group().await;
    fixture.move_component(api, Some(edge)).await;
    fixture.chooses("edge", groups(&[edge])).await;
    let on_api = fixture
        .open("API", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    assert_eq!(fixture.receivers().await, ["edge"]);
    fixture
        .open("Web", &[open_on(web, ComponentStatus::Degraded)])
        .await;
    assert!(fixture.receivers().await.is_empty());
    fixture.move_component(api, None).await;
    fixture
        .record(on_api.id, IncidentStatus::Identified, "Found")
        .await;
    assert!(fixture.receivers().await.is_empty());
}

async fn subscriber_of_a_deleted_group_has_chosen_its_components(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let (mail, gone) = (
        fixture.component("Mail").await,
        fixture.component("Gone").await,
    );
    let (edge, kept) = (fixture.group().await, fixture.group().await);
    for component in [gone, mail, api] {
        fixture.move_component(component, Some(edge)).await;
    }
    fixture.delete_component(gone).await;
    fixture.chooses("edge", groups(&[edge])).await;
    let both = Scope::Components(Choice {
        components: vec![web, mail],
        groups: vec![edge, kept],
    });
    fixture.chooses("both", both).await;
    fixture.chooses("web", components(&[web])).await;
    let before = fixture
        .open("API", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    fixture.delete_group(edge).await;
    assert_eq!(fixture.receivers().await, ["both", "edge"], "not expanded");
    fixture
        .record(before.id, IncidentStatus::Identified, "Found")
        .await;
    assert_eq!(fixture.receivers().await, ["both", "edge"]);
    fixture
        .open("Web", &[open_on(web, ComponentStatus::Degraded)])
        .await;
    assert_eq!(fixture.receivers().await, ["both", "web"]);
    assert_eq!(fixture.scope_of("edge").await, components(&[api, mail]));
    let both = Scope::Components(Choice {
        components: vec![web, mail, api],
        groups: vec![kept],
    });
    assert_eq!(fixture.scope_of("both").await, both);
    assert_eq!(fixture.scope_of("web").await, components(&[web]));
}

async fn all_of_many_subscribers_of_a_deleted_group_have_chosen_its_components(
    database: &Database,
) {
    // More than one transaction adds.
    const SUBSCRIBERS: usize = 1_200;
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let edge = fixture.group().await;
    for component in [web, api] {
        fixture.move_component(component, Some(edge)).await;
    }
    fixture
        .import(SUBSCRIBERS, &groups(&[edge]), Imported::Added)
        .await;
    let scopes = async || {
        let mut scopes = Vec::new();
        for number in [0, 999, 1_000, SUBSCRIBERS - 1] {
            scopes.push(fixture.scope_of(&format!("person{number}")).await);
        }
        scopes
    };
    // The transaction that deletes the group is rolled back; those before it have added
    // the components.
    let refused = Box::new(|_, _| Err(Error::Conflict("not now".to_owned())));
    let deleted = ComponentGroupStore::delete(database, &fixture.id, edge, refused).await;
    assert!(deleted.is_err());
    let before = Scope::Components(Choice {
        components: vec![api, web],
        groups: vec![edge],
    });
    assert_eq!(scopes().await, vec![before; 4]);
    fixture.delete_group(edge).await;
    assert_eq!(scopes().await, vec![components(&[api, web]); 4]);
    let imported = AuditFilter {
        action: Some(Action::SubscriberImported),
        ..AuditFilter::default()
    };
    let log = AuditStore::list(database, &fixture.id, &imported, Page::default());
    let log = log.await.unwrap();
    let notes: Vec<_> = log
        .items
        .iter()
        .map(|item| item.after.clone().unwrap())
        .collect();
    let note = |added| format!("{{\"text\":\"{added} added. Consent: asked in June\"}}");
    assert_eq!(notes, [note(200), note(500), note(500)]);
}

async fn a_component_that_joins_or_leaves_brings_its_subscribers_one_update(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    fixture.chooses("api", components(&[api])).await;
    fixture.chooses("web", components(&[web])).await;
    let update = async |incident: IncidentId, status| {
        fixture.record(incident, status, "More").await;
        fixture.receivers().await
    };
    let incident = fixture
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await
        .id;
    assert_eq!(fixture.receivers().await, ["api"]);
    fixture
        .attach(incident, web, ComponentStatus::Degraded)
        .await;
    assert!(fixture.receivers().await.is_empty());
    let received = update(incident, IncidentStatus::Investigating).await;
    assert_eq!(received, ["api", "web"]);
    fixture.detach(incident, api).await;
    let received = update(incident, IncidentStatus::Identified).await;
    assert_eq!(received, ["api", "web"], "the last one");
    let received = update(incident, IncidentStatus::Monitoring).await;
    assert_eq!(received, ["web"]);
}

async fn a_component_that_leaves_after_a_deleted_update_brings_its_subscribers_one_update(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    fixture.chooses("api", components(&[api])).await;
    let incident = fixture.incident("Down").await;
    assert!(fixture.receivers().await.is_empty());
    fixture
        .attach(incident, api, ComponentStatus::Degraded)
        .await;
    let wrong = fixture.record(incident, IncidentStatus::Identified, "Wrong");
    let wrong = wrong.await.id;
    assert_eq!(fixture.receivers().await, ["api"]);
    fixture.delete_update(incident, wrong).await;
    fixture.detach(incident, api).await;
    fixture
        .record(incident, IncidentStatus::Identified, "Right")
        .await;
    assert_eq!(fixture.receivers().await, ["api"]);
}

async fn deleted_update_is_sent_to_nobody_who_has_not_received_it(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.chooses("ann", Scope::All).await;
    fixture.chooses("bob", Scope::All).await;
    let incident = fixture.incident("Down").await;
    assert_eq!(fixture.receivers().await, ["ann", "bob"]);
    let wrong = fixture.record(incident, IncidentStatus::Identified, "Wrong");
    let wrong = wrong.await.id;
    assert!(
        database.expand(clock().now(), 1).await.unwrap(),
        "one of two"
    );
    fixture.sent(&fixture.claim(1).await).await;
    fixture.delete_update(incident, wrong).await;
    assert!(fixture.receivers().await.is_empty());
}

async fn subscriber_of_an_incident_receives_it_alone_until_a_day_after_it_is_resolved(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let followed = fixture.incident("Followed").await;
    fixture.expand().await;
    fixture.chooses("fan", Scope::Incident(followed)).await;
    fixture.incident("Other").await;
    assert!(fixture.receivers().await.is_empty());
    fixture
        .record(followed, IncidentStatus::Resolved, "Over")
        .await;
    assert_eq!(fixture.receivers().await, ["fan"]);
    let resolved_at = fixture.found(followed).await.resolved_at.unwrap();
    let key = SubscriberKey::Target(
        Target::parse(Channel::Email, &address("fan"))
            .unwrap()
            .key(),
        Some(followed),
    );
    let fan = async || {
        let found = SubscriberStore::find(database, &fixture.id, &key).await;
        found.unwrap().is_some()
    };
    let pruned = database.prune_followers(resolved_at, 10).await.unwrap();
    assert_eq!((pruned, fan().await), (0, true));
    let after = resolved_at + TimeDelta::milliseconds(1);
    let pruned = database.prune_followers(after, 10).await.unwrap();
    assert_eq!((pruned, fan().await), (1, false));
}

async fn follower_of_a_resolved_incident_stays_until_its_messages_are_sent(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let followed = fixture.incident("Followed").await;
    fixture.chooses("fan", Scope::Incident(followed)).await;
    fixture
        .record(followed, IncidentStatus::Resolved, "Over")
        .await;
    let prune = async || database.prune_followers(later(1), 10).await.unwrap();
    assert_eq!(prune().await, 0, "the notice is not expanded");
    fixture.expand().await;
    assert_eq!(prune().await, 0, "the message is not sent");
    assert_eq!(fixture.receivers().await, ["fan"]);
    assert_eq!(prune().await, 1);
}

async fn subscriber_of_everything_and_of_an_incident_receives_it_once(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let followed = fixture.incident("Followed").await;
    fixture.expand().await;
    fixture.chooses("fan", Scope::Incident(followed)).await;
    fixture.chooses("fan", Scope::All).await;
    fixture
        .record(followed, IncidentStatus::Identified, "Found")
        .await;
    // `receivers` fails if somebody receives it twice.
    assert_eq!(fixture.receivers().await, ["fan"]);
}

async fn unsubscribing_from_the_page_ends_followed_incidents_but_not_the_reverse(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let followed = fixture.incident("Followed").await;
    fixture.expand().await;
    for name in ["of-page", "of-incident"] {
        fixture.chooses(name, Scope::Incident(followed)).await;
        fixture.chooses(name, Scope::All).await;
    }
    let leaves = async |name: &str, incident: Option<IncidentId>| {
        let target = Target::parse(Channel::Email, &address(name)).unwrap();
        let key = SubscriberKey::Target(target.key(), incident);
        let found = SubscriberStore::find(database, &fixture.id, &key).await;
        fixture.unsubscribe(&found.unwrap().unwrap()).await;
    };
    leaves("of-page", None).await;
    leaves("of-incident", Some(followed)).await;
    fixture
        .record(followed, IncidentStatus::Identified, "Found")
        .await;
    assert_eq!(fixture.receivers().await, ["of-incident"]);
}

async fn subscriber_of_a_component_and_of_its_incident_receives_it_once(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let edge = fixture.group().await;
    fixture.move_component(web, Some(edge)).await;
    let affected = [api, web].map(|id| open_on(id, ComponentStatus::Degraded));
    let followed = fixture.open("Followed", &affected).await.id;
    fixture.expand().await;
    for (name, scope) in [("api", components(&[api])), ("edge", groups(&[edge]))] {
        fixture.chooses(name, Scope::Incident(followed)).await;
        fixture.chooses(name, scope).await;
    }
    fixture
        .record(followed, IncidentStatus::Identified, "Found")
        .await;
    // `receivers` fails if somebody receives it twice.
    assert_eq!(fixture.receivers().await, ["api", "edge"]);
}

async fn subscriber_of_another_component_and_of_an_incident_receives_the_incident(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let affected = [open_on(api, ComponentStatus::Degraded)];
    let followed = fixture.open("Followed", &affected).await.id;
    fixture.expand().await;
    fixture.chooses("web", Scope::Incident(followed)).await;
    fixture.chooses("web", components(&[web])).await;
    fixture.chooses("late", Scope::Incident(followed)).await;
    fixture
        .record(followed, IncidentStatus::Identified, "Found")
        .await;
    // The notice is older than this subscription, which does not receive it.
    fixture.chooses("late", components(&[api])).await;
    assert_eq!(fixture.receivers().await, ["late", "web"]);
}

async fn subscriber_without_maintenances_receives_incidents_alone(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    fixture.wants("loud", components(&[api]), false).await;
    fixture.wants("muted", components(&[api]), true).await;
    plan(&fixture, later(60), None, &[api]).await;
    assert_eq!(fixture.receivers().await, ["loud"]);
    fixture
        .open("API", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    assert_eq!(fixture.receivers().await, ["loud", "muted"]);
}

async fn unknown_or_foreign_part_of_a_scope_is_named(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let other = OrganisationFixture::new(database, "other").await;
    let (api, foreign) = (fixture.component("API").await, other.component("API").await);
    let unknown = ComponentGroupId(clock().id());
    let gone = IncidentId(clock().id());
    for (scope, field) in [
        (components(&[api, foreign]), "components[1]"),
        (groups(&[unknown]), "groups[0]"),
        (groups(&[other.group().await]), "groups[0]"),
        (Scope::Incident(gone), "incidentId"),
        (
            Scope::Incident(other.open("Down", &[]).await.id),
            "incidentId",
        ),
    ] {
        let result = database.check_scope(&fixture.id, &scope).await;
        let Error::Invalid(invalid) = result.unwrap_err() else {
            panic!("{scope:?} is not refused");
        };
        assert_eq!(invalid.errors[0].field, field);
    }
    let known = [
        components(&[api]),
        groups(&[fixture.group().await]),
        Scope::Incident(fixture.open("Down", &[]).await.id),
    ];
    for scope in known {
        database.check_scope(&fixture.id, &scope).await.unwrap();
    }
}

async fn a_choice_is_stored_and_loses_deleted_components(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    fixture.chooses("ann", components(&[web, api])).await;
    assert_eq!(fixture.scope_of("ann").await, components(&[web, api]));
    fixture.delete_component(web).await;
    assert_eq!(fixture.scope_of("ann").await, components(&[api]));
    fixture.delete_component(api).await;
    assert_eq!(fixture.scope_of("ann").await, components(&[]));
}

async fn an_import_refuses_subscribers_of_a_component_that_was_deleted_meanwhile(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    fixture.delete_component(web).await;
    let deleted = components(&[api, web]);
    fixture
        .import(2, &deleted, Imported::UnknownComponent)
        .await;
    fixture
        .import(2, &components(&[api]), Imported::Added)
        .await;
}
