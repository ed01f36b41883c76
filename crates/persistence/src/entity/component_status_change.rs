use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "component_status_changes")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub component_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub revision: i64,
    pub status: String,
    pub status_source: String,
    pub created_at: DateTimeUtc,
    pub incident_id: Option<Uuid>,
}

impl ActiveModelBehavior for ActiveModel {}
