//! Mails to operators: their recipients, contents and times.

mod role;
mod unreadable;

use std::collections::HashSet;

use allclear_application::delivery::{
    AttemptRecord, ClaimRequest, DeliveryOutcome, DeliveryQueue, DeliveryRoute,
};
use allclear_application::operator_mail::{
    FailureDigest, MAX_RECIPIENTS, OperatorMail, OperatorMailContent, OperatorMailStore, Reminder,
};
use allclear_application::organisation::OrganisationStore;
use allclear_application::stamp::Stamp;
use allclear_domain::account::User;
use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::membership::Role;
use allclear_domain::organisation::{Organisation, OrganisationPatch};
use allclear_domain::subscriber::SubscriberDraft;
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::task::JoinSet;

use crate::account::account;
use crate::backend::{clock, next_millisecond};
use crate::contract;
use crate::delivery::fixture::{enter, request};
use crate::membership::{found, invite, leave};
use crate::organisation_fixture::{OrganisationFixture, set};

contract!(
    operators_are_reminded_once_a_period_until_an_update,
    nodes_that_remind_at_once_queue_each_mail_once,
    resolved_incidents_and_organisations_without_the_setting_have_no_reminders,
    a_reopened_incident_starts_a_new_period_without_updates,
    a_reminder_goes_to_the_newest_incidents_of_an_organisation,
    a_mail_is_sent_only_to_a_member_about_an_open_incident,
    reminder_that_waits_is_dropped_after_an_update_or_a_later_reminder,
    a_claim_ends_and_a_failed_mail_is_due_again,
    admins_get_one_digest_a_day_that_names_each_failure_once,
    nodes_that_make_a_digest_at_once_make_one,
    a_digest_names_twenty_and_counts_all,
    failures_of_unconfirmed_subscriptions_are_in_no_digest,
    an_organisation_without_known_addresses_queues_no_mail,
    a_mail_goes_to_at_most_fifty_members_and_to_all_admins_first,
);

/// An organisation with the admin Ada, the editor Bob and the viewer Cid.
struct Operators {
    fixture: OrganisationFixture,
    ada: User,
    bob: User,
}

impl Operators {
    async fn new(database: &Database) -> Self {
        let ada = account(database, "ada@example.com", "hash").await;
        let acme = found(database, &ada).await;
        let bob = account(database, "bob@example.com", "hash").await;
        let cid = account(database, "cid@example.com", "hash").await;
        for (user, role) in [(&bob, Role::Editor), (&cid, Role::Viewer)] {
            let link = invite(database, Some(&acme), role).await;
            let digest = link.digest();
            let accepted = database.accept_invitation(&digest, user.id, clock().now());
            accepted.await.unwrap().unwrap();
        }
        let fixture = OrganisationFixture {
            database: database.clone(),
            id: acme,
        };
        Self { fixture, ada, bob }
    }

    async fn with_reminders(database: &Database, hours: u16) -> Self {
        let operators = Self::new(database).await;
        remind_after(&operators.fixture, hours).await;
        operators
    }

    /// Marks confirmed subscribers as failing at a time.
    async fn fail(&self, addresses: &[&str], at: DateTime<Utc>) {
        for address in addresses {
            self.fixture.subscriber(address).await;
        }
        self.fixture.incident("Down").await;
        self.fixture.expand().await;
        self.give_up_all(at).await;
    }

    async fn give_up_all(&self, at: DateTime<Utc>) {
        for claimed in self.fixture.claim(100).await {
            let result = AttemptRecord {
                claim: claimed.claim,
                at,
                outcome: DeliveryOutcome::GivenUp {
                    reason: "550 no such mailbox".into(),
                },
                was_failing: false,
            };
            self.fixture.results(vec![result]).await;
        }
    }
}

