//! Claims of organisations to domains.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    string, string_len, timestamp_with_time_zone, timestamp_with_time_zone_null,
};

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let claims = Table::create()
            .table("domain_claims")
            .col(string("organisation_id").primary_key())
            .col(string_len("name", 253))
            .col(string("token"))
            .col(string_len("status", 16))
            .col(timestamp_with_time_zone_null("checked_at"))
            .col(timestamp_with_time_zone("created_at"))
            .foreign_key(&mut owned_by(
                "domain_claim_organisation",
                "domain_claims",
                "organisation_id",
                "organisations",
            ))
            .to_owned();
        manager.create_table(claims).await?;
        manager
            .create_index(index("domain_claims_of_name", "domain_claims", &["name"]))
            .await?;
        // A domain belongs to one organisation; several may claim it.
        let verified = index("verified_domain", "domain_claims", &["name"])
            .unique()
            .and_where(Expr::col("status").eq("VERIFIED"))
            .to_owned();
        manager.create_index(verified).await
    }
}
