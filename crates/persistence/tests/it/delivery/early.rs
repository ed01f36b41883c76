//! Attempts before the time of a retry, and what the next attempt knows of earlier ones.

use allclear_application::delivery::{
    ClaimRequest, Delivery, DeliveryOutcome, DeliveryQueue, DeliveryRoute,
};
use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::IncidentId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::subscriber::SubscriberDraft;
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{ConnectionTrait, TransactionTrait};

use super::fixture::{later, message, request, result, retried, sent};
use crate::backend::clock;
use crate::contract;
use crate::organisation_fixture::OrganisationFixture;

contract!(
    a_notice_brings_the_retry_before_it_forward_and_begins_the_schedule_again,
    a_notice_does_not_bring_a_retry_forward_that_the_receiver_delays,
    an_attempt_that_was_brought_forward_and_failed_is_due_at_its_next_time,
    the_end_of_a_retried_delivery_makes_the_later_ones_due,
    a_result_of_a_lost_claim_makes_the_later_ones_due_only_if_it_was_sent,
    a_notice_makes_the_later_ones_due_if_the_retried_one_was_withdrawn,
    a_notice_brings_the_retry_of_a_mail_forward_and_its_schedule_goes_on,
    a_notice_leaves_an_unconfirmed_mail_at_its_time,
    a_notice_makes_later_mails_due_if_the_retried_one_was_withdrawn,
    unconfirmed_attempts_are_counted,
);

/// An organisation with one webhook.
struct Hook {
    fixture: OrganisationFixture,
    incident: IncidentId,
}

impl Hook {
    /// Its first message waits to be sent.
    async fn new(database: &Database) -> Self {
        let fixture = OrganisationFixture::new(database, "acme").await;
        let target = Target::parse(Channel::Webhook, "https://hooks.example/x").unwrap();
        let draft = SubscriberDraft::of_everything(target);
        fixture.subscriber_of(draft, clock().now()).await;
        let incident = fixture.incident("Down").await;
        fixture.expand().await;
        Self { fixture, incident }
    }

    async fn update(&self, message: &str) {
        self.fixture
            .record(self.incident, IncidentStatus::Monitoring, message)
            .await;
        self.fixture.expand().await;
    }

    /// Claims for a millisecond.
    async fn claim_at(&self, now: DateTime<Utc>) -> Vec<Delivery> {
        let of_route = ClaimRequest {
            route: DeliveryRoute::Message,
            ..request(now, now + TimeDelta::milliseconds(1), 10)
        };
        self.fixture.database.claim(of_route).await.unwrap()
    }

    /// The only delivery that is due.
    async fn one_at(&self, now: DateTime<Utc>) -> Delivery {
        let mut due = self.claim_at(now).await;
        assert_eq!(due.len(), 1, "{due:?}");
        due.remove(0)
    }

    async fn record(&self, delivery: &Delivery, outcome: DeliveryOutcome) {
        self.fixture
            .results(vec![result(delivery.claim, outcome)])
            .await;
    }

    /// Sends what is due: these messages, one after the other.
    async fn send_in_order(&self, messages: &[&str]) {
        for expected in messages {
            let next = self.one_at(later(1)).await;
            assert_eq!(message(&next), *expected);
            self.fixture.results(vec![sent(&next)]).await;
        }
    }

    /// Three attempts of the first message fail.
    async fn fail_three_times(&self, last: DeliveryOutcome) {
        for _ in 0..2 {
            let delivery = self.one_at(clock().now()).await;
            self.record(&delivery, retried(clock().now(), "503")).await;
        }
        let delivery = self.one_at(clock().now()).await;
        assert_eq!((delivery.claim.attempt, delivery.scheduled_attempt), (3, 3));
        self.record(&delivery, last).await;
    }
}

/// The next attempt is at `at`, and from `early_at` on after a notice.
fn early(at: DateTime<Utc>, early_at: DateTime<Utc>) -> DeliveryOutcome {
    DeliveryOutcome::Retried {
        at,
        early_at: Some(early_at),
        reason: "503".to_owned(),
        is_unconfirmed: false,
    }
}

