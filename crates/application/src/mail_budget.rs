//! Daily limits of mails without the recipient's consent: invitations, links of subscriptions,
//! sign-ups and password resets, and notices about an account. Notices to confirmed subscribers are
//! not counted. Messages to URLs, which confirm or test a subscription, have counters of their own
//! with the same limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use allclear_domain::channel::RecipientKey;
use allclear_domain::email::EmailKey;
use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use strum::IntoStaticStr;

use crate::clock::Clock;
use crate::error::Error;
use crate::secret::HmacKey;

/// Kind of counter of mails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum MailScope {
    /// The receiving mailbox, without its sub-address, or the receiving URL.
    Mailbox,
    /// The account that causes the mails.
    Account,
    /// The organisation in whose name the mails are sent.
    Organisation,
    /// The whole installation.
    Installation,
}

impl MailScope {
    /// The stored text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The error for a mail above the limit.
    #[must_use]
    pub fn refusal(self, now: DateTime<Utc>) -> Error {
        let elapsed = now.time() - NaiveTime::MIN;
        let left = TimeDelta::days(1) - elapsed;
        Error::MailLimitReached {
            scope: self,
            retry_after: u64::try_from(left.num_seconds()).unwrap_or(0) + 1,
        }
    }

    /// The sentence of a refusal; it names the setting.
    pub(crate) fn refusal_text(self) -> String {
        let (what, setting) = match self {
            Self::Mailbox => ("to this recipient", "ALLCLEAR_LIMIT_MAIL_MAILBOX"),
            Self::Account => ("by this account", "ALLCLEAR_LIMIT_MAIL_ACCOUNT"),
            Self::Organisation => (
                "in this organisation's name",
                "ALLCLEAR_LIMIT_MAIL_ORGANISATION",
            ),
            Self::Installation => ("by this installation", "ALLCLEAR_LIMIT_MAIL_INSTALLATION"),
        };
        format!("No more messages {what} today (UTC), please try again tomorrow ({setting})")
    }
}

/// Maximum number of mails per UTC day in each scope; `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MailBudgetLimits {
    /// Per mailbox.
    pub mailbox: Option<u32>,
    /// Per account.
    pub account: Option<u32>,
    /// Per organisation.
    pub organisation: Option<u32>,
    /// Of the whole installation, to addresses that somebody entered.
    pub installation: Option<u32>,
}

/// Kind of mail. A mailbox has counters for each, so that nobody keeps a reset or a notice from the
/// owner of an account by using up the mails of another kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailKind {
    /// To an address that somebody entered: a link of a sign-up, an account or a subscription, or
    /// an invitation.
    EnteredAddress,
    /// The link of a password reset. If the address has no account, the mail is counted, and not
    /// sent.
    PasswordReset,
    /// A notice about a sign-in. Somebody with a stolen password can cause any number of them.
    SignInNotice,
    /// A notice to the former address of an account.
    AddressNotice,
    /// A notice about a changed password.
    PasswordNotice,
    /// A notice about a second factor that was added or removed.
    FactorNotice,
    /// Another notice about an account, caused by its owner or by somebody else who can sign in
    /// to it.
    AccountNotice,
}

/// A mail about to be sent, with its cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailCause {
    /// Kind of mail.
    pub kind: MailKind,
    /// The recipient.
    pub to: RecipientKey,
    /// The account that causes it, as [`Caller::account`](crate::caller::Caller::account) names it;
    /// `None` if the caller is not signed in.
    pub account: Option<String>,
    /// Organisation in whose name it is sent.
    pub organisation: Option<OrganisationId>,
}

impl MailCause {
    /// A mail that belongs to no organisation, caused by an unknown caller.
    #[must_use]
    pub(crate) fn by_anybody(kind: MailKind, to: EmailKey) -> Self {
        Self {
            kind,
            to: to.into(),
            account: None,
            organisation: None,
        }
    }
}

/// One counter that a mail is counted in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailCount {
    /// Kind of counter.
    pub scope: MailScope,
    /// Key of the counter. For a mailbox it is an HMAC that only this installation can compute, not
    /// the address.
    pub key: String,
    /// Maximum per day.
    pub limit: u32,
}

