//! Two nodes on one PostgreSQL and one Redis, behind nginx with the configuration of `docs/nginx.conf`.

use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::process::{Process, command, lasting_port};

const NGINX: &str = include_str!("../../../../../docs/nginx.conf");

/// An installation of two nodes. Everything ends with it.
pub(crate) struct Installation {
    /// Where nginx listens.
    pub(crate) url: String,
    pub(crate) nodes: Vec<Process>,
    redis_port: u16,
    redis: Option<Child>,
    _nginx: Child,
    _folder: TempDir,
}

impl Installation {
    /// None, and a word about it, where something it needs is not installed; on CI that is a failure.
    pub(crate) async fn start() -> Option<Self> {
        let Some((database, nginx)) = needed() else {
            assert!(std::env::var_os("CI").is_none(), "something is missing");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let (port, redis_port) = (lasting_port(), lasting_port());
        let redis = redis(redis_port).await;
        let url = format!("http://127.0.0.1:{port}");
        let mut nodes = Vec::new();
        for name in ["one", "two"] {
            let redis = format!("redis://127.0.0.1:{redis_port}");
            let own = [
                "--database-url",
                &database,
                "--redis-url",
                &redis,
                "--public-url",
                &url,
                "--log",
                "error",
            ];
            nodes.push(Process::serve(command(&folder.path().join(name), &own)).await);
        }
        let address = |node: &Process| node.url.trim_start_matches("http://").to_owned();
        let configuration = NGINX
            .replace("10.0.0.11:8080", &address(&nodes[0]))
            .replace("10.0.0.12:8080", &address(&nodes[1]))
            .replace(
                "listen 80;",
                &format!("listen 127.0.0.1:{port};\n        access_log off;"),
            );
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, configuration).unwrap();
        let globals = format!(
            "daemon off; master_process off; pid {}/nginx.pid;",
            folder.path().display()
        );
        let nginx = Command::new(nginx)
            .arg("-c")
            .arg(&file)
            .args(["-g", &globals])
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        listening(port).await;
        Some(Self {
            url,
            nodes,
            redis_port,
            redis: Some(redis),
            _nginx: nginx,
            _folder: folder,
        })
    }

    /// Kills Redis.
    pub(crate) async fn redis_goes(&mut self) {
        self.redis.take().unwrap().kill().await.unwrap();
    }

    /// Starts Redis again where it was, and waits until both nodes listen there.
    pub(crate) async fn redis_returns(&mut self) {
        self.redis = Some(redis(self.redis_port).await);
        let listen = async {
            let mut tries = tokio::time::interval(Duration::from_millis(50));
            while self.listeners().await != 2 {
                tries.tick().await;
            }
        };
        tokio::time::timeout(Duration::from_mins(1), listen)
            .await
            .expect("the nodes listen again");
    }

    /// How many listen in the one channel that there is.
    async fn listeners(&self) -> usize {
        let ask = async |arguments: &[&str]| {
            let mut command = Command::new("redis-cli");
            let output = command
                .args(["-p", &self.redis_port.to_string()])
                .args(arguments)
                .output()
                .await
                .unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let channels = ask(&["PUBSUB", "CHANNELS", "allclear:*"]).await;
        let Some(channel) = channels
            .lines()
            .next()
            .filter(|channel| !channel.is_empty())
        else {
            return 0;
        };
        assert_eq!(channels.lines().count(), 1, "{channels}");
        let count = ask(&["PUBSUB", "NUMSUB", channel]).await;
        count
            .lines()
            .last()
            .and_then(|count| count.parse().ok())
            .unwrap_or_default()
    }
}

/// URL of an empty database of PostgreSQL, and the path of nginx.
fn needed() -> Option<(String, &'static str)> {
    let runs = |program: &str| {
        std::process::Command::new(program)
            .arg("-v")
            .output()
            .is_ok()
    };
    let nginx = ["nginx", "/usr/sbin/nginx"]
        .into_iter()
        .find(|program| runs(program) && runs("redis-server"));
    if nginx.is_none() {
        eprintln!("left out: needs nginx and redis-server");
    }
    allclear_test_support::postgres().zip(nginx)
}

async fn redis(port: u16) -> Child {
    let arguments = [
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--port",
        &port.to_string(),
    ];
    let redis = Command::new("redis-server")
        .args(arguments)
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn();
    listening(port).await;
    redis.unwrap()
}

/// Waits until a server listens.
async fn listening(port: u16) {
    let mut tries = tokio::time::interval(Duration::from_millis(20));
    let connected = async {
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            tries.tick().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), connected)
        .await
        .expect("it listens in time");
}
