//! What receivers may do, and what it means for the delivery.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::clock::TestClock;
use allclear_application::message::{MessageError, MessageKind, Messenger};
use allclear_domain::channel::Channel;
use allclear_outbound::client::{OutboundClient, OutboundSettings, Timeouts};
use allclear_outbound::lookup::SystemLookup;
use allclear_outbound::messenger::HttpMessenger;
use allclear_outbound::target::AllowedTargets;
use chrono::TimeDelta;
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

use crate::content::{content, message, state};
use crate::receiver::Receiver;

/// Long enough for what is expected to happen.
const PATIENT: Timeouts = Timeouts {
    connect: Duration::from_mins(1),
    request: Duration::from_mins(1),
};

fn messenger(timeouts: Timeouts) -> HttpMessenger {
    let settings = OutboundSettings {
        allowed: AllowedTargets::parse(["127.0.0.1"]).unwrap(),
        allow_http: false,
    };
    let client = OutboundClient::with(settings, Arc::new(SystemLookup), timeouts).unwrap();
    HttpMessenger::with_client(client, TestClock::stopped())
}

async fn sent(url: &str, timeouts: Timeouts) -> Result<(), MessageError> {
    let content = content(state(), MessageKind::Test);
    let message = message(Channel::Slack, url, content);
    messenger(timeouts).send(message).await
}

/// The outcome for a receiver that sends this response.
async fn outcome(response: &str) -> Result<(), MessageError> {
    let response: Arc<str> = response.into();
    let mut receiver = Receiver::start(move |mut stream: TcpStream| {
        let response = Arc::clone(&response);
        async move {
            let _ = stream.write_all(response.as_bytes()).await;
            let _ = stream.shutdown().await;
            let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
        }
    })
    .await;
    let outcome = sent(&receiver.url, PATIENT).await;
    assert_eq!(receiver.requests().len(), 1);
    outcome
}

fn temporary(reason: &str, retry_after: Option<i64>) -> Result<(), MessageError> {
    Err(MessageError::Temporary {
        reason: reason.into(),
        retry_after: retry_after.map(TimeDelta::seconds),
    })
}

#[tokio::test]
async fn the_status_decides() {
    let length = "Content-Length: 0\r\n\r\n";
    let after_a_minute = "Retry-After: Tue, 14 Nov 2023 22:14:20 GMT";
    for (head, expected) in [
        ("200 OK\r\n", Ok(())),
        ("202 Accepted\r\n", Ok(())),
        ("204 No Content\r\n", Ok(())),
        (
            "301 Moved\r\nLocation: http://127.0.0.1/\r\n",
            temporary("The response is a redirect, which is not followed", None),
        ),
        (
            "307 Elsewhere\r\nLocation: /other\r\n",
            temporary("The response is a redirect, which is not followed", None),
        ),
        ("410 Gone\r\n", Err(MessageError::Gone)),
        (
            "404 Not Found\r\nRetry-After: 7\r\n",
            temporary("The receiver responded with 404", Some(7)),
        ),
        (
            "500 Oops\r\n",
            temporary("The receiver responded with 500", None),
        ),
        (
            "429 Slow\r\nRetry-After: 7\r\n",
            temporary("The receiver responded with 429", Some(7)),
        ),
        (
            "503 Busy\r\n",
            temporary("The receiver responded with 503", None),
        ),
    ] {
        let response = format!("HTTP/1.1 {head}{length}");
        assert_eq!(outcome(&response).await, expected, "{head}");
    }
    for status in [429, 503] {
        let response = format!("HTTP/1.1 {status} Slow\r\n{after_a_minute}\r\n{length}");
        let reason = format!("The receiver responded with {status}");
        assert_eq!(outcome(&response).await, temporary(&reason, Some(60)));
    }
}

#[tokio::test]
async fn a_response_that_breaks_off_fails() {
    let closed = "The connection was closed before the end of the response";
    assert_eq!(outcome("").await, temporary(closed, None));
    assert_eq!(
        outcome("HTTP/1.1 200 OK\r\nContent-Le").await,
        temporary(closed, None)
    );
    assert_eq!(
        outcome("SSH-2.0-OpenSSH_9.6\r\n\r\n").await,
        temporary("The response is not valid", None)
    );
}

