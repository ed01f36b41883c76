//! What each role may do.

use serde::Serialize;
use strum::{AsRefStr, Display, VariantArray};

use crate::membership::Role;

/// What a call needs from its caller's role.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, AsRefStr, Display, VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Permission {
    /// Read content, settings, dashboard, metrics and subscribers.
    Read,
    /// Write components, groups, their order and history, incidents, updates, reviews, maintenances
    /// and subscribers; import and export subscribers.
    Write,
    /// Change settings and the domain; manage API keys, members and invitations; read the
    /// audit log.
    Administer,
}

impl Role {
    /// Whether the role has a permission. This is the only such table: the API, the OpenAPI
    /// document and the web app follow it.
    #[must_use]
    pub const fn may(self, permission: Permission) -> bool {
        match permission {
            Permission::Read => matches!(self, Self::Viewer | Self::Editor | Self::Admin),
            Permission::Write => matches!(self, Self::Editor | Self::Admin),
            Permission::Administer => matches!(self, Self::Admin),
        }
    }

    /// The permissions of the role.
    pub fn permissions(self) -> impl Iterator<Item = Permission> {
        let all = Permission::VARIANTS.iter().copied();
        all.filter(move |permission| self.may(*permission))
    }

    /// The roles that have a permission.
    pub fn with_permission(permission: Permission) -> impl Iterator<Item = Self> {
        let all = Self::VARIANTS.iter().copied();
        all.filter(move |role| role.may(permission))
    }
}

impl Permission {
    /// Message for a caller whose role lacks the permission.
    #[must_use]
    pub const fn refusal(self) -> &'static str {
        match self {
            Self::Read => "Only a member may do this",
            Self::Write => "Only an editor or an admin may do this",
            Self::Administer => "Only an admin may do this",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_with_a_permission_are_those_that_may() {
        let may_write = Role::with_permission(Permission::Write);
        assert_eq!(may_write.collect::<Vec<_>>(), [Role::Editor, Role::Admin]);
    }

    #[test]
    fn greater_role_has_the_permissions_of_the_smaller_ones() {
        let permissions = Role::VARIANTS.iter().map(|role| role.permissions().count());
        assert_eq!(permissions.collect::<Vec<_>>(), [1, 2, 3]);
        for pair in Role::VARIANTS.windows(2) {
            assert!(
                pair[0]
                    .permissions()
                    .all(|permission| pair[1].may(permission))
            );
        }
    }
}
