//! TLS and signing in.

use allclear_application::mail::SendError;
use allclear_mail::smtp::{Server, SmtpLimits, SmtpMailer};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::{Value, json};

use crate::mail_server::{MailServer, mail, send, sender};

/// A mail server with a certificate that it made itself.
struct TlsSetup {
    server: MailServer,
    certificate: String,
}

impl TlsSetup {
    async fn start(mut options: Value) -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        options["key"] = json!(signing_key.serialize_pem());
        options["cert"] = json!(cert.pem());
        Self {
            server: MailServer::start_with(options).await,
            certificate: cert.pem(),
        }
    }

    /// Over this address, in which `{}` is host and port.
    fn mailer(&self, url: &str, trusted: bool) -> SmtpMailer {
        let url = url.replace("{}", &format!("localhost:{}", self.server.port));
        let server = Server::parse(&url, trusted.then_some(self.certificate.as_bytes())).unwrap();
        SmtpMailer::new(
            server,
            SmtpLimits::default(),
            sender("Allclear <mail@example.com>"),
        )
    }
}

fn reason(result: Result<(), SendError>) -> String {
    match result {
        Err(SendError::Temporary { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn starttls_is_used_where_it_is_asked_for_and_offered() {
    let mut setup = TlsSetup::start(json!({"tls": "starttls"})).await;
    for (url, secure) in [
        ("smtp://{}", false),
        ("smtp://{}?tls=required", true),
        ("smtp://{}?tls=opportunistic", true),
    ] {
        send(&setup.mailer(url, true), mail("ann@example.com"))
            .await
            .unwrap();
        assert_eq!(setup.server.mail().await["secure"], json!(secure), "{url}");
    }
}

#[tokio::test]
async fn where_starttls_is_not_offered_it_is_done_without_or_not_at_all() {
    let mut setup = TlsSetup::start(json!({})).await;
    send(
        &setup.mailer("smtp://{}?tls=opportunistic", true),
        mail("ann@example.com"),
    )
    .await
    .unwrap();
    assert_eq!(setup.server.mail().await["secure"], json!(false));
    let failure = reason(
        send(
            &setup.mailer("smtp://{}?tls=required", true),
            mail("ann@example.com"),
        )
        .await,
    );
    assert!(failure.contains("STARTTLS"), "{failure}");
}

#[tokio::test]
async fn smtps_is_encrypted_from_the_first_byte() {
    let mut setup = TlsSetup::start(json!({"tls": "wrapper"})).await;
    send(&setup.mailer("smtps://{}", true), mail("ann@example.com"))
        .await
        .unwrap();
    assert_eq!(setup.server.mail().await["secure"], json!(true));
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_not_trusted() {
    for (tls, url) in [
        ("wrapper", "smtps://{}"),
        ("starttls", "smtp://{}?tls=required"),
        ("starttls", "smtp://{}?tls=opportunistic"),
    ] {
        let setup = TlsSetup::start(json!({"tls": tls})).await;
        let failure = reason(send(&setup.mailer(url, false), mail("ann@example.com")).await);
        assert!(failure.contains("certificate"), "{failure}");
    }
}

#[tokio::test]
async fn a_certificate_of_another_host_is_not_trusted() {
    let setup = TlsSetup::start(json!({"tls": "wrapper"})).await;
    let url = format!("smtps://127.0.0.1:{}", setup.server.port);
    let server = Server::parse(&url, Some(setup.certificate.as_bytes())).unwrap();
    let mailer = SmtpMailer::new(server, SmtpLimits::default(), sender("mail@example.com"));
    let failure = reason(send(&mailer, mail("ann@example.com")).await);
    assert!(failure.contains("certificate"), "{failure}");
}

#[tokio::test]
async fn we_sign_in_where_there_is_a_user() {
    let login = json!({"tls": "starttls", "user": "ann@example.com", "password": "p:/@ss wörd"});
    let mut setup = TlsSetup::start(login).await;
    let url = "smtp://ann%40example.com:p%3A%2F%40ss%20w%C3%B6rd@{}?tls=required";
    send(&setup.mailer(url, true), mail("ann@example.com"))
        .await
        .unwrap();
    assert_eq!(setup.server.mail().await["user"], json!("ann@example.com"));
}

#[tokio::test]
async fn refused_sign_in_is_reported_without_the_password() {
    let setup = TlsSetup::start(json!({"user": "ann", "password": "right"})).await;
    // The server's reply repeats the password.
    let failure = reason(
        send(
            &setup.mailer("smtp://ann:hunter2@{}", true),
            mail("ann@example.com"),
        )
        .await,
    );
    assert_eq!(
        failure,
        "the mail server refused the sign-in: it does not take the user and password"
    );
    let without = reason(send(&setup.mailer("smtp://{}", true), mail("ann@example.com")).await);
    assert!(without.starts_with("530"), "{without}");
}
