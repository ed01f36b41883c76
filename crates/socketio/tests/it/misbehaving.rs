//! Peers that break the rules.

use std::time::Duration;

use allclear_socketio::{Event, Settings, SocketRef};
use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::support::{Report, TestServer, quick, soon};

#[actix_web::test]
async fn malformed_packets_close_their_session() {
    let mut server = TestServer::start(quick());
    for (packet, reason) in [
        ("", "parse error"),
        ("x", "parse error"),
        ("4", "parse error"),
        ("4x", "parse error"),
        ("42{}", "parse error"),
        ("42[1", "parse error"),
        ("45-[]", "parse error"),
        ("4511-[\"a\"]", "parse error"),
        ("44{}", "parse error"),
        ("2", "transport error"),
        ("b*", "parse error"),
        ("41{}", "parse error"),
        ("42/nowhere,[\"a\"]", "forced server close"),
    ] {
        let (mut wire, _) = server.joined().await;
        wire.send(packet).await;
        wire.close_code().await;
        assert_eq!(server.disconnected().await, reason, "{packet}");
    }
    server.until_sessions(0).await;
}

#[actix_web::test]
async fn malformed_frames_are_closed_with_their_code() {
    let mut server = TestServer::start(Settings {
        max_http_buffer_size: 1000,
        ..quick()
    });
    let part = |opcode, payload: &'static [u8], last| {
        Message::Frame(Frame::message(payload, OpCode::Data(opcode), last))
    };
    let table: [(Vec<Message>, u16); 5] = [
        (vec![Message::text("4".repeat(1001))], 1009),
        (
            vec![
                part(Data::Text, &[b'4'; 600], false),
                part(Data::Continue, &[b'4'; 600], true),
            ],
            1009,
        ),
        (vec![part(Data::Text, b"4\xff\xff", true)], 1007),
        (vec![part(Data::Continue, b"4", true)], 1002),
        (
            vec![part(Data::Text, b"4", false), part(Data::Text, b"4", true)],
            1002,
        ),
    ];
    for (messages, code) in table {
        let (mut wire, _) = server.joined().await;
        for message in messages {
            wire.send_message(message).await;
        }
        assert_eq!(wire.close_code().await, Some(code));
        assert_eq!(server.disconnected().await, "transport error");
    }
}

#[actix_web::test]
async fn fragmented_messages_are_assembled_around_control_frames() {
    let mut server = TestServer::start(quick());
    let (mut wire, _) = server.joined().await;
    let part = |opcode, payload: &'static [u8], last| {
        Message::Frame(Frame::message(payload, OpCode::Data(opcode), last))
    };
    wire.send_message(part(Data::Text, b"421[\"", false)).await;
    wire.send_message(Message::Ping("are you there".into()))
        .await;
    wire.send_message(part(Data::Continue, b"a\"]", true)).await;
    assert_eq!(
        wire.message().await,
        Some(Message::Pong("are you there".into()))
    );
    assert_eq!(wire.data().await, "431[]");
}

#[actix_web::test]
async fn payloads_of_other_types_close_the_session() {
    let server = TestServer::start(quick());
    let polling = server.polling().await;
    assert_eq!(polling.post(vec![b'4', 0xff]).await.0, 400);
    assert_eq!(polling.poll().await.0, 400);
    let polling = server.polling().await;
    let binary = polling
        .client
        .post(&polling.url)
        .header("Content-Type", "application/octet-stream")
        .body("4a");
    assert_eq!(binary.send().await.unwrap().status(), 400);
    assert_eq!(polling.poll().await.0, 400);
}

#[actix_web::test]
async fn other_methods_are_refused_and_the_session_stays() {
    let server = TestServer::start(Settings::default());
    let polling = server.polling().await;
    let delete = polling.client.delete(&polling.url).send();
    assert_eq!(soon(delete).await.unwrap().status(), 405);
    polling.post("40").await;
    let (status, joined) = polling.poll().await;
    assert!(status == 200 && joined.starts_with("40{"), "{joined}");
}