pub(crate) async fn remind_after(fixture: &OrganisationFixture, hours: u16) {
    let patch = OrganisationPatch {
        reminder_hours: Some(Some(hours)),
        ..Default::default()
    };
    let rule = Box::new(move |organisation: Organisation, _: Stamp| Ok(organisation.edit(patch)?));
    OrganisationStore::change(&fixture.database, &fixture.id, rule)
        .await
        .unwrap()
        .unwrap();
}

fn after(hours: i64) -> DateTime<Utc> {
    clock().now() + TimeDelta::hours(hours) + TimeDelta::seconds(5)
}

/// Claims all due mails, and removes them as sent.
async fn send_all(database: &Database, now: DateTime<Utc>) -> Vec<OperatorMail> {
    let until = now + TimeDelta::minutes(5);
    let mut sent = Vec::new();
    loop {
        let claimed = database.claim_mails(now, until, 8).await.unwrap();
        if claimed.taken == 0 {
            return sent;
        }
        for mail in claimed.mails {
            database.remove_mail(mail.id).await.unwrap();
            sent.push(mail);
        }
    }
}

fn addresses(mails: &[OperatorMail]) -> Vec<&str> {
    let mut addresses: Vec<_> = mails.iter().map(|mail| mail.to.as_str()).collect();
    addresses.sort_unstable();
    addresses
}

fn reminder(mail: &OperatorMail) -> &Reminder {
    match &mail.content {
        OperatorMailContent::Reminder(reminder) => reminder,
        other @ OperatorMailContent::Digest(_) => panic!("{other:?}"),
    }
}

fn digest(mail: &OperatorMail) -> &FailureDigest {
    match &mail.content {
        OperatorMailContent::Digest(digest) => digest,
        other @ OperatorMailContent::Reminder(_) => panic!("{other:?}"),
    }
}

async fn operators_are_reminded_once_a_period_until_an_update(database: &Database) {
    let operators = Operators::with_reminders(database, 4).await;
    let fixture = &operators.fixture;
    let incident = fixture.incident("Database down").await;
    assert_eq!(database.queue_reminders(after(3)).await.unwrap(), 0);
    assert_eq!(database.queue_reminders(after(4)).await.unwrap(), 1);
    assert_eq!(database.queue_reminders(after(4)).await.unwrap(), 0);
    let mails = send_all(database, after(4)).await;
    // The viewer can do nothing about it.
    assert_eq!(
        addresses(&mails),
        [&operators.ada.email, &operators.bob.email]
    );
    assert_eq!(mails[0].organisation_name, "Acme");
    assert_eq!(reminder(&mails[0]).title, "Database down");
    assert_eq!(reminder(&mails[0]).hours, 4);
    assert_eq!(reminder(&mails[0]).incident, incident.0);
    assert!(reminder(&mails[0]).never_updated);
    // Four hours after the reminder, and not at every poll.
    assert_eq!(database.queue_reminders(after(7)).await.unwrap(), 0);
    assert_eq!(database.queue_reminders(after(9)).await.unwrap(), 1);
    assert_eq!(reminder(&send_all(database, after(9)).await[0]).hours, 9);
    // This update is recorded now, before that reminder: the later of both counts.
    fixture
        .record(incident, IncidentStatus::Identified, "A disk is full")
        .await;
    assert_eq!(database.queue_reminders(after(12)).await.unwrap(), 0);
    assert_eq!(database.queue_reminders(after(14)).await.unwrap(), 1);
    assert!(!reminder(&send_all(database, after(14)).await[0]).never_updated);
}

async fn nodes_that_remind_at_once_queue_each_mail_once(database: &Database) {
    let operators = Operators::with_reminders(database, 1).await;
    for title in ["One", "Two", "Three"] {
        operators.fixture.incident(title).await;
    }
    let now = after(1);
    let mut nodes = JoinSet::new();
    for _ in 0..8 {
        let database = database.clone();
        nodes.spawn(async move { database.queue_reminders(now).await.unwrap() });
    }
    assert_eq!(nodes.join_all().await.into_iter().sum::<u64>(), 3);
    let mails = send_all(database, now).await;
    let different: HashSet<_> = mails
        .iter()
        .map(|mail| (mail.to.clone(), reminder(mail).title.clone()))
        .collect();
    assert_eq!((mails.len(), different.len()), (6, 6));
}

