//! Composes the messages to webhooks and chats.

use std::collections::VecDeque;
use std::sync::Arc;

use allclear_domain::id::OrganisationId;
use allclear_domain::mail_limit::MailLimit;
use allclear_domain::subscriber::SubscriberStatus;
use chrono::TimeDelta;
use parking_lot::Mutex;
use tokio::sync::OnceCell;
use uuid::Uuid;

use super::links::DeliveryLinks;
use super::verification_limit::VerificationLimit;
use super::{Delivery, DeliveryKind};
use crate::clock::Clock;
use crate::error::Error;
use crate::link::Links;
use crate::message::{Message, MessageContent, MessageKind};
use crate::secret::HmacKey;
use crate::statuspage_api::{PublicState, PublicStateStore};
use crate::subscriber::SubscriberStore;
use crate::subscriber::code::Codes;

/// Ports of [`MessageComposer`].
pub struct MessagePorts {
    /// Storage of subscribers.
    pub subscribers: Arc<dyn SubscriberStore>,
    /// Storage of the public state.
    pub states: Arc<dyn PublicStateStore>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

/// Composes the messages of deliveries. The secrets are derived from stored values.
pub struct MessageComposer {
    states: Arc<dyn PublicStateStore>,
    clock: Arc<dyn Clock>,
    links: DeliveryLinks,
    codes: Codes,
    verification_limit: VerificationLimit,
    recent: Mutex<VecDeque<(Uuid, SharedState)>>,
}

/// The public state for the messages of one notice that are composed about the same time.
type SharedState = Arc<OnceCell<KeptState>>;

struct KeptState {
    state: Arc<PublicState>,
    bytes: u64,
}

impl MessageComposer {
    /// Number of notices whose public state is kept. A node sends the messages of a few notices at a time.
    const MAX_RECENT: usize = 8;
    /// Size limit of these states, in bytes. The newest one is kept in any case.
    const MAX_RECENT_BYTES: u64 = 64 * 1024 * 1024;

    /// For how long a state is used. What operators delete meanwhile is still sent.
    const MAX_STATE_AGE: TimeDelta = TimeDelta::seconds(10);

    /// A composer for this installation's links. `limit` is the maximum number of verification messages per target.
    #[must_use]
    pub fn new(ports: MessagePorts, links: Links, hmac_key: HmacKey, limit: MailLimit) -> Self {
        Self {
            states: ports.states,
            clock: Arc::clone(&ports.clock),
            links: DeliveryLinks::new(links, hmac_key.clone()),
            codes: Codes::new(hmac_key),
            verification_limit: VerificationLimit::new(ports.subscribers, ports.clock, limit),
            recent: Mutex::new(VecDeque::new()),
        }
    }

    /// Returns the message; `None` if it is no longer needed or the limit of verification messages is reached.
    pub(super) async fn compose(&self, delivery: &Delivery) -> Result<Option<Message>, Error> {
        let subscriber = &delivery.subscriber;
        let recipient = subscriber.id.0.simple();
        let is_subscribed = subscriber.status == SubscriberStatus::Subscribed;
        let (id, kind, state) = match &delivery.kind {
            DeliveryKind::Verification => {
                if !subscriber.awaits_verification()
                    || !self.verification_limit.allows(delivery).await?
                {
                    return Ok(None);
                }
                let link = self.links.verify(delivery);
                let id = format!("{recipient}-{}", delivery.queued_at.timestamp_millis());
                let state = self.read(&delivery.organisation).await?;
                (id, MessageKind::Confirmation { link }, state)
            }
            DeliveryKind::Notice(notice) if is_subscribed => {
                let id = format!("{}-{recipient}", notice.id.simple());
                let state = self.state_for(notice.id, &delivery.organisation).await?;
                (id, MessageKind::Notice(Arc::clone(notice)), state)
            }
            DeliveryKind::Test(id) if is_subscribed => {
                let state = self.read(&delivery.organisation).await?;
                (
                    format!("{}-{recipient}", id.simple()),
                    MessageKind::Test,
                    state,
                )
            }
            DeliveryKind::Notice(_) | DeliveryKind::Test(_) => return Ok(None),
        };
        Ok(Some(Message {
            id,
            target: subscriber.target.clone(),
            secrets: self.codes.signing_secrets(subscriber, self.clock.now()),
            content: MessageContent {
                state,
                manage: self.links.manage(delivery),
                at: delivery.queued_at,
                kind,
            },
        }))
    }

    /// The public state for a notice. It is read if none is stored here, or only one that is older than [`Self::MAX_STATE_AGE`].
    async fn state_for(
        &self,
        notice: Uuid,
        organisation: &OrganisationId,
    ) -> Result<Arc<PublicState>, Error> {
        let shared = self.shared(notice);
        let read = || async {
            let state = self.read(organisation).await?;
            let bytes = state.bytes();
            Ok::<_, Error>(KeptState { state, bytes })
        };
        let kept = shared.get_or_try_init(read).await?;
        self.remove_excess();
        Ok(Arc::clone(&kept.state))
    }

    /// Removes the oldest states that exceed the size limit.
    fn remove_excess(&self) {
        let mut recent = self.recent.lock();
        let newest = recent.front().map(|(notice, _)| *notice);
        let mut bytes = 0;
        recent.retain(|(notice, state)| {
            bytes += state.get().map_or(0, |kept| kept.bytes);
            Some(*notice) == newest || bytes <= Self::MAX_RECENT_BYTES
        });
    }

    fn shared(&self, notice: Uuid) -> SharedState {
        let now = self.clock.now();
        let mut recent = self.recent.lock();
        recent.retain(|(_, state)| {
            let is_old = |kept: &KeptState| now - kept.state.read_at >= Self::MAX_STATE_AGE;
            !state.get().is_some_and(is_old)
        });
        if let Some((_, state)) = recent.iter().find(|(known, _)| *known == notice) {
            return Arc::clone(state);
        }
        let state = SharedState::default();
        recent.push_front((notice, Arc::clone(&state)));
        recent.truncate(Self::MAX_RECENT);
        state
    }

    async fn read(&self, organisation: &OrganisationId) -> Result<Arc<PublicState>, Error> {
        let now = self.clock.now();
        let state = self.states.public_state(organisation, now).await?;
        state.map(Arc::new).ok_or(Error::NotFound("Organisation"))
    }
}

#[cfg(test)]
mod tests;
