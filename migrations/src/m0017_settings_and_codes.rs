//! Settings of an organisation's public pages, and public codes of what has an address of its own.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, boolean, string_len, string_null, text_null};

use crate::code;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const TABLES: [(&str, &str); 4] = [
    ("organisations", "organisation_of_code"),
    ("components", "component_of_code"),
    ("incidents", "incident_of_code"),
    ("maintenances", "maintenance_of_code"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in [
            string_len("time_zone", 64).default("Etc/UTC").to_owned(),
            string_null("page_title"),
            text_null("page_description"),
            text_null("support_url"),
            boolean("notify_by_default").default(true).to_owned(),
            big_integer("settings_version").default(0).to_owned(),
        ] {
            let add = Table::alter()
                .table("organisations")
                .add_column(column)
                .to_owned();
            manager.alter_table(add).await?;
        }
        for (table, unique) in TABLES {
            let add = Table::alter()
                .table(table)
                .add_column(string_len("code", 12).default("").to_owned())
                .to_owned();
            manager.alter_table(add).await?;
            code::fill(manager.get_connection(), table).await?;
            let index = Index::create()
                .name(unique)
                .table(table)
                .col("code")
                .unique()
                .to_owned();
            manager.create_index(index).await?;
        }
        Ok(())
    }
}
