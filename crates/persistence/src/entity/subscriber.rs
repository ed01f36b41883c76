use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "subscribers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organisation_id: String,
    pub email: String,
    pub mailbox: String,
    pub status: String,
    pub is_verified: bool,
    pub round: i32,
    /// The organisation's revision when the address was last confirmed: the subscriber receives notices of later revisions.
    pub confirmed_revision: i64,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
