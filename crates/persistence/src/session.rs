//! Sessions.

use allclear_application::error::Error;
use allclear_application::secret::Digest;
use allclear_application::session::{Bearer, NewSession, Session, SessionStore};
use allclear_domain::id::{OrganisationId, SessionId, UserId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{ActiveValue::Set, ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter};

use crate::account::credentials;
use crate::database::Database;
use crate::entity::session::{ActiveModel, Column, Entity, Model};
use crate::entity::user;
use crate::error::broken;
use crate::membership;

#[async_trait]
impl SessionStore for Database {
    async fn open(&self, user: UserId, session: NewSession) -> Result<(), Error> {
        self.write(move |transaction| Box::pin(insert(transaction, user, session)))
            .await
    }

    async fn find(&self, digest: &Digest, now: DateTime<Utc>) -> Result<Option<Session>, Error> {
        let alive = Entity::find()
            .filter(Column::Digest.eq(digest.as_str()))
            .filter(Column::ExpiresAt.gt(now));
        let found = alive
            .find_also_related(user::Entity)
            .one(self.read())
            .await
            .map_err(broken)?;
        let Some((row, Some(user))) = found else {
            return Ok(None);
        };
        session(row, user).map(Some)
    }

    async fn extend(&self, id: SessionId, expires_at: DateTime<Utc>) -> Result<(), Error> {
        self.set(
            id,
            ActiveModel {
                expires_at: Set(expires_at),
                ..Default::default()
            },
        )
        .await
    }

    async fn activate(&self, id: SessionId, organisation: &OrganisationId) -> Result<(), Error> {
        let active_organisation_id = Set(Some(organisation.as_str().to_owned()));
        self.set(
            id,
            ActiveModel {
                active_organisation_id,
                ..Default::default()
            },
        )
        .await
    }

    async fn end(&self, digest: &Digest) -> Result<(), Error> {
        let digest = digest.clone();
        self.write(move |transaction| {
            Box::pin(async move {
                let ended = Entity::delete_many().filter(Column::Digest.eq(digest.as_str()));
                ended.exec(transaction).await.map_err(broken)?;
                Ok(())
            })
        })
        .await
    }

    async fn bearer(
        &self,
        session: SessionId,
        user: UserId,
        organisation: Option<OrganisationId>,
        now: DateTime<Utc>,
    ) -> Result<Option<Bearer>, Error> {
        let alive = Entity::find_by_id(session.0)
            .filter(Column::UserId.eq(user.0))
            .filter(Column::ExpiresAt.gt(now));
        let found = alive
            .find_also_related(user::Entity)
            .one(self.read())
            .await
            .map_err(broken)?;
        let Some((_, Some(bearer))) = found else {
            return Ok(None);
        };
        let membership = match organisation {
            Some(organisation) => membership::find(self.read(), &organisation, user).await?,
            None => None,
        };
        Ok(Some(Bearer {
            name: bearer.name,
            membership,
        }))
    }
}

impl Database {
    async fn set(&self, id: SessionId, change: ActiveModel) -> Result<(), Error> {
        self.write(move |transaction| {
            Box::pin(async move {
                let changed = Entity::update_many()
                    .set(change)
                    .filter(Column::Id.eq(id.0));
                changed.exec(transaction).await.map_err(broken)?;
                Ok(())
            })
        })
        .await
    }
}

/// Stores a session of an account.
pub(crate) async fn insert(
    transaction: &DatabaseTransaction,
    user: UserId,
    session: NewSession,
) -> Result<(), Error> {
    let row = ActiveModel {
        id: Set(session.id.0),
        digest: Set(session.digest.as_str().to_owned()),
        user_id: Set(user.0),
        active_organisation_id: Set(None),
        created_at: Set(session.created_at),
        expires_at: Set(session.expires_at),
    };
    Entity::insert(row)
        .exec_without_returning(transaction)
        .await
        .map_err(broken)?;
    Ok(())
}

fn session(row: Model, user: user::Model) -> Result<Session, Error> {
    let active = row
        .active_organisation_id
        .map(|id| OrganisationId::parse(&id));
    Ok(Session {
        id: SessionId(row.id),
        user: credentials(user).user,
        active_organisation: active.transpose().map_err(Error::internal)?,
        expires_at: row.expires_at,
    })
}
