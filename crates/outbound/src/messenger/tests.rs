use super::*;

use std::sync::Arc;

use allclear_application::clock::TestClock;
use allclear_application::message::{MessageContent, MessageKind, SigningSecret};
use allclear_application::statuspage_api::StatuspageState;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Organisation;
use futures_util::FutureExt;

use crate::client::tests::{CountingReceiver, PreparedLookup};

/// Hosts of this machine and of inner networks. The names have the address 127.0.0.1.
const INNER_HOSTS: [&str; 75] = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0X7F000001",
    "0x7f.0.0.1",
    "0x7f.0x0.0x0.0x1",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "0177.0.0.01",
    "0177.1",
    "00000177.0.0.1",
    "127.0x1",
    "127.0.0.0x1",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "%6c%6f%63%61%6c%68%6f%73%74",
    "127。0。0。1",
    "127．0．0．1",
    "１２７.0.0.1",
    "①②⑦.⓪.⓪.①",
    "0",
    "0.0.0.0",
    "0x0",
    "00",
    "10.0.0.1",
    "10.1",
    "167772161",
    "0xa000001",
    "012.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "172.16.0.1",
    "192.168.0.1",
    "192.168.1",
    "3232235521",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "255.255.255.255",
    "4294967295",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000::0001]",
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2001::7f00:1]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "127.0.0.1.nip.example",
];

/// Texts that are no link to a host, or that hide the host.
const WRONG_LINKS: [&str; 21] = [
    "",
    "127.0.0.1:PORT",
    "//127.0.0.1:PORT/",
    "http://[fe80::1%25lo]:PORT/",
    "http://[::1%lo]:PORT/",
    "http://[127.0.0.1]:PORT/",
    "http://256.0.0.1:PORT/",
    "http://0x100000000:PORT/",
    "http://127.0.0.1.1:PORT/",
    "http://ann@127.0.0.1:PORT/",
    "http://ann:secret@hooks.example:PORT/",
    "http://hooks.example@127.0.0.1:PORT/",
    "http://hooks.example:80@127.0.0.1:PORT/",
    "http:\\\\127.0.0.1:PORT\\",
    "http:127.0.0.1:PORT/",
    "http:///127.0.0.1:PORT/",
    "http://\t127.0.0.1:PORT/",
    "ftp://127.0.0.1:PORT/",
    "file://127.0.0.1/etc/passwd",
    "gopher://127.0.0.1:PORT/",
    "javascript:alert(1)",
];

fn message(url: &str) -> Message {
    let organisation = OrganisationId::parse("org_1").unwrap();
    let now = TestClock::START;
    let state = StatuspageState {
        organisation: Organisation::new(organisation, "Acme".into()),
        url: "https://status.example/status/org_1".into(),
        updated_at: now,
        groups: Vec::new(),
        components: Vec::new(),
        incidents: Vec::new(),
        maintenances: Vec::new(),
        read_at: now,
    };
    Message {
        id: "msg_1".into(),
        target: Target::stored(Channel::Webhook, url.to_owned()),
        secrets: vec![SigningSecret([7; 32])],
        content: MessageContent {
            state: Arc::new(state),
            manage: "https://status.example/subscription".into(),
            at: now,
            kind: MessageKind::Test,
        },
    }
}

fn messenger(receiver: &CountingReceiver, allowed: &[&str]) -> HttpMessenger {
    let lookup = PreparedLookup::new(&[&["127.0.0.1"]]);
    HttpMessenger::with_client(receiver.client(lookup, allowed), TestClock::stopped())
}

async fn assert_refused(messenger: &HttpMessenger, url: &str) {
    assert_message_refused(messenger, message(url)).await;
}

