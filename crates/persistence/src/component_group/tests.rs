use allclear_application::component::ComponentStore;
use allclear_domain::author::Author;
use allclear_domain::component::{Component, ComponentDraft};
use allclear_domain::component_group::ComponentGroupPatch;
use allclear_domain::id::ComponentId;
use allclear_domain::subscriber::Choice;

use super::*;
use crate::entity::{subscriber_component, subscriber_group};
use crate::fixture::{add_organisation, add_subscribers, postgresql, refuse_many_at_once, sqlite};
use crate::removal::MAX_ROWS;

/// More choices than one transaction may remove.
const MANY: u64 = MAX_ROWS + 100;

/// Refuses to remove a group together with more choices than one transaction may remove.
async fn refuse_many_choices_at_once(database: &Database) {
    let has_many =
        format!("(SELECT COUNT(*) FROM subscriber_groups WHERE group_id = OLD.id) > {MAX_ROWS}");
    refuse_many_at_once(database, "component_groups", &has_many).await;
}

/// Adds a group, with a component if it has a name.
async fn add_group(
    database: &Database,
    organisation: &OrganisationId,
    component: Option<&str>,
) -> ComponentGroupId {
    let patch = ComponentGroupPatch {
        name: Some("Edge".into()),
        ..ComponentGroupPatch::default()
    };
    let create: CreateTransition<ComponentGroup> = Box::new(move |stamp| {
        let id = ComponentGroupId(stamp.id);
        Ok(ComponentGroup::create(id, patch, stamp.committed_at)?)
    });
    let created = ComponentGroupStore::insert(database, organisation, create).await;
    let group = created.unwrap().state.group.id;
    if let Some(name) = component {
        let draft = ComponentDraft {
            name: name.to_owned(),
            group: Some(group),
            ..ComponentDraft::default()
        };
        let create: CreateTransition<Component> = Box::new(move |stamp| {
            let (id, now) = (ComponentId(stamp.id), stamp.committed_at);
            Ok(Component::create(id, draft, stamp.zone, now)?)
        });
        let author = Author {
            id: "1".into(),
            name: "Ann".into(),
        };
        let created = ComponentStore::insert(database, organisation, create, author).await;
        created.unwrap();
    }
    group
}

/// Adds a group, with a component if it has a name, that many subscribers have chosen.
async fn add_chosen_group(
    database: &Database,
    organisation: &OrganisationId,
    component: Option<&str>,
) -> ComponentGroupId {
    let edge = add_group(database, organisation, component).await;
    let choice = Choice {
        components: Vec::new(),
        groups: vec![edge],
    };
    add_subscribers(database, organisation, &choice, MANY.into()).await;
    edge
}

/// Deletes a group that many subscribers have chosen. Returns the [`choices`] that are left.
async fn choices_after_deletion(database: &Database, component: Option<&str>) -> (u64, u64) {
    let acme = add_organisation(database, "acme").await;
    let edge = add_chosen_group(database, &acme, component).await;
    let rule: Transition<ComponentGroup, ()> = Box::new(|group, _| Ok(group.delete()));
    let deleted = ComponentGroupStore::delete(database, &acme, edge, rule).await;
    assert!(deleted.unwrap().is_some());
    choices(database).await
}

/// The numbers of the choices of groups and of components.
async fn choices(database: &Database) -> (u64, u64) {
    let groups = subscriber_group::Entity::find().count(database.read());
    let components = subscriber_component::Entity::find().count(database.read());
    (groups.await.unwrap(), components.await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_removes_many_choices_of_a_deleted_group_in_several_transactions() {
    for (component, chosen) in [(Some("API"), MANY), (None, 0)] {
        let (database, _folder) = sqlite().await;
        refuse_many_choices_at_once(&database).await;
        assert_eq!(
            choices_after_deletion(&database, component).await,
            (0, chosen)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_removes_many_choices_of_a_deleted_group() {
    if let Some(database) = postgresql(&[]).await {
        let left = choices_after_deletion(&database, Some("API")).await;
        assert_eq!(left, (0, MANY));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deletion_of_a_group_of_another_organisation_changes_no_choice() {
    let (database, _folder) = sqlite().await;
    let acme = add_organisation(&database, "acme").await;
    let other = add_organisation(&database, "other").await;
    let edge = add_chosen_group(&database, &acme, None).await;
    let rule: Transition<ComponentGroup, ()> = Box::new(|group, _| Ok(group.delete()));
    let deleted = ComponentGroupStore::delete(&database, &other, edge, rule).await;
    assert!(deleted.unwrap().is_none());
    let left = subscriber_group::Entity::find().count(database.read());
    assert_eq!(left.await.unwrap(), MANY);
}
