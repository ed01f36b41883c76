use allclear_application::status_page::history::{NamedComponent, PageOwner};
use allclear_application::status_page::uptime::{ComponentCalendar, UptimePage, UptimeSelection};
use allclear_domain::code::Code;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use allclear_domain::status_period::StatusSpan;
use chrono::{DateTime, Utc};

use super::super::uptime;

const ALL: UptimeSelection = UptimeSelection {
    page: 1,
    component: None,
};

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn component(seed: &[u8], name: &str) -> NamedComponent {
    NamedComponent {
        code: Code::of(seed),
        name: name.into(),
        group: Some("Core".into()),
    }
}

/// A page with a component that was down for an hour on November 10 and began on October 5.
fn page(zone: &str) -> UptimePage {
    let now = at("2026-11-20T12:00:00Z");
    let outage = StatusSpan {
        status: ComponentStatus::MajorOutage,
        start_at: at("2026-11-10T10:00:00Z"),
        end_at: Some(at("2026-11-10T11:00:00Z")),
    };
    let zone = zone.parse().unwrap();
    let months = ALL.months(zone, now);
    let start_date = Some("2026-10-05".parse().unwrap());
    let api = component(b"1", "API <b>");
    UptimePage {
        owner: PageOwner {
            id: OrganisationId::parse("acme").unwrap(),
            title: "Acme".into(),
            time_zone: zone,
            domain: None,
            support_url: None,
            channels: Vec::new(),
            revision: Revision(7),
        },
        components: vec![api.clone()],
        calendars: vec![ComponentCalendar {
            months: months.of_component(start_date, &[outage]),
            component: api,
            start_date,
        }],
        today: zone.date_of(now),
        has_next: false,
        valid_until: Some(at("2026-11-21T00:00:00Z")),
    }
}

#[test]
fn calendar_shows_each_day_and_the_percentage_of_each_month() {
    let drawn = uptime(&page("Etc/UTC"), ALL).0;
    let captions: Vec<_> = drawn
        .split("<caption>")
        .skip(1)
        .map(|rest| rest.split_once("</caption>").unwrap().0)
        .collect();
    assert_eq!(
        captions,
        [
            "<span>September 2026</span> <span>No data</span>",
            "<span>October 2026</span> <span>100.0 % uptime</span>",
            // An hour of 20 days.
            "<span>November 2026</span> <span>99.79 % uptime</span>",
        ]
    );
    assert_eq!(drawn.matches("<td class=\"none\">").count(), 30 + 4);
    assert_eq!(drawn.matches("<td class=\"later\">").count(), 10);
    assert_eq!(drawn.matches("<td class=\"level-4\">10</td>").count(), 1);
    let code = Code::of(b"1");
    assert!(
        drawn.contains(&format!(
            "<a href=\"/status/acme/history?component={code}#2026-11\">Nov 10</a>: 1 hr outage (major)</li>"
        )),
        "{drawn}"
    );
    assert!(drawn.contains(">Core</h2>") && drawn.contains("API &lt;b&gt;"));
    assert!(drawn.contains("data-until=\"2026-11-21T00:00:00.000Z\""));
}

#[test]
fn group_has_its_mean_of_each_month_where_the_page_has_all_of_it() {
    let mut page = page("Etc/UTC");
    let web = component(b"2", "Web");
    page.components.push(web.clone());
    let months = ALL.months(page.owner.time_zone, at("2026-11-20T12:00:00Z"));
    let calendar = ComponentCalendar {
        months: months.of_component(None, &[]),
        component: web,
        start_date: None,
    };
    // October and November of the other one have 100 % and 99.79 %.
    let means = "Core</h2><p class=\"note\">September 2026: 100.0 % uptime · \
        October 2026: 100.0 % uptime · November 2026: 99.89 % uptime</p>";
    assert!(!uptime(&page, ALL).0.contains("Core</h2><p"));
    page.calendars.push(calendar);
    let drawn = uptime(&page, ALL).0;
    assert!(drawn.contains(means), "{drawn}");
}

#[test]
fn legend_says_how_long_the_downtime_of_each_colour_is() {
    let drawn = uptime(&page("Etc/UTC"), ALL).0;
    let (_, legend) = drawn.split_once("class=\"legend\"").unwrap();
    let (legend, _) = legend.split_once("</ul>").unwrap();
    let names: Vec<_> = legend
        .split("</span>")
        .skip(1)
        .map(|rest| rest.split_once("</li>").unwrap().0)
        .collect();
    assert_eq!(
        names,
        [
            "No downtime",
            "Under 20 min of downtime",
            "20 to 33 min",
            "33 to 60 min",
            "60 min or more",
            "No data",
        ]
    );
    assert!(drawn.contains("aria-current=\"page\">Uptime</a>"));
}

#[test]
fn weeks_begin_on_monday() {
    let drawn = uptime(&page("Etc/UTC"), ALL).0;
    // November 1, 2026 is a Sunday.
    let november = drawn.split_once("November 2026").unwrap().1;
    let week = november.split_once("<tbody><tr>").unwrap().1;
    let week = week.split_once("</tr>").unwrap().0;
    assert_eq!(week, "<td></td>".repeat(6) + "<td>1</td>");
}

#[test]
fn days_are_those_of_the_zone() {
    let page = page("Pacific/Kiritimati");
    let drawn = uptime(&page, ALL).0;
    assert!(
        drawn.contains(">Nov 11</a>: 1 hr outage (major)"),
        "{drawn}"
    );
    assert!(drawn.contains("All times are in Pacific/Kiritimati<"));
}

#[test]
fn page_without_calendars_says_why() {
    let mut page = page("Etc/UTC");
    page.calendars.clear();
    let beyond = UptimeSelection { page: 9, ..ALL };
    let drawn = uptime(&page, beyond).0;
    assert!(drawn.contains("There are no further components."));
    assert!(
        drawn.contains("href=\"/status/acme/uptime\" rel=\"prev\""),
        "{drawn}"
    );
    page.components.clear();
    assert!(
        uptime(&page, ALL)
            .0
            .contains("No component shows its uptime.")
    );
}
