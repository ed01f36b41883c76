//! An organisation with incidents.

use std::sync::Arc;

use allclear_application::component::ComponentStore;
use allclear_application::incident::IncidentStore;
use allclear_application::outbox::{Backlog, Outbox};
use allclear_application::stamp::Stamp;
use allclear_application::transition::{CreateTransition, Transition};
use allclear_domain::author::Author;
use allclear_domain::component::{Component, ComponentDraft, ComponentPatch, ComponentStatus};
use allclear_domain::id::{ComponentId, IncidentId, IncidentUpdateId, OrganisationId};
use allclear_domain::impact::{Attachment, IncidentAndAttached};
use allclear_domain::incident::{Incident, IncidentDraft, IncidentPatch, IncidentStatus};
use allclear_domain::incident_update::{IncidentAndNewest, IncidentUpdate, IncidentUpdateDraft};
use allclear_domain::organisation::Revision;
use allclear_domain::time_zone::TimeZone;
use allclear_persistence::database::Database;
use serde_json::Value;

use crate::backend::{clock, organisation};

pub(super) struct World {
    pub(super) database: Arc<Database>,
    pub(super) acme: OrganisationId,
}

/// An event in the outbox.
#[derive(Debug)]
pub(super) struct StoredEvent {
    pub(super) revision: i64,
    pub(super) name: String,
    pub(super) args: Value,
}

pub(super) fn set(status: IncidentStatus) -> IncidentPatch {
    IncidentPatch {
        status: Some(status),
        ..Default::default()
    }
}

pub(super) fn open_on(component_id: ComponentId, status: ComponentStatus) -> Attachment {
    Attachment {
        component_id,
        status,
    }
}

pub(super) fn draft(title: &str, components: &[Attachment]) -> CreateTransition<Incident> {
    let draft = IncidentDraft {
        title: title.into(),
        description: "All of it".into(),
        status: IncidentStatus::Investigating,
        occured_at: None,
    };
    let components = components.to_vec();
    Box::new(move |stamp| {
        Ok(Incident::create(
            IncidentId(stamp.id),
            draft,
            &components,
            stamp.now,
        )?)
    })
}

pub(super) fn attaching(components: &[Attachment]) -> Transition<IncidentAndAttached, ()> {
    let components = components.to_vec();
    Box::new(move |found, _| Ok(found.attach(&components)?))
}

pub(super) fn detaching(components: Vec<ComponentId>) -> Transition<IncidentAndAttached, ()> {
    Box::new(move |found, _| Ok(found.detach(components)?))
}

impl World {
    pub(super) async fn new(database: &Database, id: &str) -> Self {
        Self {
            database: Arc::new(database.clone()),
            acme: organisation(database, id).await,
        }
    }

    pub(super) async fn component(&self, name: &str) -> ComponentId {
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
                stamp.now,
            )?)
        });
        ComponentStore::insert(&*self.database, &self.acme, create)
            .await
            .unwrap()
            .state
            .id
    }

    pub(super) async fn status(&self, id: ComponentId) -> ComponentStatus {
        ComponentStore::find(&*self.database, &self.acme, id)
            .await
            .unwrap()
            .unwrap()
            .status
    }

    pub(super) async fn set_by_hand(&self, id: ComponentId, status: ComponentStatus) {
        let patch = ComponentPatch {
            status: Some(status),
            ..Default::default()
        };
        let rule = Box::new(move |component: Component, _| {
            Ok(component.edit(patch, TimeZone::default(), clock().now())?)
        });
        ComponentStore::change(&*self.database, &self.acme, id, rule)
            .await
            .unwrap()
            .unwrap();
    }

    pub(super) async fn open(&self, title: &str, components: &[Attachment]) -> Incident {
        let created = draft(title, components);
        let written =
            IncidentStore::insert(&*self.database, &self.acme, created, components.to_vec())
                .await
                .unwrap();
        written.state.incident
    }

    pub(super) async fn edit(&self, incident: &Incident, patch: IncidentPatch) -> Incident {
        let rule = Box::new(move |incident: Incident, _| Ok(incident.edit(patch, clock().now())?));
        let written = IncidentStore::change(&*self.database, &self.acme, incident.id, rule)
            .await
            .unwrap()
            .unwrap();
        written.state.incident
    }

    pub(super) async fn delete(&self, incident: &Incident) {
        IncidentStore::delete(
            &*self.database,
            &self.acme,
            incident.id,
            Box::new(|found, _| Ok(found.delete())),
        )
        .await
        .unwrap()
        .unwrap();
    }

    pub(super) async fn attach(
        &self,
        incident: &Incident,
        component: ComponentId,
        status: ComponentStatus,
    ) {
        let components = vec![open_on(component, status)];
        self.database
            .attach(
                &self.acme,
                incident.id,
                components.clone(),
                attaching(&components),
            )
            .await
            .unwrap()
            .unwrap();
    }

    pub(super) async fn detach(&self, incident: &Incident, component: ComponentId) {
        self.database
            .detach(
                &self.acme,
                incident.id,
                vec![component],
                detaching(vec![component]),
            )
            .await
            .unwrap()
            .unwrap();
    }

    pub(super) async fn record(
        &self,
        incident: &Incident,
        status: IncidentStatus,
        message: &str,
    ) -> IncidentUpdate {
        let (draft, author) = (
            IncidentUpdateDraft {
                message: message.into(),
                status,
            },
            ann(),
        );
        let rule = Box::new(move |latest: IncidentAndNewest, stamp: Stamp| {
            let id = IncidentUpdateId(stamp.id);
            Ok(latest.record(id, draft, author, stamp.now)?)
        });
        let written =
            IncidentStore::insert_update(&*self.database, &self.acme, incident.id, rule).await;
        written.unwrap().unwrap().state
    }

    pub(super) async fn found(&self, incident: &Incident) -> Incident {
        IncidentStore::find(&*self.database, &self.acme, incident.id)
            .await
            .unwrap()
            .unwrap()
            .incident
    }

    /// All events of the outbox, in order.
    pub(super) async fn events(&self) -> Vec<StoredEvent> {
        let Backlog::Commits(commits) = self
            .database
            .after(&self.acme, Revision(0), 1000)
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
                    revision: commit.revision,
                    name: event.name,
                    args,
                });
            }
        }
        events
    }

    /// The names of the events of the newest revision.
    pub(super) async fn last_names(&self) -> Vec<String> {
        let events = self.events().await;
        let last = events.last().map_or(0, |event| event.revision);
        events
            .into_iter()
            .filter(|event| event.revision == last)
            .map(|event| event.name)
            .collect()
    }
}

pub(super) fn ann() -> Author {
    Author {
        id: "user_ann".into(),
        name: "Ann".into(),
    }
}
