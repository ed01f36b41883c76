use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "component_periods")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organisation_id: String,
    pub component_id: Uuid,
    pub status: String,
    pub start_at: DateTimeUtc,
    pub end_at: Option<DateTimeUtc>,
    pub cause_type: String,
    pub incident_id: Option<Uuid>,
    pub user_id: Option<String>,
    pub user_name: Option<String>,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
