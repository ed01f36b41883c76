//! How many statements changes of many components take.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use allclear_application::clock::SharedClock as _;
use allclear_application::component_group::{ComponentGroupStore, VersionedOrder};
use allclear_application::incident::IncidentStore;
use allclear_application::maintenance::MaintenanceStore;
use allclear_application::precondition::Precondition;
use allclear_application::stamp::Stamp;
use allclear_application::transition::{CreateTransition, Transition};
use allclear_domain::component::ComponentStatus;
use allclear_domain::event::{Changed, Event};
use allclear_domain::id::{
    ComponentGroupId, ComponentId, IncidentId, MaintenanceId, OrganisationId,
};
use allclear_domain::impact::{Attachment, IncidentAndAttached};
use allclear_domain::incident::{Incident, IncidentDraft, IncidentPatch, IncidentStatus};
use allclear_domain::maintenance::{
    ChangeContext, Maintenance, MaintenanceDraft, MaintenanceStatus,
};
use allclear_domain::page_order::OrderEntry;
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::ActiveValue::Set;
use sea_orm::EntityTrait;
use uuid::Uuid;

use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::entity::{component, component_group};
use crate::fixture::{add_organisation, postgresql, sqlite};
use crate::statement::Run;

const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// An organisation whose statements are counted. It has as many empty groups as components, which
/// are in no group.
struct Counted<'d> {
    database: &'d Database,
    count: Arc<AtomicUsize>,
    organisation: OrganisationId,
    components: Vec<ComponentId>,
    groups: Vec<ComponentGroupId>,
}

impl<'d> Counted<'d> {
    async fn new(
        database: &'d Database,
        count: &Arc<AtomicUsize>,
        name: &str,
        numbers: Range<u16>,
    ) -> Self {
        let organisation = add_organisation(database, name).await;
        let group_id = |number: u16| Uuid::from_u128(u128::from(number) + 100_000);
        let component = |number: u16| component::ActiveModel {
            id: Set(Uuid::from_u128(number.into())),
            organisation_id: Set(organisation.to_string()),
            code: Set(number.to_string()),
            name: Set("API".into()),
            description: Set(String::new()),
            status: Set("OPERATIONAL".into()),
            status_source: Set("OPERATOR".into()),
            created_at: Set(AT),
            updated_at: Set(AT),
            version: Set(0),
            position: Set(number.into()),
            ..Default::default()
        };
        let group = |number: u16| component_group::ActiveModel {
            id: Set(group_id(number)),
            organisation_id: Set(organisation.to_string()),
            code: Set(number.to_string()),
            name: Set("Edge".into()),
            description: Set(String::new()),
            position: Set(number.into()),
            display: Set("OPEN".into()),
            created_at: Set(AT),
            updated_at: Set(AT),
            version: Set(0),
        };
        let components: Vec<_> = numbers.clone().map(component).collect();
        let groups: Vec<_> = numbers.clone().map(group).collect();
        let inserted = database.write_unaudited(NoAuditItem::Upkeep, |transaction| {
            Box::pin(async move {
                let components = component::Entity::insert_many(components);
                components.run(transaction).await?;
                let groups = component_group::Entity::insert_many(groups);
                groups.run(transaction).await
            })
        });
        inserted.await.unwrap();
        let id = |number: u16| ComponentId(Uuid::from_u128(number.into()));
        Self {
            database,
            count: Arc::clone(count),
            organisation,
            components: numbers.clone().map(id).collect(),
            groups: numbers.map(group_id).map(ComponentGroupId).collect(),
        }
    }

    /// Returns the number of statements since the last call.
    fn taken(&self) -> usize {
        self.count.swap(0, Ordering::Relaxed)
    }

    fn attachments(&self, status: ComponentStatus) -> Vec<Attachment> {
        let attachment = |id: &ComponentId| Attachment {
            component_id: *id,
            status,
        };
        self.components.iter().map(attachment).collect()
    }

    async fn create_incident(&self, occured_at: DateTime<Utc>) -> IncidentId {
        let components = self.attachments(ComponentStatus::MajorOutage);
        let attached = components.clone();
        let create: CreateTransition<Incident> = Box::new(move |stamp| {
            let draft = IncidentDraft {
                title: "Down".into(),
                description: "All of it".into(),
                status: IncidentStatus::Investigating,
                occured_at: Some(occured_at),
                ..Default::default()
            };
            let (id, now) = (IncidentId(stamp.id), stamp.committed_at);
            Ok(Incident::create(id, draft, &attached, false, now)?)
        });
        let created = IncidentStore::insert(self.database, &self.organisation, create, components);
        created.await.unwrap().state.incident.id
    }

    async fn edit(&self, incident: IncidentId, patch: IncidentPatch) {
        let rule: Transition<Incident> =
            Box::new(move |found, stamp| Ok(found.edit(patch, false, stamp.committed_at)?));
        let edited = IncidentStore::change(self.database, &self.organisation, incident, rule);
        assert!(edited.await.unwrap().unwrap().commit.is_some());
    }

