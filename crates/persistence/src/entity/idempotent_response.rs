use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotent_responses")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    pub request: String,
    pub sealed: Vec<u8>,
    pub number: i64,
    pub total_bytes: i64,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