/// Storage of the counters.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait MailCountStore: Send + Sync {
    /// Counts a mail in all these counters for the UTC day of `now`. If one of them is at its
    /// limit, no counter changes. An adapter MUST NOT let a counter exceed its limit, however many
    /// nodes count at once. The write takes the turn of the organisation in whose name the mail is
    /// sent.
    ///
    /// # Errors
    /// [`MailScope::refusal`] of the first counter that is at its limit.
    async fn take(
        &self,
        organisation: Option<OrganisationId>,
        counts: Vec<MailCount>,
        now: DateTime<Utc>,
    ) -> Result<(), Error>;

    /// Removes a mail that was counted and not sent from all these counters of the UTC day of
    /// `now`. No counter falls below 0. The write takes the organisation's turn, like that of
    /// [`take`](Self::take).
    async fn give_back(
        &self,
        organisation: Option<OrganisationId>,
        counts: Vec<MailCount>,
        now: DateTime<Utc>,
    ) -> Result<(), Error>;

    /// Number of mails in this counter on the UTC day of `now`.
    async fn counted(&self, count: &MailCount, now: DateTime<Utc>) -> Result<u32, Error>;

    /// Removes the counters of the days before this one.
    async fn prune(&self, before: NaiveDate) -> Result<(), Error>;
}

/// Counts mails before they are sent.
pub struct MailBudget {
    store: Arc<dyn MailCountStore>,
    clock: Arc<dyn Clock>,
    hmac_key: HmacKey,
    limits: MailBudgetLimits,
    /// Minute of the last warning, counted from 1970.
    warned: AtomicI64,
    held_back: AtomicU64,
}

impl MailBudget {
    /// Fifths of the installation's mails that organisations may use. The rest is reserved for
    /// sign-ups and changes of addresses. Otherwise organisations could use up all of them, and
    /// sign-ups would be refused until the next day.
    const FIFTHS_OF_ORGANISATIONS: u32 = 4;
    /// Fifths of the installation's mails that causes without an account may use.
    const FIFTHS_WITHOUT_ACCOUNT: u32 = 3;
    /// Fifths of an organisation's mails that visitors may use. The rest is reserved for its
    /// operators.
    const FIFTHS_OF_VISITORS: u32 = 4;

    /// A budget with these limits. The HMAC key hides addresses in the counters.
    #[must_use]
    pub const fn new(
        store: Arc<dyn MailCountStore>,
        clock: Arc<dyn Clock>,
        hmac_key: HmacKey,
        limits: MailBudgetLimits,
    ) -> Self {
        Self {
            store,
            clock,
            hmac_key,
            limits,
            warned: AtomicI64::new(0),
            held_back: AtomicU64::new(0),
        }
    }

    /// Counts a mail; nothing is counted if a limit is reached. For callers that may learn about
    /// the limit.
    ///
    /// # Errors
    /// [`Error::MailLimitReached`].
    pub async fn take(&self, cause: &MailCause) -> Result<(), Error> {
        let counts = self.counts(cause);
        if counts.is_empty() {
            return Ok(());
        }
        let organisation = cause.organisation.clone();
        self.store
            .take(organisation, counts, self.clock.now())
            .await
    }

