use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "verification_mails")]
pub struct Model {
    /// Key of the recipient: a mail address, or a URL.
    #[sea_orm(primary_key, auto_increment = false)]
    pub target_key: String,
    pub used_until: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
