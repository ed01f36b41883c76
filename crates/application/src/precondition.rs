//! Preconditions of edits: the versions for which an edit was made.

use allclear_domain::organisation::Revision;

use crate::error::Error;

/// The versions to which an edit applies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Precondition {
    /// Every version.
    #[default]
    Any,
    /// One of the listed versions; an empty list matches no version.
    OneOf(Vec<Revision>),
}

impl Precondition {
    /// Checks that an edit applies to this version.
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
