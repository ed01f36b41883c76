//! Limits for the writes and reads of an organisation, and of the sessions of an account. Each node
//! counts for itself, in memory.

use std::num::NonZeroU32;
use std::time::Duration;

use actix_web::http::header;
use actix_web::{HttpMessage as _, HttpRequest};
use allclear_application::broadcast::Broadcast;
use allclear_application::keyed_semaphore::KeyedSemaphore;
use allclear_application::outbox::Commit;
use allclear_application::usage_limit::Concurrency;
use allclear_application::write_kind::WriteKind;
use allclear_domain::event::EventKind;
use allclear_domain::id::{OrganisationId, UserId};
use allclear_domain::rate_limit::{RateLimit, Refill};

use crate::limit::bucket::Bucket;
use crate::limit::concurrency::{
    LongPermit, ReportPermit, ReportSemaphore, RequestSemaphore, SessionPermit, release,
};
use crate::request::body::{BODY_LIMIT, FILE_LIMIT};
use crate::response::problem::Problem;

const DAY: Duration = Duration::from_hours(24);

/// Write limits of an organisation; `None` means no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteLimits {
    /// Writing API calls.
    pub writes: Option<RateLimit>,
    /// Bytes of text per day.
    pub text: Option<NonZeroU32>,
}

/// Maximum number of long requests of an organisation and kind that wait for another one. A client
/// may read its export slowly.
const MAX_WAITING_LONG: usize = 4;
/// Maximum number of requests with the sessions of an account that wait until they are handled.
const MAX_WAITING_SESSIONS: usize = 64;
/// Maximum number of messages of an organisation that are sent at the same time while a request
/// waits: tests, new links, and checks of its domain. A receiver may not respond for minutes.
const MAX_MESSAGES: usize = 4;

/// Number of events of a commit that count as a change.
const EVENTS_OF_A_CHANGE: u32 = 10;
/// Size in bytes of the events and notices of an ordinary commit. What is beyond it counts as text:
/// a short request may store a long timeline again, and a long description in a notice.
const ORDINARY_COMMIT: u32 = 2 * 1024;
/// Estimated size in bytes of the event of a component. The descriptions of all components of an
/// organisation together are bounded: those of 1,000 components have 1,000 bytes each on average.
const COMPONENT_EVENT: usize = 2 * 1024;
/// Estimated size in bytes of an impact in the history of a component, with its indexes.
const PAST_IMPACT: usize = 500;

/// A kind of requests that take long, of which an organisation has one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LongRequest {
    /// An export of the audit log, which is read while it is sent.
    AuditExport,
    /// An export of subscribers, which is read while it is sent.
    SubscriberExport,
}

/// Counts the writes of each organisation and account, and bounds what each organisation does at
/// the same time.
pub struct Usage {
    writes: Option<Bucket<(OrganisationId, WriteKind)>>,
    text: Option<Bucket<(OrganisationId, WriteKind)>>,
    /// Writes with the sessions of an account.
    accounts: Option<Bucket<UserId>>,
    /// Requests with the sessions of an account.
    sessions: KeyedSemaphore<UserId>,
    reads: RequestSemaphore,
    running_writes: RequestSemaphore,
    running_administration: RequestSemaphore,
    long: KeyedSemaphore<(OrganisationId, LongRequest)>,
    reports: ReportSemaphore,
    messages: KeyedSemaphore<OrganisationId>,
}

impl Usage {
    /// Creates full buckets with these limits.
    #[must_use]
    pub fn new(limits: WriteLimits, concurrency: Concurrency) -> Self {
        let text = |bytes: NonZeroU32| {
            let refill = Refill::new(DAY / bytes.get(), bytes.get());
            Bucket::refilled_by(refill)
        };
        Self {
            writes: limits.writes.map(Bucket::new),
            text: limits.text.map(text),
            accounts: limits.writes.map(Bucket::new),
            // As many as one organisation's reads: half of the connections.
            sessions: KeyedSemaphore::new(concurrency.reads, MAX_WAITING_SESSIONS),
            reads: RequestSemaphore::new(concurrency.reads, concurrency.reads),
            // A request has its permits while its body arrives, however slowly.
            running_writes: RequestSemaphore::new(
                concurrency.writes,
                concurrency.writes - concurrency.writes / 4,
            ),
            running_administration: RequestSemaphore::new(1, 1),
            long: KeyedSemaphore::new(1, MAX_WAITING_LONG),
            // The same half of the connections for all organisations together.
            reports: ReportSemaphore::new(concurrency.reads),
            messages: KeyedSemaphore::new(MAX_MESSAGES, MAX_WAITING_LONG),
        }
    }

