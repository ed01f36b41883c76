use allclear_application::organisation::OrganisationStore;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use allclear_persistence::database::Database;

use crate::backend::organisation;
use crate::contract;

contract!(
    an_organisation_is_made_once,
    a_new_name_makes_a_revision_and_the_same_name_none,
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
    assert!(database.ensure(&acme, None).await.unwrap().commit.is_none());
    assert!(
        database
            .ensure(&acme, Some("Acme".into()))
            .await
            .unwrap()
            .commit
            .is_none()
    );
    let renamed = database
        .ensure(&acme, Some("Acme Ltd".into()))
        .await
        .unwrap()
        .commit
        .unwrap();
    assert_eq!(renamed.revision, 1);
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

async fn a_deleted_organisation_is_gone(database: &Database) {
    let acme = organisation(database, "acme").await;
    assert!(OrganisationStore::delete(database, &acme).await.unwrap());
    assert!(!OrganisationStore::delete(database, &acme).await.unwrap());
    assert_eq!(
        OrganisationStore::find(database, &acme).await.unwrap(),
        None
    );
}
