//! The sitemap of a status page ([Sitemaps 0.9](https://www.sitemaps.org/protocol.html)).

use std::fmt::Write;

use allclear_application::statuspage_api::StatuspageState;
use chrono::{DateTime, SecondsFormat, Utc};

use super::feed::text::escape_xml;

/// The addresses of the status page, its history and its uptime, and of the incidents and
/// maintenances that the state lists. Each has the time of its last change.
pub(super) fn draw(state: &StatuspageState) -> String {
    let mut entries = String::new();
    for page in ["", "/history", "/uptime"] {
        add(&mut entries, state, page, state.updated_at);
    }
    for record in state.records() {
        add(&mut entries, state, &record.path(), record.updated_at());
    }
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{entries}</urlset>
"#
    )
}

fn add(entries: &mut String, state: &StatuspageState, path: &str, changed_at: DateTime<Utc>) {
    let address = escape_xml(&format!("{}{path}", state.url));
    let changed_at = changed_at.to_rfc3339_opts(SecondsFormat::Secs, true);
    // Writing to a String cannot fail.
    let _ = writeln!(
        entries,
        "  <url><loc>{address}</loc><lastmod>{changed_at}</lastmod></url>"
    );
}
