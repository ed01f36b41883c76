use std::time::{Duration, Instant};

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn settings() -> Settings {
    Settings {
        max_queue_packets: 3,
        ..Settings::default()
    }
}

fn open(transport: Transport) -> (SessionState, Instant) {
    let now = Instant::now();
    (SessionState::new(transport, now, &settings()), now)
}

fn polled(state: &mut SessionState) -> String {
    let packets = state.take_poll().expect("the poll can be answered");
    state.end_poll();
    String::from_utf8(super::super::encoded::payload(&packets).to_vec()).expect("text")
}

fn push(state: &mut SessionState, text: &str) {
    state.push(Encoded::text(text), &settings());
}

#[test]
fn pings_are_sent_an_interval_after_the_last_pong() {
    let (mut state, start) = open(Transport::Websocket);
    assert_eq!(
        state.tick(start + 24 * SECOND, &settings()),
        Some(start + 25 * SECOND)
    );
    assert!(matches!(state.take_output(), Output::Idle));
    assert_eq!(
        state.tick(start + 25 * SECOND, &settings()),
        Some(start + 45 * SECOND)
    );
    assert!(matches!(state.take_output(), Output::Packet(_)));
    state.receive(Packet::Pong, start + 30 * SECOND, &settings());
    assert_eq!(
        state.tick(start + 30 * SECOND, &settings()),
        Some(start + 55 * SECOND)
    );
}

#[test]
fn missing_pong_closes_and_any_packet_delays_that() {
    let (mut state, start) = open(Transport::Websocket);
    state.tick(start + 25 * SECOND, &settings());
    state.receive(Packet::Noop, start + 40 * SECOND, &settings());
    assert_eq!(
        state.tick(start + 45 * SECOND, &settings()),
        Some(start + 60 * SECOND)
    );
    assert_eq!(state.tick(start + 60 * SECOND, &settings()), None);
    assert_eq!(state.reason(), Some(CloseReason::PingTimeout));
}

#[test]
fn deadline_of_a_pong_moves_only_if_its_ping_was_sent_much_too_late() {
    for (delay, pong_due) in [
        (Duration::from_millis(20), 45 * SECOND),
        (15 * SECOND, 60 * SECOND),
    ] {
        let (mut state, start) = open(Transport::Websocket);
        let next = state.tick(start + 25 * SECOND + delay, &settings());
        assert_eq!(next, Some(start + pong_due), "{delay:?}");
    }
}

#[test]
fn poll_gets_queued_packets_or_waits() {
    let (mut state, _) = open(Transport::Polling);
    assert_eq!(state.begin_poll(), Ok(()));
    assert!(state.take_poll().is_none());
    push(&mut state, "4a");
    push(&mut state, "4b");
    assert_eq!(polled(&mut state), "4a\u{1e}4b");
}

#[test]
fn second_poll_closes_the_session_and_ends_the_first() {
    let (mut state, _) = open(Transport::Polling);
    assert_eq!(state.begin_poll(), Ok(()));
    assert_eq!(state.begin_poll(), Err(PollError::Overlap));
    assert_eq!(polled(&mut state), "1");
    assert_eq!(state.begin_poll(), Err(PollError::Unknown));
}

#[test]
fn second_request_with_packets_closes_the_session() {
    let (mut state, _) = open(Transport::Polling);
    assert_eq!(state.begin_post(), Ok(()));
    state.end_post();
    assert_eq!(state.begin_post(), Ok(()));
    assert_eq!(state.begin_post(), Err(PollError::Overlap));
    assert_eq!(state.reason(), Some(CloseReason::TransportError));
    assert_eq!(state.begin_post(), Err(PollError::Unknown));
}

#[test]
fn the_poll_of_a_client_that_leaves_ends_with_a_noop() {
    let (mut state, now) = open(Transport::Polling);
    assert_eq!(state.begin_poll(), Ok(()));
    assert_eq!(
        state.receive(Packet::Close, now, &settings()),
        Received::Closed
    );
    assert_eq!(polled(&mut state), "6");
}

