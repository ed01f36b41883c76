use super::*;

use allclear_domain::component::ComponentStatus;
use allclear_domain::event::EventKind;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use chrono::DateTime;
use proptest::prelude::*;
use uuid::Uuid;

use crate::outbox::PublicEvent;
use crate::status_page::incident::{AffectedComponent, ComponentName};

fn id(number: usize) -> String {
    Uuid::from_u128(number as u128).to_string()
}

fn entry(number: usize, message: &str) -> IncidentTimelineEntry {
    IncidentTimelineEntry {
        id: id(number),
        code: "0123456789ab".into(),
        incident_id: id(0),
        status: IncidentStatus::Investigating,
        message: message.into(),
        created_at: DateTime::default(),
        display_at: DateTime::default(),
    }
}

fn incident(
    title: &str,
    description: &str,
    messages: &[String],
    components: usize,
) -> PublicIncident {
    let link = |number| AffectedComponent {
        component_id: id(number),
        status: ComponentStatus::PartialOutage,
        component: ComponentName {
            id: id(number),
            code: "0123456789ab".into(),
            name: title.into(),
        },
    };
    PublicIncident {
        id: id(0),
        code: "0123456789ab".into(),
        title: title.into(),
        description: description.into(),
        description_truncated: false,
        status: IncidentStatus::Investigating,
        occured_at: DateTime::default(),
        resolved_at: Some(DateTime::default()),
        created_at: DateTime::default(),
        timeline: (0..)
            .zip(messages)
            .map(|(number, text)| entry(number, text))
            .collect(),
        timeline_truncated: false,
        components: (0..components).map(link).collect(),
        components_truncated: false,
    }
}

fn maintenance(title: &str, description: &str, messages: &[String]) -> PublicMaintenance {
    let entry = |(number, text): (usize, &String)| MaintenanceTimelineEntry {
        id: id(number),
        code: "0123456789ab".into(),
        maintenance_id: id(0),
        status: IncidentStatus::Investigating,
        message: text.clone(),
        created_at: DateTime::default(),
        display_at: DateTime::default(),
    };
    PublicMaintenance {
        id: id(0),
        code: "0123456789ab".into(),
        title: title.into(),
        description: description.into(),
        description_truncated: false,
        status: MaintenanceStatus::InProgress,
        start_at: DateTime::default(),
        end_at: Some(DateTime::default()),
        shown_until: None,
        created_at: DateTime::default(),
        timeline: (0..).zip(messages).map(entry).collect(),
        timeline_truncated: false,
        components: Vec::new(),
        components_truncated: false,
    }
}

/// The bytes of an event, in the form of an event stream, which is the longest.
fn event_size(kind: EventKind, thing: &impl Serialize) -> usize {
    let event = PublicEvent::new(kind, &[thing]).unwrap();
    format!(
        "event: {}\nid: {}\ndata: {}\n\n",
        event.name,
        i64::MAX,
        event.args.get()
    )
    .len()
}

/// Texts of any legal length, also of characters that JSON escapes with six bytes, or of four
/// bytes each.
fn text(max_length: usize) -> impl Strategy<Value = String> {
    let character = prop_oneof![
        Just('\u{1}'),
        Just('"'),
        Just('a'),
        Just('\u{1f525}'),
        any::<char>()
    ];
    (character, 1..=max_length).prop_map(|(character, length)| character.to_string().repeat(length))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_event_of_any_legal_text_is_within_its_limit(
        title in text(200),
        description in text(10_000),
        messages in proptest::collection::vec(text(10_000), 0..12),
        components in prop_oneof![Just(0_usize), Just(3), Just(1_000)],
    ) {
        let whole = incident(&title, &description, &messages, components);
        let shortened = whole.clone().for_event().unwrap();
        prop_assert!(event_size(EventKind::IncidentUpdated, &shortened) <= EVENT_BYTES);
        prop_assert_eq!(&shortened.description, &whole.description);
        // The newest entries are kept, as many as fit.
        prop_assert_eq!(&shortened.timeline[..], &whole.timeline[..shortened.timeline.len()]);
        prop_assert_eq!(shortened.timeline_truncated, shortened.timeline.len() < whole.timeline.len());
        prop_assert_eq!(shortened.components_truncated, shortened.components.len() < whole.components.len());
        if let Some(next) = whole.timeline.get(shortened.timeline.len()) {
            let mut more = shortened.clone();
            more.timeline.push(next.clone());
            prop_assert!(event_size(EventKind::IncidentUpdated, &more) + FRAME_BYTES > EVENT_BYTES);
        }

        let whole = maintenance(&title, &description, &messages);
        let shortened = whole.clone().for_event().unwrap();
        prop_assert!(event_size(EventKind::MaintenanceUpdated, &shortened) <= EVENT_BYTES);
        prop_assert_eq!(&shortened.timeline[..], &whole.timeline[..shortened.timeline.len()]);
        prop_assert_eq!(shortened.timeline_truncated, shortened.timeline.len() < whole.timeline.len());
    }

    #[test]
    fn an_entry_of_any_legal_text_is_within_the_limit_of_an_event(message in text(10_000)) {
        prop_assert!(event_size(EventKind::TimelineUpdated, &entry(1, &message)) <= EVENT_BYTES);
    }
}

#[test]
fn a_small_event_says_nothing_of_what_is_left_out() {
    let shortened = incident("Down", "All of it", &["Found it".into()], 1)
        .for_event()
        .unwrap();
    let json = serde_json::to_string(&shortened).unwrap();
    assert!(!json.contains("runcated"), "{json}");
    assert_eq!(
        (shortened.timeline.len(), shortened.components.len()),
        (1, 1)
    );
}

#[test]
fn entries_without_room_on_the_page_are_shortened() {
    let text = "x".repeat(10_000);
    let mut budget = Budget::new(PAGE_BYTES);
    let shown: Vec<_> = (0..3_000)
        .map(|_| {
            budget
                .show(incident("Down", &text, &["Found it".into()], 1))
                .unwrap()
        })
        .collect();
    let bytes: usize = shown
        .iter()
        .map(|incident| json_size(incident).unwrap())
        .sum();
    assert!(bytes < 3 * PAGE_BYTES, "{bytes}");
    assert_eq!(shown[0].description, text);
    let last = shown.last().unwrap();
    assert_eq!(
        last.description,
        format!("{}…", "x".repeat(SHORTENED_LENGTH))
    );
    assert!(last.description_truncated && last.timeline_truncated && last.timeline.is_empty());
}
