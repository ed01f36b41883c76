//! Texts with a meaning in another language (CWE-74): a script, a query, a template, a header, an
//! event. Each text must come out unchanged everywhere, and everything around it must be as it is
//! around plain words.

mod html;
mod mail;

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use self::html::Markup;
use self::mail::ShownText;
use crate::app::{Operator, TestApp, cookie_client, send, sign_up, token};
use crate::events::Stream;

const PLAIN: &str = "Plain words";

/// Each has a meaning for some interpreter.
const TEXTS: [(&str, &str); 12] = [
    (
        "HTML",
        "<script>alert(1)</script><img src=x onerror=alert(2)><!--",
    ),
    (
        "an attribute",
        "\"><svg onload=alert(3)> ' onfocus=alert(4) autofocus='",
    ),
    ("entities", "&lt;script&gt; &amp;amp; &#x3c;b&#62; &copy"),
    ("SQL", "'; DROP TABLE component; -- \" OR 1=1 /* \\' %_"),
    (
        "templates",
        "{{7*7}} ${7*7} #{7*7} <%= 7*7 %> {% raw %} {0} %s %n",
    ),
    (
        "places of our own page",
        "<!--allclear:drawn--><!--allclear:head--><!--allclear:page-->",
    ),
    (
        "headers",
        "Acme\r\nBcc: eve@example.com\r\nContent-Type: text/html\r\n\r\n<b>body</b>",
    ),
    (
        "an encoded word",
        "=?utf-8?q?=0D=0ABcc:_eve=40example.com?=",
    ),
    (
        "the other direction",
        "abc\u{200f}fed\u{200e} \u{5d0}x\u{61c} zero\u{200b}width\u{feff}\u{200d}end",
    ),
    (
        "the end of the script",
        "</script></SCRIPT ><!--<script>\u{2028}\u{2029}]]>\"}\\u003c/script\\",
    ),
    (
        "an event",
        "one\n\nid: 999999\nevent: incident.deleted\ndata: {}\n\nretry: 1",
    ),
    (
        "an address",
        "=HYPERLINK(\"ftp://evil.example\") javascript:alert(5) [a](javascript:alert(6))",
    ),
];

/// Where a text came out, and what was around it.
#[derive(Debug, PartialEq)]
struct Seen {
    /// How often each call returned it.
    calls: BTreeMap<&'static str, usize>,
    snapshot: usize,
    page: Page,
    /// The events' names, and how often each contained it.
    events: Vec<(String, usize)>,
    mails: Vec<ShownText>,
}

/// The status page, before any script runs.
#[derive(Debug, PartialEq)]
struct Page {
    /// The elements, each with the names of its attributes.
    elements: Vec<String>,
    /// Scripts that would run.
    code: String,
    /// How often it is shown.
    shown: usize,
    /// How often it occurs in an attribute, as in link previews.
    in_attributes: usize,
    /// How often it occurs in the data for the script.
    in_data: usize,
}

/// An organisation in which every text field has one text.
struct InjectedOrganisation {
    text: &'static str,
    operator: Operator,
    /// The addresses of the mails.
    addresses: [String; 2],
}

/// How often a value is the text, wherever in it.
fn count(value: &Value, text: &str) -> usize {
    match value {
        Value::String(found) => usize::from(words(found) == words(text)),
        Value::Array(items) => items.iter().map(|item| count(item, text)).sum(),
        Value::Object(fields) => fields.values().map(|field| count(field, text)).sum(),
        _ => 0,
    }
}

/// A text as it is compared where white space does not count.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text as a name can have it: on one line.
fn line(text: &str) -> String {
    text.replace(
        |part: char| part.is_control() || matches!(part, '\u{2028}' | '\u{2029}'),
        " ",
    )
}

