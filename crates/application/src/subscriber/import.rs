//! Import of subscribers by mail.

mod names;

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::{ComponentGroupId, ComponentId, OrganisationId, SubscriberId};
use allclear_domain::subscriber::{Subscriber, SubscriberDraft};
use allclear_domain::text;
use allclear_domain::validation::Invalid;

use self::names::Names;
use super::{Subscribers, cause};
use crate::error::Error;
use crate::mail_budget::MailScope;

/// A row of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// Number of its line, from 1.
    pub line: u64,
    /// The address and the names or codes of components, separated by semicolons; or why the row
    /// cannot be read.
    pub content: Result<(String, String), &'static str>,
}

/// How a file is imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportMode {
    /// Nothing is stored: the report says what would happen.
    DryRun {
        /// Whether the addresses would be confirmed.
        confirmed: bool,
    },
    /// The addresses get the verification link.
    Pending,
    /// The people behind the addresses have agreed. Holds the statement of the operator that
    /// says so.
    Confirmed(String),
}

impl ImportMode {
    /// Longest statement, in characters.
    pub(crate) const MAX_CONSENT_LENGTH: usize = 1_000;

    /// The mode of a request.
    ///
    /// # Errors
    /// [`Invalid`] at `consent` if the addresses are confirmed without a statement, or it is too
    /// long or holds a NUL.
    pub fn of(dry_run: bool, confirmed: bool, consent: &str) -> Result<Self, Invalid> {
        let consent = text::trimmed(consent);
        if confirmed && consent.is_empty() {
            let message = "Say how the people agreed to get these mails";
            return Err(Invalid::field("consent", message));
        }
        let mut invalid = Invalid::default();
        invalid.check_rule("consent", text::at_most(&consent, Self::MAX_CONSENT_LENGTH));
        invalid.check_rule("consent", text::no_nul(&consent));
        invalid.into_result()?;
        Ok(match (dry_run, confirmed) {
            (true, confirmed) => Self::DryRun { confirmed },
            (false, true) => Self::Confirmed(consent),
            (false, false) => Self::Pending,
        })
    }

    /// Whether nothing is stored.
    #[must_use]
    pub const fn is_dry_run(&self) -> bool {
        matches!(self, Self::DryRun { .. })
    }
}

/// Result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportReport {
    /// Number of rows.
    pub rows: u64,
    /// Number of new subscribers.
    pub added: u64,
    /// Number of addresses that are subscribers already, or occur in an earlier row.
    pub known: u64,
    /// Number of rows that cannot be imported.
    pub failed: u64,
    /// Line and reason of these rows, the first ones.
    pub errors: Vec<(u64, String)>,
    /// How many more verification links may be mailed today, of which each new subscriber needs
    /// one. Only of a dry run; `None` without a limit, and if nothing would be mailed.
    pub mails_left: Option<u64>,
}

impl ImportReport {
    /// Most errors that a report lists.
    pub(crate) const ERRORS: usize = 100;

    fn fail(&mut self, line: u64, reason: impl Into<String>) {
        self.failed += 1;
        if self.errors.len() < Self::ERRORS {
            self.errors.push((line, reason.into()));
        }
    }
}

/// A component, as the rows of CSV files name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvComponent {
    /// Its identifier.
    pub id: ComponentId,
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: Option<ComponentGroupId>,
}

/// What storage does with a batch of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportBatch {
    /// The subscribers; no two have the same key.
    pub subscribers: Vec<Subscriber>,
    /// The operator's statement that they have agreed. Without it, each gets the verification link.
    pub consent: Option<String>,
}

impl ImportBatch {
    /// Text of the item of the audit log for `added` new subscribers.
    #[must_use]
    pub fn note(&self, added: usize) -> String {
        match &self.consent {
            Some(consent) => format!("{added} added. Consent: {consent}"),
            None => format!("{added} added, to be confirmed"),
        }
    }
}

/// The cell of an exported subscriber whose choice has no component now. An import refuses it,
/// because an empty cell means everything.
pub const NO_COMPONENT: &str = "(none)";

