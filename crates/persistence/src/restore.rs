//! Actions after a restore. Clients may have seen revisions that were made after the backup, so
//! revisions jump beyond every number used before.

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ConnectionTrait, Database as Connector, DatabaseConnection, DbErr, EntityTrait,
    TransactionTrait,
};

use crate::connect_options::{sqlite_writer, usual};
use crate::entity::{organisation, outbox};

/// Distance of the jump. Revisions stay below 2^53, JavaScript's largest exact integer, for two
/// million restores.
const JUMP: i64 = 1 << 32;

/// The user version that marks an SQLite database as a copy. It is a field of the file's header, so
/// it exists in every version of the schema.
pub(crate) const MARK: i32 = 1;
/// Offset of the user version in the file.
pub(crate) const MARK_OFFSET: u64 = 60;

/// Makes the revisions of all organisations jump, for a database that was restored without a
/// marked copy. Its schema is up to date. It may take as long as it needs. Returns the number
/// of organisations.
///
/// # Errors
/// The driver's error; nothing is changed then.
pub async fn raise_revisions(url: &str) -> Result<u64, DbErr> {
    let options = if url.starts_with("sqlite:") {
        sqlite_writer(url)
    } else {
        usual(url)
    };
    let connection = Connector::connect(options).await?;
    let transaction = connection.begin().await?;
    let organisations = bump_revisions(&transaction).await?;
    transaction.commit().await?;
    connection.close().await?;
    Ok(organisations)
}

/// Makes the revisions jump once, at the first start on a marked copy.
///
/// # Errors
/// The driver's error; the mark stays then.
pub(crate) async fn after_marked_copy(connection: &DatabaseConnection) -> Result<(), DbErr> {
    let row = connection.query_one_raw(sea_orm::Statement::from_string(
        connection.get_database_backend(),
        "PRAGMA user_version",
    ));
    let mark: i32 = match row.await? {
        Some(row) => row.try_get_by_index(0)?,
        None => 0,
    };
    if mark != MARK {
        return Ok(());
    }
    let transaction = connection.begin().await?;
    let organisations = bump_revisions(&transaction).await?;
    transaction
        .execute_unprepared("PRAGMA user_version = 0")
        .await?;
    transaction.commit().await?;
    tracing::info!(
        organisations,
        "the database is a restored copy: all revisions were raised"
    );
    Ok(())
}

/// Empties the outbox, so that no reader waits for commits in the gap. A viewer at an earlier
/// revision reads the snapshot again.
async fn bump_revisions(connection: &impl ConnectionTrait) -> Result<u64, DbErr> {
    use organisation::Column;

    outbox::Entity::delete_many().exec(connection).await?;
    let jump = organisation::Entity::update_many()
        .col_expr(Column::Revision, Expr::col(Column::Revision).add(JUMP));
    Ok(jump.exec(connection).await?.rows_affected)
}
