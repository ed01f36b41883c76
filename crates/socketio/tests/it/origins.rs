//! Origins and CORS.

use allclear_socketio::{Cors, Origins, Settings};
use reqwest::{Method, header};

use crate::support::{TestServer, quick};

const OURS: &str = "https://status.example.org";

async fn ask(server: &TestServer, method: Method, origin: &str) -> reqwest::Response {
    let request = crate::support::client()
        .request(method, server.url("EIO=4&transport=polling"))
        .header(header::ORIGIN, origin)
        .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "authorization");
    request.send().await.unwrap()
}

#[actix_web::test]
async fn foreign_origin_is_forbidden() {
    let settings = Settings {
        allowed_origins: Some(Origins::List(vec![OURS.into()])),
        ..quick()
    };
    let server = TestServer::start(settings);
    assert_eq!(ask(&server, Method::GET, OURS).await.status(), 200);
    let response = ask(&server, Method::GET, "https://elsewhere.example").await;
    assert_eq!(response.status(), 403);
    assert_eq!(
        response.text().await.unwrap(),
        r#"{"code":4,"message":"Forbidden"}"#
    );
    let own = server.url("").replace("/socket.io/?", "");
    assert_eq!(
        ask(&server, Method::GET, &own).await.status(),
        200,
        "the server's own pages connect"
    );
}

#[actix_web::test]
async fn cors_allows_the_configured_origins() {
    let cors = Cors {
        origins: Origins::List(vec![OURS.into()]),
        credentials: true,
    };
    let server = TestServer::start(Settings {
        cors: Some(cors),
        ..quick()
    });
    let response = ask(&server, Method::GET, OURS).await;
    assert_eq!(
        response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN],
        OURS
    );
    assert_eq!(
        response.headers()[header::ACCESS_CONTROL_ALLOW_CREDENTIALS],
        "true"
    );
    assert_eq!(response.headers()[header::VARY], "Origin");
    let preflight = ask(&server, Method::OPTIONS, OURS).await;
    assert_eq!(preflight.status(), 204);
    assert_eq!(
        preflight.headers()[header::ACCESS_CONTROL_ALLOW_HEADERS],
        "authorization"
    );
    let foreign = ask(&server, Method::GET, "https://elsewhere.example").await;
    assert_eq!(
        foreign.headers().get(header::ACCESS_CONTROL_ALLOW_ORIGIN),
        None
    );
}

#[actix_web::test]
async fn without_cors_no_header_is_sent() {
    let server = TestServer::start(quick());
    let response = ask(&server, Method::GET, OURS).await;
    assert_eq!(
        response.headers().get(header::ACCESS_CONTROL_ALLOW_ORIGIN),
        None
    );
    assert_eq!(ask(&server, Method::OPTIONS, OURS).await.status(), 400);
}
