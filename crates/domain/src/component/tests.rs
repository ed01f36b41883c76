use super::*;
use proptest::prelude::*;
use uuid::Uuid;

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(second, 0).unwrap()
}

fn draft(name: &str, description: &str, status: ComponentStatus) -> ComponentDraft {
    ComponentDraft {
        name: name.into(),
        description: description.into(),
        status,
        ..ComponentDraft::default()
    }
}

fn component() -> Component {
    let id = ComponentId(Uuid::from_u128(1));
    Component::create(
        id,
        draft("API", "", ComponentStatus::Degraded),
        TimeZone::default(),
        at(1),
    )
    .unwrap()
    .state
}

fn any_status() -> impl Strategy<Value = ComponentStatus> {
    proptest::sample::select(ComponentStatus::VARIANTS.to_vec())
}

#[test]
fn badness_goes_from_operational_to_major_outage() {
    let best_first = [
        ComponentStatus::Operational,
        ComponentStatus::Degraded,
        ComponentStatus::PartialOutage,
        ComponentStatus::MajorOutage,
    ];
    assert!(best_first.is_sorted());
    assert_eq!(ComponentStatus::default(), ComponentStatus::Operational);
}

#[test]
fn each_status_has_its_word() {
    let words = [
        (ComponentStatus::Operational, "OPERATIONAL"),
        (ComponentStatus::Degraded, "DEGRADED"),
        (ComponentStatus::PartialOutage, "PARTIAL_OUTAGE"),
        (ComponentStatus::MajorOutage, "MAJOR_OUTAGE"),
    ];
    assert_eq!(words.map(|(status, _)| status), ComponentStatus::VARIANTS);
    for (status, word) in words {
        assert_eq!(status.to_string(), word);
        assert_eq!(word.parse(), Ok(status));
    }
}

proptest! {
    #[test]
    fn the_worst_is_one_of_them_and_none_is_worse(statuses in proptest::collection::vec(any_status(), 0..8)) {
        match ComponentStatus::worst(statuses.iter().copied()) {
            None => prop_assert!(statuses.is_empty()),
            Some(worst) => {
                prop_assert!(statuses.contains(&worst));
                prop_assert!(statuses.iter().all(|status| *status <= worst));
            }
        }
    }

    #[test]
    fn a_name_is_accepted_exactly_within_its_limits(name in "[\\PC&&[^\u{2028}\u{2029}]]{0,220}") {
        let name = text::trimmed(&name);
        let fits = (2..=200).contains(&name.chars().count());
        let id = ComponentId(Uuid::from_u128(1));
        prop_assert_eq!(Component::create(id, draft(&name, "", ComponentStatus::default()), TimeZone::default(), at(1)).is_ok(), fits);
    }

    #[test]
    fn an_edit_changes_what_it_carries_and_nothing_else(
        name in proptest::option::of("[a-z]{2,9}"),
        description in proptest::option::of("[a-z]{0,9}"),
        status in proptest::option::of(any_status()),
    ) {
        let before = component();
        let patch = ComponentPatch { name: name.clone(), description: description.clone(), status, ..Default::default() };
        let after = before.clone().edit(patch, TimeZone::default(), at(2)).unwrap();
        prop_assert_eq!(&after.state.name, name.as_ref().unwrap_or(&before.name));
        prop_assert_eq!(&after.state.description, description.as_ref().unwrap_or(&before.description));
        prop_assert_eq!(after.state.status, status.unwrap_or(before.status));
        prop_assert_eq!(after.events.is_empty(), after.state == before);
    }
}

/// When it is the second day in Berlin, and the first in UTC.
fn late() -> (TimeZone, DateTime<Utc>) {
    ("Europe/Berlin".parse().unwrap(), at(23 * 3600 + 1800))
}

fn day(day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(1970, 1, day).unwrap()
}

