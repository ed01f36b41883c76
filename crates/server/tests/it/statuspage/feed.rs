//! The feeds, read by real parsers.

use chrono::DateTime;
use icalendar::{Calendar, Component};
use reqwest::{Method, StatusCode};
use roxmltree::{Document, Node};
use serde_json::{Value, json};

use super::{address, fetch, id_of, zone};
use crate::app::{Operator, TestApp, client};

const FEEDS: [(&str, &str); 6] = [
    ("history.atom", "application/atom+xml; charset=utf-8"),
    ("history.rss", "application/rss+xml; charset=utf-8"),
    ("updates.atom", "application/atom+xml; charset=utf-8"),
    ("updates.rss", "application/rss+xml; charset=utf-8"),
    ("feed.json", "application/feed+json; charset=utf-8"),
    ("maintenances.ics", "text/calendar; charset=utf-8"),
];

/// Text that formats without escaping would break on.
const NASTY: &str = "]]> & <b>bold</b> \"quoted\" 'single' \u{1}\u{1f} 🚑 \u{5e9}\u{5dc}\nnext";

pub(super) async fn feed(operator: &Operator, name: &str) -> String {
    let response = fetch(operator, Method::GET, &format!("/{name}")).await;
    assert_eq!(response.status(), StatusCode::OK, "{name}");
    response.text().await.unwrap()
}

fn child<'a>(node: Node<'a, 'a>, name: &str) -> Node<'a, 'a> {
    let is_named = |node: &Node<'_, '_>| node.tag_name().name() == name;
    node.children().find(is_named).unwrap()
}

pub(super) fn text<'a>(node: Node<'a, 'a>, name: &str) -> &'a str {
    child(node, name).text().unwrap()
}

