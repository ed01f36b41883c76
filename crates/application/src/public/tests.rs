use super::*;

use allclear_domain::maintenance::MaintenanceStatus;

use crate::public::maintenance::PublicMaintenance;

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
        created_at: at(0),
        timeline: Vec::new(),
        timeline_truncated: false,
    };
    Snapshot {
        organisation: PublicOrganisation {
            id: "org".into(),
            code: "0123456789ab".into(),
            name: "Acme".into(),
        },
        banner: None,
        components: Vec::new(),
        incidents: Vec::new(),
        maintenances: maintenances.iter().map(maintenance).collect(),
        revision: 1,
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
    assert_eq!(page.changes_at(at(21)), Some(at(20 + 14 * DAY)));
    assert_eq!(page.changes_at(at(20 + 14 * DAY)), None);
}

#[test]
fn the_first_of_several_changes_counts() {
    assert_eq!(
        page(&[(50, None), (30, Some(40)), (20, Some(90))]).changes_at(at(0)),
        Some(at(20))
    );
    assert_eq!(page(&[(50, None)]).changes_at(at(50)), None);
}
