//! A domain of an organisation behind Caddy and behind nginx, with the configurations of
//! `docs/own-domain.md`.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tempfile::TempDir;
use tokio::process::Child;

use crate::app::{Operator, client_builder, eventually, operator_of};
use crate::events::Stream;
use crate::other_servers;
use crate::process::{Process, command, lasting_port};

const DOMAIN: &str = "status.acme.example";

const GUIDE: &str = include_str!("../../../../docs/own-domain.md");

/// The configuration below a heading of the guide, for a server at this address.
fn configuration(heading: &str, server: &str) -> String {
    let section = GUIDE.split_once(heading).unwrap().1;
    let block = section.split("```\n").nth(1).unwrap();
    assert!(block.contains("127.0.0.1:8080"), "{block}");
    block.replace("127.0.0.1:8080", server)
}

/// Where a proxy listens.
struct Ports {
    http: u16,
    https: u16,
}

impl Ports {
    fn free() -> Self {
        Self {
            http: lasting_port(),
            https: lasting_port(),
        }
    }
}

async fn caddy(program: &str, folder: &Path, server: &str, ports: &Ports) -> Child {
    let options = format!(
        "{{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n\thttp_port {}\n\thttps_port {}\n\t\
         storage file_system {}\n",
        ports.http,
        ports.https,
        folder.display()
    );
    let configuration =
        configuration("## Certificates with Caddy", server).replacen("{\n", &options, 1);
    std::fs::write(folder.join("Caddyfile"), configuration).unwrap();
    other_servers::start(program, ["run"], folder, ports.http).await
}

async fn nginx(program: &str, folder: &Path, server: &str, ports: &Ports) -> Child {
    let certificate = rcgen::generate_simple_self_signed([DOMAIN.to_owned()]).unwrap();
    std::fs::write(folder.join("fullchain.pem"), certificate.cert.pem()).unwrap();
    std::fs::write(
        folder.join("privkey.pem"),
        certificate.signing_key.serialize_pem(),
    )
    .unwrap();
    let configuration = configuration("## Certificates with nginx", server)
        .replace("listen 80;", &format!("listen 127.0.0.1:{};", ports.http))
        .replace(
            "listen 443 ssl http2;",
            &format!("listen 127.0.0.1:{} ssl http2;", ports.https),
        )
        .replace(
            "/etc/letsencrypt/live/status.acme.example",
            folder.to_str().unwrap(),
        );
    let configuration = format!("events {{}}\nhttp {{\naccess_log off;\n{configuration}\n}}");
    other_servers::nginx(program, &configuration, folder, ports.http).await
}

/// A server that checks domains through a proxy.
async fn server(folder: &TempDir, ports: &Ports) -> (Process, Operator) {
    let check = format!("127.0.0.1:{}", ports.http);
    let flags = ["--domain-check-address", &check, "--log", "error"];
    let server = Process::serve(command(&folder.path().join("data"), &flags)).await;
    let operator = operator_of(&server.url, "ada@example.com", "Acme").await;
    (server, operator)
}

/// A client that resolves every name to the proxy, and accepts certificates of any issuer.
fn visitor(ports: &Ports) -> reqwest::Client {
    let address = SocketAddr::from(([127, 0, 0, 1], ports.https));
    client_builder()
        .no_proxy()
        .danger_accept_invalid_certs(true)
        .resolve(DOMAIN, address)
        .resolve("status.nobody.example", address)
        .build()
        .unwrap()
}

/// Claims the domain, and verifies it once the proxy passes the check on.
async fn verify(operator: &Operator) {
    let claim = operator
        .request(Method::PUT, "/organisation/domain")
        .json(&json!({"name": DOMAIN}));
    let claim = crate::app::send(claim).await;
    assert_eq!(claim.status, 200, "{claim:?}");
    let mut ticks = tokio::time::interval(Duration::from_millis(200));
    eventually("the proxy passes the check on", async || {
        // The number of checks is limited.
        ticks.tick().await;
        let path = "/organisation/domain/verify";
        let verified = operator.post(path, json!({})).await;
        (verified.status == 200).then_some(())
    })
    .await;
}

/// What visitors of the domain get through a proxy: the page, and its events as they happen.
async fn assert_served(operator: &Operator, ports: &Ports) {
    let visitor = visitor(ports);
    let url = format!("https://{DOMAIN}:{}", ports.https);
    let page = visitor.get(&url).send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.text().await.unwrap().contains("Acme"));
    let app = visitor.get(format!("{url}/dashboard")).send().await;
    assert_eq!(
        app.unwrap().status(),
        404,
        "the operators' app is elsewhere"
    );
    let events = format!("{url}/api/v1/status/{}/events", operator.organisation);
    let mut stream = Stream::of(visitor.get(events).send().await.unwrap());
    operator.component("API").await;
    while stream.next().await.0 != "new-component" {}
}

#[tokio::test(flavor = "multi_thread")]
async fn caddy_obtains_certificates_of_verified_domains_alone() {
    let Some(program) = other_servers::installed("caddy") else {
        return;
    };
    let ports = Ports::free();
    let folder = tempfile::tempdir().unwrap();
    let (server, operator) = server(&folder, &ports).await;
    let address = server.url.trim_start_matches("http://");
    let _caddy = caddy(&program, folder.path(), address, &ports).await;
    verify(&operator).await;
    assert_served(&operator, &ports).await;
    let url = format!("https://status.nobody.example:{}", ports.https);
    let error = visitor(&ports).get(url).send().await.unwrap_err();
    assert!(error.is_connect(), "{error:?}");
    server.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nginx_passes_a_domain_on() {
    let Some(program) = other_servers::installed("nginx") else {
        return;
    };
    let ports = Ports::free();
    let folder = tempfile::tempdir().unwrap();
    let (server, operator) = server(&folder, &ports).await;
    let address = server.url.trim_start_matches("http://");
    let _nginx = nginx(&program, folder.path(), address, &ports).await;
    verify(&operator).await;
    assert_served(&operator, &ports).await;
    let plain = client_builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .resolve(DOMAIN, SocketAddr::from(([127, 0, 0, 1], ports.http)))
        .build()
        .unwrap();
    let moved = plain.get(format!("http://{DOMAIN}:{}/history", ports.http));
    let moved = moved.send().await.unwrap();
    assert_eq!(
        moved.headers()["location"],
        format!("https://{DOMAIN}/history")
    );
    server.kill().await;
}
