//! Members of organisations and their roles.

use chrono::{DateTime, Utc};
use serde::Serialize;
use strum::{AsRefStr, Display, EnumString, VariantArray};
use utoipa::ToSchema;

use crate::id::{OrganisationId, UserId};

/// Role of a member in an organisation, in the order of permissions.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    ToSchema,
    AsRefStr,
    Display,
    EnumString,
    VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// May read everything that is shown to members.
    Viewer,
    /// May also change the content: components, incidents, maintenances, subscribers. Was `member`
    /// in earlier versions, which is still read.
    #[strum(to_string = "editor", serialize = "member")]
    Editor,
    /// May do everything.
    Admin,
}

/// A member of an organisation, as its other members see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The member's account.
    pub user: UserId,
    /// The person's name.
    pub name: String,
    /// The person's address; `None` if the account needs one.
    pub email: Option<String>,
    /// The member's role.
    pub role: Role,
    /// When the member joined.
    pub created_at: DateTime<Utc>,
}

/// A membership, as the member sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The organisation.
    pub organisation: OrganisationId,
    /// Its name.
    pub name: String,
    /// The member's role in it.
    pub role: Role,
}

/// What the rules need to know about a member and the other members of the organisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberState {
    /// The member's role.
    pub role: Role,
    /// How many admins there are besides the member.
    pub other_admins: u64,
}

/// The member is the organisation's last admin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("The last admin cannot leave or get another role")]
pub struct LastAdmin;

impl MemberState {
    /// The member leaves, or is removed.
    ///
    /// # Errors
    /// [`LastAdmin`].
    pub const fn leave(self) -> Result<(), LastAdmin> {
        match self.role {
            Role::Admin if self.other_admins == 0 => Err(LastAdmin),
            Role::Admin | Role::Editor | Role::Viewer => Ok(()),
        }
    }

    /// The member is given a role.
    ///
    /// # Errors
    /// [`LastAdmin`] if the organisation would lose its last admin.
    pub const fn become_role(self, role: Role) -> Result<Self, LastAdmin> {
        match (role, self.leave()) {
            (Role::Editor | Role::Viewer, Err(refused)) => Err(refused),
            _ => Ok(Self { role, ..self }),
        }
    }

    /// The member accepts an invitation, which never lowers the role.
    #[must_use]
    pub fn accept(self, invited: Role) -> Self {
        Self {
            role: self.role.max(invited),
            ..self
        }
    }
}

/// What the deletion of a member's account means for an organisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Departure {
    /// The member leaves; others stay.
    Leaves,
    /// There are no other members: the organisation is deleted, because it could not be reached
    /// any more.
    EndsOrganisation,
}

impl MemberState {
    /// The member's account is deleted while the organisation has this many other members.
    ///
    /// # Errors
    /// [`LastAdmin`] if other members would be left without an admin.
    pub fn delete_account(self, other_members: u64) -> Result<Departure, LastAdmin> {
        if other_members == 0 {
            return Ok(Departure::EndsOrganisation);
        }
        self.leave().map(|()| Departure::Leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_member_state() -> impl Strategy<Value = MemberState> {
        (any_role(), 0..3_u64).prop_map(|(role, other_admins)| MemberState { role, other_admins })
    }

    fn any_role() -> impl Strategy<Value = Role> {
        proptest::sample::select(Role::VARIANTS.to_vec())
    }

    fn admins(member_state: MemberState) -> u64 {
        member_state.other_admins + u64::from(member_state.role == Role::Admin)
    }

    proptest! {
        #[test]
        fn a_role_reads_what_it_writes(role in any_role()) {
            prop_assert_eq!(role.to_string().parse(), Ok(role));
        }

        #[test]
        fn an_organisation_that_has_an_admin_keeps_one(member_state in any_member_state(), role in any_role()) {
            prop_assume!(admins(member_state) > 0);
            if member_state.leave().is_ok() {
                prop_assert!(member_state.other_admins > 0);
            }
            if let Ok(after) = member_state.become_role(role) {
                prop_assert!(admins(after) > 0);
                prop_assert_eq!(after.role, role);
            }
        }

        #[test]
        fn an_invitation_never_takes_a_role_away(member_state in any_member_state(), role in any_role()) {
            let after = member_state.accept(role);
            prop_assert!(after.role >= member_state.role && after.role >= role);
        }
    }

    #[test]
    fn member_role_of_earlier_versions_is_read_as_editor() {
        assert_eq!("member".parse(), Ok(Role::Editor));
        assert_eq!(Role::Editor.to_string(), "editor");
    }

    #[test]
    fn deleting_an_account_leaves_no_members_without_an_admin() {
        let last = MemberState {
            role: Role::Admin,
            other_admins: 0,
        };
        assert_eq!(last.delete_account(1), Err(LastAdmin));
        assert_eq!(last.delete_account(0), Ok(Departure::EndsOrganisation));
        let member = MemberState {
            role: Role::Editor,
            other_admins: 1,
        };
        assert_eq!(member.delete_account(1), Ok(Departure::Leaves));
    }

    #[test]
    fn the_last_admin_stays_one() {
        let last = MemberState {
            role: Role::Admin,
            other_admins: 0,
        };
        assert_eq!(last.leave(), Err(LastAdmin));
        assert_eq!(last.become_role(Role::Editor), Err(LastAdmin));
        assert_eq!(last.become_role(Role::Viewer), Err(LastAdmin));
        assert_eq!(last.become_role(Role::Admin), Ok(last));
        let one_of_two = MemberState {
            other_admins: 1,
            ..last
        };
        assert_eq!(one_of_two.leave(), Ok(()));
        assert_eq!(
            one_of_two.become_role(Role::Viewer).map(|after| after.role),
            Ok(Role::Viewer)
        );
    }
}
