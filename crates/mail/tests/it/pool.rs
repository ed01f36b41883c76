//! Connections are kept, up to the limit.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use allclear_application::mail::Mailer;
use allclear_mail::smtp::SmtpLimits;

use crate::mail_server::{MailServer, mail, mailer, send};

#[tokio::test]
async fn one_connection_carries_mail_after_mail() {
    let mut server = MailServer::start().await;
    let mailer = server.mailer();
    let mut connections = HashSet::new();
    for _ in 0..5 {
        send(&mailer, mail("ann@example.com")).await.unwrap();
        connections.insert(
            server.mail().await["connection"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
    }
    assert_eq!(connections.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_never_more_connections_than_allowed() {
    let mut server = MailServer::start().await;
    let mailer = Arc::new(mailer(
        &server.url(),
        SmtpLimits {
            connections: 3,
            ..SmtpLimits::default()
        },
    ));
    let sending: Vec<_> = (0..60)
        .map(|number| {
            let mailer = Arc::clone(&mailer);
            tokio::spawn(async move { mailer.send(mail(&format!("{number}@example.com"))).await })
        })
        .collect();
    let mut recipients = HashSet::new();
    for _ in 0..60 {
        let received = server.mail().await;
        assert!(received["open"].as_u64().unwrap() <= 3);
        recipients.insert(received["to"].as_str().unwrap().to_owned());
    }
    for sent in sending {
        sent.await.unwrap().unwrap();
    }
    assert_eq!(recipients.len(), 60, "each of them once");
}

#[tokio::test]
async fn a_connection_that_the_server_has_closed_costs_no_mail() {
    let mut server = MailServer::start().await;
    let mailer = server.mailer();
    for _ in 0..3 {
        send(&mailer, mail("ann@example.com")).await.unwrap();
        server.mail().await;
        server.close().await;
    }
    send(&mailer, mail("bob@example.com")).await.unwrap();
    assert_eq!(server.mail().await["to"], "bob@example.com");
}

#[tokio::test]
async fn a_connection_is_left_when_nobody_uses_it() {
    let mut server = MailServer::start().await;
    let mailer = mailer(
        &server.url(),
        SmtpLimits {
            idle: Duration::from_nanos(1),
            ..SmtpLimits::default()
        },
    );
    send(&mailer, mail("ann@example.com")).await.unwrap();
    let first = server.mail().await["connection"].clone();
    send(&mailer, mail("ann@example.com")).await.unwrap();
    assert_ne!(server.mail().await["connection"], first);
}

#[tokio::test]
async fn a_mail_that_nobody_waits_for_any_more_spoils_none_that_follows() {
    let mut server = MailServer::start().await;
    let mailer = Arc::new(server.mailer());
    let abandoned = Arc::clone(&mailer);
    let sending = tokio::spawn(async move { abandoned.send(mail("silent@example.com")).await });
    // The server has the message, and does not say so.
    assert_eq!(server.next("refused").await["to"], "silent@example.com");
    sending.abort();
    assert!(sending.await.unwrap_err().is_cancelled());
    send(&mailer, mail("ann@example.com")).await.unwrap();
    let received = server.mail().await;
    assert_eq!(received["to"], "ann@example.com");
    assert!(
        !received["raw"].as_str().unwrap().contains("silent@"),
        "nothing of the other one is in it"
    );
}
