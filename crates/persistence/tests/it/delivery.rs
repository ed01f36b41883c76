//! Deliveries: how they are queued, claimed, sent and recorded.

mod clocks;
mod component;
mod early;
mod fairness;
pub(crate) mod fixture;
mod notice;
mod scope;
mod unreadable;

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use allclear_application::dashboard::{DashboardStore, ShownChanges, SubscriberCounts};
use allclear_application::delivery::{
    AttemptRecord, Claim, ClaimRequest, Delivery, DeliveryCounts, DeliveryKind, DeliveryOutcome,
    DeliveryQueue, DeliveryRoute,
};
use allclear_application::metrics::MetricsStore;
use allclear_application::organisation::OrganisationStore;
use allclear_application::subscriber::{SubscriberKey, SubscriberStore};
use allclear_application::usage_limit::UsageLimits;
use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::incident::IncidentStatus;
use allclear_domain::metrics::MetricsDays;
use allclear_domain::subscriber::{Subscriber, SubscriberDraft, SubscriberStatus};
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use tokio::task::JoinSet;

use crate::backend::clock;
use crate::contract;
use crate::organisation_fixture::OrganisationFixture;
use fixture::{enter, enter_draft, later, request, result, retried, sent};

contract!(
    everybody_subscribed_when_it_happened_gets_one_delivery_in_batches,
    subscribers_who_came_or_left_since_are_not_mailed_whatever_clocks_say,
    nodes_that_expand_at_once_queue_each_delivery_once_and_in_order,
    fifty_workers_claim_at_once_and_none_gets_what_another_has,
    a_claim_that_ends_is_free_again_and_a_renewed_one_is_not,
    sent_deliveries_are_counted_and_not_sent_again,
    failed_delivery_is_due_at_its_time_and_delays_the_later_ones,
    waiting_deliveries_of_a_subscriber_that_recovers_are_due_in_order,
    abandoned_delivery_lets_the_next_one_go_and_is_counted_by_reason,
    delivery_that_waits_for_a_retry_is_counted_by_the_reason_of_its_last_attempt,
    a_subscribers_mails_go_out_in_order,
    unsubscribed_or_deleted_subscriber_gets_nothing_more,
    verification_precedes_other_mail_and_is_queued_for_known_addresses_too,
    notices_precede_verifications_of_webhooks_and_retries_come_last,
    repeated_subscription_is_sent_its_link_although_an_earlier_one_waits_for_a_retry,
    link_that_an_operator_sends_replaces_those_that_wait,
    next_wake_up_is_when_a_delivery_is_due_or_a_claim_ends,
    old_results_are_deleted_and_waiting_deliveries_stay,
    a_given_up_message_marks_its_subscriber_as_failing_until_one_arrives,
    a_subscription_that_the_receiver_ends_loses_its_queued_deliveries,
    a_result_of_a_lost_claim_ends_no_subscription,
    deliveries_of_a_deleted_incident_are_withdrawn,
    dashboard_and_metrics_count_subscribers_and_mails,
    a_deleted_organisation_takes_its_deliveries_along,
    a_notice_waits_while_too_many_deliveries_of_its_organisation_are_unsent,
);

async fn everybody_subscribed_when_it_happened_gets_one_delivery_in_batches(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let people = fixture.subscribed(7).await;
    fixture.incident("Down").await;
    let now = clock().now();
    // Three at a time: the third batch is not full.
    for (expanded, waiting) in [(true, 3), (true, 6), (true, 7), (false, 7)] {
        assert_eq!(database.expand(now, 3).await.unwrap(), expanded);
        assert_eq!(database.waiting().await.unwrap(), waiting);
    }
    let claimed = fixture.claim(100).await;
    let mailed: HashSet<_> = claimed
        .iter()
        .map(|delivery| delivery.subscriber.id)
        .collect();
    assert_eq!(mailed, people.into_iter().collect());
}

