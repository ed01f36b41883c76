//! Updates of maintenances.

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::maintenance::update::{MaintenanceUpdateStore, Recording};
use allclear_application::page::{Listed, Page};
use allclear_application::public::maintenance::MaintenanceEntry;
use allclear_application::transition::{Transition, Written};
use allclear_domain::author::Author;
use allclear_domain::event::{Changed, Event};
use allclear_domain::id::{MaintenanceId, MaintenanceUpdateId, OrganisationId};
use allclear_domain::maintenance_update::MaintenanceUpdate;
use allclear_domain::notice::MaintenanceChange;
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait,
    IntoActiveModel, QueryFilter, QueryOrder, QuerySelect, Select,
};
use uuid::Uuid;

use crate::database::Database;
use crate::entity::maintenance as parent;
use crate::entity::maintenance_update::{Column, Entity, Model};
use crate::error::broken;
use crate::maintenance::{find as find_parent, maintenance as state_of, note_announced};
use crate::notice::NoticeWriter;
use crate::organisation::{Locked, lock_for_commit};
use crate::outbox;

#[async_trait]
impl MaintenanceUpdateStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        page: Page,
    ) -> Result<Option<Listed<MaintenanceUpdate>>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                if find_parent(transaction, &organisation, maintenance)
                    .await?
                    .is_none()
                {
                    return Ok(None);
                }
                let mut query = newest_first(maintenance);
                if let Some(before) = page.before {
                    query = query.filter(Column::Id.lt(before));
                }
                let rows = query
                    .limit(page.limit.map(|limit| limit + 1))
                    .all(transaction)
                    .await
                    .map_err(broken)?;
                let updates = rows
                    .into_iter()
                    .map(update)
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(Some(Listed::cut(updates, page, |update| update.id.0)))
            })
        })
        .await
    }

    async fn find(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
    ) -> Result<Option<MaintenanceUpdate>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                if find_parent(transaction, &organisation, maintenance)
                    .await?
                    .is_none()
                {
                    return Ok(None);
                }
                find(transaction, maintenance, id).await
            })
        })
        .await
    }

    async fn insert(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        recording: Recording,
    ) -> Result<Option<Written<MaintenanceUpdate>>, Error> {
        let (database, organisation) = (self.clone(), organisation.clone());
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(held) =
                    hold(transaction, &organisation, maintenance, &*database.clock).await?
                else {
                    return Ok(None);
                };
                let newest = newest_first(maintenance)
                    .one(transaction)
                    .await
                    .map_err(broken)?;
                let Changed { mut state, events } =
                    recording(newest.map(update).transpose()?, held.organisation.stamp)?;
                state.version = held.organisation.next_revision();
                let row = row(&state).into_active_model();
                Entity::insert(row)
                    .exec_without_returning(transaction)
                    .await
                    .map_err(broken)?;
                let message = state.message.clone();
                held.tell(&database, transaction, state, &events, Some(message))
                    .await
            })
        })
        .await
    }

    async fn change(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
        rule: Transition<MaintenanceUpdate>,
    ) -> Result<Option<Written<MaintenanceUpdate>>, Error> {
        let (database, organisation) = (self.clone(), organisation.clone());
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(held) =
                    hold(transaction, &organisation, maintenance, &*database.clock).await?
                else {
                    return Ok(None);
                };
                let Some(before) = find(transaction, maintenance, id).await? else {
                    return Ok(None);
                };
                let Changed { mut state, events } = rule(before, held.organisation.stamp)?;
                if !events.is_empty() {
                    state.version = held.organisation.next_revision();
                    let row = row(&state).into_active_model().reset_all();
                    Entity::update(row)
                        .exec(transaction)
                        .await
                        .map_err(broken)?;
                }
                held.tell(&database, transaction, state, &events, None)
                    .await
            })
        })
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        asked: Vec<MaintenanceUpdateId>,
        rule: Transition<Vec<MaintenanceUpdateId>>,
    ) -> Result<Option<Written<Vec<MaintenanceUpdateId>>>, Error> {
        let (database, organisation) = (self.clone(), organisation.clone());
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(held) =
                    hold(transaction, &organisation, maintenance, &*database.clock).await?
                else {
                    return Ok(None);
                };
                let stored = newest_first(maintenance)
                    .filter(Column::Id.is_in(asked.iter().map(|id| id.0)))
                    .select_only()
                    .column(Column::Id);
                let stored: Vec<Uuid> =
                    stored.into_tuple().all(transaction).await.map_err(broken)?;
                let Changed { state, events } = rule(
                    stored.into_iter().map(MaintenanceUpdateId).collect(),
                    held.organisation.stamp,
                )?;
                let gone = Entity::delete_many()
                    .filter(Column::MaintenanceId.eq(maintenance.0))
                    .filter(Column::Id.is_in(state.iter().map(|id| id.0)));
                gone.exec(transaction).await.map_err(broken)?;
                held.tell(&database, transaction, state, &events, None)
                    .await
            })
        })
        .await
    }
}

