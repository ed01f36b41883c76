//! Claims of Clerk's session tokens: <https://clerk.com/docs/guides/sessions/session-tokens>.

use allclear_application::caller::{Role, TokenError};
use allclear_application::directory::Directory;
use allclear_domain::id::OrganisationId;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::Value;

use crate::jwt::{Registered, bad};

/// Maximum length of the identifier of a user or a session, in bytes; Clerk's have about thirty.
const MAX_ID_LENGTH: usize = 64;

/// The claims of a session token, of either version.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Claims {
    iss: String,
    /// The user.
    pub(crate) sub: String,
    /// The session.
    pub(crate) sid: String,
    iat: i64,
    nbf: i64,
    exp: i64,
    /// The `Origin` of the page that requested the token; absent if there was none.
    azp: Option<String>,
    /// The version of these claims; absent in version 1.
    v: Option<u64>,
    /// The session's status: `active`, or `pending` while the sign-in has further steps.
    sts: Option<String>,
    /// The actor that impersonates the user (RFC 8693, section 4.1).
    act: Option<Actor>,
    /// Minutes since the first and the second factor were verified; -1 for a factor that never was.
    fva: Option<Value>,
    // Version 1.
    org_id: Option<String>,
    org_role: Option<String>,
    org_slug: Option<String>,
    // Version 2.
    o: Option<ActiveOrganisation>,
    // Set by the operator, in the dashboard's "Customize session token".
    name: Option<Value>,
    org_name: Option<Value>,
}

/// The actor of an impersonation.
#[derive(Debug, Clone, Deserialize)]
struct Actor {
    sub: Option<String>,
}

/// The claim `o`.
#[derive(Debug, Clone, Deserialize)]
struct ActiveOrganisation {
    id: String,
    rol: Option<String>,
    slg: Option<String>,
}

/// The organisation a token is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Organisation {
    /// Its identifier.
    pub(crate) id: OrganisationId,
    /// The user's role: admin for `org:admin`, which every application has, viewer for `org:viewer`
    /// and for a token without a role, and editor for others.
    pub(crate) role: Role,
    /// Slug of the organisation.
    pub(crate) slug: Option<String>,
}

impl Registered for Claims {
    fn issuer(&self) -> &str {
        &self.iss
    }

    fn authorised_party(&self) -> Option<&str> {
        self.azp.as_deref()
    }

    fn issued_at(&self) -> i64 {
        self.iat
    }

    fn not_before(&self) -> i64 {
        self.nbf
    }

    fn expires_at(&self) -> i64 {
        self.exp
    }
}

/// The organisation in a token of either version, unchecked.
struct Claimed {
    id: String,
    role: Option<String>,
    slug: Option<String>,
}

