use allclear_application::status_page::history::{
    AffectedOverTime, History, HistoryDetails, HistoryEntry, HistorySelection, HistoryStatus,
    NamedComponent, PageOwner,
};
use allclear_domain::channel::Channel;
use allclear_domain::code::Code;
use allclear_domain::component::ComponentStatus;
use allclear_domain::history::HistoryMonths;
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::organisation::Revision;
use maud::Markup;

use super::{entry, history_path, page};

fn history(zone: &str, occured_at: &str) -> History {
    let zone = zone.parse().unwrap();
    let now = "2026-11-20T12:00:00Z".parse().unwrap();
    History {
        owner: PageOwner {
            id: OrganisationId::parse("acme").unwrap(),
            title: "Acme".into(),
            time_zone: zone,
            domain: None,
            support_url: None,
            channels: vec![Channel::Email, Channel::Slack],
            revision: Revision(7),
        },
        components: Vec::new(),
        months: HistoryMonths::of_page(1, zone, now),
        entries: vec![HistoryEntry {
            code: Code::of(b"1"),
            title: "Down".into(),
            summary: String::new(),
            status: HistoryStatus::Incident(IncidentStatus::Resolved),
            start_at: occured_at.parse().unwrap(),
            end_at: None,
        }],
        complete_since: None,
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
fn month_of_which_entries_are_left_out_is_not_called_empty() {
    let oldest = "2026-10-15T12:00:00Z";
    let truncated = History {
        complete_since: Some(oldest.parse().unwrap()),
        ..history("Etc/UTC", oldest)
    };
    let drawn = page(&truncated, FIRST).0;
    let month = |name: &str| {
        let heading = format!("{name}</h2>");
        let section = drawn.split_once(&heading).unwrap().1;
        section.split_once("</section>").unwrap().0.to_owned()
    };
    assert!(month("November 2026").contains("No incidents or maintenances"));
    assert!(month("October 2026").contains(">Down</a>"));
    assert!(month("September 2026").contains("are not shown"));
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

fn component(name: &str, group: Option<&str>) -> NamedComponent {
    NamedComponent {
        code: Code::of(name.as_bytes()),
        name: name.into(),
        group: group.map(str::to_owned),
    }
}

#[test]
fn filter_has_the_components_of_a_group_together() {
    let mut history = history("Etc/UTC", "2026-10-31T20:00:00Z");
    history.components = vec![
        component("API", Some("Europe <b>")),
        component("Web", Some("Europe <b>")),
        component("Mail", None),
    ];
    let drawn = page(&history, FIRST).0;
    let (group, rest) = drawn.split_once("</optgroup>").unwrap();
    let (_, group) = group
        .split_once("<optgroup label=\"Europe &lt;b&gt;\">")
        .unwrap();
    assert_eq!(group.matches("<option").count(), 2, "{group}");
    assert!(
        rest.contains(">Mail</option>") && !rest.contains("<optgroup"),
        "{rest}"
    );
}

/// An incident that affects `count` components.
fn details(status: IncidentStatus, count: usize) -> HistoryDetails {
    let History {
        owner, mut entries, ..
    } = history("Etc/UTC", "2026-10-31T20:00:00Z");
    let mut entry = entries.remove(0);
    entry.status = HistoryStatus::Incident(status);
    let affected = AffectedOverTime {
        component: component("API", Some("Europe")),
        has_namesake: true,
        impact: Some(ComponentStatus::Degraded),
        periods: Vec::new(),
    };
    HistoryDetails {
        owner,
        description_code: entry.code,
        updated_at: entry.start_at,
        entry,
        updates: Vec::new(),
        updates_truncated: false,
        review: None,
        components: vec![affected; count],
        components_truncated: false,
    }
}

#[test]
fn affected_components_follow_the_updates_and_are_folded_if_they_are_many() {
    for (count, is_folded) in [(8, false), (9, true)] {
        let drawn = entry(&details(IncidentStatus::Identified, count)).0;
        let (_, section) = drawn.split_once("id=\"updates\"").unwrap();
        let (_, section) = section.split_once("id=\"components\"").unwrap();
        assert_eq!(section.matches(">API (Europe)</h3>").count(), count);
        let summary = format!("<summary>{count} components affected</summary>");
        assert_eq!(section.contains(&summary), is_folded, "{section}");
    }
}

#[test]
fn page_of_a_maintenance_is_read_again_when_the_clock_changes_it() {
    let start = "2026-10-31T20:00:00.000Z";
    let rows = [
        (MaintenanceStatus::Scheduled, Some(start)),
        (
            MaintenanceStatus::InProgress,
            Some("2026-10-31T22:00:00.001Z"),
        ),
        (MaintenanceStatus::Completed, None),
        (MaintenanceStatus::Cancelled, None),
    ];
    for (status, expected) in rows {
        let mut shown = details(IncidentStatus::Identified, 0);
        shown.entry.status = HistoryStatus::Maintenance(status);
        shown.entry.end_at = Some("2026-10-31T22:00:00Z".parse().unwrap());
        let mut list = history("Etc/UTC", start);
        list.entries.push(shown.entry.clone());
        for drawn in [entry(&shown).0, page(&list, FIRST).0] {
            let until = drawn
                .split_once("data-until=\"")
                .and_then(|(_, rest)| rest.split('"').next());
            assert_eq!(until, expected, "{status}");
        }
    }
}

#[test]
fn open_incident_is_followed_where_visitors_may_subscribe() {
    let link = |details: &HistoryDetails| {
        let drawn = entry(details).0;
        let before = drawn.split_once("Follow this incident</a>")?.0.to_owned();
        let (_, tag) = before.rsplit_once("<a ")?;
        Some(tag.to_owned())
    };
    let mut open = details(IncidentStatus::Identified, 1);
    let address = format!("href=\"/status/acme#{}\"", open.entry.code);
    assert!(link(&open).unwrap().starts_with(&address));
    assert_eq!(link(&details(IncidentStatus::Resolved, 1)), None);
    open.owner.channels.clear();
    assert_eq!(link(&open), None);
}

#[test]
fn page_leads_to_support_and_to_the_subscription() {
    let mut history = history("Etc/UTC", "2026-10-31T20:00:00Z");
    let hrefs = |history: &History| {
        let drawn = page(history, FIRST).0;
        let links = drawn.split("<a ").skip(1).filter_map(|rest| {
            let (tag, rest) = rest.split_once('>')?;
            let text = rest.split_once("</a>")?.0;
            let (_, href) = tag.split_once("href=\"")?;
            let href = href.split_once('"')?.0;
            ["Subscribe To Updates", "Subscribe by mail", "Get support"]
                .contains(&text)
                .then(|| href.to_owned())
        });
        links.collect::<Vec<_>>()
    };
    let (dialog, form) = ("/status/acme#subscribe", "/status/acme/subscribe");
    assert_eq!(hrefs(&history), [dialog, form]);
    history.owner.support_url = Some("mailto:help@acme.example".into());
    history.owner.channels = vec![Channel::Slack];
    assert_eq!(hrefs(&history), [dialog, "mailto:help@acme.example"]);
    history.owner.channels.clear();
    assert_eq!(hrefs(&history), ["mailto:help@acme.example"]);
}

#[test]
fn navigation_marks_the_current_page() {
    let current = |drawn: Markup| {
        let (_, nav) = drawn.0.split_once("<nav aria-label=\"Pages\">").unwrap();
        let (nav, _) = nav.split_once("</nav>").unwrap();
        assert_eq!(nav.matches("<a ").count(), 3);
        let link = nav.split_once(" aria-current=\"page\">")?.1;
        Some(link.split_once('<').unwrap().0.to_owned())
    };
    let history = history("Etc/UTC", "2026-10-31T20:00:00Z");
    assert_eq!(current(page(&history, FIRST)).as_deref(), Some("History"));
    let incident = details(IncidentStatus::Identified, 0);
    assert_eq!(current(entry(&incident)), None);
}

#[test]
fn page_with_a_domain_of_its_own_leads_to_no_other_home() {
    let mut history = history("Etc/UTC", "2026-10-31T20:00:00Z");
    let footer = |history: &History| {
        let drawn = page(history, FIRST).0;
        drawn.split_once("<footer>").unwrap().1.to_owned()
    };
    assert!(footer(&history).starts_with("<a href=\"/\" class=\"brand\">"));
    history.owner.domain = Some("status.acme.example".parse().unwrap());
    assert!(footer(&history).starts_with("<a class=\"brand\">"));
}