pub(super) fn all<'a>(document: &'a Document<'_>, name: &str) -> Vec<Node<'a, 'a>> {
    let is_named = |node: &Node<'_, '_>| node.tag_name().name() == name;
    document.descendants().filter(is_named).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn links_of_updates_lead_to_their_place_on_the_page() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    incident(&operator, "Errors").await;
    let maintenance = json!({
        "title": "Upgrade", "description": "All", "startAt": "2098-04-07T10:00:00Z", "endAt": "2098-04-07T12:00:00Z",
    });
    operator.create("/maintenance/create", maintenance).await;
    let feed = feed(&operator, "updates.rss").await;
    let document = Document::parse(&feed).unwrap();
    let items = all(&document, "item");
    assert_eq!(items.len(), 4);
    for item in items {
        let link = text(item, "link");
        let (_, code) = link.split_once('#').unwrap();
        let page = client().get(link).send().await.unwrap();
        let page = page.text().await.unwrap();
        assert!(page.contains(&format!(" id=\"{code}\"")), "{link}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sitemap_lists_the_public_pages() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let incident = incident(&operator, "Errors").await;
    let response = fetch(&operator, Method::GET, "/sitemap.xml").await;
    let content_type = response.headers()["content-type"].to_str().unwrap();
    assert_eq!(content_type, "application/xml; charset=utf-8");
    let xml = response.text().await.unwrap();
    let document = Document::parse(&xml).unwrap();
    let pages: Vec<_> = all(&document, "url");
    let address = address(&operator).await;
    let expected = [
        address.clone(),
        format!("{address}/history"),
        format!("{address}/uptime"),
        format!("{address}/incidents/{}", incident["code"].as_str().unwrap()),
    ];
    let found: Vec<_> = pages.iter().map(|page| text(*page, "loc")).collect();
    assert_eq!(found, expected);
    for page in pages {
        assert!(DateTime::parse_from_rfc3339(text(page, "lastmod")).is_ok());
    }
}

/// An incident of 5 March 2026 in Denver with an update two hours later.
async fn incident(operator: &Operator, title: &str) -> Value {
    let incident = json!({
        "title": title, "description": "We are looking into errors.", "occuredAt": "2026-03-05T16:00:00Z",
    });
    let incident = operator.create("/incident/create", incident).await;
    let path = format!("/incident/{}/updates/create", id_of(&incident));
    for (message, status, at) in [
        ("Found.", "IDENTIFIED", "2026-03-05T16:22:41Z"),
        (
            "First line\nsecond line",
            "IDENTIFIED",
            "2026-03-05T18:00:00Z",
        ),
    ] {
        let update = json!({"message": message, "status": status, "displayAt": at});
        operator.create(&path, update).await;
    }
    incident
}

#[tokio::test(flavor = "multi_thread")]
async fn feeds_are_open_to_caches_and_every_origin() {
    let (app, operator) = TestApp::with_operator().await;
    incident(&operator, "Down").await;
    for (name, kind) in FEEDS {
        let path = format!("/{name}");
        let response = fetch(&operator, Method::GET, &path).await;
        let header = |name: &str| response.headers()[name].to_str().unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{name}");
        assert_eq!(header("content-type"), kind);
        assert_eq!(
            header("cache-control"),
            "public, max-age=0, s-maxage=2, stale-while-revalidate=30, stale-if-error=86400"
        );
        assert_eq!(header("access-control-allow-origin"), "*");
        assert_eq!(header("vary"), "Accept-Encoding");
        let known = client().get(response.url().clone());
        let known = known.header("if-none-match", header("etag"));
        assert_eq!(
            known.send().await.unwrap().status(),
            StatusCode::NOT_MODIFIED
        );
        let head = fetch(&operator, Method::HEAD, &path).await;
        assert_eq!(
            (head.status(), head.bytes().await.unwrap().len()),
            (StatusCode::OK, 0)
        );
        let options = fetch(&operator, Method::OPTIONS, &path).await;
        assert_eq!(options.status(), StatusCode::NO_CONTENT);
        let nobody = format!("{}/status/nobody{path}", app.url);
        let nobody = client().get(nobody).send().await.unwrap();
        assert_eq!(nobody.status(), StatusCode::NOT_FOUND);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn history_matches_the_form_of_statuspage() {
    let (_app, operator) = TestApp::with_operator().await;
    zone(&operator, "America/Denver").await;
    let created = incident(&operator, "Elevated API errors").await;
    let url = address(&operator).await;
    let link = format!("{url}/incidents/{}", created["code"].as_str().unwrap());
    let html = "<p><small>Mar <var data-var='date'> 5</var>, <var data-var='time'>11:00</var> MST</small><br>\
                <strong>Update</strong> - First line<br />second line</p>\
                <p><small>Mar <var data-var='date'> 5</var>, <var data-var='time'>09:22</var> MST</small><br>\
                <strong>Identified</strong> - Found.</p>\
                <p><small>Mar <var data-var='date'> 5</var>, <var data-var='time'>09:00</var> MST</small><br>\
                <strong>Investigating</strong> - We are looking into errors.</p>";

    let atom = feed(&operator, "history.atom").await;
    assert!(
        atom.starts_with(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xml:lang=\"en-US\" xmlns=\"http://www.w3.org/2005/Atom\">\n  <id>tag:"
        ),
        "{atom}"
    );
    let parsed = Document::parse(&atom).unwrap();
    let root = parsed.root_element();
    assert_eq!(text(root, "title"), "Acme Status - Incident History");
    assert_eq!(text(child(root, "author"), "name"), "Acme");
    let links: Vec<_> = root
        .children()
        .filter(|node| node.tag_name().name() == "link")
        .map(|node| {
            (
                node.attribute("rel").unwrap(),
                node.attribute("href").unwrap().to_owned(),
            )
        })
        .collect();
    assert_eq!(
        links,
        [
            ("alternate", url.clone()),
            ("self", format!("{url}/history.atom"))
        ]
    );
    let entry = child(root, "entry");
    let names: Vec<_> = entry
        .children()
        .filter(Node::is_element)
        .map(|node| node.tag_name().name())
        .collect();
    assert_eq!(
        names,
        ["id", "published", "updated", "link", "title", "content"]
    );
    let (id, number) = text(entry, "id").split_once("Incident/").unwrap();
    assert_eq!(id, "tag:localhost,2005:");
    assert!(number.parse::<u64>().unwrap() < 1 << 53);
    assert_eq!(text(entry, "published"), "2026-03-05T11:00:00-07:00");
    assert_eq!(child(entry, "link").attribute("href").unwrap(), link);
    assert_eq!(text(entry, "title"), "Elevated API errors");
    assert_eq!(child(entry, "content").attribute("type"), Some("html"));
    assert_eq!(text(entry, "content"), html);
    assert!(atom.contains("&lt;p&gt;&lt;small&gt;Mar &lt;var data-var='date'&gt; 5&lt;/var&gt;"));

    let rss = feed(&operator, "history.rss").await;
    let parsed = Document::parse(&rss).unwrap();
    let channel = child(parsed.root_element(), "channel");
    assert_eq!(text(channel, "link"), url);
    let item = child(channel, "item");
    assert_eq!(text(item, "description").trim(), html);
    assert!(rss.contains("&lt;var data-var=&apos;date&apos;&gt; 5"));
    assert_eq!(text(item, "pubDate"), "Thu, 05 Mar 2026 11:00:00 -0700");
    assert_eq!((text(item, "link"), text(item, "guid")), (&*link, &*link));
    assert!(child(item, "guid").attributes().next().is_none());

    operator
        .patch(
            &format!("/incident/{}", id_of(&created)),
            json!({"title": "Other"}),
        )
        .await;
    let renamed = feed(&operator, "history.atom").await;
    assert!(
        renamed.contains(&format!("Incident/{number}</id>")),
        "the number stays"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn history_has_twenty_five_entries_the_last_updated_first() {
    let (_app, operator) = TestApp::with_operator().await;
    let mut paths = Vec::new();
    for number in 0..26 {
        let body = json!({"title": format!("Incident {number}"), "description": "d"});
        let incident = operator.create("/incident/create", body).await;
        paths.push(format!("/incident/{}/updates/create", id_of(&incident)));
    }
    let maintenance = json!({
        "title": "Move", "description": "d",
        "startAt": "2098-04-07T13:00:00Z", "endAt": "2098-04-07T15:30:00Z",
    });
    operator.create("/maintenance/create", maintenance).await;
    let cancelled = json!({
        "title": "Cancelled", "description": "d", "startAt": "2098-04-07T13:00:00Z", "status": "CANCELLED",
    });
    operator.create("/maintenance/create", cancelled).await;
    operator
        .create(&paths[7], json!({"message": "m", "status": "MONITORING"}))
        .await;

    let atom = feed(&operator, "history.atom").await;
    let parsed = Document::parse(&atom).unwrap();
    let entries = all(&parsed, "entry");
    let titles: Vec<_> = entries.iter().map(|entry| text(*entry, "title")).collect();
    assert_eq!(titles.len(), 25);
    assert_eq!(titles[..3], ["Incident 7", "Move", "Incident 25"]);
    assert!(!titles.contains(&"Cancelled") && !titles.contains(&"Incident 0"));
    assert!(text(entries[1], "id").starts_with("tag:localhost,2005:Maintenance/"));
    let announced = "<p><strong>THIS IS A SCHEDULED EVENT Apr <var data-var='date'> 7</var>, \
                     <var data-var='time'>13:00</var> - <var data-var='time'>15:30</var> UTC</strong></p><p><small>";
    assert!(text(entries[1], "content").starts_with(announced));
    let rss = feed(&operator, "history.rss").await;
    let parsed = Document::parse(&rss).unwrap();
    let listed: Vec<_> = all(&parsed, "item")
        .iter()
        .map(|item| text(*item, "title"))
        .collect();
    assert_eq!(listed, titles);
    let json: Value = serde_json::from_str(&feed(&operator, "feed.json").await).unwrap();
    let listed: Vec<_> = json["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["title"].as_str().unwrap())
        .collect();
    assert_eq!(listed, titles);
}

#[tokio::test(flavor = "multi_thread")]
async fn feeds_have_a_review_and_addresses_as_html() {
    let (_app, operator) = TestApp::with_operator().await;
    let body = json!({
        "title": "Down", "description": "See https://acme.example/a?b=1&c=2.", "status": "RESOLVED",
    });
    let path = format!(
        "/incident/{}/review",
        id_of(&operator.create("/incident/create", body).await)
    );
    let review = json!({"body": "A **bad** deploy\n\n- one"});
    let written = operator.request(Method::PUT, &path).json(&review);
    assert_eq!(written.send().await.unwrap().status(), StatusCode::OK);
    operator.post(&format!("{path}/publish"), json!({})).await;

    let rest = "A <strong>bad</strong> deploy</p>\n<ul>\n<li>one</li>\n</ul>\n";
    let link = "See <a href=\"https://acme.example/a?b=1&amp;c=2\" rel=\"nofollow noopener\">\
                https://acme.example/a?b=1&amp;c=2</a>.</p>";
    let json: Value = serde_json::from_str(&feed(&operator, "feed.json").await).unwrap();
    let mut histories = vec![
        json["items"][0]["content_html"]
            .as_str()
            .unwrap()
            .to_owned(),
    ];
    for (name, element) in [("history.atom", "content"), ("history.rss", "description")] {
        let xml = feed(&operator, name).await;
        let parsed = Document::parse(&xml).unwrap();
        let content = all(&parsed, element).last().unwrap().text().unwrap();
        histories.push(content.to_owned());
    }
    for html in histories {
        assert!(
            html.contains(&format!(
                "<br><strong>Postmortem</strong> - {rest}<p><small>"
            )) && html.contains(&format!(" - {link}")),
            "{html}"
        );
    }
    let xml = feed(&operator, "updates.atom").await;
    let parsed = Document::parse(&xml).unwrap();
    let updates: Vec<_> = all(&parsed, "content")
        .iter()
        .map(|node| node.text().unwrap())
        .collect();
    assert_eq!(updates, [format!("<p>{rest}"), format!("<p>{link}")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_update_is_an_item_of_its_own() {
    let (_app, operator) = TestApp::with_operator().await;
    let created = incident(&operator, "Down").await;
    let path = format!("/incident/{}/updates/create", id_of(&created));
    for number in 0..50 {
        let update = json!({"message": format!("Update {number}"), "status": "MONITORING"});
        operator.create(&path, update).await;
    }
    let url = address(&operator).await;
    let link = format!("{url}/incidents/{}#", created["code"].as_str().unwrap());
    let rss = feed(&operator, "updates.rss").await;
    let parsed = Document::parse(&rss).unwrap();
    let items = all(&parsed, "item");
    assert_eq!(items.len(), 50);
    assert_eq!(text(items[0], "title"), "[Monitoring] Down");
    assert_eq!(text(items[0], "description").trim(), "<p>Update 49</p>");
    let guids: std::collections::HashSet<_> =
        items.iter().map(|item| text(*item, "guid")).collect();
    assert_eq!(guids.len(), 50);
    assert!(guids.iter().all(|guid| {
        guid.strip_prefix(&link)
            .is_some_and(|code| code.len() == 12)
    }));
    let atom = feed(&operator, "updates.atom").await;
    let parsed = Document::parse(&atom).unwrap();
    let entries = all(&parsed, "entry");
    assert_eq!(text(entries[0], "id"), text(items[0], "guid"));
    assert_eq!(entries.len(), 50);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_text_survives_every_feed() {
    let (_app, operator) = TestApp::with_operator().await;
    let title = NASTY.replace(['\n', '\u{1}', '\u{1f}'], " ");
    let body = json!({"title": title, "description": NASTY});
    operator.create("/incident/create", body).await;
    let page = json!({"pageTitle": "A, B; C & <D>"});
    assert_eq!(operator.patch("/organisation", page).await.status, 200);
    let maintenance = json!({
        "title": title, "description": format!("{NASTY}, a; b \\ c {}", "long 🚑 words ".repeat(40)),
        "startAt": "2098-04-07T13:00:00Z",
    });
    operator.create("/maintenance/create", maintenance).await;
    for name in ["history.atom", "history.rss", "updates.atom", "updates.rss"] {
        let xml = feed(&operator, name).await;
        let parsed = Document::parse(&xml).unwrap();
        let found = parsed.descendants().filter_map(|node| node.text());
        let found: Vec<_> = found.collect();
        assert!(
            found.iter().any(|text| text.ends_with(&title)),
            "{name}: {xml}"
        );
        let shown = "]]&gt; &amp; &lt;b&gt;bold&lt;/b&gt; &quot;quoted&quot; 'single'  🚑 \u{5e9}\u{5dc}<br />next";
        assert!(
            found.iter().any(|text| text.contains(shown)),
            "{name}: {xml}"
        );
    }
    let json: Value = serde_json::from_str(&feed(&operator, "feed.json").await).unwrap();
    assert_eq!(json["version"], "https://jsonfeed.org/version/1.1");
    assert_eq!(json["items"][1]["title"], title);

    let calendar = feed(&operator, "maintenances.ics").await;
    assert!(
        calendar
            .split("\r\n")
            .all(|line| line.len() <= 75 && !line.contains('\n')),
        "{calendar}"
    );
    assert!(calendar.contains("X-WR-CALNAME:A\\, B\\; C & <D> Maintenances\r\n"));
    let parsed: Calendar = calendar.parse().unwrap();
    let event = parsed.events().next().unwrap();
    assert_eq!(event.get_summary(), Some(&*title));
    let description = event.get_description().unwrap();
    assert!(
        description.contains("'single'  🚑 \u{5e9}\u{5dc}\nnext, a; b \\ c long"),
        "{description}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn calendar_without_maintenances_has_a_time_zone() {
    let (_app, operator) = TestApp::with_operator().await;
    let calendar = feed(&operator, "maintenances.ics").await;
    assert!(
        calendar.ends_with("END:STANDARD\r\nEND:VTIMEZONE\r\nEND:VCALENDAR\r\n"),
        "{calendar}"
    );
    let parsed: Calendar = calendar.parse().unwrap();
    assert_eq!((parsed.len(), parsed.events().count()), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn calendar_has_every_maintenance_with_its_reschedules() {
    let (_app, operator) = TestApp::with_operator().await;
    let plan = async |title: &str, end: Value| {
        let body = json!({
            "title": title, "description": "To the new racks", "startAt": "2098-04-07T13:00:00.500Z", "endAt": end,
        });
        operator.create("/maintenance/create", body).await
    };
    let moved = plan("Moved", json!("2098-04-07T15:00:00Z")).await;
    let cancelled = plan("Cancelled", json!(null)).await;
    let path = |created: &Value| format!("/maintenance/{}", id_of(created));
    operator
        .patch(&path(&moved), json!({"endAt": "2098-04-07T16:00:00Z"}))
        .await;
    operator
        .patch(&path(&moved), json!({"title": "Moved twice"}))
        .await;
    operator
        .patch(&path(&moved), json!({"startAt": "2098-04-07T12:00:00Z"}))
        .await;
    operator
        .patch(&path(&cancelled), json!({"status": "CANCELLED"}))
        .await;

    let calendar = feed(&operator, "maintenances.ics").await;
    assert!(
        calendar.starts_with("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:"),
        "{calendar}"
    );
    for line in [
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        "X-WR-CALNAME:Acme Maintenances",
    ] {
        assert!(calendar.contains(&format!("{line}\r\n")), "{line}");
    }
    assert!(!calendar.contains("VTIMEZONE"), "{calendar}");
    let parsed: Calendar = calendar.parse().unwrap();
    let events: Vec<_> = parsed.events().collect();
    assert_eq!(events.len(), 2);
    let value = |index: usize, name: &str| events[index].property_value(name).map(str::to_owned);
    assert_eq!(value(0, "STATUS").as_deref(), Some("CANCELLED"));
    assert_eq!(value(0, "SEQUENCE").as_deref(), Some("1"));
    assert_eq!(value(0, "DTEND"), None);
    assert_eq!(value(1, "STATUS").as_deref(), Some("CONFIRMED"));
    assert_eq!(value(1, "SEQUENCE").as_deref(), Some("2"));
    assert_eq!(value(1, "DTSTART").as_deref(), Some("20980407T120000Z"));
    assert_eq!(value(1, "DTEND").as_deref(), Some("20980407T160000Z"));
    let code = moved["code"].as_str().unwrap();
    assert_eq!(value(1, "UID"), Some(format!("{code}@localhost")));
    let url = format!("{}/maintenances/{code}", address(&operator).await);
    assert_eq!(value(1, "URL"), Some(url));
}
