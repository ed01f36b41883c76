//! A provider that says and signs whatever a test wants.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use parking_lot::Mutex;
use serde_json::{Value, json};
use url::Url;

use super::{Browser, flags, parameter, start};
use crate::app::TestApp;
use crate::clerk::fake_clerk::{now, published, signed};

/// What the provider responds with.
#[derive(Clone, Default)]
pub(crate) struct Responses {
    /// The ID token.
    pub(crate) token: String,
    /// Numbers of the published keys.
    pub(super) keys: Vec<usize>,
    /// Changes of the metadata.
    pub(super) metadata: Value,
    /// User information.
    pub(super) user: Value,
    /// Status and body of an error of the token endpoint.
    pub(super) token_error: Option<(u16, Value)>,
    /// Number of bytes that are added to the token endpoint's response.
    pub(super) padding: usize,
    /// Number of requests for the keys.
    pub(super) key_requests: usize,
}

/// A provider that lies. It ends with the test's runtime.
pub(crate) struct LyingProvider {
    pub(crate) issuer: String,
    responses: Arc<Mutex<Responses>>,
}

impl LyingProvider {
    pub(crate) fn start() -> Self {
        let responses = Arc::new(Mutex::new(Responses {
            keys: vec![0],
            ..Responses::default()
        }));
        let shared = web::Data::from(Arc::clone(&responses));
        let server = HttpServer::new(move || {
            App::new()
                .app_data(shared.clone())
                .default_service(web::to(respond))
        });
        let server = server
            .workers(1)
            .disable_signals()
            .bind("127.0.0.1:0")
            .unwrap();
        let issuer = format!("http://{}", server.addrs()[0]);
        tokio::spawn(server.run());
        Self { issuer, responses }
    }

    pub(crate) fn set(&self, change: impl FnOnce(&mut Responses)) {
        change(&mut self.responses.lock());
    }

    pub(super) fn key_requests(&self) -> usize {
        self.responses.lock().key_requests
    }

    /// Good claims for a sign-in that began at this address.
    pub(crate) fn claims(&self, provider_url: &Url) -> Value {
        json!({
            "iss": self.issuer, "aud": "allclear", "sub": "grace", "nonce": parameter(provider_url, "nonce"),
            "iat": now(), "exp": now() + 60,
            "email": "grace@example.com", "email_verified": true, "name": "Grace",
        })
    }
}

async fn respond(request: HttpRequest, responses: web::Data<Mutex<Responses>>) -> HttpResponse {
    let issuer = format!("http://{}", request.connection_info().host());
    let mut responses = responses.lock();
    match request.path() {
        "/.well-known/openid-configuration" => {
            let mut metadata = json!({
                "issuer": issuer,
                "authorization_endpoint": format!("{issuer}/auth"),
                "token_endpoint": format!("{issuer}/token"),
                "userinfo_endpoint": format!("{issuer}/me"),
                "jwks_uri": format!("{issuer}/jwks"),
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            });
            let changes = responses.metadata.as_object().cloned().unwrap_or_default();
            metadata.as_object_mut().unwrap().extend(changes);
            HttpResponse::Ok().json(metadata)
        }
        "/jwks" => {
            responses.key_requests += 1;
            let keys: Vec<_> = responses.keys.iter().map(|key| published(*key)).collect();
            HttpResponse::Ok().json(json!({"keys": keys}))
        }
        "/token" => token(&responses),
        "/me" => HttpResponse::Ok().json(&responses.user),
        _ => HttpResponse::NotFound().finish(),
    }
}

fn token(responses: &Responses) -> HttpResponse {
    if let Some((status, error)) = &responses.token_error {
        let status = StatusCode::from_u16(*status).unwrap();
        return HttpResponse::build(status).json(error);
    }
    HttpResponse::Ok().json(json!({
        "access_token": "access", "token_type": "Bearer", "expires_in": 60,
        "id_token": responses.token, "padding": "x".repeat(responses.padding),
    }))
}

/// A server with a provider that lies.
pub(super) struct Setup {
    pub(super) app: TestApp,
    pub(super) provider: LyingProvider,
    pub(super) browser: Browser,
}

impl Setup {
    pub(super) async fn new() -> Self {
        Self::with(&[]).await
    }

    /// With further settings of the provider.
    pub(super) async fn with(settings: &[&str]) -> Self {
        let provider = LyingProvider::start();
        let app = start("liar", &flags("liar", &provider.issuer, settings)).await;
        Self {
            browser: Browser::new(&app),
            app,
            provider,
        }
    }

    /// Signs in with these changes of good claims; returns the page that the browser is led to.
    pub(super) async fn sign_in(&self, changes: &Value) -> String {
        self.sign_in_with(|good| {
            let mut claims = good;
            let changes = changes.as_object().unwrap().clone();
            claims.as_object_mut().unwrap().extend(changes);
            claims
                .as_object_mut()
                .unwrap()
                .retain(|_, value| !value.is_null());
            signed(0, &claims)
        })
        .await
    }

    /// Signs in with a token that is made of good claims.
    pub(super) async fn sign_in_with(&self, token: impl FnOnce(Value) -> String) -> String {
        let provider_url = self.browser.begin("liar").await;
        let token = token(self.provider.claims(&provider_url));
        self.provider.set(|responses| responses.token = token);
        let state = parameter(&provider_url, "state");
        self.browser
            .respond(&[("code", "abc"), ("state", &state)])
            .await
    }
}