async fn a_notice_waits_while_too_many_deliveries_of_its_organisation_are_unsent(
    database: &Database,
) {
    let limits = UsageLimits {
        subscribers: Some(10),
        ..UsageLimits::default()
    };
    let limited = database.clone().limited(limits);
    let (acme, other) = (
        OrganisationFixture::new(&limited, "acme").await,
        OrganisationFixture::new(&limited, "other").await,
    );
    acme.subscribed(10).await;
    other.subscribed(1).await;
    for number in 1..=102 {
        acme.incident(&format!("Down {number}")).await;
    }
    acme.expand().await;
    // 1,000 are not too many for another notice, 1,010 are.
    assert_eq!(acme.counts().await.waiting, 1_010);
    other.incident("Down").await;
    other.expand().await;
    assert_eq!(other.counts().await.waiting, 1, "others go on");
    while let claimed = acme.claim(500).await
        && !claimed.is_empty()
    {
        acme.sent(&claimed).await;
    }
    // As a node that has not counted yet.
    let acme = OrganisationFixture {
        database: limited.limited(limits),
        ..acme
    };
    acme.expand().await;
    assert_eq!(acme.counts().await.waiting, 10, "nothing is lost");
}

async fn subscribers_who_came_or_left_since_are_not_mailed_whatever_clocks_say(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    // Confirmed by a clock that was ahead.
    let stays = fixture.subscriber_at("stays@example.com", later(60)).await;
    let leaves = fixture.subscriber("leaves@example.com").await;
    let returns = fixture.subscriber("returns@example.com").await;
    enter(database, &fixture.id, "pending@example.com").await;
    fixture.incident("Down").await;
    for gone in [&leaves, &returns] {
        fixture.unsubscribe(gone).await;
    }
    // The clock was set back in the meantime.
    fixture.subscriber_at("comes@example.com", later(-60)).await;
    fixture
        .subscriber_at("returns@example.com", later(-60))
        .await;
    fixture.expand().await;
    let notices = fixture
        .claim(100)
        .await
        .into_iter()
        .filter(|delivery| delivery.kind != DeliveryKind::Verification);
    assert_eq!(
        notices
            .map(|delivery| delivery.subscriber.id)
            .collect::<Vec<_>>(),
        [stays.id]
    );
}

async fn nodes_that_expand_at_once_queue_each_delivery_once_and_in_order(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(20).await;
    let incident = fixture.incident("Down").await;
    for number in 0..4 {
        fixture
            .record(incident, IncidentStatus::Monitoring, &number.to_string())
            .await;
    }
    let mut nodes = JoinSet::new();
    for _ in 0..8 {
        let database = database.clone();
        nodes.spawn(async move {
            // A node expands nothing while another node does, however often it tries.
            while database.waiting().await.unwrap() < 100 {
                database.expand(clock().now(), 7).await.unwrap();
            }
        });
    }
    tokio::time::timeout(Duration::from_mins(1), nodes.join_all())
        .await
        .expect("every notice is expanded");
    assert_eq!(database.waiting().await.unwrap(), 100);
    let mut received: BTreeMap<SubscriberId, Vec<String>> = BTreeMap::new();
    for _ in 0..5 {
        let claimed = fixture.claim(100).await;
        assert_eq!(claimed.len(), 20);
        for delivery in &claimed {
            received
                .entry(delivery.subscriber.id)
                .or_default()
                .push(fixture::message(delivery));
        }
        fixture.sent(&claimed).await;
    }
    assert!(
        received
            .values()
            .all(|messages| *messages == ["", "0", "1", "2", "3"]),
        "{received:?}"
    );
}

async fn fifty_workers_claim_at_once_and_none_gets_what_another_has(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(120).await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let mut workers = JoinSet::new();
    for _ in 0..50 {
        let database = database.clone();
        workers.spawn(async move {
            let mut mine = Vec::new();
            loop {
                let now = clock().now();
                let claimed = database
                    .claim(request(now, now + TimeDelta::minutes(5), 3))
                    .await
                    .unwrap();
                if claimed.is_empty() {
                    return mine;
                }
                mine.extend(claimed.into_iter().map(|delivery| delivery.claim));
            }
        });
    }
    let all = workers.join_all().await.concat();
    let ids: HashSet<_> = all.iter().map(|claim| claim.id).collect();
    assert!(all.iter().all(|claim| claim.attempt == 1));
    // A worker ends when all deliveries are claimed, so the last claim may find more.
    let left = fixture.claim(200).await;
    assert_eq!((all.len(), ids.len() + left.len()), (ids.len(), 120));
}

