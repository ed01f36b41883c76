//! Claims of organisations to domains.

use allclear_application::custom_domain::{DOMAIN_TAKEN, DomainStore};
use allclear_application::error::Error;
use allclear_domain::custom_domain::{DomainClaim, DomainName, DomainStatus};
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Organisation;
use async_trait::async_trait;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};

use crate::database::Database;
use crate::entity::domain_claim::{ActiveModel, Column, Entity, Model};
use crate::error::{broken, is_duplicate, parse_stored};
use crate::organisation;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

#[async_trait]
impl DomainStore for Database {
    async fn verified_domains(&self) -> Result<Vec<(DomainName, OrganisationId)>, Error> {
        let rows: Vec<(String, String)> = with_status(DomainStatus::Verified)
            .select_only()
            .columns([Column::Name, Column::OrganisationId])
            .into_tuple()
            .fetch_all(self.read())
            .await?;
        let verified =
            |(name, id): (String, String)| Ok((parse_stored(&name)?, parse_stored(&id)?));
        rows.into_iter().map(verified).collect()
    }

    async fn owner_of(&self, name: &DomainName) -> Result<Option<OrganisationId>, Error> {
        let found = with_status(DomainStatus::Verified)
            .filter(Column::Name.eq(name.as_str()))
            .fetch_one(self.read())
            .await?;
        found
            .map(|row| parse_stored(&row.organisation_id))
            .transpose()
    }

    async fn pending_tokens(
        &self,
        name: &DomainName,
        first: Option<OrganisationId>,
        limit: u64,
    ) -> Result<Vec<String>, Error> {
        let first = first.as_ref().map_or("", OrganisationId::as_str);
        with_status(DomainStatus::Pending)
            .filter(Column::Name.eq(name.as_str()))
            .order_by_desc(Column::OrganisationId.eq(first))
            .order_by_desc(Column::CreatedAt)
            .limit(limit)
            .select_only()
            .column(Column::Token)
            .into_tuple()
            .fetch_all(self.read())
            .await
    }

    async fn find_by_id_or_code(&self, text: &str) -> Result<Option<OrganisationId>, Error> {
        organisation::find_by_id_or_code(self.read(), text).await
    }
}

fn with_status(status: DomainStatus) -> Select<Entity> {
    Entity::find().filter(Column::Status.eq(status.to_string()))
}

/// Stores the claim of an organisation whose claim was `before`. [`Error::Conflict`] if another
/// organisation has verified the domain.
pub(crate) async fn store(
    transaction: &Transaction,
    before: Option<DomainClaim>,
    organisation: &Organisation,
) -> Result<(), Error> {
    if before == organisation.domain {
        return Ok(());
    }
    let id = organisation.id.as_str();
    let Some(claim) = organisation.domain.clone() else {
        Entity::delete_by_id(id).run(transaction).await?;
        return Ok(());
    };
    let row = ActiveModel {
        organisation_id: Set(id.to_owned()),
        name: Set(claim.name.to_string()),
        token: Set(claim.token),
        status: Set(claim.status.to_string()),
        checked_at: Set(claim.checked_at),
        created_at: Set(claim.created_at),
    };
    let replaced = OnConflict::column(Column::OrganisationId)
        .update_columns([
            Column::Name,
            Column::Token,
            Column::Status,
            Column::CheckedAt,
            Column::CreatedAt,
        ])
        .to_owned();
    let stored = Entity::insert(row)
        .on_conflict(replaced)
        .exec_without_returning(transaction)
        .await;
    match stored {
        Ok(_) => Ok(()),
        Err(error) if is_duplicate(&error) => Err(Error::Conflict(DOMAIN_TAKEN.to_owned())),
        Err(error) => Err(broken(error)),
    }
}

/// The domain of a verified claim; `None` of a pending one.
pub(crate) fn verified_name_from(row: Model) -> Result<Option<DomainName>, Error> {
    let claim = DomainClaim::try_from(row)?;
    Ok(claim.is_verified().then_some(claim.name))
}
