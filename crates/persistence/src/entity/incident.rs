use sea_orm::entity::prelude::*;

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
