use allclear_application::session::ListedSession;
use allclear_domain::id::SessionId;
use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sessions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub digest: String,
    pub user_id: Uuid,
    pub active_organisation_id: Option<String>,
    pub created_at: DateTimeUtc,
    pub authenticated_at: DateTimeUtc,
    pub used_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    pub device: Option<String>,
    pub address: Option<String>,
    #[sea_orm(belongs_to, from = "user_id", to = "id")]
    pub user: BelongsTo<super::user::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for ListedSession {
    fn from(row: Model) -> Self {
        Self {
            id: SessionId(row.id),
            created_at: row.created_at,
            used_at: row.used_at,
            device: row.device,
            address: row.address,
        }
    }
}
