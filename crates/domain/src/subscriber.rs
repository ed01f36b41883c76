//! Subscribers: addresses that receive the notices of an organisation.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use strum::{Display, EnumString, VariantArray};
use utoipa::ToSchema;
use validator::Validate;

use crate::email::{Mailbox, email_address};
use crate::id::SubscriberId;
use crate::validation::Invalid;

/// Whether a subscriber receives notices.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema, Display, EnumString, VariantArray,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum SubscriberStatus {
    /// The address is not verified yet.
    Pending,
    /// The subscriber receives notices.
    Subscribed,
    /// The subscriber has unsubscribed.
    Unsubscribed,
}

/// A subscriber of an organisation, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscriber {
    /// Its identifier.
    pub id: SubscriberId,
    /// The address as it was typed.
    pub email: String,
    /// Whether it receives notices.
    pub status: SubscriberStatus,
    /// Whether the address is verified.
    pub is_verified: bool,
    /// How often it has unsubscribed. A verification link is valid only until the next unsubscribe, so an old link cannot undo
    /// it.
    pub round: i32,
    /// When it subscribed first.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
}

/// Input for a subscriber, trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct SubscriberDraft {
    /// The address.
    #[validate(custom(function = email_address))]
    pub email: String,
}

/// The link has expired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("This link has expired. Please subscribe again to get a new one")]
pub struct LinkExpired;

impl Subscriber {
    /// Lifetime of a verification link.
    pub const VERIFICATION_LIFE: TimeDelta = TimeDelta::days(7);

    /// A new subscriber, pending.
    ///
    /// # Errors
    /// [`Invalid`] if the address is not one.
    pub fn create(
        id: SubscriberId,
        draft: SubscriberDraft,
        now: DateTime<Utc>,
    ) -> Result<Self, Invalid> {
        draft.validate().map_err(Invalid::from)?;
        let status = SubscriberStatus::Pending;
        Ok(Self {
            id,
            email: draft.email,
            status,
            is_verified: false,
            round: 0,
            created_at: now,
            updated_at: now,
        })
    }

    /// The mailbox of its address. An organisation has one subscriber per mailbox.
    #[must_use]
    pub fn mailbox(&self) -> Mailbox {
        Mailbox::of(&self.email)
    }

    /// This subscriber after subscribing again: pending if it had unsubscribed, otherwise unchanged.
    #[must_use]
    pub fn subscribe_again(self, now: DateTime<Utc>) -> Self {
        match self.status {
            SubscriberStatus::Pending | SubscriberStatus::Subscribed => self,
            SubscriberStatus::Unsubscribed => Self {
                status: SubscriberStatus::Pending,
                is_verified: false,
                updated_at: now,
                ..self
            },
        }
    }

    /// Whether a verification link is to be mailed, because the address is not verified.
    #[must_use]
    pub fn awaits_verification(&self) -> bool {
        self.status == SubscriberStatus::Pending
    }

    /// This subscriber after verification. A second verification changes nothing.
    ///
    /// # Errors
    /// [`LinkExpired`] from the moment the link ends.
    pub fn verify(
        self,
        expires_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Self, LinkExpired> {
        if now >= expires_at {
            return Err(LinkExpired);
        }
        match self.status {
            SubscriberStatus::Pending => Ok(Self {
                status: SubscriberStatus::Subscribed,
                is_verified: true,
                updated_at: now,
                ..self
            }),
            SubscriberStatus::Subscribed | SubscriberStatus::Unsubscribed => Ok(self),
        }
    }

    /// This subscriber after unsubscribing. A second time changes nothing.
    #[must_use]
    pub fn unsubscribe(self, now: DateTime<Utc>) -> Self {
        match self.status {
            SubscriberStatus::Pending | SubscriberStatus::Subscribed => {
                let round = self.round.saturating_add(1);
                Self {
                    status: SubscriberStatus::Unsubscribed,
                    round,
                    updated_at: now,
                    ..self
                }
            }
            SubscriberStatus::Unsubscribed => self,
        }
    }
}

#[cfg(test)]
mod tests;
