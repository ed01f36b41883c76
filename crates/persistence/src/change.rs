//! The transaction of a change that makes no revision: of members, invitations, accounts, sessions, factors and subscribers.

use allclear_application::error::Error;
use futures_util::future::BoxFuture;

use crate::audit::{NewAuditItems, NoAuditItem};
use crate::database::Database;
use crate::transaction::Transaction;

impl Database {
    /// [`Self::write`] for a change whose work returns the items for the audit log with its value. They are appended in the same
    /// transaction, after the work.
    pub(crate) async fn change<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Transaction) -> BoxFuture<'t, Result<(T, NewAuditItems), Error>>
            + Send
            + 'static,
    {
        self.write(NoAuditItem::Appended, move |transaction| {
            Box::pin(async move {
                let (value, audit_items) = work(transaction).await?;
                audit_items.append(transaction).await?;
                Ok(value)
            })
        })
        .await
    }
}
