use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "operator_mails")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organisation_id: String,
    pub user_id: Uuid,
    pub incident_id: Option<Uuid>,
    pub content: String,
    pub created_at: DateTimeUtc,
    pub due_at: DateTimeUtc,
    pub attempts: i32,
    pub unconfirmed: i32,
}

impl ActiveModelBehavior for ActiveModel {}
