use allclear_application::error::{Error, Resource};
use allclear_application::organisation::OrganisationStore;
use allclear_application::page::Page;
use allclear_application::subscriber::import::Imported;
use allclear_application::subscriber::{
    SubscriberFilter, SubscriberKey, SubscriberStore, SubscriberTransition,
};
use allclear_domain::channel::{Channel, RecipientKey, Target, TargetKey};
use allclear_domain::email::EmailKey;
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::organisation::Revision;
use allclear_domain::rate_limit::RateLimit;
use allclear_domain::subscriber::{
    Failing, ScopeKind, Subscriber, SubscriberDraft, SubscriberStatus,
};
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use tokio::task::JoinSet;

use crate::backend::{clock, organisation, two};
use crate::contract;

contract!(
    a_stored_subscriber_reads_as_it_was_written,
    an_address_is_one_subscriber_in_any_case,
    a_change_is_stored_and_makes_no_revision,
    replaced_secrets_are_stored_with_their_times,
    who_entered_a_target_is_stored,
    a_refused_rule_stores_no_subscriber,
    subscribers_belong_to_their_organisation,
    of_twenty_who_subscribe_one_address_at_once_one_is_new,
    the_newest_subscribers_are_listed_first_and_in_parts,
    filter_selects_subscribers,
    searched_text_is_no_pattern,
    a_deleted_subscriber_may_come_back,
    a_subscriber_that_is_never_confirmed_is_removed,
    a_deleted_organisation_takes_its_subscribers_along,
    mails_to_an_address_beyond_the_limit_are_refused_also_when_requested_at_once,
    addresses_whose_limits_are_over_are_mailed_at_once,
);

fn rule() -> SubscriberTransition {
    rule_for("Ann@example.com")
}

/// Stores a new subscriber, or leaves the known one as it is.
fn rule_for(email: &str) -> SubscriberTransition {
    let target = Target::parse(Channel::Email, email).unwrap();
    let draft = SubscriberDraft::of_everything(target);
    Box::new(|known| match known {
        Some(subscriber) => Ok(subscriber),
        None => Ok(Subscriber::create(
            SubscriberId(clock().id()),
            draft,
            clock().now(),
        )),
    })
}

async fn subscribe(database: &Database, organisation: &OrganisationId, email: &str) -> Subscriber {
    database
        .save(
            organisation,
            SubscriberKey::of_email(email),
            rule_for(email),
        )
        .await
        .unwrap()
        .after
}

async fn a_stored_subscriber_reads_as_it_was_written(database: &Database) {
    let acme = organisation(database, "acme").await;
    let ann = subscribe(database, &acme, "Ann@EXÄMPLE.com").await;
    assert_eq!(ann.target.as_str(), "Ann@EXÄMPLE.com");
    for key in [
        SubscriberKey::of_email("Ann@exämple.com"),
        SubscriberKey::of_email("ann@exämple.com"),
        SubscriberKey::of_link("ANN@exämple.com"),
    ] {
        let found = SubscriberStore::find(database, &acme, &key).await.unwrap();
        assert_eq!(found.as_ref(), Some(&ann), "{key:?}");
    }
}

async fn an_address_is_one_subscriber_in_any_case(database: &Database) {
    let acme = organisation(database, "acme").await;
    let ann = subscribe(database, &acme, "Ann@example.com").await;
    for spelling in ["ann@example.com", "ANN@EXAMPLE.com"] {
        assert_eq!(subscribe(database, &acme, spelling).await, ann);
        let key = TargetKey::of_email(spelling);
        let outcomes = database.preview_import(&acme, vec![key], 0).await.unwrap();
        assert_eq!(outcomes, [Imported::Known], "{spelling}");
    }
}

async fn a_change_is_stored_and_makes_no_revision(database: &Database) {
    let acme = organisation(database, "acme").await;
    let ann = subscribe(database, &acme, "Ann@example.com").await;
    let later = ann.created_at + TimeDelta::minutes(1);
    let end = later + TimeDelta::days(7);
    let verify: SubscriberTransition =
        Box::new(move |known| Ok(known.unwrap().verify(end, later).unwrap()));
    let change = database
        .save(&acme, SubscriberKey::of(&ann), verify)
        .await
        .unwrap();
    assert_eq!(change.before.as_ref(), Some(&ann));
    let verified = change.after;
    assert_eq!(
        (verified.status, verified.updated_at),
        (SubscriberStatus::Subscribed, later)
    );
    let left: SubscriberTransition = Box::new(move |known| Ok(known.unwrap().unsubscribe(later)));
    let left = database
        .save(&acme, SubscriberKey::of(&ann), left)
        .await
        .unwrap()
        .after;
    assert_eq!(
        (left.status, left.round),
        (SubscriberStatus::Unsubscribed, 1)
    );
    assert_eq!(
        SubscriberStore::find(database, &acme, &SubscriberKey::of(&ann))
            .await
            .unwrap(),
        Some(left)
    );
    assert_eq!(
        OrganisationStore::find(database, &acme)
            .await
            .unwrap()
            .unwrap()
            .revision,
        Revision(0)
    );
}

