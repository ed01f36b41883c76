//! Work of several transactions.

use allclear_application::error::Error;
use allclear_application::origin::Origin;

/// Runs a deletion of several transactions to its end, even if its future is dropped: otherwise a
/// client that disconnects could leave a part of the rows. A shutdown may end it between two
/// transactions; the deletion of an account, an organisation or a group can be repeated. That of a
/// component cannot be once it is committed, and may leave rows that nobody sees.
pub(crate) fn run_to_end<T: Send + 'static>(
    deletion: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> impl Future<Output = Result<T, Error>> + Send {
    let deletion = tokio::spawn(Origin::current().scope(deletion));
    async { deletion.await.map_err(Error::internal)? }
}
