//! Claims to domains, stored with their organisations.

use allclear_application::custom_domain::DomainStore;
use allclear_application::error::Error;
use allclear_application::organisation::OrganisationStore;
use allclear_application::status_page::SnapshotStore;
use allclear_application::status_page::history::HistorySelection;
use allclear_application::status_page::history::PublicHistoryStore;
use allclear_application::transition::Committed;
use allclear_domain::custom_domain::{DomainClaim, DomainName};
use allclear_domain::event::Changed;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::{Organisation, Revision};
use allclear_persistence::account::administration::MakeAdminOutcome;
use allclear_persistence::database::Database;
use chrono::{DateTime, Utc};

use crate::account::account;
use crate::backend::organisation;
use crate::contract;

contract!(
    a_claim_is_stored_with_its_organisation_and_removed,
    a_domain_is_verified_by_one_organisation,
    simultaneous_checks_give_a_domain_to_one_organisation,
    a_domain_that_is_removed_during_a_check_has_at_most_one_owner,
    a_verified_domain_is_the_address_of_the_pages,
    pending_tokens_of_a_domain_are_those_of_one_organisation_and_the_newest,
    an_organisation_is_found_by_identifier_or_code,
    an_identifier_comes_before_the_same_code,
);

fn at() -> DateTime<Utc> {
    "2026-02-03T04:05:06Z".parse().unwrap()
}

fn name(text: &str) -> DomainName {
    text.parse().unwrap()
}

async fn change(
    database: &Database,
    id: &OrganisationId,
    rule: impl FnOnce(Organisation) -> Changed<Organisation> + Send + 'static,
) -> Result<Committed<Organisation>, Error> {
    let changed = database.change(id, Box::new(move |organisation, _| Ok(rule(organisation))));
    Ok(changed.await?.unwrap())
}

async fn claim(database: &Database, id: &OrganisationId, domain: &str, token: &str) {
    let claim = DomainClaim::new(name(domain), token.to_owned(), at());
    change(database, id, |organisation| {
        organisation.claim_domain(claim)
    })
    .await
    .unwrap();
}

async fn verify(
    database: &Database,
    id: &OrganisationId,
    token: &'static str,
) -> Result<Committed<Organisation>, Error> {
    let rule = |organisation: Organisation| organisation.verify_domain(token, at()).unwrap();
    change(database, id, rule).await
}

async fn a_claim_is_stored_with_its_organisation_and_removed(database: &Database) {
    let acme = organisation(database, "acme").await;
    claim(database, &acme, "a.example", "t1").await;
    let find = || async { database.find(&acme).await.unwrap().unwrap() };
    let pending = find().await;
    let expected = DomainClaim::new(name("a.example"), "t1".into(), at());
    assert_eq!(pending.domain, Some(expected));
    assert_eq!(pending.version, Revision(1));

    let verified = verify(database, &acme, "t1").await.unwrap();
    assert_eq!(
        verified.commit.unwrap().events[0].name,
        "organisation-updated"
    );
    assert_eq!(find().await.verified_domain(), Some(&name("a.example")));

    claim(database, &acme, "b.example", "t2").await;
    let moved = find().await.domain.unwrap();
    assert_eq!((moved.name, moved.checked_at), (name("b.example"), None));

    change(database, &acme, Organisation::remove_domain)
        .await
        .unwrap();
    assert_eq!(find().await.domain, None);
    assert!(
        OrganisationStore::delete(database, &acme, None)
            .await
            .unwrap()
    );
}

async fn a_domain_is_verified_by_one_organisation(database: &Database) {
    let acme = organisation(database, "acme").await;
    let other = organisation(database, "other").await;
    claim(database, &acme, "a.example", "t1").await;
    claim(database, &other, "a.example", "t2").await;
    verify(database, &acme, "t1").await.unwrap();
    assert_eq!(
        database.owner_of(&name("a.example")).await.unwrap(),
        Some(acme.clone())
    );
    assert_eq!(
        database.verified_domains().await.unwrap(),
        [(name("a.example"), acme.clone())]
    );
    let result = verify(database, &other, "t2").await;
    assert!(matches!(result, Err(Error::Conflict(_))), "{result:?}");
    assert_eq!(
        database
            .find(&other)
            .await
            .unwrap()
            .unwrap()
            .verified_domain(),
        None
    );

    change(database, &acme, Organisation::remove_domain)
        .await
        .unwrap();
    verify(database, &other, "t2").await.unwrap();
    assert_eq!(
        database
            .find(&other)
            .await
            .unwrap()
            .unwrap()
            .verified_domain(),
        Some(&name("a.example"))
    );
}

/// How often a race is run: one run could have any order.
const RACES: usize = 20;

