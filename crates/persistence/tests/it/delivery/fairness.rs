//! Organisations share the workers.

use std::collections::{BTreeMap, HashMap};

use allclear_application::delivery::{
    ClaimRequest, Delivery, DeliveryQueue, DeliveryRoute, Founder,
};
use allclear_application::membership::NewOrganisation;
use allclear_application::organisation::OrganisationStore;
use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::OrganisationId;
use allclear_domain::subscriber::SubscriberDraft;
use allclear_persistence::database::Database;

use super::fixture::{enter, later, request, result, retried, sent};
use crate::account::account;
use crate::backend::{clock, organisation};
use crate::contract;
use crate::organisation_fixture::OrganisationFixture;

contract!(
    a_large_organisation_does_not_delay_the_expansion_of_a_small_one,
    many_notices_of_one_organisation_do_not_delay_those_of_another,
    a_claim_serves_organisations_equally_and_the_next_claim_serves_the_others,
    an_organisation_with_its_share_in_flight_gets_no_more,
    organisations_of_one_founder_have_one_share,
    places_that_one_organisation_does_not_need_are_for_the_others,
    organisations_whose_deliveries_are_all_in_flight_delay_nobody,
    any_number_of_organisations_with_nothing_to_claim_delays_nobody,
    each_route_claims_its_own_deliveries,
);

fn by_organisation(claimed: &[Delivery]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for delivery in claimed {
        *counts.entry(delivery.organisation.as_str()).or_default() += 1;
    }
    counts
}

fn now_for(limit: u64) -> ClaimRequest {
    request(clock().now(), later(5), limit)
}

async fn a_large_organisation_does_not_delay_the_expansion_of_a_small_one(database: &Database) {
    let large = OrganisationFixture::new(database, "large").await;
    let small = OrganisationFixture::new(database, "small").await;
    large.subscribed(9).await;
    small.subscribed(1).await;
    large.incident("Down").await;
    database.expand(clock().now(), 2).await.unwrap();
    small.incident("Down, too").await;
    database.expand(clock().now(), 2).await.unwrap();
    let claimed = database.claim(now_for(10)).await.unwrap();
    assert_eq!(
        by_organisation(&claimed),
        BTreeMap::from([("large", 2), ("small", 1)])
    );
}

async fn many_notices_of_one_organisation_do_not_delay_those_of_another(database: &Database) {
    let (a, b, c) = (
        OrganisationFixture::new(database, "a").await,
        OrganisationFixture::new(database, "b").await,
        OrganisationFixture::new(database, "c").await,
    );
    for fixture in [&a, &b, &c] {
        fixture.subscribed(1).await;
    }
    for title in ["Down", "Down again", "Down once more"] {
        b.incident(title).await;
    }
    a.incident("Slow").await;
    c.incident("Slow").await;
    for _ in 0..3 {
        assert!(database.expand(clock().now(), 500).await.unwrap());
    }
    let claimed = database.claim(now_for(10)).await.unwrap();
    assert_eq!(
        by_organisation(&claimed),
        BTreeMap::from([("a", 1), ("b", 1), ("c", 1)])
    );
}

/// Three organisations with deliveries for so many subscribers each.
async fn queued(database: &Database, counts: [usize; 3]) {
    for (id, count) in ["a", "b", "c"].into_iter().zip(counts) {
        let fixture = OrganisationFixture::new(database, id).await;
        fixture.subscribed(count).await;
        fixture.incident("Down").await;
        fixture.expand().await;
    }
}

async fn a_claim_serves_organisations_equally_and_the_next_claim_serves_the_others(
    database: &Database,
) {
    queued(database, [9, 1, 9]).await;
    let claimed = database.claim(now_for(7)).await.unwrap();
    assert_eq!(
        by_organisation(&claimed),
        BTreeMap::from([("a", 3), ("b", 1), ("c", 3)])
    );
    let after = claimed.last().map(|last| last.organisation.clone());
    let one_place = ClaimRequest {
        after: after.clone(),
        ..now_for(1)
    };
    let claimed = database.claim(one_place).await.unwrap();
    assert_ne!(Some(claimed[0].organisation.clone()), after);
}

async fn an_organisation_with_its_share_in_flight_gets_no_more(database: &Database) {
    queued(database, [9, 1, 0]).await;
    let a = OrganisationId::parse("a").unwrap();
    let request = ClaimRequest {
        in_flight: HashMap::from([(Founder::UnknownOf(a), 3)]),
        share: 4,
        ..now_for(8)
    };
    let claimed = database.claim(request).await.unwrap();
    assert_eq!(
        by_organisation(&claimed),
        BTreeMap::from([("a", 1), ("b", 1)])
    );
}