async fn a_notice_brings_the_retry_before_it_forward_and_begins_the_schedule_again(
    database: &Database,
) {
    let hook = Hook::new(database).await;
    let early_at = later(5);
    hook.fail_three_times(early(later(120), early_at)).await;
    assert!(hook.claim_at(later(10)).await.is_empty());
    // Several notices bring it forward once.
    for update in ["one", "two"] {
        hook.update(update).await;
        let next = database.next_due(clock().now()).await.unwrap();
        assert_eq!(next, Some(early_at));
    }
    assert!(hook.claim_at(later(4)).await.is_empty());
    let mut now = later(6);
    let first = hook.one_at(now).await;
    assert_eq!(message(&first), "");
    assert_eq!((first.claim.attempt, first.scheduled_attempt), (4, 2));
    hook.fixture.results(vec![sent(&first)]).await;
    // The order stays, and none waits for the former time.
    for expected in ["one", "two"] {
        now += TimeDelta::seconds(1);
        let next = hook.one_at(now).await;
        assert_eq!(message(&next), expected);
        assert_eq!((next.claim.attempt, next.scheduled_attempt), (1, 1));
        hook.fixture.results(vec![sent(&next)]).await;
    }
}

async fn a_notice_does_not_bring_a_retry_forward_that_the_receiver_delays(database: &Database) {
    let hook = Hook::new(database).await;
    let at = later(120);
    hook.fail_three_times(retried(at, "503")).await;
    hook.update("one").await;
    assert_eq!(database.next_due(clock().now()).await.unwrap(), Some(at));
    assert!(hook.claim_at(later(119)).await.is_empty());
    let first = hook.one_at(later(121)).await;
    assert_eq!((first.claim.attempt, first.scheduled_attempt), (4, 4));
}

async fn an_attempt_that_was_brought_forward_and_failed_is_due_at_its_next_time(
    database: &Database,
) {
    let hook = Hook::new(database).await;
    // It may be attempted at any time.
    hook.fail_three_times(early(later(120), later(-1))).await;
    hook.update("one").await;
    let first = hook.one_at(later(1)).await;
    hook.record(&first, early(later(30), later(6))).await;
    assert!(hook.claim_at(later(29)).await.is_empty());
    let first = hook.one_at(later(31)).await;
    assert_eq!((first.claim.attempt, first.scheduled_attempt), (5, 3));
    hook.record(&first, early(later(200), later(36))).await;
    // Without another notice it stays at its time, and so do the later ones.
    assert!(hook.claim_at(later(199)).await.is_empty());
    assert_eq!(hook.one_at(later(201)).await.claim.id, first.claim.id);
}

async fn the_end_of_a_retried_delivery_makes_the_later_ones_due(database: &Database) {
    let ends = [
        DeliveryOutcome::Sent,
        DeliveryOutcome::Unwanted,
        DeliveryOutcome::GivenUp {
            reason: "400".into(),
        },
    ];
    let hook = Hook::new(database).await;
    hook.fail_three_times(early(later(120), later(-1))).await;
    for (number, end) in ends.into_iter().enumerate() {
        hook.update(&format!("update {number}")).await;
        let first = hook.one_at(later(1)).await;
        assert_eq!(first.scheduled_attempt, 2);
        hook.record(&first, end).await;
        // It is the next one that fails.
        let next = hook.one_at(later(1)).await;
        assert_eq!(message(&next), format!("update {number}"));
        hook.record(&next, early(later(1), later(1))).await;
        let next = hook.one_at(later(2)).await;
        hook.record(&next, early(later(120), later(-1))).await;
    }
}

async fn a_result_of_a_lost_claim_makes_the_later_ones_due_only_if_it_was_sent(
    database: &Database,
) {
    let hook = Hook::new(database).await;
    hook.fail_three_times(early(later(120), later(-1))).await;
    hook.update("one").await;
    let lost = hook.one_at(later(1)).await;
    let first = hook.one_at(later(2)).await;
    assert_eq!(first.claim.id, lost.claim.id);
    hook.record(&first, early(later(120), later(60))).await;
    hook.record(&lost, DeliveryOutcome::Unwanted).await;
    assert!(hook.claim_at(later(119)).await.is_empty());
    hook.fixture.results(vec![sent(&lost)]).await;
    hook.send_in_order(&["one"]).await;
}

async fn a_notice_makes_the_later_ones_due_if_the_retried_one_was_withdrawn(database: &Database) {
    let hook = Hook::new(database).await;
    hook.fail_three_times(early(later(120), later(5))).await;
    let kept = hook.fixture.incident("Kept").await;
    hook.fixture.expand().await;
    hook.fixture.delete(hook.incident).await;
    let hook = Hook {
        incident: kept,
        ..hook
    };
    hook.update("one").await;
    hook.send_in_order(&["", "one"]).await;
}

/// A subscriber by mail, and an incident whose first mail is claimed.
async fn claimed_mail(database: &Database) -> (OrganisationFixture, IncidentId, Delivery) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(1).await;
    let incident = fixture.incident("Down").await;
    fixture.expand().await;
    let mail = fixture.claim(10).await.remove(0);
    (fixture, incident, mail)
}

