mod history;

use allclear_application::component::ComponentStore;
use allclear_application::error::Error;
use allclear_application::outbox::{Backlog, Outbox};
use allclear_application::page::Page;
use allclear_application::precondition::Precondition;
use allclear_application::stamp::Stamp;
use allclear_domain::component::{Component, ComponentDraft, ComponentPatch, ComponentStatus};
use allclear_domain::id::{ComponentId, OrganisationId};
use allclear_domain::organisation::Revision;
use allclear_domain::time_zone::TimeZone;
use allclear_persistence::database::Database;

use crate::backend::{assert_none, author, clock, organisation, two};
use crate::contract;
use crate::organisation_fixture::deletion;

contract!(
    a_stored_component_reads_as_it_was_written,
    a_change_keeps_state_and_event_together,
    a_refused_rule_stores_nothing,
    a_rule_without_events_makes_no_revision,
    components_belong_to_their_organisation,
    a_list_is_newest_first_and_comes_in_parts,
    fifty_writers_make_fifty_revisions_in_order,
    a_deleted_component_is_gone,
);

async fn create(database: &Database, organisation: &OrganisationId, name: &str) -> Component {
    let draft = ComponentDraft {
        name: name.into(),
        description: "d".into(),
        status: ComponentStatus::Operational,
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
    database
        .insert(organisation, create, author())
        .await
        .unwrap()
        .state
        .component
}

fn patch_status(status: ComponentStatus) -> ComponentPatch {
    ComponentPatch {
        status: Some(status),
        ..Default::default()
    }
}

async fn set_status(
    database: &Database,
    organisation: &OrganisationId,
    id: ComponentId,
    status: ComponentStatus,
) -> i64 {
    let now = clock().now();
    let rule = Box::new(move |component: Component, _| {
        Ok(component.edit(patch_status(status), TimeZone::default(), now)?)
    });
    let written = database
        .change(organisation, id, rule, author())
        .await
        .unwrap()
        .unwrap();
    written.commit.map_or(0, |commit| commit.revision.0)
}

async fn commits(database: &Database, organisation: &OrganisationId) -> Vec<(i64, String, String)> {
    let Backlog::Commits(commits) = database
        .after(organisation, Revision(0), 1000)
        .await
        .unwrap()
    else {
        panic!("nothing was pruned");
    };
    let flat = |commit: allclear_application::outbox::Commit| {
        commit
            .events
            .into_iter()
            .map(move |event| (commit.revision.0, event.name, event.args.get().to_owned()))
    };
    commits.into_iter().flat_map(flat).collect()
}

async fn a_stored_component_reads_as_it_was_written(database: &Database) {
    let acme = organisation(database, "acme").await;
    let component = create(database, &acme, "API ☃").await;
    assert_eq!(component.version, Revision(1));
    assert_eq!(
        ComponentStore::find(database, &acme, component.id)
            .await
            .unwrap()
            .map(|report| report.component),
        Some(component)
    );
}

async fn a_change_keeps_state_and_event_together(database: &Database) {
    let acme = organisation(database, "acme").await;
    let component = create(database, &acme, "API").await;
    assert_eq!(
        set_status(database, &acme, component.id, ComponentStatus::MajorOutage).await,
        2
    );
    let stored = ComponentStore::find(database, &acme, component.id)
        .await
        .unwrap()
        .unwrap()
        .component;
    assert_eq!(
        (stored.status, stored.version),
        (ComponentStatus::MajorOutage, Revision(2))
    );
    let commits = commits(database, &acme).await;
    let names: Vec<_> = commits
        .iter()
        .map(|(revision, name, _)| (*revision, name.as_str()))
        .collect();
    assert_eq!(names, [(1, "new-component"), (2, "component-update")]);
    assert!(commits[1].2.contains("MAJOR_OUTAGE"), "{}", commits[1].2);
}

async fn a_refused_rule_stores_nothing(database: &Database) {
    let acme = organisation(database, "acme").await;
    let component = create(database, &acme, "API").await;
    let result = database
        .change(
            &acme,
            component.id,
            Box::new(|_, _| Err(Error::Stale)),
            author(),
        )
        .await;
    assert!(matches!(result, Err(Error::Stale)));
    assert_eq!(
        ComponentStore::find(database, &acme, component.id)
            .await
            .unwrap()
            .map(|report| report.component),
        Some(component)
    );
    assert_eq!(commits(database, &acme).await.len(), 1);
}

async fn a_rule_without_events_makes_no_revision(database: &Database) {
    let acme = organisation(database, "acme").await;
    let component = create(database, &acme, "API").await;
    assert_eq!(
        set_status(database, &acme, component.id, component.status).await,
        0
    );
    assert_eq!(commits(database, &acme).await.len(), 1);
}

async fn components_belong_to_their_organisation(database: &Database) {
    let (acme, other) = (
        organisation(database, "acme").await,
        organisation(database, "other").await,
    );
    let component = create(database, &acme, "API").await;
    assert_eq!(
        ComponentStore::find(database, &other, component.id)
            .await
            .unwrap(),
        None
    );
    assert!(
        ComponentStore::list(database, &other, Page::default())
            .await
            .unwrap()
            .items
            .is_empty()
    );
    assert_none(ComponentStore::delete(
        database,
        &other,
        component.id,
        Precondition::Any,
        deletion(),
    ))
    .await;
    let rule =
        Box::new(|_: Component, _| -> Result<_, Error> { panic!("the rule must not see it") });
    assert_none(database.change(&other, component.id, rule, author())).await;
    assert!(commits(database, &other).await.is_empty());
}

async fn a_list_is_newest_first_and_comes_in_parts(database: &Database) {
    let acme = organisation(database, "acme").await;
    for name in ["one", "two", "three"] {
        create(database, &acme, name).await;
    }
    let first = ComponentStore::list(database, &acme, two(None))
        .await
        .unwrap();
    let names: Vec<_> = first
        .items
        .iter()
        .map(|report| report.component.name.as_str())
        .collect();
    assert_eq!(names, ["three", "two"]);
    let rest = ComponentStore::list(database, &acme, two(first.next))
        .await
        .unwrap();
    assert_eq!(
        (
            rest.items[0].component.name.as_str(),
            rest.items.len(),
            rest.next
        ),
        ("one", 1, None)
    );
}

async fn fifty_writers_make_fifty_revisions_in_order(database: &Database) {
    let acme = organisation(database, "acme").await;
    let component = create(database, &acme, "API").await;
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..50 {
        let (database, acme) = (database.clone(), acme.clone());
        writers.spawn(async move {
            let rule = Box::new(move |component: Component, _| {
                let description = format!("{}, {number}", component.description);
                let patch = ComponentPatch {
                    description: Some(description),
                    ..Default::default()
                };
                Ok(component.edit(patch, TimeZone::default(), clock().now())?)
            });
            database
                .change(&acme, component.id, rule, author())
                .await
                .unwrap()
                .unwrap()
                .commit
                .unwrap()
                .revision
                .0
        });
    }
    let mut revisions = writers.join_all().await;
    revisions.sort_unstable();
    assert_eq!(revisions, (2..=51).collect::<Vec<_>>());

    let events = commits(database, &acme).await;
    assert_eq!(
        events
            .iter()
            .map(|(revision, ..)| *revision)
            .collect::<Vec<_>>(),
        (1..=51).collect::<Vec<_>>()
    );
    // Each writer built on what the one before it had stored: the descriptions only grow.
    let lengths: Vec<_> = events.iter().map(|(.., args)| args.len()).collect();
    assert!(lengths.is_sorted_by(|a, b| a < b), "{lengths:?}");
    let stored = ComponentStore::find(database, &acme, component.id)
        .await
        .unwrap()
        .unwrap()
        .component;
    assert_eq!(stored.description.split(", ").count(), 51);
}

async fn a_deleted_component_is_gone(database: &Database) {
    let acme = organisation(database, "acme").await;
    let component = create(database, &acme, "API").await;
    let any = Precondition::Any;
    let deleted = ComponentStore::delete(database, &acme, component.id, any, deletion())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        deleted.commit.unwrap().events[0].args.get(),
        format!("[\"{}\"]", component.id)
    );
    assert_eq!(
        ComponentStore::find(database, &acme, component.id)
            .await
            .unwrap(),
        None
    );
    assert_none(ComponentStore::delete(
        database,
        &acme,
        component.id,
        Precondition::Any,
        deletion(),
    ))
    .await;
}
