use super::*;
use std::time::Instant;

use futures_util::future::join_all;

const RETRY_DELAY: Duration = Duration::from_millis(20);

fn guesses(guesses: u32, sign_in: u32, account_guesses: u32) -> Guesses {
    let limit = |burst| Limit { burst, per_hour: 1 };
    let guesses = Guesses::new(&Limits {
        guesses: limit(guesses),
        sign_in: limit(sign_in),
        account_guesses: limit(account_guesses),
        ..Limits::default()
    });
    Guesses {
        waiting: Waiting {
            pause: RETRY_DELAY,
            ..Waiting::default()
        },
        ..guesses
    }
}

fn client(number: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, number])
}

fn account(name: &str) -> EmailKey {
    EmailKey::of(&format!("{name}@example.com"))
}

#[actix_web::test]
async fn parallel_tries_at_an_account_are_refused_before_they_are_made() {
    let (guesses, ann) = (guesses(10, 100, 100), account("ann"));
    let tries = join_all((0..240).map(|_| guesses.take(client(1), &ann))).await;
    assert_eq!(tries.iter().filter(|taken| taken.is_ok()).count(), 10);
    assert!(guesses.take(client(1), &ann).await.is_err());
    let start = Instant::now();
    assert!(guesses.take(client(2), &ann).await.is_ok());
    assert!(
        start.elapsed() < RETRY_DELAY,
        "the account's bucket is not empty"
    );
}

#[actix_web::test]
async fn a_right_password_costs_no_try() {
    let (guesses, ann) = (guesses(2, 2, 2), account("ann"));
    for _ in 0..9 {
        guesses.take(client(1), &ann).await.unwrap().give_back();
    }
}

#[actix_web::test]
async fn a_client_that_guessed_at_other_accounts_gets_one_slow_try_at_each_further_one() {
    let guesses = guesses(3, 4, 100);
    for name in ["ann", "ann", "bob", "bob"] {
        let _counted = guesses.take(client(1), &account(name)).await.unwrap();
    }
    let start = Instant::now();
    let cleo = guesses.take(client(1), &account("cleo")).await.unwrap();
    assert!(start.elapsed() >= RETRY_DELAY);
    cleo.give_back();
    let _wrong = guesses.take(client(1), &account("cleo")).await.unwrap();
    assert!(guesses.take(client(1), &account("cleo")).await.is_err());
    let _other = guesses.take(client(1), &account("dora")).await.unwrap();
    let start = Instant::now();
    assert!(guesses.take(client(2), &account("cleo")).await.is_ok());
    assert!(
        start.elapsed() < RETRY_DELAY,
        "another client is not slowed down"
    );
}

#[actix_web::test]
async fn a_client_has_few_slow_tries_at_once_and_a_refused_one_does_not_count() {
    let guesses = guesses(1, 1, 100);
    let _wrong = guesses.take(client(1), &account("ann")).await.unwrap();
    let names: Vec<EmailKey> = (0..40).map(|number| account(&number.to_string())).collect();
    let tries = join_all(names.iter().map(|name| guesses.take(client(1), name))).await;
    let taken = tries.iter().filter(|taken| taken.is_ok()).count();
    assert_eq!(taken, Waiting::OF_CLIENT);
    assert!(guesses.waiting.now.lock().unwrap().is_empty());
    assert!(guesses.take(client(1), &names[39]).await.is_ok());
}

#[actix_web::test]
async fn guesses_from_everywhere_slow_an_account_down_and_refuse_no_new_client() {
    let (guesses, ann) = (guesses(2, 9, 3), account("ann"));
    for number in 1..=3 {
        let _wrong = guesses.take(client(number), &ann).await.unwrap();
    }
    let start = Instant::now();
    assert!(guesses.take(client(9), &ann).await.is_ok());
    assert!(start.elapsed() >= RETRY_DELAY);
    let start = Instant::now();
    assert!(guesses.count(client(8), &ann).await.is_ok());
    assert!(start.elapsed() >= RETRY_DELAY);
    assert!(guesses.take(client(9), &account("bob")).await.is_ok());
}

#[actix_web::test]
async fn only_so_many_clients_wait_at_once() {
    let waiting = Waiting::default();
    let number = |number: usize| IpAddr::from(u32::try_from(number).unwrap().to_be_bytes());
    let places: Vec<_> = (0..Waiting::CLIENTS)
        .map(|index| waiting.enter(number(index)).unwrap())
        .collect();
    assert!(waiting.enter(number(Waiting::CLIENTS)).is_none());
    drop(places);
    assert!(waiting.enter(number(Waiting::CLIENTS)).is_some());
}
