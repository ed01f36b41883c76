use allclear_application::organisation::OrganisationStore;
use allclear_application::transition::Transition;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::{Organisation, OrganisationPatch, Revision};
use allclear_persistence::database::Database;

use crate::backend::{name_organisation, organisation};
use crate::contract;

contract!(
    an_organisation_is_made_once,
    a_new_name_makes_a_revision_and_the_same_name_none,
    every_change_of_the_settings_has_a_version_of_its_own,
    a_deleted_organisation_is_gone,
);

async fn an_organisation_is_made_once(database: &Database) {
    let acme = organisation(database, "acme").await;
    organisation(database, "acme").await;
    let found = OrganisationStore::find(database, &acme)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((found.name.as_str(), found.revision), ("Acme", Revision(0)));
    assert_eq!(
        OrganisationStore::find(database, &OrganisationId::parse("other").unwrap())
            .await
            .unwrap(),
        None
    );
}

async fn a_new_name_makes_a_revision_and_the_same_name_none(database: &Database) {
    let acme = organisation(database, "acme").await;
    let same = name_organisation(database, &acme, "Acme").await;
    assert!(same.is_none());
    let renamed = name_organisation(database, &acme, "Acme Ltd").await;
    let renamed = renamed.unwrap();
    assert_eq!(renamed.revision, Revision(1));
    assert_eq!(renamed.events[0].name, "organisation-updated");
    assert_eq!(
        OrganisationStore::find(database, &acme)
            .await
            .unwrap()
            .unwrap()
            .name,
        "Acme Ltd"
    );
}

async fn every_change_of_the_settings_has_a_version_of_its_own(database: &Database) {
    let acme = organisation(database, "acme").await;
    let found = async || {
        let found = OrganisationStore::find(database, &acme).await.unwrap();
        found.unwrap()
    };
    let mut versions = vec![found().await.version];
    let mut revisions = Vec::new();
    for (hours, title) in [
        (Some(1), None),
        (Some(2), None),
        (Some(3), None),
        (Some(4), Some("Acme Cloud")),
    ] {
        let rule: Transition<Organisation> = Box::new(move |organisation, _| {
            let patch = OrganisationPatch {
                reminder_hours: Some(hours),
                page_title: Some(title.map(str::to_owned)),
                ..Default::default()
            };
            Ok(organisation.edit(patch)?)
        });
        let changed = OrganisationStore::change(database, &acme, rule).await;
        let changed = changed.unwrap().unwrap();
        revisions.extend(changed.commit.map(|commit| commit.revision));
        assert_eq!(changed.state.version, found().await.version);
        versions.push(changed.state.version);
    }
    name_organisation(database, &acme, "Acme Ltd").await;
    versions.push(found().await.version);
    assert!(
        versions.is_sorted_by(|one, next| one < next),
        "{versions:?}"
    );
    assert_eq!(revisions, [Revision(1)], "private changes make no revision");
}

async fn a_deleted_organisation_is_gone(database: &Database) {
    let acme = organisation(database, "acme").await;
    assert!(
        OrganisationStore::delete(database, &acme, None)
            .await
            .unwrap()
    );
    assert!(
        !OrganisationStore::delete(database, &acme, None)
            .await
            .unwrap()
    );
    assert_eq!(
        OrganisationStore::find(database, &acme).await.unwrap(),
        None
    );
}
