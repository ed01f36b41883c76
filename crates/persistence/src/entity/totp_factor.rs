use allclear_application::second_factor::TotpFactor;
use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "totp_factors")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    pub nonce: String,
    pub last_step: i64,
    pub created_at: DateTimeUtc,
    pub confirmed_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for TotpFactor {
    fn from(row: Model) -> Self {
        Self {
            nonce: row.nonce,
            last_step: row.last_step,
            created_at: row.created_at,
            confirmed_at: row.confirmed_at,
        }
    }
}