async fn resolved_incidents_and_organisations_without_the_setting_have_no_reminders(
    database: &Database,
) {
    let operators = Operators::with_reminders(database, 1).await;
    let resolved = operators.fixture.incident("Over").await;
    operators
        .fixture
        .edit(resolved, set(IncidentStatus::Resolved))
        .await;
    let other = OrganisationFixture::new(database, "other").await;
    other.incident("Down").await;
    assert_eq!(database.queue_reminders(after(100)).await.unwrap(), 0);
}

async fn a_reopened_incident_starts_a_new_period_without_updates(database: &Database) {
    let operators = Operators::with_reminders(database, 2).await;
    let fixture = &operators.fixture;
    let incident = fixture.incident("Down").await;
    let reminded = after(10);
    assert_eq!(database.queue_reminders(reminded).await.unwrap(), 1);
    fixture.edit(incident, set(IncidentStatus::Resolved)).await;
    fixture
        .edit(incident, set(IncidentStatus::Monitoring))
        .await;
    // Reopened now, by the clock of the commit.
    assert_eq!(database.queue_reminders(after(1)).await.unwrap(), 0);
    assert_eq!(database.queue_reminders(after(2)).await.unwrap(), 1);
}

async fn a_reminder_goes_to_the_newest_incidents_of_an_organisation(database: &Database) {
    let operators = Operators::with_reminders(database, 1).await;
    for number in 0..22 {
        operators.fixture.incident(&number.to_string()).await;
    }
    assert_eq!(database.queue_reminders(after(1)).await.unwrap(), 20);
    assert_eq!(database.queue_reminders(after(1)).await.unwrap(), 0);
    let mails = send_all(database, after(1)).await;
    assert!(
        mails
            .iter()
            .all(|mail| !["0", "1"].contains(&reminder(mail).title.as_str()))
    );
}

async fn a_mail_is_sent_only_to_a_member_about_an_open_incident(database: &Database) {
    let operators = Operators::with_reminders(database, 1).await;
    let fixture = &operators.fixture;
    let [open, over, gone] = [
        fixture.incident("Open").await,
        fixture.incident("Over").await,
        fixture.incident("Gone").await,
    ];
    assert_eq!(database.queue_reminders(after(1)).await.unwrap(), 3);
    fixture.edit(over, set(IncidentStatus::Resolved)).await;
    fixture.delete(gone).await;
    let left =
        OrganisationStore::change_member(database, &fixture.id, operators.bob.id, None, leave());
    left.await.unwrap().unwrap();
    // A batch may contain only mails that are removed.
    let mails = send_all(database, after(1)).await;
    assert_eq!(addresses(&mails), [&operators.ada.email]);
    assert_eq!(reminder(&mails[0]).incident, open.0);
}

async fn reminder_that_waits_is_dropped_after_an_update_or_a_later_reminder(database: &Database) {
    let operators = Operators::with_reminders(database, 1).await;
    let fixture = &operators.fixture;
    let updated = fixture.incident("Updated").await;
    let silent = fixture.incident("Silent").await;
    assert_eq!(database.queue_reminders(after(1)).await.unwrap(), 2);
    next_millisecond().await;
    fixture
        .record(updated, IncidentStatus::Identified, "A disk is full")
        .await;
    let mails = send_all(database, after(1)).await;
    let incidents: Vec<_> = mails.iter().map(|mail| reminder(mail).incident).collect();
    assert_eq!(incidents, [silent.0; 2], "one to each member");
    for hours in [3, 5] {
        assert_eq!(database.queue_reminders(after(hours)).await.unwrap(), 2);
    }
    let mails = send_all(database, after(5)).await;
    let hours: Vec<_> = mails.iter().map(|mail| reminder(mail).hours).collect();
    assert_eq!(hours, [5; 4], "one for each incident to each member");
}

