//! Messages over HTTP.

mod outcome;
mod signature;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::message::{Message, MessageError, Messenger};
use allclear_domain::channel::{Channel, Target};
use async_trait::async_trait;
use reqwest::header::HeaderMap;
use tokio::sync::OnceCell;
use url::Url;

use crate::body;
use crate::client::{OutboundClient, OutboundSettings, RequestError};
use crate::target::TargetError;

/// Sends messages to webhooks and chats over HTTP.
pub struct HttpMessenger {
    settings: OutboundSettings,
    /// Made for the first message: a machine without certificates starts and serves without it, and
    /// no start waits for reading them.
    client: OnceCell<OutboundClient>,
    clock: Arc<dyn Clock>,
}

impl HttpMessenger {
    /// A messenger for what the installation allows.
    #[must_use]
    pub fn new(settings: OutboundSettings, clock: Arc<dyn Clock>) -> Self {
        Self {
            settings,
            client: OnceCell::new(),
            clock,
        }
    }

    /// A messenger with another client.
    #[must_use]
    pub fn with_client(client: OutboundClient, clock: Arc<dyn Clock>) -> Self {
        Self {
            settings: OutboundSettings::default(),
            client: OnceCell::new_with(Some(client)),
            clock,
        }
    }

    /// The client for a target. What a visitor entered must not be in a listed range.
    async fn client(&self, target: &Target) -> Result<&OutboundClient, RequestError> {
        let client = self
            .client
            .get_or_try_init(|| {
                let settings = self.settings.clone();
                OutboundClient::make(move || OutboundClient::new(settings))
            })
            .await?;
        Ok(if target.is_by_visitor() {
            client.for_visitors()
        } else {
            client
        })
    }

    /// The headers of an attempt: the signatures of a webhook.
    fn headers(&self, message: &Message, body: &str) -> Result<HeaderMap, MessageError> {
        if message.target.channel() != Channel::Webhook {
            return Ok(HeaderMap::new());
        }
        signature::headers(&message.id, &message.secrets, self.clock.now(), body)
    }
}

#[async_trait]
impl Messenger for HttpMessenger {
    async fn check(&self, target: &Target) -> Result<(), String> {
        let url = url(target).map_err(|error| error.to_string())?;
        let client = self.client(target).await;
        let client = client.map_err(|error| error.to_string())?;
        let checked = client.check(&url).await;
        checked.map_err(|error| error.to_string())
    }

    async fn send(&self, message: Message) -> Result<(), MessageError> {
        let url = url(&message.target).map_err(RequestError::from);
        let url = url.map_err(|error| outcome::of_failure(&error))?;
        let client = self.client(&message.target).await;
        let client = client.map_err(|error| outcome::of_failure(&error))?;
        let body = body::of(&message);
        let headers = self.headers(&message, &body)?;
        // It holds the Statuspage state of its organisation, and the receiver may not respond.
        drop(message);
        let response = client.post_json(&url, headers, body).await;
        let response = response.map_err(|error| outcome::of_failure(&error))?;
        let outcome = outcome::of_response(&response, self.clock.now());
        response.drain().await;
        outcome
    }

    fn preview(&self, message: &Message) -> String {
        body::pretty(message)
    }
}

fn url(target: &Target) -> Result<Url, TargetError> {
    if target.channel() == Channel::Email {
        return Err(TargetError::NotALink);
    }
    Url::parse(target.as_str()).map_err(|_| TargetError::NotALink)
}
