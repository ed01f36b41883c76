use allclear_application::error::Error;
use allclear_application::mail_budget::{MailCount, MailCountStore, MailScope};
use allclear_persistence::database::Database;
use chrono::{DateTime, Days, Utc};
use tokio::task::JoinSet;

use crate::backend::clock;
use crate::contract;

contract!(
    of_many_mails_at_once_as_many_pass_as_each_counter_has_left,
    counter_whose_limit_is_zero_lets_no_mail_pass,
    refused_mail_is_counted_nowhere,
    mail_that_is_given_back_is_not_counted,
    counters_restart_each_utc_day,
    number_of_a_counter_is_that_of_the_mails_of_the_day,
    counters_of_earlier_days_are_pruned,
);

fn count(scope: MailScope, key: &str, limit: u32) -> MailCount {
    MailCount {
        scope,
        key: key.into(),
        limit,
    }
}

/// Whether one mail passes these counters. Every other result is the refusal.
async fn passes(database: &Database, counts: Vec<MailCount>, now: DateTime<Utc>) -> bool {
    match database.take(None, counts, now).await {
        Ok(()) => true,
        Err(Error::MailLimitReached { .. }) => false,
        Err(error) => panic!("{error:?}"),
    }
}

/// How many of these pass until one is refused.
async fn left(database: &Database, count: &MailCount, now: DateTime<Utc>) -> usize {
    let mut passed = 0;
    while passes(database, vec![count.clone()], now).await {
        passed += 1;
    }
    passed
}

async fn of_many_mails_at_once_as_many_pass_as_each_counter_has_left(database: &Database) {
    let now = clock().now();
    let mut mailing = JoinSet::new();
    for number in 0..40 {
        let database = database.clone();
        mailing.spawn(async move {
            let counts = vec![
                count(MailScope::Mailbox, &format!("mailbox {}", number % 4), 3),
                count(MailScope::Installation, "", 10),
            ];
            passes(&database, counts, now).await
        });
    }
    let passed = mailing.join_all().await;
    assert_eq!(passed.iter().filter(|passed| **passed).count(), 10);
    let mut of_mailboxes = 0;
    for number in 0..4 {
        let mailbox = count(MailScope::Mailbox, &format!("mailbox {number}"), 3);
        of_mailboxes += 3 - left(database, &mailbox, now).await;
    }
    assert_eq!(of_mailboxes, 10, "refused ones count nowhere");
}

async fn counter_whose_limit_is_zero_lets_no_mail_pass(database: &Database) {
    let none = count(MailScope::Installation, "", 0);
    assert_eq!(left(database, &none, clock().now()).await, 0);
}

async fn refused_mail_is_counted_nowhere(database: &Database) {
    let now = clock().now();
    let (mailbox, account) = (
        count(MailScope::Mailbox, "bob", 5),
        count(MailScope::Account, "bob", 1),
    );
    let both = || vec![mailbox.clone(), account.clone()];
    assert!(passes(database, both(), now).await);
    let refusal = database
        .take(None, both(), now)
        .await
        .unwrap_err()
        .to_string();
    assert!(refusal.contains("ALLCLEAR_LIMIT_MAIL_ACCOUNT"), "{refusal}");
    assert_eq!(left(database, &mailbox, now).await, 4);
}

async fn mail_that_is_given_back_is_not_counted(database: &Database) {
    let now = clock().now();
    let (mailbox, account) = (
        count(MailScope::Mailbox, "bob", 2),
        count(MailScope::Account, "bob", 5),
    );
    let both = || vec![mailbox.clone(), account.clone()];
    assert!(passes(database, both(), now).await);
    let yesterday = now - Days::new(1);
    database.give_back(None, both(), yesterday).await.unwrap();
    assert_eq!(database.counted(&mailbox, now).await.unwrap(), 1);
    // The second time there is nothing to take back.
    for _ in 0..2 {
        database.give_back(None, both(), now).await.unwrap();
        assert_eq!(database.counted(&mailbox, now).await.unwrap(), 0);
    }
    assert_eq!(left(database, &mailbox, now).await, 2);
    assert_eq!(left(database, &account, now).await, 5);
}

async fn counters_restart_each_utc_day(database: &Database) {
    let last: DateTime<Utc> = "2026-03-01T23:59:59.999Z".parse().unwrap();
    let first: DateTime<Utc> = "2026-03-02T00:00:00Z".parse().unwrap();
    let mailbox = count(MailScope::Mailbox, "bob", 2);
    assert_eq!(left(database, &mailbox, last).await, 2);
    assert_eq!(left(database, &mailbox, first).await, 2);
    assert_eq!(left(database, &mailbox, last).await, 0);
}

async fn number_of_a_counter_is_that_of_the_mails_of_the_day(database: &Database) {
    let now = clock().now();
    let mailbox = count(MailScope::Mailbox, "bob", 2);
    for expected in [0, 1, 2, 2] {
        let counted = database.counted(&mailbox, now).await.unwrap();
        assert_eq!(counted, expected);
        passes(database, vec![mailbox.clone()], now).await;
    }
    let account = count(MailScope::Account, "bob", 2);
    assert_eq!(database.counted(&account, now).await.unwrap(), 0);
    let yesterday = now - Days::new(1);
    assert_eq!(database.counted(&mailbox, yesterday).await.unwrap(), 0);
}

async fn counters_of_earlier_days_are_pruned(database: &Database) {
    let now = clock().now();
    let yesterday = now - Days::new(1);
    let mailbox = count(MailScope::Mailbox, "bob", 1);
    for day in [now, yesterday] {
        assert!(passes(database, vec![mailbox.clone()], day).await);
    }
    // More than one transaction removes.
    let many = (0..2_100).map(|number| count(MailScope::Mailbox, &number.to_string(), 1));
    let many: Vec<_> = many.collect();
    assert!(passes(database, many.clone(), yesterday).await);
    MailCountStore::prune(database, now.date_naive())
        .await
        .unwrap();
    assert!(!passes(database, vec![mailbox.clone()], now).await);
    assert!(passes(database, vec![mailbox], yesterday).await);
    assert!(passes(database, many, yesterday).await);
}
