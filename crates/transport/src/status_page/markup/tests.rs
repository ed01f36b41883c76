use super::*;

use allclear_application::status_page::component_group::PublicComponentGroup;
use allclear_application::status_page::incident::{
    AffectedComponent, ComponentName, IncidentTimelineEntry, PublicIncident,
};
use allclear_application::status_page::maintenance::{
    MaintenanceComponent, MaintenanceTimelineEntry, PublicMaintenance,
};
use allclear_application::status_page::past_title::{PastTitle, TitledComponent};
use allclear_application::status_page::{
    PublicComponent, PublicOrganisation, PublicUptime, PublicUptimeDay,
};
use allclear_domain::component::ComponentStatus;
use allclear_domain::component_group::GroupDisplay;
use allclear_domain::headline::Banner;
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::organisation::{Organisation, Revision};
use chrono::{DateTime, Utc};

const HOSTILE: &str =
    "</p><script>alert('1')</script>\"><img src=x onerror=alert(1)>{{7*7}}${7*7}<!-- & &lt;";

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// A component with five minutes of a partial outage.
fn component(text: &str, status: ComponentStatus, when: DateTime<Utc>) -> PublicComponent {
    PublicComponent {
        id: "id".into(),
        code: "0123456789ab".into(),
        name: text.into(),
        description: text.into(),
        description_truncated: false,
        status,
        under_maintenance: false,
        group_id: None,
        position: 1,
        start_date: None,
        only_show_when_affected: false,
        uptime: Some(PublicUptime {
            percentage: None,
            days: vec![PublicUptimeDay {
                date: when.date_naive(),
                partial: 309,
                major: 0,
                degraded: 0,
            }],
        }),
        created_at: when,
    }
}

/// A page with everything on it; every text is `text`.
fn full(text: &str) -> Snapshot {
    let when = at("2026-11-20T00:05:09.000Z");
    let id = String::from("id");
    let entry = |status| IncidentTimelineEntry {
        id: id.clone(),
        code: "0123456789ab".into(),
        incident_id: id.clone(),
        status,
        message: text.into(),
        created_at: when,
        display_at: when,
    };
    let incident = |status| PublicIncident {
        id: id.clone(),
        code: "0123456789ab".into(),
        title: text.into(),
        description: text.into(),
        description_truncated: false,
        status,
        occured_at: when,
        resolved_at: None,
        created_at: when,
        timeline: vec![entry(status), entry(IncidentStatus::Investigating)],
        timeline_truncated: false,
        components: vec![AffectedComponent {
            component_id: id.clone(),
            status: ComponentStatus::PartialOutage,
            component: ComponentName {
                id: id.clone(),
                code: "0123456789ab".into(),
                name: text.into(),
            },
        }],
        components_truncated: false,
    };
    let maintenance = |status, end_at| PublicMaintenance {
        id: id.clone(),
        code: "0123456789ab".into(),
        title: text.into(),
        description: text.into(),
        description_truncated: false,
        status,
        start_at: when,
        end_at,
        shown_until: None,
        created_at: when,
        timeline: vec![MaintenanceTimelineEntry {
            id: id.clone(),
            code: "0123456789ab".into(),
            maintenance_id: id.clone(),
            status: IncidentStatus::Monitoring,
            message: text.into(),
            created_at: when,
            display_at: when,
        }],
        timeline_truncated: false,
        components: Vec::new(),
        components_truncated: false,
    };
    Snapshot {
        organisation: PublicOrganisation::new(
            Organisation::new(OrganisationId::parse("org").unwrap(), text.into()),
            "https://status.example.com/status/org".into(),
        ),
        groups: Vec::new(),
        banner: Some(Banner {
            operational: false,
            text: "Some systems are experiencing issues",
        }),
        components: [
            ComponentStatus::Operational,
            ComponentStatus::Degraded,
            ComponentStatus::PartialOutage,
            ComponentStatus::MajorOutage,
        ]
        .map(|status| component(text, status, when))
        .into(),
        incidents: vec![
            incident(IncidentStatus::Resolved),
            incident(IncidentStatus::Identified),
        ],
        maintenances: vec![
            maintenance(MaintenanceStatus::InProgress, None),
            maintenance(
                MaintenanceStatus::Completed,
                Some(at("2026-11-20T12:00:00.000Z")),
            ),
        ],
        past_titles: Vec::new(),
        revision: Revision(1),
        generated_at: when,
    }
}

