use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_items")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organisation_id: String,
    pub created_at: DateTimeUtc,
    pub actor_type: String,
    pub actor_id: Option<String>,
    pub actor_name: String,
    pub action: String,
    pub target_type: String,
    pub target_id: String,
    pub target_name: Option<String>,
    pub request_id: Option<String>,
    pub address: Option<String>,
    pub state_before: Option<String>,
    pub state_after: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
