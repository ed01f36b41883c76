//! Storage of notices: one row per change, however many subscribers, in the transaction of
//! the change.

mod withdrawal;

use std::cmp::Reverse;
use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::status_page::incident::ComponentName;
use allclear_application::status_page::size::Budget;
use allclear_domain::component::{Component, ComponentStatus, full_name};
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::{Incident, IncidentStatus};
use allclear_domain::maintenance::Maintenance;
use allclear_domain::notice::{
    ComponentImpact, IncidentChange, MaintenanceChange, NewNotice, NoticeChange, NoticeContent,
};
use allclear_domain::subscriber::SubscriberStatus;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait as _, DbBackend, EntityTrait, JoinType,
    QueryFilter, QueryOrder, QuerySelect, Select,
};
use uuid::Uuid;

#[cfg(test)]
pub(crate) use self::withdrawal::{of_subject, withdrawal};
pub(crate) use self::withdrawal::{withdraw, withdraw_review, withdraw_updates};
use crate::batch;
use crate::commit::Scope;
use crate::entity::notice::{ActiveModel, Column, Entity};
use crate::entity::{component, component_group, notice_component, subscriber};
use crate::incident::public::affected_by;
use crate::maintenance::component::with_names_of;
use crate::statement::{Fetch, Run, exists};

/// Rows that are stored by one statement.
const STORED_AT_ONCE: usize = 500;

/// Maximum number of components that a notice names. A mail shows all of them, and some mail
/// programs hide the end of a mail of more than 100 KB.
const MAX_NAMED: usize = 100;
/// Size limit of the names of a notice, in bytes of JSON.
const NAMES_BYTES: usize = 16 * 1024;
/// Size of a stored component of a notice, in bytes.
const COMPONENT_BYTES: usize = 64;

/// Stores the notices of a change, unless nobody would receive them, and returns the size of those
/// that it stored, in bytes; 0 if there are none. The new state is stored already.
pub(crate) async fn store(scope: Scope<'_>, mut notices: Vec<NewNotice>) -> Result<usize, Error> {
    let is_of_component = |notice: &NewNotice| matches!(notice, NewNotice::Component { .. });
    if notices.iter().any(is_of_component)
        && !exists(webhooks(scope.organisation), scope.transaction).await?
    {
        notices.retain(|notice| !is_of_component(notice));
    }
    let mut bytes = 0;
    let mut of_components = Vec::new();
    for (part, notice) in (0..).zip(notices) {
        let composed = match notice {
            NewNotice::Incident {
                change,
                incident,
                message,
                update_status,
                shown_at,
            } => {
                let shown = (update_status, shown_at);
                of_incident(scope, change, incident, message, shown).await?
            }
            NewNotice::Maintenance {
                change,
                maintenance,
                message,
            } => of_maintenance(scope, change, maintenance, message).await?,
            NewNotice::Component {
                old_status,
                component,
            } => {
                of_components.push((part, old_status, component));
                continue;
            }
        };
        let id = scope.database.clock.id();
        let content = json(&composed.content)?;
        let components = composed.attached.len() + composed.left.len();
        bytes += content.len() + components * COMPONENT_BYTES;
        let (subject, at) = (composed.subject, composed.at);
        let row = model_of(scope, (id, part), subject, at, content);
        Entity::insert(row).run(scope.transaction).await?;
        store_components(scope, id, composed.attached, composed.left).await?;
    }
    bytes += store_of_components(scope, of_components).await?;
    Ok(bytes)
}

/// Stores the notices of changed components together: an incident may change hundreds. Returns
/// their size in bytes.
async fn store_of_components(
    scope: Scope<'_>,
    changes: Vec<(i32, ComponentStatus, Component)>,
) -> Result<usize, Error> {
    let mut bytes = 0;
    let mut stored = Vec::with_capacity(changes.len());
    for (part, old_status, component) in changes {
        let id = scope.database.clock.id();
        let concerned = notice_component::ActiveModel {
            notice_id: Set(id),
            component_id: Set(component.id.0),
            group_id: Set(component.place.group.map(|group| group.0)),
            is_attached: Set(true),
        };
        let content = NoticeContent {
            title: component.name,
            description: component.description,
            message: None,
            unnamed_components: 0,
            change: NoticeChange::Component {
                old_status,
                status: component.status,
            },
        };
        let content = json(&content)?;
        bytes += content.len() + COMPONENT_BYTES;
        let (subject, at) = (component.id.0, scope.stamp.committed_at);
        let row = model_of(scope, (id, part), subject, at, content);
        stored.push((row, concerned));
    }
    for some in stored.chunks(STORED_AT_ONCE) {
        let (rows, concerned): (Vec<_>, Vec<_>) = some.iter().cloned().unzip();
        Entity::insert_many(rows).run(scope.transaction).await?;
        notice_component::Entity::insert_many(concerned)
            .run(scope.transaction)
            .await?;
    }
    Ok(bytes)
}

