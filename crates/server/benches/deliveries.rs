//! What 10,000 subscribers by mail and 1,000 webhooks cost an operator who records an update, and how fast their messages go out to
//! sinks on this machine.
#![expect(clippy::unwrap_used, reason = "a bench has nobody to answer")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use allclear_application::clock::Clock;
use allclear_application::subscriber::{SubscriberKey, SubscriberRule, SubscriberStore};
use allclear_bench_support::{Bench, Limit};
use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::subscriber::{Subscriber, SubscriberDraft};
use allclear_persistence::database::Database;
use allclear_server::app::App;
use allclear_server::clock::SystemClock;
use allclear_server::settings::Settings;
use clap::{Command, FromArgMatches};
use reqwest::Client;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

const FEW: Counts = Counts {
    mails: 10,
    webhooks: 1,
};
const MANY: Counts = Counts {
    mails: 10_000,
    webhooks: 1_000,
};
const SAVES: usize = 15;
/// How much longer a save may take beside many; it is measured while no mails go out, in turns with one beside few.
const SLOWER: Limit = Limit::AtMost(1.2);
/// Mails and webhooks a second.
const RATE: Limit = Limit::AtLeast(4_000.0);
/// How much the process may grow from the first round of messages to the last.
const GROWTH: Limit = Limit::AtMost(1.1);
const BENCH: Bench = Bench("deliveries");

/// Subscribers of an organisation.
#[derive(Debug, Clone, Copy)]
struct Counts {
    mails: usize,
    webhooks: usize,
}

impl Counts {
    const fn all(self) -> usize {
        self.mails + self.webhooks
    }
}

/// Takes every message that a connection brings, and counts them.
async fn sink<T>(take: fn(TcpStream, Arc<AtomicUsize>) -> T) -> (u16, Arc<AtomicUsize>)
where
    T: Future<Output = std::io::Result<()>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (port, taken) = (
        listener.local_addr().unwrap().port(),
        Arc::new(AtomicUsize::new(0)),
    );
    let counter = Arc::clone(&taken);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(take(stream, Arc::clone(&counter)));
        }
    });
    (port, taken)
}

/// As much of RFC 5321 as a client needs that makes no mistakes.
async fn take_mails(stream: TcpStream, taken: Arc<AtomicUsize>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    writer.write_all(b"220 sink\r\n").await?;
    while let Some(line) = lines.next_line().await? {
        let word = line.get(..4).unwrap_or_default().to_ascii_uppercase();
        let response: &[u8] = match word.as_str() {
            "DATA" => {
                writer.write_all(b"354 go on\r\n").await?;
                while lines.next_line().await?.is_some_and(|line| line != ".") {}
                taken.fetch_add(1, Ordering::Relaxed);
                b"250 taken\r\n"
            }
            "QUIT" => b"221 bye\r\n",
            _ => b"250 fine\r\n",
        };
        writer.write_all(response).await?;
    }
    Ok(())
}

