//! Public codes of rows, for several migrations.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::ConnectionTrait;
use sea_orm_migration::sea_orm::prelude::Uuid;
use sha2::{Digest, Sha256};

const DIGITS: [u8; 36] = *b"0123456789abcdefghijklmnopqrstuvwxyz";

/// Stores the code of every row that has none.
pub(crate) async fn fill(
    connection: &SchemaManagerConnection<'_>,
    table: &'static str,
) -> Result<(), DbErr> {
    let identifiers = Query::select()
        .column("id")
        .from(table)
        .and_where(Expr::col("code").eq(""))
        .to_owned();
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

/// The code of an identifier, as migrations make it for ever.
fn code(identifier: &[u8]) -> String {
    let hash = Sha256::digest(identifier);
    let character = |bytes: &[u8]| {
        let value = usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
        char::from(DIGITS[value % DIGITS.len()])
    };
    hash.chunks_exact(2).take(12).map(character).collect()
}
