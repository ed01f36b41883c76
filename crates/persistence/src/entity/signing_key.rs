use allclear_application::installation::SigningKey;
use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "signing_keys")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub private_key: String,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for SigningKey {
    fn from(row: Model) -> Self {
        Self {
            id: row.id,
            private: row.private_key,
            created_at: row.created_at,
        }
    }
}
