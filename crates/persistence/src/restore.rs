//! What follows a restore. The revisions after a backup name states that are lost, and would name others as they come again;
//! so they jump over any number that was ever in use.

use allclear_application::error::Error;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, TransactionTrait};

use crate::database::Database;
use crate::entity::{organisation, outbox};
use crate::error::broken;

/// How far revisions jump. They stay below 2^53, where numbers of JavaScript end, over two million restores.
const JUMP: i64 = 1 << 32;

/// The user version that marks an SQLite database as a copy. It is a field of the file's header, so a copy of any version's
/// schema has room for it.
pub(crate) const MARK: i32 = 1;
/// Where the user version is in the file. <https://www.sqlite.org/fileformat.html#the_database_header>
pub(crate) const MARK_OFFSET: u64 = 60;

impl Database {
    /// Makes the revisions of all organisations jump, for a database that was restored by other means than a marked copy.
    /// Returns how many organisations there are.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn after_restore(&self) -> Result<u64, Error> {
        self.write(move |transaction| {
            Box::pin(async move { bump_revisions(transaction).await.map_err(broken) })
        })
        .await
    }
}

/// Does the same at the first start on a marked copy, once.
///
/// # Errors
/// Whatever the driver errors with; the mark stays then.
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
    tracing::info!(organisations, "a restored database: revisions have jumped");
    Ok(())
}

/// The outbox goes: no reader can then take the gap for commits that are still to come. A viewer that was at an earlier
/// revision reads the snapshot again.
async fn bump_revisions(connection: &impl ConnectionTrait) -> Result<u64, DbErr> {
    use organisation::Column;

    outbox::Entity::delete_many().exec(connection).await?;
    let jump = organisation::Entity::update_many()
        .col_expr(Column::Revision, Expr::col(Column::Revision).add(JUMP));
    Ok(jump.exec(connection).await?.rows_affected)
}
