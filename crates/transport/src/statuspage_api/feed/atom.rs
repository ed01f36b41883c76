//! Atom (RFC 4287), in the layout of Statuspage: programs exist that read it by patterns.

use allclear_application::statuspage_api::StatuspageState;
use chrono::{DateTime, Utc};

use super::text::{escape_xml, path};
use super::{Feed, Item};

/// `history.atom`: one entry for each incident or maintenance. It moves up with every update.
pub(in super::super) fn history(state: &StatuspageState) -> String {
    let feed = Feed::new(state);
    let entries = feed.records().into_iter().map(|record| {
        entry(
            &feed,
            &feed.tag(record),
            (record.published_at(), record.updated_at()),
            &feed.link(record),
            record.title(),
            &feed.content(record),
        )
    });
    document(&feed, "history", "Incident History", entries)
}

/// `updates.atom`: one entry for each update.
pub(in super::super) fn updates(state: &StatuspageState) -> String {
    let feed = Feed::new(state);
    let items = feed.items();
    let entries = items.iter().map(|item: &Item<'_>| {
        let link = item.link(&feed);
        let times = (item.entry.display_at, item.entry.updated_at);
        entry(&feed, &link, times, &link, &item.title(), &item.content())
    });
    document(&feed, "updates", "Updates", entries)
}

fn document(
    feed: &Feed<'_>,
    name: &str,
    title: &str,
    entries: impl Iterator<Item = String>,
) -> String {
    let url = escape_xml(&feed.state.url);
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<feed xml:lang="en-US" xmlns="http://www.w3.org/2005/Atom">
  <id>tag:{host},2005:{path}/{name}</id>
  <link rel="alternate" type="text/html" href="{url}"/>
  <link rel="self" type="application/atom+xml" href="{url}/{name}.atom"/>
  <title>{page} Status - {title}</title>
  <updated>{updated}</updated>
  <author>
    <name>{page}</name>
  </author>
{entries}</feed>
"#,
        host = feed.host,
        path = path(&feed.state.url),
        page = escape_xml(feed.title),
        updated = time(feed, feed.state.updated_at),
        entries = entries.collect::<String>(),
    )
}

/// An entry; the times are those of publication and of the last change.
fn entry(
    feed: &Feed<'_>,
    id: &str,
    times: (DateTime<Utc>, DateTime<Utc>),
    link: &str,
    title: &str,
    html: &str,
) -> String {
    format!(
        r#"  <entry>
    <id>{id}</id>
    <published>{published}</published>
    <updated>{updated}</updated>
    <link rel="alternate" type="text/html" href="{link}"/>
    <title>{title}</title>
    <content type="html">{content}</content>
  </entry>
"#,
        id = escape_xml(id),
        published = time(feed, times.0),
        updated = time(feed, times.1),
        link = escape_xml(link),
        title = escape_xml(title),
        content = escape_xml(html),
    )
}

fn time(feed: &Feed<'_>, instant: DateTime<Utc>) -> String {
    feed.state
        .organisation
        .time_zone
        .timestamp_in_seconds(instant)
}
