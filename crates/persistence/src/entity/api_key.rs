use allclear_application::error::Error;
use allclear_domain::api_key::ApiKey;
use allclear_domain::id::ApiKeyId;
use sea_orm::entity::prelude::*;

use crate::error::parse_stored;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_keys")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organisation_id: String,
    pub name: String,
    pub role: String,
    pub prefix: String,
    pub digest: String,
    pub created_at: DateTimeUtc,
    pub expires_at: Option<DateTimeUtc>,
    pub last_used_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for ApiKey {
    type Error = Error;

    fn try_from(row: Model) -> Result<Self, Error> {
        Ok(Self {
            id: ApiKeyId(row.id),
            name: row.name,
            role: parse_stored(&row.role)?,
            prefix: row.prefix,
            created_at: row.created_at,
            expires_at: row.expires_at,
            last_used_at: row.last_used_at,
        })
    }
}
