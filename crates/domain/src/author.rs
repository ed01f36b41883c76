//! Authors of updates.

/// The operator that recorded an update, with the name at that time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The user's identifier at the identity provider.
    pub id: String,
    /// The user's name.
    pub name: String,
}

impl Author {
    /// Name on the updates of an account that was deleted.
    pub const DELETED: &str = "Deleted account";
}
