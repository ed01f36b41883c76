use futures_util::future::join_all;
use serde_json::json;

use super::Person;
use crate::app::{PASSWORD, TestApp};

#[tokio::test(flavor = "multi_thread")]
async fn guessed_passwords_are_throttled_for_known_and_unknown_addresses_alike() {
    for address in ["ann@example.com", "nobody@example.com"] {
        let app = TestApp::start().await;
        Person::signed_up(&app, "ann@example.com").await;
        let eve = Person::new(&app, address);
        let mut statuses = Vec::new();
        for _ in 0..12 {
            statuses.push(eve.sign_in("a wrong password").await.status);
        }
        assert_eq!(statuses, [[401; 10].as_slice(), &[429; 2]].concat());
        let response = eve.sign_in(PASSWORD).await;
        assert_eq!(response.status, 429);
        assert!(
            response.headers["retry-after"]
                .to_str()
                .unwrap()
                .parse::<u64>()
                .unwrap()
                >= 1
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_guesses_are_counted_before_they_are_computed() {
    let app = TestApp::start().await;
    Person::signed_up(&app, "ann@example.com").await;
    let eve = Person::new(&app, "ann@example.com");
    let responses = join_all((0..240).map(|_| eve.sign_in("a wrong password"))).await;
    let mut statuses: Vec<_> = responses.iter().map(|response| response.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [[401; 10].as_slice(), &[429; 230]].concat());
    assert_eq!(eve.sign_in(PASSWORD).await.status, 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_passwords_for_other_accounts_do_not_lock_a_shared_address_out() {
    let app = TestApp::start().await;
    Person::signed_up(&app, "ann@example.com").await;
    Person::signed_up(&app, "bob@example.com").await;
    let eve = Person::new(&app, "eve@example.com");
    while eve.sign_in("a wrong password").await.status != 429 {}
    let bob = Person::new(&app, "bob@example.com");
    assert_eq!(bob.sign_in("a wrong password").await.status, 401);
    assert_eq!(bob.sign_in(PASSWORD).await.status, 429);
    let ann = Person::new(&app, "ann@example.com");
    assert_eq!(ann.sign_in(PASSWORD).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn correct_sign_ins_are_not_throttled() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, "ann@example.com").await;
    for _ in 0..15 {
        assert_eq!(ann.sign_in(PASSWORD).await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn resets_beyond_the_limit_are_refused() {
    let app = TestApp::start().await;
    let eve = Person::new(&app, "eve@example.com");
    let mut statuses = Vec::new();
    for number in 0..11 {
        let body = json!({"email": format!("{number}@example.com")});
        statuses.push(eve.post("/password-reset", body).await.status);
    }
    assert_eq!(statuses, [[200; 10].as_slice(), &[429]].concat());
}
