//! The person that verified claims describe.

use allclear_application::openid::ProviderPerson;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

/// Claims of an ID token or of user information.
pub(super) type Claims = Map<String, Value>;

/// Maximum length of a subject, in ASCII characters (OpenID Connect Core 1.0, section 2).
const MAX_SUBJECT_LENGTH: usize = 255;
/// Maximum number of values of the claim that gives roles.
const MAX_ROLES: usize = 1000;

/// Names of the claims that an operator chooses.
#[derive(Debug, Clone)]
pub(super) struct ClaimNames {
    pub(super) email_verified: String,
    pub(super) role: Option<String>,
}

impl ClaimNames {
    /// Whether claims contain all that a sign-in needs.
    pub(super) fn are_complete(&self, claims: &Claims) -> bool {
        let has_role = self
            .role
            .as_deref()
            .is_none_or(|name| find(claims, name).is_some());
        claims.contains_key("email") && find(claims, &self.email_verified).is_some() && has_role
    }

    /// Adds the claims of the user information to those of an ID token, which have precedence.
    /// Whether an address is verified is taken from the document with the address.
    pub(super) fn add_user_info(&self, claims: &mut Claims, mut further: Claims) {
        // Only the ID token says when and how the person authenticated.
        for name in ["auth_time", "amr", "acr"] {
            further.remove(name);
        }
        let first = self.email_verified.split('.').next().unwrap_or_default();
        let of_another_address = match (claims.get("email"), further.get("email")) {
            (None, Some(_)) => Some(&mut *claims),
            (Some(known), Some(other)) if known != other => Some(&mut further),
            _ => None,
        };
        if let Some(document) = of_another_address {
            document.remove(&self.email_verified);
            document.remove(first);
        }
        for (name, value) in further {
            claims.entry(name).or_insert(value);
        }
    }

    /// The person of verified claims; `None` if the subject is invalid.
    pub(super) fn person(&self, claims: &Claims, id_token: String) -> Option<ProviderPerson> {
        let text = |name: &str| {
            claims
                .get(name)
                .and_then(Value::as_str)
                .map(ToOwned::to_owned)
        };
        let subject = text("sub")?;
        if subject.is_empty() || subject.len() > MAX_SUBJECT_LENGTH || !subject.is_ascii() {
            return None;
        }
        let full = [text("given_name"), text("family_name")];
        let full = full.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let names = [text("name"), Some(full), text("preferred_username")];
        let role = self.role.as_deref().and_then(|name| find(claims, name));
        let is_verified = find(claims, &self.email_verified).is_some_and(is_true);
        Some(ProviderPerson {
            issuer: text("iss")?,
            subject,
            verified_email: text("email").filter(|_| is_verified),
            names: names.into_iter().flatten().collect(),
            roles: role.map(texts).unwrap_or_default(),
            methods: methods(claims),
            authenticated_at: claims.get("auth_time").and_then(time),
            id_token,
        })
    }
}

/// Whether claims contain a name of the person.
pub(super) fn has_name(claims: &Claims) -> bool {
    let names = ["name", "given_name", "family_name", "preferred_username"];
    let mut names = names.iter().filter_map(|name| claims.get(*name)?.as_str());
    names.any(|name| !name.trim().is_empty())
}

/// How the person was authenticated: the claims `amr` and `acr` (OpenID Connect Core 1.0,
/// section 2).
fn methods(claims: &Claims) -> Vec<String> {
    let found = ["amr", "acr"].map(|name| claims.get(name).map(texts));
    found.into_iter().flatten().flatten().collect()
}

/// The claim with this name, or at this path, such as `realm_access.roles`.
fn find<'a>(claims: &'a Claims, name: &str) -> Option<&'a Value> {
    if let Some(found) = claims.get(name) {
        return Some(found);
    }
    let (first, rest) = name.split_once('.')?;
    find(claims.get(first)?.as_object()?, rest)
}

/// A time in seconds since 1970, as a number (OpenID Connect Core 1.0, section 2). Some providers
/// add a fraction.
fn time(value: &Value) -> Option<DateTime<Utc>> {
    let seconds = value.as_i64().or_else(|| {
        let text = value.as_f64()?.floor().to_string();
        text.parse().ok()
    })?;
    DateTime::from_timestamp(seconds, 0)
}

