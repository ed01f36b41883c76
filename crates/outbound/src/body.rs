//! Bodies of messages, one form for each product.

mod webhook;

use allclear_application::message::Message;
use serde::Serialize;

use self::webhook::WebhookBody;

/// The body of a message, as one line of JSON.
pub(crate) fn of(message: &Message) -> String {
    // Texts, numbers and lists can always be written.
    serde_json::to_string(&Body::of(message)).unwrap_or_default()
}

/// The body of a message, as JSON with line breaks.
pub(crate) fn pretty(message: &Message) -> String {
    serde_json::to_string_pretty(&Body::of(message)).unwrap_or_default()
}

#[derive(Serialize)]
#[serde(untagged)]
enum Body<'a> {
    Webhook(Box<WebhookBody<'a>>),
}

impl<'a> Body<'a> {
    fn of(message: &'a Message) -> Self {
        let content = &message.content;
        Self::Webhook(Box::new(WebhookBody::of(content)))
    }
}
