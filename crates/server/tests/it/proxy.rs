//! Limits of a client behind proxies, and of one that forges such headers.

use std::net::IpAddr;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::app::{TestApp, client_builder, send};
use crate::other_servers;
use crate::process::lasting_port;

/// A server of which each client may ask twice.
async fn site(flags: &[&str]) -> (TestApp, String) {
    let app = TestApp::start_with(
        &[&["--limit-subscribe", "2/1", "--limit-reset", "2/1"], flags].concat(),
    )
    .await;
    let organisation = app.operator("Acme").await.organisation;
    (app, organisation)
}

/// Subscribes once for each of these headers; the statuses.
async fn tries(site: &(TestApp, String), headers: &[&[(&str, &str)]]) -> Vec<u16> {
    let (app, organisation) = site;
    let mut statuses = Vec::new();
    for headers in headers {
        let body = json!({"email": "ann@example.com", "orgId": organisation});
        let mut request = crate::app::client()
            .post(app.call("/subscriber/public"))
            .json(&body);
        for (name, value) in *headers {
            request = request.header(*name, *value);
        }
        statuses.push(send(request).await.status);
    }
    statuses
}

#[tokio::test(flavor = "multi_thread")]
async fn address_claimed_by_a_client_is_ignored() {
    for flags in [&[][..], &["--trusted-proxies", "10.0.0.0/8,2001:db8::/32"]] {
        let site = site(flags).await;
        let forged: [&[(&str, &str)]; 6] = [
            &[("x-forwarded-for", "203.0.113.1")],
            &[("x-forwarded-for", "203.0.113.2, 10.0.0.1")],
            &[("forwarded", "for=203.0.113.3")],
            &[("x-real-ip", "203.0.113.4")],
            &[
                ("x-forwarded-for", "203.0.113.5"),
                ("x-forwarded-for", "127.0.0.1"),
            ],
            &[
                ("x-client-ip", "203.0.113.6"),
                ("cf-connecting-ip", "203.0.113.6"),
                ("true-client-ip", "203.0.113.6"),
            ],
        ];
        assert_eq!(
            tries(&site, &forged).await,
            [200, 200, 429, 429, 429, 429],
            "{flags:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_trusted_proxy_each_client_has_its_own_tries_and_cannot_make_up_more() {
    let site = site(&["--trusted-proxies", "127.0.0.1,10.0.0.0/8"]).await;
    let one: [&[(&str, &str)]; 8] = [
        &[("x-forwarded-for", "203.0.113.7")],
        // The client's own value comes before those that the proxies add.
        &[("x-forwarded-for", "198.51.100.1, 203.0.113.7")],
        &[(
            "x-forwarded-for",
            "198.51.100.2,10.9.9.9,203.0.113.7, 10.0.0.2",
        )],
        &[
            ("x-forwarded-for", "198.51.100.3"),
            ("x-forwarded-for", "203.0.113.7"),
        ],
        &[("x-forwarded-for", "nonsense, , 203.0.113.7")],
        &[
            ("forwarded", "for=198.51.100.4"),
            ("x-real-ip", "198.51.100.4"),
            ("x-forwarded-for", "203.0.113.7"),
        ],
        // The same address, as IPv6 writes it.
        &[("x-forwarded-for", "::ffff:203.0.113.7")],
        &[(
            "x-forwarded-for",
            "198.51.100.5, ::ffff:203.0.113.7, ::ffff:10.0.0.3",
        )],
    ];
    assert_eq!(
        tries(&site, &one).await,
        [200, 200, 429, 429, 429, 429, 429, 429]
    );
    assert_eq!(
        tries(&site, &[&[("x-forwarded-for", "203.0.113.8")]]).await,
        [200],
        "another client"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_has_a_network_of_ipv6_addresses_and_one_count() {
    let site = site(&["--trusted-proxies", "127.0.0.1"]).await;
    let network: [&[(&str, &str)]; 3] = [
        &[("x-forwarded-for", "2001:db8:1:2::1")],
        &[("x-forwarded-for", "2001:db8:1:2:ffff::2")],
        &[("x-forwarded-for", "2001:db8:1:2:3:4:5:6")],
    ];
    assert_eq!(tries(&site, &network).await, [200, 200, 429]);
    assert_eq!(
        tries(&site, &[&[("x-forwarded-for", "2001:db8:1:3::1")]]).await,
        [200],
        "the network beside it"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_identity_providers_calls_count_likewise() {
    let (app, _) = site(&["--trusted-proxies", "127.0.0.1"]).await;
    let reset = async |forwarded: &str| {
        let body = json!({"email": "nobody@example.com"});
        let request = crate::app::client()
            .post(app.call("/identity/password-reset"))
            .json(&body);
        send(request.header("x-forwarded-for", forwarded))
            .await
            .status
    };
    let mut statuses = Vec::new();
    for prepended in 1..=3 {
        statuses.push(reset(&format!("198.51.100.{prepended}, 203.0.113.7")).await);
    }
    assert_eq!(statuses, [200, 200, 429]);
    assert_eq!(reset("203.0.113.8").await, 200);
}

/// The responses to this many handshakes of sockets, from an address that claims another one
/// each time.
async fn handshakes(url: &str, from: [u8; 4], count: usize) -> Vec<u16> {
    let client = client_builder().local_address(IpAddr::from(from));
    let client = client.build().unwrap();
    let mut statuses = Vec::new();
    for claimed in 1..=count {
        let request = client
            .get(format!("{url}/socket.io/?EIO=4&transport=polling"))
            .header("x-forwarded-for", format!("203.0.113.{claimed}"));
        statuses.push(request.send().await.unwrap().status().as_u16());
    }
    statuses
}

#[tokio::test(flavor = "multi_thread")]
async fn sockets_behind_nginx_count_for_the_client_before_it() {
    let Some(nginx) = other_servers::installed("nginx") else {
        return;
    };
    for configuration in [
        include_str!("../../../../docs/nginx.conf"),
        include_str!("../../../../docs/nginx-cache.conf"),
    ] {
        let app =
            TestApp::start_with(&["--trusted-proxies", "127.0.0.1", "--limit-sockets", "2"]).await;
        let (folder, port) = (tempfile::tempdir().unwrap(), lasting_port());
        let (node, cache) = (&app.url["http://".len()..], folder.path().join("cache"));
        let configuration = configuration
            .replace("10.0.0.11:8080", node)
            .replace("10.0.0.12:8080", node)
            .replace("/var/lib/nginx/allclear", &cache.display().to_string())
            .replace(
                "listen 80;",
                &format!("listen 127.0.0.1:{port}; access_log off;"),
            );
        let _nginx = other_servers::nginx(&nginx, &configuration, folder.path(), port).await;
        let url = format!("http://127.0.0.1:{port}");
        assert_eq!(handshakes(&url, [127, 0, 0, 2], 3).await, [200, 200, 429]);
        assert_eq!(
            handshakes(&url, [127, 0, 0, 3], 1).await,
            [200],
            "another client"
        );
    }
}

/// A node that sends the same response to every request. Returns its address.
async fn node(response: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = connection.read(&mut request).await;
            let _ = connection.write_all(response.as_bytes()).await;
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn nginx_finds_files_that_only_the_nodes_of_one_version_have() {
    let Some(nginx) = other_servers::installed("nginx") else {
        return;
    };
    let new = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let old = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let (folder, port) = (tempfile::tempdir().unwrap(), lasting_port());
    let configuration = include_str!("../../../../docs/nginx.conf")
        .replace("10.0.0.11:8080", &node(new).await)
        .replace("10.0.0.12:8080", &node(old).await)
        .replace(
            "listen 80;",
            &format!("listen 127.0.0.1:{port}; access_log off;"),
        );
    let _nginx = other_servers::nginx(&nginx, &configuration, folder.path(), port).await;
    for _ in 0..6 {
        let file = format!("http://127.0.0.1:{port}/assets/index-a1b2.js");
        let response = crate::app::client().get(file).send().await.unwrap();
        assert_eq!(response.status(), 200);
    }
}
