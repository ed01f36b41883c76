//! The body for programs: that of Statuspage's subscriber webhooks.

mod component;
mod incident;
mod update;

use allclear_application::message::{MessageContent, MessageKind};
use allclear_application::timestamp;
use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};

use self::incident::Incident;

/// Maximum of bytes of the updates, and of the components, of one body. The newest updates and the first components are kept.
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
#[serde(rename_all = "snake_case")]
enum Event<'a> {
    Incident(Box<Incident<'a>>),
    Confirmation { url: &'a str },
    Test { message: String },
}

impl<'a> WebhookBody<'a> {
    pub(super) fn of(content: &'a MessageContent) -> Self {
        let state = &*content.state;
        let rollup = state.rollup();
        let event = match &content.kind {
            MessageKind::Notice(notice) => Event::Incident(Box::new(Incident::of(state, notice))),
            MessageKind::Confirmation { link } => Event::Confirmation { url: link },
            MessageKind::Test => {
                let page = state.organisation.effective_title();
                Event::Test {
                    message: format!("This is a test message from {page}."),
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
                status_indicator: rollup.indicator.word(),
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
