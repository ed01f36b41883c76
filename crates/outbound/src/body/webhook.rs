//! The body for programs: that of Statuspage's subscriber webhooks.

mod component;
mod incident;
mod update;

use allclear_application::message::{MessageContent, MessageKind};
use allclear_application::notice::Notice;
use allclear_application::statuspage_api::StatuspageState;
use allclear_application::timestamp;
use allclear_domain::notice::NoticeChange;
use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};

use self::component::ComponentChange;
use self::incident::Incident;

/// Maximum number of bytes of the updates, and of the components, of one body. The newest updates
/// and the first components are kept.
const LIST_BYTES: usize = 512 * 1024;

/// A time in UTC with milliseconds.
#[derive(Debug, Clone, Copy)]
struct Time(DateTime<Utc>);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        timestamp::serialize(&self.0, serializer)
    }
}

/// A body.
#[derive(Serialize)]
pub(super) struct WebhookBody<'a> {
    meta: Meta<'a>,
    page: Page,
    #[serde(flatten)]
    event: Event<'a>,
}

#[derive(Serialize)]
struct Meta<'a> {
    unsubscribe: &'a str,
    documentation: &'a str,
    generated_at: Time,
}

#[derive(Serialize)]
struct Page {
    id: String,
    status_indicator: &'static str,
    status_description: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Event<'a> {
    Incident { incident: Box<Incident<'a>> },
    Component(Box<ComponentChange<'a>>),
    Confirmation { confirmation: Confirmation<'a> },
    Test { test: Test },
}

#[derive(Serialize)]
struct Confirmation<'a> {
    url: &'a str,
}

#[derive(Serialize)]
struct Test {
    message: String,
}

impl<'a> Event<'a> {
    fn of_notice(state: &'a StatuspageState, notice: &'a Notice) -> Self {
        match &notice.content.change {
            NoticeChange::Incident {
                change,
                status,
                occurred_at,
                components,
                ..
            } => Self::Incident {
                incident: Box::new(Incident::of_incident(
                    state,
                    notice,
                    *change,
                    *status,
                    *occurred_at,
                    components,
                )),
            },
            NoticeChange::Maintenance {
                status,
                start_at,
                end_at,
                ..
            } => Self::Incident {
                incident: Box::new(Incident::of_maintenance(
                    state, notice, *status, *start_at, *end_at,
                )),
            },
            NoticeChange::Component { old_status, status } => Self::Component(Box::new(
                ComponentChange::of(state, notice, *old_status, *status),
            )),
        }
    }
}

impl<'a> WebhookBody<'a> {
    pub(super) fn of(content: &'a MessageContent) -> Self {
        let state = &*content.state;
        let rollup = state.rollup();
        let event = match &content.kind {
            MessageKind::Notice(notice) => Event::of_notice(state, notice),
            MessageKind::Confirmation { link } => Event::Confirmation {
                confirmation: Confirmation { url: link },
            },
            MessageKind::Test => {
                let page = state.organisation.effective_title();
                let message = format!("This is a test message from {page}.");
                Event::Test {
                    test: Test { message },
                }
            }
        };
        Self {
            meta: Meta {
                unsubscribe: &content.manage,
                documentation: &state.url,
                generated_at: Time(content.at),
            },
            page: Page {
                id: state.organisation.id.code().to_string(),
                status_indicator: rollup.indicator.as_str(),
                status_description: rollup.description,
            },
            event,
        }
    }
}

/// The first items whose JSON fits into the limit, and at least one.
fn within_limit<T: Serialize>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut bytes = 0;
    let mut kept = Vec::new();
    for item in items {
        bytes += serde_json::to_vec(&item).map_or(0, |json| json.len());
        if bytes > LIST_BYTES && !kept.is_empty() {
            break;
        }
        kept.push(item);
    }
    kept
}
