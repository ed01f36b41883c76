//! Handshake, heartbeat, upgrade and the ends of sessions.

use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use actix_web::HttpRequest;
use allclear_socketio::{Admission, Event, OverLimit, Permit, Permits, Server, Settings};
use futures_util::FutureExt as _;
use tokio::time::timeout;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::support::{Report, TestServer, client, get, quick, soon};

#[actix_web::test]
async fn no_ping_is_sent_before_its_interval_has_passed() {
    let server = TestServer::start(quick());
    let begin = Instant::now();
    let mut wire = server.wire("EIO=4&transport=websocket").await;
    wire.text().await;
    assert_eq!(wire.text().await, "2");
    assert!(
        begin.elapsed()
            >= quick()
                .ping_interval
                .saturating_sub(Duration::from_millis(5))
    );
}

#[actix_web::test]
async fn client_without_pongs_is_closed() {
    let mut server = TestServer::start(quick());
    let (mut wire, _) = server.joined().await;
    assert_eq!(wire.text().await, "2");
    assert_eq!(server.disconnected().await, "ping timeout");
    wire.close_code().await;
    server.until_sessions(0).await;
}

#[actix_web::test]
async fn any_packet_keeps_the_session_alive() {
    let mut server = TestServer::start(quick());
    let (mut wire, socket) = server.joined().await;
    let begin = Instant::now();
    while begin.elapsed() < 2 * (quick().ping_interval + quick().ping_timeout) {
        wire.send(r#"421["a"]"#).await;
        while wire.text().await != "431[]" {}
    }
    assert!(socket.is_connected());
}

#[actix_web::test]
async fn session_without_a_namespace_is_closed() {
    let server = TestServer::start(quick());
    let begin = Instant::now();
    let mut wire = server.wire("EIO=4&transport=websocket").await;
    while let Some(message) = wire.message().await {
        if message == Message::text("2") {
            wire.send("3").await;
        }
    }
    assert!(
        begin.elapsed()
            >= quick()
                .connect_timeout
                .saturating_sub(Duration::from_millis(5))
    );
    server.until_sessions(0).await;
}

#[actix_web::test]
async fn websocket_that_does_not_upgrade_is_closed_without_its_session() {
    let server = TestServer::start(quick());
    let polling = server.polling().await;
    let mut wire = server
        .wire(&format!("EIO=4&transport=websocket&sid={}", polling.sid))
        .await;
    assert_eq!(wire.close_code().await, None);
    assert_eq!(polling.poll().await, (200, "2".into()));
}

#[actix_web::test]
async fn upgrade_that_is_not_allowed_is_closed_and_the_poll_continues() {
    let server = TestServer::start(Settings {
        allow_upgrades: false,
        ..Settings::default()
    });
    let (_, open) = get(&client(), &server.url("EIO=4&transport=polling")).await;
    assert!(open.contains(r#""upgrades":[]"#), "{open}");
    let polling = server.polling().await;
    let mut poll = pin!(polling.poll());
    let early = timeout(Duration::from_millis(50), poll.as_mut()).await;
    assert!(early.is_err(), "there is nothing to send");
    let mut wire = server
        .wire(&format!("EIO=4&transport=websocket&sid={}", polling.sid))
        .await;
    assert_eq!(wire.close_code().await, None);
    polling.post("40").await;
    let (status, joined) = soon(poll).await;
    assert!(status == 200 && joined.starts_with("40{"), "{joined}");
}

#[actix_web::test]
async fn transport_that_is_off_is_refused() {
    let table = [("polling", false, true), ("websocket", true, false)];
    for (off, polling, websocket) in table {
        let server = TestServer::start(Settings {
            polling,
            websocket,
            ..Settings::default()
        });
        let url = server.url(&format!("EIO=4&transport={off}"));
        let refusal = r#"{"code":0,"message":"Transport unknown"}"#;
        assert_eq!(get(&client(), &url).await, (400, refusal.into()), "{off}");
    }
}

#[actix_web::test]
async fn second_upgrade_is_closed_and_the_first_continues() {
    let server = TestServer::start(quick());
    let polling = server.polling().await;
    let query = format!("EIO=4&transport=websocket&sid={}", polling.sid);
    let mut first = server.wire(&query).await;
    first.send("2probe").await;
    assert_eq!(first.text().await, "3probe");
    let mut second = server.wire(&query).await;
    second.close_code().await;
    first.send("5").await;
    assert_eq!(first.text().await, "2");
}

#[actix_web::test]
async fn events_both_ways_keep_their_order_across_the_upgrade() {
    let mut server = TestServer::start(quick());
    let polling = server.polling().await;
    polling
        .post("40\u{1e}42[\"slow\",0]\u{1e}42[\"e\",1]\u{1e}42[\"e\",2]")
        .await;
    let (_, joined) = polling.poll().await;
    assert!(joined.starts_with("40{"), "{joined}");
    let socket = server.connected().await;
    let mut wire = server
        .wire(&format!("EIO=4&transport=websocket&sid={}", polling.sid))
        .await;
    wire.send("2probe").await;
    assert_eq!(wire.text().await, "3probe");
    for number in 0..3 {
        socket.emit(&Event::new("n", &(number,)).unwrap());
    }
    wire.send("5").await;
    wire.send("42[\"e\",3]").await;
    for number in 0..3 {
        assert_eq!(wire.data().await, format!("42[\"n\",{number}]"));
    }
    for number in 0..4 {
        let Report::Event(_, items) = server.next_report().await else {
            panic!()
        };
        assert_eq!(items, number.to_string());
    }
}

#[actix_web::test]
async fn packets_sent_before_the_transport_closes_arrive() {
    let mut server = TestServer::start(quick());
    let (mut wire, socket) = server.joined().await;
    socket.emit(&Event::new("last", &()).unwrap());
    socket.close_transport();
    assert_eq!(wire.data().await, r#"42["last"]"#);
    wire.close_code().await;
    assert_eq!(server.disconnected().await, "forced close");
}

#[actix_web::test]
async fn packets_sent_before_a_polling_session_closes_arrive() {
    let mut server = TestServer::start(quick());
    let polling = server.polling().await;
    polling.post("40").await;
    polling.poll().await;
    let socket = server.connected().await;
    socket.emit(&Event::new("last", &()).unwrap());
    socket.close_transport();
    assert_eq!(server.disconnected().await, "forced close");
    assert_eq!(polling.poll().await, (200, "42[\"last\"]\u{1e}1".into()));
    assert_eq!(polling.poll().await.0, 400);
    server.until_sessions(0).await;
}

#[actix_web::test]
async fn packets_of_a_leaving_client_are_handled() {
    let mut server = TestServer::start(quick());
    let (mut wire, _) = server.joined().await;
    for text in [r#"42["slow"]"#, r#"42["a"]"#, r#"42["b"]"#, "1"] {
        wire.send(text).await;
    }
    for name in ["slow", "a", "b"] {
        assert!(matches!(server.next_report().await, Report::Event(event, _) if event == name));
    }
    assert_eq!(server.disconnected().await, "transport close");
}

#[actix_web::test]
async fn a_shutdown_closes_transports_without_a_disconnect_packet_and_waits_for_handlers() {
    let mut server = TestServer::start(quick());
    let (mut wire, _) = server.joined().await;
    wire.send(r#"42["wait"]"#).await;
    assert!(matches!(server.next_report().await, Report::Event(..)));
    let stopping = server.server.clone();
    let mut shutdown = pin!(stopping.shutdown());
    let early = timeout(Duration::from_millis(200), shutdown.as_mut()).await;
    assert!(early.is_err(), "a handler is running");
    assert_eq!(wire.close_code().await, None);
    server.release();
    soon(shutdown).await;
    let last = server.reported();
    assert!(
        matches!(last, Some(Report::Disconnected("server shutting down"))),
        "{last:?}"
    );
    assert_eq!(server.server.sessions(), 0);
    let url = server.url("EIO=4&transport=polling");
    assert_eq!(get(&client(), &url).await.0, 503);
}

#[actix_web::test]
async fn http_server_stops_after_a_shutdown() {
    let mut server = TestServer::start(Settings::default());
    let (mut wire, _) = server.joined().await;
    soon(server.server.shutdown()).await;
    let last = server.reported();
    assert!(
        matches!(last, Some(Report::Disconnected("server shutting down"))),
        "{last:?}"
    );
    assert_eq!(server.server.sessions(), 0);
    wire.close_code().await;
    soon(server.http.stop(true)).await;
}

#[actix_web::test]
async fn shutdown_does_not_wait_for_absent_clients() {
    let server = TestServer::start(Settings::default());
    let polling = server.polling().await;
    soon(server.server.shutdown()).await;
    assert_eq!(polling.poll().await.0, 400);
}

/// Begins a shutdown while it decides about a session.
#[derive(Default)]
struct ShutdownAtAdmission(OnceLock<Server>);

impl Admission for ShutdownAtAdmission {
    fn session(&self, _: &HttpRequest) -> Result<Permits, OverLimit> {
        let server = self.0.get().expect("the server has started");
        assert_eq!(server.shutdown().now_or_never(), Some(()));
        Ok(Permits {
            session: Box::new(()),
            handshake: Box::new(()),
        })
    }

    fn poll(&self, _: &HttpRequest) -> Result<Permit, OverLimit> {
        Ok(Box::new(()))
    }
}

#[actix_web::test]
async fn session_that_opens_during_a_shutdown_is_refused() {
    let admission = Arc::new(ShutdownAtAdmission::default());
    let server = TestServer::start_with(quick(), Some(Arc::clone(&admission) as _));
    assert!(admission.0.set(server.server.clone()).is_ok());
    let url = server.url("EIO=4&transport=polling");
    assert_eq!(get(&client(), &url).await.0, 503);
    assert_eq!(server.server.sessions(), 0);
}

/// Refuses `WebSocket`s of sessions that began with polling.
struct NoUpgrades;

impl Admission for NoUpgrades {
    fn session(&self, _: &HttpRequest) -> Result<Permits, OverLimit> {
        Ok(Permits {
            session: Box::new(()),
            handshake: Box::new(()),
        })
    }

    fn upgrade(&self, _: &HttpRequest) -> Result<(), OverLimit> {
        Err(OverLimit::server(7))
    }

    fn poll(&self, _: &HttpRequest) -> Result<Permit, OverLimit> {
        Ok(Box::new(()))
    }
}

#[actix_web::test]
async fn session_goes_on_polling_if_its_upgrade_is_refused() {
    let mut server = TestServer::start_with(quick(), Some(Arc::new(NoUpgrades)));
    let polling = server.polling().await;
    let query = format!("EIO=4&transport=websocket&sid={}", polling.sid);
    let url = server.url(&query).replace("http", "ws");
    let Err(Error::Http(refusal)) = soon(connect_async(url)).await else {
        panic!("the upgrade is refused")
    };
    assert_eq!(refusal.status(), 503);
    assert_eq!(refusal.headers()["retry-after"], "7");
    polling.post("40").await;
    let (status, joined) = polling.poll().await;
    assert!(status == 200 && joined.starts_with("40{"), "{joined}");
    server.connected().await;
}