async fn a_notice_brings_the_retry_of_a_mail_forward_and_its_schedule_goes_on(database: &Database) {
    let (fixture, incident, mail) = claimed_mail(database).await;
    let again = retried(clock().now(), "421");
    fixture.results(vec![result(mail.claim, again)]).await;
    let mail = fixture.claim(10).await.remove(0);
    let early_at = later(1);
    let last = early(later(30), early_at);
    fixture.results(vec![result(mail.claim, last)]).await;
    assert!(fixture.claim_at(later(20), 10).await.is_empty());
    // Several notices bring it forward once.
    for update in ["one", "two"] {
        fixture
            .record(incident, IncidentStatus::Monitoring, update)
            .await;
        fixture.expand().await;
        let next = database.next_due(clock().now()).await.unwrap();
        assert_eq!(next, Some(early_at));
    }
    assert!(fixture.claim_at(clock().now(), 10).await.is_empty());
    for (attempt, expected) in [(3, ""), (1, "one"), (1, "two")] {
        let due = fixture.claim_at(later(2), 10).await;
        assert_eq!((due.len(), message(&due[0]).as_str()), (1, expected));
        assert_eq!(due[0].scheduled_attempt, attempt);
        fixture.sent(&due).await;
    }
}

async fn a_notice_leaves_an_unconfirmed_mail_at_its_time(database: &Database) {
    let (fixture, incident, mail) = claimed_mail(database).await;
    let at = later(30);
    let unconfirmed = DeliveryOutcome::Retried {
        at,
        early_at: None,
        reason: "No reply".to_owned(),
        is_unconfirmed: true,
    };
    fixture.results(vec![result(mail.claim, unconfirmed)]).await;
    fixture
        .record(incident, IncidentStatus::Monitoring, "one")
        .await;
    fixture.expand().await;
    assert_eq!(database.next_due(clock().now()).await.unwrap(), Some(at));
    assert!(fixture.claim_at(later(29), 10).await.is_empty());
    let due = fixture.claim_at(later(31), 10).await;
    assert_eq!((due.len(), due[0].claim.id), (1, mail.claim.id));
}

async fn a_notice_makes_later_mails_due_if_the_retried_one_was_withdrawn(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(1).await;
    let withdrawn = fixture.incident("Down").await;
    fixture.expand().await;
    let first = fixture.claim(10).await;
    let again = retried(later(10), "451");
    fixture.results(vec![result(first[0].claim, again)]).await;
    let kept = fixture.incident("Kept").await;
    fixture.expand().await;
    fixture.delete(withdrawn).await;
    fixture
        .record(kept, IncidentStatus::Monitoring, "one")
        .await;
    fixture.expand().await;
    for expected in ["", "one"] {
        let due = fixture.claim_at(later(1), 10).await;
        assert_eq!((due.len(), message(&due[0]).as_str()), (1, expected));
        fixture.sent(&due).await;
    }
}

/// SQLite has one writer at a time.
#[tokio::test(flavor = "multi_thread")]
async fn a_notice_makes_the_later_ones_due_while_another_transaction_ends_the_retried_one() {
    let Some(url) = allclear_test_support::postgres() else {
        return;
    };
    let database = Database::connect(&url, clock()).await.unwrap();
    let hook = Hook::new(&database).await;
    hook.fail_three_times(early(later(120), later(5))).await;
    hook.update("one").await;
    let connection = sea_orm::Database::connect(&url).await.unwrap();
    let ending = connection.begin().await.unwrap();
    let removal = "DELETE FROM deliveries WHERE reason IS NOT NULL";
    let removed = ending.execute_unprepared(removal).await.unwrap();
    assert_eq!(removed.rows_affected(), 1);
    hook.update("two").await;
    ending.commit().await.unwrap();
    hook.send_in_order(&["one", "two"]).await;
    connection.close().await.unwrap();
}

async fn unconfirmed_attempts_are_counted(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscribed(1).await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let mut now = clock().now();
    for (is_unconfirmed, counted) in [(true, 0), (false, 1), (true, 1), (true, 2)] {
        let claimed = fixture.claim_at(now, 10).await;
        assert_eq!(claimed[0].unconfirmed, counted);
        let outcome = DeliveryOutcome::Retried {
            at: now,
            early_at: None,
            reason: "No reply".to_owned(),
            is_unconfirmed,
        };
        fixture
            .results(vec![result(claimed[0].claim, outcome)])
            .await;
        now += TimeDelta::seconds(1);
    }
    assert_eq!(fixture.claim_at(now, 10).await[0].unconfirmed, 3);
}
