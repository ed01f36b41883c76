//! Accounts whose person knows no password, because an identity provider made them.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::boolean;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = boolean("has_password").default(true).take();
        let users = Table::alter().table("users").add_column(column).take();
        manager.alter_table(users).await?;
        // A provider's sign-in makes an account and its link in one moment. Whether the password
        // was reset since is not known.
        let made_by_provider = "UPDATE users SET has_password = FALSE WHERE EXISTS (SELECT 1 FROM openid_accounts \
            WHERE openid_accounts.user_id = users.id AND openid_accounts.created_at = users.created_at)";
        manager
            .get_connection()
            .execute_unprepared(made_by_provider)
            .await?;
        Ok(())
    }
}
