//! Subscribers: targets that receive the notices of an organisation.

mod scope;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use strum::{Display, EnumString, VariantArray};
use utoipa::ToSchema;

use crate::channel::Target;
use crate::id::{ComponentGroupId, ComponentId, SubscriberId};
use crate::validation::Invalid;

pub use self::scope::{Choice, Scope, ScopeKind};

/// Whether a subscriber receives notices.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema, Display, EnumString, VariantArray,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum SubscriberStatus {
    /// The target is not verified yet.
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
    /// Where it is reached.
    pub target: Target,
    /// What it wants updates about.
    pub scope: Scope,
    /// Whether it receives nothing about maintenances.
    pub mute_maintenances: bool,
    /// Whether it receives notices.
    pub status: SubscriberStatus,
    /// Whether the target is verified.
    pub is_verified: bool,
    /// How often it has unsubscribed. A verification link is valid only until the next unsubscribe,
    /// so an old link cannot undo it.
    pub round: i32,
    /// The secrets of a webhook.
    pub secret: SecretRound,
    /// Why and since when messages to it fail for good; `None` if the last one arrived.
    pub failing: Option<Failing>,
    /// When it subscribed first.
    pub created_at: DateTime<Utc>,
    /// When it last changed, or a verification link was last requested while it was pending.
    pub updated_at: DateTime<Utc>,
}

/// Which secrets sign the messages to a webhook. Secrets are derived from their numbers, so they
/// are not stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SecretRound {
    /// Number of the newest secret, from 0.
    pub number: i32,
    /// When the previous secret was replaced; `None` if there was none.
    pub rotated_at: Option<DateTime<Utc>>,
    /// The secrets before the previous one that may still sign, the newest first.
    pub earlier: Vec<ReplacedSecret>,
}

/// A secret of a webhook that another one has replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplacedSecret {
    /// Number of the secret, from 0.
    pub number: i32,
    /// When it was replaced.
    pub replaced_at: DateTime<Utc>,
}

impl ReplacedSecret {
    fn signs(&self, now: DateTime<Utc>) -> bool {
        now < self.replaced_at + SecretRound::OVERLAP
    }
}

impl SecretRound {
    /// How long a replaced secret still signs beside the new one.
    pub const OVERLAP: TimeDelta = TimeDelta::hours(24);

    /// Maximum number of replaced secrets that sign: a message carries a signature of each.
    pub const MAX_REPLACED: usize = 5;

    /// The round after this one.
    #[must_use]
    pub fn next(&self, now: DateTime<Utc>) -> Self {
        let earlier = self.replaced().filter(|secret| secret.signs(now));
        Self {
            number: self.number.saturating_add(1),
            rotated_at: Some(now),
            earlier: earlier.take(Self::MAX_REPLACED - 1).collect(),
        }
    }

    /// The numbers of the secrets that sign a message, the newest first.
    pub fn signing(&self, now: DateTime<Utc>) -> impl Iterator<Item = i32> {
        let replaced = self.replaced().filter(move |secret| secret.signs(now));
        std::iter::once(self.number).chain(replaced.map(|secret| secret.number))
    }

    /// The replaced secrets, the newest first.
    fn replaced(&self) -> impl Iterator<Item = ReplacedSecret> {
        let previous = self.rotated_at.map(|replaced_at| ReplacedSecret {
            number: self.number.saturating_sub(1),
            replaced_at,
        });
        previous.into_iter().chain(self.earlier.iter().copied())
    }
}

/// Messages to a subscriber fail for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failing {
    /// Why the last one failed, as one line.
    pub reason: String,
    /// When the first one failed.
    pub since: DateTime<Utc>,
}

/// Input for a subscriber.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriberDraft {
    /// Where it is reached.
    pub target: Target,
    /// What it wants updates about.
    pub scope: Scope,
    /// Whether it receives nothing about maintenances.
    pub mute_maintenances: bool,
}

impl SubscriberDraft {
    /// A subscriber of everything.
    #[must_use]
    pub const fn of_everything(target: Target) -> Self {
        Self {
            target,
            scope: Scope::All,
            mute_maintenances: false,
        }
    }
}

/// A change of what a subscriber receives: only what is present changes. `Some(None)` of a list
/// means that nothing is chosen in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubscriberPatch {
    /// Components about which it receives messages.
    pub components: Option<Option<Vec<ComponentId>>>,
    /// Groups about whose components it receives messages.
    pub groups: Option<Option<Vec<ComponentGroupId>>>,
    /// Whether it receives nothing about maintenances.
    pub mute_maintenances: Option<bool>,
}

/// The link has expired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", Self::SENTENCE)]
pub struct LinkExpired;

impl LinkExpired {
    /// The sentence to show.
    pub const SENTENCE: &str = "This link has expired. Please subscribe again to get a new one";
}

impl Subscriber {
    /// Lifetime of a verification link.
    pub const VERIFICATION_LIFETIME: TimeDelta = TimeDelta::days(7);

