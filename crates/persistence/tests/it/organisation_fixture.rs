//! An organisation, and the changes that its operators make.

use allclear_application::component::ComponentStore;
use allclear_application::component_group::ComponentGroupStore;
use allclear_application::error::Error;
use allclear_application::incident::IncidentStore;
use allclear_application::outbox::{Backlog, Outbox};
use allclear_application::precondition::Precondition;
use allclear_application::stamp::Stamp;
use allclear_application::transition::{CreateTransition, Transition};
use allclear_domain::author::Author;
use allclear_domain::component::{Component, ComponentDraft, ComponentPatch, ComponentStatus};
use allclear_domain::component_group::{ComponentGroup, ComponentGroupPatch};
use allclear_domain::id::{
    ComponentGroupId, ComponentId, IncidentId, IncidentUpdateId, OrganisationId,
};
use allclear_domain::impact::{Attachment, IncidentAndAttached};
use allclear_domain::incident::{Incident, IncidentDraft, IncidentPatch, IncidentStatus};
use allclear_domain::incident_update::{
    IncidentAndNewest, IncidentAndUpdate, IncidentUpdate, IncidentUpdateDeletion,
};
use allclear_domain::organisation::Revision;
use allclear_domain::update::UpdateDraft;
use allclear_persistence::database::Database;
use serde_json::Value;

use crate::backend::{author, organisation};

pub(crate) struct OrganisationFixture {
    pub(crate) database: Database,
    pub(crate) id: OrganisationId,
}

/// An event in the outbox.
#[derive(Debug)]
pub(crate) struct StoredEvent {
    pub(crate) revision: i64,
    pub(crate) name: String,
    pub(crate) args: Value,
}

/// The rule that deletes a component.
pub(crate) fn deletion() -> Transition<Component, ()> {
    Box::new(|component, _| Ok(component.delete()))
}

pub(crate) fn set(status: IncidentStatus) -> IncidentPatch {
    IncidentPatch {
        status: Some(status),
        ..Default::default()
    }
}

pub(crate) fn open_on(component_id: ComponentId, status: ComponentStatus) -> Attachment {
    Attachment {
        component_id,
        status,
    }
}

pub(crate) fn draft(title: &str, components: &[Attachment]) -> CreateTransition<Incident> {
    let draft = IncidentDraft {
        title: title.into(),
        description: "All of it".into(),
        status: IncidentStatus::Investigating,
        occured_at: None,
        ..Default::default()
    };
    let components = components.to_vec();
    Box::new(move |stamp| {
        Ok(Incident::create(
            IncidentId(stamp.id),
            draft,
            &components,
            stamp.notify_by_default,
            stamp.committed_at,
        )?)
    })
}

pub(crate) fn attaching(components: &[Attachment]) -> Transition<IncidentAndAttached, ()> {
    let components = components.to_vec();
    Box::new(move |found, _| Ok(found.attach(&components)?))
}

pub(crate) fn changing_impacts(components: &[Attachment]) -> Transition<IncidentAndAttached, ()> {
    let components = components.to_vec();
    Box::new(move |found, _| Ok(found.change_impacts(&components)?))
}

pub(crate) fn detaching(components: Vec<ComponentId>) -> Transition<IncidentAndAttached, ()> {
    Box::new(move |found, _| Ok(found.detach(components)?))
}

impl OrganisationFixture {
    pub(crate) async fn new(database: &Database, id: &str) -> Self {
        Self {
            database: database.clone(),
            id: organisation(database, id).await,
        }
    }

