use allclear_application::error::Error;
use allclear_domain::author::Author;
use allclear_domain::id::{IncidentId, IncidentUpdateId};
use allclear_domain::incident_update::IncidentUpdate;
use allclear_domain::organisation::Revision;
use sea_orm::entity::prelude::*;

use crate::error::parse_stored;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "incident_updates")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub incident_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub status: String,
    pub message: String,
    pub user_id: String,
    pub user_name: String,
    pub created_at: DateTimeUtc,
    pub version: i64,
    pub display_at: DateTimeUtc,
    pub edited_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for IncidentUpdate {
    type Error = Error;

    fn try_from(row: Model) -> Result<Self, Error> {
        Ok(Self {
            id: IncidentUpdateId(row.id),
            incident_id: IncidentId(row.incident_id),
            status: parse_stored(&row.status)?,
            message: row.message,
            author: Author {
                id: row.user_id,
                name: row.user_name,
            },
            created_at: row.created_at,
            display_at: row.display_at,
            version: Revision(row.version),
        })
    }
}