    /// Counts a mail and returns whether it may be sent, for callers that must not learn about the
    /// limit. Must be called for known and unknown addresses alike; otherwise the remaining budget
    /// of a mailbox would reveal whether an address is known. Logs at most one warning per minute.
    ///
    /// # Errors
    /// When the counters cannot be reached.
    pub(crate) async fn try_take(&self, cause: &MailCause) -> Result<bool, Error> {
        match self.take(cause).await {
            Ok(()) => Ok(true),
            Err(Error::MailLimitReached { scope, .. }) => {
                self.warn(&scope.refusal_text());
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Checks the counters that recipients share, without counting. For callers that may learn
    /// about these limits, but not about that of the mailbox: what they return is the same for
    /// every recipient.
    ///
    /// # Errors
    /// [`Error::MailLimitReached`].
    pub(crate) async fn check_shared(&self, cause: &MailCause) -> Result<(), Error> {
        let now = self.clock.now();
        let counts = self.counts(cause).into_iter();
        for count in counts.filter(|count| count.scope != MailScope::Mailbox) {
            if self.store.counted(&count, now).await? >= count.limit {
                return Err(count.scope.refusal(now));
            }
        }
        Ok(())
    }

    /// Takes back the count of a mail that was counted on the UTC day of `at` and not sent.
    ///
    /// # Errors
    /// When the counters cannot be reached.
    pub async fn give_back(&self, cause: &MailCause, at: DateTime<Utc>) -> Result<(), Error> {
        let counts = self.counts(cause);
        if counts.is_empty() {
            return Ok(());
        }
        let organisation = cause.organisation.clone();
        self.store.give_back(organisation, counts, at).await
    }

    /// How many more mails with this cause may be sent today, if each goes to a mailbox that has
    /// mails left; `None` without a limit.
    ///
    /// # Errors
    /// When the counters cannot be reached.
    pub async fn left(&self, cause: &MailCause) -> Result<Option<u32>, Error> {
        let now = self.clock.now();
        let mut left: Option<u32> = None;
        for count in self.counts(cause) {
            if count.scope != MailScope::Mailbox {
                let counted = self.store.counted(&count, now).await?;
                let rest = count.limit.saturating_sub(counted);
                left = Some(left.map_or(rest, |least| least.min(rest)));
            }
        }
        Ok(left)
    }

    /// Removes the counters of past days. Yesterday's stay, because the clock of another node may
    /// be behind.
    ///
    /// # Errors
    /// When the counters cannot be reached.
    pub async fn prune(&self) -> Result<(), Error> {
        let today = self.clock.now().date_naive();
        self.store.prune(today - Days::new(1)).await
    }

    /// The counters of a mail, always in the same order, so that concurrent nodes cannot deadlock.
    /// The installation's counter is last, because all mails share it.
    fn counts(&self, cause: &MailCause) -> Vec<MailCount> {
        let mailbox = || {
            let key = cause.to.usual_mailbox();
            let counter = self
                .hmac_key
                .sign(purpose(cause), &[key.as_str().as_bytes()]);
            URL_SAFE_NO_PAD.encode(counter)
        };
        let of = match cause.to {
            RecipientKey::Mailbox(_) => "",
            RecipientKey::Url(_) => "url ",
        };
        let organisation = cause.organisation.as_ref();
        let counters = [
            (MailScope::Mailbox, self.limits.mailbox, Some(mailbox())),
            (
                MailScope::Account,
                self.limits.account,
                cause.account.as_ref().map(|id| format!("{of}{id}")),
            ),
            (
                MailScope::Organisation,
                self.organisation_limit(cause),
                organisation.map(|id| format!("{of}{}", id.as_str())),
            ),
            (
                MailScope::Installation,
                self.limit_without_account(cause),
                Some(format!("{of}strangers")),
            ),
            (
                MailScope::Installation,
                self.installation_limit(cause),
                Some(of.to_owned()),
            ),
        ];
        let limited = |(scope, limit, key): (_, Option<u32>, Option<String>)| {
            let (limit, key) = limit.zip(key)?;
            Some(MailCount { scope, key, limit })
        };
        counters.into_iter().filter_map(limited).collect()
    }

    /// Visitors who subscribe leave a part of an organisation's mails to its operators.
    fn organisation_limit(&self, cause: &MailCause) -> Option<u32> {
        let limit = self.limits.organisation?;
        Some(match cause.account {
            Some(_) => limit,
            None => fifths(Self::FIFTHS_OF_VISITORS, limit),
        })
    }

    /// The limit of all mails together that people without an account cause; `None` for
    /// other mails.
    fn limit_without_account(&self, cause: &MailCause) -> Option<u32> {
        let limit = self.limits.installation?;
        let is_limited = cause.account.is_none() && cause.kind == MailKind::EnteredAddress;
        is_limited.then_some(fifths(Self::FIFTHS_WITHOUT_ACCOUNT, limit))
    }

    /// The limit of all mails together to addresses that somebody entered. That of organisations
    /// is lower, so that mails remain for sign-ups. `None` for resets and notices: they go to the
    /// addresses of accounts, and the mailbox limits them. With a shared limit, a person with many
    /// accounts could keep them from all others.
    fn installation_limit(&self, cause: &MailCause) -> Option<u32> {
        let limit = self.limits.installation?;
        let is_entered = cause.kind == MailKind::EnteredAddress;
        is_entered.then_some(match cause.organisation {
            Some(_) => fifths(Self::FIFTHS_OF_ORGANISATIONS, limit),
            None => limit,
        })
    }

    fn warn(&self, refusal: &str) {
        self.held_back.fetch_add(1, Ordering::Relaxed);
        let minute = self.clock.now().timestamp() / 60;
        if self.warned.swap(minute, Ordering::Relaxed) != minute {
            let mails = self.held_back.swap(0, Ordering::Relaxed);
            tracing::warn!(
                mails,
                refusal,
                "mails were not sent: a daily limit is reached"
            );
        }
    }
}

/// A share of a limit, rounded down, so that the reserve of a small limit is not empty. The share
/// of a limit of 1 is 0.
const fn fifths(number: u32, limit: u32) -> u32 {
    limit / 5 * number + limit % 5 * number / 5
}

/// What a mail counts as for its mailbox. Strangers who sign up or subscribe with an address must
/// not use up the invitations to it.
const fn purpose(cause: &MailCause) -> &'static str {
    match cause.kind {
        MailKind::EnteredAddress if cause.account.is_some() => "mail budget of accounts",
        MailKind::EnteredAddress => "mail budget",
        MailKind::PasswordReset => "mail budget of password resets",
        MailKind::SignInNotice => "mail budget of sign-in notices",
        MailKind::AddressNotice => "mail budget of address notices",
        MailKind::PasswordNotice => "mail budget of password notices",
        MailKind::FactorNotice => "mail budget of factor notices",
        MailKind::AccountNotice => "mail budget of account notices",
    }
}

#[cfg(test)]
mod tests;
