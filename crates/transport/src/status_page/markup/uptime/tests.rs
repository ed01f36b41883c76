use super::*;

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn day(major: u64, partial: u64, degraded: u64) -> Day {
    Day {
        date: date("2026-11-03"),
        seconds: StatusSeconds {
            degraded,
            partial,
            major,
        },
        titles: Vec::new(),
    }
}

#[test]
fn text_of_a_day_names_its_kinds_of_outage_and_its_incidents() {
    let rows = [
        (day(1, 0, 0), "Nov 3, 2026: 1 min outage (major)"),
        (
            day(0, 4805, 0),
            "Nov 3, 2026: 1 hr 20 mins outage (partial)",
        ),
        (
            day(7200, 119, 86_400),
            "Nov 3, 2026: 2 hrs outage (major), 1 min outage (partial), 24 hrs degraded",
        ),
        (
            Day {
                titles: vec!["Payments fail".into()],
                ..day(0, 0, 0)
            },
            "Nov 3, 2026: No downtime recorded. Payments fail",
        ),
    ];
    for (day, text) in rows {
        assert_eq!(day.text(), text);
    }
}

#[test]
fn colour_of_a_day_follows_its_weighted_downtime() {
    let rows = [
        (day(0, 0, 86_400), 0),
        (day(1, 0, 0), 1),
        (day(1191, 0, 0), 1),
        (day(1192, 0, 0), 2),
        (day(1978, 0, 0), 3),
        (day(0, 11_999, 0), 3),
        (day(0, 12_000, 0), 4),
        (day(3600, 0, 0), 4),
    ];
    for (day, level) in rows {
        assert_eq!(level_of(day.seconds), level, "{}", day.text());
    }
}

#[test]
fn long_titles_are_cut() {
    assert_eq!(title(&"é".repeat(90)), "é".repeat(90));
    assert_eq!(title(&"é".repeat(91)), format!("{}…", "é".repeat(90)));
}
