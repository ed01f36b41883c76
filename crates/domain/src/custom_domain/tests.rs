use super::*;
use crate::id::OrganisationId;
use proptest::prelude::*;

fn name(text: &str) -> DomainName {
    text.parse().unwrap()
}

fn acme() -> Organisation {
    Organisation::new(OrganisationId::parse("acme").unwrap(), "Acme".into())
}

fn claim(text: &str, token: &str) -> DomainClaim {
    DomainClaim::new(name(text), token.into(), DateTime::UNIX_EPOCH)
}

#[test]
fn a_name_is_kept_in_ascii_and_lower_case() {
    for (text, kept) in [
        ("status.acme.example", "status.acme.example"),
        ("Status.ACME.Example", "status.acme.example"),
        ("stätus.acme.example", "xn--sttus-hra.acme.example"),
        ("XN--sttus-hra.acme.example", "xn--sttus-hra.acme.example"),
        ("a-b.1.example", "a-b.1.example"),
    ] {
        assert_eq!(name(text).as_str(), kept, "{text}");
    }
}

#[test]
fn other_texts_are_refused() {
    let long_label = format!("{}.example", "a".repeat(64));
    let long_name = format!("{}example", "a.".repeat(124));
    for text in [
        "",
        ".",
        "localhost",
        "status.acme.example.",
        ".acme.example",
        "status..example",
        "https://status.acme.example",
        "status.acme.example:443",
        "status.acme.example/",
        "status.acme.example?x",
        "status.acme.example#x",
        "ann@acme.example",
        "*.acme.example",
        "status_page.acme.example",
        "-a.example",
        "a-.example",
        "192.0.2.1",
        "192.0.513",
        "0x7f.1",
        "acme.0x1",
        "[::1]",
        "::1",
        "::ffff:192.0.2.1",
        " status.acme.example",
        "status.acme example",
        "status.acme.example\0",
        "status.acme.example\r\nx",
        "status.%61cme.example",
        "xn--a.example",
        &long_label,
        &long_name,
    ] {
        assert_eq!(
            text.parse::<DomainName>(),
            Err(InvalidDomainName),
            "{text:?}"
        );
    }
    assert_eq!(format!("{}example", "a.".repeat(123)).len(), 253);
    assert!(
        format!("{}example", "a.".repeat(123))
            .parse::<DomainName>()
            .is_ok()
    );
}

#[test]
fn a_verified_claim_is_the_domain_of_the_pages() {
    let claimed = acme().claim_domain(claim("a.example", "t1"));
    assert!(
        claimed.has_no_events(),
        "only operators see a pending claim"
    );
    assert_eq!(claimed.audited.len(), 1);
    assert_eq!(claimed.state.verified_domain(), None);
    let verified = claimed
        .state
        .verify_domain("t1", DateTime::UNIX_EPOCH)
        .unwrap();
    assert_eq!(verified.events, [Event::OrganisationUpdated]);
    assert_eq!(verified.state.verified_domain(), Some(&name("a.example")));
    let removed = verified.state.remove_domain();
    assert_eq!(removed.events, [Event::OrganisationUpdated]);
    assert_eq!(removed.state, acme());
    assert!(removed.state.remove_domain().has_no_events());
    let withdrawn = acme().claim_domain(claim("a.example", "t1")).state;
    assert!(withdrawn.remove_domain().has_no_events());
}

#[test]
fn a_claim_to_the_same_domain_keeps_its_token_and_its_proof() {
    let claimed = acme().claim_domain(claim("a.example", "t1")).state;
    let verified = claimed.verify_domain("t1", DateTime::UNIX_EPOCH).unwrap();
    let again = verified
        .state
        .clone()
        .claim_domain(claim("a.example", "t2"));
    assert!(again.has_no_events());
    assert_eq!(again.state, verified.state);
}

#[test]
fn a_claim_to_another_domain_is_not_proven_by_the_token_of_the_last() {
    let claimed = acme().claim_domain(claim("a.example", "t1")).state;
    let moved = claimed.claim_domain(claim("b.example", "t2")).state;
    assert_eq!(
        moved.clone().verify_domain("t1", DateTime::UNIX_EPOCH),
        None
    );
    assert_eq!(moved.verified_domain(), None);
}

/// Texts of which a good part is accepted: a class of all characters has hardly any dot.
fn almost_domains() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z0-9.-]{0,40}",
        2 => "[a-z0-9-]{1,9}[.][a-z0-9]{1,9}",
        1 => "\\PC{0,9}[.。]\\PC{1,9}",
    ]
}

proptest! {
    #[test]
    fn an_accepted_text_is_a_host_name(text in almost_domains()) {
        if let Ok(found) = text.parse::<DomainName>() {
            let text = found.as_str();
            prop_assert!(text.len() <= 253 && text.contains('.'));
            for label in text.split('.') {
                prop_assert!((1..=63).contains(&label.len()), "{text}");
                prop_assert!(!label.starts_with('-') && !label.ends_with('-'), "{text}");
                prop_assert!(label.bytes().all(|byte| {
                    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
                }), "{text}");
            }
            prop_assert_eq!(text.parse::<DomainName>(), Ok(found.clone()));
            prop_assert!(text.parse::<std::net::IpAddr>().is_err());
        }
    }

    #[test]
    fn case_does_not_matter(labels in prop::collection::vec("[a-wyz][a-z0-9]{0,10}", 2..5)) {
        let text = labels.join(".");
        prop_assert_eq!(text.to_uppercase().parse::<DomainName>(), text.parse());
        let kept = name(&text);
        prop_assert_eq!(kept.as_str(), text);
    }

    #[test]
    fn an_ip_address_is_no_domain(address in any::<std::net::IpAddr>()) {
        prop_assert!(address.to_string().parse::<DomainName>().is_err());
    }
}