    async fn change_impacts(&self, incident: IncidentId) {
        let components = self.attachments(ComponentStatus::Degraded);
        let changed = components.clone();
        let rule: Transition<IncidentAndAttached, ()> =
            Box::new(move |found, _| Ok(found.change_impacts(&changed)?));
        let changed = self
            .database
            .change_impacts(&self.organisation, incident, components, rule);
        changed.await.unwrap().unwrap();
    }

    async fn delete(&self, incident: IncidentId) {
        let any = Precondition::Any;
        let rule: Transition<IncidentAndAttached, ()> = Box::new(|found, _| Ok(found.delete()));
        let deleted = IncidentStore::delete(self.database, &self.organisation, incident, any, rule);
        deleted.await.unwrap().unwrap();
    }

    async fn plan_maintenance(&self, start_at: DateTime<Utc>, end_at: DateTime<Utc>) {
        let draft = MaintenanceDraft {
            title: "Move".into(),
            description: "d".into(),
            start_at,
            end_at: Some(end_at),
            status: MaintenanceStatus::default(),
            notify: None,
            components: self.components.clone(),
        };
        let create: CreateTransition<Maintenance> = Box::new(move |stamp: Stamp| {
            let context = ChangeContext {
                notify_by_default: false,
                ..stamp.change_context()
            };
            let id = MaintenanceId(stamp.id);
            Ok(Maintenance::create(id, draft, context)?)
        });
        let planned = MaintenanceStore::insert(self.database, &self.organisation, create);
        planned.await.unwrap();
    }

    async fn publish_due(&self, now: DateTime<Utc>) {
        let published = self.database.publish_due(&self.organisation, now);
        assert!(published.await.unwrap().is_some());
    }

    /// Moves each component into a group of its own.
    async fn change_order(&self) {
        let groups = self.groups.iter().rev().zip(&self.components);
        let entry = |(group, component): (&ComponentGroupId, &ComponentId)| OrderEntry {
            group: Some(*group),
            components: vec![*component],
        };
        let entries: Vec<_> = groups.map(entry).collect();
        let rule: Transition<VersionedOrder> = Box::new(move |mut found, _| {
            found.order.entries = entries;
            Ok(Changed::new(found, vec![Event::ComponentOrderUpdated]))
        });
        let changed = ComponentGroupStore::change_order(self.database, &self.organisation, rule);
        changed.await.unwrap().unwrap();
    }

    /// The numbers of statements of changes that concern all components.
    async fn statements(&self) -> Vec<(&'static str, usize)> {
        let now = self.database.clock.now();
        let hours = |hours| now + TimeDelta::hours(hours);
        let mut statements = Vec::new();
        self.taken();
        let incident = self.create_incident(hours(-1)).await;
        statements.push(("creation", self.taken()));
        self.change_impacts(incident).await;
        statements.push(("change of impacts", self.taken()));
        let moved = IncidentPatch {
            occured_at: Some(hours(-2)),
            ..Default::default()
        };
        self.edit(incident, moved).await;
        statements.push(("correction of its time", self.taken()));
        let (resolved, reopened) = (IncidentStatus::Resolved, IncidentStatus::Monitoring);
        for (change, status, resolved_at) in [
            ("resolution", resolved, None),
            ("reopening", reopened, None),
            ("resolution in the past", resolved, Some(hours(-1))),
            ("second reopening", reopened, None),
        ] {
            let patch = IncidentPatch {
                status: Some(status),
                resolved_at,
                ..Default::default()
            };
            self.edit(incident, patch).await;
            statements.push((change, self.taken()));
        }
        self.delete(incident).await;
        statements.push(("deletion", self.taken()));
        // Maintenances follow the time that all nodes share.
        let shared_time = self.database.shared_time().await.unwrap();
        let later = |hours| shared_time + TimeDelta::hours(hours);
        self.taken();
        self.plan_maintenance(later(1), later(2)).await;
        statements.push(("maintenance", self.taken()));
        self.publish_due(later(1)).await;
        statements.push(("its begin", self.taken()));
        self.publish_due(later(3)).await;
        statements.push(("its end", self.taken()));
        self.change_order().await;
        statements.push(("order", self.taken()));
        statements
    }
}

async fn changes_of_many_components_take_no_more_statements(mut database: Database) {
    let count = database.count_statements();
    let few = Counted::new(&database, &count, "few", 1..3).await;
    let few = few.statements().await;
    let many = Counted::new(&database, &count, "many", 1_000..1_256).await;
    assert!(few.iter().all(|(_, statements)| *statements > 0), "{few:?}");
    assert_eq!(many.statements().await, few);
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_changes_many_components_by_few_statements() {
    let (database, _folder) = sqlite().await;
    changes_of_many_components_take_no_more_statements(database).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_changes_many_components_by_few_statements() {
    if let Some(database) = postgresql(&[]).await {
        changes_of_many_components_take_no_more_statements(database).await;
    }
}
