use super::*;

use std::sync::Arc;

use allclear_application::clock::{Clock, TestClock};
use allclear_application::mail::MailContent;
use chrono::TimeDelta;

fn clock() -> Arc<dyn Clock> {
    let clock = TestClock::stopped();
    clock.advance(TimeDelta::milliseconds(123));
    clock
}

fn sender() -> Sender {
    Sender::new(
        "Acme <mail@example.com>",
        "https://status.example.com",
        clock(),
    )
    .unwrap()
}

fn invitation(organisation: &str) -> Mail {
    let link = format!(
        "https://status.example.com/login?invitation={}",
        "x".repeat(43)
    );
    let (organisation, inviter) = (Some(organisation.to_owned()), Some("Ann".to_owned()));
    Mail::new(
        "bob@example.com".into(),
        MailContent::Invitation {
            organisation,
            inviter,
            link,
        },
    )
}

async fn sent(mail: Mail) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mailer = FileMailer::new(&folder.path().join("mail"), sender()).unwrap();
    mailer.send(mail).await.unwrap();
    let name = "20231114T221320.123Z-00000000-0000-0000-0000-000000000002.eml";
    fs::read_to_string(folder.path().join("mail").join(name)).unwrap()
}

#[tokio::test]
async fn a_mail_is_a_message_in_text_and_html() {
    let message = sent(invitation("Acme")).await;
    for line in [
        "From: Acme <mail@example.com>\r\n",
        "To: bob@example.com\r\n",
        "Subject: You are invited to Acme\r\n",
        "Message-ID: <00000000-0000-0000-0000-000000000001@status.example.com>\r\n",
        "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n",
        "Content-Type: text/plain; charset=utf-8\r\n",
        "Content-Type: text/html; charset=utf-8\r\n",
    ] {
        assert!(message.contains(line), "{line:?} in {message}");
    }
}

#[tokio::test]
async fn an_address_that_takes_no_mail_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mailer = FileMailer::new(folder.path(), sender()).unwrap();
    let mail = Mail {
        to: "bob@example.com\r\nBcc: eve@example.com".into(),
        ..invitation("Acme")
    };
    assert!(matches!(
        mailer.send(mail).await,
        Err(SendError::Permanent { .. })
    ));
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_may_read_a_mail() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mailer = FileMailer::new(folder.path(), sender()).unwrap();
    mailer.send(invitation("Acme")).await.unwrap();
    let file = fs::read_dir(folder.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn unfinished_mails_of_a_crash_are_removed_and_whole_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    let mailer = FileMailer::new(folder.path(), sender()).unwrap();
    mailer.send(invitation("Acme")).await.unwrap();
    for name in ["one.part", "two.part"] {
        fs::write(folder.path().join(name), "From: a").unwrap();
    }
    assert_eq!(remove_unfinished(folder.path()).unwrap(), 2);
    let left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].extension().unwrap(), "eml");
    assert_eq!(remove_unfinished(&folder.path().join("none")).unwrap(), 0);
}

#[test]
fn a_mail_that_cannot_be_written_leaves_no_file_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.eml");
    fs::create_dir(&path).unwrap();
    assert!(write(&path, b"From: a").is_err());
    assert!(!path.with_extension(UNFINISHED).exists());
}
