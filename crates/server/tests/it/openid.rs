//! Sign-in by OpenID Connect, at a real provider and at one that lies.

mod attack;
pub(crate) mod lying_provider;
mod membership;
mod passwords;
mod real_provider;
mod reauthentication;
mod second_factor;
mod sign_in;

use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use url::Url;

use crate::app::{TestApp, client_builder, send, token};

/// A browser that follows no redirect by itself.
pub(crate) struct Browser {
    client: Client,
    url: String,
}

impl Browser {
    fn new(app: &TestApp) -> Self {
        let client = client_builder()
            .cookie_store(true)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy();
        Self {
            client: client.build().unwrap(),
            url: app.url.clone(),
        }
    }

    /// Begins a sign-in, or a re-authentication; returns the response.
    async fn start(&self, path: &str, page: &str) -> Response {
        let url = format!("{}/api/v1/identity/oidc/{path}", self.url);
        let body = json!({"returnTo": page});
        self.client.post(url).json(&body).send().await.unwrap()
    }

    /// Begins a sign-in; returns the address of the provider.
    async fn begin(&self, provider: &str) -> Url {
        self.begin_at(provider, "/dashboard").await
    }

    /// Likewise, from a page.
    async fn begin_at(&self, provider: &str, page: &str) -> Url {
        address(self.start(&format!("{provider}/start"), page).await).await
    }

    /// Begins a re-authentication from a window of its own; returns the address of the provider.
    async fn begin_reauthentication(&self, provider: &str) -> Url {
        let path = format!("{provider}/re-authenticate");
        address(self.start(&path, "/signed-in").await).await
    }

    /// Sends a response of a provider; returns the page that it leads to.
    async fn respond(&self, query: &[(&str, &str)]) -> String {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(query)
            .finish();
        self.open(&format!(
            "{}/api/v1/identity/oidc/callback?{query}",
            self.url
        ))
        .await
    }

    /// Opens an address that redirects; returns where to.
    async fn open(&self, url: &str) -> String {
        let response = self.client.get(url).send().await.unwrap();
        assert_eq!(response.status(), 303, "{url}");
        location(&response)
    }

    /// The session, or null.
    async fn session(&self) -> Value {
        let url = format!("{}/api/v1/identity/session", self.url);
        let response = send(self.client.get(url)).await;
        assert_eq!(response.status, 200, "{response:?}");
        response.body["data"].clone()
    }

    /// Creates an organisation; returns its identifier.
    async fn organisation(&self) -> String {
        let created = self.post("/organisations", json!({"name": "Acme"})).await;
        assert_eq!(created.status, 201, "{created:?}");
        created.body["data"]["id"].as_str().unwrap().to_owned()
    }

    /// The items of this action in the audit log of an organisation.
    async fn audit(&self, organisation: &str, action: &str) -> Vec<Value> {
        let token = token(&self.client, &self.url, organisation).await;
        let url = format!("{}/api/v1/audit?action={action}", self.url);
        let read = send(self.client.get(url).bearer_auth(token)).await;
        assert_eq!(read.status, 200, "{read:?}");
        read.body["data"].as_array().unwrap().clone()
    }

    async fn post(&self, path: &str, body: Value) -> crate::app::TestResponse {
        let url = format!("{}/api/v1/identity{path}", self.url);
        send(self.client.post(url).json(&body)).await
    }
}

/// The address of the provider to which a browser must go.
async fn address(response: Response) -> Url {
    assert_eq!(response.status(), 200);
    let body: Value = response.json().await.unwrap();
    body["data"]["url"].as_str().unwrap().parse().unwrap()
}

fn location(response: &Response) -> String {
    response.headers()[LOCATION].to_str().unwrap().to_owned()
}

/// A parameter of an address.
pub(crate) fn parameter(url: &Url, name: &str) -> String {
    let found = url.query_pairs().find(|(key, _)| key == name);
    found
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

/// Flags of a server with one provider.
pub(crate) fn flags(name: &str, issuer: &str, more: &[&str]) -> Vec<String> {
    let settings = [
        format!("issuer={issuer}"),
        "client_id=allclear".to_owned(),
        "client_secret=secret-of-the-client".to_owned(),
        "domains=example.com".to_owned(),
    ];
    let more = more.iter().map(ToString::to_string);
    let settings = settings.into_iter().chain(more);
    settings
        .flat_map(|setting| ["--oidc-setting".to_owned(), format!("{name}_{setting}")])
        .collect()
}

/// Starts a server with these flags.
async fn start(providers: &str, flags: &[String]) -> TestApp {
    let mut all = vec!["--oidc-providers", providers];
    all.extend(flags.iter().map(String::as_str));
    TestApp::start_with(&all).await
}

/// The cookies that a response sets, as a request sends them.
fn cookies(response: &Response) -> String {
    let set = response.headers().get_all(SET_COOKIE).iter();
    let pairs = set.filter_map(|cookie| cookie.to_str().ok()?.split(';').next());
    pairs.collect::<Vec<_>>().join("; ")
}

/// A request with these cookies only.
async fn open_with_cookies(url: &str, cookies: &str) -> String {
    let client = client_builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .unwrap();
    let response = client
        .get(url)
        .header(COOKIE, cookies)
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 303);
    location(&response)
}