/// A maintenance whose organisation is locked.
struct Held {
    organisation: Locked,
    maintenance: parent::Model,
}

async fn hold(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    maintenance: MaintenanceId,
    clock: &dyn Clock,
) -> Result<Option<Held>, Error> {
    let Some(locked) = lock_for_commit(transaction, organisation, clock).await? else {
        return Ok(None);
    };
    let found = find_parent(transaction, organisation, maintenance).await?;
    Ok(found.map(|maintenance| Held {
        organisation: locked,
        maintenance,
    }))
}

impl Held {
    /// Stores the events. They show the maintenance, so they also announce what the clock has changed of it. `recorded` is
    /// the message of an update that was recorded.
    async fn tell<T>(
        self,
        database: &Database,
        transaction: &DatabaseTransaction,
        state: T,
        events: &[Event],
        recorded: Option<String>,
    ) -> Result<Option<Written<T>>, Error> {
        if events.is_empty() {
            return Ok(Some(Written {
                state,
                commit: None,
            }));
        }
        let now = database.clock.now();
        let announced = self
            .maintenance
            .announced_status
            .parse()
            .map_err(Error::internal)?;
        let maintenance = state_of(self.maintenance);
        if maintenance.status(now) != announced {
            note_announced(transaction, &maintenance, now).await?;
        }
        let before = Some((&maintenance, announced));
        let change = MaintenanceChange::of(before, &maintenance, recorded.is_some(), now);
        let occasion = NoticeWriter {
            transaction,
            locked: &self.organisation,
            clock: &*database.clock,
            now,
        };
        occasion
            .maintenance(0, change, &maintenance, recorded.as_deref())
            .await?;
        let commit = outbox::append_at(transaction, self.organisation, events, now).await?;
        Ok(Some(Written {
            state,
            commit: Some(commit),
        }))
    }
}

/// An update as an event carries it.
pub(crate) async fn public(
    transaction: &DatabaseTransaction,
    maintenance: MaintenanceId,
    id: MaintenanceUpdateId,
) -> Result<MaintenanceEntry, Error> {
    let found = find(transaction, maintenance, id).await?;
    let missing = || {
        Error::internal(format!(
            "an event names update {id} of maintenance {maintenance}, which is not stored"
        ))
    };
    found
        .as_ref()
        .map(MaintenanceEntry::from)
        .ok_or_else(missing)
}

fn newest_first(maintenance: MaintenanceId) -> Select<Entity> {
    Entity::find()
        .filter(Column::MaintenanceId.eq(maintenance.0))
        .order_by_desc(Column::Id)
}

async fn find(
    connection: &impl ConnectionTrait,
    maintenance: MaintenanceId,
    id: MaintenanceUpdateId,
) -> Result<Option<MaintenanceUpdate>, Error> {
    Entity::find_by_id((maintenance.0, id.0))
        .one(connection)
        .await
        .map_err(broken)?
        .map(update)
        .transpose()
}

fn row(state: &MaintenanceUpdate) -> Model {
    Model {
        maintenance_id: state.maintenance_id.0,
        id: state.id.0,
        status: state.status.as_str().to_owned(),
        message: state.message.clone(),
        user_id: state.author.id.clone(),
        user_name: state.author.name.clone(),
        created_at: state.created_at,
        version: state.version.0,
    }
}

pub(super) fn update(row: Model) -> Result<MaintenanceUpdate, Error> {
    Ok(MaintenanceUpdate {
        id: MaintenanceUpdateId(row.id),
        maintenance_id: MaintenanceId(row.maintenance_id),
        status: row.status.parse().map_err(Error::internal)?,
        message: row.message,
        author: Author {
            id: row.user_id,
            name: row.user_name,
        },
        created_at: row.created_at,
        version: Revision(row.version),
    })
}
