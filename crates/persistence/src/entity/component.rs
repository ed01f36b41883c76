use allclear_application::error::Error;
use allclear_domain::component::Component;
use allclear_domain::id::{ComponentGroupId, ComponentId};
use allclear_domain::organisation::Revision;
use allclear_domain::page_order::ComponentPlace;
use sea_orm::entity::prelude::*;

use crate::error::parse_stored;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "components")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organisation_id: String,
    pub code: String,
    pub name: String,
    pub description: String,
    pub status: String,
    pub status_source: String,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
    pub show_uptime: bool,
    pub start_date: Option<Date>,
    pub only_show_when_affected: bool,
    pub history_version: i64,
    pub group_id: Option<Uuid>,
    pub position: i32,
    pub deleted_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Component {
    type Error = Error;

    fn try_from(row: Model) -> Result<Self, Error> {
        Ok(Self {
            id: ComponentId(row.id),
            name: row.name,
            description: row.description,
            status: parse_stored(&row.status)?,
            status_source: parse_stored(&row.status_source)?,
            place: ComponentPlace {
                group: row.group_id.map(ComponentGroupId),
                position: row.position,
            },
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: Revision(row.version),
            show_uptime: row.show_uptime,
            start_date: row.start_date,
            only_show_when_affected: row.only_show_when_affected,
            history_version: Revision(row.history_version),
        })
    }
}
