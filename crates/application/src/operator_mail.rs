//! Mails to an organisation's operators that the clock causes: reminders of open incidents without
//! updates, and digests of subscriptions that fail.
//!
//! Every node asks the database once a minute whether a mail is due. The transaction that marks a
//! reminder or digest as sent queues one mail for each recipient, so exactly one node queues them.
//! The claim of a queued mail expires, so another node sends the mails of a node that died.

use std::sync::Arc;
use std::time::Duration;

use allclear_domain::channel::Channel;
use allclear_domain::id::{IncidentId, OrganisationId};
use allclear_domain::retry::RetryRule;
use allclear_domain::time_zone::TimeZone;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::delivery::worker::DeliveryWorker;
use crate::error::Error;
use crate::link::Links;
use crate::mail::{Mail, MailContent, MailHeaders, Mailer, SendError};

/// Content of a mail to operators.
///
/// It is stored as JSON: a later version must read what an earlier version wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "camelCase")]
pub enum OperatorMailContent {
    /// An open incident has had no update for some time.
    Reminder(Reminder),
    /// Messages to subscribers could not be delivered.
    Digest(FailureDigest),
}

/// An open incident without updates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reminder {
    /// Identifier of the incident.
    pub incident: Uuid,
    /// Title of the incident.
    pub title: String,
    /// Time of its newest update, or of its creation.
    pub silent_since: DateTime<Utc>,
    /// Number of whole hours since then.
    pub hours: i64,
    /// Whether the incident has no update at all. A reminder that an earlier version stored does
    /// not say so.
    #[serde(default)]
    pub never_updated: bool,
}

/// Subscriptions that fail and that no earlier digest named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureDigest {
    /// Their number.
    pub count: u64,
    /// Some of them, those that fail longest first.
    pub first: Vec<FailingSubscription>,
}

impl FailureDigest {
    /// Number of subscriptions that are not named.
    #[must_use]
    pub fn unnamed(&self) -> u64 {
        self.count.saturating_sub(self.first.len() as u64)
    }
}

/// A subscription whose messages could not be delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailingSubscription {
    /// Its channel.
    pub channel: Channel,
    /// Its target, as [people may see it](allclear_domain::channel::Target::masked).
    pub target: String,
    /// Why its last message was given up.
    pub reason: String,
    /// When its messages began to fail.
    pub since: DateTime<Utc>,
}

/// A claimed mail to one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorMail {
    /// Its identifier.
    pub id: Uuid,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Number of earlier attempts that the mail server did not confirm.
    pub unconfirmed: u32,
    /// When it was queued.
    pub queued_at: DateTime<Utc>,
    /// The organisation's name.
    pub organisation_name: String,
    /// The time zone of the organisation's pages.
    pub time_zone: TimeZone,
    /// Address of the operator.
    pub to: String,
    /// Content of the mail.
    pub content: OperatorMailContent,
}

/// The result of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClaimedMails {
    /// The claimed mails.
    pub mails: Vec<OperatorMail>,
    /// Number of due mails that were claimed or removed.
    pub taken: u64,
}

/// Storage of mails to operators.
///
/// The recipients are members whose confirmed address is known, at most [`MAX_RECIPIENTS`]: the
/// editors and the admins for a reminder, the admins for a digest. Without recipients nothing is
/// queued, and the reminder or digest counts as sent.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait OperatorMailStore: Send + Sync {
    /// Returns the current time of the database's clock.
    async fn database_time(&self) -> Result<DateTime<Utc>, Error>;

    /// Queues the reminders that are due, by
    /// [`OpenIncident`](allclear_domain::reminder::OpenIncident). An adapter MUST queue each once,
    /// however many nodes call this at the same time. Returns the number of incidents.
    async fn queue_reminders(&self, now: DateTime<Utc>) -> Result<u64, Error>;

    /// Queues the digests that are due, by
    /// [`DigestWindow`](allclear_domain::failure_digest::DigestWindow). An adapter MUST queue each
    /// once, however many nodes call this at the same time. Only confirmed subscriptions count.
    /// Returns the organisations.
    async fn queue_digests(&self, now: DateTime<Utc>) -> Result<Vec<OrganisationId>, Error>;

    /// Claims at most `limit` due mails until a time. Each is claimed by one node. A mail whose
    /// recipient is no longer a member, or whose incident is resolved, is removed instead; so is a
    /// mail that cannot be read, because it would stop all others.
    async fn claim_mails(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u64,
    ) -> Result<ClaimedMails, Error>;

    /// Removes a mail that was sent or given up.
    async fn remove_mail(&self, id: Uuid) -> Result<(), Error>;

    /// Delays a mail. `is_unconfirmed` says whether the mail server received it and did not confirm
    /// it. Ignored if another node has claimed the mail meanwhile.
    async fn retry_mail(
        &self,
        id: Uuid,
        attempt: u32,
        at: DateTime<Utc>,
        is_unconfirmed: bool,
    ) -> Result<(), Error>;
}

