use allclear_domain::id::PasskeyId;
use allclear_domain::passkey::Passkey;
use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "passkeys")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub user_id: Uuid,
    pub name: String,
    pub credential_id: String,
    pub credential: String,
    pub sign_count: i64,
    pub created_at: DateTimeUtc,
    pub last_used_at: Option<DateTimeUtc>,
    #[sea_orm(belongs_to, from = "user_id", to = "id")]
    pub user: BelongsTo<super::user::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for Passkey {
    fn from(row: Model) -> Self {
        Self {
            id: PasskeyId(row.id),
            name: row.name,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
        }
    }
}
