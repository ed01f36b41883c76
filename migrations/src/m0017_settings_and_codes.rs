//! Settings of an organisation's public pages, and public codes of what has an address of its own.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, boolean, string_len, string_null, text_null};
use sea_orm_migration::sea_orm::ConnectionTrait;
use sea_orm_migration::sea_orm::prelude::Uuid;
use sha2::{Digest, Sha256};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const DIGITS: [u8; 36] = *b"0123456789abcdefghijklmnopqrstuvwxyz";

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
            fill(manager.get_connection(), table).await?;
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

/// Stores the code of every row.
async fn fill(connection: &SchemaManagerConnection<'_>, table: &'static str) -> Result<(), DbErr> {
    let identifiers = Query::select().column("id").from(table).to_owned();
    for row in connection.query_all(&identifiers).await? {
        let (id, code) = if table == "organisations" {
            let id: String = row.try_get("", "id")?;
            let code = code(id.as_bytes());
            (Value::from(id), code)
        } else {
            let id: Uuid = row.try_get("", "id")?;
            (Value::from(id), code(id.as_bytes()))
        };
        let update = Query::update()
            .table(table)
            .value("code", code)
            .and_where(Expr::col("id").eq(id))
            .to_owned();
        connection.execute(&update).await?;
    }
    Ok(())
}

/// The code of an identifier, as this step makes it for ever.
fn code(identifier: &[u8]) -> String {
    let hash = Sha256::digest(identifier);
    let character = |bytes: &[u8]| {
        let value = usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
        char::from(DIGITS[value % DIGITS.len()])
    };
    hash.chunks_exact(2).take(12).map(character).collect()
}
