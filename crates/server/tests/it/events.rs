use std::time::Duration;

use serde_json::{Value, json};

use crate::app::{Operator, TestApp};

/// A viewer's event stream.
pub(crate) struct Stream {
    response: reqwest::Response,
    text: String,
}

/// An event of the stream: name, arguments, revision.
pub(crate) type Event = (String, Value, Option<i64>);

impl Stream {
    pub(crate) async fn open(operator: &Operator, query: &str, last_event_id: Option<i64>) -> Self {
        let url = format!(
            "{}/api/v1/status/{}/events{query}",
            operator.url, operator.organisation
        );
        let mut request = crate::app::client().get(url);
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id.to_string());
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            text: String::new(),
        }
    }

    /// The next event; comments are passed over.
    pub(crate) async fn next(&mut self) -> Event {
        self.next_or_end().await.expect("the stream goes on")
    }

    /// The next event, or none when the stream has ended.
    pub(crate) async fn next_or_end(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                let field = |name: &str| {
                    block
                        .lines()
                        .find_map(|line| line.strip_prefix(name))
                        .map(str::to_owned)
                };
                if let Some(event) = field("event: ") {
                    let data = serde_json::from_str(&field("data: ").unwrap()).unwrap();
                    return Some((event, data, field("id: ").map(|id| id.parse().unwrap())));
                }
                continue;
            }
            let chunk = tokio::time::timeout(Duration::from_secs(20), self.response.chunk()).await;
            let chunk = chunk.expect("an event within the time").ok().flatten()?;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// Waits until the server ends the stream.
    pub(crate) async fn ends(mut self) {
        while let Ok(Some(_)) = self.response.chunk().await {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_hears_of_every_change_in_order() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let mut stream = Stream::open(&operator, "", None).await;
    let id = operator.component("API").await;
    operator
        .patch(&format!("/component/{id}"), json!({"status": "DEGRADED"}))
        .await;
    operator.delete(&format!("/component/{id}")).await;

    let (name, args, revision) = stream.next().await;
    assert_eq!(
        (name.as_str(), &args[0]["name"], revision),
        ("new-component", &json!("API"), Some(1))
    );
    let (name, args, revision) = stream.next().await;
    assert_eq!(
        (name.as_str(), &args[0]["status"], revision),
        ("component-update", &json!("DEGRADED"), Some(2))
    );
    assert_eq!(
        stream.next().await,
        ("component-deleted".to_owned(), json!([id]), Some(3))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_that_was_away_resumes_where_it_left_off() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    for name in ["one", "two", "three"] {
        operator.component(name).await;
    }
    let mut resumed = Stream::open(&operator, "?since=0", Some(1)).await;
    assert_eq!(
        resumed.next().await.2,
        Some(2),
        "Last-Event-ID wins over since"
    );
    assert_eq!(resumed.next().await.2, Some(3));
    let mut since = Stream::open(&operator, "?since=2", None).await;
    assert_eq!(since.next().await.2, Some(3));
    operator.component("four").await;
    assert_eq!(
        (since.next().await.2, resumed.next().await.2),
        (Some(4), Some(4))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_resumes_after_the_server_was_restarted() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let stream = Stream::open(&operator, "", None).await;
    operator.component("one").await;
    operator.component("two").await;
    let (folder, ()) = tokio::join!(app.stop(), stream.ends());
    let app = TestApp::start_in(folder, &[]).await;
    let operator = Operator {
        url: app.url.clone(),
        ..operator
    };
    let mut stream = Stream::open(&operator, "?since=1", None).await;
    assert_eq!(stream.next().await.2, Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_from_another_time_is_told_to_start_anew() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    operator.component("one").await;
    let mut stream = Stream::open(&operator, "?since=99", None).await;
    assert_eq!(stream.next().await, ("resync".to_owned(), json!([]), None));
}

#[tokio::test(flavor = "multi_thread")]
async fn other_organisations_hear_nothing() {
    let app = TestApp::start().await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    let mut stream = Stream::open(&other, "", None).await;
    acme.component("API").await;
    other.component("Mine").await;
    assert_eq!(stream.next().await.1[0]["name"], "Mine");
}
