//! What nodes publish: a commit with its sender.

use allclear_application::outbox::Commit;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A commit with the node that publishes it.
#[derive(Serialize)]
pub(super) struct Message<'c> {
    pub(super) sender: Uuid,
    #[serde(flatten)]
    pub(super) commit: &'c Commit,
}

/// The sender of a message; `None` if it is a node of version 0.1.0, whose messages have none.
#[derive(Deserialize)]
struct Origin {
    sender: Option<Uuid>,
}

/// The commit of a message; `None` if `node` is its sender.
pub(super) fn commit_of_another(text: &[u8], node: Uuid) -> serde_json::Result<Option<Commit>> {
    let Origin { sender } = serde_json::from_slice(text)?;
    if sender == Some(node) {
        return Ok(None);
    }
    serde_json::from_slice(text).map(Some)
}
