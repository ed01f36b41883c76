use super::*;

use allclear_domain::membership::Role;
use mockall::predicate::{always, eq};

use crate::fixture::{clock, kept_log, log_lines, now, organisation, relay};
use crate::transition::Committed;

fn credential() -> Credential {
    Credential {
        session: "sess_1".into(),
        user: "user_1".into(),
        organisation: Some(organisation()),
        issued_at: now(),
    }
}

fn claimed(user: Option<&str>, organisation: Option<&str>) -> ClaimedNames {
    let text = |text: Option<&str>| text.map(str::to_owned);
    ClaimedNames {
        user: text(user),
        organisation: text(organisation),
        otherwise: Some("acme".into()),
    }
}

fn known(name: &str, seconds: i64) -> NameRecord {
    NameRecord {
        name: name.into(),
        as_of: now() + TimeDelta::seconds(seconds),
    }
}

fn token_status(user: Option<NameRecord>, organisation: Option<NameRecord>) -> TokenStatus {
    TokenStatus {
        revoked: false,
        user,
        organisation,
    }
}

fn store(token_status: TokenStatus) -> MockDirectoryStore {
    let mut store = MockDirectoryStore::new();
    store
        .expect_token_status()
        .returning(move |_| Ok(token_status.clone()));
    store
}

const fn unchanged() -> Committed<()> {
    Committed {
        state: (),
        commit: None,
    }
}

fn names_organisation(store: &mut MockDirectoryStore, known: NameRecord) {
    let once = store
        .expect_name_organisation()
        .times(1)
        .with(eq(organisation()), eq(known));
    once.returning(|_, _| Ok(unchanged()));
}

fn names_user(store: &mut MockDirectoryStore, known: NameRecord) {
    store
        .expect_name_user()
        .times(1)
        .with(eq("user_1"), eq(known))
        .returning(|_, _| Ok(()));
}

fn directory(store: MockDirectoryStore, profiles: MockProfiles) -> Directory {
    Directory::new(
        Arc::new(store),
        Arc::new(profiles),
        Arc::new(MockWebhookVerifier::new()),
        relay(0),
        clock(),
    )
}

async fn resolve(
    store: MockDirectoryStore,
    profiles: MockProfiles,
    claimed: ClaimedNames,
) -> Option<ResolvedNames> {
    directory(store, profiles)
        .resolve(&credential(), claimed)
        .await
        .unwrap()
}

fn resolved(user: Option<&str>, organisation: &str) -> ResolvedNames {
    ResolvedNames {
        user: user.map(str::to_owned),
        organisation: Some(organisation.into()),
    }
}

#[tokio::test]
async fn names_of_a_token_are_kept_from_its_first_sight_on_and_nobody_else_is_asked() {
    let mut store = store(token_status(None, None));
    names_user(&mut store, known("Ann", 0));
    names_organisation(&mut store, known("Acme", 0));
    let found = resolve(
        store,
        MockProfiles::new(),
        claimed(Some(" Ann "), Some("Acme")),
    )
    .await;
    assert_eq!(found, Some(resolved(Some("Ann"), "Acme")));
}

#[tokio::test]
async fn token_older_than_an_event_does_not_restore_the_old_name() {
    for user in [Some("Ann"), None] {
        let store = store(token_status(
            Some(known("Anna", 1)),
            Some(known("Acme Ltd", 1)),
        ));
        let found = resolve(store, MockProfiles::new(), claimed(user, Some("Acme"))).await;
        assert_eq!(found, Some(resolved(Some("Anna"), "Acme Ltd")));
    }
}

#[tokio::test]
async fn provider_is_asked_for_unknown_names() {
    let mut store = store(token_status(None, None));
    names_user(&mut store, known("Ann", 0));
    names_organisation(&mut store, known("Acme", 0));
    let mut profiles = MockProfiles::new();
    profiles
        .expect_user()
        .times(1)
        .returning(|_| Ok(Some("Ann".into())));
    profiles
        .expect_organisation()
        .times(1)
        .returning(|_| Ok(Some("Acme".into())));
    assert_eq!(
        resolve(store, profiles, claimed(None, None)).await,
        Some(resolved(Some("Ann"), "Acme"))
    );
}

#[tokio::test]
async fn an_unavailable_provider_prevents_no_sign_in_and_is_not_asked_again_at_once() {
    let mut store = store(token_status(None, None));
    let fallback = NameRecord {
        name: "acme".into(),
        as_of: NameRecord::NEVER,
    };
    let twice = store
        .expect_name_organisation()
        .times(2)
        .with(always(), eq(fallback));
    twice.returning(|_, _| Ok(unchanged()));
    let mut profiles = MockProfiles::new();
    profiles
        .expect_user()
        .times(1)
        .returning(|_| Err(Error::Unavailable("unavailable".into())));
    profiles
        .expect_organisation()
        .times(1)
        .returning(|_| Err(Error::Unavailable("unavailable".into())));
    let directory = directory(store, profiles);
    for _ in 0..2 {
        let found = directory
            .resolve(&credential(), claimed(None, None))
            .await
            .unwrap();
        assert_eq!(found, Some(resolved(None, "acme")));
    }
}

