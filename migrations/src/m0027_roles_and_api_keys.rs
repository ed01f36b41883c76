//! The roles admin, editor and viewer, and API keys.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    string, string_len, string_uniq, timestamp_with_time_zone, timestamp_with_time_zone_null, uuid,
};

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["memberships", "invitations"] {
            let editors = Query::update()
                .table(table)
                .value("role", "editor")
                .and_where(Expr::col("role").eq("member"))
                .to_owned();
            manager.execute(editors).await?;
        }
        manager.create_table(api_keys()).await?;
        let columns = ["organisation_id", "id"];
        manager
            .create_index(index("api_keys_of_organisation", "api_keys", &columns))
            .await
    }
}

fn api_keys() -> TableCreateStatement {
    Table::create()
        .table("api_keys")
        .col(uuid("id").primary_key())
        .col(string("organisation_id"))
        .col(string("name"))
        .col(string_len("role", 16))
        .col(string_len("prefix", 16))
        .col(string_uniq("digest"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("expires_at"))
        .col(timestamp_with_time_zone_null("last_used_at"))
        .foreign_key(&mut owned_by(
            "api_key_organisation",
            "api_keys",
            "organisation_id",
            "organisations",
        ))
        .to_owned()
}
