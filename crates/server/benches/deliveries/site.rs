//! A server with organisations whose subscribers receive messages.

use std::sync::Arc;
use std::time::{Duration, Instant};

use allclear_application::clock::Clock;
use allclear_application::subscriber::{SubscriberKey, SubscriberStore, SubscriberTransition};
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
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};

use crate::sink::{SILENT, Sink, take_mails, take_requests};

/// Timeout of each wait for messages.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Number of subscribers of an organisation, by kind.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) mails: usize,
    pub(crate) webhooks: usize,
    /// Webhooks that never respond.
    pub(crate) silent: usize,
}

impl Counts {
    /// Number of subscribers that receive messages.
    pub(crate) const fn reached(self) -> usize {
        self.mails + self.webhooks
    }
}

/// A server, the sinks of its messages, and a person with an account.
pub(crate) struct Server {
    pub(crate) mails: Sink,
    pub(crate) webhooks: Sink,
    app: App,
    client: Client,
    url: String,
    database: String,
    _folder: tempfile::TempDir,
}

impl Server {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mails = Sink::start(take_mails).await;
        let webhooks = Sink::start(take_requests).await;
        let data_dir = folder.path().join("data").display().to_string();
        let smtp = format!("smtp://127.0.0.1:{}", mails.port);
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
        let server = Self {
            url: format!("http://{}", app.address()),
            app,
            client: Client::builder().cookie_store(true).build().unwrap(),
            mails,
            webhooks,
            database: settings.database(),
            _folder: folder,
        };
        let person =
            json!({"name": "Ada", "email": "ada@example.com", "password": "correct horse battery"});
        server.post("", "/identity/sign-up", person).await;
        server
    }

    pub(crate) async fn stop(self) {
        self.app.stop().await;
    }

    /// Creates an organisation of the person, with verified subscribers and an incident whose
    /// messages have been sent.
    pub(crate) async fn organisation(&self, name: &'static str, subscribers: Counts) -> Site<'_> {
        let organisation = self
            .post("", "/identity/organisations", json!({"name": name}))
            .await["data"]["id"]
            .clone();
        let response = self
            .post(
                "",
                "/identity/token",
                json!({"organisationId": organisation}),
            )
            .await;
        let token = response["data"]["token"].as_str().unwrap().to_owned();
        self.subscribe(organisation.as_str().unwrap(), name, subscribers)
            .await;
        let body = json!({"title": "Down", "description": "All of it", "status": "INVESTIGATING"});
        let incident = self.post(&token, "/incident/create", body).await;
        let site = Site {
            server: self,
            name,
            token,
            incident: incident["data"]["id"].as_str().unwrap().to_owned(),
            subscribers,
        };
        site.drained(1).await;
        site
    }

    async fn post(&self, token: &str, path: &str, body: Value) -> Value {
        let request = self
            .client
            .post(format!("{}/api/v1{path}", self.url))
            .bearer_auth(token)
            .json(&body);
        let response = request.send().await.unwrap();
        assert!(
            response.status().is_success(),
            "{path}: {}",
            response.status()
        );
        response.json().await.unwrap()
    }

    async fn subscribe(&self, organisation: &str, name: &str, subscribers: Counts) {
        let database = Database::connect(&self.database, Arc::new(SystemClock))
            .await
            .unwrap();
        let organisation = OrganisationId::parse(organisation).unwrap();
        let mails = (0..subscribers.mails).map(|number| {
            let address = format!("person{number}@{name}.example");
            Target::parse(Channel::Email, &address).unwrap()
        });
        let port = self.webhooks.port;
        let webhook = |path: &str, number| {
            let url = format!("http://127.0.0.1:{port}/{path}/{number}");
            Target::parse(Channel::Webhook, &url).unwrap()
        };
        let webhooks = (0..subscribers.webhooks).map(|number| webhook(name, number));
        let silent = (0..subscribers.silent).map(|number| webhook(SILENT, number));
        let mut subscribing = JoinSet::new();
        for target in silent.chain(mails).chain(webhooks) {
            let (database, organisation) = (database.clone(), organisation.clone());
            subscribing.spawn(async move {
                let draft = SubscriberDraft::of_everything(target);
                let key = SubscriberKey::of_draft(&draft);
                let (id, now) = (SubscriberId(SystemClock.id()), SystemClock.now());
                let rule: SubscriberTransition = Box::new(move |_| {
                    let subscriber = Subscriber::create(id, draft, now);
                    Ok(subscriber
                        .verify(now + Subscriber::VERIFICATION_LIFETIME, now)
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
}

/// An organisation.
pub(crate) struct Site<'s> {
    server: &'s Server,
    name: &'static str,
    token: String,
    incident: String,
    subscribers: Counts,
}

impl Site<'_> {
    /// Records an update; returns the duration.
    pub(crate) async fn save(&self) -> Duration {
        let begun = Instant::now();
        let path = format!("/incident/{}/updates/create", self.incident);
        let body = json!({"status": "MONITORING", "message": "It goes on"});
        self.server.post(&self.token, &path, body).await;
        begun.elapsed()
    }

    /// Waits until every subscriber that responds has received this many messages.
    pub(crate) async fn drained(&self, times: usize) {
        let Server {
            mails, webhooks, ..
        } = self.server;
        let mut tick = interval(Duration::from_millis(2));
        let drained = async {
            while mails.taken.count(self.name) < times * self.subscribers.mails
                || webhooks.taken.count(self.name) < times * self.subscribers.webhooks
            {
                tick.tick().await;
            }
        };
        timeout(TIMEOUT, drained).await.unwrap();
    }

    /// Number of waiting deliveries of the organisation.
    pub(crate) async fn waiting(&self) -> u64 {
        let request = self
            .server
            .client
            .get(format!("{}/api/v1/subscriber/deliveries", self.server.url))
            .bearer_auth(&self.token);
        let response: Value = request.send().await.unwrap().json().await.unwrap();
        response["data"]["waiting"].as_u64().unwrap()
    }

    /// Waits until this many deliveries of the organisation wait.
    pub(crate) async fn queued(&self, count: u64) {
        timeout(TIMEOUT, async { while self.waiting().await < count {} })
            .await
            .unwrap();
    }

    /// Saves and waits for the messages, when each subscriber has received `before`. Returns the
    /// duration of the save, and that of the messages.
    pub(crate) async fn save_and_send(&self, before: usize) -> (Duration, Duration) {
        let saved = self.save().await;
        let begun = Instant::now();
        self.drained(before + 1).await;
        (saved, begun.elapsed())
    }

    /// Waits until every delivery is recorded as sent.
    pub(crate) async fn all_sent(&self) {
        timeout(TIMEOUT, async { while self.waiting().await > 0 {} })
            .await
            .unwrap();
    }
}