    pub(crate) async fn component(&self, name: &str) -> ComponentId {
        let draft = ComponentDraft {
            name: name.into(),
            description: String::new(),
            status: ComponentStatus::default(),
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
        ComponentStore::insert(&self.database, &self.id, create, author())
            .await
            .unwrap()
            .state
            .component
            .id
    }

    pub(crate) async fn group(&self) -> ComponentGroupId {
        let patch = ComponentGroupPatch {
            name: Some("Edge".into()),
            ..ComponentGroupPatch::default()
        };
        let create: CreateTransition<ComponentGroup> = Box::new(move |stamp| {
            let id = ComponentGroupId(stamp.id);
            Ok(ComponentGroup::create(id, patch, stamp.committed_at)?)
        });
        let created = ComponentGroupStore::insert(&self.database, &self.id, create).await;
        created.unwrap().state.group.id
    }

    /// Moves a component into a group, or out of every group.
    pub(crate) async fn move_component(&self, id: ComponentId, group: Option<ComponentGroupId>) {
        let patch = ComponentPatch {
            group: Some(group),
            ..Default::default()
        };
        self.edit_component(id, patch).await;
    }

    pub(crate) async fn delete_group(&self, id: ComponentGroupId) {
        let rule = Box::new(|group: ComponentGroup, _| Ok(group.delete()));
        ComponentGroupStore::delete(&self.database, &self.id, id, rule)
            .await
            .unwrap()
            .unwrap();
    }

    pub(crate) async fn delete_component(&self, id: ComponentId) {
        ComponentStore::delete(&self.database, &self.id, id, Precondition::Any, deletion())
            .await
            .unwrap()
            .unwrap();
    }

    pub(crate) async fn edit_component(&self, id: ComponentId, patch: ComponentPatch) {
        let rule = Box::new(move |component: Component, stamp: Stamp| {
            Ok(component.edit(patch, stamp.zone, stamp.committed_at)?)
        });
        ComponentStore::change(&self.database, &self.id, id, rule, author())
            .await
            .unwrap()
            .unwrap();
    }

    pub(crate) async fn status(&self, id: ComponentId) -> ComponentStatus {
        self.found_component(id).await.status
    }

    pub(crate) async fn found_component(&self, id: ComponentId) -> Component {
        ComponentStore::find(&self.database, &self.id, id)
            .await
            .unwrap()
            .unwrap()
            .component
    }

    pub(crate) async fn set_by_hand(&self, id: ComponentId, status: ComponentStatus) {
        let patch = ComponentPatch {
            status: Some(status),
            ..Default::default()
        };
        self.edit_component(id, patch).await;
    }

    pub(crate) async fn open(&self, title: &str, components: &[Attachment]) -> Incident {
        let created = draft(title, components);
        let written = IncidentStore::insert(&self.database, &self.id, created, components.to_vec())
            .await
            .unwrap();
        written.state.incident
    }

    pub(crate) async fn edit(&self, incident: IncidentId, patch: IncidentPatch) -> Incident {
        let rule = Box::new(move |incident: Incident, stamp: Stamp| {
            Ok(incident.edit(patch, stamp.notify_by_default, stamp.committed_at)?)
        });
        let written = IncidentStore::change(&self.database, &self.id, incident, rule)
            .await
            .unwrap()
            .unwrap();
        written.state.incident
    }

    pub(crate) async fn delete(&self, incident: IncidentId) {
        IncidentStore::delete(
            &self.database,
            &self.id,
            incident,
            Precondition::Any,
            Box::new(|found, _| Ok(found.delete())),
        )
        .await
        .unwrap()
        .unwrap();
    }

    pub(crate) async fn attach(
        &self,
        incident: IncidentId,
        component: ComponentId,
        status: ComponentStatus,
    ) {
        let components = vec![open_on(component, status)];
        self.database
            .attach(
                &self.id,
                incident,
                components.clone(),
                attaching(&components),
            )
            .await
            .unwrap()
            .unwrap();
    }

    pub(crate) async fn detach(&self, incident: IncidentId, component: ComponentId) {
        self.database
            .detach(
                &self.id,
                incident,
                vec![component],
                detaching(vec![component]),
            )
            .await
            .unwrap()
            .unwrap();
    }

    pub(crate) async fn record(
        &self,
        incident: IncidentId,
        status: IncidentStatus,
        message: &str,
    ) -> IncidentUpdate {
        let recorded = self.record_with(incident, status, message, &[]);
        recorded.await.unwrap()
    }

    /// Records an update that also changes the impacts on components.
    pub(crate) async fn record_with(
        &self,
        incident: IncidentId,
        status: IncidentStatus,
        message: &str,
        impacts: &[Attachment],
    ) -> Result<IncidentUpdate, Error> {
        let draft = UpdateDraft {
            message: message.into(),
            status,
            ..Default::default()
        };
        let changed = impacts.to_vec();
        let rule: Transition<IncidentAndNewest, IncidentAndUpdate> =
            Box::new(move |latest, stamp: Stamp| {
                let id = IncidentUpdateId(stamp.id);
                let notify = stamp.notify_by_default;
                let recorded = latest.record(id, draft, ann(), notify, stamp.committed_at)?;
                Ok(recorded.with_impacts(&changed)?)
            });
        let (database, impacts) = (&self.database, impacts.to_vec());
        let written = IncidentStore::insert_update(database, &self.id, incident, impacts, rule);
        Ok(written.await?.unwrap().state)
    }

    pub(crate) async fn delete_update(&self, incident: IncidentId, update: IncidentUpdateId) {
        let rule = Box::new(move |deletion: IncidentUpdateDeletion, stamp: Stamp| {
            Ok(deletion.delete(&[update], stamp.notify_by_default, stamp.committed_at)?)
        });
        let updates = vec![update];
        IncidentStore::delete_updates(&self.database, &self.id, incident, updates, rule)
            .await
            .unwrap()
            .unwrap();
    }

    pub(crate) async fn found(&self, incident: IncidentId) -> Incident {
        IncidentStore::find(&self.database, &self.id, incident)
            .await
            .unwrap()
            .unwrap()
            .incident
    }

    /// All events of the outbox, in order.
    pub(crate) async fn events(&self) -> Vec<StoredEvent> {
        let Backlog::Commits(commits) = self
            .database
            .after(&self.id, Revision(0), 1000)
            .await
            .unwrap()
        else {
            panic!("nothing was pruned");
        };
        let mut events = Vec::new();
        for commit in commits {
            for event in commit.events {
                let args = serde_json::from_str(event.args.get()).unwrap();
                events.push(StoredEvent {
                    revision: commit.revision.0,
                    name: event.name,
                    args,
                });
            }
        }
        events
    }

    /// The names of the events of the newest revision.
    pub(crate) async fn last_names(&self) -> Vec<String> {
        let events = self.events().await;
        let last = events.last().map_or(0, |event| event.revision);
        events
            .into_iter()
            .filter(|event| event.revision == last)
            .map(|event| event.name)
            .collect()
    }
}

pub(crate) fn ann() -> Author {
    Author {
        id: "user_ann".into(),
        name: "Ann".into(),
    }
}
