use sea_orm::entity::prelude::*;

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