async fn simultaneous_checks_give_a_domain_to_one_organisation(database: &Database) {
    let acme = organisation(database, "acme").await;
    let other = organisation(database, "other").await;
    for race in 0..RACES {
        let domain = format!("race{race}.example");
        claim(database, &acme, &domain, "t1").await;
        claim(database, &other, &domain, "t2").await;
        let (first, second) = tokio::join!(
            tokio::spawn({
                let (database, acme) = (database.clone(), acme.clone());
                async move { verify(&database, &acme, "t1").await }
            }),
            tokio::spawn({
                let (database, other) = (database.clone(), other.clone());
                async move { verify(&database, &other, "t2").await }
            }),
        );
        let (owner, error) = match (first.unwrap(), second.unwrap()) {
            (Ok(_), Err(error)) => (&acme, error),
            (Err(error), Ok(_)) => (&other, error),
            both => panic!("{both:?}"),
        };
        assert!(matches!(error, Error::Conflict(_)), "{error:?}");
        assert_eq!(
            database.verified_domains().await.unwrap(),
            [(name(&domain), owner.clone())]
        );
    }
}

async fn a_domain_that_is_removed_during_a_check_has_at_most_one_owner(database: &Database) {
    let acme = organisation(database, "acme").await;
    let other = organisation(database, "other").await;
    for race in 0..RACES {
        let domain = format!("race{race}.example");
        claim(database, &acme, &domain, "t1").await;
        verify(database, &acme, "t1").await.unwrap();
        claim(database, &other, &domain, "t2").await;
        let (removed, verified) = tokio::join!(
            tokio::spawn({
                let (database, acme) = (database.clone(), acme.clone());
                async move { change(&database, &acme, Organisation::remove_domain).await }
            }),
            tokio::spawn({
                let (database, other) = (database.clone(), other.clone());
                async move { verify(&database, &other, "t2").await }
            }),
        );
        removed.unwrap().unwrap();
        let owners = database.verified_domains().await.unwrap();
        match verified.unwrap() {
            Ok(_) => assert_eq!(owners, [(name(&domain), other.clone())]),
            Err(Error::Conflict(_)) => assert_eq!(owners, []),
            Err(error) => panic!("{error:?}"),
        }
    }
}

async fn a_verified_domain_is_the_address_of_the_pages(database: &Database) {
    let acme = organisation(database, "acme").await;
    claim(database, &acme, "a.example", "t1").await;
    let url = || async {
        let snapshot = database.snapshot(&acme, at()).await.unwrap().unwrap();
        snapshot.organisation.url
    };
    assert_eq!(url().await, "/status/acme");
    verify(database, &acme, "t1").await.unwrap();
    assert_eq!(url().await, "https://a.example");
    let selection = HistorySelection {
        page: 1,
        component: None,
    };
    let history = database
        .history(&acme, selection, at())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(history.owner.domain, Some(name("a.example")));
}

async fn pending_tokens_of_a_domain_are_those_of_one_organisation_and_the_newest(
    database: &Database,
) {
    let (tokens, domain) = (["t1", "t2", "t3"], name("a.example"));
    for (number, token) in (0..).zip(tokens) {
        let id = organisation(database, &format!("org{number}")).await;
        let mut claim = DomainClaim::new(domain.clone(), token.to_owned(), at());
        claim.created_at += chrono::TimeDelta::seconds(number);
        change(database, &id, |organisation| {
            organisation.claim_domain(claim)
        })
        .await
        .unwrap();
    }
    let third = OrganisationId::parse("org2").unwrap();
    verify(database, &third, "t3").await.unwrap();
    let pending = |first, limit| database.pending_tokens(&domain, first, limit);
    assert_eq!(pending(None, 9).await.unwrap(), ["t2", "t1"]);
    assert_eq!(pending(None, 1).await.unwrap(), ["t2"]);
    let first = OrganisationId::parse("org0").unwrap();
    assert_eq!(pending(Some(first.clone()), 9).await.unwrap(), ["t1", "t2"]);
    assert_eq!(pending(Some(first.clone()), 1).await.unwrap(), ["t1"]);
    let other = name("b.example");
    let tokens = database.pending_tokens(&other, Some(first), 9).await;
    assert!(tokens.unwrap().is_empty());
}

async fn an_organisation_is_found_by_identifier_or_code(database: &Database) {
    let acme = organisation(database, "acme").await;
    let code = acme.code().to_string();
    for (text, found) in [("acme", Some(&acme)), (&code, Some(&acme)), ("other", None)] {
        let by_text = database.find_by_id_or_code(text).await.unwrap();
        assert_eq!(by_text.as_ref(), found, "{text}");
    }
}

async fn an_identifier_comes_before_the_same_code(database: &Database) {
    // Whichever of the two a query without an order returns first.
    for (number, code_is_older) in [(0, true), (1, false)] {
        let coded = OrganisationId::parse(&format!("acme{number}")).unwrap();
        let named = OrganisationId::parse(&coded.code().to_string()).unwrap();
        let order = if code_is_older {
            [&coded, &named]
        } else {
            [&named, &coded]
        };
        for id in order {
            organisation(database, id.as_str()).await;
        }
        let found = database.find_by_id_or_code(named.as_str()).await.unwrap();
        assert_eq!(found.as_ref(), Some(&named));

        let address = format!("ann{number}@example.com");
        let ann = account(database, &address, "correct horse").await;
        let made = database.make_admin(&address, named.as_str()).await;
        assert_eq!(made.unwrap(), MakeAdminOutcome::Made(ann.id, named.clone()));
        let memberships = database.memberships_of(ann.id).await.unwrap();
        let joined: Vec<_> = memberships
            .iter()
            .map(|joined| &joined.organisation)
            .collect();
        assert_eq!(joined, [&named]);
    }
}
