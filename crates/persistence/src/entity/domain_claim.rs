use allclear_application::error::Error;
use allclear_domain::custom_domain::DomainClaim;
use sea_orm::entity::prelude::*;

use crate::error::parse_stored;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "domain_claims")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: String,
    pub name: String,
    pub token: String,
    pub status: String,
    pub checked_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    #[sea_orm(belongs_to, from = "organisation_id", to = "id")]
    pub organisation: BelongsTo<super::organisation::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for DomainClaim {
    type Error = Error;

    fn try_from(row: Model) -> Result<Self, Error> {
        Ok(Self {
            name: parse_stored(&row.name)?,
            token: row.token,
            status: parse_stored(&row.status)?,
            checked_at: row.checked_at,
            created_at: row.created_at,
        })
    }
}
