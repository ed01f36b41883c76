//! The maintenances as a calendar (RFC 5545).

use allclear_application::statuspage_api::{MaintenanceRecord, Record, StatuspageState};
use allclear_domain::maintenance::MaintenanceStatus;
use chrono::{DateTime, Utc};
use icalendar::{Calendar, Component, Event, EventStatus, Property};

use super::Feed;
use super::text::without_controls;

/// The last line of a calendar.
const END: &str = "END:VCALENDAR\r\n";

/// A calendar must have a component (RFC 5545, section 3.6). This one is for a calendar without
/// events, and written here because the library gives each component properties that a time zone
/// must not have.
const UTC_ZONE: &str = "BEGIN:VTIMEZONE\r\nTZID:Etc/UTC\r\nBEGIN:STANDARD\r\n\
                        DTSTART:19700101T000000\r\nTZOFFSETFROM:+0000\r\n\
                        TZOFFSETTO:+0000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";

/// `maintenances.ics`: the newest maintenances and those that are not over. Cancelled ones stay and
/// say so, because a program keeps an event that is no longer in the calendar.
pub(in super::super) fn maintenances(state: &StatuspageState) -> String {
    let feed = Feed::new(state);
    let mut calendar = Calendar::empty();
    let name = format!("{} Maintenances", without_controls(feed.title));
    for (key, value) in [
        ("VERSION", "2.0"),
        ("PRODID", "-//Allclear//Maintenances//EN"),
        ("CALSCALE", "GREGORIAN"),
        ("METHOD", "PUBLISH"),
        ("X-WR-CALNAME", &name),
        ("X-WR-TIMEZONE", &state.organisation.time_zone.to_string()),
    ] {
        calendar.append_property(Property::new(key, value));
    }
    for record in &state.maintenances {
        calendar.push(event(&feed, record));
    }
    let calendar = calendar.to_string();
    match calendar.strip_suffix(END) {
        Some(head) if state.maintenances.is_empty() => format!("{head}{UTC_ZONE}{END}"),
        _ => calendar,
    }
}

fn event(feed: &Feed<'_>, record: &MaintenanceRecord) -> Event {
    let maintenance = &record.maintenance;
    let changed_at = time(record.updated_at());
    let uid = format!("{}@{}", maintenance.id.code(), feed.host);
    let sequence = maintenance.reschedules.to_string();
    let url = feed.link(Record::Maintenance(record));
    let status = if record.status == MaintenanceStatus::Cancelled {
        EventStatus::Cancelled
    } else {
        EventStatus::Confirmed
    };
    let mut event = Event::new();
    event
        .uid(&uid)
        .add_property("DTSTAMP", &changed_at)
        .add_property("LAST-MODIFIED", &changed_at)
        .add_property("CREATED", time(maintenance.created_at))
        .add_property("DTSTART", time(maintenance.start_at))
        .add_property("SEQUENCE", &sequence)
        .add_property("URL", &url)
        .summary(&without_controls(&maintenance.title))
        .description(&without_controls(&maintenance.description))
        .status(status);
    // An end that is not after the start would be invalid. Without one, the event ends when
    // it starts.
    let end = maintenance.end_at.map(time);
    if let Some(end) = end.filter(|end| *end > time(maintenance.start_at)) {
        event.add_property("DTEND", &end);
    }
    event.done()
}

/// The form of RFC 5545, section 3.3.5, in UTC.
fn time(instant: DateTime<Utc>) -> String {
    instant.format("%Y%m%dT%H%M%SZ").to_string()
}
