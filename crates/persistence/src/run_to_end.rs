//! Work of several transactions.

use allclear_application::error::Error;
use allclear_application::origin::Origin;

/// Runs a deletion of several transactions to its end, even if its future is dropped: otherwise a
/// client that disconnects could leave an organisation with a part of its rows.
pub(crate) fn run_to_end<T: Send + 'static>(
    deletion: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> impl Future<Output = Result<T, Error>> + Send {
    let deletion = tokio::spawn(Origin::current().scope(deletion));
    async { deletion.await.map_err(Error::internal)? }
}
