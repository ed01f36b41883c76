//! Two nodes on one PostgreSQL and one Redis, behind nginx with the configuration of
//! `docs/nginx.conf`.

use std::path::Path;

use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::app::until;
use crate::other_servers;
use crate::process::{Process, command, lasting_port};

const NGINX: &str = include_str!("../../../../../docs/nginx.conf");

/// An installation of two nodes. Everything ends with it.
pub(crate) struct Installation {
    /// Where nginx listens.
    pub(crate) url: String,
    pub(crate) nodes: Vec<Process>,
    /// The database of both nodes.
    pub(crate) database: String,
    redis_port: u16,
    redis: Option<Child>,
    _nginx: Child,
    folder: TempDir,
}

impl Installation {
    /// None, and a word about it, where something it needs is not installed; on CI that is
    /// a failure.
    pub(crate) async fn start() -> Option<Self> {
        let nginx = other_servers::installed("nginx")?;
        other_servers::installed("redis-server")?;
        let Some(database) = allclear_test_support::postgres() else {
            assert!(std::env::var_os("CI").is_none(), "PostgreSQL is missing");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let (port, redis_port) = (lasting_port(), lasting_port());
        let redis = redis(redis_port, folder.path()).await;
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
                "--webhook-allow",
                "127.0.0.1",
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
        let nginx = other_servers::nginx(&nginx, &configuration, folder.path(), port).await;
        Some(Self {
            url,
            nodes,
            database,
            redis_port,
            redis: Some(redis),
            _nginx: nginx,
            folder,
        })
    }

    /// Kills Redis.
    pub(crate) async fn redis_goes(&mut self) {
        self.redis.take().unwrap().kill().await.unwrap();
    }

    /// Starts Redis again where it was, and waits until both nodes listen there.
    pub(crate) async fn redis_returns(&mut self) {
        self.redis = Some(redis(self.redis_port, self.folder.path()).await);
        until(2, async || self.listeners().await).await;
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

async fn redis(port: u16, folder: &Path) -> Child {
    let port_text = port.to_string();
    let arguments = ["--bind", "127.0.0.1", "--save", "", "--port", &port_text];
    other_servers::start("redis-server", arguments, folder, port).await
}