impl InjectedOrganisation {
    async fn set_up(app: &TestApp, number: usize, text: &'static str) -> Self {
        let client = cookie_client();
        let post = |path: &str, body: Value| send(client.post(app.call(path)).json(&body));
        let email = format!("operator{number}@example.com");
        sign_up(&client, &app.url, app.folder.path(), &line(text), &email).await;
        let created = post("/identity/organisations", json!({"name": line(text)})).await;
        assert_eq!(created.status, 201, "{created:?}");
        let organisation = created.body["data"]["id"].as_str().unwrap().to_owned();
        let token = token(&client, &app.url, &organisation).await;
        let operator = Operator {
            url: app.url.clone(),
            organisation,
            token,
            client: client.clone(),
        };
        let addresses = ["subscriber", "guest"].map(|who| format!("{who}{number}@example.com"));
        let added = operator
            .post("/subscriber", json!({"email": addresses[0]}))
            .await;
        assert_eq!(added.status, 201, "{added:?}");
        let invitation = json!({"email": addresses[1], "role": "member"});
        let path = format!(
            "/identity/organisations/{}/invitations",
            operator.organisation
        );
        let invited = operator.post(&path, invitation).await;
        assert_eq!(invited.status, 201, "{invited:?}");
        Self {
            text,
            operator,
            addresses,
        }
    }

    /// The same at a restarted server, with a verified subscriber.
    async fn verified(self, app: &TestApp) -> Self {
        let operator = self.operator.at(&app.url);
        let mails = mail::to(app.folder.path(), &self.addresses[..1]);
        let response = operator
            .post("/subscriber/verify", mails[0].carried("/verify?"))
            .await;
        assert_eq!(response.status, 200, "{response:?}");
        Self { operator, ..self }
    }

    async fn create(&self, path: &str, body: Value) -> String {
        let created = self.operator.post(path, body).await;
        assert_eq!(created.status, 201, "{}: {created:?}", self.text);
        created.body["data"]["id"].as_str().unwrap().to_owned()
    }

    /// Writes the text into every field, and counts where it appears; mails are counted separately.
    async fn seen(&self) -> Seen {
        let (text, operator) = (self.text, &self.operator);
        let mut stream = Stream::open(operator, "", None).await;
        let component = self
            .create(
                "/component/create",
                json!({"name": line(text), "description": text}),
            )
            .await;
        let impacts = json!([{"componentId": component, "status": "MAJOR_OUTAGE"}]);
        let incident = json!({"title": line(text), "description": text, "components": impacts});
        let incident = self.create("/incident/create", incident).await;
        self.create(
            &format!("/incident/{incident}/updates/create"),
            json!({"message": text}),
        )
        .await;
        let planned =
            json!({"title": line(text), "description": text, "startAt": "2098-01-01T00:00"});
        let maintenance = self.create("/maintenance/create", planned).await;
        self.create(
            &format!("/maintenance/{maintenance}/updates/create"),
            json!({"message": text}),
        )
        .await;

        let organisation = &operator.organisation;
        let mut calls = BTreeMap::new();
        for (name, path) in [
            ("components", "/component/list".to_owned()),
            ("component", format!("/component/{component}")),
            ("incidents", "/incident/list".to_owned()),
            ("incident", format!("/incident/{incident}")),
            (
                "incident's components",
                format!("/incident/{incident}/components/list"),
            ),
            (
                "incident's updates",
                format!("/incident/{incident}/updates/list"),
            ),
            ("maintenances", "/maintenance/list".to_owned()),
            ("maintenance", format!("/maintenance/{maintenance}")),
            (
                "maintenance's updates",
                format!("/maintenance/{maintenance}/updates/list"),
            ),
            ("session", "/identity/session".to_owned()),
            (
                "members",
                format!("/identity/organisations/{organisation}/members"),
            ),
        ] {
            let response = operator.get(&path).await;
            assert_eq!(response.status, 200, "{path}: {response:?}");
            calls.insert(name, count(&response.body, text));
        }
        let snapshot = operator.snapshot().await;
        let mut events = Vec::new();
        loop {
            let (name, arguments, revision) = stream.next().await;
            events.push((name, count(&arguments, text)));
            if revision == snapshot["revision"].as_i64() {
                break;
            }
        }
        Seen {
            calls,
            snapshot: count(&snapshot, text),
            page: self.page().await,
            events,
            mails: Vec::new(),
        }
    }

