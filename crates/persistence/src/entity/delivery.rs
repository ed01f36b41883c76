use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "deliveries")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub organisation_id: String,
    pub subscriber_id: Uuid,
    pub notice_id: Option<Uuid>,
    pub created_at: DateTimeUtc,
    pub due_at: Option<DateTimeUtc>,
    pub claimed_until: Option<DateTimeUtc>,
    pub attempts: i32,
    pub given_up_at: Option<DateTimeUtc>,
    pub reason: Option<String>,
    pub by_mail: bool,
    pub unconfirmed: i32,
    pub earlier_attempts: i32,
    pub early_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
