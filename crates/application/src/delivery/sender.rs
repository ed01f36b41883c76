//! How a delivery is sent on each route.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::TimeDelta;

use super::{Delivery, DeliveryRoute, MailComposer, MessageComposer};
use crate::error::Error;
use crate::mail::{Mailer, SendError};
use crate::message::{MessageError, Messenger};

/// How an attempt ended, as the sender reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptResult {
    /// The message was passed to the mail server or accepted by the receiver.
    Sent,
    /// The message is no longer needed.
    Unwanted,
    /// A retry may work.
    Temporary {
        /// Why, as one line.
        reason: String,
        /// How long the receiver asks to wait at least.
        retry_after: Option<TimeDelta>,
    },
    /// The mail server received the message and did not confirm it. A retry may be a further copy.
    Unconfirmed {
        /// Why, as one line.
        reason: String,
    },
    /// A retry cannot work.
    Permanent {
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
    async fn send(&self, delivery: &Delivery) -> Result<AttemptResult, Error>;
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
    async fn send(&self, delivery: &Delivery) -> Result<AttemptResult, Error> {
        let Some(mail) = self.composer.compose(delivery).await? else {
            return Ok(AttemptResult::Unwanted);
        };
        Ok(match self.mailer.send(mail).await {
            Ok(()) => AttemptResult::Sent,
            Err(SendError::Permanent { reason }) => AttemptResult::Permanent { reason },
            Err(SendError::Unconfirmed { reason }) => AttemptResult::Unconfirmed { reason },
            Err(SendError::Temporary { reason }) => AttemptResult::Temporary {
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
    async fn send(&self, delivery: &Delivery) -> Result<AttemptResult, Error> {
        let Some(message) = self.composer.compose(delivery).await? else {
            return Ok(AttemptResult::Unwanted);
        };
        Ok(match self.messenger.send(message).await {
            Ok(()) => AttemptResult::Sent,
            Err(MessageError::Temporary {
                reason,
                retry_after,
            }) => AttemptResult::Temporary {
                reason,
                retry_after,
            },
            Err(MessageError::Permanent { reason }) => AttemptResult::Permanent { reason },
            Err(MessageError::Gone) => AttemptResult::Ended,
        })
    }
}

/// Sends a delivery on the route of its channel.
pub struct ChannelSender {
    /// Sends mails.
    pub mail: Arc<dyn DeliverySender>,
    /// Sends to webhooks and chats.
    pub message: Arc<dyn DeliverySender>,
}

#[async_trait]
impl DeliverySender for ChannelSender {
    async fn send(&self, delivery: &Delivery) -> Result<AttemptResult, Error> {
        match DeliveryRoute::of(delivery.subscriber.target.channel()) {
            DeliveryRoute::Mail => self.mail.send(delivery).await,
            DeliveryRoute::Message => self.message.send(delivery).await,
        }
    }
}
