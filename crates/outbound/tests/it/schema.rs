//! Every body of a chat is valid by the product's documented limits.

use std::sync::Arc;
use std::sync::LazyLock;

use allclear_application::message::{MessageContent, MessageKind, Messenger};
use allclear_application::notice::Notice;
use allclear_domain::channel::Channel;
use allclear_domain::component::ComponentStatus;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::notice::{
    ComponentImpact, IncidentChange, MaintenanceChange, NoticeChange, NoticeContent,
};
use allclear_outbound::client::OutboundSettings;
use allclear_outbound::messenger::HttpMessenger;
use jsonschema::Validator;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use strum::VariantArray;
use uuid::Uuid;

use crate::content::{MANAGE, content, message, noticed_at, state};

static SCHEMAS: LazyLock<[(Channel, Validator); 3]> = LazyLock::new(|| {
    let schema = |text| jsonschema::validator_for(&serde_json::from_str(text).unwrap()).unwrap();
    [
        (Channel::Slack, schema(include_str!("../schema/slack.json"))),
        (Channel::Teams, schema(include_str!("../schema/teams.json"))),
        (
            Channel::Discord,
            schema(include_str!("../schema/discord.json")),
        ),
    ]
});

static MESSENGER: LazyLock<HttpMessenger> = LazyLock::new(|| {
    let clock = allclear_application::clock::TestClock::stopped();
    HttpMessenger::new(OutboundSettings::default(), clock)
});

/// The body of a channel, checked by its schema and by the limits that a schema cannot state.
pub(crate) fn checked(channel: Channel, content: &MessageContent) -> Value {
    let message = message(channel, "https://hooks.example/", content.clone());
    let text = MESSENGER.preview(&message);
    let body: Value = serde_json::from_str(&text).unwrap();
    let (_, schema) = SCHEMAS.iter().find(|(known, _)| *known == channel).unwrap();
    if let Err(error) = schema.validate(&body) {
        panic!("{channel}: {error} at {}", error.instance_path());
    }
    match channel {
        Channel::Slack => assert!(units(texts(&body)) <= 13_000, "{}", units(texts(&body))),
        Channel::Discord => {
            let embed = &body["embeds"][0];
            let fields = embed["fields"].as_array().unwrap().iter();
            let fields = fields.flat_map(|field| [&field["name"], &field["value"]]);
            let parts = [
                &embed["title"],
                &embed["description"],
                &embed["footer"]["text"],
            ];
            let texts = fields.chain(parts).filter_map(Value::as_str);
            let all: usize = texts.map(length).sum();
            assert!(all <= 6000, "{all}");
        }
        _ => {
            let sent = serde_json::to_string(&body).unwrap();
            assert!(sent.len() <= 28_000, "{}", sent.len());
            assert!(2 * length(&sent) <= 28_000, "{}", length(&sent));
        }
    }
    body
}

/// Texts of a body of Slack.
fn texts(body: &Value) -> Vec<&str> {
    match body {
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| *key != "type")
            .flat_map(|(_, value)| texts(value))
            .collect(),
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text],
        _ => Vec::new(),
    }
}

fn units(texts: Vec<&str>) -> usize {
    texts.into_iter().map(length).sum()
}

fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// One line of at max 200 characters, as names and titles are.
fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{1,200}",
        "[a-z ]{2,40}",
        select(vec!["&", "*", "<", "👨‍👩‍👧‍👦", "\"", "\u{301}", "字", "x"]).prop_flat_map(|piece| {
            let max = 200 / piece.chars().count();
            (1..=max).prop_map(move |count| piece.repeat(count))
        }),
    ]
}

/// A text of at max 10,000 characters.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "(.|\n){1,300}",
        "([a-z<&*_@:]{1,12}[ \n]){1,1400}",
        select(vec![
            "&",
            "*",
            "\n",
            "a\n",
            "👨‍👩‍👧‍👦",
            "\"",
            "\u{1}",
            "字",
            "x",
            "<!channel> ",
            "@everyone ",
        ])
        .prop_flat_map(|piece| {
            let max = 10_000 / piece.chars().count();
            (1..=max).prop_map(move |count| piece.repeat(count))
        }),
    ]
}

