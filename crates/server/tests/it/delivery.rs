//! Mail over SMTP: no mail is lost or sent twice when the server or the mail server ends.

pub(crate) mod mail_server;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde_json::{Value, json};
use url::Url;

use crate::app::{Operator, assert_status, cookie_client, eventually, operator_of, send, until};
use crate::process::{Process, command};
use mail_server::MailServer;

const SUBSCRIBERS: usize = 60;
const MAX_CONCURRENT_MAILS: usize = 4;

/// A server that mails through this one.
async fn start(data: &Path, mail: &MailServer) -> Process {
    let (url, at_once) = (
        format!("smtp://localhost:{}", mail.port),
        MAX_CONCURRENT_MAILS.to_string(),
    );
    let flags = [
        "--public-url",
        "http://status.example.com",
        "--smtp-url",
        &url,
        "--mail-concurrency",
        &at_once,
    ];
    Process::serve(command(data, &flags)).await
}

fn address(number: usize) -> String {
    format!("person{number}@example.com")
}

/// Follows the link in a verification mail.
async fn verify(process: &Process, mail: &Value) {
    let text = mail["text"].as_str().unwrap();
    let link = text
        .split_whitespace()
        .find(|word| word.contains("/verify?"))
        .unwrap();
    let carried: BTreeMap<_, _> = Url::parse(link)
        .unwrap()
        .query_pairs()
        .into_owned()
        .collect();
    let path = format!("{}/api/v1/subscriber/verify", process.url);
    assert_status(send(cookie_client().post(path).json(&carried)), 200).await;
}

/// Adds `SUBSCRIBERS` verified subscribers.
async fn subscribe(operator: &Operator, process: &Process, mail: &mut MailServer, count: usize) {
    for number in 0..count {
        assert_status(
            operator.post("/subscriber", json!({"email": address(number)})),
            201,
        )
        .await;
    }
    for _ in 0..count {
        verify(process, &mail.mail().await).await;
    }
}

/// Waits until the queue is empty; nothing was given up.
async fn everything_went_out(operator: &Operator) {
    let sent = eventually("the queue is empty", async || {
        let counts = operator.get("/subscriber/deliveries").await.body["data"].take();
        (counts["waiting"] == 0).then_some(counts)
    });
    assert_eq!(sent.await["givenUp"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_waits_while_the_mail_server_is_unavailable_and_arrives_once_when_it_is_back() {
    const PEOPLE: usize = 12;
    let folder = tempfile::tempdir().unwrap();
    let mut mail = MailServer::start().await;
    let process = start(&folder.path().join("data"), &mail).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    subscribe(&operator, &process, &mut mail, PEOPLE).await;
    everything_went_out(&operator).await;

    let port = mail.stop().await;
    let body = json!({"title": "Down", "description": "All of it", "status": "INVESTIGATING"});
    assert_eq!(operator.post("/incident/create", body).await.status, 201);
    assert_status(
        operator.post("/subscriber", json!({"email": "late@example.com"})),
        201,
    )
    .await;
    // A request must not wait for the mail server.
    let invite = format!(
        "/identity/organisations/{}/invitations",
        operator.organisation
    );
    let response = operator
        .post(
            &invite,
            json!({"email": "eve@example.com", "role": "member"}),
        )
        .await;
    assert_eq!(response.status, 503, "{response:?}");
    assert!(response.headers.contains_key("retry-after"));
    let is_retried = async || tried_again(&process).await > PEOPLE;
    until(true, is_retried).await;
    assert_eq!(
        operator.get("/subscriber/deliveries").await.body["data"]["waiting"],
        PEOPLE + 1
    );

    let mut mail = MailServer::start_at(port).await;
    let mut received = Vec::new();
    while received.len() <= PEOPLE {
        received.push(mail.mail().await["to"].as_str().unwrap().to_owned());
    }
    everything_went_out(&operator).await;
    assert_eq!(process.terminate().await, Some(0));
    assert_eq!(
        mail.rest().await,
        Vec::<Value>::new(),
        "nothing comes twice"
    );
    received.sort();
    let mut expected: Vec<_> = (0..PEOPLE)
        .map(address)
        .chain(["late@example.com".to_owned()])
        .collect();
    expected.sort();
    assert_eq!(received, expected);
}

/// The metric of failed mails that are sent again later.
const RETRIED: &str = "allclear_deliveries_total{channel=\"email\",outcome=\"retried\"} ";

/// How often a mail has failed and was put off.
async fn tried_again(process: &Process) -> usize {
    let metrics = crate::app::client()
        .get(format!("{}/metrics", process.url))
        .send()
        .await
        .unwrap();
    let metrics = metrics.text().await.unwrap();
    let value = metrics.lines().find_map(|line| line.strip_prefix(RETRIED));
    value.map_or(0, |count| count.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_loses_no_mail_and_repeats_only_what_was_on_its_way() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut mail = MailServer::start().await;
    let process = start(&data, &mail).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    subscribe(&operator, &process, &mut mail, SUBSCRIBERS).await;

    let body = json!({"title": "Down", "description": "All of it", "status": "INVESTIGATING"});
    assert_eq!(operator.post("/incident/create", body).await.status, 201);
    // It is killed in the middle, twice.
    let mut received = vec![mail.mail().await];
    process.kill().await;
    let process = start(&data, &mail).await;
    let recipients = |received: &[Value]| {
        received
            .iter()
            .map(|mail| mail["to"].as_str().unwrap().to_owned())
            .collect::<HashSet<_>>()
    };
    let before = received.len();
    while received.len() < before + SUBSCRIBERS / 3 && recipients(&received).len() < SUBSCRIBERS {
        received.push(mail.mail().await);
    }
    process.kill().await;
    let process = start(&data, &mail).await;
    while recipients(&received).len() < SUBSCRIBERS {
        received.push(mail.mail().await);
    }
    everything_went_out(&operator.at(&process.url)).await;
    // Every mail taken before the queue was empty is already reported or is reported next.
    assert_eq!(process.terminate().await, Some(0));
    received.extend(mail.rest().await);

    let repeated = received.len() - SUBSCRIBERS;
    assert!(
        repeated <= 2 * MAX_CONCURRENT_MAILS,
        "{repeated} mails came twice"
    );
    let mut ids: BTreeMap<&str, HashSet<&str>> = BTreeMap::new();
    for mail in &received {
        ids.entry(mail["to"].as_str().unwrap())
            .or_default()
            .insert(mail_server::header(mail, "message-id"));
    }
    assert!(
        ids.values().all(|ids| ids.len() == 1),
        "a repeated mail has the same identifier: {ids:?}"
    );
}
