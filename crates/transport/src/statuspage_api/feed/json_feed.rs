//! JSON Feed 1.1.

use allclear_application::statuspage_api::{Record, StatuspageState};
use serde::Serialize;
use utoipa::ToSchema;

use super::Feed;

/// `feed.json`: one item for each incident or maintenance.
#[derive(Debug, Serialize, ToSchema)]
pub(in super::super) struct JsonFeed {
    version: &'static str,
    title: String,
    home_page_url: String,
    feed_url: String,
    language: &'static str,
    authors: Vec<Author>,
    items: Vec<JsonItem>,
}

#[derive(Debug, Serialize, ToSchema)]
struct Author {
    name: String,
    url: String,
}

#[derive(Debug, Serialize, ToSchema)]
struct JsonItem {
    /// Stays the same over all updates.
    id: String,
    url: String,
    title: String,
    /// The entries, newest first.
    content_html: String,
    /// The time of the newest entry.
    date_published: String,
    date_modified: String,
    /// The kind and the status.
    tags: [&'static str; 2],
}

/// Draws `feed.json`.
pub(in super::super) fn feed(state: &StatuspageState) -> JsonFeed {
    let feed = Feed::new(state);
    let zone = state.organisation.time_zone;
    let item = |record: Record<'_>| JsonItem {
        id: feed.tag(record),
        url: feed.link(record),
        title: record.title().to_owned(),
        content_html: feed.content(record),
        date_published: zone.timestamp_in_seconds(record.published_at()),
        date_modified: zone.timestamp_in_seconds(record.updated_at()),
        tags: match record {
            Record::Incident(record) => ["incident", record.statuspage_status().as_str()],
            Record::Maintenance(record) => ["maintenance", record.statuspage_status().as_str()],
        },
    };
    JsonFeed {
        version: "https://jsonfeed.org/version/1.1",
        title: format!("{} Status - Incident History", feed.title),
        home_page_url: state.url.clone(),
        feed_url: format!("{}/feed.json", state.url),
        language: "en-US",
        authors: vec![Author {
            name: feed.title.to_owned(),
            url: state.url.clone(),
        }],
        items: feed.records().into_iter().map(item).collect(),
    }
}