fn any_change() -> impl Strategy<Value = NoticeChange> {
    let incident_change = select(vec![
        IncidentChange::Created,
        IncidentChange::Updated,
        IncidentChange::Resolved,
        IncidentChange::Reopened,
        IncidentChange::Reviewed,
    ]);
    let component = (any_name(), select(ComponentStatus::VARIANTS))
        .prop_map(|(name, status)| ComponentImpact { name, status })
        .boxed();
    let components = prop_oneof![
        prop::collection::vec(component.clone(), 0..5),
        prop::collection::vec(component, 50..120),
    ];
    let incident = (
        incident_change,
        select(IncidentStatus::VARIANTS),
        components,
    )
        .prop_map(|(change, status, components)| NoticeChange::Incident {
            change,
            status,
            update_status: None,
            shown_at: None,
            occurred_at: noticed_at(),
            resolved_at: None,
            components,
        });
    let maintenance = (
        select(MaintenanceStatus::VARIANTS),
        prop::option::of(Just(noticed_at())),
        prop::collection::vec(any_name(), 0..80),
    )
        .prop_map(|(status, end_at, components)| NoticeChange::Maintenance {
            change: MaintenanceChange::Updated,
            status,
            start_at: noticed_at(),
            end_at,
            components,
        });
    prop_oneof![incident, maintenance]
}

fn any_kind() -> impl Strategy<Value = MessageKind> {
    let notice = (
        any_name(),
        any_text(),
        prop::option::of(any_text()),
        0..2_000_u64,
        any_change(),
    )
        .prop_map(
            |(title, description, message, unnamed_components, change)| {
                MessageKind::Notice(Arc::new(Notice {
                    id: Uuid::from_u128(1),
                    subject: Uuid::from_u128(2),
                    at: noticed_at(),
                    content: NoticeContent {
                        title,
                        description,
                        message,
                        unnamed_components,
                        change,
                    },
                }))
            },
        );
    let link = MANAGE.to_owned();
    prop_oneof![
        10 => notice,
        1 => Just(MessageKind::Confirmation { link }),
        1 => Just(MessageKind::Test),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_body_is_valid(
        page in any_name(),
        zone in select(vec!["Etc/UTC", "America/Argentina/ComodRivadavia", "Asia/Kathmandu"]),
        kind in any_kind(),
    ) {
        let mut state = state();
        state.organisation.page_title = Some(page);
        state.organisation.time_zone = zone.parse().unwrap();
        let content = content(state, kind);
        for channel in [Channel::Slack, Channel::Teams, Channel::Discord] {
            checked(channel, &content);
        }
    }
}

#[test]
fn schemas_refuse_what_the_products_refuse() {
    let wrong = [
        (Channel::Slack, r#"{"text":"x","blocks":[]}"#.to_owned()),
        (
            Channel::Slack,
            format!(
                r#"{{"text":"x","blocks":[{{"type":"header","text":{{"type":"plain_text","text":"{}"}}}}]}}"#,
                "x".repeat(151)
            ),
        ),
        (
            Channel::Teams,
            r#"{"type":"message","attachments":[]}"#.to_owned(),
        ),
        (
            Channel::Discord,
            r#"{"allowed_mentions":{"parse":["everyone"]},"content":"x"}"#.to_owned(),
        ),
        (
            Channel::Discord,
            format!(
                r#"{{"allowed_mentions":{{"parse":[]}},"embeds":[{{"title":"{}"}}]}}"#,
                "x".repeat(257)
            ),
        ),
    ];
    for (channel, body) in wrong {
        let body: Value = serde_json::from_str(&body).unwrap();
        let (_, schema) = SCHEMAS.iter().find(|(known, _)| *known == channel).unwrap();
        assert!(!schema.is_valid(&body), "{body}");
    }
}