async fn replaced_secrets_are_stored_with_their_times(database: &Database) {
    let acme = organisation(database, "acme").await;
    let key = SubscriberKey::of(&subscribe(database, &acme, "ann@example.com").await);
    for earlier in 0..3 {
        let rotate: SubscriberTransition =
            Box::new(|known| Ok(known.unwrap().rotate_secret(clock().now())));
        let rotated = database.save(&acme, key.clone(), rotate).await.unwrap();
        assert_eq!(rotated.after.secret.earlier.len(), earlier);
        let found = SubscriberStore::find(database, &acme, &key).await.unwrap();
        assert_eq!(found, Some(rotated.after));
    }
}

async fn who_entered_a_target_is_stored(database: &Database) {
    let acme = organisation(database, "acme").await;
    let target = |url| Target::parse(Channel::Webhook, url).unwrap();
    for target in [
        target("https://a.example/x").entered_by_visitor(),
        target("https://b.example/x"),
    ] {
        let draft = SubscriberDraft::of_everything(target.clone());
        let key = SubscriberKey::of_draft(&draft);
        let (id, now) = (SubscriberId(clock().id()), clock().now());
        let add: SubscriberTransition = Box::new(move |_| Ok(Subscriber::create(id, draft, now)));
        database.save(&acme, key.clone(), add).await.unwrap();
        let found = SubscriberStore::find(database, &acme, &key).await.unwrap();
        assert_eq!(found.unwrap().target, target);
    }
}

async fn a_refused_rule_stores_no_subscriber(database: &Database) {
    let acme = organisation(database, "acme").await;
    let mailbox = SubscriberKey::of_email("Ann@example.com");
    let result = database
        .save(&acme, mailbox.clone(), Box::new(|_| Err(Error::Stale)))
        .await;
    assert!(matches!(result, Err(Error::Stale)));
    assert_eq!(
        SubscriberStore::find(database, &acme, &mailbox)
            .await
            .unwrap(),
        None
    );
    let nowhere = OrganisationId::parse("nowhere").unwrap();
    assert!(matches!(
        database.save(&nowhere, mailbox, rule()).await,
        Err(Error::NotFound(Resource::Organisation))
    ));
}

async fn subscribers_belong_to_their_organisation(database: &Database) {
    let (acme, other) = (
        organisation(database, "acme").await,
        organisation(database, "other").await,
    );
    let ann = subscribe(database, &acme, "Ann@example.com").await;
    assert_eq!(
        SubscriberStore::find(database, &other, &SubscriberKey::of(&ann))
            .await
            .unwrap(),
        None
    );
    assert_eq!(all(database, &other).await, []);
    assert!(
        !SubscriberStore::delete(database, &other, ann.id)
            .await
            .unwrap()
    );
    assert_ne!(
        subscribe(database, &other, "Ann@example.com").await.id,
        ann.id
    );
    assert_eq!(all(database, &acme).await, [ann]);
}

async fn all(database: &Database, organisation: &OrganisationId) -> Vec<Subscriber> {
    let (filter, page) = (SubscriberFilter::default(), Page::default());
    let listed = SubscriberStore::list(database, organisation, &filter, page).await;
    listed.unwrap().items
}

async fn of_twenty_who_subscribe_one_address_at_once_one_is_new(database: &Database) {
    let acme = organisation(database, "acme").await;
    let mut subscribing = JoinSet::new();
    for _ in 0..20 {
        let (database, acme) = (database.clone(), acme.clone());
        subscribing.spawn(async move { subscribe(&database, &acme, "Ann@example.com").await.id });
    }
    let mut ids = subscribing.join_all().await;
    ids.dedup();
    assert_eq!(ids.len(), 1);
    assert_eq!(all(database, &acme).await.len(), 1);
}

async fn the_newest_subscribers_are_listed_first_and_in_parts(database: &Database) {
    let acme = organisation(database, "acme").await;
    for name in ["one", "two", "three"] {
        subscribe(database, &acme, &format!("{name}@example.com")).await;
    }
    let first = SubscriberStore::list(database, &acme, &SubscriberFilter::default(), two(None))
        .await
        .unwrap();
    let shown: Vec<_> = first
        .items
        .iter()
        .map(|subscriber| subscriber.target.as_str())
        .collect();
    assert_eq!(shown, ["three@example.com", "two@example.com"]);
    let rest = SubscriberStore::list(
        database,
        &acme,
        &SubscriberFilter::default(),
        two(first.next),
    )
    .await
    .unwrap();
    assert_eq!(
        (rest.items[0].target.as_str(), rest.items.len(), rest.next),
        ("one@example.com", 1, None)
    );
}