/// Maximum number of recipients of a reminder or a digest.
pub const MAX_RECIPIENTS: u64 = 50;

/// Sends mails to operators.
pub struct OperatorMails {
    store: Arc<dyn OperatorMailStore>,
    mailer: Arc<dyn Mailer>,
    links: Links,
}

impl OperatorMails {
    /// Interval at which the database is asked for due mails.
    pub const INTERVAL: Duration = Duration::from_mins(1);

    /// Longer than [`MAIL_TIMEOUT`](crate::mail::MAIL_TIMEOUT).
    const CLAIM_DURATION: TimeDelta = TimeDelta::minutes(15);
    /// Number of mails sent at the same time.
    const BATCH: u64 = 8;

    /// The mails of this installation.
    #[must_use]
    pub const fn new(
        store: Arc<dyn OperatorMailStore>,
        mailer: Arc<dyn Mailer>,
        links: Links,
    ) -> Self {
        Self {
            store,
            mailer,
            links,
        }
    }

    /// Queues and sends what is due until the stop signal. Mails that are being sent then are
    /// finished within the shutdown grace.
    pub async fn run(&self, stop: CancellationToken) {
        let mut ticks = interval(Self::INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let ticked = tokio::select! {
                ticked = self.tick(&stop) => ticked,
                () = grace_after(&stop) => return,
            };
            if let Err(error) = ticked {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "mails to operators could not be queued or sent; trying again"
                );
            }
        }
    }

    /// Queues and sends what is due. A failure that does not prevent the rest is only logged.
    async fn tick(&self, stop: &CancellationToken) -> Result<(), Error> {
        let now = self.store.database_time().await?;
        if let Err(error) = self.store.queue_reminders(now).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "reminders of open incidents could not be queued; trying again"
            );
        }
        if let Err(error) = self.store.queue_digests(now).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "digests of failing subscriptions could not be queued; trying again"
            );
        }
        while !stop.is_cancelled() {
            let now = self.store.database_time().await?;
            let until = now + Self::CLAIM_DURATION;
            let claimed = self.store.claim_mails(now, until, Self::BATCH).await?;
            let mails = claimed.mails.into_iter();
            join_all(mails.map(|mail| self.deliver_or_log(mail))).await;
            if claimed.taken < Self::BATCH {
                break;
            }
        }
        Ok(())
    }

    /// Sends a mail. If its result cannot be stored, it is sent again when its claim has expired.
    async fn deliver_or_log(&self, mail: OperatorMail) {
        let id = mail.id;
        if let Err(error) = self.deliver(mail).await {
            tracing::warn!(
                mail = %id,
                error = &error as &dyn std::error::Error,
                "the result of a mail to an operator could not be stored"
            );
        }
    }

    async fn deliver(&self, mail: OperatorMail) -> Result<(), Error> {
        let (id, attempt, queued_at) = (mail.id, mail.attempt, mail.queued_at);
        let unconfirmed = mail.unconfirmed.saturating_add(1);
        let Err(error) = self.mailer.send(self.compose(mail)).await else {
            return self.store.remove_mail(id).await;
        };
        // Sending may have lasted minutes.
        let now = self.store.database_time().await?;
        let next = match &error {
            SendError::Permanent { .. } => None,
            SendError::Unconfirmed { .. } => {
                RetryRule::next_unconfirmed(queued_at, unconfirmed, now)
            }
            SendError::Temporary { .. } => {
                RetryRule::Mail.next(queued_at, attempt, rand::random(), None, now)
            }
        };
        let Some(at) = next else {
            let reason = error.to_string();
            tracing::warn!(reason, "a mail to an operator was given up");
            return self.store.remove_mail(id).await;
        };
        let is_unconfirmed = matches!(error, SendError::Unconfirmed { .. });
        self.store.retry_mail(id, attempt, at, is_unconfirmed).await
    }

    fn compose(&self, mail: OperatorMail) -> Mail {
        let organisation = mail.organisation_name;
        let time_zone = mail.time_zone;
        let content = match mail.content {
            OperatorMailContent::Reminder(reminder) => MailContent::Reminder {
                organisation,
                time_zone,
                incident: self.links.incident(IncidentId(reminder.incident)),
                settings: self.links.settings(),
                reminder,
            },
            OperatorMailContent::Digest(digest) => MailContent::Digest {
                organisation,
                time_zone,
                digest,
                subscribers: self.links.subscribers(),
            },
        };
        Mail {
            to: mail.to,
            content,
            headers: MailHeaders {
                message_id: Some(format!("operator.{}", mail.id.simple())),
                ..MailHeaders::default()
            },
        }
    }
}

async fn grace_after(stop: &CancellationToken) {
    stop.cancelled().await;
    sleep(DeliveryWorker::FINISH_GRACE).await;
}

#[cfg(test)]
mod tests;
