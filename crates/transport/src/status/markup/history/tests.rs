use allclear_application::public::history::{
    EntryStatus, History, HistoryEntry, HistorySelection, PageOwner,
};
use allclear_domain::code::Code;
use allclear_domain::history::HistoryMonths;
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::IncidentStatus;

use super::{history_path, page};

fn history(zone: &str, occured_at: &str) -> History {
    let zone = zone.parse().unwrap();
    let now = "2026-11-20T12:00:00Z".parse().unwrap();
    History {
        owner: PageOwner {
            id: OrganisationId::parse("acme").unwrap(),
            title: "Acme".into(),
            time_zone: zone,
            domain: None,
            revision: 7,
        },
        components: Vec::new(),
        months: HistoryMonths::of_page(1, zone, now),
        entries: vec![HistoryEntry {
            code: Code::of(b"1"),
            title: "Down".into(),
            summary: String::new(),
            status: EntryStatus::Incident(IncidentStatus::Resolved),
            start_at: occured_at.parse().unwrap(),
            end_at: None,
        }],
        is_truncated: false,
        has_older: false,
    }
}

const FIRST: HistorySelection = HistorySelection {
    page: 1,
    component: None,
};

#[test]
fn entry_belongs_to_the_month_of_the_zone() {
    for (zone, month) in [("Etc/UTC", "October 2026"), ("Asia/Tokyo", "November 2026")] {
        let drawn = page(&history(zone, "2026-10-31T20:00:00Z"), FIRST).0;
        let before = drawn.split_once("Down").unwrap().0;
        let last = before.rsplit_once("<h2").unwrap().1;
        assert!(last.contains(month), "{zone}: {last}");
    }
}

#[test]
fn every_entry_is_drawn_once() {
    for time in ["2026-09-01T00:00:00Z", "2026-11-30T23:59:59Z"] {
        let drawn = page(&history("Etc/UTC", time), FIRST).0;
        assert_eq!(drawn.matches(">Down</a>").count(), 1, "{time}");
    }
}

#[test]
fn path_names_what_differs_from_the_first_page() {
    let acme = OrganisationId::parse("acme").unwrap();
    assert_eq!(history_path(&acme, 1, None), "/status/acme/history");
    let code = Code::of(b"1");
    assert_eq!(
        history_path(&acme, 2, Some(code)),
        format!("/status/acme/history?page=2&component={code}")
    );
}
