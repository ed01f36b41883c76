use allclear_application::waitlist::Waiting;
use allclear_domain::id::WaitlistId;
use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "waitlist")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    pub email: String,
    pub email_key: String,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for Waiting {
    fn from(row: Model) -> Self {
        Self {
            id: WaitlistId(row.id),
            name: row.name,
            email: row.email,
            created_at: row.created_at,
        }
    }
}
