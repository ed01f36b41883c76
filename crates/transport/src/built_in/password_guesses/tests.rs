use super::*;
use futures_util::future::join_all;
use tokio::time::Instant;

fn guesses(guesses: u32, sign_in: u32, account_guesses: u32) -> PasswordGuesses {
    let limit = |burst| RateLimit { burst, per_hour: 1 };
    PasswordGuesses::new(&IdentityLimits {
        guesses: limit(guesses),
        sign_in: limit(sign_in),
        account_guesses: limit(account_guesses),
        ..IdentityLimits::default()
    })
}

fn client(number: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, number])
}

fn account(name: &str) -> EmailKey {
    EmailKey::of(&format!("{name}@example.com"))
}

#[tokio::test(start_paused = true)]
async fn parallel_attempts_at_an_account_are_counted_before_they_run() {
    let (guesses, ann) = (guesses(10, 100, 100), account("ann"));
    let tries = join_all((0..240).map(|_| guesses.take(client(1), &ann))).await;
    assert_eq!(tries.iter().filter(|taken| taken.is_ok()).count(), 10);
    assert!(guesses.take(client(1), &ann).await.is_err());
    let start = Instant::now();
    assert!(guesses.take(client(2), &ann).await.is_ok());
    assert_eq!(
        start.elapsed(),
        Duration::ZERO,
        "the account's bucket is not empty"
    );
}

#[tokio::test(start_paused = true)]
async fn ipv6_clients_of_one_site_have_the_attempts_of_sixteen_at_an_account() {
    let (guesses, ann) = (guesses(2, 1_000, 1_000), account("ann"));
    let mut taken = 0;
    for number in 0..100 {
        let client = IpAddr::from([0x2001, 0xdb8, 1, number, 0, 0, 0, 0]);
        taken += usize::from(guesses.take(client, &ann).await.is_ok());
    }
    assert_eq!(taken, 32);
    let elsewhere = IpAddr::from([0x2001, 0xdb8, 2, 0, 0, 0, 0, 0]);
    guesses.take(elsewhere, &ann).await.unwrap().give_back();
}

#[tokio::test(start_paused = true)]
async fn correct_password_counts_as_a_sign_in_and_not_as_a_guess() {
    let (guesses, ann) = (guesses(2, 2, 2), account("ann"));
    for _ in 0..SIGN_INS.burst {
        guesses.take(client(1), &ann).await.unwrap().give_back();
    }
    let parallel = guesses.take(client(1), &ann).await.unwrap();
    for _ in 0..SIGN_INS.burst {
        guesses.take(client(1), &ann).await.unwrap().succeed();
    }
    parallel.succeed();
    assert!(guesses.take(client(1), &ann).await.is_err());
    // Somebody else with the password does not lock the owner out.
    guesses.take(client(2), &ann).await.unwrap().succeed();
    let bob = account("bob");
    guesses.take(client(1), &bob).await.unwrap().succeed();
}

#[tokio::test(start_paused = true)]
async fn client_over_its_limit_gets_one_delayed_attempt_per_account() {
    let guesses = guesses(3, 4, 100);
    for name in ["ann", "ann", "bob", "bob"] {
        let _counted = guesses.take(client(1), &account(name)).await.unwrap();
    }
    let start = Instant::now();
    let cleo = guesses.take(client(1), &account("cleo")).await.unwrap();
    assert!(start.elapsed() >= guesses.slowed.pause);
    cleo.give_back();
    let _wrong = guesses.take(client(1), &account("cleo")).await.unwrap();
    assert!(guesses.take(client(1), &account("cleo")).await.is_err());
    let _other = guesses.take(client(1), &account("dora")).await.unwrap();
    let start = Instant::now();
    assert!(guesses.take(client(2), &account("cleo")).await.is_ok());
    assert_eq!(
        start.elapsed(),
        Duration::ZERO,
        "another client is not delayed"
    );
}

#[tokio::test(start_paused = true)]
async fn delayed_attempts_of_a_client_are_bounded_and_refused_ones_not_counted() {
    let guesses = guesses(1, 1, 100);
    let _wrong = guesses.take(client(1), &account("ann")).await.unwrap();
    let names: Vec<EmailKey> = (0..40).map(|number| account(&number.to_string())).collect();
    let tries = join_all(names.iter().map(|name| guesses.take(client(1), name))).await;
    let taken = tries.iter().filter(|taken| taken.is_ok()).count();
    assert_eq!(taken, SlowedAttempts::MAX_PER_CLIENT);
    assert!(guesses.slowed.clients.is_empty());
    assert!(guesses.take(client(1), &names[39]).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn guesses_of_many_clients_delay_attempts_but_refuse_none() {
    let (guesses, ann) = (guesses(2, 9, 3), account("ann"));
    for number in 1..=3 {
        let _wrong = guesses.take(client(number), &ann).await.unwrap();
    }
    let start = Instant::now();
    assert!(guesses.take(client(9), &ann).await.is_ok());
    assert!(start.elapsed() >= guesses.slowed.pause);
    let start = Instant::now();
    assert!(guesses.take_or_refuse(client(8), &ann).await.is_ok());
    assert!(start.elapsed() >= guesses.slowed.pause);
    assert!(guesses.take(client(9), &account("bob")).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn number_of_delayed_attempts_is_bounded() {
    let slowed = SlowedAttempts::default();
    let number = |number: usize| IpAddr::from(u32::try_from(number).unwrap().to_be_bytes());
    let attempts: Vec<_> = (0..SlowedAttempts::MAX)
        .map(|index| slowed.enter(number(index)).unwrap())
        .collect();
    assert!(slowed.enter(number(SlowedAttempts::MAX)).is_none());
    drop(attempts);
    assert!(slowed.enter(number(SlowedAttempts::MAX)).is_some());
}

#[tokio::test(start_paused = true)]
async fn delayed_attempts_of_one_site_leave_room_for_others() {
    let slowed = SlowedAttempts::default();
    let network = |site, number| IpAddr::from([0x2001, 0xdb8, site, number, 0, 0, 0, 0]);
    let attempts: Vec<_> = (0..2048)
        .filter_map(|number| slowed.enter(network(0, number)))
        .collect();
    assert!(attempts.len() < SlowedAttempts::MAX);
    assert!(slowed.enter(network(1, 0)).is_some());
}
