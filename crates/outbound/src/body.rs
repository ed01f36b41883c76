//! Bodies of messages, one form for each product.

mod chat;
mod discord;
mod slack;
mod teams;
mod text;
mod webhook;

use allclear_application::message::Message;
use allclear_domain::channel::Channel;
use serde::Serialize;

use self::chat::Chat;
use self::discord::DiscordBody;
use self::slack::SlackBody;
use self::teams::TeamsBody;
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
    Slack(SlackBody),
    Teams(TeamsBody),
    Discord(DiscordBody),
}

impl<'a> Body<'a> {
    fn of(message: &'a Message) -> Self {
        let content = &message.content;
        match message.target.channel() {
            // Mails are not sent by HTTP.
            Channel::Webhook | Channel::Email => Self::Webhook(Box::new(WebhookBody::of(content))),
            Channel::Slack => Self::Slack(SlackBody::of(&Chat::of(content))),
            Channel::Teams => Self::Teams(TeamsBody::of(&Chat::of(content))),
            Channel::Discord => Self::Discord(DiscordBody::of(&Chat::of(content))),
        }
    }
}