#[actix_web::test]
async fn overlapping_requests_close_their_session() {
    let server = TestServer::start(Settings::default());
    let polling = server.polling().await;
    let (first, second) = futures_util::join!(polling.poll(), polling.poll());
    let mut statuses = [first, second];
    statuses.sort();
    assert_eq!(statuses, [(200, "1".into()), (400, String::new())]);

    let polling = server.polling().await;
    let mut slow = server.raw().await;
    let path = polling.url.split_once("/socket.io").unwrap().1;
    let head = format!(
        "POST /socket.io{path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n"
    );
    slow.write_all(head.as_bytes()).await.unwrap();
    // The server waits for a body that never arrives.
    let mut response = [0; 12];
    soon(slow.read_exact(&mut response)).await.unwrap();
    assert_eq!(&response, b"HTTP/1.1 100");
    assert_eq!(polling.post("3").await, (400, String::new()));
    assert_eq!(polling.poll().await.0, 400);
    server.until_sessions(0).await;
}

#[actix_web::test]
async fn client_that_never_reads_is_dropped_without_delaying_others() {
    let settings = Settings {
        max_queue_packets: 64,
        max_queue_bytes: 256 * 1024,
        ..Settings::default()
    };
    let mut server = TestServer::start(settings);
    let (deaf, deaf_socket) = server.joined().await;
    let (mut wire, _) = server.joined().await;
    let space = server.server.of("/").unwrap().clone();
    let large = Event::new("large", &("x".repeat(16 * 1024),)).unwrap();
    let mut sent = 0;
    while deaf_socket.is_connected() {
        space.emit(&large);
        assert!(wire.data().await.starts_with("42[\"large\""));
        sent += 1;
        assert!(sent < 10_000, "the queue has an end");
    }
    assert_eq!(server.disconnected().await, "client too slow");
    server.until_sessions(1).await;
    drop(deaf);
}

#[actix_web::test]
async fn events_that_are_sent_together_do_not_make_a_client_slow() {
    let settings = Settings {
        max_queue_packets: 4,
        max_queue_bytes: 1024,
        ..quick()
    };
    let mut server = TestServer::start(settings);
    let polling = server.polling().await;
    assert_eq!(polling.post("40").await.0, 200);
    let socket = server.connected().await;
    polling.poll().await;
    let space = server.server.of("/").unwrap().clone();
    let event = |number: usize| Event::new("changed", &("x".repeat(100), number)).unwrap();
    let events: Vec<_> = (0..200).map(event).collect();
    space.all().emit_all(&events);
    socket.emit(&Event::new("after", &()).unwrap());
    let (status, payload) = polling.poll().await;
    assert_eq!(status, 200);
    let packets: Vec<_> = payload.split('\x1e').collect();
    assert_eq!(packets.len(), 201);
    assert!(packets[199].starts_with("42[\"changed\"") && packets[199].ends_with(",199]"));
    assert_eq!(packets[200], "42[\"after\"]");
}

