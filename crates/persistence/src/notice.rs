//! Storage of notices: one row per change, however many subscribers, in the transaction of
//! the change.

use std::collections::HashMap;

use allclear_application::error::Error;
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
    ActiveValue::Set, ColumnTrait, ConnectionTrait as _, DbBackend, DeleteMany, EntityTrait,
    JoinType, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
};
use uuid::Uuid;

use crate::batch;
use crate::commit::Scope;
use crate::delivery::lock_rows;
use crate::entity::notice::{ActiveModel, Column, Entity, Model};
use crate::entity::{component, component_group, delivery, notice_component, subscriber};
use crate::incident::public::affected_by;
use crate::maintenance::component::with_names_of;
use crate::statement::{Fetch, Run, exists};

/// Rows that are stored by one statement.
const STORED_AT_ONCE: usize = 500;

/// Stores the notices of a change, unless nobody would receive them, and returns whether it stored
/// some. The new state is stored already.
pub(crate) async fn store(scope: Scope<'_>, mut notices: Vec<NewNotice>) -> Result<bool, Error> {
    let is_of_component = |notice: &NewNotice| matches!(notice, NewNotice::Component { .. });
    if notices.iter().any(is_of_component)
        && !exists(webhooks(scope.organisation), scope.transaction).await?
    {
        notices.retain(|notice| !is_of_component(notice));
    }
    let has_notices = !notices.is_empty();
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
        let row = model_of(
            scope,
            (id, part),
            composed.subject,
            composed.at,
            &composed.content,
        )?;
        Entity::insert(row).run(scope.transaction).await?;
        store_components(scope, id, composed.attached, composed.left).await?;
    }
    store_of_components(scope, of_components).await?;
    Ok(has_notices)
}

/// Stores the notices of changed components together: an incident may change hundreds.
async fn store_of_components(
    scope: Scope<'_>,
    changes: Vec<(i32, ComponentStatus, Component)>,
) -> Result<(), Error> {
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
            change: NoticeChange::Component {
                old_status,
                status: component.status,
            },
        };
        let (subject, at) = (component.id.0, scope.stamp.committed_at);
        stored.push((
            model_of(scope, (id, part), subject, at, &content)?,
            concerned,
        ));
    }
    for some in stored.chunks(STORED_AT_ONCE) {
        let (rows, concerned): (Vec<_>, Vec<_>) = some.iter().cloned().unzip();
        Entity::insert_many(rows).run(scope.transaction).await?;
        notice_component::Entity::insert_many(concerned)
            .run(scope.transaction)
            .await?;
    }
    Ok(())
}

