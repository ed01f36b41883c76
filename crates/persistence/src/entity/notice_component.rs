use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "notice_components")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub notice_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub component_id: Uuid,
    pub group_id: Option<Uuid>,
    pub is_attached: bool,
}

impl ActiveModelBehavior for ActiveModel {}
