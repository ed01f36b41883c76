//! Measures whether the time of a response reveals that an address has an account. Requests with
//! the address of an account and with unknown addresses are sent in turns. Their times are compared
//! by the Mann-Whitney U test, which needs no assumption about their distribution.
#![expect(clippy::unwrap_used, reason = "a bench ends by a panic")]

use std::time::{Duration, Instant};

use allclear_bench_support::{Bench, Limit, percentile};
use allclear_server::app::App;
use allclear_server::settings::Settings;
use clap::{Command, FromArgMatches};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

/// Number of requests of each kind.
const REQUESTS: usize = 200;
/// Maximum distance of the known addresses' rank sum from the expected one, in standard deviations.
/// Chance exceeds it in one of 370 runs.
const DISTANCE: Limit = Limit::AtMost(3.0);
const BENCH: Bench = Bench("enumeration");

const KNOWN: &str = "ada@example.com";
const PASSWORD: &str = "correct horse battery";

/// An API call with an address in its body.
struct Call {
    path: &'static str,
    status: StatusCode,
    body: fn(&str) -> Value,
}

const CALLS: [Call; 3] = [
    Call {
        path: "sign-up",
        status: StatusCode::ACCEPTED,
        body: |address| json!({"name": "Ada", "email": address, "password": PASSWORD}),
    },
    Call {
        path: "sign-in",
        status: StatusCode::UNAUTHORIZED,
        body: |address| json!({"email": address, "password": "another horse battery"}),
    },
    Call {
        path: "password-reset",
        status: StatusCode::OK,
        body: |address| json!({"email": address}),
    },
];

/// A server without rate limits.
struct Server {
    app: App,
    client: Client,
    _folder: tempfile::TempDir,
}

impl Server {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = folder.path().display().to_string();
        let mut flags = vec!["bench", "--listen", "127.0.0.1:0", "--data-dir", &data_dir];
        for limit in ["sign-in", "guesses", "account-guesses", "sign-up", "reset"] {
            flags.extend([limit_flag(limit), "1000000/1000000"]);
        }
        for limit in ["mail-mailbox", "mail-account", "mail-installation"] {
            flags.extend([limit_flag(limit), "0"]);
        }
        let command = <Settings as clap::Args>::augment_args(Command::new("bench"));
        let settings = Settings::from_arg_matches(&command.get_matches_from(flags)).unwrap();
        let app = App::start(&settings).await.unwrap();
        let server = Self {
            app,
            client: Client::new(),
            _folder: folder,
        };
        let person = json!({"name": "Ada", "email": KNOWN, "password": PASSWORD});
        let (status, _) = server.send("sign-up", person).await;
        assert_eq!(status, StatusCode::CREATED);
        server
    }

    async fn send(&self, path: &str, body: Value) -> (StatusCode, Duration) {
        let url = format!("http://{}/api/v1/identity/{path}", self.app.address());
        let request = self.client.post(url).json(&body);
        let begun = Instant::now();
        let response = request.send().await.unwrap();
        let status = response.status();
        response.bytes().await.unwrap();
        (status, begun.elapsed())
    }
}

fn limit_flag(name: &str) -> &'static str {
    format!("--limit-{name}").leak()
}

/// Distance of the rank sum of `known` among all times from the one that is expected if both are
/// alike, in standard deviations.
#[expect(clippy::cast_precision_loss, reason = "a few hundred")]
fn distance(known: &[Duration], unknown: &[Duration]) -> f64 {
    let slower: usize = known
        .iter()
        .map(|time| unknown.iter().filter(|other| *other < time).count())
        .sum();
    let (m, n) = (known.len() as f64, unknown.len() as f64);
    let deviation = (m * n * (m + n + 1.0) / 12.0).sqrt();
    (slower as f64 - m * n / 2.0).abs() / deviation
}

#[tokio::main]
async fn main() {
    // The client needs a cryptography provider even without TLS.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let server = Server::start().await;
    for call in CALLS {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for number in 0..REQUESTS {
            let address = format!("person{number}@example.com");
            let measure = async |address: &str| {
                let (status, time) = server.send(call.path, (call.body)(address)).await;
                assert_eq!(status, call.status, "{}", call.path);
                time
            };
            // The first request may be slowed down by the work that the previous one has left, so
            // the order alternates.
            if number % 2 == 0 {
                known.push(measure(KNOWN).await);
                unknown.push(measure(&address).await);
            } else {
                unknown.push(measure(&address).await);
                known.push(measure(KNOWN).await);
            }
        }
        BENCH.measurement(
            &format!("{}, milliseconds", call.path),
            json!({"known": percentile(&known, 50), "unknown": percentile(&unknown, 50)}),
        );
        BENCH.budget(
            &format!(
                "{}: known from unknown addresses, standard deviations of the U test",
                call.path
            ),
            distance(&known, &unknown),
            DISTANCE,
        );
    }
    server.app.stop().await;
}
