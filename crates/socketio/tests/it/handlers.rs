//! Calls to handlers.

use std::time::Duration;

use allclear_socketio::{AckError, Event};
use bytes::Bytes;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::support::{Report, TestServer, quick, soon};

#[actix_web::test]
async fn refused_client_gets_the_reason_and_may_retry() {
    let mut server = TestServer::start(quick());
    let mut wire = server.wire("EIO=4&transport=websocket").await;
    wire.text().await;
    wire.send(r#"40{"token":"bad"}"#).await;
    assert_eq!(
        wire.data().await,
        r#"44{"message":"bad token","data":["expired"]}"#
    );
    wire.send("40").await;
    assert!(wire.data().await.starts_with("40{"));
    server.connected().await;
}

#[actix_web::test]
async fn session_of_a_temporary_refusal_ends_without_a_reason() {
    let server = TestServer::start(quick());
    let mut wire = server.wire("EIO=4&transport=websocket").await;
    wire.text().await;
    wire.send(r#"40{"token":"unknown"}"#).await;
    while let Some(message) = wire.message().await {
        assert!(!message.to_string().starts_with("44"), "{message}");
    }
    server.until_sessions(0).await;
}

#[actix_web::test]
async fn headers_and_credentials_reach_the_handler() {
    let mut server = TestServer::start(quick());
    let mut request = server
        .url("EIO=4&transport=websocket")
        .replace("http", "ws")
        .into_client_request()
        .unwrap();
    request
        .headers_mut()
        .insert("Authorization", "Bearer abc".parse().unwrap());
    let (stream, _) = soon(tokio_tungstenite::connect_async(request))
        .await
        .unwrap();
    let mut wire = crate::support::Wire::from(stream);
    wire.text().await;
    wire.send(r#"40{"a":1}"#).await;
    wire.data().await;
    server.connected().await;
    wire.send(r#"427["who"]"#).await;
    assert_eq!(wire.data().await, r#"437["Bearer abc{\"a\":1}"]"#);
}

#[actix_web::test]
async fn a_handler_may_wait_for_an_acknowledgement() {
    let mut server = TestServer::start(quick());
    let (mut wire, _) = server.joined().await;
    wire.send(r#"421["question"]"#).await;
    assert_eq!(wire.data().await, r#"420["question",1]"#);
    wire.send(r#"430["yes",2]"#).await;
    assert_eq!(wire.data().await, r#"431["\"yes\",2"]"#);
    wire.send(r#"422["question"]"#).await;
    assert_eq!(wire.data().await, r#"421["question",1]"#);
    assert_eq!(wire.data().await, r#"432["operation has timed out"]"#);
}

#[actix_web::test]
async fn leaving_client_ends_the_wait_for_acknowledgements() {
    let mut server = TestServer::start(quick());
    let (mut wire, socket) = server.joined().await;
    let event = Event::new("a", &()).unwrap();
    let response = socket.emit_with_ack(&event, Duration::from_mins(1));
    let leave = async {
        wire.data().await;
        wire.send("1").await;
    };
    let (response, ()) = soon(async { futures_util::join!(response, leave) }).await;
    assert_eq!(response, Err(AckError::Disconnected));
}

#[actix_web::test]
async fn attachments_arrive_with_their_event_whatever_else_is_sent() {
    let mut server = TestServer::start(quick());
    let (mut wire, socket) = server.joined().await;
    let placeholder = allclear_socketio::Attachment::new(0);
    let event =
        Event::with_attachments("file", &(placeholder,), vec![Bytes::from_static(b"bytes")])
            .unwrap();
    let other = socket.clone();
    let sender = std::thread::spawn(move || {
        for _ in 0..200 {
            other.emit(&Event::new("noise", &()).unwrap());
        }
    });
    for _ in 0..200 {
        socket.emit(&event);
    }
    sender.join().unwrap();
    let mut files = 0;
    while files < 200 {
        if wire.text().await.starts_with("451-") {
            assert_eq!(wire.message().await, Some(Message::binary("bytes")));
            files += 1;
        }
    }
}

#[actix_web::test]
async fn acknowledgement_carries_attachments() {
    let mut server = TestServer::start(quick());
    let (mut wire, _) = server.joined().await;
    wire.send(r#"451-7["file",{"_placeholder":true,"num":0}]"#)
        .await;
    wire.send_message(Message::binary("bytes")).await;
    assert_eq!(wire.data().await, r#"461-7[{"_placeholder":true,"num":0}]"#);
    assert_eq!(wire.message().await, Some(Message::binary("bytes")));
}

#[actix_web::test]
async fn disconnected_socket_gets_a_packet_and_the_session_continues() {
    let mut server = TestServer::start(quick());
    let (mut wire, socket) = server.joined().await;
    wire.send("40/other,").await;
    assert!(wire.data().await.starts_with("40/other,{"));
    let other = server.connected().await;
    assert_ne!(other.sid(), socket.sid());
    socket.disconnect();
    socket.emit(&Event::new("after-disconnect", &()).unwrap());
    assert_eq!(wire.data().await, "41");
    assert_eq!(server.disconnected().await, "server namespace disconnect");
    other.emit(&Event::new("other", &()).unwrap());
    assert_eq!(wire.data().await, r#"42/other,["other"]"#);
}

#[actix_web::test]
async fn leaving_a_namespace_calls_the_handler_once() {
    let mut server = TestServer::start(quick());
    let (mut wire, socket) = server.joined().await;
    wire.send("41").await;
    assert_eq!(server.disconnected().await, "client namespace disconnect");
    assert!(!socket.is_connected());
    wire.send("40").await;
    assert!(wire.data().await.starts_with("40{"));
    assert!(matches!(server.next_report().await, Report::Connected(_)));
}

#[actix_web::test]
async fn panic_of_a_handler_ends_its_client_only() {
    let mut server = TestServer::start(quick());
    let (mut wire, _) = server.joined().await;
    let (mut other, _) = server.joined().await;
    wire.send(r#"42["panic"]"#).await;
    wire.close_code().await;
    other.send(r#"421["fine"]"#).await;
    assert_eq!(other.data().await, "431[]");
    server.until_sessions(1).await;
    assert_eq!(server.server.of("/").unwrap().len(), 1);
}