/// The texts between the tags.
fn texts(html: &str) -> Vec<&str> {
    html.split('<')
        .filter_map(|piece| piece.split_once('>'))
        .map(|(_, text)| text)
        .filter(|text| !text.is_empty())
        .collect()
}

#[test]
fn page_is_complete_without_a_script() {
    let html = page(&full("Words")).into_string();
    let texts = texts(&html);
    for expected in [
        "Some systems are experiencing issues",
        "3 of 4 components affected · 1 open incident",
        "Operational",
        "Degraded Performance",
        "Partial Outage",
        "Major Outage",
        "Incidents",
        "Identified",
        "Resolved",
        "Investigating",
        "Scheduled Maintenance",
        "In Progress",
        "Completed",
        "Monitoring",
        "Starts:",
        "Ends:",
        "---",
        "All times are in UTC",
        "Subscribe To Updates",
        "Subscribe by mail",
    ] {
        assert!(
            texts.contains(&expected),
            "{expected} is missing of {texts:?}"
        );
    }
}

#[test]
fn unresolved_incidents_come_first_and_maintenances_that_are_not_over_second() {
    let full = full("Words");
    let (incidents, maintenances) = (&full.incidents, &full.maintenances);
    let rows = [
        (
            &incidents[..],
            &maintenances[..],
            ["incidents", "maintenance", "components"],
        ),
        (
            &incidents[..],
            &maintenances[1..],
            ["incidents", "components", "maintenance"],
        ),
        (
            &incidents[..1],
            &maintenances[..],
            ["components", "maintenance", "incidents"],
        ),
        (
            &incidents[..1],
            &maintenances[1..],
            ["components", "incidents", "maintenance"],
        ),
    ];
    for (incidents, maintenances, expected) in rows {
        let snapshot = Snapshot {
            incidents: incidents.to_vec(),
            maintenances: maintenances.to_vec(),
            ..full.clone()
        };
        let html = page(&snapshot).into_string();
        let sections = html.split("<h2 id=\"").skip(1);
        let ids: Vec<_> = sections
            .map(|section| section.split_once('"').unwrap().0)
            .collect();
        assert_eq!(ids, expected);
    }
    let html = page(&full).into_string();
    assert!(html.find("Identified").unwrap() < html.find("Resolved").unwrap());
}

#[test]
fn times_are_shown_in_utc() {
    let html = page(&full("Words")).into_string();
    let midnight = "<time datetime=\"2026-11-20T00:05:09Z\">\
        Nov 20, 2026 12:05:09 AM</time>";
    assert!(html.contains(midnight), "{html}");
    assert!(html.contains(">Nov 20, 2026 12:00:00 PM</time>"), "{html}");
}

#[test]
fn times_are_shown_in_the_zone_of_the_page() {
    let mut snapshot = full("Words");
    snapshot.organisation.time_zone = "America/New_York".parse().unwrap();
    let html = page(&snapshot).into_string();
    assert!(
        html.contains("All times are in America/New York<"),
        "{html}"
    );
    assert!(html.contains(">Nov 19, 2026 07:05:09 PM</time>"), "{html}");
}

