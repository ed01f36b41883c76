use allclear_domain::id::IncidentId;
use allclear_domain::organisation::Revision;
use allclear_domain::review::Review;
use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "incident_reviews")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub incident_id: Uuid,
    pub body: String,
    pub published_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for Review {
    fn from(row: Model) -> Self {
        Self {
            incident_id: IncidentId(row.incident_id),
            body: row.body,
            published_at: row.published_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: Revision(row.version),
        }
    }
}