#[tokio::test]
async fn a_body_that_breaks_off_does_not_undo_the_status() {
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok";
    assert_eq!(outcome(response).await, Ok(()));
}

#[tokio::test]
async fn an_endless_body_is_not_read_to_its_end() {
    let (sender, mut written) = mpsc::channel(1);
    let receiver = Receiver::start(move |mut stream| {
        let sender = sender.clone();
        async move {
            let head = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n";
            stream.write_all(head).await.unwrap();
            let chunk = vec![b'x'; 64 * 1024];
            let mut written = 0;
            while stream.write_all(&chunk).await.is_ok() {
                written += chunk.len();
            }
            sender.send(written).await.unwrap();
        }
    })
    .await;
    assert_eq!(sent(&receiver.url, PATIENT).await, Ok(()));
    // Most of it is in the buffers of the system.
    let written = written.recv().await.unwrap();
    assert!(written < 16 * 1024 * 1024, "{written}");
}

#[tokio::test]
async fn a_receiver_that_does_not_respond_fails_in_time() {
    let mut receiver = Receiver::start(|mut stream| async move {
        // Until the client closes the connection.
        let _ = stream.read_u8().await;
    })
    .await;
    let timeouts = Timeouts {
        request: Duration::from_millis(300),
        ..PATIENT
    };
    let outcome = sent(&receiver.url, timeouts).await;
    assert_eq!(outcome, temporary("There is no response in time", None));
    assert_eq!(receiver.requests().len(), 1);
}

#[tokio::test]
async fn a_head_that_stops_fails_in_time() {
    let receiver = Receiver::start(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX: ").await;
        // Until the client closes the connection.
        let _ = stream.read_u8().await;
    })
    .await;
    let timeouts = Timeouts {
        request: Duration::from_millis(300),
        ..PATIENT
    };
    let outcome = sent(&receiver.url, timeouts).await;
    assert_eq!(outcome, temporary("There is no response in time", None));
}

#[tokio::test]
async fn a_dead_port_refuses_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let outcome = sent(&format!("http://127.0.0.1:{port}/key"), PATIENT).await;
    assert_eq!(outcome, temporary("The connection is refused", None));
}

#[tokio::test]
async fn an_own_certificate_is_not_valid() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let certified = rcgen::generate_simple_self_signed(["127.0.0.1".into()]).unwrap();
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let _ = acceptor.accept(stream).await;
        }
    });
    let outcome = sent(&format!("https://127.0.0.1:{port}/key"), PATIENT).await;
    assert_eq!(outcome, temporary("The certificate is not valid", None));
}

#[tokio::test]
async fn a_receiver_without_encryption_fails() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    });
    let outcome = sent(&format!("https://127.0.0.1:{port}/key"), PATIENT).await;
    assert_eq!(
        outcome,
        temporary("No encrypted connection can be made", None)
    );
}

#[tokio::test]
async fn reasons_do_not_contain_the_url() {
    let receiver = Receiver::start(|_| async {}).await;
    for url in [
        receiver.url.as_str(),
        "https://127.0.0.1:1/secret",
        "http://10.0.0.1/secret",
    ] {
        let error = sent(url, PATIENT).await.unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
        assert!(!format!("{error:?}").contains("secret"), "{error:?}");
    }
}

#[tokio::test]
async fn connections_are_used_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        for _ in 0..3 {
            crate::receiver::Request::read(&mut stream).await.unwrap();
            let response = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
            stream.write_all(response).await.unwrap();
        }
    });
    let messenger = messenger(PATIENT);
    for _ in 0..3 {
        let content = content(state(), MessageKind::Test);
        let sent = messenger.send(message(Channel::Slack, &url, content)).await;
        assert_eq!(sent, Ok(()));
    }
    serving.await.unwrap();
}