    /// How long a subscriber that was never confirmed is kept after the last request of a link: a
    /// week longer than the link is valid.
    const UNCONFIRMED_FOR: TimeDelta = TimeDelta::days(14);

    /// How long a subscriber of one incident receives updates after it is resolved.
    const FOLLOWED_FOR: TimeDelta = TimeDelta::days(1);

    /// Whether subscribers of one incident receive its updates at a time. `resolved_at` is
    /// the incident's.
    #[must_use]
    pub fn is_followed(resolved_at: Option<DateTime<Utc>>, at: DateTime<Utc>) -> bool {
        resolved_at.is_none_or(|resolved_at| resolved_at > Self::followed_if_resolved_after(at))
    }

    /// Incidents that were resolved at this time or earlier are not followed any more at `at`.
    #[must_use]
    pub fn followed_if_resolved_after(at: DateTime<Utc>) -> DateTime<Utc> {
        at - Self::FOLLOWED_FOR
    }

    /// Subscribers that were never confirmed and whose last link was requested before this time are
    /// removed at `at`.
    #[must_use]
    pub fn removed_if_requested_before(at: DateTime<Utc>) -> DateTime<Utc> {
        at - Self::UNCONFIRMED_FOR
    }

    /// A new subscriber, pending.
    #[must_use]
    pub fn create(id: SubscriberId, draft: SubscriberDraft, now: DateTime<Utc>) -> Self {
        Self {
            id,
            target: draft.target,
            scope: draft.scope,
            mute_maintenances: draft.mute_maintenances,
            status: SubscriberStatus::Pending,
            is_verified: false,
            round: 0,
            secret: SecretRound::default(),
            failing: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// This subscriber after subscribing again, which requests a link. Anybody may enter a target,
    /// and takes nothing from what its owner has chosen: a subscribed one is unchanged, and a
    /// pending one has the new choice beside the former ones. One that has unsubscribed is pending,
    /// with the new choice alone.
    #[must_use]
    pub fn subscribe_again(self, draft: SubscriberDraft, now: DateTime<Utc>) -> Self {
        match self.status {
            SubscriberStatus::Subscribed => self,
            SubscriberStatus::Pending => Self {
                scope: self.scope.with(draft.scope),
                mute_maintenances: self.mute_maintenances && draft.mute_maintenances,
                updated_at: now,
                ..self
            },
            SubscriberStatus::Unsubscribed => Self {
                status: SubscriberStatus::Pending,
                is_verified: false,
                scope: draft.scope,
                mute_maintenances: draft.mute_maintenances,
                updated_at: now,
                ..self
            },
        }
    }

    /// Whether a verification link is to be sent, because the target is not verified.
    #[must_use]
    pub fn awaits_verification(&self) -> bool {
        self.status == SubscriberStatus::Pending
    }

    /// Whether it was confirmed before a link was requested, and has not changed since. It needs no
    /// link then.
    #[must_use]
    pub fn was_subscribed_at(&self, requested_at: DateTime<Utc>) -> bool {
        self.status == SubscriberStatus::Subscribed && self.updated_at <= requested_at
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

    /// This subscriber with another choice.
    ///
    /// # Errors
    /// [`Invalid`] as of [`Scope::of`].
    pub fn edit(self, patch: SubscriberPatch, now: DateTime<Utc>) -> Result<Self, Invalid> {
        let is_chosen = patch.components.is_some() || patch.groups.is_some();
        let choice = self.scope.choice().cloned().unwrap_or_default();
        // A list that is longer already does not have to become shorter.
        let max_length = |present: usize| present.max(Choice::MAX_LENGTH);
        let max_lengths = (
            max_length(choice.components.len()),
            max_length(choice.groups.len()),
        );
        let components = patch
            .components
            .unwrap_or_else(|| unless_empty(choice.components));
        let groups = patch.groups.unwrap_or_else(|| unless_empty(choice.groups));
        let scope = if is_chosen {
            Scope::with_lists_up_to(max_lengths, components, groups, self.scope.incident())?
        } else {
            self.scope.clone()
        };
        let edited = Self {
            scope,
            mute_maintenances: patch.mute_maintenances.unwrap_or(self.mute_maintenances),
            ..self.clone()
        };
        if edited == self {
            return Ok(self);
        }
        Ok(Self {
            updated_at: now,
            ..edited
        })
    }

    /// This subscriber with a new secret; each replaced one signs for [`SecretRound::OVERLAP`], up
    /// to [`SecretRound::MAX_REPLACED`] of them.
    #[must_use]
    pub fn rotate_secret(self, now: DateTime<Utc>) -> Self {
        Self {
            secret: self.secret.next(now),
            updated_at: now,
            ..self
        }
    }
}

fn unless_empty<Id>(list: Vec<Id>) -> Option<Vec<Id>> {
    (!list.is_empty()).then_some(list)
}

#[cfg(test)]
mod tests;