impl Claims {
    /// Checks that the claims are those of a signed-in user's session.
    ///
    /// # Errors
    /// [`TokenError::Bad`].
    pub(crate) fn check(&self) -> Result<(), TokenError> {
        if self.sts.as_deref().is_some_and(|status| status != "active") {
            return Err(bad("its session is not active yet"));
        }
        if !matches!(self.v, None | Some(1 | 2)) {
            return Err(bad("claims of an unknown version"));
        }
        let is_id = |text: &str| {
            (1..=MAX_ID_LENGTH).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if !is_id(&self.sub) || !is_id(&self.sid) {
            return Err(bad("no user or no session"));
        }
        // Session tokens live for a minute. A longer lifetime would exceed that of stored
        // revocations.
        if self.exp.saturating_sub(self.iat) > Directory::MEMORY.num_seconds() {
            return Err(bad("it lives too long"));
        }
        Ok(())
    }

    /// When the token was issued.
    ///
    /// # Errors
    /// [`TokenError::Bad`] if the number is not a valid time.
    pub(crate) fn issued_at(&self) -> Result<DateTime<Utc>, TokenError> {
        DateTime::from_timestamp(self.iat, 0).ok_or_else(|| bad("no moment"))
    }

    /// When the token ends.
    ///
    /// # Errors
    /// [`TokenError::Bad`] if the number is not a valid time.
    pub(crate) fn ends_at(&self) -> Result<DateTime<Utc>, TokenError> {
        DateTime::from_timestamp(self.exp, 0).ok_or_else(|| bad("no moment"))
    }

    /// When the user last verified the first factor; `None` if the token does not say so.
    #[must_use]
    pub(crate) fn authenticated_at(&self) -> Option<DateTime<Utc>> {
        let age = self.fva.as_ref()?.get(0)?.as_i64()?;
        let Ok(age) = u32::try_from(age) else {
            return Some(DateTime::UNIX_EPOCH);
        };
        let issued_at = DateTime::from_timestamp(self.iat, 0)?;
        issued_at.checked_sub_signed(TimeDelta::minutes(age.into()))
    }

    /// The token's organisation; `None` if it has none.
    ///
    /// # Errors
    /// [`TokenError::Bad`] for an identifier that no organisation can have.
    pub(crate) fn organisation(&self) -> Result<Option<Organisation>, TokenError> {
        let found = if self.v == Some(2) {
            self.second()
        } else {
            self.first()
        };
        let Some(Claimed { id, role, slug }) = found else {
            return Ok(None);
        };
        let id = OrganisationId::parse(&id).map_err(|_| bad("not an organisation"))?;
        let role = self::role(role.as_deref());
        Ok(Some(Organisation { id, role, slug }))
    }

    fn first(&self) -> Option<Claimed> {
        Some(Claimed {
            id: self.org_id.clone()?,
            role: self.org_role.clone(),
            slug: self.org_slug.clone(),
        })
    }

    /// The role comes without its prefix, `admin`, as `jwtPayloadParser.ts` reads it.
    fn second(&self) -> Option<Claimed> {
        let found = self.o.clone()?;
        let role = found.rol.map(|role| {
            if role.starts_with("org:") {
                role
            } else {
                format!("org:{role}")
            }
        });
        Some(Claimed {
            id: found.id,
            role,
            slug: found.slg,
        })
    }

    /// The user's name, if the operator has configured it as a claim.
    #[must_use]
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_ref()?.as_str()
    }

    /// The organisation's name, if the operator has configured it as a claim.
    #[must_use]
    pub(crate) fn organisation_name(&self) -> Option<&str> {
        self.org_name.as_ref()?.as_str()
    }

    /// The impersonating actor; `None` if there is none.
    #[must_use]
    pub(crate) fn actor(&self) -> Option<&str> {
        self.act
            .as_ref()
            .map(|actor| actor.sub.as_deref().unwrap_or("unknown"))
    }
}