async fn organisations_of_one_founder_have_one_share(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await.id;
    for id in ["a", "b", "d"] {
        let new = NewOrganisation {
            id: OrganisationId::parse(id).unwrap(),
            name: "Acme".to_owned(),
            creator: ann,
            created_at: clock().now(),
        };
        OrganisationStore::create(database, new).await.unwrap();
    }
    queued(database, [9, 9, 12]).await;
    let fourth = OrganisationFixture::new(database, "d").await;
    fourth.subscribed(9).await;
    fourth.incident("Down").await;
    fourth.expand().await;
    let first = database
        .claim(ClaimRequest {
            share: 4,
            ..now_for(8)
        })
        .await
        .unwrap();
    assert_eq!(
        by_organisation(&first),
        BTreeMap::from([("a", 2), ("b", 2), ("c", 4)])
    );
    let in_flight = ClaimRequest {
        in_flight: HashMap::from([(Founder::Account(ann), 4)]),
        share: 5,
        ..now_for(8)
    };
    let second = database.claim(in_flight).await.unwrap();
    assert_eq!(
        by_organisation(&second),
        BTreeMap::from([("a", 1), ("c", 5)])
    );
    // The scan comes to the last organisation after the first ones were claimed.
    let one_each = ClaimRequest {
        results: vec![sent(&first[0])],
        share: 1,
        ..now_for(3)
    };
    let third = database.claim(one_each).await.unwrap();
    assert_eq!(
        by_organisation(&third),
        BTreeMap::from([("a", 1), ("c", 1)])
    );
}

async fn places_that_one_organisation_does_not_need_are_for_the_others(database: &Database) {
    queued(database, [9, 1, 0]).await;
    let claimed = database.claim(now_for(8)).await.unwrap();
    assert_eq!(
        by_organisation(&claimed),
        BTreeMap::from([("a", 7), ("b", 1)])
    );
}

async fn organisations_whose_deliveries_are_all_in_flight_delay_nobody(database: &Database) {
    queued(database, [2, 2, 2]).await;
    let in_flight = database.claim(now_for(6)).await.unwrap();
    assert_eq!(in_flight.len(), 6);
    let late = OrganisationFixture::new(database, "bb").await;
    late.subscribed(1).await;
    late.incident("Down").await;
    late.expand().await;
    // The other organisations have nothing to claim, so the claim finds this one wherever
    // it begins.
    for after in ["a", "b", "bb", "c"] {
        let one_place = ClaimRequest {
            after: OrganisationId::parse(after).ok(),
            ..now_for(1)
        };
        let claimed = database.claim(one_place).await.unwrap();
        assert_eq!(by_organisation(&claimed), BTreeMap::from([("bb", 1)]));
        let again = retried(clock().now(), "450 Later");
        late.results(vec![result(claimed[0].claim, again)]).await;
    }
}

async fn any_number_of_organisations_with_nothing_to_claim_delays_nobody(database: &Database) {
    let queue = async |id: &str| {
        let id = organisation(database, id).await;
        // Its verification is queued.
        enter(database, &id, "ann@example.com").await;
    };
    let one_of = async |after: Option<&str>, results| {
        let one_place = ClaimRequest {
            results,
            after: after.and_then(|id| OrganisationId::parse(id).ok()),
            ..now_for(1)
        };
        database.claim(one_place).await.unwrap()
    };
    let again = |delivery: &Delivery, at| result(delivery.claim, retried(at, "503 Later"));
    for number in 0..300 {
        queue(&format!("many{number:03}")).await;
    }
    let many = database.claim(now_for(300)).await.unwrap();
    assert_eq!(many.len(), 300);
    // All of them are in flight.
    queue("other").await;
    let other = one_of(None, Vec::new()).await;
    assert_eq!(by_organisation(&other), BTreeMap::from([("other", 1)]));

    // All of them wait for a retry.
    let later = many.iter().chain(&other).map(|it| again(it, later(60)));
    queue("late").await;
    let mut results = later.collect();
    for after in [None, Some("late"), Some("many150"), Some("other")] {
        let late = one_of(after, results).await;
        assert_eq!(by_organisation(&late), BTreeMap::from([("late", 1)]));
        results = vec![again(&late[0], clock().now())];
    }
    database.record_results(results).await.unwrap();
    let late = one_of(None, Vec::new()).await;
    assert_eq!(by_organisation(&late), BTreeMap::from([("late", 1)]));
}

async fn each_route_claims_its_own_deliveries(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscriber("ann@example.com").await;
    let hook = Target::parse(Channel::Webhook, "https://hooks.example/x").unwrap();
    let hook = fixture
        .subscriber_of(SubscriberDraft::of_everything(hook), clock().now())
        .await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let by_request = ClaimRequest {
        route: DeliveryRoute::Message,
        ..now_for(10)
    };
    let claimed = database.claim(by_request).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].subscriber.id, hook.id);
    let claimed = database.claim(now_for(10)).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(
        claimed[0].subscriber.target.email(),
        Some("ann@example.com")
    );
}
