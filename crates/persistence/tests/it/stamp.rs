//! Revisions, identifiers and creation times are in one order, whatever the clocks of the nodes say.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use allclear_application::clock::Clock;
use allclear_application::component::ComponentStore;
use allclear_application::incident::IncidentStore;
use allclear_application::maintenance::{MaintenanceStore, UpdateTransition};
use allclear_application::outbox::{Backlog, Outbox};
use allclear_application::page::Page;
use allclear_application::transition::{CreateTransition, Transition};
use allclear_domain::author::Author;
use allclear_domain::component::{Component, ComponentDraft, ComponentStatus};
use allclear_domain::id::{
    ComponentId, IncidentId, IncidentUpdateId, MaintenanceId, MaintenanceUpdateId, OrganisationId,
};
use allclear_domain::incident::{Incident, IncidentDraft, IncidentStatus};
use allclear_domain::incident_update::{IncidentAndNewest, IncidentAndUpdate, IncidentUpdateDraft};
use allclear_domain::maintenance::{Maintenance, MaintenanceDraft, MaintenanceStatus};
use allclear_domain::maintenance_update::{MaintenanceUpdate, MaintenanceUpdateDraft};
use allclear_domain::organisation::Revision;
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use serde_json::Value;
use uuid::Uuid;

use crate::backend::{clock, organisation, postgres_url, sqlite_url};

/// How many of each kind a node creates.
const EACH: usize = 8;

/// A clock that is wrong by so many seconds.
struct Wrong(AtomicI64);

impl Clock for Wrong {
    fn now(&self) -> DateTime<Utc> {
        clock().now() + TimeDelta::seconds(self.0.load(Ordering::Relaxed))
    }

    fn id(&self) -> Uuid {
        clock().id()
    }
}

struct Node {
    database: Database,
    clock: Arc<Wrong>,
    acme: OrganisationId,
}

fn author() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ada".into(),
    }
}

impl Node {
    async fn new(url: &str, seconds: i64) -> Self {
        let clock = Arc::new(Wrong(AtomicI64::new(seconds)));
        let database = Database::connect(url, Arc::clone(&clock) as _)
            .await
            .unwrap();
        let acme = organisation(&database, "acme").await;
        Self {
            database,
            clock,
            acme,
        }
    }

    /// Creates one of each kind after the other. Half-way the clock is set back by a minute.
    async fn create(&self) {
        for number in 0..EACH {
            if number == EACH / 2 {
                self.clock.0.fetch_sub(60, Ordering::Relaxed);
            }
            self.component().await;
            let incident = self.incident().await;
            self.incident_update(incident).await;
            let maintenance = self.maintenance().await;
            self.maintenance_update(maintenance).await;
        }
    }

    async fn component(&self) {
        let draft = ComponentDraft {
            name: "API".into(),
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
        ComponentStore::insert(&self.database, &self.acme, create)
            .await
            .unwrap();
    }

    async fn incident(&self) -> IncidentId {
        let draft = IncidentDraft {
            title: "Down".into(),
            description: "All of it".into(),
            status: IncidentStatus::Investigating,
            occured_at: None,
        };
        let create: CreateTransition<Incident> = Box::new(move |stamp| {
            Ok(Incident::create(
                IncidentId(stamp.id),
                draft,
                &[],
                stamp.now,
            )?)
        });
        let written = IncidentStore::insert(&self.database, &self.acme, create, Vec::new()).await;
        written.unwrap().state.incident.id
    }

    async fn incident_update(&self, incident: IncidentId) {
        let draft = IncidentUpdateDraft {
            message: "Found it".into(),
            status: IncidentStatus::Identified,
        };
        let rule: Transition<IncidentAndNewest, IncidentAndUpdate> =
            Box::new(move |latest, stamp| {
                let id = IncidentUpdateId(stamp.id);
                Ok(latest.record(id, draft, author(), stamp.now)?)
            });
        IncidentStore::insert_update(&self.database, &self.acme, incident, rule)
            .await
            .unwrap();
    }

    async fn maintenance(&self) -> MaintenanceId {
        let draft = MaintenanceDraft {
            title: "Move".into(),
            description: "d".into(),
            start_at: self.clock.now() + TimeDelta::days(1),
            end_at: None,
            status: MaintenanceStatus::Scheduled,
        };
        let create: CreateTransition<Maintenance> = Box::new(move |stamp| {
            Ok(Maintenance::create(
                MaintenanceId(stamp.id),
                draft,
                stamp.now,
                stamp.clock,
            )?)
        });
        let written = MaintenanceStore::insert(&self.database, &self.acme, create).await;
        written.unwrap().state.maintenance.id
    }

    async fn maintenance_update(&self, maintenance: MaintenanceId) {
        let draft = MaintenanceUpdateDraft {
            status: IncidentStatus::Monitoring,
            message: "Soon".into(),
        };
        let rule: UpdateTransition<Option<MaintenanceUpdate>, MaintenanceUpdate> =
            Box::new(move |(found, newest), stamp| {
                let recorded = MaintenanceUpdate::record(
                    MaintenanceUpdateId(stamp.id),
                    maintenance,
                    draft,
                    author(),
                    newest.as_ref(),
                    stamp.now,
                )?;
                Ok(found.with_update(recorded, None, stamp.clock))
            });
        MaintenanceStore::insert_update(&self.database, &self.acme, maintenance, rule)
            .await
            .unwrap();
    }

    /// What was created, in the order of the revisions: its identifier and its creation time.
    async fn created(&self) -> Vec<(String, String)> {
        let backlog = self.database.after(&self.acme, Revision(0), 10_000).await;
        let Backlog::Commits(commits) = backlog.unwrap() else {
            panic!("nothing was pruned");
        };
        let creates = |name: &str| name.starts_with("new-") || name.contains("timeline-updated");
        let field = |value: &Value, name: &str| value[0][name].as_str().unwrap().to_owned();
        commits
            .iter()
            .flat_map(|commit| &commit.events)
            .filter(|event| creates(&event.name))
            .map(|event| serde_json::from_str(event.args.get()).unwrap())
            .map(|args| (field(&args, "id"), field(&args, "createdAt")))
            .collect()
    }
}

async fn created_at_once_is_in_one_order(url: &str) {
    let mut nodes = Vec::new();
    for seconds in [3600, 0, -3600] {
        nodes.push(Node::new(url, seconds).await);
    }
    join_all(nodes.iter().map(Node::create)).await;
    let node = &nodes[0];
    let created = node.created().await;
    assert_eq!(created.len(), nodes.len() * EACH * 5);
    let unordered: Vec<_> = created
        .windows(2)
        .filter(|pair| pair[0].0 >= pair[1].0 || pair[0].1 > pair[1].1)
        .collect();
    assert!(unordered.is_empty(), "{unordered:?}");

    let listed = IncidentStore::list(&node.database, &node.acme, Page::default())
        .await
        .unwrap()
        .items;
    assert!(listed.is_sorted_by(|newer, older| {
        newer.incident.id > older.incident.id
            && newer.incident.created_at >= older.incident.created_at
    }));
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_with_wrong_clocks_create_in_one_order_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    created_at_once_is_in_one_order(&sqlite_url(&folder)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_with_wrong_clocks_create_in_one_order_on_postgresql() {
    let Some(url) = postgres_url().await else {
        return;
    };
    created_at_once_is_in_one_order(&url).await;
}
