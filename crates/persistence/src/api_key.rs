//! API keys.

use allclear_application::api_key::{ApiKeyStore, KeyOwner};
use allclear_application::audit::state;
use allclear_application::delivery::Founder;
use allclear_application::error::{Error, Resource};
use allclear_application::page::{Listed, Page};
use allclear_application::secret::Digest;
use allclear_application::session::AdminSession;
use allclear_application::transition::{Committed, CreateTransition};
use allclear_domain::api_key::ApiKey;
use allclear_domain::id::{ApiKeyId, OrganisationId, UserId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, Select,
};

use crate::audit::NoAuditItem;
use crate::audit::subject::Subject;
use crate::commit::{Scope, StoredChange, commit_revision_in};
use crate::database::Database;
use crate::entity::api_key::{ActiveModel, Column, Entity, Model};
use crate::entity::organisation;
use crate::error::{broken, parse_stored};
use crate::membership::check_admin;
use crate::organisation::lock::Lock;
use crate::page;
use crate::session::lock_account_of;
use crate::statement::{Fetch, Run};

#[async_trait]
impl ApiKeyStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<ApiKey>, Error> {
        let keys = of(organisation);
        let listed = page::read(self.read(), keys, page, Column::Id, |row| row.id).await?;
        listed.try_map(ApiKey::try_from)
    }

    async fn insert(
        &self,
        organisation: &OrganisationId,
        digest: Digest,
        admin: Option<AdminSession>,
        create: CreateTransition<ApiKey>,
    ) -> Result<Committed<ApiKey>, Error> {
        let (owner, database, now) = (organisation.clone(), self.clone(), self.clock.now());
        let of_commit = NoAuditItem::OfCommit;
        self.write_unaudited_of(Some(organisation), of_commit, move |transaction| {
            Box::pin(async move {
                // Before the organisation's lock, as in every change.
                if let Some(admin) = admin {
                    lock_account_of(transaction, admin.user, admin.id, now).await?;
                }
                let committed = Box::pin(commit_revision_in(
                    transaction,
                    &database,
                    &owner,
                    Lock::Read,
                    Subject::Known,
                    move |scope| Box::pin(insert(scope, digest, admin, create)),
                ));
                committed
                    .await?
                    .ok_or(Error::NotFound(Resource::Organisation))
            })
        })
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: ApiKeyId,
    ) -> Result<Option<Committed<()>>, Error> {
        self.commit_revision(organisation, Subject::Known, move |scope| {
            Box::pin(async move {
                let found = of(scope.organisation)
                    .filter(Column::Id.eq(id.0))
                    .fetch_one(scope.transaction)
                    .await?;
                let Some(row) = found else {
                    return Ok(None);
                };
                Entity::delete_by_id(id.0).run(scope.transaction).await?;
                let key = ApiKey::try_from(row)?;
                let before = state::api_key(&key);
                let states = vec![(Some(before), None)];
                Ok(Some(StoredChange::from(key.revoke()).with_states(states)))
            })
        })
        .await
    }

    async fn find_by_digest(&self, digest: &Digest) -> Result<Option<(ApiKey, KeyOwner)>, Error> {
        let row = Entity::find()
            .filter(Column::Digest.eq(digest.as_str()))
            .fetch_one(self.read())
            .await?;
        let Some(row) = row else { return Ok(None) };
        let owner = organisation::Entity::find_by_id(row.organisation_id.as_str())
            .fetch_one(self.read())
            .await?;
        let Some(owner) = owner else { return Ok(None) };
        let organisation = parse_stored(&owner.id)?;
        let owner = KeyOwner {
            founder: Founder::of(&organisation, owner.founder_id.map(UserId)),
            organisation,
            name: owner.name,
        };
        Ok(Some((ApiKey::try_from(row)?, owner)))
    }

    async fn touch(
        &self,
        id: ApiKeyId,
        now: DateTime<Utc>,
        unless_after: DateTime<Utc>,
    ) -> Result<(), Error> {
        self.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            Box::pin(async move {
                let is_due = Condition::any()
                    .add(Column::LastUsedAt.is_null())
                    .add(Column::LastUsedAt.lte(unless_after));
                let used = ActiveModel {
                    last_used_at: Set(Some(now)),
                    ..Default::default()
                };
                Entity::update_many()
                    .set(used)
                    .filter(Column::Id.eq(id.0))
                    .filter(is_due)
                    .run(transaction)
                    .await?;
                Ok(())
            })
        })
        .await
    }
}

/// Stores the key that a rule creates. The caller holds the lock of the admin's account.
async fn insert(
    scope: Scope<'_>,
    digest: Digest,
    admin: Option<AdminSession>,
    create: CreateTransition<ApiKey>,
) -> Result<Option<StoredChange<ApiKey>>, Error> {
    if let Some(admin) = admin {
        check_admin(scope.transaction, scope.organisation, admin.user).await?;
    }
    let present = of(scope.organisation).count(scope.transaction).await;
    if present.map_err(broken)? >= ApiKey::MAX_COUNT {
        let most = ApiKey::MAX_COUNT;
        let message = format!("An organisation may have {most} API keys");
        return Err(Error::Conflict(message));
    }
    let created = create(scope.stamp)?;
    let row = model_of(scope.organisation, &created.state, &digest);
    Entity::insert(row.into_active_model())
        .run(scope.transaction)
        .await?;
    let after = state::api_key(&created.state);
    Ok(Some(
        StoredChange::from(created).with_states(vec![(None, Some(after))]),
    ))
}

/// The API keys of an organisation.
fn of(organisation: &OrganisationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganisationId.eq(organisation.as_str()))
}

fn model_of(organisation: &OrganisationId, key: &ApiKey, digest: &Digest) -> Model {
    Model {
        id: key.id.0,
        organisation_id: organisation.to_string(),
        name: key.name.clone(),
        role: key.role.to_string(),
        prefix: key.prefix.clone(),
        digest: digest.as_str().to_owned(),
        created_at: key.created_at,
        expires_at: key.expires_at,
        last_used_at: key.last_used_at,
    }
}
