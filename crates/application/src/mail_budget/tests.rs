use super::*;

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;

use crate::fixture::{clock, hmac_key, now, organisation};

const LIMITS: MailBudgetLimits = MailBudgetLimits {
    mailbox: Some(10),
    account: Some(100),
    organisation: Some(1000),
    installation: Some(10_000),
};

fn budget(store: MockMailCountStore, limits: MailBudgetLimits) -> MailBudget {
    MailBudget::new(Arc::new(store), clock(), hmac_key(), limits)
}

#[test]
fn each_scope_has_its_stored_text() {
    for (scope, text) in [
        (MailScope::Mailbox, "MAILBOX"),
        (MailScope::Account, "ACCOUNT"),
        (MailScope::Organisation, "ORGANISATION"),
        (MailScope::Installation, "INSTALLATION"),
    ] {
        assert_eq!(scope.as_str(), text);
    }
}

fn invitation(to: &str) -> MailCause {
    MailCause {
        kind: MailKind::EnteredAddress,
        to: EmailKey::of(to).into(),
        account: Some("ann".into()),
        organisation: Some(organisation()),
    }
}

/// What a mail is counted in.
async fn counted(cause: &MailCause, limits: MailBudgetLimits) -> Vec<MailCount> {
    let (mut store, seen) = (MockMailCountStore::new(), Arc::new(Mutex::new(Vec::new())));
    let (writes, organisation) = (Arc::clone(&seen), cause.organisation.clone());
    store
        .expect_take()
        .withf(move |of, _, at| *of == organisation && *at == now())
        .times(1)
        .returning(move |_, counts, _| {
            *writes.lock() = counts;
            Ok(())
        });
    budget(store, limits).take(cause).await.unwrap();
    let counts = seen.lock();
    counts.clone()
}

fn by_anybody(kind: MailKind) -> MailCause {
    MailCause::by_anybody(kind, EmailKey::of("bob@example.com"))
}

fn full(scope: MailScope) -> MockMailCountStore {
    let mut store = MockMailCountStore::new();
    store
        .expect_take()
        .returning(move |_, _, now| Err(scope.refusal(now)));
    store
}

#[tokio::test]
async fn invitation_is_counted_by_mailbox_account_organisation_and_installation() {
    let counts = counted(&invitation("bob@example.com"), LIMITS).await;
    let shown: Vec<_> = counts
        .iter()
        .map(|count| (count.scope, count.limit))
        .collect();
    assert_eq!(
        shown,
        [
            (MailScope::Mailbox, 10),
            (MailScope::Account, 100),
            (MailScope::Organisation, 1000),
            (MailScope::Installation, 8_000)
        ]
    );
    assert!(!counts[0].key.contains("bob"), "{}", counts[0].key);
    assert_eq!(
        (counts[1].key.as_str(), counts[2].key.as_str()),
        ("ann", "org_1")
    );
}

#[tokio::test]
async fn messages_to_urls_use_up_no_mails() {
    let mail = MailCause {
        account: None,
        ..invitation("bob@example.com")
    };
    let message = MailCause {
        to: RecipientKey::Url("https://hooks.example.com/".to_owned()),
        ..mail.clone()
    };
    for account in [None, Some("ann".to_owned())] {
        let [of_mail, of_message] = [&mail, &message].map(|cause| MailCause {
            account: account.clone(),
            ..cause.clone()
        });
        let of_mail = counted(&of_mail, LIMITS).await;
        let of_message = counted(&of_message, LIMITS).await;
        assert_eq!(of_mail.len(), 4);
        for (mail, message) in of_mail.iter().zip(&of_message) {
            assert_eq!((mail.scope, mail.limit), (message.scope, message.limit));
            assert_ne!(mail.key, message.key);
        }
    }
}

#[tokio::test]
async fn mail_by_anybody_is_counted_by_mailbox_and_installation() {
    let cause = by_anybody(MailKind::EnteredAddress);
    let scopes: Vec<_> = counted(&cause, LIMITS)
        .await
        .iter()
        .map(|count| count.scope)
        .collect();
    assert_eq!(
        scopes,
        [
            MailScope::Mailbox,
            MailScope::Installation,
            MailScope::Installation
        ]
    );
}

