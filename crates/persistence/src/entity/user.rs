use allclear_application::account::Credentials;
use allclear_application::password::PasswordHash;
use allclear_domain::account::User;
use allclear_domain::id::UserId;
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

impl From<Model> for User {
    fn from(row: Model) -> Self {
        Self {
            id: UserId(row.id),
            name: row.name,
            email: row.email,
            administrator: row.administrator,
            needs_address: row.needs_address,
            created_at: row.created_at,
        }
    }
}

impl From<Model> for Credentials {
    fn from(mut row: Model) -> Self {
        let password = PasswordHash::new(std::mem::take(&mut row.password));
        Self {
            user: row.into(),
            password,
        }
    }
}
