use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

use super::*;
use crate::fixture::{kept_log, log_lines, now};
use crate::mail::MockMailer;

fn mail(number: u128) -> OperatorMail {
    OperatorMail {
        id: Uuid::from_u128(number),
        attempt: 1,
        unconfirmed: 0,
        queued_at: now(),
        organisation_name: "Acme".into(),
        time_zone: TimeZone::default(),
        to: format!("person{number}@example.com"),
        content: OperatorMailContent::Reminder(Reminder {
            incident: Uuid::from_u128(7),
            title: "Down".into(),
            silent_since: now() - TimeDelta::hours(5),
            never_updated: false,
            hours: 5,
        }),
    }
}

/// Queued mails that are due now.
fn queued(mails: Vec<OperatorMail>) -> MockOperatorMailStore {
    let mut store = claimed_once(mails);
    store.expect_database_time().returning(|| Ok(now()));
    store
}

/// Queued mails, without the time.
fn claimed_once(mails: Vec<OperatorMail>) -> MockOperatorMailStore {
    let mut store = MockOperatorMailStore::new();
    store.expect_queue_reminders().returning(|_| Ok(0));
    store.expect_queue_digests().returning(|_| Ok(Vec::new()));
    let due = Mutex::new(mails);
    store
        .expect_claim_mails()
        .returning(move |_, until, limit| {
            assert!(until - now() > TimeDelta::from_std(crate::mail::MAIL_TIMEOUT).unwrap());
            let mut due = due.lock();
            let count = due.len().min(usize::try_from(limit).unwrap());
            Ok(ClaimedMails {
                mails: due.drain(..count).collect(),
                taken: count as u64,
            })
        });
    store
}

async fn tick(store: MockOperatorMailStore, mailer: MockMailer) -> Result<(), Error> {
    let links = Links::new("https://status.example.com");
    let mails = OperatorMails::new(Arc::new(store), Arc::new(mailer), links);
    mails.tick(&CancellationToken::new()).await
}

#[tokio::test]
async fn all_due_mails_are_sent_and_removed() {
    let mut store = queued((1..=20).map(mail).collect());
    store.expect_remove_mail().times(20).returning(|_| Ok(()));
    let mut mailer = MockMailer::new();
    mailer.expect_send().times(20).returning(|mail| {
        let MailContent::Reminder {
            incident, settings, ..
        } = mail.content
        else {
            panic!("no reminder")
        };
        let id = Uuid::from_u128(7);
        assert_eq!(
            incident,
            format!("https://status.example.com/incidents/incident/edit/{id}")
        );
        assert_eq!(settings, "https://status.example.com/settings");
        assert!(mail.headers.message_id.is_some());
        Ok(())
    });
    tick(store, mailer).await.unwrap();
}

#[tokio::test]
async fn a_failed_mail_is_retried_and_a_refused_one_is_given_up() {
    let mut store = queued(vec![mail(1), mail(2)]);
    store
        .expect_retry_mail()
        .withf(|id, attempt, at, is_unconfirmed| {
            *id == Uuid::from_u128(1) && *attempt == 1 && *at > now() && !is_unconfirmed
        })
        .once()
        .returning(|_, _, _, _| Ok(()));
    store
        .expect_remove_mail()
        .withf(|id| *id == Uuid::from_u128(2))
        .once()
        .returning(|_| Ok(()));
    let mut mailer = MockMailer::new();
    mailer.expect_send().returning(|mail| {
        let reason = "no".to_owned();
        Err(if mail.to == "person1@example.com" {
            SendError::Temporary { reason }
        } else {
            SendError::Permanent { reason }
        })
    });
    tick(store, mailer).await.unwrap();
}

#[tokio::test]
async fn the_next_attempt_is_due_after_the_end_of_the_last_one() {
    let time = Arc::new(Mutex::new(now()));
    let sent_at = now() + TimeDelta::minutes(2);
    let mut store = claimed_once(vec![mail(1)]);
    let read = Arc::clone(&time);
    store
        .expect_database_time()
        .returning(move || Ok(*read.lock()));
    store
        .expect_retry_mail()
        .withf(move |_, _, at, _| *at > sent_at)
        .once()
        .returning(|_, _, _, _| Ok(()));
    let mut mailer = MockMailer::new();
    mailer.expect_send().returning(move |_| {
        *time.lock() = sent_at;
        Err(SendError::Temporary {
            reason: "busy".into(),
        })
    });
    tick(store, mailer).await.unwrap();
}

#[tokio::test]
async fn an_unconfirmed_mail_is_sent_three_times_at_most() {
    // It failed for other reasons before.
    let again = OperatorMail {
        attempt: 9,
        queued_at: now() - TimeDelta::hours(2),
        ..mail(1)
    };
    let last = OperatorMail {
        attempt: 3,
        unconfirmed: 2,
        ..mail(2)
    };
    let mut store = queued(vec![again, last]);
    store
        .expect_retry_mail()
        .withf(|id, _, at, is_unconfirmed| {
            let is_in_time = *at == now() + TimeDelta::minutes(30);
            *id == Uuid::from_u128(1) && is_in_time && *is_unconfirmed
        })
        .once()
        .returning(|_, _, _, _| Ok(()));
    store
        .expect_remove_mail()
        .withf(|id| *id == Uuid::from_u128(2))
        .once()
        .returning(|_| Ok(()));
    let mut mailer = MockMailer::new();
    mailer.expect_send().returning(|_| {
        Err(SendError::Unconfirmed {
            reason: "late".into(),
        })
    });
    tick(store, mailer).await.unwrap();
}

