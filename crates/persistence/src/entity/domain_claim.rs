use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "domain_claims")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: String,
    pub name: String,
    pub token: String,
    pub status: String,
    pub checked_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    #[sea_orm(belongs_to, from = "organisation_id", to = "id")]
    pub organisation: BelongsTo<super::organisation::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
