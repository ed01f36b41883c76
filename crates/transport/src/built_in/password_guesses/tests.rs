use super::*;
use futures_util::FutureExt as _;
use futures_util::future::{join_all, ready};
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

/// A client with another address for each number.
fn numbered(number: usize) -> IpAddr {
    IpAddr::from(u32::try_from(number).unwrap().to_be_bytes())
}

fn account(name: &str) -> EmailKey {
    EmailKey::of(&format!("{name}@example.com"))
}

/// An attempt from an unknown device.
async fn take<'g>(
    guesses: &'g PasswordGuesses,
    client: IpAddr,
    email: &EmailKey,
) -> Result<Attempt<'g>, Problem> {
    guesses.take(client, email, ready(Ok(false))).await
}

/// An attempt within a session in an unknown browser.
async fn retry(guesses: &PasswordGuesses, client: IpAddr, email: &EmailKey) -> Result<(), Problem> {
    guesses
        .take_or_refuse(client, email, ready(Ok(false)))
        .await
}

#[tokio::test(start_paused = true)]
async fn parallel_attempts_at_an_account_are_counted_before_they_run() {
    let (guesses, ann) = (guesses(10, 100, 100), account("ann"));
    let tries = join_all((0..240).map(|_| take(&guesses, client(1), &ann))).await;
    assert_eq!(tries.iter().filter(|taken| taken.is_ok()).count(), 10);
    assert!(take(&guesses, client(1), &ann).await.is_err());
    let start = Instant::now();
    assert!(take(&guesses, client(2), &ann).await.is_ok());
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
        taken += usize::from(take(&guesses, client, &ann).await.is_ok());
    }
    assert_eq!(taken, 32);
    let elsewhere = IpAddr::from([0x2001, 0xdb8, 2, 0, 0, 0, 0, 0]);
    take(&guesses, elsewhere, &ann).await.unwrap().give_back();
}

#[tokio::test(start_paused = true)]
async fn correct_password_counts_as_a_sign_in_and_not_as_a_guess() {
    let (guesses, ann) = (guesses(2, 2, 2), account("ann"));
    for _ in 0..SIGN_INS.burst {
        take(&guesses, client(1), &ann).await.unwrap().give_back();
    }
    let parallel = take(&guesses, client(1), &ann).await.unwrap();
    for _ in 0..SIGN_INS.burst {
        take(&guesses, client(1), &ann).await.unwrap().succeed();
    }
    parallel.succeed();
    assert!(take(&guesses, client(1), &ann).await.is_err());
    // Somebody else with the password does not lock the owner out.
    take(&guesses, client(2), &ann).await.unwrap().succeed();
    let bob = account("bob");
    take(&guesses, client(1), &bob).await.unwrap().succeed();
}

#[tokio::test(start_paused = true)]
async fn client_over_its_limit_gets_one_delayed_attempt_per_account() {
    let guesses = guesses(3, 4, 100);
    for name in ["ann", "ann", "bob", "bob"] {
        let _counted = take(&guesses, client(1), &account(name)).await.unwrap();
    }
    let start = Instant::now();
    let cleo = take(&guesses, client(1), &account("cleo")).await.unwrap();
    assert!(start.elapsed() >= guesses.slowed_clients.pause);
    cleo.give_back();
    let _wrong = take(&guesses, client(1), &account("cleo")).await.unwrap();
    assert!(take(&guesses, client(1), &account("cleo")).await.is_err());
    let _other = take(&guesses, client(1), &account("dora")).await.unwrap();
    let start = Instant::now();
    assert!(take(&guesses, client(2), &account("cleo")).await.is_ok());
    assert_eq!(
        start.elapsed(),
        Duration::ZERO,
        "another client is not delayed"
    );
}