async fn a_claim_that_ends_is_free_again_and_a_renewed_one_is_not(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(2).await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let now = clock().now();
    let claimed = database
        .claim(request(now, now + TimeDelta::seconds(20), 10))
        .await
        .unwrap();
    let [kept, lost] = [&claimed[0], &claimed[1]].map(|delivery| delivery.claim);
    database
        .renew(vec![kept], now + TimeDelta::minutes(5))
        .await
        .unwrap();
    let after = now + TimeDelta::seconds(21);
    let again = database
        .claim(request(after, after + TimeDelta::seconds(20), 10))
        .await
        .unwrap();
    let again: Vec<_> = again.into_iter().map(|delivery| delivery.claim).collect();
    assert_eq!(again, [Claim { attempt: 2, ..lost }]);
    // A node that has lost a claim can neither renew it nor delay the delivery.
    database
        .renew(vec![lost], now + TimeDelta::hours(1))
        .await
        .unwrap();
    let off = retried(now + TimeDelta::hours(1), "late");
    fixture.results(vec![result(lost, off)]).await;
    let later = after + TimeDelta::seconds(21);
    assert_eq!(
        database.claim(request(later, later, 10)).await.unwrap()[0].claim,
        Claim { attempt: 3, ..lost }
    );
}

async fn sent_deliveries_are_counted_and_not_sent_again(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(3).await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let claimed = fixture.claim(2).await;
    fixture.sent(&claimed).await;
    // Storing the same results again changes nothing.
    fixture.sent(&claimed).await;
    assert_eq!(
        fixture.counts().await,
        DeliveryCounts {
            waiting: 1,
            sent: 2,
            ..Default::default()
        }
    );
    let rest = fixture.claim_at(later(60 * 24), 10).await;
    assert_eq!(rest.len(), 1);
    fixture.sent(&rest).await;
    assert_eq!(fixture.counts().await.sent, 3);
    assert!(fixture.claim_at(later(60 * 24), 10).await.is_empty());
    let other = OrganisationFixture::new(database, "other").await;
    assert_eq!(other.counts().await, DeliveryCounts::default());
}

async fn failed_delivery_is_due_at_its_time_and_delays_the_later_ones(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(1).await;
    let incident = fixture.incident("Down").await;
    fixture
        .record(incident, IncidentStatus::Identified, "one")
        .await;
    fixture.expand().await;
    let first = fixture.claim(10).await;
    let at = later(10);
    let again = retried(at, "451 busy");
    fixture.results(vec![result(first[0].claim, again)]).await;
    fixture
        .record(incident, IncidentStatus::Monitoring, "two")
        .await;
    fixture.expand().await;
    assert!(fixture.claim_at(later(9), 10).await.is_empty());
    assert_eq!(database.next_due(clock().now()).await.unwrap(), Some(at));
    for message in ["", "one", "two"] {
        let due = fixture.claim_at(later(11), 10).await;
        assert_eq!(
            (due.len(), fixture::message(&due[0]).as_str()),
            (1, message)
        );
        fixture.sent(&due[..1]).await;
    }
}

async fn waiting_deliveries_of_a_subscriber_that_recovers_are_due_in_order(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let [recovers, fails] = fixture.subscribed(2).await[..] else {
        panic!("two subscribers")
    };
    let incident = fixture.incident("Down").await;
    fixture.expand().await;
    let at = later(60 * 14);
    let busy = |delivery: &Delivery| result(delivery.claim, retried(at, "451 busy"));
    let claimed = fixture.claim(10).await;
    fixture.results(claimed.iter().map(busy).collect()).await;
    fixture
        .record(incident, IncidentStatus::Monitoring, "one")
        .await;
    fixture.expand().await;
    assert!(fixture.claim_at(later(60), 10).await.is_empty());
    // Another organisation cannot do it.
    let other = OrganisationFixture::new(database, "other").await;
    database.clear_failure(&other.id, recovers).await.unwrap();
    assert!(fixture.claim_at(later(60), 10).await.is_empty());
    database.clear_failure(&fixture.id, recovers).await.unwrap();
    for message in ["", "one"] {
        let due = fixture.claim_at(later(1), 10).await;
        let due: Vec<_> = due.iter().collect();
        let [delivery] = due[..] else {
            panic!("one delivery: {due:?}")
        };
        assert_eq!(delivery.subscriber.id, recovers);
        assert_eq!(fixture::message(delivery), message);
        fixture.results(vec![sent(delivery)]).await;
    }
    assert!(fixture.claim_at(later(60), 10).await.is_empty());
    let due = fixture.claim_at(later(60 * 15), 10).await;
    assert_eq!(due[0].subscriber.id, fails);
}

