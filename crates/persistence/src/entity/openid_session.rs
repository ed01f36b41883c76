use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "openid_sessions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: Uuid,
    pub provider: String,
    pub id_token: String,
    pub provider_factor: bool,
    pub own_factor: bool,
}

impl ActiveModelBehavior for ActiveModel {}
