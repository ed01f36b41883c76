use allclear_application::error::Error;
use allclear_domain::id::IncidentId;
use allclear_domain::incident::Incident;
use allclear_domain::organisation::Revision;
use sea_orm::entity::prelude::*;

use crate::error::parse_stored;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "incidents")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organisation_id: String,
    pub code: String,
    pub title: String,
    pub description: String,
    pub status: String,
    pub occured_at: DateTimeUtc,
    pub resolved_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
    pub first_status: String,
    pub monitoring_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Incident {
    type Error = Error;

    fn try_from(row: Model) -> Result<Self, Error> {
        Ok(Self {
            id: IncidentId(row.id),
            title: row.title,
            description: row.description,
            status: parse_stored(&row.status)?,
            first_status: parse_stored(&row.first_status)?,
            occured_at: row.occured_at,
            monitoring_at: row.monitoring_at,
            resolved_at: row.resolved_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: Revision(row.version),
        })
    }
}