/// Result for one subscriber of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imported {
    /// It is new.
    Added,
    /// The address is a subscriber already.
    Known,
    /// The organisation may not have more subscribers.
    OverLimit,
    /// A component that it chooses was deleted meanwhile.
    UnknownComponent,
}

/// Rows of a file that are imported one after the other.
pub(super) struct Import<'a> {
    subscribers: &'a Subscribers,
    organisation: OrganisationId,
    account: String,
    mode: ImportMode,
    components: Names,
    /// Hashes of the addresses so far. A file of many rows takes eight bytes for each.
    seen: HashSet<u64>,
    batch: Vec<(u64, Subscriber)>,
    /// Number of components that the subscribers of the batch have chosen.
    chosen: usize,
    /// Why no more links can be mailed today; `None` while they can. A limit that all rows share is
    /// not asked again once it is reached.
    used_up: Option<String>,
    report: ImportReport,
}

impl<'a> Import<'a> {
    /// Number of subscribers stored in one transaction.
    const BATCH: usize = 500;
    /// Number of chosen components after which a transaction ends: each is a row, and other writers
    /// wait meanwhile.
    const CHOSEN: usize = 2_000;

    pub(super) async fn new(
        subscribers: &'a Subscribers,
        organisation: &OrganisationId,
        account: &str,
        mode: ImportMode,
    ) -> Result<Self, Error> {
        let store = &subscribers.ports.subscribers;
        Ok(Self {
            subscribers,
            organisation: organisation.clone(),
            account: account.to_owned(),
            mode,
            components: Names::of(store.named_components(organisation).await?),
            seen: HashSet::new(),
            batch: Vec::new(),
            chosen: 0,
            used_up: None,
            report: ImportReport::default(),
        })
    }

    pub(super) async fn push(&mut self, row: ImportRow) -> Result<(), Error> {
        self.report.rows += 1;
        if self.report.rows.is_multiple_of(Self::BATCH as u64) {
            // Rows that fail wait for nothing, and other requests are handled by the same thread.
            tokio::task::yield_now().await;
        }
        let subscriber = match self.subscriber(&row) {
            Ok(Some(subscriber)) => subscriber,
            Ok(None) => {
                self.report.known += 1;
                return Ok(());
            }
            Err(reason) => {
                self.report.fail(row.line, reason);
                return Ok(());
            }
        };
        let chosen = subscriber.scope.choice();
        self.chosen += chosen.map_or(0, |choice| choice.components.len());
        self.batch.push((row.line, subscriber));
        if self.batch.len() >= Self::BATCH || self.chosen >= Self::CHOSEN {
            self.store().await?;
        }
        Ok(())
    }

    /// Stores what is left.
    pub(super) async fn finish(mut self) -> Result<ImportReport, Error> {
        self.store().await?;
        Ok(self.report)
    }

    /// The subscriber of a row; `None` if an earlier row has its address.
    fn subscriber(&mut self, row: &ImportRow) -> Result<Option<Subscriber>, String> {
        let (email, components) = row
            .content
            .as_ref()
            .map_err(|reason| (*reason).to_owned())?;
        let target = Target::parse(Channel::Email, email).map_err(|invalid| first(&invalid))?;
        let scope = self.components.scope(components)?;
        let mut hasher = DefaultHasher::new();
        target.key().hash(&mut hasher);
        if !self.seen.insert(hasher.finish()) {
            return Ok(None);
        }
        let draft = SubscriberDraft {
            target,
            scope,
            mute_maintenances: false,
        };
        let clock = &self.subscribers.ports.clock;
        let now = clock.now();
        let pending = Subscriber::create(SubscriberId(clock.id()), draft, now);
        let confirmed = match self.mode {
            ImportMode::DryRun { confirmed } => confirmed,
            ImportMode::Pending => false,
            ImportMode::Confirmed(_) => true,
        };
        if !confirmed {
            return Ok(Some(pending));
        }
        let verified = pending.verify(now + Subscriber::VERIFICATION_LIFETIME, now);
        verified.map(Some).map_err(|error| error.to_string())
    }

