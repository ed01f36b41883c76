use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery_counts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: String,
    pub sent: i64,
    pub failed: i64,
}

impl ActiveModelBehavior for ActiveModel {}
