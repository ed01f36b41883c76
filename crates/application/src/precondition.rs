//! Edits that are made for a version.

use allclear_domain::organisation::Revision;

use crate::error::Error;

/// Which versions an edit may be made on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Precondition {
    /// Every version.
    #[default]
    Any,
    /// One of these; an empty list matches no version.
    OneOf(Vec<Revision>),
}

impl Precondition {
    /// Whether an edit may be made on this version.
    ///
    /// # Errors
    /// [`Error::Stale`] when it may not.
    pub fn check(&self, version: Revision) -> Result<(), Error> {
        match self {
            Self::OneOf(versions) if !versions.contains(&version) => Err(Error::Stale),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_refused_on_any_other_version() {
        assert!(Precondition::Any.check(Revision(1)).is_ok());
        let one = Precondition::OneOf(vec![Revision(1), Revision(3)]);
        assert!(one.check(Revision(3)).is_ok());
        assert!(matches!(one.check(Revision(2)), Err(Error::Stale)));
        assert!(Precondition::OneOf(Vec::new()).check(Revision(1)).is_err());
    }
}