    async fn store(&mut self) -> Result<(), Error> {
        let mut batch = std::mem::take(&mut self.batch);
        self.chosen = 0;
        if batch.is_empty() {
            return Ok(());
        }
        let ports = &self.subscribers.ports;
        if self.mode == ImportMode::Pending {
            batch = self.within_budget(batch).await?;
        }
        let (lines, subscribers): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        let outcomes = if self.mode.is_dry_run() {
            self.look_up_mails_left(&subscribers).await?;
            let keys = subscribers.iter().map(|new| new.target.key());
            ports
                .subscribers
                .preview_import(&self.organisation, keys.collect(), self.report.added)
                .await?
        } else {
            let consent = match &self.mode {
                ImportMode::Confirmed(consent) => Some(consent.clone()),
                _ => None,
            };
            let batch = ImportBatch {
                subscribers,
                consent,
            };
            let outcomes = ports.subscribers.import(&self.organisation, batch).await?;
            ports.wake_signal.notify();
            outcomes
        };
        for (line, outcome) in lines.into_iter().zip(outcomes) {
            match outcome {
                Imported::Added => self.report.added += 1,
                Imported::Known => self.report.known += 1,
                Imported::OverLimit => {
                    let reason = "The organisation may not have more subscribers";
                    self.report
                        .fail(line, format!("{reason} (ALLCLEAR_LIMIT_SUBSCRIBERS)"));
                }
                Imported::UnknownComponent => {
                    self.report.fail(line, "Names a component that was deleted");
                }
            }
        }
        Ok(())
    }

    /// Looks up, once, how many verification links may be mailed.
    async fn look_up_mails_left(&mut self, batch: &[Subscriber]) -> Result<(), Error> {
        if self.mode == (ImportMode::DryRun { confirmed: false })
            && self.report.mails_left.is_none()
            && let Some(new) = batch.first()
        {
            let cause = cause(&self.organisation, Some(&self.account), &new.target);
            let left = self.subscribers.ports.mail_budget.left(&cause).await?;
            self.report.mails_left = left.map(u64::from);
        }
        Ok(())
    }

    /// The subscribers that may be mailed a verification link. Those that are known get no mail and
    /// are not counted.
    async fn within_budget(
        &mut self,
        batch: Vec<(u64, Subscriber)>,
    ) -> Result<Vec<(u64, Subscriber)>, Error> {
        let ports = &self.subscribers.ports;
        let keys = batch.iter().map(|(_, new)| new.target.key());
        let outcomes = ports
            .subscribers
            .preview_import(&self.organisation, keys.collect(), 0)
            .await?;
        let mut mailed = Vec::new();
        for ((line, subscriber), outcome) in batch.into_iter().zip(outcomes) {
            if outcome != Imported::Added {
                mailed.push((line, subscriber));
                continue;
            }
            if let Some(reason) = &self.used_up {
                self.report.fail(line, reason);
                continue;
            }
            let cause = cause(&self.organisation, Some(&self.account), &subscriber.target);
            match ports.mail_budget.take(&cause).await {
                Ok(()) => mailed.push((line, subscriber)),
                Err(refusal @ Error::MailLimitReached { scope, .. }) => {
                    let reason = refusal.to_string();
                    self.report.fail(line, &reason);
                    if scope != MailScope::Mailbox {
                        self.used_up = Some(reason);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(mailed)
    }
}

fn first(invalid: &Invalid) -> String {
    let error = invalid.errors.first();
    error.map_or_else(String::new, |error| error.message.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confirmed_addresses_need_a_statement() {
        let refused = ImportMode::of(false, true, "  ").unwrap_err();
        assert_eq!(refused.errors[0].field, "consent");
        let long = "x".repeat(1_001);
        assert!(ImportMode::of(false, true, &long).is_err());
        assert!(ImportMode::of(false, true, "asked\0").is_err());
        assert_eq!(
            ImportMode::of(false, true, " asked in June "),
            Ok(ImportMode::Confirmed("asked in June".into()))
        );
        assert_eq!(ImportMode::of(false, false, ""), Ok(ImportMode::Pending));
        assert_eq!(
            ImportMode::of(true, false, ""),
            Ok(ImportMode::DryRun { confirmed: false })
        );
    }
}
