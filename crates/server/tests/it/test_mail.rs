//! `allclear test-mail`.

use crate::delivery::mail_server::MailServer;
use crate::process::{command, run};

#[tokio::test(flavor = "multi_thread")]
async fn test_mail_reaches_the_mail_server_without_a_database() {
    let mut server = MailServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let smtp = format!("smtp://127.0.0.1:{}", server.port);
    let arguments = [
        "test-mail",
        "ada@example.com",
        "--smtp-url",
        &smtp,
        "--public-url",
        "https://status.example.com",
    ];
    let (code, said, stderr) = run(command(&data, &arguments)).await;
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        said.starts_with("The mail server accepted the mail to ada@example.com."),
        "{said}"
    );
    let mail = server.mail().await;
    assert_eq!(mail["to"], "ada@example.com", "{mail}");
    let text = mail["text"].as_str().unwrap();
    assert!(text.contains("\nhttps://status.example.com\n"), "{text}");
    assert!(!data.join("allclear.db").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn test_mail_that_is_not_sent_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = ["--smtp-url", "smtp://127.0.0.1:1"];
    for (address, flags, expected) in [
        (
            "ada@example.com",
            &[][..],
            "allclear: no mail server is configured: set ALLCLEAR_SMTP_URL, or run the command with the settings of the server",
        ),
        (
            "ada@example.com",
            &server,
            "allclear: the mail was not sent: ",
        ),
        (
            "nobody",
            &server,
            "allclear: the mail was not sent: no mail can go to such an address",
        ),
    ] {
        let arguments = [&["test-mail", address], flags].concat();
        let (code, _, stderr) = run(command(&data, &arguments)).await;
        assert_eq!(code, Some(1), "{address}: {stderr}");
        let last = stderr.lines().last().unwrap();
        assert!(last.starts_with(expected), "{address}: {stderr}");
    }
}
