use super::*;

use allclear_domain::maintenance::MaintenanceStatus;

use crate::status_page::maintenance::PublicMaintenance;

const DAY: i64 = 24 * 60 * 60;

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(second, 0).unwrap()
}

fn page(maintenances: &[(i64, Option<i64>)]) -> Snapshot {
    let maintenance = |(start, end): &(i64, Option<i64>)| PublicMaintenance {
        id: String::new(),
        code: "0123456789ab".into(),
        title: String::new(),
        description: String::new(),
        description_truncated: false,
        status: MaintenanceStatus::Scheduled,
        start_at: at(*start),
        end_at: end.map(at),
        shown_until: end.map(|end| at(end + 14 * DAY)),
        created_at: at(0),
        timeline: Vec::new(),
        timeline_truncated: false,
        components: Vec::new(),
        components_truncated: false,
    };
    Snapshot {
        organisation: PublicOrganisation::new(
            Organisation::new(OrganisationId::parse("org").unwrap(), "Acme".into()),
            "https://status.example.com/status/org".into(),
        ),
        groups: Vec::new(),
        banner: None,
        components: Vec::new(),
        incidents: Vec::new(),
        maintenances: maintenances.iter().map(maintenance).collect(),
        past_titles: Vec::new(),
        revision: Revision(1),
        generated_at: at(0),
    }
}

#[test]
fn a_page_without_maintenance_never_changes_by_itself() {
    assert_eq!(page(&[]).changes_at(at(0)), None);
}

#[test]
fn a_page_changes_when_a_maintenance_begins_ends_and_leaves() {
    let page = page(&[(10, Some(20))]);
    assert_eq!(page.changes_at(at(0)), Some(at(10)));
    assert_eq!(
        page.changes_at(at(10)),
        Some(at(20) + TimeDelta::milliseconds(1))
    );
    let left = at(20 + 14 * DAY) + TimeDelta::milliseconds(1);
    assert_eq!(page.changes_at(at(21)), Some(left));
    assert_eq!(page.changes_at(left), None);
}

#[test]
fn the_first_of_several_changes_counts() {
    assert_eq!(
        page(&[(50, None), (30, Some(40)), (20, Some(90))]).changes_at(at(0)),
        Some(at(20))
    );
    assert_eq!(page(&[(50, None)]).changes_at(at(50)), None);
}

/// A page with a component, read at 14:00:10 in UTC on the day after 1970 began.
fn with_component(status: ComponentStatus, show_uptime: bool) -> Snapshot {
    let uptime = show_uptime.then(|| PublicUptime {
        percentage: None,
        days: Vec::new(),
    });
    let component = PublicComponent {
        id: String::new(),
        code: "0123456789ab".into(),
        name: "API".into(),
        description: String::new(),
        description_truncated: false,
        status,
        group_id: None,
        position: 1,
        start_date: None,
        under_maintenance: false,
        only_show_when_affected: false,
        uptime,
        created_at: at(0),
    };
    Snapshot {
        components: vec![component],
        generated_at: at(DAY + 14 * 3600 + 10),
        ..page(&[])
    }
}

#[test]
fn figures_of_an_outage_move_every_minute() {
    let down = with_component(ComponentStatus::MajorOutage, true);
    let now = down.generated_at;
    assert_eq!(down.changes_at(now), Some(now + TimeDelta::minutes(1)));
    let hidden = with_component(ComponentStatus::MajorOutage, false);
    assert_eq!(hidden.changes_at(now), None);
}

#[test]
fn bars_move_at_midnight_of_the_pages_zone() {
    let mut page = with_component(ComponentStatus::Operational, true);
    let now = page.generated_at;
    assert_eq!(page.changes_at(now), Some(at(2 * DAY)));
    page.organisation.time_zone = "Asia/Tokyo".parse().unwrap();
    assert_eq!(page.changes_at(now), Some(at(DAY + 15 * 3600)));
}

#[test]
fn uptime_of_fewer_days_counts_their_outages_only() {
    let date = |text: &str| text.parse::<NaiveDate>().unwrap();
    let outage = |text: &str, major| PublicUptimeDay {
        date: date(text),
        partial: 0,
        major,
        degraded: 0,
    };
    let uptime = PublicUptime {
        percentage: None,
        days: vec![outage("2026-03-01", 86_400), outage("2026-03-09", 43_200)],
    };
    let percent = |days, start: Option<&str>| {
        let found = uptime.percentage_of_last(days, date("2026-03-10"), start.map(date));
        found.map(f64::from)
    };
    assert_eq!(percent(1, None), Some(100.0));
    assert_eq!(percent(2, None), Some(75.0));
    assert_eq!(percent(5, None), Some(90.0));
    assert_eq!(percent(10, None), Some(85.0));
    assert_eq!(
        percent(5, Some("2026-03-09")),
        Some(75.0),
        "days before the start do not count"
    );
    assert_eq!(percent(90, None), percent(5000, None), "no more is known");
    assert_eq!(percent(5, Some("2026-03-11")), None);
}

#[test]
fn uptime_of_a_group_is_the_mean_of_the_unrounded_ones_of_its_components() {
    let today: NaiveDate = "2026-03-31".parse().unwrap();
    let component = |start: Option<&str>, major: Option<u64>| {
        let mut page = with_component(ComponentStatus::Operational, true);
        let day = |major| PublicUptimeDay {
            date: today,
            partial: 0,
            major,
            degraded: 0,
        };
        PublicComponent {
            start_date: start.map(|date| date.parse().unwrap()),
            uptime: major.map(|major| PublicUptime {
                percentage: None,
                days: vec![day(major)],
            }),
            ..page.components.remove(0)
        }
    };
    let percent = |components: &[PublicComponent]| group_uptime(components, today).map(f64::from);
    let (shorter, longer) = (component(None, Some(2410)), component(None, Some(3188)));
    assert_eq!(percent(std::slice::from_ref(&shorter)), Some(99.96));
    assert_eq!(percent(std::slice::from_ref(&longer)), Some(99.95));
    assert_eq!(percent(&[shorter.clone(), longer]), Some(99.96));
    let hidden = component(None, None);
    let ahead = component(Some("2026-04-01"), Some(0));
    assert_eq!(
        percent(&[hidden.clone(), ahead.clone(), shorter]),
        Some(99.96)
    );
    assert_eq!(percent(&[hidden, ahead]), None);
    let new = component(Some("2026-03-31"), Some(8640));
    assert_eq!(percent(&[new, component(None, Some(0))]), Some(95.0));
}
