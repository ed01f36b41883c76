use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "invitations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub digest: String,
    pub organisation_id: Option<String>,
    pub email: String,
    pub email_key: String,
    pub role: String,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    pub inviter_id: Option<Uuid>,
    #[sea_orm(belongs_to, from = "organisation_id", to = "id")]
    pub organisation: BelongsTo<Option<super::organisation::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}
