//! How a delivery is sent on each route.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::TimeDelta;

use super::{Delivery, MailComposer, MessageComposer, Route};
use crate::error::Error;
use crate::mail::{Mailer, SendError};
use crate::message::{MessageError, Messenger};

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempt {
    /// The message arrived.
    Arrived,
    /// The message is no longer needed.
    Unwanted,
    /// A retry may work.
    Failed {
        /// Why, as one line.
        reason: String,
        /// How long the receiver asks to wait at least.
        retry_after: Option<TimeDelta>,
    },
    /// A retry cannot work.
    Refused {
        /// Why, as one line.
        reason: String,
    },
    /// The receiver has ended the subscription.
    Ended,
}

/// Sends deliveries.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait DeliverySender: Send + Sync {
    /// Composes a delivery and sends it.
    ///
    /// # Errors
    /// If it could not be composed.
    async fn send(&self, delivery: &Delivery) -> Result<Attempt, Error>;
}

/// Sends deliveries by mail.
pub struct MailSender {
    /// Composes the mails.
    pub composer: MailComposer,
    /// Sends the mails.
    pub mailer: Arc<dyn Mailer>,
}

#[async_trait]
impl DeliverySender for MailSender {
    async fn send(&self, delivery: &Delivery) -> Result<Attempt, Error> {
        let Some(mail) = self.composer.compose(delivery).await? else {
            return Ok(Attempt::Unwanted);
        };
        Ok(match self.mailer.send(mail).await {
            Ok(()) => Attempt::Arrived,
            Err(SendError::Permanent { reason }) => Attempt::Refused { reason },
            Err(SendError::Temporary { reason }) => Attempt::Failed {
                reason,
                retry_after: None,
            },
        })
    }
}

/// Sends deliveries to webhooks and chats.
pub struct MessageSender {
    /// Composes the messages.
    pub composer: MessageComposer,
    /// Sends the messages. It limits the time of each.
    pub messenger: Arc<dyn Messenger>,
}

#[async_trait]
impl DeliverySender for MessageSender {
    async fn send(&self, delivery: &Delivery) -> Result<Attempt, Error> {
        let Some(message) = self.composer.compose(delivery).await? else {
            return Ok(Attempt::Unwanted);
        };
        Ok(match self.messenger.send(message).await {
            Ok(()) => Attempt::Arrived,
            Err(MessageError::Temporary {
                reason,
                retry_after,
            }) => Attempt::Failed {
                reason,
                retry_after,
            },
            Err(MessageError::Permanent { reason }) => Attempt::Refused { reason },
            Err(MessageError::Gone) => Attempt::Ended,
        })
    }
}

/// Sends a delivery on the route of its channel.
pub struct ChannelSender {
    /// Sends mails.
    pub mail: Arc<dyn DeliverySender>,
    /// Sends to webhooks and chats.
    pub request: Arc<dyn DeliverySender>,
}

#[async_trait]
impl DeliverySender for ChannelSender {
    async fn send(&self, delivery: &Delivery) -> Result<Attempt, Error> {
        match Route::of(delivery.subscriber.target.channel()) {
            Route::Mail => self.mail.send(delivery).await,
            Route::Request => self.request.send(delivery).await,
        }
    }
}
