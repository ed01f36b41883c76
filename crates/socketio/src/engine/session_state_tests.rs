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

fn polled(machine: &mut SessionState) -> String {
    let packets = machine.take_poll().expect("the poll can be answered");
    machine.end_poll();
    String::from_utf8(super::super::encoded::payload(&packets).to_vec()).expect("text")
}

fn push(machine: &mut SessionState, text: &str) {
    machine.push(Encoded::text(text), &settings());
}

#[test]
fn pings_are_sent_an_interval_after_the_last_pong() {
    let (mut machine, start) = open(Transport::Websocket);
    assert_eq!(
        machine.tick(start + 24 * SECOND, &settings()),
        Some(start + 25 * SECOND)
    );
    assert!(matches!(machine.take_output(), Output::Idle));
    assert_eq!(
        machine.tick(start + 25 * SECOND, &settings()),
        Some(start + 45 * SECOND)
    );
    assert!(matches!(machine.take_output(), Output::Packet(_)));
    machine.receive(Packet::Pong, start + 30 * SECOND, &settings());
    assert_eq!(
        machine.tick(start + 30 * SECOND, &settings()),
        Some(start + 55 * SECOND)
    );
}

#[test]
fn a_missing_pong_closes_and_any_packet_puts_it_off() {
    let (mut machine, start) = open(Transport::Websocket);
    machine.tick(start + 25 * SECOND, &settings());
    machine.receive(Packet::Noop, start + 40 * SECOND, &settings());
    assert_eq!(
        machine.tick(start + 45 * SECOND, &settings()),
        Some(start + 60 * SECOND)
    );
    assert_eq!(machine.tick(start + 60 * SECOND, &settings()), None);
    assert_eq!(machine.reason(), Some(CloseReason::PingTimeout));
}

#[test]
fn a_poll_gets_what_is_queued_or_waits() {
    let (mut machine, _) = open(Transport::Polling);
    assert_eq!(machine.begin_poll(), Ok(()));
    assert!(machine.take_poll().is_none());
    push(&mut machine, "4a");
    push(&mut machine, "4b");
    assert_eq!(polled(&mut machine), "4a\u{1e}4b");
}

#[test]
fn the_second_of_two_polls_closes_and_the_first_is_told() {
    let (mut machine, _) = open(Transport::Polling);
    assert_eq!(machine.begin_poll(), Ok(()));
    assert_eq!(machine.begin_poll(), Err(PollError::Overlap));
    assert_eq!(polled(&mut machine), "1");
    assert_eq!(machine.begin_poll(), Err(PollError::Unknown));
}

#[test]
fn the_poll_of_a_client_that_leaves_ends_with_a_noop() {
    let (mut machine, now) = open(Transport::Polling);
    assert_eq!(machine.begin_poll(), Ok(()));
    assert_eq!(
        machine.receive(Packet::Close, now, &settings()),
        Received::Closed
    );
    assert_eq!(polled(&mut machine), "6");
}

#[test]
fn an_upgrade_takes_the_queue_along() {
    let (mut machine, now) = open(Transport::Polling);
    let attempt = machine.attach(now, &settings()).expect("the first may");
    assert_eq!(machine.attach(now, &settings()), None);
    assert_eq!(
        machine.receive_probe(&Packet::Ping { probe: true }, now),
        Probe::Answer
    );
    assert_eq!(machine.begin_poll(), Ok(()));
    assert_eq!(polled(&mut machine), "6");
    push(&mut machine, "4a");
    assert_eq!(
        machine.receive_probe(&Packet::Upgrade, now),
        Probe::Complete
    );
    assert!(!machine.is_upgrading(attempt));
    assert!(matches!(machine.take_output(), Output::Packet(_)));
    assert_eq!(machine.begin_poll(), Err(PollError::WrongTransport));
    assert_eq!(machine.attach(now, &settings()), None);
}

#[test]
fn an_upgrade_that_takes_too_long_may_be_tried_again() {
    let (mut machine, now) = open(Transport::Polling);
    let first = machine.attach(now, &settings()).expect("the first may");
    assert_eq!(machine.tick(now, &settings()), Some(now + 10 * SECOND));
    machine.tick(now + 10 * SECOND, &settings());
    assert!(!machine.is_upgrading(first));
    let second = machine
        .attach(now + 10 * SECOND, &settings())
        .expect("and another");
    machine.detach(first);
    assert!(
        machine.is_upgrading(second),
        "the first has no say in it any more"
    );
}

#[test]
fn a_wrong_probe_ends_the_upgrade_only() {
    let (mut machine, now) = open(Transport::Polling);
    machine.attach(now, &settings());
    assert_eq!(machine.receive_probe(&Packet::Pong, now), Probe::Abort);
    assert!(machine.is_open());
    assert!(machine.attach(now, &settings()).is_some());
}

#[test]
fn a_full_queue_closes() {
    let (mut machine, _) = open(Transport::Websocket);
    for _ in 0..3 {
        push(&mut machine, "4a");
    }
    assert!(machine.is_open());
    push(&mut machine, "4a");
    assert_eq!(machine.reason(), Some(CloseReason::TooSlow));
    assert_eq!(machine.queued(), 0);
}

#[test]
fn a_server_that_closes_delivers_first() {
    let (mut machine, now) = open(Transport::Websocket);
    push(&mut machine, "4a");
    machine.drain(CloseReason::ForcedClose, now);
    push(&mut machine, "4too late");
    assert!(matches!(machine.take_output(), Output::Packet(_)));
    assert!(matches!(machine.take_output(), Output::Close));
    assert!(machine.is_closed());
}

#[test]
fn a_client_that_does_not_fetch_the_last_packets_is_not_waited_for() {
    let (mut machine, now) = open(Transport::Polling);
    push(&mut machine, "4a");
    machine.drain(CloseReason::ForcedClose, now);
    assert_eq!(machine.tick(now, &settings()), Some(now + 30 * SECOND));
    assert_eq!(machine.tick(now + 30 * SECOND, &settings()), None);
}

#[test]
fn a_shutdown_tells_the_poll_that_waits_and_waits_for_no_other() {
    let (mut machine, now) = open(Transport::Polling);
    machine.begin_poll().expect("the first may");
    machine.drain(CloseReason::ShuttingDown, now);
    assert_eq!(polled(&mut machine), "1");
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
fn a_session_expires_unless_it_is_lifted() {
    let (mut machine, now) = open(Transport::Websocket);
    machine.expire_at(Some(now + SECOND));
    assert_eq!(machine.tick(now, &settings()), Some(now + SECOND));
    machine.expire_at(None);
    machine.tick(now + SECOND, &settings());
    assert!(machine.is_open());
    machine.expire_at(Some(now + 2 * SECOND));
    machine.tick(now + 2 * SECOND, &settings());
    assert_eq!(machine.reason(), Some(CloseReason::ForcedServerClose));
}