#[tokio::test(start_paused = true)]
async fn delayed_attempts_of_a_client_are_bounded_and_refused_ones_not_counted() {
    let guesses = guesses(1, 1, 100);
    let _wrong = take(&guesses, client(1), &account("ann")).await.unwrap();
    let names: Vec<EmailKey> = (0..40).map(|number| account(&number.to_string())).collect();
    let tries = join_all(names.iter().map(|name| take(&guesses, client(1), name))).await;
    let taken = tries.iter().filter(|taken| taken.is_ok()).count();
    assert_eq!(taken, SlowedAttempts::MAX_PER_CLIENT);
    assert!(guesses.slowed_clients.clients.is_empty());
    assert!(take(&guesses, client(1), &names[39]).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn guesses_of_many_clients_delay_attempts_but_refuse_none() {
    let (guesses, ann) = (guesses(2, 9, 3), account("ann"));
    for number in 1..=3 {
        let _wrong = take(&guesses, client(number), &ann).await.unwrap();
    }
    let start = Instant::now();
    assert!(take(&guesses, client(9), &ann).await.is_ok());
    assert!(start.elapsed() >= guesses.slowed_accounts.pause);
    let start = Instant::now();
    assert!(retry(&guesses, client(8), &ann).await.is_ok());
    assert!(start.elapsed() >= guesses.slowed_accounts.pause);
    assert!(take(&guesses, client(9), &account("bob")).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn known_device_does_not_wait_for_an_account_over_its_limit() {
    let (guesses, ann) = (guesses(1, 9, 1), account("ann"));
    let _wrong = take(&guesses, client(1), &ann).await.unwrap();
    let failed = guesses.take(client(2), &ann, ready(Err(Error::Unauthenticated("No"))));
    assert!(failed.await.is_err());
    let start = Instant::now();
    let from_known = || guesses.take(client(2), &ann, ready(Ok(true)));
    assert!(from_known().await.is_ok(), "the failed one is not counted");
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert!(from_known().await.is_err(), "it has no more guesses");
}

#[tokio::test(start_paused = true)]
async fn delayed_clients_refuse_no_attempt_at_an_account_over_its_limit() {
    let (guesses, ann) = (guesses(2, 1, 1), account("ann"));
    let mut attempts = Vec::new();
    for number in 0..SlowedAttempts::MAX / SlowedAttempts::MAX_PER_CLIENT {
        let client = numbered(number);
        let tried = |attempt: usize| account(&format!("{number}-{attempt}"));
        let _wrong = take(&guesses, client, &tried(0)).await.unwrap();
        let waiting = 1..=SlowedAttempts::MAX_PER_CLIENT;
        attempts.extend(waiting.map(|attempt| (client, tried(attempt))));
    }
    let wait = |(client, email)| Box::pin(take(&guesses, client, email));
    let tries = attempts.iter().map(|(client, email)| (*client, email));
    let mut delayed: Vec<_> = tries.map(wait).collect();
    for attempt in &mut delayed {
        assert!(attempt.as_mut().now_or_never().is_none());
    }
    let _wrong = take(&guesses, client(1), &ann).await.unwrap();
    assert!(take(&guesses, client(1), &account("bob")).await.is_err());
    let start = Instant::now();
    assert!(take(&guesses, client(2), &ann).await.is_ok());
    assert!(start.elapsed() >= guesses.slowed_accounts.pause);
    assert!(retry(&guesses, client(3), &ann).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn delayed_sign_ins_to_one_account_leave_places_for_others_and_for_its_owner() {
    let (guesses, ann, bob) = (guesses(1, 9, 1), account("ann"), account("bob"));
    for email in [&ann, &bob] {
        let _wrong = take(&guesses, client(1), email).await.unwrap();
    }
    let clients = (0..=MAX_SLOWED_SIGN_INS).map(numbered);
    let wait = |client| Box::pin(take(&guesses, client, &ann));
    let mut delayed: Vec<_> = clients.map(wait).collect();
    let (last, first) = delayed.split_last_mut().unwrap();
    for attempt in first {
        assert!(attempt.as_mut().now_or_never().is_none());
    }
    let refused = last.as_mut().now_or_never().unwrap();
    assert!(refused.is_err());
    assert!(retry(&guesses, client(2), &ann).await.is_ok());
    assert!(take(&guesses, client(2), &bob).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn owner_in_a_known_browser_changes_the_password_while_all_places_are_taken() {
    let (guesses, ann) = (guesses(1, 9, 1), account("ann"));
    let _wrong = take(&guesses, client(1), &ann).await.unwrap();
    let places: Vec<_> = (0..SlowedAttempts::MAX)
        .map(|number| guesses.slowed_accounts.enter(numbered(number)).unwrap())
        .collect();
    let owner = numbered(SlowedAttempts::MAX);
    assert!(retry(&guesses, owner, &ann).await.is_err());
    let start = Instant::now();
    let from_known = guesses.take_or_refuse(owner, &ann, ready(Ok(true)));
    assert!(from_known.await.is_ok(), "the refused one is not counted");
    assert_eq!(start.elapsed(), Duration::ZERO);
    drop(places);
}

#[tokio::test(start_paused = true)]
async fn number_of_delayed_attempts_is_bounded() {
    let slowed = SlowedAttempts::default();
    let attempts: Vec<_> = (0..SlowedAttempts::MAX)
        .map(|index| slowed.enter(numbered(index)).unwrap())
        .collect();
    assert!(slowed.enter(numbered(SlowedAttempts::MAX)).is_none());
    drop(attempts);
    assert!(slowed.enter(numbered(SlowedAttempts::MAX)).is_some());
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