/// Waits until the connection has taken everything from the queue.
async fn flushed(socket: &SocketRef) {
    while socket.queued() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[actix_web::test]
async fn a_message_is_flushed_when_its_end_is_sent() {
    let mut server = TestServer::start(Settings {
        max_queue_bytes: 16 * 1024 * 1024,
        ..Settings::default()
    });
    let (mut slow, socket) = server.joined().await;
    // More than the kernels accept.
    let large = Event::new("large", &("x".repeat(15 * 1024 * 1024),)).unwrap();
    socket.emit(&large);
    flushed(&socket).await;
    let unread = timeout(Duration::from_millis(200), socket.flushed()).await;
    assert!(unread.is_err(), "the client has read nothing");
    let sent = async { futures_util::join!(slow.data(), socket.flushed()) };
    timeout(Duration::from_secs(20), sent).await.unwrap();
}

#[actix_web::test]
async fn a_response_to_a_poll_is_flushed_when_its_end_is_sent() {
    let mut server = TestServer::start(Settings {
        max_queue_bytes: 16 * 1024 * 1024,
        ..Settings::default()
    });
    let polling = server.polling().await;
    polling.post("40").await;
    polling.poll().await;
    let socket = server.connected().await;
    // More than the kernels accept.
    let large = Event::new("large", &("x".repeat(15 * 1024 * 1024),)).unwrap();
    socket.emit(&large);
    let unread = polling.client.get(&polling.url).send().await.unwrap();
    // Another poll does not mean that the response to the last one was read.
    let client = polling.client.clone();
    let another = tokio::spawn(client.get(&polling.url).send());
    let flushed = timeout(Duration::from_millis(200), socket.flushed()).await;
    assert!(flushed.is_err(), "the client has read nothing");
    let sent = async { futures_util::join!(unread.bytes(), socket.flushed()) };
    let (body, ()) = timeout(Duration::from_secs(20), sent).await.unwrap();
    assert!(body.unwrap().len() > 15 * 1024 * 1024);
    another.abort();
}

#[actix_web::test]
async fn handshake_with_a_body_is_refused() {
    let server = TestServer::start(quick());
    for framing in ["Content-Length: 1", "Transfer-Encoding: chunked"] {
        let mut client = server.raw().await;
        let request = format!(
            "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n{framing}\r\n\r\n"
        );
        client.write_all(request.as_bytes()).await.unwrap();
        let mut response = [0; 12];
        client.read_exact(&mut response).await.unwrap();
        assert_eq!(&response, b"HTTP/1.1 400");
    }
}

#[actix_web::test]
async fn connection_of_a_client_that_never_reads_is_closed() {
    let mut server = TestServer::start(Settings {
        max_queue_packets: 8,
        ..quick()
    });
    let mut deaf = server.raw().await;
    let request = "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n";
    deaf.write_all(request.as_bytes()).await.unwrap();
    deaf.write_all(&[0x81, 0x82, 0, 0, 0, 0, b'4', b'0'])
        .await
        .unwrap();
    let socket = server.connected().await;
    let large = Event::new("large", &("x".repeat(256 * 1024),)).unwrap();
    // As much as the kernels accept.
    while socket.is_connected()
        && timeout(Duration::from_secs(1), flushed(&socket))
            .await
            .is_ok()
    {
        socket.emit(&large);
    }
    while socket.is_connected() {
        socket.emit(&large);
    }
    // Without the kernel's timeout, writes would succeed for ever.
    soon(async {
        while deaf.write_all(&[0x8A, 0x80, 0, 0, 0, 0]).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[actix_web::test]
async fn a_flood_is_read_no_faster_than_it_is_handled() {
    let mut server = TestServer::start(Settings::default());
    let (mut flood, _) = server.joined().await;
    let (mut other, _) = server.joined().await;
    flood.send(r#"42["wait"]"#).await;
    let large = format!(r#"42["large","{}"]"#, "x".repeat(128 * 1024));
    let mut sent = 1;
    while timeout(Duration::from_secs(1), flood.send(&large))
        .await
        .is_ok()
    {
        sent += 1;
        assert!(sent < 512, "64 MiB are more than the kernels accept");
    }
    other.send(r#"421["a"]"#).await;
    assert_eq!(other.data().await, "431[]");
    server.release();
    // After the event that was being sent.
    soon(flood.send(r#"42["end"]"#)).await;
    let mut handled = 0;
    loop {
        match server.next_report().await {
            Report::Event(name, _) if name == "large" => handled += 1,
            Report::Event(name, _) if name == "end" => break,
            Report::Event(..) => {}
            report => panic!("{report:?}"),
        }
    }
    assert_eq!(handled, sent);
}

#[actix_web::test]
async fn payload_of_many_tiny_packets_is_handled() {
    let mut server = TestServer::start(quick());
    let polling = server.polling().await;
    polling.post("40").await;
    let payload = vec!["42[\"a\"]"; 20_000].join("\u{1e}");
    assert_eq!(polling.post(payload).await, (200, "ok".into()));
    server.connected().await;
    for _ in 0..20_000 {
        server.next_report().await;
    }
}

#[actix_web::test]
async fn closed_poll_connection_ends_its_session() {
    let server = TestServer::start(Settings::default());
    let polling = server.polling().await;
    let mut poll = server.raw().await;
    let path = polling.url.split_once("/socket.io").unwrap().1;
    poll.write_all(format!("GET /socket.io{path} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes())
        .await
        .unwrap();
    // Once the first poll is waiting, a second one would close the session; so the end is
    // detected otherwise.
    poll.shutdown().await.unwrap();
    let mut rest = Vec::new();
    poll.read_to_end(&mut rest).await.unwrap();
    server.until_sessions(0).await;
}

#[actix_web::test]
async fn thousands_of_abandoned_handshakes_leave_nothing_behind() {
    let server = TestServer::start(quick());
    let client = crate::support::client_builder()
        .pool_max_idle_per_host(64)
        .build()
        .unwrap();
    let url = server.url("EIO=4&transport=polling");
    for _ in 0..100 {
        let handshakes = (0..100).map(|_| async {
            let response = client.get(&url).send().await.unwrap();
            assert_eq!(response.status(), 200);
            response.bytes().await.unwrap();
        });
        join_all(handshakes).await;
    }
    server.until_sessions(0).await;
}

#[actix_web::test]
async fn missing_body_ends_the_session() {
    let server = TestServer::start(quick());
    let polling = server.polling().await;
    let mut slow = server.raw().await;
    let path = polling.url.split_once("/socket.io").unwrap().1;
    let head = format!("POST /socket.io{path} HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n4");
    slow.write_all(head.as_bytes()).await.unwrap();
    let mut response = [0; 12];
    soon(slow.read_exact(&mut response)).await.unwrap();
    assert_eq!(&response, b"HTTP/1.1 400");
    server.until_sessions(0).await;
}

/// Opens a WebSocket session by hand, to send frames that no client sends.
async fn by_hand(server: &TestServer) -> TcpStream {
    let mut stream = server.raw().await;
    let request = "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\
        Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

#[actix_web::test]
async fn frame_is_refused_by_its_announced_length() {
    const MASK: [u8; 4] = [0; 4];
    let server = TestServer::start(Settings {
        max_http_buffer_size: 1000,
        ..quick()
    });
    let huge = [&[0x82, 0xff], &(1_u64 << 40).to_be_bytes()[..], &MASK].concat();
    let part = |first: u8, length: u16| [&[first, 0xfe], &length.to_be_bytes()[..], &MASK].concat();
    let parts = [part(0x01, 600), vec![b'4'; 600], part(0x80, 600)].concat();
    let table = [
        ("a frame of a tebibyte", huge, 1009_u16),
        ("a frame a little too long", part(0x81, 1001), 1009),
        ("parts that are too long together", parts, 1009),
        ("a control frame", part(0x89, 126), 1002),
    ];
    for (what, frames, code) in table {
        let mut stream = by_hand(&server).await;
        stream.write_all(&frames).await.unwrap();
        let close = [&[0x88, 2], &code.to_be_bytes()[..]].concat();
        let mut said = Vec::new();
        // Only the header is sent: a server that waits for the payload would not respond.
        while !said.ends_with(&close) {
            let read = soon(stream.read_buf(&mut said)).await.unwrap();
            assert!(read > 0, "{what}: {said:?}");
        }
    }
    server.until_sessions(0).await;
}

#[actix_web::test]
async fn event_is_bounded_together_with_its_attachments() {
    let mut server = TestServer::start(Settings {
        max_http_buffer_size: 1000,
        ..quick()
    });
    let (mut wire, _) = server.joined().await;
    wire.send(r#"453-["a"]"#).await;
    for _ in 0..2 {
        wire.send_message(Message::binary(vec![0; 600])).await;
    }
    wire.close_code().await;
    assert_eq!(server.disconnected().await, "parse error");
}

#[actix_web::test]
async fn client_whose_connects_are_refused_again_and_again_is_closed() {
    let server = TestServer::start(quick());
    let mut wire = server.wire("EIO=4&transport=websocket").await;
    assert!(wire.text().await.starts_with('0'));
    for _ in 0..9 {
        wire.send("40/nowhere,").await;
        assert!(wire.data().await.starts_with("44/nowhere,"));
    }
    server.until_sessions(1).await;
    wire.send("40/nowhere,").await;
    assert!(wire.data().await.starts_with("44/nowhere,"));
    wire.close_code().await;
    server.until_sessions(0).await;
}