/// The addresses that a filter selects, newest first.
async fn selected(
    database: &Database,
    organisation: &OrganisationId,
    filter: SubscriberFilter,
) -> Vec<String> {
    let listed = SubscriberStore::list(database, organisation, &filter, Page::default()).await;
    let texts = listed.unwrap().items.into_iter();
    texts.map(|it| it.target.as_str().to_owned()).collect()
}

async fn filter_selects_subscribers(database: &Database) {
    let acme = organisation(database, "acme").await;
    let other = organisation(database, "other").await;
    let ann = subscribe(database, &acme, "Ann@example.com").await;
    subscribe(database, &acme, "bob@example.com").await;
    subscribe(database, &other, "ann@example.org").await;
    let webhook = Target::parse(Channel::Webhook, "https://ann.example.com/secret").unwrap();
    let draft = SubscriberDraft::of_everything(webhook.clone());
    let key = SubscriberKey::of_draft(&draft);
    let add: SubscriberTransition = Box::new(|_| {
        Ok(Subscriber::create(
            SubscriberId(clock().id()),
            draft,
            clock().now(),
        ))
    });
    database.save(&acme, key, add).await.unwrap();
    let (now, end) = (clock().now(), clock().now() + TimeDelta::days(7));
    let verify: SubscriberTransition =
        Box::new(move |known| Ok(known.unwrap().verify(end, now).unwrap()));
    let fail: SubscriberTransition = Box::new(move |known| {
        Ok(Subscriber {
            failing: Some(Failing {
                reason: "No such mailbox".to_owned(),
                since: now,
            }),
            ..known.unwrap()
        })
    });
    for rule in [verify, fail] {
        let key = SubscriberKey::of(&ann);
        database.save(&acme, key, rule).await.unwrap();
    }

    let all = SubscriberFilter::default();
    let of_email = |text: &str| SubscriberFilter {
        email: Some(text.to_owned()),
        ..SubscriberFilter::default()
    };
    let of_status = |status| SubscriberFilter {
        status: Some(status),
        ..SubscriberFilter::default()
    };
    let (ann, bob, webhook) = ("Ann@example.com", "bob@example.com", webhook.as_str());
    let cases = [
        (all.clone(), vec![webhook, bob, ann]),
        (of_email("aNN@"), vec![ann]),
        (of_email("example.com"), vec![bob, ann]),
        (of_email("secret"), vec![]),
        (of_status(SubscriberStatus::Pending), vec![webhook, bob]),
        (of_status(SubscriberStatus::Subscribed), vec![ann]),
        (
            SubscriberFilter {
                channel: Some(Channel::Webhook),
                ..all.clone()
            },
            vec![webhook],
        ),
        (
            SubscriberFilter {
                scope: Some(ScopeKind::Incident),
                ..all.clone()
            },
            vec![],
        ),
        (
            SubscriberFilter {
                failing: true,
                ..all
            },
            vec![ann],
        ),
    ];
    for (filter, expected) in cases {
        let found = selected(database, &acme, filter.clone()).await;
        assert_eq!(found, expected, "{filter:?}");
    }
}

async fn searched_text_is_no_pattern(database: &Database) {
    let acme = organisation(database, "acme").await;
    for email in [
        "a_b@example.com",
        "axb@example.com",
        "a%b@example.com",
        "a!b@example.com",
    ] {
        subscribe(database, &acme, email).await;
    }
    for (text, expected) in [
        ("a_b", vec!["a_b@example.com"]),
        ("a%b", vec!["a%b@example.com"]),
        ("a!b", vec!["a!b@example.com"]),
        ("\\", vec![]),
        ("'", vec![]),
    ] {
        let filter = SubscriberFilter {
            email: Some(text.to_owned()),
            ..SubscriberFilter::default()
        };
        assert_eq!(selected(database, &acme, filter).await, expected, "{text}");
    }
}

async fn a_deleted_subscriber_may_come_back(database: &Database) {
    let acme = organisation(database, "acme").await;
    let ann = subscribe(database, &acme, "Ann@example.com").await;
    assert!(
        SubscriberStore::delete(database, &acme, ann.id)
            .await
            .unwrap()
    );
    assert!(
        !SubscriberStore::delete(database, &acme, ann.id)
            .await
            .unwrap()
    );
    assert_ne!(
        subscribe(database, &acme, "Ann@example.com").await.id,
        ann.id
    );
}