async fn a_claim_ends_and_a_failed_mail_is_due_again(database: &Database) {
    let operators = Operators::with_reminders(database, 1).await;
    operators.fixture.incident("Down").await;
    let now = after(1);
    database.queue_reminders(now).await.unwrap();
    let claim = async |now: DateTime<Utc>| {
        let until = now + TimeDelta::minutes(5);
        database.claim_mails(now, until, 8).await.unwrap().mails
    };
    let first = claim(now).await;
    assert_eq!((first.len(), first[0].attempt), (2, 1));
    assert!(claim(now).await.is_empty());
    // The node died.
    let second = claim(now + TimeDelta::minutes(5)).await;
    assert_eq!((second.len(), second[0].attempt), (2, 2));
    let later = now + TimeDelta::hours(1);
    for mail in &second {
        // A late result of the first claim changes nothing.
        let retry = async |attempt, at, is_unconfirmed| {
            let retried = database.retry_mail(mail.id, attempt, at, is_unconfirmed);
            retried.await.unwrap();
        };
        retry(1, now, true).await;
        retry(2, later, mail.id == second[0].id).await;
    }
    assert!(claim(later - TimeDelta::seconds(1)).await.is_empty());
    let third = claim(later).await;
    assert_eq!(third.len(), 2);
    for mail in third {
        let unconfirmed = u32::from(mail.id == second[0].id);
        assert_eq!((mail.attempt, mail.unconfirmed), (3, unconfirmed));
    }
}

async fn admins_get_one_digest_a_day_that_names_each_failure_once(database: &Database) {
    let operators = Operators::new(database).await;
    let start = clock().now();
    operators.fail(&["eve@example.com"], start).await;
    let queue = async |now: DateTime<Utc>| database.queue_digests(now).await.unwrap().len();
    assert_eq!(queue(start + TimeDelta::seconds(30)).await, 0);
    let first = start + TimeDelta::minutes(2);
    assert_eq!(queue(first).await, 1);
    assert_eq!(queue(first).await, 0);
    let mails = send_all(database, first).await;
    assert_eq!(addresses(&mails), [&operators.ada.email]);
    assert_eq!(digest(&mails[0]).count, 1);
    let named = &digest(&mails[0]).first[0];
    assert_eq!(named.target, "eve@example.com");
    assert_eq!(named.reason, "550 no such mailbox");
    assert_eq!(named.channel, Channel::Email);
    assert_eq!(named.since.timestamp_millis(), start.timestamp_millis());
    // Another one fails, and the first one fails again.
    operators
        .fail(&["mallory@example.com"], first + TimeDelta::hours(1))
        .await;
    assert_eq!(queue(first + TimeDelta::hours(2)).await, 0);
    let second = first + TimeDelta::days(1);
    assert_eq!(queue(second).await, 1);
    let mails = send_all(database, second).await;
    let named: Vec<_> = digest(&mails[0])
        .first
        .iter()
        .map(|one| one.target.as_str())
        .collect();
    assert_eq!(named, ["mallory@example.com"]);
    // Nothing is new.
    assert_eq!(queue(second + TimeDelta::days(2)).await, 0);
}

async fn nodes_that_make_a_digest_at_once_make_one(database: &Database) {
    let operators = Operators::new(database).await;
    operators.fail(&["eve@example.com"], clock().now()).await;
    let now = clock().now() + TimeDelta::minutes(2);
    let mut nodes = JoinSet::new();
    for _ in 0..8 {
        let database = database.clone();
        nodes.spawn(async move { database.queue_digests(now).await.unwrap() });
    }
    let made: Vec<OrganisationId> = nodes.join_all().await.into_iter().flatten().collect();
    assert_eq!(made, std::slice::from_ref(&operators.fixture.id));
    assert_eq!(send_all(database, now).await.len(), 1);
}

