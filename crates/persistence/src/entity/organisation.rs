use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "organisations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub code: String,
    pub name: String,
    pub revision: i64,
    pub created_at: DateTimeUtc,
    pub founder_id: Option<Uuid>,
    pub subscriber_count: i64,
    pub committed_at: DateTimeUtc,
    pub time_zone: String,
    pub page_title: Option<String>,
    pub page_description: Option<String>,
    pub support_url: Option<String>,
    pub notify_by_default: bool,
    pub settings_version: i64,
    pub order_version: i64,
    pub public_channels: String,
    pub reminder_hours: Option<i32>,
    pub digest_at: Option<DateTimeUtc>,
    #[sea_orm(has_one)]
    pub domain_claim: HasOne<super::domain_claim::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