#[tokio::test]
async fn organisations_leave_mails_to_people_and_strangers_to_those_with_an_account() {
    let by_operator = invitation("bob@example.com");
    let by_visitor = MailCause {
        account: None,
        ..by_operator.clone()
    };
    let new_address = MailCause {
        organisation: None,
        ..by_operator.clone()
    };
    let sign_up = by_anybody(MailKind::EnteredAddress);
    let reset = by_anybody(MailKind::PasswordReset);
    let notice = by_anybody(MailKind::AccountNotice);
    for (all, of_organisations, of_strangers) in [(10_000, 8_000, 6_000), (9, 7, 5), (1, 0, 0)] {
        let limits = MailBudgetLimits {
            installation: Some(all),
            ..LIMITS
        };
        for (cause, expected) in [
            (&by_operator, vec![("", of_organisations)]),
            (
                &by_visitor,
                vec![("strangers", of_strangers), ("", of_organisations)],
            ),
            (&new_address, vec![("", all)]),
            (&sign_up, vec![("strangers", of_strangers), ("", all)]),
            (&reset, vec![]),
            (&notice, vec![]),
        ] {
            let counts = counted(cause, limits).await;
            let of_installation: Vec<_> = counts
                .iter()
                .filter(|count| count.scope == MailScope::Installation)
                .map(|count| (count.key.as_str(), count.limit))
                .collect();
            assert_eq!(of_installation, expected);
        }
    }
}

#[tokio::test]
async fn full_installation_refuses_entered_addresses_and_no_mail_to_an_account() {
    let (mut store, mut mails) = (MockMailCountStore::new(), BTreeMap::<String, u32>::new());
    store.expect_take().returning(move |_, counts, now| {
        for MailCount { scope, key, limit } in counts {
            let counted = mails.entry(key).or_default();
            if scope == MailScope::Installation || *counted == limit {
                return Err(scope.refusal(now));
            }
            *counted += 1;
        }
        Ok(())
    });
    let budget = budget(store, LIMITS);
    let is_sent = async |kind| budget.try_take(&by_anybody(kind)).await.unwrap();
    assert!(!is_sent(MailKind::EnteredAddress).await);
    for kind in [
        MailKind::PasswordReset,
        MailKind::SignInNotice,
        MailKind::AddressNotice,
        MailKind::PasswordNotice,
        MailKind::FactorNotice,
        MailKind::AccountNotice,
    ] {
        for _ in 0..10 {
            assert!(is_sent(kind).await, "{kind:?}");
        }
        assert!(!is_sent(kind).await, "{kind:?}");
    }
}

#[tokio::test]
async fn visitors_leave_a_fifth_of_the_mails_of_an_organisation_to_its_operators() {
    let by_operator = invitation("bob@example.com");
    let by_visitor = MailCause {
        account: None,
        ..by_operator.clone()
    };
    for (limit, of_visitors) in [(1_000, 800), (4, 3), (1, 0)] {
        let limits = MailBudgetLimits {
            organisation: Some(limit),
            ..LIMITS
        };
        for (cause, limit) in [(&by_operator, limit), (&by_visitor, of_visitors)] {
            let counts = counted(cause, limits).await;
            let is_of_organisation = |count: &&MailCount| count.scope == MailScope::Organisation;
            let count = counts.iter().find(is_of_organisation);
            assert_eq!(count.map(|count| count.limit), Some(limit));
        }
    }
}

#[tokio::test]
async fn a_mailbox_has_a_counter_for_each_kind_of_mail() {
    let key = async |cause: MailCause| {
        let mut counts = counted(&cause, LIMITS).await;
        counts.swap_remove(0).key
    };
    let invited = invitation("bob@example.com");
    let subscribed = MailCause {
        account: None,
        ..invited.clone()
    };
    let (invited, subscribed) = (key(invited).await, key(subscribed).await);
    let signed_up = key(by_anybody(MailKind::EnteredAddress)).await;
    let reset = key(by_anybody(MailKind::PasswordReset)).await;
    assert_eq!(subscribed, signed_up);
    let mut keys = BTreeSet::from([invited, signed_up, reset]);
    for kind in [
        MailKind::SignInNotice,
        MailKind::AddressNotice,
        MailKind::PasswordNotice,
        MailKind::FactorNotice,
        MailKind::AccountNotice,
    ] {
        keys.insert(key(by_anybody(kind)).await);
    }
    assert_eq!(keys.len(), 8);
}

#[tokio::test]
async fn spellings_and_sub_addresses_of_a_mailbox_have_one_counter() {
    let key = async |to: &str| {
        let mut counts = counted(&invitation(to), LIMITS).await;
        counts.swap_remove(0).key
    };
    let bob = key("bob@example.com").await;
    assert_eq!(key("Bob+list@EXAMPLE.com").await, bob);
    assert_ne!(key("bobby@example.com").await, bob);
}

