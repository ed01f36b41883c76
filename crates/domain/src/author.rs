//! Who recorded something.

/// An operator as an update remembers its author: by the name of then.
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
