mod history;

use allclear_application::component::ComponentStore;
use allclear_application::status_page::SnapshotStore;
use allclear_application::status_page::past_title::PastTitle;
use allclear_application::transition::CreateTransition;
use allclear_domain::component::{Component, ComponentDraft, ComponentStatus};
use allclear_domain::id::{ComponentId, OrganisationId};
use allclear_domain::incident::IncidentStatus;
use allclear_domain::organisation::Revision;
use allclear_persistence::database::Database;
use chrono::{Days, NaiveTime, TimeDelta};

use crate::backend::{author, clock, organisation};
use crate::contract;
use crate::maintenance::component::plan;
use crate::organisation_fixture::{OrganisationFixture, open_on};

contract!(
    a_snapshot_shows_the_organisation_at_its_revision,
    an_organisation_without_components_has_no_banner,
    there_is_no_snapshot_of_an_unknown_organisation,
    bars_name_what_the_lists_no_longer_have,
    the_title_of_a_maintenance_until_midnight_is_of_the_day_before,
);

async fn a_snapshot_shows_the_organisation_at_its_revision(database: &Database) {
    let acme = organisation(database, "acme").await;
    for (name, status) in [
        ("one", ComponentStatus::Operational),
        ("two", ComponentStatus::Degraded),
    ] {
        let draft = ComponentDraft {
            name: name.into(),
            description: String::new(),
            status,
            ..ComponentDraft::default()
        };
        let create: CreateTransition<Component> = Box::new(move |stamp| {
            Ok(Component::create(
                ComponentId(stamp.id),
                draft,
                stamp.zone,
                stamp.committed_at,
            )?)
        });
        database.insert(&acme, create, author()).await.unwrap();
    }
    let now = clock().now();
    let snapshot = database.snapshot(&acme, now).await.unwrap().unwrap();
    assert_eq!(
        (
            snapshot.organisation.name.as_str(),
            snapshot.revision,
            snapshot.generated_at
        ),
        ("Acme", Revision(2), now)
    );
    assert_eq!(
        snapshot.banner.unwrap().text,
        "Some systems are experiencing issues"
    );
    assert_eq!(
        snapshot
            .components
            .iter()
            .map(|component| component.name.as_str())
            .collect::<Vec<_>>(),
        ["two", "one"]
    );
}

async fn an_organisation_without_components_has_no_banner(database: &Database) {
    let acme = organisation(database, "acme").await;
    assert_eq!(
        database
            .snapshot(&acme, clock().now())
            .await
            .unwrap()
            .unwrap()
            .banner,
        None
    );
}

async fn there_is_no_snapshot_of_an_unknown_organisation(database: &Database) {
    let nobody = OrganisationId::parse("nobody").unwrap();
    assert_eq!(
        database.snapshot(&nobody, clock().now()).await.unwrap(),
        None
    );
}

async fn bars_name_what_the_lists_no_longer_have(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let down = fixture
        .open("Down", &[open_on(api, ComponentStatus::MajorOutage)])
        .await
        .id;
    fixture.record(down, IncidentStatus::Resolved, "Over").await;
    fixture.open("Without components", &[]).await;
    let start_at = clock().now() + TimeDelta::hours(1);
    plan(&fixture, start_at, Some(start_at), &[api]).await;
    let titles_in = async |days: i64| {
        let now = clock().now() + TimeDelta::days(days);
        let snapshot = database.snapshot(&fixture.id, now).await;
        let past = snapshot.unwrap().unwrap().past_titles;
        let title = |past: &PastTitle| {
            assert_eq!(past.components[0].component_id, api.to_string());
            assert!(past.first <= past.last);
            past.title.clone()
        };
        past.iter().map(title).collect::<Vec<_>>()
    };
    assert!(titles_in(1).await.is_empty(), "the lists have them");
    assert_eq!(titles_in(20).await, ["Down", "Maintenance: Move"]);
    assert!(titles_in(100).await.is_empty());
}

async fn the_title_of_a_maintenance_until_midnight_is_of_the_day_before(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let tomorrow = clock().now().date_naive() + Days::new(1);
    let midnight = (tomorrow + Days::new(1)).and_time(NaiveTime::MIN).and_utc();
    let start_at = midnight - TimeDelta::hours(2);
    plan(&fixture, start_at, Some(midnight), &[api]).await;
    let now = midnight + TimeDelta::days(20);
    let snapshot = database.snapshot(&fixture.id, now).await.unwrap().unwrap();
    let [past] = &snapshot.past_titles[..] else {
        panic!("{:?}", snapshot.past_titles);
    };
    assert_eq!((past.first, past.last), (tomorrow, tomorrow));
}
