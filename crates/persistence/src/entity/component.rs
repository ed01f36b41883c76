use sea_orm::entity::prelude::*;

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