#[test]
fn uptime_counts_from_the_day_of_creation_in_the_pages_zone() {
    let (zone, now) = late();
    let created = |start_date| {
        let draft = ComponentDraft {
            start_date,
            ..draft("API", "", ComponentStatus::default())
        };
        let id = ComponentId(Uuid::from_u128(1));
        Component::create(id, draft, zone, now).map(|created| created.state.start_date)
    };
    assert_eq!(created(None), Ok(Some(day(2))));
    assert_eq!(created(Some(UptimeStart::Unlimited)), Ok(None));
    assert_eq!(created(Some(UptimeStart::On(day(2)))), Ok(Some(day(2))));
    let refused = created(Some(UptimeStart::On(day(3))));
    let error = Invalid::field("startDate", "Must not be in the future");
    assert_eq!(refused, Err(error));
}

#[test]
fn an_edit_keeps_the_start_of_uptime_unless_it_carries_another() {
    let edited = |start_date| {
        let patch = ComponentPatch {
            start_date,
            show_uptime: Some(false),
            ..Default::default()
        };
        let (zone, now) = late();
        component().edit(patch, zone, now).unwrap().state.start_date
    };
    assert_eq!(edited(None), Some(day(1)));
    assert_eq!(edited(Some(UptimeStart::Unlimited)), None);
}

#[test]
fn start_that_another_zone_puts_into_the_future_can_be_sent_back() {
    let (_, now) = late();
    let stored = Component {
        start_date: Some(day(2)),
        ..component()
    };
    let patch = |start| ComponentPatch {
        name: Some("Web".into()),
        start_date: Some(UptimeStart::On(start)),
        ..Default::default()
    };
    let edit = |start| stored.clone().edit(patch(start), TimeZone::default(), now);
    let edited = edit(day(2)).unwrap().state;
    assert_eq!(
        (edited.name.as_str(), edited.start_date),
        ("Web", Some(day(2)))
    );
    let error = Invalid::field("startDate", "Must not be in the future");
    assert_eq!(edit(day(3)), Err(error));
}

#[test]
fn patch_is_checked_without_the_stored_component() {
    let check = |patch: ComponentPatch| {
        let mut invalid = Invalid::default();
        patch.check(&mut invalid);
        invalid
    };
    assert_eq!(check(ComponentPatch::default()), Invalid::default());
    let short = ComponentPatch {
        name: Some("A".into()),
        ..Default::default()
    };
    assert_eq!(check(short), Invalid::field("name", "Name is required"));
}

#[test]
fn a_short_name_is_refused_with_the_words_of_the_form() {
    let refused = component().edit(
        ComponentPatch {
            name: Some("A".into()),
            ..Default::default()
        },
        TimeZone::default(),
        at(2),
    );
    assert_eq!(refused, Err(Invalid::field("name", "Name is required")));
}

#[test]
fn a_long_description_and_a_nul_are_refused() {
    let long = ComponentPatch {
        description: Some("x".repeat(10_001)),
        ..Default::default()
    };
    let refused = component().edit(long, TimeZone::default(), at(2));
    assert_eq!(
        refused,
        Err(Invalid::field(
            "description",
            "Must be at most 10000 characters"
        ))
    );
    let nul = ComponentPatch {
        name: Some("A\0B".into()),
        ..Default::default()
    };
    assert_eq!(
        component().edit(nul, TimeZone::default(), at(2)),
        Err(Invalid::field("name", "Must be one line"))
    );
}

#[test]
fn saving_the_status_unchanged_is_not_setting_it_by_hand() {
    let affected = Component {
        status_source: StatusSource::Incidents,
        ..component()
    };
    let renamed = ComponentPatch {
        name: Some("Web".into()),
        status: Some(affected.status),
        ..Default::default()
    };
    assert_eq!(
        affected
            .clone()
            .edit(renamed, TimeZone::default(), at(2))
            .unwrap()
            .state
            .status_source,
        StatusSource::Incidents
    );
    let set = ComponentPatch {
        status: Some(ComponentStatus::MajorOutage),
        ..Default::default()
    };
    assert_eq!(
        affected
            .edit(set, TimeZone::default(), at(2))
            .unwrap()
            .state
            .status_source,
        StatusSource::Operator
    );
}
