//! RSS 2.0, in the layout of Statuspage.

use allclear_application::statuspage_api::StatuspageState;
use chrono::{DateTime, Utc};

use super::Feed;
use super::text::escape_xml;

/// `history.rss`: one item for each incident or maintenance. Its identifier stays over all updates,
/// so programs that show each identifier once show it once.
pub(in super::super) fn history(state: &StatuspageState) -> String {
    let feed = Feed::new(state);
    let items = feed.records().into_iter().map(|record| {
        item(
            &feed,
            record.title(),
            &feed.content(record),
            record.published_at(),
            &feed.link(record),
        )
    });
    document(&feed, "Incident History", items)
}

/// `updates.rss`: one item for each update.
pub(in super::super) fn updates(state: &StatuspageState) -> String {
    let feed = Feed::new(state);
    let items = feed.items();
    let items = items.iter().map(|one| {
        let link = one.link(&feed);
        item(
            &feed,
            &one.title(),
            &one.content(),
            one.entry.display_at,
            &link,
        )
    });
    document(&feed, "Updates", items)
}

fn document(feed: &Feed<'_>, title: &str, items: impl Iterator<Item = String>) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel>
    <title>{page} Status - {title}</title>
    <link>{url}</link>
    <description>Incidents and maintenances of {page}</description>
    <pubDate>{published}</pubDate>
{items}  </channel>
</rss>
"#,
        page = escape_xml(feed.title),
        url = escape_xml(&feed.state.url),
        published = time(feed, feed.state.updated_at),
        items = items.collect::<String>(),
    )
}

fn item(
    feed: &Feed<'_>,
    title: &str,
    html: &str,
    published_at: DateTime<Utc>,
    link: &str,
) -> String {
    format!(
        r"    <item>
      <title>{title}</title>
      <description>
{html}      </description>
      <pubDate>{published}</pubDate>
      <link>{link}</link>
      <guid>{link}</guid>
    </item>
",
        title = escape_xml(title),
        html = escape_xml(html).replace('\'', "&apos;"),
        published = time(feed, published_at),
        link = escape_xml(link),
    )
}

/// The form of RFC 822 with four digits for the year.
fn time(feed: &Feed<'_>, instant: DateTime<Utc>) -> String {
    let zone = feed.state.organisation.time_zone;
    zone.format(instant, "%a, %d %b %Y %H:%M:%S %z")
}