/// The row of a notice with this identifier, at this place among those of the commit.
fn model_of(
    scope: Scope<'_>,
    (id, part): (Uuid, i32),
    subject: Uuid,
    at: DateTime<Utc>,
    content: &NoticeContent,
) -> Result<ActiveModel, Error> {
    Ok(ActiveModel {
        id: Set(id),
        organisation_id: Set(scope.organisation.as_str().to_owned()),
        revision: Set(scope.stamp.revision.0),
        part: Set(part),
        subject_id: Set(subject),
        content: Set(serde_json::to_string(content).map_err(Error::internal)?),
        created_at: Set(at),
        reached: Set(None),
        expanded_at: Set(None),
        batches: Set(0),
    })
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
    let components = affected_by(scope.transaction, incident.id).await?;
    let attached = ids(components.iter().map(|affected| &affected.component_id))?;
    let groups = group_names(scope, &attached).await?;
    let subject = incident.id.0;
    let left = components_left(scope, subject, &attached).await?;
    let components = attached.iter().zip(components);
    let components = components.map(|(id, affected)| ComponentImpact {
        name: full_name(groups.get(id).map(String::as_str), &affected.component.name),
        status: affected.status,
    });
    Ok(Composed {
        subject,
        at: scope.stamp.committed_at,
        content: NoticeContent {
            title: incident.title,
            description: incident.description,
            message,
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
    let groups = group_names(scope, &attached).await?;
    let subject = maintenance.id.0;
    let left = components_left(scope, subject, &attached).await?;
    let names = attached.iter().zip(components).map(|(id, affected)| {
        full_name(groups.get(id).map(String::as_str), &affected.component.name)
    });
    Ok(Composed {
        subject,
        at: scope.stamp.committed_at,
        content: NoticeContent {
            title: maintenance.title,
            description: maintenance.description,
            message,
            change: NoticeChange::Maintenance {
                change,
                status: maintenance.published_status,
                start_at: maintenance.start_at,
                end_at: maintenance.end_at,
                components: names.collect(),
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

/// Removes the notices of a deleted incident, maintenance or component, with what is queued
/// of them.
pub(crate) async fn withdraw(scope: Scope<'_>, subject: Uuid) -> Result<(), Error> {
    let notices = of_subject(subject).select_only().column(Column::Id);
    let queued = delivery::Column::NoticeId.in_subquery(notices.into_query());
    lock_rows(scope.transaction, delivery::Entity::find().filter(queued)).await?;
    withdrawal(subject).run(scope.transaction).await?;
    Ok(())
}

/// Removes the notices of a subject. See [`of_subject`].
pub(crate) fn withdrawal(subject: Uuid) -> DeleteMany<Entity> {
    Entity::delete_many().filter(Column::SubjectId.eq(subject))
}

/// The notices of a subject that the caller has found in its organisation. With the organisation in
/// the condition, SQLite would search through all of its notices.
pub(crate) fn of_subject(subject: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::SubjectId.eq(subject))
}

/// Withdraws the notices of deleted updates of an incident or maintenance, or only their messages
/// where the change stays. `versions` are those of the updates: one that was edited keeps its
/// notice. `is_resolved` says whether the incident is resolved without them.
pub(crate) async fn withdraw_updates(
    scope: Scope<'_>,
    subject: Uuid,
    versions: Vec<i64>,
    is_resolved: bool,
) -> Result<(), Error> {
    let rows = of_subject(subject)
        .filter(Column::Revision.is_in(versions))
        .lock_exclusive()
        .fetch_all(scope.transaction)
        .await?;
    lock_queued(scope, &rows).await?;
    for row in rows {
        let content = NoticeContent::try_from(&row);
        if let Err(error) = &content {
            // A newer node may have written it.
            tracing::error!(
                notice = %row.id,
                error = error as &dyn std::error::Error,
                "a stored notice cannot be read; its update is deleted, so it is withdrawn"
            );
        }
        let is_withdrawn = content.as_ref().map_or(true, |content| {
            content.change.is_withdrawn_with_update(is_resolved)
        });
        if is_withdrawn {
            withdraw_notice(scope, &row).await?;
            continue;
        }
        let content = NoticeContent {
            message: None,
            ..content?
        };
        let changed = ActiveModel {
            id: Set(row.id),
            content: Set(serde_json::to_string(&content).map_err(Error::internal)?),
            ..Default::default()
        };
        Entity::update(changed).run(scope.transaction).await?;
    }
    Ok(())
}

/// Withdraws the notice of a deleted review, which was published at the given time.
pub(crate) async fn withdraw_review(
    scope: Scope<'_>,
    incident: Uuid,
    published_at: DateTime<Utc>,
) -> Result<(), Error> {
    let rows = of_subject(incident)
        .filter(Column::CreatedAt.gte(published_at))
        .lock_exclusive()
        .fetch_all(scope.transaction)
        .await?;
    lock_queued(scope, &rows).await?;
    for row in rows {
        // A notice that cannot be read may be of another change.
        if NoticeContent::try_from(&row).is_ok_and(|content| content.review().is_some()) {
            withdraw_notice(scope, &row).await?;
        }
    }
    Ok(())
}

/// Locks what is queued of notices, of all of them together: see [`lock_rows`].
async fn lock_queued(scope: Scope<'_>, notices: &[Model]) -> Result<(), Error> {
    let expanded = notices.iter().filter(|notice| notice.batches > 0);
    let queued = delivery::Column::NoticeId.is_in(expanded.map(|notice| notice.id));
    lock_rows(scope.transaction, delivery::Entity::find().filter(queued)).await
}

/// Withdraws a notice with what is queued of it.
async fn withdraw_notice(scope: Scope<'_>, row: &Model) -> Result<(), Error> {
    if row.batches == 0 {
        Entity::delete_by_id(row.id).run(scope.transaction).await?;
        return Ok(());
    }
    delivery::Entity::delete_many()
        .filter(delivery::Column::NoticeId.eq(row.id))
        .filter(delivery::Column::GivenUpAt.is_null())
        .run(scope.transaction)
        .await?;
    // Some have received it, so the components of the next notice are compared with those of
    // this one.
    let ended = ActiveModel {
        id: Set(row.id),
        expanded_at: Set(row.expanded_at.or(Some(scope.stamp.wall_time))),
        ..Default::default()
    };
    Entity::update(ended).run(scope.transaction).await?;
    Ok(())
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