/// The stored form of a content.
fn json(content: &NoticeContent) -> Result<String, Error> {
    serde_json::to_string(content).map_err(Error::internal)
}

/// The row of a notice with this identifier, at this place among those of the commit.
fn model_of(
    scope: Scope<'_>,
    (id, part): (Uuid, i32),
    subject: Uuid,
    at: DateTime<Utc>,
    content: String,
) -> ActiveModel {
    ActiveModel {
        id: Set(id),
        organisation_id: Set(scope.organisation.as_str().to_owned()),
        revision: Set(scope.stamp.revision.0),
        part: Set(part),
        subject_id: Set(subject),
        content: Set(content),
        created_at: Set(at),
        reached: Set(None),
        expanded_at: Set(None),
        batches: Set(0),
    }
}

/// The subscribed webhooks, which receive changes of components.
pub(crate) fn webhooks(organisation: &OrganisationId) -> Select<subscriber::Entity> {
    subscribed(organisation).filter(is_webhook())
}

/// Whether a subscriber is a webhook. The index needs the word in the statement.
pub(crate) fn is_webhook() -> Expr {
    Expr::cust("channel = 'webhook'")
}

/// The components that were attached at the previous notice on the same subject and are not
/// attached any more. Their subscribers receive the change, too.
async fn components_left(
    scope: Scope<'_>,
    subject: Uuid,
    attached: &[Uuid],
) -> Result<Vec<Uuid>, Error> {
    use notice_component::Column as Of;

    let last: Option<Uuid> = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::SubjectId.eq(subject))
        .order_by_desc(Column::Revision)
        .order_by_desc(Column::Part)
        .into_tuple()
        .fetch_one(scope.transaction)
        .await?;
    let Some(last) = last else {
        return Ok(Vec::new());
    };
    let before: Vec<Uuid> = notice_component::Entity::find()
        .select_only()
        .column(Of::ComponentId)
        .filter(Of::NoticeId.eq(last))
        .filter(Of::IsAttached.eq(true))
        .into_tuple()
        .fetch_all(scope.transaction)
        .await?;
    let left = before.into_iter().filter(|id| !attached.contains(id));
    Ok(left.collect())
}

/// The names of the groups of components; without components that are in no group.
async fn group_names(
    scope: Scope<'_>,
    components: &[Uuid],
) -> Result<HashMap<Uuid, String>, Error> {
    let mut names = HashMap::new();
    for ids in batch::of_keys(components) {
        let link = component::Entity::belongs_to(component_group::Entity)
            .from(component::Column::GroupId)
            .to(component_group::Column::Id);
        let some = component::Entity::find()
            .select_only()
            .column(component::Column::Id)
            .column(component_group::Column::Name)
            .join(JoinType::InnerJoin, link.into())
            .filter(component::Column::Id.is_in(ids))
            .into_tuple::<(Uuid, String)>();
        names.extend(some.fetch_all(scope.transaction).await?);
    }
    Ok(names)
}

/// Full names of the first of these components: at most [`MAX_NAMED`] and [`NAMES_BYTES`].
async fn first_names(
    scope: Scope<'_>,
    components: &[&ComponentName],
) -> Result<Vec<String>, Error> {
    let first = &components[..components.len().min(MAX_NAMED)];
    let ids = ids(first.iter().map(|component| &component.id))?;
    let groups = group_names(scope, &ids).await?;
    let full_names = ids
        .iter()
        .zip(first)
        .map(|(id, component)| full_name(groups.get(id).map(String::as_str), &component.name));
    let mut names: Vec<_> = full_names.collect();
    Budget::new(NAMES_BYTES).fit(&mut names, &mut false)?;
    Ok(names)
}