async fn a_digest_names_twenty_and_counts_all(database: &Database) {
    let operators = Operators::new(database).await;
    let addresses: Vec<_> = (0..23)
        .map(|number| format!("p{number}@example.com"))
        .collect();
    let addresses: Vec<_> = addresses.iter().map(String::as_str).collect();
    operators.fail(&addresses, clock().now()).await;
    let now = clock().now() + TimeDelta::minutes(2);
    assert_eq!(database.queue_digests(now).await.unwrap().len(), 1);
    let mails = send_all(database, now).await;
    let digest = digest(&mails[0]);
    assert_eq!(
        (digest.count, digest.first.len(), digest.unnamed()),
        (23, 20, 3)
    );
}

async fn failures_of_unconfirmed_subscriptions_are_in_no_digest(database: &Database) {
    let operators = Operators::new(database).await;
    enter(database, &operators.fixture.id, "anybody@example.com").await;
    operators.give_up_all(clock().now()).await;
    let now = clock().now() + TimeDelta::minutes(2);
    assert!(database.queue_digests(now).await.unwrap().is_empty());
    // A URL is named only in part.
    let target = Target::parse(Channel::Webhook, "https://hooks.example/secret-path/abcdef");
    let hook = SubscriberDraft::of_everything(target.unwrap());
    operators.fixture.subscriber_of(hook, clock().now()).await;
    operators.fixture.incident("Down").await;
    operators.fixture.expand().await;
    let requests = ClaimRequest {
        route: DeliveryRoute::Message,
        ..request(clock().now(), after(1), 8)
    };
    let claimed = DeliveryQueue::claim(database, requests).await.unwrap();
    let result = AttemptRecord {
        claim: claimed[0].claim,
        at: clock().now(),
        outcome: DeliveryOutcome::GivenUp {
            reason: "404".into(),
        },
        was_failing: false,
    };
    operators.fixture.results(vec![result]).await;
    assert_eq!(database.queue_digests(now).await.unwrap().len(), 1);
    let mails = send_all(database, now).await;
    let shown: Vec<_> = digest(&mails[0])
        .first
        .iter()
        .map(|one| one.target.as_str())
        .collect();
    assert_eq!(shown, ["https://hooks.example/…cdef"]);
}

async fn an_organisation_without_known_addresses_queues_no_mail(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    remind_after(&fixture, 1).await;
    fixture.incident("Down").await;
    assert_eq!(database.queue_reminders(after(1)).await.unwrap(), 1);
    assert!(send_all(database, after(1)).await.is_empty());
    assert_eq!(database.queue_reminders(after(1)).await.unwrap(), 0);
}

async fn a_mail_goes_to_at_most_fifty_members_and_to_all_admins_first(database: &Database) {
    let operators = Operators::with_reminders(database, 1).await;
    let (acme, now) = (&operators.fixture.id, clock().now());
    for number in 0..=MAX_RECIPIENTS {
        let user = account(database, &format!("{number}@example.com"), "hash").await;
        // The last to join.
        let is_admin = number == MAX_RECIPIENTS;
        let role = if is_admin { Role::Admin } else { Role::Editor };
        let link = invite(database, Some(acme), role).await;
        let joined_at = now + TimeDelta::seconds(i64::try_from(number).unwrap());
        let digest = link.digest();
        let accepted = database.accept_invitation(&digest, user.id, joined_at);
        accepted.await.unwrap().unwrap();
    }
    operators.fixture.incident("Down").await;
    assert_eq!(database.queue_reminders(after(1)).await.unwrap(), 1);
    let mails = send_all(database, after(1)).await;
    let recipients = addresses(&mails);
    assert_eq!(recipients.len() as u64, MAX_RECIPIENTS);
    for admin in ["ada@example.com", "50@example.com"] {
        assert!(recipients.contains(&admin), "{recipients:?}");
    }
    let newest_editors = ["47@example.com", "48@example.com", "49@example.com"];
    for editor in newest_editors {
        assert!(!recipients.contains(&editor), "{recipients:?}");
    }
}