async fn assert_message_refused(messenger: &HttpMessenger, message: Message) {
    let url = message.target.as_str().to_owned();
    let checked = messenger.check(&message.target).await;
    let sent = messenger.send(message).await;
    let refused = checked.expect_err(&url);
    let (MessageError::Permanent { reason } | MessageError::Temporary { reason, .. }) =
        sent.expect_err(&url)
    else {
        panic!("{url} is refused");
    };
    assert_eq!(reason, refused, "{url}");
}

#[tokio::test]
async fn inner_hosts_are_refused_in_every_spelling() {
    let receiver = CountingReceiver::start().await;
    let messenger = messenger(&receiver, &[]);
    for host in INNER_HOSTS {
        for scheme in ["http", "https"] {
            let port = receiver.port;
            assert_refused(&messenger, &format!("{scheme}://{host}:{port}/hook")).await;
        }
    }
    for link in WRONG_LINKS {
        let link = link.replace("PORT", &receiver.port.to_string());
        assert_refused(&messenger, &link).await;
    }
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn the_same_spellings_reach_a_listed_host() {
    let receiver = CountingReceiver::start().await;
    let messenger = messenger(&receiver, &["127.0.0.1", "::ffff:127.0.0.1"]);
    let spellings = ["127.1", "2130706433", "%31%32%37.0.0.1", "localhost."];
    for host in spellings {
        let message = message(&format!("http://{host}:{}/hook", receiver.port));
        assert_eq!(messenger.check(&message.target).await, Ok(()), "{host}");
        assert_eq!(messenger.send(message).await, Ok(()), "{host}");
    }
    assert_eq!(receiver.connections(), spellings.len());
}

#[tokio::test]
async fn listed_range_is_reached_for_operators_only() {
    let receiver = CountingReceiver::start().await;
    let messenger = messenger(&receiver, &["127.0.0.0/8"]);
    for host in ["127.0.0.1", "hooks.internal"] {
        let by_operator = message(receiver.url(host).as_str());
        let by_visitor = Message {
            target: by_operator.target.clone().entered_by_visitor(),
            ..by_operator.clone()
        };
        assert_eq!(messenger.send(by_operator).await, Ok(()), "{host}");
        assert_message_refused(&messenger, by_visitor).await;
    }
    assert_eq!(receiver.connections(), 2);
}

#[tokio::test]
async fn listed_address_is_reached_for_visitors_too() {
    let receiver = CountingReceiver::start().await;
    let messenger = messenger(&receiver, &["127.0.0.1"]);
    let mut message = message(receiver.url("127.0.0.1").as_str());
    message.target = message.target.entered_by_visitor();
    assert_eq!(messenger.check(&message.target).await, Ok(()));
    assert_eq!(messenger.send(message).await, Ok(()));
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn message_holds_no_statuspage_state_while_its_receiver_responds() {
    let receiver = CountingReceiver::start().await;
    let messenger = messenger(&receiver, &["127.0.0.1"]);
    let message = message(receiver.url("127.0.0.1").as_str());
    let state = Arc::downgrade(&message.content.state);
    let mut sending = messenger.send(message);
    // The receiver runs on the same thread, so it has not responded yet.
    assert!(sending.as_mut().now_or_never().is_none());
    assert!(state.upgrade().is_none());
    assert_eq!(sending.await, Ok(()));
}

#[tokio::test]
async fn the_port_of_another_service_is_refused() {
    let receiver = CountingReceiver::start().await;
    let lookup = PreparedLookup::new(&[&["8.8.8.8"]]);
    let client = receiver.client(lookup, &[]);
    let messenger = HttpMessenger::with_client(client, TestClock::stopped());
    for port in [22, 25, 80, 6379, 8080] {
        assert_refused(&messenger, &format!("http://hooks.example:{port}/")).await;
    }
}

#[tokio::test]
async fn mail_addresses_are_no_targets() {
    let receiver = CountingReceiver::start().await;
    let messenger = messenger(&receiver, &["127.0.0.1"]);
    let target = Target::stored(Channel::Email, receiver.url("127.0.0.1").to_string());
    assert!(messenger.check(&target).await.is_err());
}