#[test]
fn page_has_its_description_and_leads_to_the_other_pages() {
    let mut snapshot = full("Words");
    let organisation = &mut snapshot.organisation;
    organisation.page_description = Some("What we run <b>".into());
    organisation.support_url = Some("mailto:help@example.com?a=1&b=2".into());
    let base = format!("/status/{}", organisation.id);
    let html = page(&snapshot).into_string();
    let nav = html.split_once("<nav aria-label=\"Pages\"").unwrap().1;
    assert_eq!(
        nav.split_once("</nav>").unwrap().0.matches("<a ").count(),
        3
    );
    for part in [
        ">What we run &lt;b&gt;</p>".to_owned(),
        format!("<a href=\"{base}/history\""),
        format!("<a href=\"{base}/uptime\""),
        "<a href=\"mailto:help@example.com?a=1&amp;b=2\"".to_owned(),
    ] {
        assert!(html.contains(&part), "{part}: {html}");
    }
}

#[test]
fn page_with_a_domain_of_its_own_leads_to_no_other_home() {
    let mut snapshot = full("Words");
    for (url, start) in [
        (
            "https://example.com/status/org",
            "<a href=\"/\" class=\"brand\">",
        ),
        ("https://acme.example", "<a class=\"brand\">"),
    ] {
        snapshot.organisation.url = url.into();
        let html = page(&snapshot).into_string();
        let footer = html.split_once("<footer>").unwrap().1;
        assert!(footer.starts_with(start), "{url}: {footer}");
    }
}

#[test]
fn programs_subscribe_to_the_calendar_of_a_page_with_https() {
    let mut snapshot = full("Words");
    for (url, base) in [
        (
            "https://example.com/status/org",
            "webcal://example.com/status/org",
        ),
        ("https://acme.example", "webcal://acme.example"),
        ("http://localhost:8080/status/org", "/status/org"),
    ] {
        snapshot.organisation.url = url.into();
        let html = page(&snapshot).into_string();
        let link = format!("<a href=\"{base}/maintenances.ics\">Maintenance calendar</a>");
        assert!(html.contains(&link), "{url}: {html}");
    }
}

#[test]
fn text_of_people_is_escaped() {
    let html = page(&full(HOSTILE)).into_string();
    for dangerous in ["<script", "<img", "<!--", "alert('1')</"] {
        assert!(!html.contains(dangerous), "{dangerous}: {html}");
    }
    // Nothing is evaluated and nothing is lost.
    let written = "&lt;/p&gt;&lt;script&gt;alert('1')&lt;/script&gt;&quot;&gt;&lt;img src=x onerror=alert(1)&gt;{{7*7}}${7*7}&lt;!-- &amp; &amp;lt;";
    assert!(texts(&html).contains(&written), "{html}");
}

#[test]
fn no_white_space_is_between_elements() {
    let html = page(&full("Words")).into_string();
    assert!(!html.contains('\n') && !html.contains("> <"), "{html}");
}

#[test]
fn empty_sections_say_so() {
    let empty = Snapshot {
        banner: None,
        components: Vec::new(),
        incidents: Vec::new(),
        maintenances: Vec::new(),
        ..full("Words")
    };
    let html = page(&empty).into_string();
    let texts = texts(&html);
    for expected in [
        "No components are shown here yet.",
        "No incidents in the last 14 days.",
        "No maintenance is scheduled.",
    ] {
        assert!(texts.contains(&expected), "{texts:?}");
    }
    assert!(!html.contains("Current status"), "{html}");
}

#[test]
fn page_mentions_omitted_items() {
    let full = full("Words");
    let over = |count| Snapshot {
        incidents: vec![full.incidents[0].clone(); count],
        maintenances: vec![full.maintenances[1].clone(); count],
        ..full.clone()
    };
    let sentences = [
        "Only the newest 50 past incidents are shown.",
        "Only the newest 50 past maintenances are shown.",
    ];
    for (count, says_so) in [(49, false), (50, true)] {
        let html = page(&over(count)).into_string();
        for sentence in sentences {
            assert_eq!(
                texts(&html).contains(&sentence),
                says_so,
                "{count}: {sentence}"
            );
        }
    }
    let mut truncated = over(1);
    let older = "Older updates are not shown.";
    assert!(!page(&truncated).into_string().contains(older));
    truncated.incidents[0].timeline_truncated = true;
    truncated.maintenances[0].timeline_truncated = true;
    assert_eq!(page(&truncated).into_string().matches(older).count(), 2);
}

