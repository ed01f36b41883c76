//! Security log: one line with the target `security` for each event that concerns access (OWASP
//! ASVS 5.0, 16.3).
//!
//! Changes of names, roles, requirements and API keys, and the use of recovery codes, are recorded
//! by their use case, which knows whether anything changed. Refusals, sign-ins and the other
//! changes of a session are recorded by their route.

use std::fmt;
use std::net::IpAddr;

use strum::IntoStaticStr;

use crate::origin::Origin;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[cfg_attr(test, derive(strum::EnumIter))]
#[strum(serialize_all = "kebab-case")]
pub enum SecurityEvent {
    /// A session began.
    SignedIn,
    /// A password was wrong, or the address unknown.
    SignInFailed,
    /// A session was ended by its owner.
    SignedOut,
    /// Sessions were ended from another session of the account.
    SessionEnded,
    /// A signed-in person authenticated again, with every factor.
    #[strum(serialize = "re-authenticated")]
    Reauthenticated,
    /// A signed-in person tried to authenticate again, or to delete the account, and the password,
    /// the code, the passkey or the identity provider's response was refused.
    #[strum(serialize = "re-authentication-failed")]
    ReauthenticationFailed,
    /// A second factor was added to an account.
    FactorAdded,
    /// A second factor was removed from an account.
    FactorRemoved,
    /// A passkey was refused because its signature counter went back: it may exist twice.
    PasskeyCopied,
    /// A recovery code was used up.
    RecoveryCodeUsed,
    /// The recovery codes of an account were replaced.
    RecoveryCodesReplaced,
    /// A code of the second factor was wrong, after the right password of a sign-in or in a session
    /// that an identity provider opened.
    SecondFactorFailed,
    /// A person used a second factor in a session that an identity provider opened.
    SecondFactorProven,
    /// An organisation requires a second factor, or no longer does.
    FactorRequirementChanged,
    /// An operator removed all second factors of an account.
    FactorsReset,
    /// A rate limit refused a client.
    Throttled,
    /// A bearer token was refused.
    TokenRefused,
    /// A webhook message was refused, because the identity provider has not signed it.
    WebhookRefused,
    /// The role of a caller does not permit a call.
    AccessRefused,
    /// A page of another site sent a request that changes something.
    ForeignRequestRefused,
    /// A signed-in person changed the password.
    PasswordChanged,
    /// A signed-in person entered a wrong present password to change it.
    PasswordChangeRefused,
    /// A password reset was requested.
    ResetRequested,
    /// A password was set by a mail's link.
    PasswordReset,
    /// An account was deleted, by its owner or by an operator of the installation.
    AccountDeleted,
    /// The mail address of an account changed.
    AddressChanged,
    /// An organisation was created; its creator is an admin.
    OrganisationCreated,
    /// An organisation got another name.
    OrganisationRenamed,
    /// An organisation was deleted.
    OrganisationDeleted,
    /// A member got another role.
    RoleChanged,
    /// A member was removed or left.
    MemberRemoved,
    /// A person was invited.
    Invited,
    /// An invitation was withdrawn.
    InvitationRevoked,
    /// An invitation was accepted.
    InvitationAccepted,
    /// The identity provider ended a session, an account or a membership, or changed a role.
    AccessRevoked,
    /// Another key signs tokens.
    SigningKeyReplaced,
    /// An API key was created.
    ApiKeyCreated,
    /// An API key was revoked.
    ApiKeyRevoked,
}

impl SecurityEvent {
    /// Name of the event in the log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether something was refused.
    const fn is_refusal(self) -> bool {
        matches!(
            self,
            Self::SignInFailed
                | Self::SecondFactorFailed
                | Self::PasskeyCopied
                | Self::ReauthenticationFailed
                | Self::Throttled
                | Self::TokenRefused
                | Self::WebhookRefused
                | Self::AccessRefused
                | Self::ForeignRequestRefused
                | Self::PasswordChangeRefused
        )
    }
}

