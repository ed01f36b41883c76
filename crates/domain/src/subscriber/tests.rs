use super::*;

use crate::channel::{Channel, TargetKey};
use proptest::prelude::*;
use uuid::Uuid;

const ADDRESS: &str = "Ann@Example.com";

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(second, 0).unwrap()
}

fn draft() -> SubscriberDraft {
    SubscriberDraft::of_everything(Target::parse(Channel::Email, ADDRESS).unwrap())
}

fn subscriber() -> Subscriber {
    Subscriber::create(SubscriberId(Uuid::from_u128(1)), draft(), at(0))
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
        Step::SubscribeAgain => subscriber.subscribe_again(draft(), now),
        Step::Verify => subscriber
            .verify(now + Subscriber::VERIFICATION_LIFETIME, now)
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
        (subscriber.target.email(), subscriber.status),
        (Some(ADDRESS), SubscriberStatus::Pending)
    );
    assert!(!subscriber.is_verified && subscriber.awaits_verification());
    assert_eq!(
        subscriber.target.key(),
        TargetKey::of_email("ann@example.COM")
    );
    assert_eq!(
        Target::parse(Channel::Email, "ann"),
        Err(Invalid::field("email", "Invalid email address"))
    );
}

#[test]
fn following_the_link_subscribes_until_it_expires() {
    let end = at(0) + Subscriber::VERIFICATION_LIFETIME;
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
fn unsubscribed_address_that_subscribes_again_is_pending_until_a_new_link_is_followed() {
    let left = subscriber()
        .verify(at(9), at(1))
        .unwrap()
        .unsubscribe(at(2));
    assert_eq!(
        (left.status, left.round),
        (SubscriberStatus::Unsubscribed, 1)
    );
    let again = left.subscribe_again(draft(), at(3));
    assert_eq!(
        (again.status, again.is_verified, again.round),
        (SubscriberStatus::Pending, false, 1)
    );
    assert_eq!(again.updated_at, at(3));
}

#[test]
fn request_of_a_link_counts_as_repeated_from_the_confirmation_on() {
    let subscribed = subscriber().verify(at(9), at(2)).unwrap();
    for (requested_at, expected) in [(1, false), (2, true), (3, true)] {
        assert_eq!(subscribed.was_subscribed_at(at(requested_at)), expected);
    }
    assert!(!subscriber().was_subscribed_at(at(3)));
    assert!(!subscribed.unsubscribe(at(3)).was_subscribed_at(at(4)));
}

fn component(number: u128) -> ComponentId {
    ComponentId(Uuid::from_u128(number))
}

fn group(number: u128) -> ComponentGroupId {
    ComponentGroupId(Uuid::from_u128(number))
}

#[test]
fn an_edit_changes_only_what_it_names() {
    let choose = SubscriberPatch {
        components: Some(Some(vec![component(1)])),
        groups: Some(Some(vec![group(2)])),
        ..SubscriberPatch::default()
    };
    let chosen = subscriber().edit(choose, at(1)).unwrap();
    let only_components = SubscriberPatch {
        groups: Some(None),
        ..SubscriberPatch::default()
    };
    let narrowed = chosen.clone().edit(only_components, at(2)).unwrap();
    let choice = narrowed.scope.choice().unwrap();
    assert_eq!(
        (&*choice.components, &*choice.groups),
        ([component(1)].as_slice(), [].as_slice())
    );
    let everything = SubscriberPatch {
        components: Some(None),
        groups: Some(None),
        ..SubscriberPatch::default()
    };
    let all = chosen.clone().edit(everything, at(2)).unwrap();
    assert_eq!((all.scope, all.updated_at), (Scope::All, at(2)));
    let nothing = chosen.clone().edit(SubscriberPatch::default(), at(2));
    assert_eq!(nothing, Ok(chosen));
}

#[test]
fn a_choice_that_is_longer_than_allowed_does_not_grow() {
    let components = |number| (0..number).map(component).collect::<Vec<_>>();
    let choose = |list| SubscriberPatch {
        components: Some(Some(list)),
        ..SubscriberPatch::default()
    };
    assert!(subscriber().edit(choose(components(201)), at(1)).is_err());
    let long = || Subscriber {
        scope: Scope::Components(Choice {
            components: components(250),
            groups: Vec::new(),
        }),
        ..subscriber()
    };
    let add_group = SubscriberPatch {
        groups: Some(Some(vec![group(1)])),
        ..SubscriberPatch::default()
    };
    let edited = long().edit(add_group, at(1)).unwrap();
    assert_eq!(edited.scope.choice().unwrap().components.len(), 250);
    let groups = (0..201).map(group).collect();
    let choose_groups = SubscriberPatch {
        groups: Some(Some(groups)),
        ..SubscriberPatch::default()
    };
    assert!(long().edit(choose_groups, at(1)).is_err());
    assert!(long().edit(choose(components(249)), at(1)).is_ok());
    assert!(long().edit(choose(components(251)), at(1)).is_err());
}

#[test]
fn a_choice_of_which_everything_is_deleted_does_not_become_everything() {
    let scope = Scope::Components(Choice::default());
    let left = Subscriber {
        scope: scope.clone(),
        ..subscriber()
    };
    let mute = SubscriberPatch {
        mute_maintenances: Some(true),
        ..SubscriberPatch::default()
    };
    let muted = left.edit(mute, at(1)).unwrap();
    assert_eq!((muted.scope, muted.mute_maintenances), (scope, true));
}

#[test]
fn subscribing_a_subscribed_target_again_leaves_its_choice_unchanged() {
    let other = SubscriberDraft {
        mute_maintenances: true,
        scope: Scope::Components(Choice {
            components: vec![component(1)],
            ..Choice::default()
        }),
        ..draft()
    };
    let subscribed = subscriber().verify(at(9), at(1)).unwrap();
    let again = subscribed.clone().subscribe_again(other, at(2));
    assert_eq!(again, subscribed);
}

#[test]
fn choices_of_a_pending_subscriber_add_up() {
    let choosing = |components: &[u128], groups: &[u128]| SubscriberDraft {
        scope: Scope::Components(Choice {
            components: components.iter().copied().map(component).collect(),
            groups: groups.iter().copied().map(group).collect(),
        }),
        mute_maintenances: true,
        ..draft()
    };
    let first = Subscriber::create(subscriber().id, choosing(&[1, 2], &[]), at(0));
    let both = first.subscribe_again(choosing(&[2, 3], &[4]), at(2));
    assert_eq!(both.scope, choosing(&[1, 2, 3], &[4]).scope);
    assert!(both.mute_maintenances);
    assert_eq!(both.updated_at, at(2));
    // A stranger cannot narrow what the owner has chosen, before or after.
    let everything = both.clone().subscribe_again(draft(), at(3));
    for pending in [
        everything.clone(),
        everything.subscribe_again(choosing(&[1], &[]), at(4)),
    ] {
        assert_eq!(
            (pending.scope, pending.mute_maintenances),
            (Scope::All, false)
        );
    }
    let many: Vec<_> = (1..=200).collect();
    let too_many = both.clone().subscribe_again(choosing(&many, &[4]), at(3));
    assert_eq!(too_many.scope, choosing(&many, &[4]).scope);
    let too_many = too_many.subscribe_again(choosing(&[201], &[]), at(4));
    assert_eq!(too_many.scope, Scope::All);

    let left = both.unsubscribe(at(5));
    let back = left.subscribe_again(choosing(&[9], &[]), at(6));
    assert_eq!(back.scope, choosing(&[9], &[]).scope);
}

#[test]
fn subscribing_again_without_confirmation_begins_its_time_again() {
    let again = subscriber().subscribe_again(draft(), at(2));
    assert_eq!(again.updated_at, at(2));
    // A link that was requested then has expired before.
    let kept_since = Subscriber::removed_if_requested_before(at(2));
    assert!(kept_since + Subscriber::VERIFICATION_LIFETIME < at(2));
}

#[test]
fn a_replaced_secret_signs_for_a_day_beside_the_new_one() {
    assert_eq!(signing(&SecretRound::default(), 0), [0]);
    let rotated = rotated_at(&[10]);
    assert_eq!(signing(&rotated, 10), [1, 0]);
    assert_eq!(signing(&rotated, 10 + DAY), [1]);
}

#[test]
fn each_secret_that_was_replaced_within_a_day_signs() {
    let rotated = rotated_at(&[10, 20, 30]);
    assert_eq!(signing(&rotated, 30), [3, 2, 1, 0]);
    assert_eq!(signing(&rotated, 10 + DAY), [3, 2, 1]);
    assert_eq!(signing(&rotated, 20 + DAY), [3, 2]);
    assert_eq!(signing(&rotated, 30 + DAY), [3]);
    let rotated = rotated_at(&[10, 20, 10 + DAY]);
    assert_eq!(signing(&rotated, 10 + DAY), [3, 2, 1]);
    assert_eq!(rotated.earlier.len(), 1, "ended secrets are not kept");
}

#[test]
fn only_the_newest_replaced_secrets_sign() {
    let rotated = rotated_at(&[1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(signing(&rotated, 7), [7, 6, 5, 4, 3, 2]);
}

const DAY: i64 = 24 * 3600;

/// The secrets after a rotation at each of these seconds.
fn rotated_at(seconds: &[i64]) -> SecretRound {
    let rotate = |round: SecretRound, second: &i64| round.next(at(*second));
    seconds.iter().fold(SecretRound::default(), rotate)
}

fn signing(round: &SecretRound, second: i64) -> Vec<i32> {
    round.signing(at(second)).collect()
}

#[test]
fn each_status_has_its_word() {
    let words = [
        (SubscriberStatus::Pending, "PENDING"),
        (SubscriberStatus::Subscribed, "SUBSCRIBED"),
        (SubscriberStatus::Unsubscribed, "UNSUBSCRIBED"),
    ];
    assert_eq!(words.map(|(status, _)| status), SubscriberStatus::VARIANTS);
    for (status, word) in words {
        assert_eq!(status.to_string(), word);
        assert_eq!(word.parse(), Ok(status));
    }
}

proptest! {
    #[test]
    fn whatever_is_done_twice_is_done_once(steps in proptest::collection::vec(any_step(), 0..8), last in any_step()) {
        let before = steps.into_iter().fold(subscriber(), |state, next| step(state, next, at(1)));
        let once = step(before, last, at(2));
        let twice = step(once.clone(), last, at(3));
        // Each request of a link has its time.
        prop_assert_eq!(Subscriber { updated_at: once.updated_at, ..twice }, once);
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
            prop_assert_eq!((state.id, &state.target, state.created_at), (before.id, &before.target, before.created_at));
        }
    }
}