async fn abandoned_delivery_lets_the_next_one_go_and_is_counted_by_reason(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(3).await;
    let incident = fixture.incident("Down").await;
    fixture
        .record(incident, IncidentStatus::Resolved, "one")
        .await;
    fixture.expand().await;
    let claimed = fixture.claim(10).await;
    for (delivery, reason) in claimed
        .iter()
        .zip(["550 unknown", "552 full", "550 unknown"])
    {
        let given_up = DeliveryOutcome::GivenUp {
            reason: reason.into(),
        };
        fixture
            .results(vec![result(delivery.claim, given_up)])
            .await;
    }
    let reasons = vec![("550 unknown".to_owned(), 2), ("552 full".to_owned(), 1)];
    assert_eq!(
        fixture.counts().await,
        DeliveryCounts {
            waiting: 3,
            given_up: 3,
            reasons,
            ..Default::default()
        }
    );
    let next = fixture.claim(10).await;
    assert!(
        next.len() == 3
            && next
                .iter()
                .all(|delivery| fixture::message(delivery) == "one")
    );
}

async fn delivery_that_waits_for_a_retry_is_counted_by_the_reason_of_its_last_attempt(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(4).await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let retry = async |delivery: &Delivery, reason: &str| {
        let again = retried(later(10), reason);
        fixture.results(vec![result(delivery.claim, again)]).await;
    };
    let claimed = fixture.claim(3).await;
    let reasons = ["451 busy", "535 denied", "535 denied"];
    for (delivery, reason) in claimed.iter().zip(reasons) {
        retry(delivery, reason).await;
    }
    let counts = fixture.counts().await;
    assert_eq!((counts.waiting, counts.given_up), (4, 0));
    assert_eq!(
        counts.retrying,
        [("535 denied".to_owned(), 2), ("451 busy".to_owned(), 1)]
    );
    assert!(counts.reasons.is_empty(), "{counts:?}");
    let other = OrganisationFixture::new(database, "other").await;
    assert_eq!(other.counts().await, DeliveryCounts::default());
    let again = fixture.claim_at(later(11), 10).await;
    retry(&again[0], "421 closing").await;
    fixture.sent(&again[1..]).await;
    let counts = fixture.counts().await;
    assert_eq!(counts.waiting, 1);
    assert_eq!(counts.retrying, [("421 closing".to_owned(), 1)]);
}

async fn a_subscribers_mails_go_out_in_order(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(2).await;
    let incident = fixture.incident("Down").await;
    fixture
        .record(incident, IncidentStatus::Identified, "one")
        .await;
    fixture.expand().await;
    let first = fixture.claim(10).await;
    assert_eq!(first.len(), 2, "the update waits for the notice before it");
    assert!(fixture.claim(10).await.is_empty());
    fixture.sent(&first[..1]).await;
    let next = fixture.claim(10).await;
    assert_eq!(
        (next.len(), next[0].subscriber.id),
        (1, first[0].subscriber.id)
    );
    assert_eq!(fixture::message(&next[0]), "one");
}

async fn unsubscribed_or_deleted_subscriber_gets_nothing_more(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let leaves = fixture.subscriber("leaves@example.com").await;
    let goes = fixture.subscriber("goes@example.com").await;
    // Confirmed by a clock that was ahead.
    let stays = fixture.subscriber_at("stays@example.com", later(60)).await;
    fixture.incident("Down").await;
    fixture.expand().await;
    assert_eq!(database.waiting().await.unwrap(), 3);
    let claimed = fixture.claim(10).await;
    fixture.unsubscribe(&leaves).await;
    assert!(
        SubscriberStore::delete(database, &fixture.id, goes.id)
            .await
            .unwrap()
    );
    assert_eq!(database.waiting().await.unwrap(), 1);
    // The result of a mail that was in flight at that moment changes nothing any more.
    fixture.sent(&claimed).await;
    assert_eq!(
        fixture.counts().await,
        DeliveryCounts {
            sent: 1,
            ..Default::default()
        }
    );
    fixture.incident("Down again").await;
    fixture.expand().await;
    let mailed: Vec<_> = fixture
        .claim(10)
        .await
        .into_iter()
        .map(|delivery| delivery.subscriber.id)
        .collect();
    assert_eq!(mailed, [stays.id]);
}

