//! The author of an update, as operators see it.

use allclear_domain::author::Author;
use serde::Serialize;
use utoipa::ToSchema;

/// The author of an update.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Author)]
pub(crate) struct AuthorBody {
    /// Identifier of the user at the identity provider.
    id: String,
    /// Name of the user at the time of the update.
    name: String,
}

impl From<&Author> for AuthorBody {
    fn from(author: &Author) -> Self {
        Self {
            id: author.id.clone(),
            name: author.name.clone(),
        }
    }
}