async fn a_deleted_organisation_takes_its_subscribers_along(database: &Database) {
    let acme = organisation(database, "acme").await;
    let ann = subscribe(database, &acme, "Ann@example.com").await;
    assert!(
        OrganisationStore::delete(database, &acme, None)
            .await
            .unwrap()
    );
    assert_eq!(
        SubscriberStore::find(database, &acme, &SubscriberKey::of(&ann))
            .await
            .unwrap(),
        None
    );
}

async fn a_subscriber_that_is_never_confirmed_is_removed(database: &Database) {
    let acme = organisation(database, "acme").await;
    let ann = subscribe(database, &acme, "ann@example.com").await;
    let end = ann.updated_at + TimeDelta::days(1);
    let change = async |email: &str, rule: fn(Subscriber) -> Subscriber| {
        subscribe(database, &acme, email).await;
        let rule: SubscriberTransition = Box::new(move |known| Ok(rule(known.unwrap())));
        let key = SubscriberKey::of_email(email);
        database.save(&acme, key, rule).await.unwrap();
    };
    change("confirmed@example.com", |known| {
        let now = known.updated_at;
        known.verify(now + TimeDelta::days(1), now).unwrap()
    })
    .await;
    change("left@example.com", |known| {
        let (now, draft) = (
            known.updated_at,
            SubscriberDraft::of_everything(known.target.clone()),
        );
        known.unsubscribe(now).subscribe_again(draft, now)
    })
    .await;
    change("later@example.com", |known| Subscriber {
        updated_at: known.updated_at + TimeDelta::days(2),
        ..known
    })
    .await;
    assert_eq!(
        database
            .prune_unconfirmed(ann.updated_at, 10)
            .await
            .unwrap(),
        0
    );
    assert_eq!(database.prune_unconfirmed(end, 10).await.unwrap(), 1);
    assert_eq!(database.prune_unconfirmed(end, 10).await.unwrap(), 0);
    let all = SubscriberFilter::default();
    let listed = database.list(&acme, &all, Page::default()).await;
    let listed = listed.unwrap().items;
    let mut emails: Vec<_> = listed.iter().map(|it| it.target.as_str()).collect();
    emails.sort_unstable();
    assert_eq!(
        emails,
        [
            "confirmed@example.com",
            "later@example.com",
            "left@example.com"
        ]
    );
}

async fn mails_to_an_address_beyond_the_limit_are_refused_also_when_requested_at_once(
    database: &Database,
) {
    let (limit, now) = (
        RateLimit {
            burst: 3,
            per_hour: 1,
        },
        clock().now(),
    );
    let mut mailing = JoinSet::new();
    for _ in 0..20 {
        let (database, address) = (
            database.clone(),
            RecipientKey::from(EmailKey::of("Ann@example.com")),
        );
        mailing.spawn(async move {
            database
                .count_verification(address, limit, now)
                .await
                .unwrap()
        });
    }
    assert_eq!(
        mailing.join_all().await.iter().filter(|may| **may).count(),
        3
    );
    let ann = RecipientKey::from(EmailKey::of("ann@example.com"));
    assert!(
        database
            .count_verification(EmailKey::of("bob@example.com").into(), limit, now)
            .await
            .unwrap()
    );
    assert!(
        !database
            .count_verification(ann.clone(), limit, now + TimeDelta::minutes(59))
            .await
            .unwrap()
    );
    assert!(
        database
            .count_verification(ann.clone(), limit, now + TimeDelta::minutes(60))
            .await
            .unwrap()
    );
    assert!(
        !database
            .count_verification(ann.clone(), limit, now + TimeDelta::minutes(60))
            .await
            .unwrap()
    );
    // Forgotten or not, an address that was left alone for long has its whole allowance again.
    for expected in [true, true, true, false] {
        assert_eq!(
            database
                .count_verification(ann.clone(), limit, now + TimeDelta::hours(9))
                .await
                .unwrap(),
            expected
        );
    }
}

async fn addresses_whose_limits_are_over_are_mailed_at_once(database: &Database) {
    let limit = RateLimit {
        burst: 1,
        per_hour: 1,
    };
    let recipient = |number: u8| RecipientKey::from(EmailKey::of(&format!("{number}@example.com")));
    for round in 0..4 {
        let now = clock().now() + TimeDelta::hours(9 * round);
        let mut mailing = JoinSet::new();
        for number in 0..16 {
            let database = database.clone();
            let recipient = recipient(number);
            mailing.spawn(async move { database.count_verification(recipient, limit, now).await });
        }
        for may in mailing.join_all().await {
            assert!(may.unwrap());
        }
    }
    let later = clock().now() + TimeDelta::hours(40);
    for removed in [10, 6, 0] {
        let pruned = database.prune_verification_limits(later, 10).await.unwrap();
        assert_eq!(pruned, removed);
    }
    assert!(
        database
            .count_verification(recipient(0), limit, later)
            .await
            .unwrap()
    );
}