#[test]
fn bars_are_one_drawing_with_a_text_of_each_day_of_note() {
    let html = page(&full("Words")).into_string();
    let texts = texts(&html);
    for expected in [
        "Nov 20, 2026: 5 mins outage (partial). Words. Words",
        "No downtime recorded on other days",
        "No data",
        "Today",
    ] {
        assert!(texts.contains(&expected), "{expected}: {texts:?}");
    }
    assert_eq!(html.matches("class=\"up\" d=\"M0 23H450\"").count(), 4);
    assert_eq!(html.matches("class=\"level-1\" d=\"M445 17h3\"").count(), 4);
}

#[test]
fn days_name_what_the_lists_no_longer_have() {
    let day = |text: &str| text.parse().unwrap();
    let past = PastTitle::new("", "Slow".into(), day("2026-10-05"), day("2026-10-06"));
    let components = vec![TitledComponent {
        component_id: "id".into(),
    }];
    let mut snapshot = full("Words");
    snapshot.components.truncate(1);
    snapshot.past_titles = vec![PastTitle { components, ..past }];
    let html = page(&snapshot).into_string();
    for day in ["Oct 5, 2026", "Oct 6, 2026"] {
        let text = format!("{day}: No downtime recorded. Slow");
        assert_eq!(html.matches(&text).count(), 1, "{html}");
    }
}

/// The page of two components in a group and one without.
fn grouped(display: GroupDisplay, worst: ComponentStatus) -> Snapshot {
    let mut snapshot = full("Words");
    let id = String::from("group");
    snapshot.groups = vec![PublicComponentGroup {
        id: id.clone(),
        code: "abcdefghijkl".into(),
        name: "Europe".into(),
        description: "Two regions".into(),
        description_truncated: false,
        position: 1,
        display,
        status: worst,
        under_maintenance: false,
        created_at: snapshot.generated_at,
        updated_at: snapshot.generated_at,
    }];
    snapshot.components.truncate(3);
    for component in &mut snapshot.components {
        component.status = worst;
    }
    for component in &mut snapshot.components[..2] {
        component.group_id = Some(id.clone());
    }
    snapshot
}

#[test]
fn group_shows_its_components_by_its_mode() {
    let (well, ill) = (ComponentStatus::Operational, ComponentStatus::MajorOutage);
    for (display, status, open) in [
        (GroupDisplay::Open, well, true),
        (GroupDisplay::Closed, ill, false),
        (GroupDisplay::OpenWhenAffected, well, false),
        (GroupDisplay::OpenWhenAffected, ill, true),
    ] {
        let html = page(&grouped(display, status)).into_string();
        let tag = "<details data-group=\"abcdefghijkl\"";
        assert_eq!(html.contains(&format!("{tag} open>")), open, "{display}");
        assert_eq!(html.contains(&format!("{tag}>")), !open, "{display}");
        assert_eq!(html.matches("<h4").count(), 2, "{display}");
        assert!(texts(&html).contains(&"Two regions"));
    }
}

#[test]
fn group_shows_the_uptime_of_all_its_components_also_while_it_hides_them() {
    let mut snapshot = grouped(GroupDisplay::Closed, ComponentStatus::Operational);
    let uptime = "Europe</h3><span class=\"quiet\">99.99 % uptime</span>";
    let rule = "<p class=\"rule\">Uptime of the last 90 days.";
    assert!(page(&snapshot).into_string().contains(uptime));
    snapshot.components[0].only_show_when_affected = true;
    for component in &mut snapshot.components[1..] {
        component.uptime = None;
    }
    let html = page(&snapshot).into_string();
    assert!(html.contains(uptime) && html.contains(rule), "{html}");
    snapshot.components[0].uptime = None;
    let html = page(&snapshot).into_string();
    assert!(
        !html.contains(" % uptime") && !html.contains(rule),
        "{html}"
    );
}

