use super::*;

use proptest::prelude::*;
use uuid::Uuid;

const ADDRESS: &str = "Ann@Example.com";

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(second, 0).unwrap()
}

fn subscriber() -> Subscriber {
    let draft = SubscriberDraft {
        email: ADDRESS.into(),
    };
    Subscriber::create(SubscriberId(Uuid::from_u128(1)), draft, at(0)).unwrap()
}

/// What can happen to a subscriber.
#[derive(Debug, Clone, Copy)]
enum Step {
    SubscribeAgain,
    Verify,
    Unsubscribe,
}

fn step(subscriber: Subscriber, step: Step, now: DateTime<Utc>) -> Subscriber {
    match step {
        Step::SubscribeAgain => subscriber.subscribe_again(now),
        Step::Verify => subscriber
            .verify(now + Subscriber::VERIFICATION_LIFE, now)
            .unwrap(),
        Step::Unsubscribe => subscriber.unsubscribe(now),
    }
}

fn any_step() -> impl Strategy<Value = Step> {
    proptest::sample::select(vec![Step::SubscribeAgain, Step::Verify, Step::Unsubscribe])
}

#[test]
fn a_new_subscriber_is_pending_with_its_address_as_typed() {
    let subscriber = subscriber();
    assert_eq!(
        (subscriber.email.as_str(), subscriber.status),
        (ADDRESS, SubscriberStatus::Pending)
    );
    assert!(!subscriber.is_verified && subscriber.awaits_verification());
    assert_eq!(subscriber.mailbox(), Mailbox::of("Ann@example.COM"));
    let bad = SubscriberDraft {
        email: "ann".into(),
    };
    let refused = Subscriber::create(subscriber.id, bad, at(0));
    assert_eq!(
        refused,
        Err(Invalid::field("email", "Invalid email address"))
    );
}

#[test]
fn following_the_link_subscribes_until_it_expires() {
    let end = at(0) + Subscriber::VERIFICATION_LIFE;
    let verified = subscriber().verify(end, at(1)).unwrap();
    assert_eq!(
        (verified.status, verified.is_verified),
        (SubscriberStatus::Subscribed, true)
    );
    assert_eq!(subscriber().verify(end, end), Err(LinkExpired));
    assert_eq!(
        subscriber()
            .verify(end, end - TimeDelta::milliseconds(1))
            .unwrap()
            .status,
        SubscriberStatus::Subscribed
    );
}

#[test]
fn who_unsubscribed_and_subscribes_again_is_pending_until_a_new_link_is_followed() {
    let left = subscriber()
        .verify(at(9), at(1))
        .unwrap()
        .unsubscribe(at(2));
    assert_eq!(
        (left.status, left.round),
        (SubscriberStatus::Unsubscribed, 1)
    );
    let again = left.subscribe_again(at(3));
    assert_eq!(
        (again.status, again.is_verified, again.round),
        (SubscriberStatus::Pending, false, 1)
    );
    assert_eq!(again.updated_at, at(3));
}

proptest! {
    #[test]
    fn a_status_reads_what_it_writes(status in proptest::sample::select(SubscriberStatus::VARIANTS.to_vec())) {
        prop_assert_eq!(status.to_string().parse(), Ok(status));
    }

    #[test]
    fn whatever_is_done_twice_is_done_once(steps in proptest::collection::vec(any_step(), 0..8), last in any_step()) {
        let before = steps.into_iter().fold(subscriber(), |state, next| step(state, next, at(1)));
        let once = step(before, last, at(2));
        prop_assert_eq!(step(once.clone(), last, at(3)), once);
    }

    #[test]
    fn only_the_verified_are_subscribed_and_only_an_unsubscribe_begins_a_round(
        steps in proptest::collection::vec(any_step(), 0..12),
    ) {
        let mut state = subscriber();
        for (second, next) in (1..).zip(steps) {
            let before = state.clone();
            state = step(state, next, at(second));
            prop_assert!(state.status != SubscriberStatus::Subscribed || state.is_verified);
            prop_assert!(state.status != SubscriberStatus::Pending || !state.is_verified);
            let left = before.status != SubscriberStatus::Unsubscribed && state.status == SubscriberStatus::Unsubscribed;
            prop_assert_eq!(state.round - before.round, i32::from(left));
            prop_assert_eq!((state.id, &state.email, state.created_at), (before.id, &before.email, before.created_at));
        }
    }

    #[test]
    fn who_is_subscribed_stays_so_when_somebody_subscribes_the_address_again(second in 2_i64..1_000_000) {
        let subscribed = subscriber().verify(at(9), at(1)).unwrap();
        prop_assert_eq!(subscribed.clone().subscribe_again(at(second)), subscribed);
    }
}