/// Stores the components that a notice concerns.
async fn store_components(
    scope: Scope<'_>,
    notice: Uuid,
    attached: Vec<Uuid>,
    left: Vec<Uuid>,
) -> Result<(), Error> {
    let all: Vec<_> = attached.iter().chain(&left).copied().collect();
    let mut groups: HashMap<Uuid, Option<Uuid>> = HashMap::new();
    for ids in batch::of_keys(&all) {
        let some = component::Entity::find()
            .select_only()
            .columns([component::Column::Id, component::Column::GroupId])
            .filter(component::Column::Id.is_in(ids))
            .into_tuple::<(Uuid, Option<Uuid>)>();
        groups.extend(some.fetch_all(scope.transaction).await?);
    }
    let row = |component_id: Uuid, is_attached| notice_component::ActiveModel {
        notice_id: Set(notice),
        component_id: Set(component_id),
        group_id: Set(groups.get(&component_id).copied().flatten()),
        is_attached: Set(is_attached),
    };
    let attached = attached.into_iter().map(|id| row(id, true));
    let rows = attached.chain(left.into_iter().map(|id| row(id, false)));
    let rows: Vec<_> = rows.collect();
    // Not in batches of powers of two: most updates concern a few components, and one statement
    // more would cost more than its text.
    for some in rows.chunks(STORED_AT_ONCE) {
        notice_component::Entity::insert_many(some.iter().cloned())
            .run(scope.transaction)
            .await?;
    }
    Ok(())
}

/// A notice of an incident or a maintenance with everything that is stored of it.
struct Composed {
    subject: Uuid,
    at: DateTime<Utc>,
    content: NoticeContent,
    /// The components of the subject.
    attached: Vec<Uuid>,
    /// The components that have left the subject.
    left: Vec<Uuid>,
}

async fn of_incident(
    scope: Scope<'_>,
    change: IncidentChange,
    incident: Incident,
    message: Option<String>,
    (update_status, shown_at): (Option<IncidentStatus>, Option<DateTime<Utc>>),
) -> Result<Composed, Error> {
    let mut components = affected_by(scope.transaction, incident.id).await?;
    let attached = ids(components.iter().map(|affected| &affected.component_id))?;
    let subject = incident.id.0;
    let left = components_left(scope, subject, &attached).await?;
    // The worst impact is never left out: webhooks and chats show it.
    components.sort_by_key(|affected| Reverse(affected.status));
    let all = components.iter().map(|affected| &affected.component);
    let all: Vec<_> = all.collect();
    let names = first_names(scope, &all).await?;
    let unnamed = components.len() - names.len();
    let components = names
        .into_iter()
        .zip(components)
        .map(|(name, affected)| ComponentImpact {
            name,
            status: affected.status,
        });
    Ok(Composed {
        subject,
        at: scope.stamp.committed_at,
        content: NoticeContent {
            title: incident.title,
            description: incident.description,
            message,
            unnamed_components: unnamed as u64,
            change: NoticeChange::Incident {
                change,
                status: incident.status,
                update_status,
                shown_at,
                occurred_at: incident.occured_at,
                resolved_at: incident.resolved_at,
                components: components.collect(),
            },
        },
        attached,
        left,
    })
}

async fn of_maintenance(
    scope: Scope<'_>,
    change: MaintenanceChange,
    maintenance: Maintenance,
    message: Option<String>,
) -> Result<Composed, Error> {
    let components = with_names_of(scope.transaction, maintenance.id).await?;
    let attached = ids(components.iter().map(|affected| &affected.component_id))?;
    let subject = maintenance.id.0;
    let left = components_left(scope, subject, &attached).await?;
    let all = components.iter().map(|affected| &affected.component);
    let all: Vec<_> = all.collect();
    let names = first_names(scope, &all).await?;
    let unnamed = components.len() - names.len();
    Ok(Composed {
        subject,
        at: scope.stamp.committed_at,
        content: NoticeContent {
            title: maintenance.title,
            description: maintenance.description,
            message,
            unnamed_components: unnamed as u64,
            change: NoticeChange::Maintenance {
                change,
                status: maintenance.published_status,
                start_at: maintenance.start_at,
                end_at: maintenance.end_at,
                components: names,
            },
        },
        attached,
        left,
    })
}

fn ids<'a>(texts: impl Iterator<Item = &'a String>) -> Result<Vec<Uuid>, Error> {
    texts
        .map(|text| Uuid::try_parse(text).map_err(Error::internal))
        .collect()
}

/// The subscribers of an organisation that receive notices.
pub(crate) fn subscribed(organisation: &OrganisationId) -> Select<subscriber::Entity> {
    subscriber::Entity::find()
        .filter(subscriber::Column::OrganisationId.eq(organisation.as_str()))
        .filter(subscriber::Column::Status.eq(SubscriberStatus::Subscribed.to_string()))
}

/// Whether the organisation has subscribers although the statement that locked it found none.
/// PostgreSQL reads other tables in that statement as they were before the wait for the lock,
/// so a confirmation that held the lock is not found. SQLite's transactions wait before their
/// first statement.
pub(crate) async fn has_new_subscribers(scope: Scope<'_>) -> Result<bool, Error> {
    if scope.transaction.get_database_backend() == DbBackend::Sqlite {
        return Ok(false);
    }
    exists(subscribed(scope.organisation), scope.transaction).await
}
