use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "outbox")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub revision: i64,
    pub events: String,
    pub packed: Option<Vec<u8>>,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