    /// Counts a request of an organisation's member or key `caller`, if it writes. Waits until the
    /// request may be handled.
    ///
    /// # Errors
    /// 429 if the request exceeds a limit; with a message that names it, unless too many requests
    /// wait.
    pub(crate) async fn begin(
        &self,
        organisation: &OrganisationId,
        caller: &str,
        kind: WriteKind,
        request: &HttpRequest,
    ) -> Result<(), Problem> {
        let is_safe = request.method().is_safe();
        let semaphore = if is_safe {
            &self.reads
        } else {
            self.take_write(organisation, kind, request)?;
            match kind {
                WriteKind::Administration => &self.running_administration,
                WriteKind::Person | WriteKind::ApiKey => &self.running_writes,
            }
        };
        let Some(permit) = semaphore.acquire(organisation, caller).await else {
            if !is_safe {
                self.give_back(organisation, kind, request);
            }
            return Err(Problem::too_many(1));
        };
        request.extensions_mut().insert(permit);
        Ok(())
    }

    /// Waits until a request with a session of an account may be handled.
    ///
    /// # Errors
    /// 429 if too many requests of the account wait.
    pub(crate) async fn begin_session(
        &self,
        account: UserId,
        request: &HttpRequest,
    ) -> Result<(), Problem> {
        let permit = self.sessions.acquire(&account).await;
        let permit = permit.ok_or_else(|| Problem::too_many(1))?;
        let permit = SessionPermit::new(permit);
        request.extensions_mut().insert(permit);
        Ok(())
    }

    /// Counts large commits of all organisations until the broadcast ends. One that it misses
    /// costs nothing.
    pub async fn count_commits(&self, broadcast: &dyn Broadcast) {
        let mut commits = broadcast.subscribe().await;
        while let Some(commit) = commits.recv().await {
            self.count_commit(&commit);
        }
    }

    /// Counts what a commit costs beyond its request: a short request may change a thousand
    /// components. What the clock will publish because of it counts now: the commits of the clock
    /// count for nobody.
    fn count_commit(&self, commit: &Commit) {
        let Some(kind) = commit.counts_as else {
            return;
        };
        let key = (commit.organisation.clone(), kind);
        let events = commit.events.len() + commit.scheduled_events;
        let changes = u32::try_from(events).unwrap_or(u32::MAX) / EVENTS_OF_A_CHANGE;
        if let Some(writes) = &self.writes
            && changes > 0
        {
            writes.charge(&key, changes);
        }
        let past = commit.past_impacts * PAST_IMPACT;
        let bytes = stored_again(commit) + stored_later(commit) + past;
        let beyond = u32::try_from(bytes)
            .unwrap_or(u32::MAX)
            .saturating_sub(ORDINARY_COMMIT);
        if let Some(text) = &self.text
            && beyond > 0
        {
            text.charge(&key, beyond);
        }
    }

    /// Waits until an organisation may begin a long request. Its permits are released for
    /// other requests.
    ///
    /// # Errors
    /// 429 if too many wait.
    pub(crate) async fn begin_long(
        &self,
        organisation: &OrganisationId,
        kind: LongRequest,
        request: &HttpRequest,
    ) -> Result<LongPermit, Problem> {
        release(request);
        let permit = self.long.acquire(&(organisation.clone(), kind)).await;
        permit
            .map(LongPermit::new)
            .ok_or_else(|| Problem::too_many(1))
    }

    /// Waits until an organisation may read a report: the metrics, or the uptime of a group. The
    /// permits of the request are released for others.
    ///
    /// # Errors
    /// 429 if too many wait.
    pub(crate) async fn begin_report(
        &self,
        organisation: &OrganisationId,
        request: &HttpRequest,
    ) -> Result<ReportPermit, Problem> {
        release(request);
        let permit = self.reports.acquire(organisation).await;
        permit.ok_or_else(|| Problem::too_many(1))
    }

    /// Waits until an organisation may send a message, or check its domain, and wait for the
    /// result. The permits of the request are released for others.
    ///
    /// # Errors
    /// 429 if too many wait.
    pub(crate) async fn begin_message(
        &self,
        organisation: &OrganisationId,
        request: &HttpRequest,
    ) -> Result<LongPermit, Problem> {
        release(request);
        let permit = self.messages.acquire(organisation).await;
        permit
            .map(LongPermit::new)
            .ok_or_else(|| Problem::too_many(1))
    }

