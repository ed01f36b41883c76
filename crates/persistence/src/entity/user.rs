use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    pub email: String,
    pub email_key: String,
    pub password: String,
    pub administrator: bool,
    pub needs_address: bool,
    pub created_at: DateTimeUtc,
    pub has_password: bool,
}

impl ActiveModelBehavior for ActiveModel {}
