use allclear_application::directory::NameRecord;
use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "directory_names")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub name: String,
    pub as_of: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for NameRecord {
    fn from(row: Model) -> Self {
        Self {
            name: row.name,
            as_of: row.as_of,
        }
    }
}