/// The role that Clerk's role stands for. Editor for `org:member`, and for a role that an
/// organisation has defined; viewer if Clerk names none.
pub(crate) fn role(name: Option<&str>) -> Role {
    match name {
        Some("org:admin") => Role::Admin,
        Some("org:viewer") | None => Role::Viewer,
        Some(_) => Role::Editor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn claims(change: Value) -> Claims {
        let mut claims = json!({
            "iss": "https://clerk.example.com", "sub": "user_1", "sid": "sess_1",
            "iat": 1_700_000_000, "nbf": 1_699_999_990, "exp": 1_700_000_060,
        });
        let Value::Object(change) = change else {
            panic!("an object")
        };
        claims.as_object_mut().unwrap().extend(change);
        serde_json::from_value(claims).unwrap()
    }

    fn organisation(role: Role) -> Organisation {
        Organisation {
            id: OrganisationId::parse("org_1").unwrap(),
            role,
            slug: Some("acme".into()),
        }
    }

    #[test]
    fn both_versions_say_the_same_of_an_organisation() {
        let first = claims(json!({
            "org_id": "org_1", "org_role": "org:admin", "org_slug": "acme", "org_permissions": ["org:teams:read"],
        }));
        let second = claims(json!({
            "v": 2, "fea": "o:dashboard,o:teams", "sts": "active",
            "o": {"id": "org_1", "rol": "admin", "slg": "acme", "per": "manage,read", "fpm": "0,2"},
        }));
        let expected = organisation(Role::Admin);
        for claims in [first, second] {
            claims.check().unwrap();
            assert_eq!(claims.organisation().unwrap(), Some(expected.clone()));
        }
    }

    #[test]
    fn every_other_role_is_read_as_editor() {
        for role in [
            json!("member"),
            json!("org:member"),
            json!("billing"),
            json!("administrator"),
        ] {
            let second = claims(json!({"v": 2, "o": {"id": "org_1", "rol": role, "slg": "acme"}}));
            assert_eq!(
                second.organisation().unwrap(),
                Some(organisation(Role::Editor)),
                "{role}"
            );
        }
        let first = claims(json!({"org_id": "org_1", "org_role": "admin", "org_slug": "acme"}));
        assert_eq!(
            first.organisation().unwrap(),
            Some(organisation(Role::Editor)),
            "version 1 has the prefix"
        );
    }

    #[test]
    fn token_without_a_role_only_reads() {
        let first = claims(json!({"org_id": "org_1", "org_slug": "acme"}));
        let second = claims(json!({"v": 2, "o": {"id": "org_1", "rol": null, "slg": "acme"}}));
        for claims in [first, second] {
            let expected = Some(organisation(Role::Viewer));
            assert_eq!(claims.organisation().unwrap(), expected);
        }
    }

    #[test]
    fn viewer_role_of_both_claim_versions_is_read() {
        let first =
            claims(json!({"org_id": "org_1", "org_role": "org:viewer", "org_slug": "acme"}));
        let second = claims(json!({"v": 2, "o": {"id": "org_1", "rol": "viewer", "slg": "acme"}}));
        for claims in [first, second] {
            let expected = Some(organisation(Role::Viewer));
            assert_eq!(claims.organisation().unwrap(), expected);
        }
    }

    #[test]
    fn a_versions_claims_count_in_their_own_version_only() {
        assert_eq!(
            claims(json!({"o": {"id": "org_1"}}))
                .organisation()
                .unwrap(),
            None
        );
        assert_eq!(
            claims(json!({"v": 2, "org_id": "org_1"}))
                .organisation()
                .unwrap(),
            None
        );
        assert!(
            claims(json!({"v": 3, "o": {"id": "org_1"}}))
                .check()
                .is_err()
        );
    }

    #[test]
    fn a_session_that_is_not_active_is_refused() {
        assert!(claims(json!({"sts": "pending"})).check().is_err());
        assert!(claims(json!({"sts": "anything"})).check().is_err());
        assert!(claims(json!({"sts": null})).check().is_ok());
    }

    #[test]
    fn identifiers_and_lives_are_bounded() {
        for bad in [
            json!({"sub": ""}),
            json!({"sid": "x".repeat(65)}),
            json!({"sub": "user 1"}),
            json!({"exp": 1_800_000_000}),
            json!({"iat": i64::MIN}),
        ] {
            assert!(claims(bad.clone()).check().is_err(), "{bad}");
        }
        assert!(
            claims(json!({"org_id": "../secrets"}))
                .organisation()
                .is_err()
        );
    }

    #[test]
    fn names_of_the_operators_making_are_read_where_they_are_texts() {
        let named = claims(json!({"name": "Ann", "org_name": "Acme"}));
        assert_eq!(
            (named.name(), named.organisation_name()),
            (Some("Ann"), Some("Acme"))
        );
        let other = claims(json!({"name": null, "org_name": {"a": 1}}));
        assert_eq!((other.name(), other.organisation_name()), (None, None));
    }

    #[test]
    fn age_of_the_first_factor_is_the_time_of_the_authentication() {
        let authenticated_at = |claim| claims(json!({"fva": claim})).authenticated_at();
        let at = |seconds| DateTime::from_timestamp(seconds, 0);
        for (claim, expected) in [
            (json!([0, -1]), at(1_700_000_000)),
            (json!([12, 3]), at(1_699_999_280)),
            (json!([-1, 3]), at(0)),
            (json!([i64::MAX, 1]), at(0)),
            (json!(null), None),
            (json!([]), None),
            (json!("now"), None),
        ] {
            assert_eq!(authenticated_at(claim.clone()), expected, "{claim}");
        }
    }

    #[test]
    fn claims_name_the_actor_of_an_impersonated_session() {
        assert_eq!(
            claims(json!({"act": {"sub": "user_9", "iss": "https://dashboard.clerk.com"}})).actor(),
            Some("user_9")
        );
        assert_eq!(claims(json!({"act": {}})).actor(), Some("unknown"));
        assert_eq!(claims(json!({"act": null})).actor(), None);
    }
}