/// As much of RFC 9112 as a client needs that makes no mistakes.
async fn take_requests(stream: TcpStream, taken: Arc<AtomicUsize>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let mut line = String::new();
    let mut body = Vec::new();
    loop {
        let mut length = 0;
        loop {
            line.clear();
            if reader.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let (name, value) = line.trim_end().split_once(": ").unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        body.resize(length, 0);
        reader.read_exact(&mut body).await?;
        taken.fetch_add(1, Ordering::Relaxed);
        writer
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            .await?;
    }
}

/// A server with a signed-in operator and an incident.
struct Site {
    app: App,
    client: Client,
    url: String,
    token: String,
    incident: String,
    mails: Arc<AtomicUsize>,
    webhooks: Arc<AtomicUsize>,
    subscribers: Counts,
    _folder: tempfile::TempDir,
}

impl Site {
    async fn start(subscribers: Counts) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (port, mails) = sink(take_mails).await;
        let (hook_port, webhooks) = sink(take_requests).await;
        let (data, smtp) = (
            folder.path().join("data"),
            format!("smtp://127.0.0.1:{port}"),
        );
        let data_dir = data.display().to_string();
        let flags = [
            "bench",
            "--listen",
            "127.0.0.1:0",
            "--data-dir",
            &data_dir,
            "--smtp-url",
            &smtp,
            "--webhook-allow",
            "127.0.0.1",
            "--limit-writes",
            "0",
            "--limit-text",
            "0",
            "--limit-mail-account",
            "0",
            "--limit-mail-organisation",
            "0",
            "--limit-mail-installation",
            "0",
        ];
        let command = <Settings as clap::Args>::augment_args(Command::new("bench"));
        let settings = Settings::from_arg_matches(&command.get_matches_from(flags)).unwrap();
        let app = App::start(&settings).await.unwrap();
        let (client, url) = (
            Client::builder().cookie_store(true).build().unwrap(),
            format!("http://{}", app.address()),
        );
        let mut site = Self {
            app,
            client,
            url,
            token: String::new(),
            incident: String::new(),
            mails,
            webhooks,
            subscribers,
            _folder: folder,
        };
        let person =
            json!({"name": "Ada", "email": "ada@example.com", "password": "correct horse battery"});
        site.post("/identity/sign-up", person).await;
        let organisation = site
            .post("/identity/organisations", json!({"name": "Acme"}))
            .await["data"]["id"]
            .clone();
        let response = site
            .post("/identity/token", json!({"organisationId": organisation}))
            .await;
        site.token = response["data"]["token"].as_str().unwrap().to_owned();
        site.subscribe(
            &settings.database(),
            organisation.as_str().unwrap(),
            hook_port,
        )
        .await;
        let body = json!({"title": "Down", "description": "All of it", "status": "INVESTIGATING"});
        let incident = site.post("/incident/create", body).await;
        site.incident = incident["data"]["id"].as_str().unwrap().to_owned();
        site.drained(1).await;
        site
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let request = self
            .client
            .post(format!("{}/api/v1{path}", self.url))
            .bearer_auth(&self.token)
            .json(&body);
        let response = request.send().await.unwrap();
        assert!(
            response.status().is_success(),
            "{path}: {}",
            response.status()
        );
        response.json().await.unwrap()
    }

    /// Verified subscribers, by many at once.
    async fn subscribe(&self, database: &str, organisation: &str, hook_port: u16) {
        let database = Database::connect(database, Arc::new(SystemClock))
            .await
            .unwrap();
        let organisation = OrganisationId::parse(organisation).unwrap();
        let mut subscribing = JoinSet::new();
        let mails = (0..self.subscribers.mails).map(|number| {
            let address = format!("person{number}@example.com");
            Target::parse(Channel::Email, &address).unwrap()
        });
        let webhooks = (0..self.subscribers.webhooks).map(|number| {
            let url = format!("http://127.0.0.1:{hook_port}/{number}");
            Target::parse(Channel::Webhook, &url).unwrap()
        });
        for target in mails.chain(webhooks) {
            let (database, organisation) = (database.clone(), organisation.clone());
            subscribing.spawn(async move {
                let draft = SubscriberDraft::of_everything(target);
                let key = SubscriberKey::of_draft(&draft);
                let (id, now) = (SubscriberId(SystemClock.id()), SystemClock.now());
                let rule: SubscriberRule = Box::new(move |_| {
                    let subscriber = Subscriber::create(id, draft, now);
                    Ok(subscriber
                        .verify(now + Subscriber::VERIFICATION_LIFE, now)
                        .unwrap())
                });
                database.save(&organisation, key, rule).await.unwrap();
            });
            while subscribing.len() >= 64 {
                subscribing.join_next().await;
            }
        }
        subscribing.join_all().await;
        database.close().await.unwrap();
    }

    /// Records an update; returns the duration.
    async fn save(&self) -> Duration {
        let begun = Instant::now();
        let path = format!("/incident/{}/updates/create", self.incident);
        self.post(
            &path,
            json!({"status": "MONITORING", "message": "It goes on"}),
        )
        .await;
        begun.elapsed()
    }

    /// Waits until every subscriber has been sent that many notices.
    async fn drained(&self, times: usize) {
        let mut tick = tokio::time::interval(Duration::from_millis(2));
        while self.mails.load(Ordering::Relaxed) < times * self.subscribers.mails
            || self.webhooks.load(Ordering::Relaxed) < times * self.subscribers.webhooks
        {
            tick.tick().await;
        }
    }

    /// Waits until every delivery is recorded as sent.
    async fn all_sent(&self) {
        let address = format!("{}/api/v1/subscriber/deliveries", self.url);
        loop {
            let response = self
                .client
                .get(&address)
                .bearer_auth(&self.token)
                .send()
                .await
                .unwrap();
            let counts: Value = response.json().await.unwrap();
            if counts["data"]["waiting"].as_u64().unwrap() == 0 {
                return;
            }
        }
    }

    /// Saves, and waits for the messages; returns the duration of the save, and then that of the messages.
    async fn save_and_send(&self, number: usize) -> (Duration, Duration) {
        let saved = self.save().await;
        let begun = Instant::now();
        self.drained(number + 2).await;
        let sent = begun.elapsed();
        self.all_sent().await;
        (saved, sent)
    }
}

/// The median, in milliseconds.
fn milliseconds(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

/// Resident memory in KiB; `None` if the system does not report it.
fn memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

#[tokio::main]
async fn main() {
    // Clients want to know whose cryptography to use even where there is none.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (few, many) = (Site::start(FEW).await, Site::start(MANY).await);
    let before = memory();
    let (mut beside_few, mut beside_many, mut sending) = (Vec::new(), Vec::new(), Duration::MAX);
    for number in 0..SAVES {
        beside_few.push(few.save_and_send(number).await.0);
        let (saved, sent) = many.save_and_send(number).await;
        beside_many.push(saved);
        sending = sending.min(sent);
    }
    let after = memory();
    few.app.stop().await;
    many.app.stop().await;

    let (beside_few, beside_many) = (milliseconds(beside_few), milliseconds(beside_many));
    #[expect(clippy::cast_precision_loss, reason = "a count of messages")]
    let rate = MANY.all() as f64 / sending.as_secs_f64();
    let (few, many) = (FEW.all(), MANY.all());
    BENCH.measurement(
        "save, milliseconds",
        json!({"besideFew": beside_few, "besideMany": beside_many}),
    );
    BENCH.budget(
        &format!("save beside {many} subscribers, of beside {few}"),
        beside_many / beside_few,
        SLOWER,
    );
    BENCH.budget(
        &format!(
            "mails and webhooks a second to {} and {} subscribers",
            MANY.mails, MANY.webhooks
        ),
        rate.round(),
        RATE,
    );
    if let (Some(before), Some(after)) = (before, after) {
        BENCH.measurement(
            "memory, KiB",
            json!({"afterTheFirstMessages": before, "afterTheLastMessages": after}),
        );
        BENCH.budget(
            &format!("memory after {SAVES} times {many} messages, of after the first"),
            after / before,
            GROWTH,
        );
    }
}
