//! Who recorded an update, as operators see it.

use allclear_domain::author::Author;
use serde::Serialize;
use utoipa::ToSchema;

/// Who recorded an update.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Author)]
pub(crate) struct AuthorBody {
    /// The user's identifier at the identity provider.
    id: String,
    /// The user's name of then.
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