/// Some providers write `true` as a text or a number.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(is_true) => *is_true,
        Value::String(text) => text == "true" || text == "1",
        Value::Number(number) => number.as_u64() == Some(1),
        _ => false,
    }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => {
            let texts = values.iter().filter_map(Value::as_str);
            texts.take(MAX_ROLES).map(ToOwned::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(role: Option<&str>) -> ClaimNames {
        ClaimNames {
            email_verified: "email_verified".into(),
            role: role.map(ToOwned::to_owned),
        }
    }

    fn person(role: Option<&str>, claims: &Value) -> Option<ProviderPerson> {
        let mut all = json!({"iss": "https://a.example", "sub": "1"});
        let all = all.as_object_mut().unwrap();
        all.extend(claims.as_object().unwrap().clone());
        names(role).person(all, "token".into())
    }

    #[test]
    fn an_address_is_verified_only_if_the_claim_says_so() {
        for (claim, expected) in [
            (json!(true), true),
            (json!("true"), true),
            (json!(1), true),
            (json!(false), false),
            (json!("false"), false),
            (json!(0), false),
            (json!(null), false),
            (json!([true]), false),
        ] {
            let claims = json!({"email": "a@b.example", "email_verified": claim});
            let verified = person(None, &claims).unwrap().verified_email;
            assert_eq!(verified.is_some(), expected, "{claims}");
        }
        for claims in [
            json!({"email": "a@b.example"}),
            json!({"email_verified": true}),
        ] {
            let verified = person(None, &claims).unwrap().verified_email;
            assert_eq!(verified, None, "{claims}");
        }
    }

    #[test]
    fn time_of_the_authentication_is_a_number_of_seconds() {
        for (claim, expected) in [
            (json!(1_700_000_000), Some(1_700_000_000)),
            (json!(1_700_000_000.9), Some(1_700_000_000)),
            (json!("1700000000"), None),
            (json!(1e300), None),
            (json!(null), None),
        ] {
            let found = person(None, &json!({"auth_time": claim})).unwrap();
            let at = found.authenticated_at.map(|at| at.timestamp());
            assert_eq!(at, expected, "{claim}");
        }
    }

    #[test]
    fn methods_are_those_of_amr_and_acr() {
        for (claims, expected) in [
            (
                json!({"amr": ["pwd", 1, "mfa"], "acr": "gold"}),
                vec!["pwd", "mfa", "gold"],
            ),
            (json!({"amr": "mfa"}), vec!["mfa"]),
            (json!({"acr": 1, "amr": {"mfa": true}}), vec![]),
            (json!({}), vec![]),
        ] {
            assert_eq!(person(None, &claims).unwrap().methods, expected, "{claims}");
        }
    }

    #[test]
    fn roles_are_read_by_name_or_path() {
        for (name, claims, expected) in [
            ("groups", json!({"groups": ["a", 1, "b"]}), vec!["a", "b"]),
            ("groups", json!({"groups": "a"}), vec!["a"]),
            (
                "realm_access.roles",
                json!({"realm_access": {"roles": ["a"]}}),
                vec!["a"],
            ),
            (
                "https://x.example/roles",
                json!({"https://x.example/roles": ["a"]}),
                vec!["a"],
            ),
            ("a.b.c", json!({"a": {"b.c": "x"}}), vec!["x"]),
            ("groups", json!({}), vec![]),
            ("groups", json!({"groups": {"a": true}}), vec![]),
        ] {
            assert_eq!(
                person(Some(name), &claims).unwrap().roles,
                expected,
                "{claims}"
            );
        }
    }

    #[test]
    fn a_subject_is_bounded() {
        for (subject, is_one) in [
            ("a".repeat(255), true),
            ("a".repeat(256), false),
            (String::new(), false),
            ("ä".to_owned(), false),
        ] {
            let found = person(None, &json!({"sub": subject}));
            assert_eq!(found.is_some(), is_one, "{subject}");
        }
    }

    #[test]
    fn claims_without_address_or_role_are_incomplete() {
        let complete = |role, claims: Value| names(role).are_complete(claims.as_object().unwrap());
        let address = json!({"email": "a@b.example", "email_verified": false});
        assert!(complete(None, address.clone()));
        assert!(!complete(Some("groups"), address));
        assert!(!complete(None, json!({"email": "a@b.example"})));
    }

    #[test]
    fn any_claim_for_a_name_is_a_name() {
        for (claims, expected) in [
            (json!({"name": "Ann"}), true),
            (json!({"given_name": "Ann"}), true),
            (json!({"family_name": "Lee"}), true),
            (json!({"preferred_username": "ann"}), true),
            (json!({"name": " ", "given_name": 1}), false),
            (json!({"email": "a@b.example"}), false),
        ] {
            let found = has_name(claims.as_object().unwrap());
            assert_eq!(found, expected, "{claims}");
        }
    }

    #[test]
    fn an_address_is_verified_only_by_the_document_that_has_it() {
        let (a, b) = ("a@x.example", "b@x.example");
        for (token, further, verified) in [
            (
                json!({ "email": a }),
                json!({ "email": b, "email_verified": true }),
                None,
            ),
            (
                json!({ "email": a }),
                json!({ "email": a, "email_verified": true }),
                Some(a),
            ),
            (
                json!({ "email": a }),
                json!({ "email_verified": true }),
                Some(a),
            ),
            (
                json!({}),
                json!({ "email": b, "email_verified": true }),
                Some(b),
            ),
            (
                json!({ "email_verified": true }),
                json!({ "email": b, "email_verified": false }),
                None,
            ),
            (
                json!({ "email_verified": true }),
                json!({ "email": b }),
                None,
            ),
        ] {
            for (name, rename) in [
                ("email_verified", "email_verified"),
                ("account.checked", "account"),
            ] {
                let document = |value: &Value| {
                    let mut claims = value.as_object().unwrap().clone();
                    if let Some(verified) = claims.remove("email_verified") {
                        let nested = json!({ "checked": verified });
                        let value = if rename == name { verified } else { nested };
                        claims.insert(rename.to_owned(), value);
                    }
                    claims
                };
                let names = ClaimNames {
                    email_verified: name.to_owned(),
                    role: None,
                };
                let mut claims = document(&token);
                names.add_user_info(&mut claims, document(&further));
                claims.insert("iss".into(), "https://a.example".into());
                claims.insert("sub".into(), "1".into());
                let person = names.person(&claims, "token".into()).unwrap();
                let found = person.verified_email.as_deref();
                assert_eq!(found, verified, "{token} {further} {name}");
            }
        }
    }

    #[test]
    fn only_the_id_token_says_how_a_person_authenticated() {
        let mut claims = json!({ "sub": "1" }).as_object().unwrap().clone();
        let further = json!({ "amr": ["mfa"], "name": "Ann" });
        names(None).add_user_info(&mut claims, further.as_object().unwrap().clone());
        assert_eq!(Value::Object(claims), json!({ "sub": "1", "name": "Ann" }));
    }
}
