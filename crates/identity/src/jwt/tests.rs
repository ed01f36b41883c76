use super::*;

use allclear_application::installation::SigningKey;
use allclear_application::session::TokenIssuer;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::EncodingKey;
use serde_json::{Value, json};

use crate::built_in::claims::Claims;
use crate::built_in::fixture::{claims, signer, signing_key};
use crate::built_in::signing::{ALGORITHM, Signer};
use crate::fixture::{URL, clock};

fn rules(seconds: i64) -> Rules {
    let (issuer, authorised_parties) = (URL.to_owned(), vec![URL.to_owned()]);
    Rules {
        algorithm: ALGORITHM,
        issuer,
        authorised_parties,
        clock: clock(seconds),
    }
}

fn check(token: &str) -> Result<Claims, String> {
    check_at(token, 0)
}

fn check_at(token: &str, seconds: i64) -> Result<Claims, String> {
    let (rules, signer) = (rules(seconds), signer(1));
    rules
        .key_of(token)
        .and_then(|name| rules.check(token, signer.verifying_key(&name)?))
        .map_err(|error| error.to_string())
}

fn good() -> String {
    signer(1).issue(&claims()).unwrap()
}

/// A part of a token, changed.
fn edited(token: &str, part: usize, change: impl FnOnce(&mut Value)) -> String {
    let mut parts: Vec<String> = token.split('.').map(str::to_owned).collect();
    let mut value: Value =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(&parts[part]).unwrap()).unwrap();
    change(&mut value);
    parts[part] = URL_SAFE_NO_PAD.encode(value.to_string());
    parts.join(".")
}

/// A token of our own key with other claims and another header.
fn signed(change: impl FnOnce(&mut Header, &mut Value)) -> String {
    let key = signing_key(1);
    let mut header = Header::new(ALGORITHM);
    header.kid = Some(key.id.clone());
    let mut claims = serde_json::to_value(check(&good()).unwrap()).unwrap();
    change(&mut header, &mut claims);
    let pkcs8 = [
        URL_SAFE_NO_PAD.decode("MC4CAQAwBQYDK2VwBCIEIA").unwrap(),
        vec![1; 32],
    ]
    .concat();
    jsonwebtoken::encode(&header, &claims, &EncodingKey::from_ed_der(&pkcs8)).unwrap()
}

#[test]
fn a_token_reads_what_it_says() {
    let found = check(&good()).unwrap();
    assert_eq!(
        (found.iss.as_str(), found.azp.as_str(), found.name.as_str()),
        (URL, URL, "Ann")
    );
    assert_eq!(
        (found.org_id.as_deref(), found.org_role.as_deref()),
        (Some("org_1"), Some("admin"))
    );
    assert_eq!(found.exp - found.iat, 300);
    assert!(check(&signed(|_, _| {})).is_ok());
}

#[test]
fn a_changed_token_is_refused() {
    let promoted = edited(&good(), 1, |claims| claims["org_id"] = json!("org_2"));
    assert!(check(&promoted).unwrap_err().contains("InvalidSignature"));
    let unsigned = edited(&good(), 0, |header| header["alg"] = json!("none"));
    assert!(check(&unsigned).is_err());
    for text in ["", "a.b.c", "..", &good()[1..], &format!("{}.x", good())] {
        assert!(check(text).is_err(), "{text:?}");
    }
    assert!(
        check(&"x".repeat(MAX_LENGTH + 1))
            .unwrap_err()
            .contains("too long")
    );
}

#[test]
fn another_algorithm_is_refused_even_with_our_public_key_as_its_secret() {
    let published = signer(1).key_set().unwrap();
    let secret = EncodingKey::from_secret(published.to_string().as_bytes());
    let mut header = Header::new(Algorithm::HS256);
    header.kid = Some(signing_key(1).id);
    let token = jsonwebtoken::encode(&header, &check(&good()).unwrap(), &secret).unwrap();
    assert!(check(&token).unwrap_err().contains("another algorithm"));
}

#[test]
fn another_issuers_key_is_refused() {
    assert!(
        check(&signer(2).issue(&claims()).unwrap())
            .unwrap_err()
            .contains("not ours")
    );
    let borrowed = Signer::new(&[misnamed(2, 1)], URL).unwrap();
    assert!(
        check(&borrowed.issue(&claims()).unwrap())
            .unwrap_err()
            .contains("InvalidSignature")
    );
}

/// A key that bears the name of another.
fn misnamed(seed: u8, named: u8) -> SigningKey {
    SigningKey {
        id: signing_key(named).id,
        ..signing_key(seed)
    }
}

#[test]
fn a_header_that_brings_or_points_to_a_key_is_refused() {
    let refused = |change: fn(&mut Header)| check(&signed(|header, _| change(header))).unwrap_err();
    assert!(
        refused(|header| header.jku = Some("https://evil.example/jwks".into()))
            .contains("not taken")
    );
    assert!(
        refused(|header| header.x5u = Some("https://evil.example/x5".into())).contains("not taken")
    );
    assert!(refused(|header| header.x5c = Some(vec!["AA".into()])).contains("not taken"));
    let with_jwk = refused(|header| {
        let published = signer(1).key_set().unwrap();
        header.jwk = serde_json::from_value(published["keys"][0].clone()).unwrap();
    });
    assert!(with_jwk.contains("not taken"));
    assert!(refused(|header| header.crit = Some(vec!["exp".into()])).contains("not taken"));
    assert!(refused(|header| header.typ = Some("at+jwt".into())).contains("another type"));
    assert!(refused(|header| header.kid = None).contains("no key named"));
}

#[test]
fn a_token_counts_within_its_times_and_five_seconds_of_leeway() {
    for (seconds, counts) in [
        (-6, false),
        (-5, true),
        (0, true),
        (304, true),
        (305, false),
    ] {
        assert_eq!(check_at(&good(), seconds).is_ok(), counts, "{seconds}");
    }
}

#[test]
fn claims_that_are_missing_or_another_partys_are_refused() {
    for claim in ["iss", "sub", "exp", "nbf", "iat", "azp", "sid"] {
        let without = signed(|_, claims| drop(claims.as_object_mut().unwrap().remove(claim)));
        assert!(check(&without).is_err(), "{claim}");
    }
    for (claim, value) in [
        ("iss", json!("https://status.example.com/")),
        ("iss", json!(["https://evil.example", URL])),
        ("azp", json!("https://evil.example")),
        ("exp", json!("soon")),
        ("exp", json!(i64::MIN)),
        ("nbf", json!(i64::MAX)),
        ("iat", json!(i64::MAX)),
        ("iat", json!(crate::fixture::now().timestamp() + 6)),
    ] {
        assert!(
            check(&signed(|_, claims| claims[claim] = value.clone())).is_err(),
            "{claim}: {value}"
        );
    }
}