#[tokio::test]
async fn a_mail_that_fails_for_days_is_given_up() {
    let old = OperatorMail {
        queued_at: now() - RetryRule::GIVE_UP_AFTER,
        ..mail(1)
    };
    let mut store = queued(vec![old]);
    store.expect_remove_mail().once().returning(|_| Ok(()));
    let mut mailer = MockMailer::new();
    mailer.expect_send().returning(|_| {
        Err(SendError::Temporary {
            reason: "busy".into(),
        })
    });
    tick(store, mailer).await.unwrap();
}

/// A store whose first claim takes these mails.
fn claiming_once(claimed: ClaimedMails) -> MockOperatorMailStore {
    let mut store = MockOperatorMailStore::new();
    store.expect_database_time().returning(|| Ok(now()));
    let mut claimed = Some(claimed);
    store
        .expect_claim_mails()
        .returning(move |_, _, _| Ok(claimed.take().unwrap_or_default()));
    store.expect_remove_mail().once().returning(|_| Ok(()));
    store
}

fn one_mail() -> ClaimedMails {
    ClaimedMails {
        mails: vec![mail(1)],
        taken: 1,
    }
}

fn sending_one() -> MockMailer {
    let mut mailer = MockMailer::new();
    mailer.expect_send().once().returning(|_| Ok(()));
    mailer
}

fn messages(log: &Mutex<Vec<u8>>) -> Vec<String> {
    let lines = log_lines(log).into_iter();
    lines
        .map(|line| line["fields"]["message"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_failure_of_reminders_and_digests_is_logged_and_delays_no_queued_mail() {
    let (_guard, log) = kept_log();
    let mut store = claiming_once(one_mail());
    store
        .expect_queue_reminders()
        .returning(|_| Err(Error::internal("broken")));
    store
        .expect_queue_digests()
        .returning(|_| Err(Error::internal("broken")));
    tick(store, sending_one()).await.unwrap();
    assert_eq!(
        messages(&log),
        [
            "reminders of open incidents could not be queued; trying again",
            "digests of failing subscriptions could not be queued; trying again",
        ]
    );
}

#[tokio::test]
async fn each_result_that_cannot_be_stored_is_logged() {
    let (_guard, log) = kept_log();
    let mut store = queued((1..=20).map(mail).collect());
    store
        .expect_remove_mail()
        .times(20)
        .returning(|_| Err(Error::internal("broken")));
    let mut mailer = MockMailer::new();
    mailer.expect_send().times(20).returning(|_| Ok(()));
    tick(store, mailer).await.unwrap();
    assert_eq!(messages(&log).len(), 20);
}

#[tokio::test]
async fn a_batch_of_obsolete_mails_delays_no_other_mail() {
    let mut store = MockOperatorMailStore::new();
    store.expect_database_time().returning(|| Ok(now()));
    store.expect_queue_reminders().returning(|_| Ok(0));
    store.expect_queue_digests().returning(|_| Ok(Vec::new()));
    let obsolete = ClaimedMails {
        mails: Vec::new(),
        taken: OperatorMails::BATCH,
    };
    let mut claims = vec![one_mail(), obsolete];
    store
        .expect_claim_mails()
        .returning(move |_, _, _| Ok(claims.pop().unwrap_or_default()));
    store.expect_remove_mail().once().returning(|_| Ok(()));
    tick(store, sending_one()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_tick_comes_each_minute_until_the_stop() {
    let count = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&count);
    let mut store = MockOperatorMailStore::new();
    store.expect_database_time().returning(move || {
        seen.fetch_add(1, Ordering::Relaxed);
        Err(Error::internal("unavailable"))
    });
    let mails = OperatorMails::new(
        Arc::new(store),
        Arc::new(MockMailer::new()),
        Links::default(),
    );
    let stop = CancellationToken::new();
    let ending = stop.clone();
    let running = tokio::spawn(async move { mails.run(ending).await });
    tokio::time::sleep(OperatorMails::INTERVAL * 2 + Duration::from_secs(1)).await;
    assert_eq!(count.load(Ordering::Relaxed), 3);
    stop.cancel();
    running.await.unwrap();
}

#[test]
fn stored_content_of_an_earlier_version_is_read() {
    let reminder = r#"{"of":"reminder","incident":"00000000-0000-0000-0000-000000000007","title":"Down","silentSince":"2026-01-01T00:00:00Z","hours":5,"neverUpdated":true}"#;
    let digest = r#"{"of":"digest","count":2,"first":[{"channel":"slack","target":"https://hooks.example/…abcd","reason":"404","since":"2026-01-01T00:00:00Z"}]}"#;
    for stored in [reminder, digest] {
        let content: OperatorMailContent = serde_json::from_str(stored).unwrap();
        assert_eq!(serde_json::to_string(&content).unwrap(), stored);
    }
    let earlier = reminder.replace(r#","neverUpdated":true"#, "");
    let content: OperatorMailContent = serde_json::from_str(&earlier).unwrap();
    let OperatorMailContent::Reminder(earlier) = content else {
        panic!("{content:?}")
    };
    assert!(!earlier.never_updated);
}