/// One line of the security log. Unknown fields are left out.
#[derive(Clone, Copy)]
pub struct SecurityRecord<'a> {
    /// Kind of the event.
    pub event: SecurityEvent,
    /// Identifier of the acting account; after a failed sign-in the [masked](MaskedAddress)
    /// address.
    pub subject: Option<&'a dyn fmt::Display>,
    /// Identifier of the organisation that it concerns.
    pub organisation: Option<&'a dyn fmt::Display>,
    /// Object of the event: a member, an invitation, a key, a route.
    pub object: Option<&'a dyn fmt::Display>,
    /// Address of the client.
    pub address: Option<IpAddr>,
    /// Identifier of the request, as its response carries it.
    pub request_id: Option<&'a str>,
    /// The reason or the new value.
    pub detail: Option<&'a str>,
}

impl SecurityRecord<'_> {
    /// A record without further fields.
    #[must_use]
    pub const fn new(event: SecurityEvent) -> Self {
        Self {
            event,
            subject: None,
            organisation: None,
            object: None,
            address: None,
            request_id: None,
            detail: None,
        }
    }

    /// [Writes](Self::write) the line with the address and identifier of the request, and the
    /// originator of the current change as the subject if the record has none.
    pub(crate) fn write_with_originator(self) {
        let origin = Origin::current();
        let originator = origin.actor.id();
        let originator = originator.as_ref().map(|id| id as &dyn fmt::Display);
        SecurityRecord {
            subject: self.subject.or(originator),
            address: origin.address,
            request_id: origin.request_id.as_deref(),
            ..self
        }
        .write();
    }

    /// Writes the line: a warning if something was refused, information otherwise.
    pub fn write(&self) {
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    target: "security",
                    event = self.event.as_str(),
                    subject = self.subject.map(tracing::field::display),
                    organisation = self.organisation.map(tracing::field::display),
                    object = self.object.map(tracing::field::display),
                    address = self.address.map(tracing::field::display),
                    request_id = self.request_id,
                    detail = self.detail,
                    "security event"
                )
            };
        }
        if self.event.is_refusal() {
            line!(warn);
        } else {
            line!(info);
        }
    }
}

/// A mail address, masked for logs so that an operator can still recognise it. People type
/// passwords into the wrong field, so the address of a failed sign-in is never logged in full.
#[derive(Debug, Clone, Copy)]
pub struct MaskedAddress<'a>(pub &'a str);

impl fmt::Display for MaskedAddress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (local, domain) = self.0.rsplit_once('@').unwrap_or((self.0, ""));
        if let Some(first) = local.chars().next() {
            write!(f, "{first}")?;
        }
        f.write_str("***")?;
        // Only a domain that looks like the name of a host on the internet.
        if domain.contains('.') {
            write!(f, "@{domain}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn each_event_has_its_name() {
        let names: Vec<_> = SecurityEvent::iter().map(SecurityEvent::as_str).collect();
        let expected = [
            "signed-in",
            "sign-in-failed",
            "signed-out",
            "session-ended",
            "re-authenticated",
            "re-authentication-failed",
            "factor-added",
            "factor-removed",
            "passkey-copied",
            "recovery-code-used",
            "recovery-codes-replaced",
            "second-factor-failed",
            "second-factor-proven",
            "factor-requirement-changed",
            "factors-reset",
            "throttled",
            "token-refused",
            "webhook-refused",
            "access-refused",
            "foreign-request-refused",
            "password-changed",
            "password-change-refused",
            "reset-requested",
            "password-reset",
            "account-deleted",
            "address-changed",
            "organisation-created",
            "organisation-renamed",
            "organisation-deleted",
            "role-changed",
            "member-removed",
            "invited",
            "invitation-revoked",
            "invitation-accepted",
            "access-revoked",
            "signing-key-replaced",
            "api-key-created",
            "api-key-revoked",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_masked_address_shows_its_first_character_and_a_dotted_domain() {
        for (address, masked) in [
            ("ann@example.com", "a***@example.com"),
            ("Secret123!@home", "S***"),
            ("a@b@example.com", "a***@example.com"),
            ("", "***"),
        ] {
            assert_eq!(MaskedAddress(address).to_string(), masked);
        }
    }
}
