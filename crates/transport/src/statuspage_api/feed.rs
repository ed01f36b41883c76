//! The feeds of an organisation: the history as Statuspage writes it, each update by itself for
//! chat rooms, JSON Feed, and a calendar of the maintenances.

mod atom;
mod calendar;
mod json_feed;
mod rss;
pub(super) mod text;

use std::cmp::Reverse;
use std::fmt::Write;

use allclear_application::statuspage_api::{Record, StatuspageState};
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::statuspage_entry::{StatuspageEntry, StatuspageStatus};
use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, Utc};

use self::text::{host, review_html, text_html};

pub(super) use self::atom::{history as history_atom, updates as updates_atom};
pub(super) use self::calendar::maintenances;
pub(super) use self::json_feed::{JsonFeed, feed as json_feed};
pub(super) use self::rss::{history as history_rss, updates as updates_rss};

/// Incidents and maintenances of a feed.
const MAX_RECORDS: usize = 25;
/// Updates of a feed of updates.
const MAX_UPDATES: usize = 50;

/// What all feeds of a state share.
struct Feed<'a> {
    state: &'a StatuspageState,
    /// Title of the page.
    title: &'a str,
    /// Host of the page, without a port.
    host: &'a str,
}

/// An entry as an item of its own.
struct Item<'a> {
    record: Record<'a>,
    entry: &'a StatuspageEntry,
}

impl<'a> Feed<'a> {
    fn new(state: &'a StatuspageState) -> Self {
        Self {
            state,
            title: state.organisation.effective_title(),
            host: host(&state.url),
        }
    }

    /// The incidents and maintenances, the one with the newest entry first.
    fn records(&self) -> Vec<Record<'a>> {
        let mut records = self.state.records();
        records.truncate(MAX_RECORDS);
        records
    }

    /// The entries of all incidents and maintenances, newest first.
    fn items(&self) -> Vec<Item<'a>> {
        let mut items: Vec<_> = self
            .state
            .records()
            .into_iter()
            .flat_map(|record| {
                let item = move |entry| Item { record, entry };
                record.entries().iter().map(item)
            })
            .collect();
        // The sort is stable: entries of the same time stay newest first.
        items.sort_by_key(|item| Reverse(item.entry.display_at));
        items.truncate(MAX_UPDATES);
        items
    }

    /// The address of an incident or a maintenance.
    fn link(&self, record: Record<'_>) -> String {
        format!("{}{}", self.state.url, record.path())
    }

    /// The identifier of an incident or a maintenance (RFC 4151).
    fn tag(&self, record: Record<'_>) -> String {
        let (kind, number) = match record {
            Record::Incident(record) => ("Incident", record.incident.id.feed_number()),
            Record::Maintenance(record) => ("Maintenance", record.maintenance.id.feed_number()),
        };
        format!("tag:{},2005:{kind}/{number}", self.host)
    }

    /// The entries of an incident or a maintenance as HTML, in the form that programs cut
    /// into updates.
    fn content(&self, record: Record<'_>) -> String {
        let zone = self.state.organisation.time_zone;
        let entries = record.entries();
        let mut html = self.announcement(record);
        for (index, entry) in entries.iter().enumerate() {
            let is_unchanged = entries
                .get(index + 1)
                .is_some_and(|older| older.status == entry.status);
            let label = if is_unchanged {
                "Update"
            } else {
                entry.status.label()
            };
            let time = zone.format(
                entry.display_at,
                "%b <var data-var='date'>%e</var>, <var data-var='time'>%H:%M</var> %Z",
            );
            let body = body(entry);
            // A paragraph cannot contain the other blocks of a review.
            let (line, blocks) = body
                .strip_prefix("<p>")
                .map_or(("</p>", body.as_str()), |body| (body, ""));
            // Writing to a String cannot fail.
            let _ = write!(
                html,
                "<p><small>{time}</small><br><strong>{label}</strong> - {line}{blocks}"
            );
        }
        html
    }

    /// The times of a maintenance that has not begun; empty for everything else.
    fn announcement(&self, record: Record<'_>) -> String {
        let Record::Maintenance(record) = record else {
            return String::new();
        };
        if record.status != MaintenanceStatus::Scheduled {
            return String::new();
        }
        let (start, end) = (record.maintenance.start_at, record.maintenance.end_at);
        let text = from_to(self.state.organisation.time_zone, start, end);
        format!("<p><strong>THIS IS A SCHEDULED EVENT {text}</strong></p>")
    }
}

/// The start and the end of a maintenance, with the zone at the end, and also at the start if the
/// date or the zone is another one: daylight saving time may begin or end between them.
fn from_to(zone: TimeZone, start: DateTime<Utc>, end: Option<DateTime<Utc>>) -> String {
    let (date, time) = (
        "%b <var data-var='date'>%e</var>, ",
        "<var data-var='time'>%H:%M</var>",
    );
    let complete = format!("{date}{time} %Z");
    let Some(end) = end else {
        return zone.format(start, &complete);
    };
    let is_same_day = zone.date_of(start) == zone.date_of(end);
    let is_same_zone = zone.format(start, "%Z") == zone.format(end, "%Z");
    let [of_start, of_end] = match (is_same_day, is_same_zone) {
        (true, true) => [format!("{date}{time}"), format!("{time} %Z")],
        (true, false) => [complete, format!("{time} %Z")],
        (false, _) => [complete.clone(), complete],
    };
    format!(
        "{} - {}",
        zone.format(start, &of_start),
        zone.format(end, &of_end)
    )
}

/// The text of an entry as HTML: one paragraph, or the blocks of a review.
fn body(entry: &StatuspageEntry) -> String {
    match entry.status {
        StatuspageStatus::Postmortem => review_html(&entry.body),
        _ => format!("<p>{}</p>", text_html(&entry.body)),
    }
}

impl Item<'_> {
    fn title(&self) -> String {
        format!("[{}] {}", self.entry.status.label(), self.record.title())
    }

    /// The address of the entry, which is also its identifier.
    fn link(&self, feed: &Feed<'_>) -> String {
        format!("{}#{}", feed.link(self.record), self.entry.code)
    }

    fn content(&self) -> String {
        body(self.entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maintenance_over_a_change_of_the_clock_names_both_zones() {
        let zone: TimeZone = "America/New_York".parse().unwrap();
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let shown = |start: &str, end: &str| from_to(zone, at(start), Some(at(end)));
        let time = |text: &str| format!("<var data-var='time'>{text}</var>");
        let date = "Mar <var data-var='date'>14</var>, ";
        assert_eq!(
            shown("2027-03-14T06:30:00Z", "2027-03-14T07:30:00Z"),
            format!("{date}{} EST - {} EDT", time("01:30"), time("03:30"))
        );
        assert_eq!(
            shown("2027-03-14T07:30:00Z", "2027-03-14T08:30:00Z"),
            format!("{date}{} - {} EDT", time("03:30"), time("04:30"))
        );
    }
}
