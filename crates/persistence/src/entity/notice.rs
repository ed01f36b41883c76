use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "notices")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organisation_id: String,
    pub revision: i64,
    pub part: i32,
    pub subject_id: Uuid,
    #[sea_orm(column_name = "news")]
    pub content: String,
    pub created_at: DateTimeUtc,
    pub reached: Option<Uuid>,
    pub expanded_at: Option<DateTimeUtc>,
    /// 0 before the expansion has begun, the largest number for a notice that this version cannot read.
    pub batches: i32,
}

impl ActiveModelBehavior for ActiveModel {}
