use allclear_application::error::Error;
use allclear_domain::component_group::ComponentGroup;
use allclear_domain::id::ComponentGroupId;
use allclear_domain::organisation::Revision;
use sea_orm::entity::prelude::*;

use crate::error::parse_stored;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "component_groups")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organisation_id: String,
    pub code: String,
    pub name: String,
    pub description: String,
    pub position: i32,
    pub display: String,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for ComponentGroup {
    type Error = Error;

    fn try_from(row: Model) -> Result<Self, Error> {
        Ok(Self {
            id: ComponentGroupId(row.id),
            name: row.name,
            description: row.description,
            display: parse_stored(&row.display)?,
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: Revision(row.version),
        })
    }
}
