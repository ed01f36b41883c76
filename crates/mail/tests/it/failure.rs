//! Which failures are temporary, and which are permanent.

use std::time::Duration;

use allclear_application::mail::SendError;
use allclear_mail::smtp::{Server, SmtpLimits, SmtpMailer};
use serde_json::json;

use crate::mail_server::{MailServer, mail, mailer, send, sender};

fn temporary(result: Result<(), SendError>) -> String {
    match result {
        Err(SendError::Temporary { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

fn unconfirmed(result: Result<(), SendError>) -> String {
    match result {
        Err(SendError::Unconfirmed { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

fn permanent(result: Result<(), SendError>) -> String {
    match result {
        Err(SendError::Permanent { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn reply_of_the_mail_server_decides_about_a_retry() {
    let mut server = MailServer::start().await;
    let mailer = server.mailer();
    assert_eq!(
        temporary(send(&mailer, mail("temporary@example.com")).await),
        "450 4.2.1 mailbox busy"
    );
    assert_eq!(
        temporary(send(&mailer, mail("full@example.com")).await),
        "452 4.3.1 disk full"
    );
    assert_eq!(
        permanent(send(&mailer, mail("permanent@example.com")).await),
        "550 5.1.1 no such mailbox"
    );
    assert_eq!(
        permanent(send(&mailer, mail("spam@example.com")).await),
        "554 5.7.1 looks like spam"
    );
    // A refusal to relay and a quota do not concern the mailbox, so they are temporary.
    assert_eq!(
        temporary(send(&mailer, mail("relay@example.com")).await),
        "554 5.7.1 Relay access denied"
    );
    assert_eq!(
        temporary(send(&mailer, mail("quota@example.com")).await),
        "550 5.4.5 Daily user sending limit exceeded"
    );
    // After all these refusals, the connection is still used.
    send(&mailer, mail("ann@example.com")).await.unwrap();
    let received = server.mail().await;
    assert_eq!(
        (&received["to"], &received["open"]),
        (&json!("ann@example.com"), &json!(1))
    );
}

#[tokio::test]
async fn a_connection_that_drops_leaves_a_message_unconfirmed_but_not_its_recipient() {
    let mut server = MailServer::start().await;
    let mailer = server.mailer();
    unconfirmed(send(&mailer, mail("dropped1@example.com")).await);
    temporary(send(&mailer, mail("farewell1@example.com")).await);
    send(&mailer, mail("dropped1@example.com")).await.unwrap();
    send(&mailer, mail("farewell1@example.com")).await.unwrap();
    assert_eq!(server.mail().await["to"], json!("dropped1@example.com"));
    assert_eq!(server.mail().await["to"], json!("farewell1@example.com"));
}

#[tokio::test]
async fn a_silent_server_fails_after_the_timeout_and_its_connection_is_not_used_again() {
    let mut server = MailServer::start().await;
    let limits = SmtpLimits {
        confirm: Duration::from_millis(500),
        ..SmtpLimits::default()
    };
    let impatient = mailer(&server.url(), limits);
    let reason = unconfirmed(send(&impatient, mail("silent@example.com")).await);
    assert_eq!(
        reason,
        "the mail server did not confirm the message in time"
    );
    // With the default limits, because a busy machine may need longer to accept a mail.
    send(&server.mailer(), mail("ann@example.com"))
        .await
        .unwrap();
    let received = server.mail().await;
    assert_eq!(
        (
            &received["to"],
            received["text"]
                .as_str()
                .unwrap()
                .matches("Somebody")
                .count()
        ),
        (&json!("ann@example.com"), 1)
    );
}

#[tokio::test]
async fn the_confirmation_of_a_message_may_come_later_than_other_replies() {
    let mut server = MailServer::start().await;
    let limits = SmtpLimits {
        exchange: Duration::from_secs(2),
        ..SmtpLimits::default()
    };
    let mailer = mailer(&server.url(), limits);
    send(&mailer, mail("slow@example.com")).await.unwrap();
    assert_eq!(server.mail().await["to"], json!("slow@example.com"));
}

#[tokio::test]
async fn a_server_without_a_greeting_fails_after_the_timeout() {
    let mute = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", mute.local_addr().unwrap());
    let short = Duration::from_millis(200);
    let of_connection = SmtpLimits {
        connect: short,
        ..SmtpLimits::default()
    };
    let of_all = SmtpLimits {
        begin: short,
        ..SmtpLimits::default()
    };
    for limits in [of_connection, of_all] {
        assert_eq!(
            temporary(send(&mailer(&url, limits), mail("ann@example.com")).await),
            "the mail server did not respond in time"
        );
    }
}

#[tokio::test]
async fn a_mail_does_not_wait_longer_for_a_connection_than_it_may_take() {
    let mute = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", mute.local_addr().unwrap());
    let limits = SmtpLimits {
        connections: 0,
        begin: Duration::from_millis(200),
        ..SmtpLimits::default()
    };
    assert_eq!(
        temporary(send(&mailer(&url, limits), mail("ann@example.com")).await),
        "the mail server did not respond in time"
    );
}

#[tokio::test]
async fn an_unavailable_server_is_a_temporary_failure() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let mailer = mailer(&format!("smtp://127.0.0.1:{port}"), SmtpLimits::default());
    assert!(temporary(send(&mailer, mail("ann@example.com")).await).contains("refused"));
}

#[tokio::test]
async fn an_address_of_ours_that_the_server_does_not_like_is_no_fault_of_the_recipients() {
    let server = MailServer::start().await;
    let from = sender("Stranger <stranger@example.com>");
    let mailer = SmtpMailer::new(
        Server::parse(&server.url(), None).unwrap(),
        SmtpLimits::default(),
        from,
    );
    assert_eq!(
        temporary(send(&mailer, mail("ann@example.com")).await),
        "553 5.7.1 not your address"
    );
}

#[tokio::test]
async fn unmailable_address_is_refused_before_the_mail_server_is_contacted() {
    let mailer = mailer("smtp://127.0.0.1:9", SmtpLimits::default());
    for bad in [
        "bob@example.com\r\nBcc: eve@example.com",
        "bob",
        "bob@",
        "b ob@example.com",
        "bob@example.com\0",
    ] {
        assert_eq!(
            permanent(send(&mailer, mail(bad)).await),
            "no mail can go to such an address",
            "{bad:?}"
        );
    }
}
