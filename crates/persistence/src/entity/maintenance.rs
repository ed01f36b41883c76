use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "maintenances")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organisation_id: String,
    pub code: String,
    pub title: String,
    pub description: String,
    pub start_at: DateTimeUtc,
    pub end_at: Option<DateTimeUtc>,
    pub cancelled_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
    pub published_status: String,
    pub next_change_at: Option<DateTimeUtc>,
    pub shown_until: DateTimeUtc,
    pub notify: bool,
    pub reschedules: i32,
}

impl ActiveModelBehavior for ActiveModel {}
