use allclear_application::error::Error;
use allclear_application::notice::Notice;
use allclear_domain::notice::NoticeContent;
use sea_orm::entity::prelude::*;

/// The `batches` of a notice that this version cannot read, once that is logged.
pub(crate) const UNREADABLE: i32 = i32::MAX;

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
    pub content: String,
    pub created_at: DateTimeUtc,
    pub reached: Option<Uuid>,
    pub expanded_at: Option<DateTimeUtc>,
    /// Number of transactions that have expanded the notice, or [`UNREADABLE`].
    pub batches: i32,
}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<&Model> for NoticeContent {
    type Error = Error;

    fn try_from(row: &Model) -> Result<Self, Error> {
        serde_json::from_str(&row.content).map_err(Error::internal)
    }
}

impl TryFrom<&Model> for Notice {
    type Error = Error;

    fn try_from(row: &Model) -> Result<Self, Error> {
        Ok(Self {
            id: row.id,
            subject: row.subject_id,
            at: row.created_at,
            content: row.try_into()?,
        })
    }
}
