use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "factor_requirements")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: String,
}

impl ActiveModelBehavior for ActiveModel {}
