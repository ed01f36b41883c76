use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use allclear_domain::channel::Channel;
use allclear_persistence::database::Database;
use allclear_server::clock::SystemClock;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::ready::subscribe;
use super::receiver::Receiver;
use crate::app::{WAIT_LIMIT, operator_of};
use crate::delivery::mail_server::{MailServer, header};
use crate::process::{Process, command};

/// Subscribers of each channel: 10,000 in all.
const EACH: usize = 3_334;
const ALL: usize = 3 * EACH;
const KILLS: usize = 3;
/// Messages that a server sends at the same time, by mail and by request.
const MAILS: usize = 16;
const REQUESTS: usize = 64;

async fn start(data: &Path, mail_port: u16) -> Process {
    let (url, mails) = (format!("smtp://localhost:{mail_port}"), MAILS.to_string());
    let flags = [
        "--public-url",
        "http://status.example.com",
        "--smtp-url",
        &url,
        "--mail-concurrency",
        &mails,
        "--webhook-allow",
        "127.0.0.1",
    ];
    Process::serve(command(data, &flags)).await
}

/// Where a message arrived, and its identifier.
type Arrival = (String, String);

/// Reports the arrivals of all receivers in one channel.
fn report(mail: MailServer, receivers: [Receiver; 2]) -> UnboundedReceiver<Arrival> {
    let (sender, arrivals) = unbounded_channel();
    for mut receiver in receivers {
        let sender = sender.clone();
        tokio::spawn(async move {
            loop {
                let received = receiver.received().await;
                // Chats have no identifiers.
                let id = received.headers.get("webhook-id");
                let id = id.map_or("", |id| id.to_str().unwrap()).to_owned();
                if sender.send((received.path, id)).is_err() {
                    return;
                }
            }
        });
    }
    tokio::spawn(async move {
        let mut mail = mail;
        while let Some(mail) = mail.received().await {
            let to = mail["to"].as_str().unwrap().to_owned();
            if sender
                .send((to, header(&mail, "message-id").to_owned()))
                .is_err()
            {
                return;
            }
        }
    });
    arrivals
}

/// How often each recipient was reached, and under which identifiers.
#[derive(Default)]
struct Reached {
    times: HashMap<String, usize>,
    ids: HashMap<String, HashSet<String>>,
}

impl Reached {
    fn add(&mut self, (to, id): Arrival) {
        *self.times.entry(to.clone()).or_default() += 1;
        self.ids.entry(to).or_default().insert(id);
    }

    /// How many messages came more than once.
    fn repeated(&self, is_mail: bool) -> usize {
        let of_route = self
            .times
            .iter()
            .filter(|(to, _)| to.contains('@') == is_mail);
        of_route.map(|(_, times)| times - 1).sum()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_three_times_loses_no_message_and_repeats_only_those_in_flight() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mail = MailServer::start().await;
    let mail_port = mail.port;
    let (webhooks, chats) = (Receiver::start().await, Receiver::start().await);
    let process = start(&data, mail_port).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    let url = format!("sqlite:{}", data.join("allclear.db").display());
    let database = Database::connect(&url, Arc::new(SystemClock))
        .await
        .unwrap();
    let target = |channel: Channel, number: usize| match channel {
        Channel::Email => format!("person{number}@example.com"),
        Channel::Webhook => webhooks.url(&format!("/webhook/{number}")),
        _ => chats.url(&format!("/chat/{number}")),
    };
    for channel in [Channel::Email, Channel::Webhook, Channel::Slack] {
        let targets: Vec<_> = (0..EACH).map(|number| target(channel, number)).collect();
        subscribe(&database, &operator.organisation, channel, &targets).await;
    }
    database.close().await.unwrap();
    let mut arrivals = report(mail, [webhooks, chats]);

    let body = json!({"title": "Down", "description": "All of it", "status": "INVESTIGATING"});
    operator.create("/incident/create", body).await;
    let mut process = process;
    let mut reached = Reached::default();
    for kill in 1..=KILLS {
        while reached.times.len() < kill * ALL / (KILLS + 2) {
            reached.add(arrivals.recv().await.unwrap());
        }
        process.kill().await;
        process = start(&data, mail_port).await;
    }
    let operator = operator.at(&process.url);
    let counts = operator.get("/subscriber/deliveries").await;
    assert!(
        counts.body["data"]["waiting"].as_u64().unwrap() > 0,
        "it was killed in the middle"
    );
    let everybody = async {
        while reached.times.len() < ALL {
            reached.add(arrivals.recv().await.unwrap());
        }
    };
    tokio::time::timeout(WAIT_LIMIT * 2, everybody)
        .await
        .expect("none is lost");
    assert_eq!(process.terminate().await, Some(0));
    while let Ok(arrival) = arrivals.try_recv() {
        reached.add(arrival);
    }
    let (mails, requests) = (reached.repeated(true), reached.repeated(false));
    assert!(mails <= KILLS * MAILS, "{mails} mails came again");
    assert!(
        requests <= KILLS * REQUESTS,
        "{requests} requests came again"
    );
    assert!(
        reached.ids.values().all(|ids| ids.len() == 1),
        "what comes again has the same identifier"
    );
}
