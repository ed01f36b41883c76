//! Contents of messages.

use std::sync::Arc;

use allclear_application::clock::TestClock;
use allclear_application::component::ComponentReport;
use allclear_application::message::{
    Message, MessageContent, MessageKind, Messenger, SigningSecret,
};
use allclear_application::notice::Notice;
use allclear_application::statuspage_api::StatuspageState;
use allclear_domain::channel::{Channel, Target};
use allclear_domain::component::{Component, ComponentStatus, StatusSource};
use allclear_domain::id::{ComponentGroupId, ComponentId, OrganisationId};
use allclear_domain::incident::IncidentStatus;
use allclear_domain::notice::{ComponentImpact, IncidentChange, NoticeChange, NoticeContent};
use allclear_domain::organisation::{Organisation, Revision};
use allclear_domain::page_order::ComponentPlace;
use allclear_outbound::client::OutboundSettings;
use allclear_outbound::messenger::HttpMessenger;
use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

pub(crate) const URL: &str = "https://status.acme.example";
pub(crate) const MANAGE: &str =
    "https://status.acme.example/subscription?subscriberId=1&orgId=org_1&manageCode=x";

pub(crate) fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// The time of the notices.
pub(crate) fn noticed_at() -> DateTime<Utc> {
    at("2026-03-05T16:22:41.500Z")
}

/// An organisation in Denver with one component.
pub(crate) fn state() -> StatuspageState {
    let organisation = OrganisationId::parse("org_1").unwrap();
    let mut organisation = Organisation::new(organisation, "Acme".into());
    organisation.time_zone = "America/Denver".parse().unwrap();
    StatuspageState {
        organisation,
        url: URL.into(),
        updated_at: noticed_at(),
        groups: Vec::new(),
        components: vec![component(1, "Edge API", ComponentStatus::PartialOutage)],
        incidents: Vec::new(),
        maintenances: Vec::new(),
        read_at: noticed_at(),
    }
}

pub(crate) fn component(id: u128, name: &str, status: ComponentStatus) -> ComponentReport {
    ComponentReport {
        component: Component {
            id: ComponentId(Uuid::from_u128(id)),
            name: name.into(),
            description: "Public REST API".into(),
            status,
            status_source: StatusSource::Incidents,
            place: ComponentPlace::first(Some(ComponentGroupId(Uuid::from_u128(77)))),
            show_uptime: true,
            start_date: None,
            only_show_when_affected: false,
            created_at: at("2025-11-03T15:00:00Z"),
            updated_at: at("2026-03-05T16:10:12.345Z"),
            version: Revision(3),
            history_version: Revision(3),
        },
        under_maintenance: false,
    }
}

/// A notice of an incident that was identified.
pub(crate) fn notice() -> Notice {
    Notice {
        id: Uuid::from_u128(500),
        subject: Uuid::from_u128(100),
        at: noticed_at(),
        content: NoticeContent {
            title: "Elevated API errors".into(),
            description: "Requests fail.".into(),
            message: Some("A bad deploy was found.".into()),
            unnamed_components: 0,
            change: NoticeChange::Incident {
                change: IncidentChange::Updated,
                status: IncidentStatus::Identified,
                update_status: None,
                shown_at: None,
                occurred_at: at("2026-03-05T16:00:00Z"),
                resolved_at: None,
                components: vec![ComponentImpact {
                    name: "Edge API".into(),
                    status: ComponentStatus::PartialOutage,
                }],
            },
        },
    }
}

pub(crate) fn content(state: StatuspageState, kind: MessageKind) -> MessageContent {
    MessageContent {
        state: Arc::new(state),
        manage: MANAGE.into(),
        at: noticed_at(),
        kind,
    }
}

pub(crate) fn about(notice: Notice) -> MessageContent {
    content(state(), MessageKind::Notice(Arc::new(notice)))
}

pub(crate) fn message(channel: Channel, url: &str, content: MessageContent) -> Message {
    Message {
        id: "msg_1".into(),
        target: Target::stored(channel, url.to_owned()),
        secrets: vec![SigningSecret([1; 32]), SigningSecret([2; 32])],
        content,
    }
}

/// The body of a content as a channel's product receives it.
pub(crate) fn body(channel: Channel, content: &MessageContent) -> Value {
    serde_json::from_str(&text_of_body(channel, content)).unwrap()
}

pub(crate) fn text_of_body(channel: Channel, content: &MessageContent) -> String {
    let messenger = HttpMessenger::new(OutboundSettings::default(), TestClock::stopped());
    messenger.preview(&message(channel, "https://hooks.example/", content.clone()))
}