#[tokio::test]
async fn disabled_limits_refuse_nothing() {
    let only = MailBudgetLimits {
        account: Some(5),
        ..MailBudgetLimits::default()
    };
    let counts = counted(&invitation("bob@example.com"), only).await;
    assert_eq!((counts.len(), counts[0].scope), (1, MailScope::Account));
    let off = budget(MockMailCountStore::new(), MailBudgetLimits::default());
    off.take(&invitation("bob@example.com")).await.unwrap();
}

#[tokio::test]
async fn mails_left_are_those_of_the_counter_that_has_the_fewest() {
    let left = async |of_account: u32, of_organisation: u32| {
        let mut store = MockMailCountStore::new();
        // Not of the mailbox: each mail has another one.
        store
            .expect_counted()
            .withf(|count, at| count.scope != MailScope::Mailbox && *at == now())
            .times(3)
            .returning(move |count, _| {
                Ok(match count.scope {
                    MailScope::Account => of_account,
                    MailScope::Organisation => of_organisation,
                    _ => 0,
                })
            });
        let cause = invitation("bob@example.com");
        budget(store, LIMITS).left(&cause).await.unwrap()
    };
    assert_eq!(left(40, 10).await, Some(60));
    assert_eq!(left(40, 995).await, Some(5));
    // A limit that was lowered today.
    assert_eq!(left(120, 0).await, Some(0));
    let only_mailboxes = MailBudgetLimits {
        mailbox: Some(10),
        ..MailBudgetLimits::default()
    };
    let unlimited = budget(MockMailCountStore::new(), only_mailboxes);
    let cause = invitation("bob@example.com");
    assert_eq!(unlimited.left(&cause).await.unwrap(), None);
}

#[tokio::test]
async fn the_counters_that_recipients_share_are_checked_without_that_of_the_mailbox() {
    let check = async |of_organisation: u32| {
        let mut store = MockMailCountStore::new();
        store
            .expect_counted()
            .withf(|count, at| count.scope != MailScope::Mailbox && *at == now())
            .returning(move |count, _| {
                Ok(match count.scope {
                    MailScope::Organisation => of_organisation,
                    _ => 0,
                })
            });
        let cause = invitation("bob@example.com");
        budget(store, LIMITS).check_shared(&cause).await
    };
    check(999).await.unwrap();
    let refused = check(1000).await.unwrap_err().to_string();
    assert!(
        refused.contains("ALLCLEAR_LIMIT_MAIL_ORGANISATION"),
        "{refused}"
    );
}

#[tokio::test]
async fn refusal_names_the_setting_and_lasts_until_the_next_utc_day() {
    for (scope, setting) in [
        (MailScope::Mailbox, "ALLCLEAR_LIMIT_MAIL_MAILBOX"),
        (MailScope::Account, "ALLCLEAR_LIMIT_MAIL_ACCOUNT"),
        (MailScope::Organisation, "ALLCLEAR_LIMIT_MAIL_ORGANISATION"),
        (MailScope::Installation, "ALLCLEAR_LIMIT_MAIL_INSTALLATION"),
    ] {
        let budget = budget(full(scope), LIMITS);
        let cause = invitation("bob@example.com");
        let refusal = budget.take(&cause).await.unwrap_err();
        assert!(refusal.to_string().contains(setting), "{refusal}");
        // 22:13:20 UTC.
        assert!(
            matches!(refusal, Error::MailLimitReached { scope: reached, retry_after } if reached == scope && retry_after == 6400 + 1),
            "{refusal:?}"
        );
        assert!(!budget.try_take(&cause).await.unwrap());
    }
}

#[tokio::test]
async fn an_unavailable_store_sends_nothing() {
    let mut store = MockMailCountStore::new();
    store
        .expect_take()
        .returning(|_, _, _| Err(Error::Unavailable("down".into())));
    let result = budget(store, LIMITS)
        .try_take(&invitation("bob@example.com"))
        .await;
    assert!(matches!(result, Err(Error::Unavailable(_))));
}

#[tokio::test]
async fn counters_of_yesterday_stay_and_older_ones_go() {
    let mut store = MockMailCountStore::new();
    let yesterday = now().date_naive() - Days::new(1);
    store
        .expect_prune()
        .withf(move |before| *before == yesterday)
        .times(1)
        .returning(|_| Ok(()));
    budget(store, LIMITS).prune().await.unwrap();
}
