//! Redis over TLS, with a server and certificates of the test.

use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

use rcgen::{CertificateParams, CertifiedIssuer, KeyPair};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::tests::{commit, start_with, until_received};
use super::*;

/// A certificate authority of the test, which signs the certificate of the host `localhost`.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    fn pem(&self) -> Vec<u8> {
        self.0.pem().into_bytes()
    }

    /// Writes `cert.pem` and `key.pem` of the host `localhost`.
    fn certify_localhost(&self, folder: &Path) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        std::fs::write(folder.join("cert.pem"), certificate.pem()).unwrap();
        std::fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
    }
}

/// A Redis server that accepts TLS only. Stopped on drop.
struct TlsRedis {
    port: u16,
    authority: Authority,
    _server: Child,
    _folder: TempDir,
}

impl TlsRedis {
    /// `None`, with a message, if Redis is not installed; with `CI` set that is a failure.
    async fn start() -> Option<Self> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new();
        authority.certify_localhost(folder.path());
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let server = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--port", "0", "--save", ""])
            .args(["--tls-auth-clients", "no", "--tls-port", &port.to_string()])
            .args(["--tls-cert-file", "cert.pem", "--tls-key-file", "key.pem"])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let Ok(server) = server else {
            assert!(std::env::var_os("CI").is_none(), "Redis is not installed");
            eprintln!("left out: Redis is not installed");
            return None;
        };
        let redis = Self {
            port,
            authority,
            _server: server,
            _folder: folder,
        };
        let mut tries = tokio::time::interval(Duration::from_millis(20));
        let listening = async {
            while redis.ping("localhost", &redis.authority).await.is_err() {
                tries.tick().await;
            }
        };
        timeout(Duration::from_secs(20), listening)
            .await
            .expect("Redis listens, and its certificate is accepted");
        Some(redis)
    }

    fn url(&self, host: &str) -> String {
        format!("rediss://{host}:{}", self.port)
    }

    async fn ping(&self, host: &str, trusted: &Authority) -> RedisResult<()> {
        let client = client(&self.url(host), Some(trusted.pem()))?;
        let mut connection = client.get_multiplexed_async_connection().await?;
        redis::cmd("PING").query_async(&mut connection).await
    }
}

#[tokio::test]
async fn tls_requires_the_right_authority_and_host() {
    let Some(redis) = TlsRedis::start().await else {
        return;
    };
    redis.ping("localhost", &redis.authority).await.unwrap();
    let wrong_authority = redis
        .ping("localhost", &Authority::new())
        .await
        .unwrap_err();
    assert!(
        wrong_authority
            .to_string()
            .contains("invalid peer certificate"),
        "{wrong_authority}"
    );
    let wrong_host = redis.ping("127.0.0.1", &redis.authority).await.unwrap_err();
    assert!(
        wrong_host
            .to_string()
            .contains("certificate not valid for name"),
        "{wrong_host}"
    );
    let system = client(&redis.url("localhost"), None).unwrap();
    assert!(system.get_multiplexed_async_connection().await.is_err());
}

#[tokio::test]
async fn nodes_exchange_commits_by_tls() {
    let Some(redis) = TlsRedis::start().await else {
        return;
    };
    let url = redis.url("localhost");
    let node = || {
        start_with(RedisOptions {
            url: &url,
            authorities: Some(redis.authority.pem()),
            installation: "tls",
            key: HmacKey::new("tls").unwrap(),
        })
    };
    let (here, there) = (node(), node());
    let mut commits = there.subscribe().await;
    let (last, received) = until_received(&here, &mut commits, 0).await;
    here.publish(commit(last + 1)).await;
    for revision in received + 1..=last + 1 {
        assert_eq!(commits.recv().await.unwrap().revision.0, revision);
    }
}