#[tokio::test]
async fn a_fallback_name_gives_way_to_the_name() {
    let mut store = store(token_status(
        Some(known("Ann", -9)),
        Some(NameRecord {
            name: "acme".into(),
            as_of: NameRecord::NEVER,
        }),
    ));
    names_organisation(&mut store, known("Acme", 0));
    let mut profiles = MockProfiles::new();
    profiles
        .expect_organisation()
        .times(1)
        .returning(|_| Ok(Some("Acme".into())));
    assert_eq!(
        resolve(store, profiles, claimed(None, None)).await,
        Some(resolved(Some("Ann"), "Acme"))
    );
}

fn message(events: Vec<DirectoryEvent>) -> Message {
    Message {
        id: "msg_1".into(),
        happened_at: now(),
        events,
    }
}

fn joined() -> MemberRecord {
    MemberRecord {
        organisation: organisation(),
        user: "user_1".into(),
        role: Role::Viewer,
        change: MemberChange::Joined,
        as_of: now(),
    }
}

#[tokio::test]
async fn a_message_is_followed_once() {
    let revocation = Revocation::Session("sess_1".into());
    let mut fresh = MockDirectoryStore::new();
    fresh
        .expect_is_handled()
        .with(eq("msg_1"))
        .returning(|_| Ok(false));
    fresh
        .expect_revoke()
        .times(1)
        .with(eq(revocation.clone()), eq(now()))
        .returning(|_, _| Ok(()));
    fresh
        .expect_delete_organisation()
        .times(1)
        .with(eq(organisation()), eq(now()))
        .returning(|_, _| Ok(()));
    fresh
        .expect_record_member()
        .times(1)
        .with(eq(joined()))
        .returning(|_| Ok(()));
    fresh
        .expect_mark_handled()
        .times(1)
        .with(eq("msg_1"), eq(now()))
        .returning(|_, _| Ok(()));
    let events = vec![
        DirectoryEvent::Member(joined()),
        DirectoryEvent::Revoked(revocation),
        DirectoryEvent::OrganisationDeleted(organisation()),
    ];
    directory(fresh, MockProfiles::new())
        .handle_webhook(message(events.clone()))
        .await
        .unwrap();

    let mut repeated = MockDirectoryStore::new();
    repeated.expect_is_handled().returning(|_| Ok(true));
    directory(repeated, MockProfiles::new())
        .handle_webhook(message(events))
        .await
        .unwrap();
}

#[tokio::test]
async fn revoked_access_is_written_to_the_security_log() {
    let (_guard, log) = kept_log();
    let mut store = MockDirectoryStore::new();
    store.expect_is_handled().returning(|_| Ok(false));
    store.expect_revoke().returning(|_, _| Ok(()));
    store.expect_delete_organisation().returning(|_, _| Ok(()));
    store.expect_mark_handled().returning(|_, _| Ok(()));
    let membership = Revocation::Membership {
        organisation: organisation(),
        user: "user_1".into(),
    };
    let events = vec![
        DirectoryEvent::Revoked(Revocation::Session("sess_1".into())),
        DirectoryEvent::Revoked(Revocation::User("user_2".into())),
        DirectoryEvent::Revoked(membership),
        DirectoryEvent::OrganisationDeleted(organisation()),
    ];
    directory(store, MockProfiles::new())
        .handle_webhook(message(events))
        .await
        .unwrap();

    let lines: Vec<serde_json::Value> = log_lines(&log)
        .into_iter()
        .filter(|line| line["target"] == "security")
        .map(|line| line["fields"].clone())
        .collect();
    let field = |name: &str| {
        lines
            .iter()
            .map(|line| line[name].as_str())
            .collect::<Vec<_>>()
    };
    let (acme, revoked) = (organisation(), Some("access-revoked"));
    let acme = Some(acme.as_str());
    assert_eq!(
        field("event"),
        [revoked, revoked, revoked, Some("organisation-deleted")]
    );
    assert_eq!(
        field("subject"),
        [None, Some("user_2"), Some("user_1"), None]
    );
    assert_eq!(field("object"), [Some("sess_1"), None, None, None]);
    assert_eq!(field("organisation"), [None, None, acme, acme]);
}

#[tokio::test]
async fn failed_message_is_not_recorded_as_handled() {
    let mut store = MockDirectoryStore::new();
    store.expect_is_handled().returning(|_| Ok(false));
    store
        .expect_revoke()
        .returning(|_, _| Err(Error::Unavailable("unavailable".into())));
    let revoked = DirectoryEvent::Revoked(Revocation::User("user_1".into()));
    let refused = directory(store, MockProfiles::new())
        .handle_webhook(message(vec![revoked]))
        .await;
    assert!(matches!(refused, Err(Error::Unavailable(_))));
}

#[test]
fn a_name_is_one_line_of_bounded_length_or_none() {
    for clean in [user_name, organisation_name] {
        let name = clean(" Ann\0\u{2028}\n Le\u{202E}e ");
        assert_eq!(name.as_deref(), Some("Ann Le e"));
        let bounded = clean(&"é".repeat(300)).map(|name| name.chars().count());
        assert_eq!(bounded, Some(200));
        assert_eq!(clean(" \n"), None);
    }
    assert_eq!(user_name("X").as_deref(), Some("X"));
    assert_eq!(organisation_name("X"), None);
}