async fn verification_precedes_other_mail_and_is_queued_for_known_addresses_too(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let ann = fixture.subscriber("ann@example.com").await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let eve = enter(database, &fixture.id, "eve@example.com").await;
    let known = enter(database, &fixture.id, "ann@example.com").await;
    assert_eq!(known, ann);
    let claimed = fixture.claim(1).await;
    assert_eq!(
        (&claimed[0].kind, &claimed[0].subscriber),
        (&DeliveryKind::Verification, &eve)
    );
    assert_eq!(claimed[0].organisation_name, "Acme");
    // Ann is verified, which is noticed only when the link is sent. Her notice was queued first.
    let rest = fixture.claim(10).await;
    assert!(rest.len() == 1 && rest[0].kind != DeliveryKind::Verification);
    fixture.sent(&rest[..1]).await;
    let unwanted = fixture.claim(10).await;
    assert_eq!(
        (&unwanted[0].kind, &unwanted[0].subscriber),
        (&DeliveryKind::Verification, &ann)
    );
    fixture
        .results(vec![result(unwanted[0].claim, DeliveryOutcome::Unwanted)])
        .await;
    assert_eq!(
        fixture.counts().await,
        DeliveryCounts {
            waiting: 1,
            sent: 1,
            ..Default::default()
        }
    );
}

async fn notices_precede_verifications_of_webhooks_and_retries_come_last(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let hook = |name: &str| {
        let target = Target::parse(Channel::Webhook, &format!("https://hooks.example/{name}"));
        SubscriberDraft::of_everything(target.unwrap())
    };
    let now = clock().now();
    let confirmed = fixture.subscriber_of(hook("confirmed"), now).await;
    let strange = enter_draft(database, &fixture.id, hook("strange")).await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let next = async || {
        let one_request = ClaimRequest {
            route: DeliveryRoute::Message,
            ..request(clock().now(), later(5), 1)
        };
        let mut claimed = database.claim(one_request).await.unwrap();
        claimed.pop().unwrap()
    };
    let notice = next().await;
    assert_eq!(notice.subscriber.id, confirmed.id);
    let again = retried(clock().now(), "503");
    fixture.results(vec![result(notice.claim, again)]).await;
    fixture.incident("Down again").await;
    fixture.expand().await;
    assert_eq!(next().await.subscriber.id, strange.id);
    let retried = next().await;
    assert_eq!(
        (retried.claim.id, retried.claim.attempt),
        (notice.claim.id, 2)
    );
}

async fn repeated_subscription_is_sent_its_link_although_an_earlier_one_waits_for_a_retry(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let eve = enter(database, &fixture.id, "eve@example.com").await;
    let first = fixture.claim(10).await;
    let again = retried(later(60 * 5), "404");
    fixture.results(vec![result(first[0].claim, again)]).await;
    assert!(fixture.claim(10).await.is_empty());
    let known = enter(database, &fixture.id, "eve@example.com").await;
    assert_eq!(known.id, eve.id);
    let mut attempts = Vec::new();
    for _ in 0..2 {
        let due = fixture.claim(10).await;
        assert!(due.len() == 1 && due[0].kind == DeliveryKind::Verification);
        attempts.push(due[0].claim.attempt);
        fixture.sent(&due).await;
    }
    assert_eq!(attempts, [2, 1], "the link that waited, then the new one");
    assert_eq!(database.waiting().await.unwrap(), 0);
}