#[test]
fn queue_survives_an_upgrade() {
    let (mut state, now) = open(Transport::Polling);
    let attempt = state.attach(now, &settings()).expect("the first may");
    assert_eq!(state.attach(now, &settings()), None);
    assert_eq!(
        state.receive_probe(&Packet::Ping { probe: true }, now),
        Probe::Pong
    );
    assert_eq!(state.begin_poll(), Ok(()));
    assert_eq!(polled(&mut state), "6");
    push(&mut state, "4a");
    assert_eq!(state.receive_probe(&Packet::Upgrade, now), Probe::Complete);
    assert!(!state.is_upgrading(attempt));
    assert!(matches!(state.take_output(), Output::Packet(_)));
    assert_eq!(state.begin_poll(), Err(PollError::WrongTransport));
    assert_eq!(state.attach(now, &settings()), None);
}

#[test]
fn upgrade_that_timed_out_may_be_repeated() {
    let (mut state, now) = open(Transport::Polling);
    let first = state.attach(now, &settings()).expect("the first may");
    assert_eq!(state.tick(now, &settings()), Some(now + 10 * SECOND));
    state.tick(now + 10 * SECOND, &settings());
    assert!(!state.is_upgrading(first));
    let second = state
        .attach(now + 10 * SECOND, &settings())
        .expect("and another");
    state.detach(first);
    assert!(
        state.is_upgrading(second),
        "the first has no say in it any more"
    );
}

#[test]
fn wrong_probe_ends_only_the_upgrade() {
    let (mut state, now) = open(Transport::Polling);
    state.attach(now, &settings());
    assert_eq!(state.receive_probe(&Packet::Pong, now), Probe::Abort);
    assert!(state.is_open());
    assert!(state.attach(now, &settings()).is_some());
}

#[test]
fn a_full_queue_closes() {
    let (mut state, _) = open(Transport::Websocket);
    for _ in 0..3 {
        push(&mut state, "4a");
    }
    assert!(state.is_open());
    push(&mut state, "4a");
    assert_eq!(state.reason(), Some(CloseReason::TooSlow));
    assert_eq!(state.queued(), 0);
}

#[test]
fn queued_packets_are_delivered_before_closing() {
    let (mut state, now) = open(Transport::Websocket);
    push(&mut state, "4a");
    state.drain(CloseReason::ForcedClose, now);
    push(&mut state, "4too late");
    assert!(matches!(state.take_output(), Output::Packet(_)));
    assert!(matches!(state.take_output(), Output::Close));
    assert!(state.is_closed());
}

#[test]
fn closing_session_does_not_wait_for_ever() {
    let (mut state, now) = open(Transport::Polling);
    push(&mut state, "4a");
    state.drain(CloseReason::ForcedClose, now);
    assert_eq!(state.tick(now, &settings()), Some(now + 30 * SECOND));
    assert_eq!(state.tick(now + 30 * SECOND, &settings()), None);
}

#[test]
fn shutdown_ends_a_waiting_poll_and_waits_for_no_other() {
    let (mut state, now) = open(Transport::Polling);
    state.begin_poll().expect("the first may");
    state.drain(CloseReason::ShuttingDown, now);
    assert_eq!(polled(&mut state), "1");
    let (mut absent, now) = open(Transport::Polling);
    absent.drain(CloseReason::ShuttingDown, now);
    assert!(absent.is_closed());
    let (mut ending, now) = open(Transport::Polling);
    ending.drain(CloseReason::ForcedClose, now);
    ending.drain(CloseReason::ShuttingDown, now);
    assert!(
        ending.is_closed(),
        "nor for one that was being closed already"
    );
    assert_eq!(ending.reason(), Some(CloseReason::ForcedClose));
}

#[test]
fn session_expires_unless_that_is_cancelled() {
    let (mut state, now) = open(Transport::Websocket);
    state.expire_at(Some(now + SECOND));
    assert_eq!(state.tick(now, &settings()), Some(now + SECOND));
    state.expire_at(None);
    state.tick(now + SECOND, &settings());
    assert!(state.is_open());
    state.expire_at(Some(now + 2 * SECOND));
    state.tick(now + 2 * SECOND, &settings());
    assert_eq!(state.reason(), Some(CloseReason::ForcedServerClose));
}
