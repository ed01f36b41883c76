//! Composes the messages to webhooks and chats.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use allclear_domain::id::OrganisationId;
use allclear_domain::rate_limit::RateLimit;
use allclear_domain::subscriber::SubscriberStatus;
use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use tokio::sync::{OnceCell, Semaphore};
use uuid::Uuid;

use super::links::DeliveryLinks;
use super::verification_limit::VerificationLimit;
use super::{Delivery, DeliveryKind};
use crate::clock::Clock;
use crate::error::{Error, Resource};
use crate::link::Links;
use crate::message::{Message, MessageContent, MessageKind};
use crate::secret::HmacKey;
use crate::statuspage_api::{StatuspageState, StatuspageStateStore};
use crate::subscriber::SubscriberStore;
use crate::subscriber::code::Codes;

/// Ports of [`MessageComposer`].
pub struct MessagePorts {
    /// Storage of subscribers.
    pub subscribers: Arc<dyn SubscriberStore>,
    /// Storage of the states.
    pub states: Arc<dyn StatuspageStateStore>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

/// Composes the messages of deliveries. The secrets are derived from stored values.
pub struct MessageComposer {
    states: Arc<dyn StatuspageStateStore>,
    clock: Arc<dyn Clock>,
    links: DeliveryLinks,
    codes: Codes,
    verification_limit: VerificationLimit,
    /// Reads of states that run at the same time.
    reads: Semaphore,
    recent: Mutex<VecDeque<(StateKey, SharedState)>>,
}

/// The messages that share a state.
#[derive(Debug, Clone, PartialEq, Eq)]
enum StateKey {
    /// Those of a notice with the time of its change, which their state shows.
    Notice(Uuid, DateTime<Utc>),
    /// The verifications and test messages of an organisation.
    Organisation(OrganisationId),
}

impl StateKey {
    /// When the change happened that the state shows; `None` if there is none.
    const fn changed_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Notice(_, at) => Some(*at),
            Self::Organisation(_) => None,
        }
    }
}

/// The state for messages that are composed about the same time.
type SharedState = Arc<OnceCell<KeptState>>;

struct KeptState {
    state: Arc<StatuspageState>,
    bytes: u64,
}

impl MessageComposer {
    /// Number of states that are kept. A node sends the messages of a few notices at a time.
    const MAX_RECENT: usize = 8;
    /// Size limit of these states, in bytes. The newest one is kept in any case.
    const MAX_RECENT_BYTES: u64 = 64 * 1024 * 1024;
    /// Maximum number of states that are read at the same time: each may take tens of megabytes.
    const MAX_CONCURRENT_READS: usize = 2;

    /// For how long a state is used. What operators delete meanwhile is still sent.
    const MAX_STATE_AGE: TimeDelta = TimeDelta::seconds(10);
    /// How far the clock of the node that stored a notice may be ahead. A clock that is further
    /// ahead is wrong.
    const MAX_CLOCK_DIFFERENCE: TimeDelta = TimeDelta::seconds(10);

    /// A composer for this installation's links. `limit` is the maximum number of verification
    /// messages per target.
    #[must_use]
    pub fn new(ports: MessagePorts, links: Links, hmac_key: HmacKey, limit: RateLimit) -> Self {
        Self {
            states: ports.states,
            clock: Arc::clone(&ports.clock),
            links: DeliveryLinks::new(links, hmac_key.clone()),
            codes: Codes::new(hmac_key),
            verification_limit: VerificationLimit::new(ports.subscribers, ports.clock, limit),
            reads: Semaphore::new(Self::MAX_CONCURRENT_READS),
            recent: Mutex::new(VecDeque::new()),
        }
    }

    /// Returns the message; `None` if it is no longer needed or the limit of verification messages
    /// is reached.
    pub(super) async fn compose(&self, delivery: &Delivery) -> Result<Option<Message>, Error> {
        let subscriber = &delivery.subscriber;
        let recipient = subscriber.id.0.simple();
        let is_subscribed = subscriber.status == SubscriberStatus::Subscribed;
        let of_organisation = || StateKey::Organisation(delivery.organisation.clone());
        let (id, kind, key) = match &delivery.kind {
            DeliveryKind::Verification => {
                if !subscriber.awaits_verification()
                    || !self.verification_limit.try_take(delivery).await?
                {
                    return Ok(None);
                }
                let link = self.links.verify(delivery);
                let id = format!("{recipient}-{}", delivery.queued_at.timestamp_millis());
                (id, MessageKind::Confirmation { link }, of_organisation())
            }
            DeliveryKind::Notice(notice) if is_subscribed => {
                let id = format!("{}-{recipient}", notice.id.simple());
                let key = StateKey::Notice(notice.id, notice.at);
                (id, MessageKind::Notice(Arc::clone(notice)), key)
            }
            DeliveryKind::Test(id) if is_subscribed => {
                let id = format!("{}-{recipient}", id.simple());
                (id, MessageKind::Test, of_organisation())
            }
            DeliveryKind::Notice(_) | DeliveryKind::Test(_) => return Ok(None),
        };
        let state = self.state_for(key, &delivery.organisation).await?;
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

    /// The state for a message. It is read unless a kept one is at most [`Self::MAX_STATE_AGE`] old.
    async fn state_for(
        &self,
        key: StateKey,
        organisation: &OrganisationId,
    ) -> Result<Arc<StatuspageState>, Error> {
        let changed_at = key.changed_at();
        let shared = self.shared(key);
        let read = || async {
            let state = self.read(organisation, changed_at).await?;
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
        let (mut bytes, mut is_newest) = (0, true);
        recent.retain(|(_, state)| {
            bytes += state.get().map_or(0, |kept| kept.bytes);
            mem::take(&mut is_newest) || bytes <= Self::MAX_RECENT_BYTES
        });
    }

    fn shared(&self, key: StateKey) -> SharedState {
        let now = self.clock.now();
        let mut recent = self.recent.lock();
        recent.retain(|(_, state)| {
            let is_old = |kept: &KeptState| now - kept.state.read_at >= Self::MAX_STATE_AGE;
            !state.get().is_some_and(is_old)
        });
        if let Some((_, state)) = recent.iter().find(|(known, _)| *known == key) {
            return Arc::clone(state);
        }
        let state = SharedState::default();
        recent.push_front((key, Arc::clone(&state)));
        recent.truncate(Self::MAX_RECENT);
        state
    }

    async fn read(
        &self,
        organisation: &OrganisationId,
        changed_at: Option<DateTime<Utc>>,
    ) -> Result<Arc<StatuspageState>, Error> {
        let _turn = self.reads.acquire().await.map_err(Error::internal)?;
        let now = self.clock.now();
        // By a clock that is behind, a maintenance that began with the change has not begun.
        let as_of = changed_at.map_or(now, |at| at.clamp(now, now + Self::MAX_CLOCK_DIFFERENCE));
        let state = self.states.statuspage_state(organisation, as_of).await?;
        state
            .map(Arc::new)
            .ok_or(Error::NotFound(Resource::Organisation))
    }
}

#[cfg(test)]
mod tests;