    async fn page(&self) -> Page {
        let url = format!(
            "{}/status/{}",
            self.operator.url, self.operator.organisation
        );
        let response = send(self.operator.client.request(Method::GET, url)).await;
        assert_eq!(response.status, 200, "{response:?}");
        let page = Markup::read(response.body.as_str().unwrap());
        let data: Value = serde_json::from_str(&page.data).expect("what is drawn alone");
        Page {
            shown: page.shows(self.text),
            in_attributes: page.attributes_with(self.text),
            in_data: count(&data, self.text),
            elements: page.elements,
            code: page.code,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn text_of_people_stays_text_in_every_output() {
    // Links stay valid across a restart, because the public address stays the same.
    let flags = [
        "--public-url",
        "http://status.example.com",
        "--limit-verify",
        "1000/1000",
    ];
    let app = TestApp::start_with(&flags).await;
    let mut injecteds = vec![InjectedOrganisation::set_up(&app, 0, PLAIN).await];
    for (number, (_, text)) in TEXTS.iter().enumerate() {
        injecteds.push(InjectedOrganisation::set_up(&app, number + 1, text).await);
    }
    // A server that ends has sent every mail.
    let app = TestApp::start_in(app.stop().await, &flags).await;
    let mut seen = Vec::new();
    let mut addresses = Vec::new();
    for injected in injecteds {
        let injected = injected.verified(&app).await;
        seen.push(injected.seen().await);
        addresses.push((injected.addresses, injected.text));
    }
    let folder = app.stop().await;
    for (seen, (addresses, text)) in seen.iter_mut().zip(addresses) {
        seen.mails = mail::to(folder.path(), &addresses)
            .iter()
            .map(|mail| ShownText::of(mail, text))
            .collect();
        seen.mails.sort();
    }

    let plain = seen.remove(0);
    assert!(
        plain.calls.values().all(|found| *found > 0) && plain.snapshot >= 8,
        "{plain:?}"
    );
    assert!(
        plain.page.shown >= 8 && plain.page.in_attributes >= 2 && plain.page.in_data == 0,
        "{:?}",
        plain.page
    );
    assert!(
        plain.events.iter().all(|(_, found)| *found > 0) && plain.events.len() >= 5,
        "{:?}",
        plain.events
    );
    assert!(
        plain.mails.len() >= 4 && plain.mails.iter().all(ShownText::is_everywhere),
        "{:?}",
        plain.mails
    );
    for ((what, _), seen) in TEXTS.iter().zip(seen) {
        assert_eq!(seen, plain, "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_an_address_and_nothing_else() {
    let (app, operator) = TestApp::with_operator().await;
    for bad in [
        "ann@example.com\r\nBcc: eve@example.com",
        "ann@example.com\nBcc: eve@example.com",
        "ann@example.com, eve@example.com",
        "<script>alert(1)</script>@example.com",
        "\"ann eve\"@example.com",
        "ann@exam\u{202e}ple.com",
        "ann@example.com\u{2028}",
        "ann@<b>.example.com",
    ] {
        let response = operator.post("/subscriber", json!({"email": bad})).await;
        let kept = response.body["data"]["email"].as_str() == Some(bad.trim());
        assert!(
            response.status == 422
                || (response.status == 201 && kept && bad.trim() == "ann@example.com"),
            "{bad}: {response:?}"
        );
    }
    let odd = "{{7*7}}'--${7*7}/*%0d%0a&lt=?x?=@example.com";
    let created = operator.post("/subscriber", json!({"email": odd})).await;
    assert_eq!(
        (created.status, created.body["data"]["email"].as_str()),
        (201, Some(odd))
    );
    // As `email` and as `target`.
    assert_eq!(count(&operator.get("/subscriber/list").await.body, odd), 2);
    let folder = app.stop().await;
    assert_eq!(mail::to(folder.path(), &[odd.to_owned()]).len(), 1);
}