async fn link_that_an_operator_sends_replaces_those_that_wait(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let find = async |id| {
        let key = SubscriberKey::Id(id);
        let found = SubscriberStore::find(database, &fixture.id, &key).await;
        found.unwrap().unwrap()
    };
    let eve = enter(database, &fixture.id, "eve@example.com").await;
    let first = fixture.claim(10).await;
    let given_up = DeliveryOutcome::GivenUp {
        reason: "550".into(),
    };
    fixture
        .results(vec![result(first[0].claim, given_up)])
        .await;
    enter(database, &fixture.id, "eve@example.com").await;
    assert!(find(eve.id).await.failing.is_some());
    let sent_at = later(60 * 24 * 3);
    let record = async |organisation: &OrganisationId, id| {
        let recorded = database.record_verification(organisation, id, sent_at);
        recorded.await.unwrap();
        database.waiting().await.unwrap()
    };
    let other = OrganisationFixture::new(database, "other").await;
    assert_eq!(record(&other.id, eve.id).await, 1, "of another one");
    assert_eq!(record(&fixture.id, eve.id).await, 0);
    let kept = Subscriber {
        updated_at: sent_at,
        ..eve
    };
    assert_eq!(find(kept.id).await, kept);
    let ann = fixture.subscriber("ann@example.com").await;
    fixture.incident("Down").await;
    fixture.expand().await;
    assert_eq!(record(&fixture.id, ann.id).await, 1, "she has confirmed");
    assert_eq!(find(ann.id).await, ann);
}

async fn next_wake_up_is_when_a_delivery_is_due_or_a_claim_ends(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let now = clock().now();
    assert_eq!(database.next_due(now).await.unwrap(), None);
    fixture.subscribed(2).await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let now = clock().now();
    let ends = now + TimeDelta::seconds(20);
    let claimed = database.claim(request(now, ends, 10)).await.unwrap();
    assert_eq!(database.next_due(now).await.unwrap(), Some(ends));
    let soon = now + TimeDelta::seconds(3);
    let again = retried(soon, "busy");
    fixture.results(vec![result(claimed[0].claim, again)]).await;
    assert_eq!(database.next_due(now).await.unwrap(), Some(soon));
    assert_eq!(database.next_due(soon).await.unwrap(), Some(ends));
}

async fn old_results_are_deleted_and_waiting_deliveries_stay(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(3).await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let claimed = fixture.claim(2).await;
    let given_up = DeliveryOutcome::GivenUp {
        reason: "550".into(),
    };
    fixture
        .results(vec![sent(&claimed[0]), result(claimed[1].claim, given_up)])
        .await;
    let month_ago = clock().now() - TimeDelta::days(30);
    assert_eq!(database.prune(month_ago, 10).await.unwrap(), 0);
    database.prune_counts(clock().now()).await.unwrap();
    assert_eq!(
        (fixture.counts().await.sent, fixture.counts().await.given_up),
        (1, 1)
    );
    // In two days, all results are old. What still waits stays, with its notice.
    let before = clock().now() + TimeDelta::days(2);
    assert_eq!(database.prune(before, 10).await.unwrap(), 1);
    database.prune_counts(before).await.unwrap();
    assert_eq!(
        fixture.counts().await,
        DeliveryCounts {
            waiting: 1,
            ..Default::default()
        }
    );
    let last = fixture.claim(10).await;
    fixture.sent(&last).await;
    assert_eq!(database.prune(before, 10).await.unwrap(), 1);
    assert_eq!(database.prune(before, 10).await.unwrap(), 0);
}

async fn a_given_up_message_marks_its_subscriber_as_failing_until_one_arrives(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let ann = fixture.subscriber("ann@example.com").await;
    let failing = async || {
        let key = SubscriberKey::Id(ann.id);
        let found = SubscriberStore::find(database, &fixture.id, &key).await;
        found.unwrap().unwrap().failing
    };
    for reason in ["550 first", "550 second"] {
        fixture.incident("Down").await;
        fixture.expand().await;
        let claimed = fixture.claim(10).await;
        let given_up = DeliveryOutcome::GivenUp {
            reason: reason.into(),
        };
        fixture
            .results(vec![result(claimed[0].claim, given_up)])
            .await;
    }
    let marked = failing().await.unwrap();
    assert_eq!(marked.reason, "550 second");
    fixture.incident("Up").await;
    fixture.expand().await;
    let claimed = fixture.claim(10).await;
    assert_eq!(claimed[0].subscriber.failing, Some(marked));
    let arrived = AttemptRecord {
        was_failing: true,
        ..sent(&claimed[0])
    };
    fixture.results(vec![arrived]).await;
    assert_eq!(failing().await, None);
}

