//! Organisations that require a second factor of their members.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::string;

use crate::table::owned_by;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let requirements = Table::create()
            .table("factor_requirements")
            .col(string("organisation_id").primary_key())
            .foreign_key(&mut owned_by(
                "factor_requirement_organisation",
                "factor_requirements",
                "organisation_id",
                "organisations",
            ))
            .to_owned();
        manager.create_table(requirements).await
    }
}
