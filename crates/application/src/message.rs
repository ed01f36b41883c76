//! Messages to webhooks and chats: the port that sends them.

use std::sync::Arc;

use allclear_domain::channel::Target;
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, TimeDelta, Utc};

use crate::notice::Notice;
use crate::statuspage_api::StatuspageState;

/// A message to one target.
#[derive(Debug, Clone)]
pub struct Message {
    /// The same for each attempt, so that the receiver may drop a second copy: `webhook-id` of
    /// Standard Webhooks.
    pub id: String,
    /// Where it goes: the URL of a webhook.
    pub target: Target,
    /// The secrets that sign a message to a webhook, the newest first; never empty on that channel,
    /// ignored on others.
    pub secrets: Vec<SigningSecret>,
    /// Its content.
    pub content: MessageContent,
}

/// A secret of Standard Webhooks: 32 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(pub [u8; 32]);

impl SigningSecret {
    /// The secret as people copy it (Standard Webhooks, "Signature scheme").
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("whsec_{}", STANDARD.encode(self.0))
    }
}

impl std::fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningSecret(..)")
    }
}

/// Content of a message, with what every message names.
#[derive(Debug, Clone)]
pub struct MessageContent {
    /// The organisation as the public sees it: for a notice, when the message is composed.
    pub state: Arc<StatuspageState>,
    /// The page that changes or ends the subscription.
    pub manage: String,
    /// When the message was queued.
    pub at: DateTime<Utc>,
    /// What it says.
    pub kind: MessageKind,
}

/// What a message says.
#[derive(Debug, Clone)]
pub enum MessageKind {
    /// The target was subscribed; this link confirms it.
    Confirmation {
        /// Link of the confirmation.
        link: String,
    },
    /// An incident, a maintenance or, for webhooks, the status of a component changed. What the
    /// notice names is among those of the state.
    Notice(Arc<Notice>),
    /// An operator tests the subscription.
    Test,
}

/// Why a message was not sent. A reason is one line for an operator, without the target's URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// A retry may work.
    #[error("{reason}")]
    Temporary {
        /// Reason of the failure.
        reason: String,
        /// How long the receiver asks to wait at least.
        retry_after: Option<TimeDelta>,
    },
    /// A retry cannot work: the installation does not allow the target, or the message is
    /// too large.
    #[error("{reason}")]
    Permanent {
        /// Reason of the failure.
        reason: String,
    },
    /// The receiver wants no more messages (410).
    #[error("the receiver has ended the subscription")]
    Gone,
}

/// Sends messages to webhooks and chats.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Messenger: Send + Sync {
    /// Checks whether the installation allows a target: its scheme, its port and the addresses of
    /// its host. An adapter MUST NOT allow a target that a visitor entered unless it is public.
    ///
    /// # Errors
    /// A sentence for the person that entered the target.
    async fn check(&self, target: &Target) -> Result<(), String>;

    /// Sends a message. An adapter MUST check the target again, connect to a checked address,
    /// follow no redirect, and limit time and bytes.
    ///
    /// # Errors
    /// [`MessageError`] says whether to try again.
    async fn send(&self, message: Message) -> Result<(), MessageError>;

    /// Returns the body that [`Self::send`] would send, as JSON text with line breaks.
    fn preview(&self, message: &Message) -> String;
}