    /// Counts a change with a session of an account.
    ///
    /// # Errors
    /// 429 with a message that names the limit, if the request exceeds it.
    pub(crate) fn take_account_write(&self, account: UserId) -> Result<(), Problem> {
        let Some(writes) = &self.accounts else {
            return Ok(());
        };
        writes
            .take(&account, 1)
            .map_err(|wait| refusal("The account has", "changes", "ALLCLEAR_LIMIT_WRITES", wait))
    }

    fn take_write(
        &self,
        organisation: &OrganisationId,
        kind: WriteKind,
        request: &HttpRequest,
    ) -> Result<(), Problem> {
        let key = (organisation.clone(), kind);
        if let Some(writes) = &self.writes {
            writes.take(&key, 1).map_err(|wait| {
                refusal(writers_have(kind), "changes", "ALLCLEAR_LIMIT_WRITES", wait)
            })?;
        }
        if let Some(text) = &self.text
            && let Some(bytes) = text_length(kind, request)
        {
            text.take(&key, bytes).map_err(|wait| {
                if let Some(writes) = &self.writes {
                    writes.give_back(&key);
                }
                refusal(writers_have(kind), "text", "ALLCLEAR_LIMIT_TEXT", wait)
            })?;
        }
        Ok(())
    }

    /// Returns what a request took that is not handled.
    fn give_back(&self, organisation: &OrganisationId, kind: WriteKind, request: &HttpRequest) {
        let key = (organisation.clone(), kind);
        if let Some(writes) = &self.writes {
            writes.give_back(&key);
        }
        if let Some(text) = &self.text
            && let Some(bytes) = text_length(kind, request)
        {
            text.give_back_many(&key, bytes);
        }
    }
}

/// The beginning of a refusal, which says whose limit is used up.
const fn writers_have(kind: WriteKind) -> &'static str {
    match kind {
        WriteKind::Person => "The people of the organisation have",
        WriteKind::Administration => "The organisation has",
        WriteKind::ApiKey => "The API keys of the organisation have",
    }
}

fn refusal(writers_have: &str, what: &str, setting: &str, wait: Duration) -> Problem {
    Problem::too_many_of(
        format!(
            "{writers_have} recently written more {what} than allowed, please try again later ({setting})"
        ),
        Problem::seconds_after(wait),
    )
}

/// Size in bytes of the notices of a commit, and of those of its events that say more than the body
/// of the request, which was counted.
fn stored_again(commit: &Commit) -> usize {
    let repeats = |kind: Option<EventKind>| kind.is_some_and(EventKind::repeats_request);
    commit.notice_bytes + size_of_events(commit, |kind| !repeats(kind))
}

/// Estimated size in bytes of what the clock stores because of a commit: the maintenance and its
/// notices again when it begins and when it ends, and the events of its components.
fn stored_later(commit: &Commit) -> usize {
    if commit.scheduled_events == 0 {
        return 0;
    }
    let is_wanted = |kind: Option<EventKind>| kind.is_some_and(EventKind::is_of_maintenance);
    let maintenance = commit.notice_bytes + size_of_events(commit, is_wanted);
    2 * maintenance + commit.scheduled_events * COMPONENT_EVENT
}

/// Size in bytes of those events whose kind meets a condition; `None` is a kind that this node does
/// not know.
fn size_of_events(commit: &Commit, is_wanted: impl Fn(Option<EventKind>) -> bool) -> usize {
    let events = commit.events.iter();
    let wanted = events.filter(|event| is_wanted(event.kind()));
    wanted.map(|event| event.args.get().len()).sum()
}

/// Number of bytes that a request takes of the limit of text. `None` if the request is never
/// refused for its text: a used-up limit does not keep an admin from revoking a key.
fn text_length(kind: WriteKind, request: &HttpRequest) -> Option<u32> {
    let length = body_length(request);
    let is_free = kind == WriteKind::Administration && length == 0;
    (!is_free).then_some(length)
}

/// Announced length of the body. A chunked body announces none and counts as the largest that most
/// routes accept. So does a longer one, such as a review whose characters are escaped: its text is
/// shorter than that.
fn body_length(request: &HttpRequest) -> u32 {
    let headers = request.headers();
    let is_file = request.content_type().eq_ignore_ascii_case("text/csv");
    let most = if is_file { FILE_LIMIT } else { BODY_LIMIT };
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    if headers.contains_key(header::TRANSFER_ENCODING) {
        return most;
    }
    headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse().ok())
        .map_or(0, |length: u64| u32::try_from(length).unwrap_or(most))
        .min(most)
}

#[cfg(test)]
mod tests;
