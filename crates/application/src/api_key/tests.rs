use allclear_domain::id::UserId;
use allclear_domain::membership::Role;
use tokio::runtime::Handle;
use uuid::Uuid;

use super::*;
use crate::caller::MockTokenVerifier;
use crate::clock::TestClock;

fn text() -> KeyText {
    KeyText::of([3; 32])
}

fn key(expires_at: Option<DateTime<Utc>>, last_used_at: Option<DateTime<Utc>>) -> ApiKey {
    ApiKey {
        id: ApiKeyId(Uuid::from_u128(7)),
        name: "Deploys".into(),
        role: Role::Editor,
        prefix: text().prefix().to_owned(),
        created_at: TestClock::START,
        expires_at,
        last_used_at,
    }
}

fn owner() -> KeyOwner {
    founded_by(None, "acme")
}

fn founded_by(account: Option<UserId>, organisation: &str) -> KeyOwner {
    let organisation = OrganisationId::parse(organisation).unwrap();
    KeyOwner {
        founder: Founder::of(&organisation, account),
        organisation,
        name: "Acme".into(),
    }
}

fn verifier(store: MockApiKeyStore) -> (KeyVerifier, Background) {
    verifier_at(store, TestClock::stopped())
}

fn verifier_at(store: MockApiKeyStore, clock: Arc<TestClock>) -> (KeyVerifier, Background) {
    let background = Background::on(Handle::current());
    let keys = ApiKeys::new(Arc::new(store), clock, background.clone());
    let mut provider = MockTokenVerifier::new();
    provider
        .expect_verify()
        .returning(|_| Err(TokenError::Bad("of the provider".into())));
    (
        KeyVerifier::new(Arc::new(keys), Arc::new(provider)),
        background,
    )
}

async fn refusal(store: MockApiKeyStore, token: &str) -> String {
    let (verifier, _) = verifier(store);
    verifier.verify(token).await.unwrap_err().to_string()
}

#[tokio::test]
async fn malformed_key_is_refused_without_asking_storage() {
    let mut wrong = text().reveal().to_owned();
    wrong.replace_range(52.., if wrong.ends_with('0') { "1" } else { "0" });
    let refused = refusal(MockApiKeyStore::new(), &wrong).await;
    assert!(refused.contains("malformed"), "{refused}");
}

#[tokio::test]
async fn other_tokens_are_verified_by_the_provider() {
    let refused = refusal(MockApiKeyStore::new(), "eyJ").await;
    assert!(refused.contains("of the provider"), "{refused}");
}

#[tokio::test]
async fn unknown_or_expired_key_is_refused() {
    let mut unknown = MockApiKeyStore::new();
    unknown.expect_find_by_digest().returning(|_| Ok(None));
    let refused = refusal(unknown, text().reveal()).await;
    assert!(refused.contains("unknown"), "{refused}");
    let mut expired = MockApiKeyStore::new();
    expired
        .expect_find_by_digest()
        .returning(|_| Ok(Some((key(Some(TestClock::START), None), owner()))));
    let refused = refusal(expired, text().reveal()).await;
    assert!(refused.contains("expired"), "{refused}");
}

#[tokio::test]
async fn key_is_a_caller_and_its_use_is_noted_once_a_minute() {
    let mut store = MockApiKeyStore::new();
    store
        .expect_find_by_digest()
        .withf(|digest| *digest == Digest::of(text().reveal()))
        .returning(|_| Ok(Some((key(None, None), owner()))));
    store.expect_touch().times(1).returning(|_, _, _| Ok(()));
    let (verifier, background) = verifier(store);
    for _ in 0..3 {
        let caller = verifier.verify(text().reveal()).await.unwrap();
        assert_eq!(caller.api_key, Some(key(None, None).id));
        assert_eq!(caller.membership.unwrap().role, Role::Editor);
        assert_eq!(caller.expires_at, None);
    }
    background.wait_idle().await;
}

#[tokio::test]
async fn keys_of_all_organisations_of_a_founder_share_their_limits() {
    let account = async |organisation: &str, founder: Option<u128>| {
        let founder = founder.map(|id| UserId(Uuid::from_u128(id)));
        let owner = founded_by(founder, organisation);
        let mut store = MockApiKeyStore::new();
        let recent = TestClock::START;
        store
            .expect_find_by_digest()
            .returning(move |_| Ok(Some((key(None, Some(recent)), owner.clone()))));
        let (verifier, _) = verifier(store);
        verifier.verify(text().reveal()).await.unwrap().account
    };
    let acme = account("acme", Some(1)).await;
    assert_eq!(acme, account("other", Some(1)).await);
    assert_ne!(acme, account("acme", Some(2)).await);
    assert_ne!(acme, UserId(Uuid::from_u128(1)).to_string());
    let unknown = account("acme", None).await;
    assert_ne!(unknown, account("other", None).await);
}

#[tokio::test]
async fn recent_use_is_not_noted_again() {
    let mut store = MockApiKeyStore::new();
    let recent = TestClock::START - TimeDelta::seconds(59);
    store
        .expect_find_by_digest()
        .returning(move |_| Ok(Some((key(None, Some(recent)), owner()))));
    let (verifier, background) = verifier(store);
    assert!(verifier.verify(text().reveal()).await.is_ok());
    background.wait_idle().await;
}

/// A key that was never used.
fn unused() -> MockApiKeyStore {
    let mut store = MockApiKeyStore::new();
    store
        .expect_find_by_digest()
        .returning(|_| Ok(Some((key(None, None), owner()))));
    store
}

#[tokio::test]
async fn use_that_was_not_stored_is_noted_with_the_next_request() {
    let mut store = unused();
    let mut failures = vec![Error::internal("unavailable")];
    store
        .expect_touch()
        .times(2)
        .returning(move |_, _, _| failures.pop().map_or(Ok(()), Err));
    let (verifier, background) = verifier(store);
    for _ in 0..3 {
        assert!(verifier.verify(text().reveal()).await.is_ok());
        background.wait_idle().await;
    }
}

#[tokio::test]
async fn requests_within_a_minute_do_not_delay_the_next_note() {
    let mut store = unused();
    store.expect_touch().times(2).returning(|_, _, _| Ok(()));
    let clock = TestClock::stopped();
    let (verifier, background) = verifier_at(store, Arc::clone(&clock));
    for _ in 0..3 {
        assert!(verifier.verify(text().reveal()).await.is_ok());
        background.wait_idle().await;
        clock.advance(TimeDelta::seconds(31));
    }
}
