use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "subscribers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organisation_id: String,
    pub target: String,
    pub target_key: String,
    pub status: String,
    pub is_verified: bool,
    pub round: i32,
    /// The organisation's revision when the address was last confirmed: the subscriber receives
    /// notices of later revisions.
    pub confirmed_revision: i64,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub channel: String,
    pub scope: String,
    pub incident_id: Option<Uuid>,
    pub mute_maintenances: bool,
    pub secret_number: i32,
    pub secret_rotated_at: Option<DateTimeUtc>,
    pub failing_reason: Option<String>,
    pub failing_since: Option<DateTimeUtc>,
    /// JSON: the number of each, and when it was replaced.
    pub earlier_secrets: Option<String>,
    /// Whether a visitor entered the target.
    pub by_visitor: bool,
}

impl ActiveModelBehavior for ActiveModel {}