#[test]
fn group_that_shows_no_component_is_left_out() {
    let mut snapshot = grouped(GroupDisplay::Open, ComponentStatus::Operational);
    for component in &mut snapshot.components[..2] {
        component.only_show_when_affected = true;
    }
    assert!(!page(&snapshot).into_string().contains("data-group"));
}

#[test]
fn component_that_is_only_shown_when_affected_is_hidden_while_it_is_operational() {
    let mut snapshot = full("Words");
    let rows = |snapshot: &Snapshot| page(snapshot).into_string().matches("<h3").count();
    let all = rows(&snapshot);
    for component in &mut snapshot.components {
        component.only_show_when_affected = true;
    }
    assert_eq!(rows(&snapshot), all - 1);
}

#[test]
fn line_below_the_headline_counts_open_incidents() {
    let mut snapshot = full("Words");
    let open = snapshot.incidents.pop().unwrap();
    for (incidents, expected) in [
        (vec![], "3 of 4 components affected"),
        (
            vec![open.clone(), open],
            "3 of 4 components affected · 2 open incidents",
        ),
    ] {
        snapshot.incidents = incidents;
        let html = page(&snapshot).into_string();
        assert!(texts(&html).contains(&expected), "{expected}");
    }
    snapshot.components.truncate(1);
    let html = page(&snapshot).into_string();
    assert!(texts(&html).contains(&"1 component, operational · 2 open incidents"));
}

#[test]
fn component_under_maintenance_says_so_beside_a_worse_status() {
    let mut snapshot = full("Words");
    for component in &mut snapshot.components {
        component.under_maintenance = true;
        component.only_show_when_affected = true;
    }
    let html = page(&snapshot).into_string();
    let texts = texts(&html);
    let count = |text: &str| texts.iter().filter(|shown| **shown == text).count();
    assert_eq!(count("Under Maintenance"), 4);
    assert_eq!(count("Operational"), 0);
    for worse in ["Degraded Performance", "Partial Outage"] {
        assert!(count(worse) > 0, "{worse}: {texts:?}");
    }
    assert_eq!(count("Major Outage"), 1);
    assert_eq!(count("3 of 4 components affected · 1 open incident"), 1);
    // The row has the colour of the worse status.
    for tone in ["maintenance", "degraded", "partial", "major"] {
        let row = format!("class=\"row\" data-tone=\"{tone}\"");
        assert_eq!(html.matches(&row).count(), 1, "{tone}");
    }
}

#[test]
fn maintenance_names_its_components_and_is_in_the_texts_of_their_days() {
    let mut snapshot = full("Words");
    let link = MaintenanceComponent {
        component_id: "id".into(),
        component: ComponentName {
            id: "id".into(),
            code: "0123456789ab".into(),
            name: "Database".into(),
        },
    };
    snapshot.maintenances[0].components = vec![link.clone()];
    snapshot.maintenances[1].components = vec![link.clone()];
    let html = page(&snapshot).into_string();
    assert_eq!(
        html.matches("aria-label=\"Components affected by Words\"")
            .count(),
        2
    );
    assert_eq!(
        texts(&html)
            .iter()
            .filter(|text| **text == "Database")
            .count(),
        1
    );
    let day = "Nov 20, 2026: 5 mins outage (partial). Words. Words. Maintenance: Words. Maintenance: Words";
    assert!(texts(&html).contains(&day), "{html}");
    snapshot.maintenances[0].start_at = at("2026-11-18T22:00:00Z");
    snapshot.maintenances[0].end_at = Some(at("2026-11-19T00:00:00Z"));
    let html = page(&snapshot).into_string();
    assert!(html.contains("Nov 18, 2026: No downtime recorded. Maintenance: Words"));
    assert!(!html.contains("Nov 19, 2026: "), "{html}");
    for status in [MaintenanceStatus::Scheduled, MaintenanceStatus::Cancelled] {
        for maintenance in &mut snapshot.maintenances {
            maintenance.status = status;
        }
        assert!(!page(&snapshot).into_string().contains("Maintenance: "));
    }
}