async fn a_subscription_that_the_receiver_ends_loses_its_queued_deliveries(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let ann = fixture.subscriber("ann@example.com").await;
    for title in ["First", "Second"] {
        fixture.incident(title).await;
    }
    fixture.expand().await;
    let claimed = fixture.claim(10).await;
    fixture
        .results(vec![result(claimed[0].claim, DeliveryOutcome::Ended)])
        .await;
    assert_eq!(database.waiting().await.unwrap(), 0);
    let key = SubscriberKey::Id(ann.id);
    let found = SubscriberStore::find(database, &fixture.id, &key).await;
    let found = found.unwrap().unwrap();
    assert_eq!(
        (found.status, found.round),
        (SubscriberStatus::Unsubscribed, ann.round + 1)
    );
}

async fn a_result_of_a_lost_claim_ends_no_subscription(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let ann = fixture.subscriber("ann@example.com").await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let lost = fixture.claim(10).await.remove(0).claim;
    let again = fixture.claim_at(later(10), 10).await;
    assert_eq!(again[0].claim.id, lost.id);
    fixture
        .results(vec![result(lost, DeliveryOutcome::Ended)])
        .await;
    let key = SubscriberKey::Id(ann.id);
    let found = SubscriberStore::find(database, &fixture.id, &key).await;
    assert_eq!(found.unwrap(), Some(ann));
    assert_eq!(database.waiting().await.unwrap(), 1);
}

async fn deliveries_of_a_deleted_incident_are_withdrawn(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(3).await;
    let gone = fixture.incident("Gone").await;
    fixture.expand().await;
    fixture
        .record(gone, IncidentStatus::Identified, "Not expanded yet")
        .await;
    let kept = fixture.incident("Kept").await;
    fixture.delete(gone).await;
    fixture.expand().await;
    let claimed = fixture.claim(10).await;
    let subjects: HashSet<_> = claimed
        .iter()
        .map(|delivery| match &delivery.kind {
            DeliveryKind::Notice(notice) => notice.subject,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!((claimed.len(), subjects), (3, HashSet::from([kept.0])));
}

async fn dashboard_and_metrics_count_subscribers_and_mails(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(2).await;
    let gone = fixture.subscriber("gone@example.com").await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let claimed = fixture.claim(10).await;
    let given_up = DeliveryOutcome::GivenUp {
        reason: "550".into(),
    };
    fixture
        .results(vec![
            sent(&claimed[0]),
            sent(&claimed[1]),
            result(claimed[2].claim, given_up),
        ])
        .await;
    fixture.unsubscribe(&gone).await;
    enter(database, &fixture.id, "new@example.com").await;
    let (now, since) = (clock().now(), clock().now() - TimeDelta::days(30));
    let found = database
        .dashboard(&fixture.id, ShownChanges::OfContent, now, since)
        .await;
    let found = found.unwrap().unwrap();
    assert_eq!(
        found.subscribers,
        SubscriberCounts {
            total: 4,
            subscribed: 2,
            pending: 1,
            failing: 1,
        }
    );
    assert_eq!((found.waiting, found.failed), (1, 1));
    let metrics = database.metrics(&fixture.id, MetricsDays::default(), now);
    let metrics = metrics.await.unwrap().unwrap();
    assert_eq!((metrics.messages_sent, metrics.messages_failed), (2, 1));
    // The daily counts are kept longer than the mails.
    let later = now + TimeDelta::days(2);
    DeliveryQueue::prune(database, later, 10).await.unwrap();
    let metrics = database.metrics(&fixture.id, MetricsDays::default(), now);
    let metrics = metrics.await.unwrap().unwrap();
    assert_eq!((metrics.messages_sent, metrics.messages_failed), (2, 1));
}

async fn a_deleted_organisation_takes_its_deliveries_along(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(3).await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let claimed = fixture.claim(1).await;
    assert!(
        OrganisationStore::delete(database, &fixture.id, None)
            .await
            .unwrap()
    );
    assert_eq!(database.waiting().await.unwrap(), 0);
    fixture.sent(&claimed[..1]).await;
}
