use allclear_application::audit::AuditItem;
use allclear_application::error::Error;
use sea_orm::entity::prelude::*;

use crate::error::parse_stored;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_items")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organisation_id: String,
    pub created_at: DateTimeUtc,
    pub actor_type: String,
    pub actor_id: Option<String>,
    pub actor_name: String,
    pub action: String,
    pub target_type: String,
    pub target_id: String,
    pub target_name: Option<String>,
    pub request_id: Option<String>,
    pub address: Option<String>,
    pub state_before: Option<String>,
    pub state_after: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for AuditItem {
    type Error = Error;

    fn try_from(row: Model) -> Result<Self, Error> {
        Ok(Self {
            id: row.id,
            created_at: row.created_at,
            actor_type: parse_stored(&row.actor_type)?,
            actor_id: row.actor_id,
            actor_name: row.actor_name,
            action: parse_stored(&row.action)?,
            target_type: parse_stored(&row.target_type)?,
            target_id: row.target_id,
            target_name: row.target_name,
            address: row.address,
            request_id: row.request_id,
            before: row.state_before,
            after: row.state_after,
        })
    }
}
