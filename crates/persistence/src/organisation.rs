//! Organisations.

use allclear_application::error::Error;
use allclear_application::organisation::OrganisationStore;
use allclear_application::rule::Written;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::{Organisation, Revision};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait,
    FromQueryResult, QueryFilter, QuerySelect, QueryTrait,
};

use crate::database::Database;
use crate::entity::organisation::{ActiveModel, Column, Entity, Model};
use crate::entity::subscriber;
use crate::error::broken;
use crate::notice::subscribed;
use crate::outbox;

#[async_trait]
impl OrganisationStore for Database {
    async fn find(&self, id: &OrganisationId) -> Result<Option<Organisation>, Error> {
        let found = Entity::find_by_id(id.as_str())
            .one(self.read())
            .await
            .map_err(broken)?;
        found.map(organisation).transpose()
    }

    async fn ensure(
        &self,
        id: &OrganisationId,
        name: Option<String>,
    ) -> Result<Written<()>, Error> {
        let unchanged = Written {
            state: (),
            commit: None,
        };
        if OrganisationStore::find(self, id)
            .await?
            .is_some_and(|known| name.as_ref().is_none_or(|name| *name == known.name))
        {
            return Ok(unchanged);
        }
        let (id, now) = (id.clone(), self.clock.now());
        self.write(move |transaction| {
            Box::pin(async move { insert_or_rename(transaction, &id, name, now).await })
        })
        .await
    }

    async fn delete(&self, id: &OrganisationId) -> Result<bool, Error> {
        let id = id.clone();
        self.write(|transaction| {
            Box::pin(async move {
                let gone = Entity::delete_by_id(id.as_str())
                    .exec(transaction)
                    .await
                    .map_err(broken)?;
                Ok(gone.rows_affected > 0)
            })
        })
        .await
    }
}

/// Makes sure the organisation exists and, where a name is given, bears it.
pub(crate) async fn insert_or_rename(
    transaction: &DatabaseTransaction,
    id: &OrganisationId,
    name: Option<String>,
    now: DateTime<Utc>,
) -> Result<Written<()>, Error> {
    let unchanged = Written {
        state: (),
        commit: None,
    };
    let fresh = ActiveModel {
        id: Set(id.as_str().to_owned()),
        name: Set(name.clone().unwrap_or_else(|| id.as_str().to_owned())),
        revision: Set(0),
        created_at: Set(now),
        ..Default::default()
    };
    let insert =
        Entity::insert(fresh).on_conflict(OnConflict::column(Column::Id).do_nothing().to_owned());
    insert
        .exec_without_returning(transaction)
        .await
        .map_err(broken)?;
    let (Some(known), Some(name)) = (lock(transaction, id).await?, name) else {
        return Ok(unchanged);
    };
    if known.name == name {
        return Ok(unchanged);
    }
    let renamed = ActiveModel {
        id: Set(known.id.clone()),
        name: Set(name),
        ..Default::default()
    };
    Entity::update(renamed)
        .exec(transaction)
        .await
        .map_err(broken)?;
    let commit = outbox::append(transaction, known, &[], now).await?;
    Ok(Written {
        state: (),
        commit: Some(commit),
    })
}

/// An organisation whose write lock a transaction holds.
#[derive(Debug, FromQueryResult)]
pub(crate) struct Locked {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Before this transaction.
    pub(crate) revision: i64,
    /// Whether anybody is mailed of what happens at it.
    pub(crate) is_heard: bool,
    /// Whether the next revision is stored already.
    #[sea_orm(skip)]
    pub(crate) is_stamped: bool,
}

/// Takes the organisation's write lock until the transaction ends: whoever writes to the same organisation waits, so its
/// revisions are totally ordered. SQLite has one writer at a time as it is.
pub(crate) async fn lock(
    transaction: &DatabaseTransaction,
    id: &OrganisationId,
) -> Result<Option<Locked>, Error> {
    let locked = Entity::find()
        .select_only()
        .columns([Column::Id, Column::Name, Column::Revision])
        .expr_as(is_heard(id), "is_heard")
        .filter(Column::Id.eq(id.as_str()))
        .lock_exclusive();
    locked.into_model().one(transaction).await.map_err(broken)
}

/// [`lock`] by storing the next revision, which saves a statement: for a write that has an event or fails.
pub(crate) async fn advance(
    transaction: &DatabaseTransaction,
    id: &OrganisationId,
) -> Result<Option<Locked>, Error> {
    let [own_id, name, revision] = [Column::Id, Column::Name, Column::Revision].map(Expr::col);
    let stamp = Query::update()
        .table(Entity)
        .value(Column::Revision, revision.clone().add(1))
        .and_where(Column::Id.eq(id.as_str()))
        .returning(Query::returning().exprs([own_id, name, revision.sub(1), is_heard(id)]))
        .take();
    let Some(row) = transaction.query_one(&stamp).await.map_err(broken)? else {
        return Ok(None);
    };
    let (id, name, revision, is_heard) = row.try_get_many_by_index().map_err(broken)?;
    Ok(Some(Locked {
        id,
        name,
        revision,
        is_heard,
        is_stamped: true,
    }))
}

fn is_heard(id: &OrganisationId) -> Expr {
    Expr::exists(
        subscribed(id)
            .select_only()
            .column(subscriber::Column::Id)
            .into_query(),
    )
}

fn organisation(row: Model) -> Result<Organisation, Error> {
    let id = OrganisationId::parse(&row.id).map_err(Error::internal)?;
    Ok(Organisation {
        id,
        name: row.name,
        revision: Revision(row.revision),
    })
}