/// A page with an unresolved incident and a scheduled maintenance, each on `count` components of
/// two groups.
fn affected(count: usize) -> Snapshot {
    let mut snapshot = grouped(GroupDisplay::Open, ComponentStatus::Operational);
    let asia = PublicComponentGroup {
        id: "asia".into(),
        name: "Asia".into(),
        ..snapshot.groups[0].clone()
    };
    snapshot.groups.push(asia);
    let statuses = [ComponentStatus::Degraded, ComponentStatus::MajorOutage];
    let mut links = Vec::new();
    snapshot.components = (0..count)
        .map(|number| {
            let id = format!("c{number}");
            // The first component of each group is called "API".
            let name = if number < 2 {
                "API".into()
            } else {
                format!("C{number}")
            };
            let component = ComponentName {
                id: id.clone(),
                code: "0123456789ab".into(),
                name: name.clone(),
            };
            links.push(AffectedComponent {
                component_id: id.clone(),
                status: statuses[number % 2],
                component,
            });
            PublicComponent {
                id,
                name,
                group_id: Some(["group", "asia"][number % 2].into()),
                ..snapshot.components[0].clone()
            }
        })
        .collect();
    snapshot.maintenances[0].components = links
        .iter()
        .map(|link| MaintenanceComponent {
            component_id: link.component_id.clone(),
            component: link.component.clone(),
        })
        .collect();
    snapshot.incidents[1].components = links;
    snapshot
}

/// The list of the affected components of the incident, or of the maintenance, with what is
/// before it.
fn split_at_affected<'a>(html: &'a str, section: &str) -> (&'a str, &'a str) {
    let from = html.find(&format!("id=\"{section}\"")).unwrap();
    let html = &html[from..];
    let (before, list) = html.split_once("class=\"affected\">").unwrap();
    (before, list.split_once("</ul>").unwrap().0)
}

#[test]
fn affected_components_follow_the_updates_and_have_unique_names() {
    let html = page(&affected(4)).into_string();
    for (section, names) in [
        (
            "incidents",
            ["API (Asia)", "C3", "API (Europe)", "C2"].as_slice(),
        ),
        (
            "maintenance",
            ["API (Europe)", "API (Asia)", "C2", "C3"].as_slice(),
        ),
    ] {
        let (before, list) = split_at_affected(&html, section);
        assert!(before.contains("class=\"timeline\""), "{before}");
        let shown: Vec<_> = texts(list)
            .into_iter()
            .filter(|text| text.starts_with("API") || text.starts_with('C'))
            .collect();
        assert_eq!(shown, names, "{section}");
    }
}

#[test]
fn deleted_component_keeps_its_plain_name() {
    let mut snapshot = affected(4);
    snapshot.components.remove(0);
    let html = page(&snapshot).into_string();
    let (_, list) = split_at_affected(&html, "incidents");
    let names: Vec<_> = texts(list)
        .into_iter()
        .filter(|text| text.starts_with("API"))
        .collect();
    assert_eq!(names, ["API", "API"]);
}

#[test]
fn long_list_of_affected_components_is_folded() {
    for (count, is_folded) in [(8, false), (9, true)] {
        let html = page(&affected(count)).into_string();
        let summary = format!("<summary>{count} components affected</summary>");
        let folded = format!(
            "<details class=\"folded\">{summary}<ul aria-label=\"Components affected by Words\""
        );
        let times = if is_folded { 2 } else { 0 };
        assert_eq!(html.matches(&folded).count(), times, "{count}: {html}");
        assert_eq!(html.matches("class=\"affected\"").count(), 2);
    }
}

#[test]
fn skip_link_is_the_first_link_and_leads_to_the_components() {
    let html = page(&full("Words")).into_string();
    let first = html.split_once("<a ").unwrap().1;
    assert!(first.starts_with("href=\"#components\""), "{first}");
}
