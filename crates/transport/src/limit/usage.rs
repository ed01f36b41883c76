//! Limits for the writes and reads of an organisation, and for the writes of an account. Each node
//! counts for itself, in memory.

use std::num::NonZeroU32;
use std::time::Duration;

use actix_web::http::header;
use actix_web::{HttpMessage as _, HttpRequest};
use allclear_application::broadcast::Broadcast;
use allclear_application::caller::Caller;
use allclear_application::keyed_semaphore::KeyedSemaphore;
use allclear_application::outbox::{Commit, PublicEvent};
use allclear_application::usage_limit::Concurrency;
use allclear_domain::event::EventKind;
use allclear_domain::id::{OrganisationId, UserId};
use allclear_domain::permission::Permission;
use allclear_domain::rate_limit::{RateLimit, Refill};
use tokio::sync::OwnedSemaphorePermit;

use crate::limit::bucket::Bucket;
use crate::request::input::{BODY_LIMIT, FILE_LIMIT};
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

/// Maximum number of requests of an organisation that wait until they are handled. Further ones
/// are refused.
const MAX_WAITING: usize = 512;
/// Maximum number of them that one caller makes wait.
const MAX_WAITING_OF_CALLER: usize = 256;
/// Maximum number of long requests of an organisation and kind that wait for another one. A client
/// may read its export slowly.
const MAX_WAITING_LONG: usize = 4;
/// Maximum number of messages of an organisation that are sent at the same time while a request
/// waits: tests, and new links. A receiver may not respond for minutes.
const MAX_MESSAGES: usize = 4;

/// Number of events of a commit that count as a change.
const EVENTS_OF_A_CHANGE: u32 = 10;
/// Size in bytes of the events and notices of an ordinary commit. What is beyond it counts as text:
/// a short request may store a long timeline again, and a long description in a notice.
const ORDINARY_COMMIT: u32 = 2 * 1024;

/// A kind of requests that take long, of which an organisation has one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LongRequest {
    /// An export of the audit log, which is read while it is sent.
    AuditExport,
    /// An export of subscribers, which is read while it is sent.
    SubscriberExport,
    /// Metrics, which may read a year.
    Metrics,
}

/// A kind of changes of an organisation. Each has limits of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum WriteKind {
    /// Changes by people.
    Person,
    /// Changes by API keys. A key in a loop, or a stolen one, does not keep people from writing.
    ApiKey,
    /// Changes that only admins may make. Nobody else can keep an admin from them.
    Administration,
}

/// Counts the writes of each organisation and account, and bounds what each organisation does at
/// the same time.
pub struct Usage {
    writes: Option<Bucket<(OrganisationId, WriteKind)>>,
    /// Not of changes that only admins may make.
    text: Option<Bucket<(OrganisationId, WriteKind)>>,
    /// Writes with the sessions of an account.
    accounts: Option<Bucket<UserId>>,
    reads: Places,
    running_writes: Places,
    running_administration: Places,
    long: KeyedSemaphore<(OrganisationId, LongRequest)>,
    messages: KeyedSemaphore<OrganisationId>,
}

/// Places for requests of a kind that are handled at the same time.
struct Places {
    /// The handled and the waiting requests of an organisation.
    all: KeyedSemaphore<OrganisationId>,
    organisations: KeyedSemaphore<OrganisationId>,
    /// A request waits for a place of its caller first, so that a caller with many requests does
    /// not delay others.
    callers: KeyedSemaphore<(OrganisationId, String)>,
}

/// Keeps the place of a request until it is handled.
struct Permit(#[expect(dead_code, reason = "dropped with the request")] [OwnedSemaphorePermit; 3]);

/// Keeps the place of a long request until it is dropped.
pub(crate) struct LongPermit(
    #[expect(dead_code, reason = "dropped when the request is done")] OwnedSemaphorePermit,
);

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
            reads: Places::new(concurrency.reads, concurrency.reads),
            // A body that arrives slowly keeps its place meanwhile.
            running_writes: Places::new(
                concurrency.writes,
                concurrency.writes - concurrency.writes / 4,
            ),
            running_administration: Places::new(1, 1),
            long: KeyedSemaphore::new(1, MAX_WAITING_LONG),
            messages: KeyedSemaphore::new(MAX_MESSAGES, MAX_WAITING_LONG),
        }
    }

    /// Counts a request of an organisation's member or key `caller`, if it writes. Waits until the
    /// request may be handled.
    ///
    /// # Errors
    /// 429 if the request exceeds a limit; for a writing one with a message that names the limit.
    pub(crate) async fn begin(
        &self,
        organisation: &OrganisationId,
        caller: &str,
        kind: WriteKind,
        request: &HttpRequest,
    ) -> Result<(), Problem> {
        let is_safe = request.method().is_safe();
        let places = if is_safe {
            &self.reads
        } else {
            self.take_write(organisation, kind, request)?;
            match kind {
                WriteKind::Administration => &self.running_administration,
                WriteKind::Person | WriteKind::ApiKey => &self.running_writes,
            }
        };
        let Some(permit) = places.acquire(organisation, caller).await else {
            if !is_safe {
                self.give_back(organisation, kind, request);
            }
            return Err(Problem::too_many(1));
        };
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
    /// components.
    fn count_commit(&self, commit: &Commit) {
        let kind = if commit.is_of_api_key {
            WriteKind::ApiKey
        } else {
            WriteKind::Person
        };
        let key = (commit.organisation.clone(), kind);
        let changes = u32::try_from(commit.events.len()).unwrap_or(u32::MAX) / EVENTS_OF_A_CHANGE;
        if let Some(writes) = &self.writes
            && changes > 0
        {
            writes.charge(&key, changes);
        }
        // The body of the request was counted.
        let is_counted =
            |event: &&PublicEvent| event.kind().is_some_and(EventKind::repeats_request);
        let again = commit.events.iter().filter(|event| !is_counted(event));
        let bytes: usize = again.map(|event| event.args.get().len()).sum();
        let beyond = u32::try_from(bytes + commit.notice_bytes)
            .unwrap_or(u32::MAX)
            .saturating_sub(ORDINARY_COMMIT);
        if let Some(text) = &self.text
            && beyond > 0
        {
            text.charge(&key, beyond);
        }
    }

    /// Waits until an organisation may begin a long request. Meanwhile other requests have
    /// its place.
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
        permit.map(LongPermit).ok_or_else(|| Problem::too_many(1))
    }

    /// Waits until an organisation may send a message and wait for its result. Meanwhile other
    /// requests have its place.
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
        permit.map(LongPermit).ok_or_else(|| Problem::too_many(1))
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
                refusal(
                    kind.writers_have(),
                    "changes",
                    "ALLCLEAR_LIMIT_WRITES",
                    wait,
                )
            })?;
        }
        if let Some(text) = self.text_of(kind) {
            text.take(&key, body_length(request)).map_err(|wait| {
                if let Some(writes) = &self.writes {
                    writes.give_back(&key);
                }
                refusal(kind.writers_have(), "text", "ALLCLEAR_LIMIT_TEXT", wait)
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
        if let Some(text) = self.text_of(kind) {
            text.give_back_many(&key, body_length(request));
        }
    }

    /// The limit of text for a kind of changes.
    fn text_of(&self, kind: WriteKind) -> Option<&Bucket<(OrganisationId, WriteKind)>> {
        let text = self.text.as_ref();
        text.filter(|_| kind != WriteKind::Administration)
    }
}

impl WriteKind {
    /// The kind of the changes that need this permission, if this caller makes them.
    pub(crate) const fn of(permission: Permission, caller: &Caller) -> Self {
        match (permission, caller.api_key) {
            (Permission::Administer, _) => Self::Administration,
            (_, Some(_)) => Self::ApiKey,
            (_, None) => Self::Person,
        }
    }

    /// The beginning of a refusal, which says whose limit is used up.
    const fn writers_have(self) -> &'static str {
        match self {
            Self::Person => "The people of the organisation have",
            Self::Administration => "The organisation has",
            Self::ApiKey => "The API keys of the organisation have",
        }
    }
}

impl Places {
    fn new(of_organisation: usize, of_caller: usize) -> Self {
        Self {
            all: KeyedSemaphore::new(of_organisation + MAX_WAITING, 0),
            organisations: KeyedSemaphore::new(of_organisation, MAX_WAITING),
            callers: KeyedSemaphore::new(of_caller, MAX_WAITING_OF_CALLER),
        }
    }

    /// Waits for a place. `None` if too many requests wait.
    async fn acquire(&self, organisation: &OrganisationId, caller: &str) -> Option<Permit> {
        let key = (organisation.clone(), caller.to_owned());
        let of_all = self.all.acquire(organisation).await?;
        let of_caller = self.callers.acquire(&key).await?;
        let of_organisation = self.organisations.acquire(organisation).await?;
        Some(Permit([of_organisation, of_caller, of_all]))
    }
}

/// Gives the place of a request to others of its organisation: it has a bound of its own.
pub(crate) fn release(request: &HttpRequest) {
    request.extensions_mut().remove::<Permit>();
}

fn refusal(writers_have: &str, what: &str, setting: &str, wait: Duration) -> Problem {
    Problem::too_many_of(
        format!(
            "{writers_have} recently written more {what} than allowed, please try again later ({setting})"
        ),
        Problem::seconds_after(wait),
    )
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
mod tests {
    use super::*;
    use actix_web::ResponseError;
    use actix_web::body::to_bytes;
    use actix_web::http::Method;
    use actix_web::test::TestRequest;
    use allclear_application::outbox::PublicEvent;
    use allclear_domain::event::EventKind;
    use futures_util::FutureExt as _;

    fn usage(writes: Option<(u32, u32)>, text: u32) -> Usage {
        let limits = WriteLimits {
            writes: writes.map(|(burst, per_hour)| RateLimit { burst, per_hour }),
            text: NonZeroU32::new(text),
        };
        let concurrency = Concurrency {
            reads: 1,
            writes: 1,
        };
        Usage::new(limits, concurrency)
    }

    fn organisation(id: &str) -> OrganisationId {
        OrganisationId::parse(id).unwrap()
    }

    fn request(method: Method, header: (&str, &str)) -> HttpRequest {
        TestRequest::default()
            .method(method)
            .insert_header(header)
            .to_http_request()
    }

    fn post(bytes: &str) -> HttpRequest {
        request(Method::POST, ("content-length", bytes))
    }

    #[actix_web::test]
    async fn write_over_the_limit_is_refused_for_its_organisation_only() {
        let usage = usage(Some((2, 60)), 0);
        let (one, other) = (organisation("one"), organisation("other"));
        for method in [Method::POST, Method::DELETE] {
            let request = request(method, ("content-length", "0"));
            assert!(usage.take_write(&one, WriteKind::Person, &request).is_ok());
        }
        let error = usage
            .take_write(&one, WriteKind::Person, &post("2"))
            .unwrap_err()
            .error_response();
        assert_eq!(error.status(), 429);
        let wait = error.headers().get("retry-after").unwrap().to_str();
        assert!((1..=61).contains(&wait.unwrap().parse::<u64>().unwrap()));
        let body = to_bytes(error.into_body()).await.unwrap();
        assert!(String::from_utf8_lossy(&body).contains("ALLCLEAR_LIMIT_WRITES"));
        assert!(
            usage
                .take_write(&other, WriteKind::Person, &post("2"))
                .is_ok()
        );
        let read = request(Method::GET, ("accept", "*/*"));
        assert!(
            usage
                .begin(&one, "ada", WriteKind::Person, &read)
                .await
                .is_ok()
        );
    }

    #[actix_web::test]
    async fn write_with_too_much_text_is_not_counted_as_a_change() {
        let usage = usage(Some((1, 60)), 100);
        let one = organisation("one");
        assert!(
            usage
                .take_write(&one, WriteKind::Person, &post("101"))
                .is_err()
        );
        assert!(
            usage
                .take_write(&one, WriteKind::Person, &post("2"))
                .is_ok()
        );
    }

    #[actix_web::test]
    async fn commit_with_many_events_counts_as_several_changes() {
        let usage = usage(Some((10, 60)), 0);
        let (one, other) = (organisation("one"), organisation("other"));
        let post = post("0");
        let commit = |events: u32| {
            let kinds = vec![EventKind::ComponentUpdate; events as usize];
            Commit::example("one", 1, &kinds)
        };
        usage.count_commit(&commit(EVENTS_OF_A_CHANGE - 1));
        for _ in 0..10 {
            assert!(usage.take_write(&one, WriteKind::Person, &post).is_ok());
        }
        usage.count_commit(&commit(10 * EVENTS_OF_A_CHANGE));
        let refused = usage
            .take_write(&one, WriteKind::Person, &post)
            .unwrap_err()
            .error_response();
        let wait = refused.headers().get("retry-after").unwrap().to_str();
        assert!((600..=661).contains(&wait.unwrap().parse::<u64>().unwrap()));
        assert!(usage.take_write(&other, WriteKind::Person, &post).is_ok());
    }

    #[actix_web::test]
    async fn what_a_commit_stores_again_counts_as_text() {
        let usage = usage(None, 2 * ORDINARY_COMMIT);
        let one = organisation("one");
        let commit = |kind, bytes: u32| {
            let mut commit = Commit::example("one", 1, &[]);
            let text = "x".repeat(bytes as usize);
            commit.events.push(PublicEvent::new(kind, &[text]).unwrap());
            commit
        };
        // Quotation marks and brackets are part of the event.
        usage.count_commit(&commit(EventKind::ComponentUpdate, ORDINARY_COMMIT - 4));
        usage.count_commit(&commit(EventKind::NewComponent, 3 * ORDINARY_COMMIT));
        usage.count_commit(&commit(EventKind::TimelineUpdated, 3 * ORDINARY_COMMIT));
        assert!(
            usage
                .take_write(&one, WriteKind::Person, &post("1000"))
                .is_ok()
        );
        usage.count_commit(&commit(EventKind::ComponentUpdate, 3 * ORDINARY_COMMIT));
        assert!(
            usage
                .take_write(&one, WriteKind::Person, &post("1000"))
                .is_err()
        );
    }

    #[actix_web::test]
    async fn notices_of_a_commit_count_as_text() {
        let usage = usage(None, 2 * ORDINARY_COMMIT);
        let one = organisation("one");
        let commit = |notice_bytes: u32| Commit {
            notice_bytes: notice_bytes as usize,
            ..Commit::example("one", 1, &[EventKind::NewIncident])
        };
        usage.count_commit(&commit(ORDINARY_COMMIT));
        let write = || usage.take_write(&one, WriteKind::Person, &post("1000"));
        assert!(write().is_ok());
        usage.count_commit(&commit(3 * ORDINARY_COMMIT));
        assert!(write().is_err());
    }

    #[actix_web::test]
    async fn request_without_a_place_takes_nothing_of_the_limits() {
        let taken = u32::try_from(MAX_WAITING_OF_CALLER).unwrap() + 1;
        let usage = usage(Some((taken + 1, 1)), (taken + 1) * 100);
        let one = organisation("one");
        let requests = vec![(); MAX_WAITING_OF_CALLER + 1].into_iter();
        let requests: Vec<_> = requests.map(|()| post("100")).collect();
        let another = post("100");
        // Without the cooperative budget of a task, which these requests would use up.
        let begin = |request| {
            let begun = usage.begin(&one, "ada", WriteKind::Person, request);
            Box::pin(tokio::task::unconstrained(begun))
        };
        let mut waiting: Vec<_> = requests.iter().map(begin).collect();
        for request in &mut waiting {
            let _ = request.as_mut().now_or_never();
        }
        assert!(begin(&another).now_or_never().unwrap().is_err());
        let count = || usage.take_write(&one, WriteKind::Person, &another);
        assert!(count().is_ok());
        assert!(count().is_err());
    }

    #[actix_web::test]
    async fn messages_have_a_bound_of_their_own_and_take_no_place_of_other_writes() {
        let usage = usage(None, 0);
        let one = organisation("one");
        let requests: Vec<_> = (0..=MAX_MESSAGES).map(|_| post("0")).collect();
        let (last, first) = requests.split_last().unwrap();
        let mut sending = Vec::new();
        for request in first {
            let begun = usage.begin(&one, "ada", WriteKind::Person, request);
            assert!(begun.await.is_ok());
            let permit = usage.begin_message(&one, request).await;
            assert!(permit.is_ok());
            sending.push(permit);
        }
        let begun = usage.begin(&one, "ada", WriteKind::Person, last);
        assert!(begun.await.is_ok(), "their places are free");
        let message = usage.begin_message(&one, last);
        assert!(message.now_or_never().is_none());
        drop(sending);
        assert!(usage.begin_message(&one, last).await.is_ok());
    }

    #[actix_web::test]
    async fn requests_of_an_organisation_wait_for_others_of_their_kind() {
        let usage = usage(None, 0);
        let (one, other) = (organisation("one"), organisation("other"));
        let read = || request(Method::GET, ("accept", "*/*"));
        for request in [read, || post("0")] {
            let held = request();
            assert!(
                usage
                    .begin(&one, "ada", WriteKind::Person, &held)
                    .await
                    .is_ok()
            );
            assert!(
                usage
                    .begin(&one, "ada", WriteKind::Person, &request())
                    .now_or_never()
                    .is_none()
            );
            assert!(
                usage
                    .begin(&other, "ada", WriteKind::Person, &request())
                    .await
                    .is_ok()
            );
            drop(held);
            assert!(
                usage
                    .begin(&one, "ada", WriteKind::Person, &request())
                    .await
                    .is_ok()
            );
        }
        let request = read();
        assert!(
            usage
                .begin(&one, "ada", WriteKind::Person, &request)
                .await
                .is_ok()
        );
        let begin = |kind, request| usage.begin_long(&one, kind, request);
        let export = begin(LongRequest::AuditExport, &request).await;
        assert!(
            usage
                .begin(&one, "ada", WriteKind::Person, &read())
                .await
                .is_ok()
        );
        let next = read();
        let other_kind = begin(LongRequest::Metrics, &next).await;
        assert!(other_kind.is_ok());
        let same_kind = || begin(LongRequest::AuditExport, &next);
        assert!(
            usage
                .begin(&one, "ada", WriteKind::Person, &next)
                .await
                .is_ok()
        );
        let mut waiting = Box::pin(same_kind());
        assert!(waiting.as_mut().now_or_never().is_none());
        assert!(
            usage
                .begin(&one, "ada", WriteKind::Person, &read())
                .await
                .is_ok(),
            "its place is free"
        );
        drop(waiting);
        drop(export);
        assert!(same_kind().await.is_ok());
        let import = post("0");
        assert!(
            usage
                .begin(&one, "ada", WriteKind::Person, &import)
                .await
                .is_ok()
        );
        release(&import);
        assert!(
            usage
                .begin(&one, "ada", WriteKind::Person, &post("0"))
                .await
                .is_ok()
        );
    }

    #[actix_web::test]
    async fn requests_of_one_caller_do_not_delay_those_of_others() {
        let usage = usage(None, 0);
        let one = organisation("one");
        let (first, second, other) = (post("0"), post("0"), post("0"));
        let begin = |caller, request| usage.begin(&one, caller, WriteKind::Person, request);
        assert!(begin("ada", &first).await.is_ok());
        let mut waiting = Box::pin(begin("ada", &second));
        let mut of_other = Box::pin(begin("bob", &other));
        assert!(waiting.as_mut().now_or_never().is_none());
        assert!(of_other.as_mut().now_or_never().is_none());
        release(&first);
        assert!(waiting.as_mut().now_or_never().is_none());
        assert!(of_other.now_or_never().is_some());
    }

    #[actix_web::test]
    async fn changes_that_only_admins_may_make_do_not_wait_for_writes() {
        let usage = usage(Some((1, 60)), 1_000);
        let one = organisation("one");
        let requests = ["0", "0", "5000", "0"].map(post);
        let [write, second, revocation, other] = &requests;
        let begin = |kind, request| usage.begin(&one, "ada", kind, request);
        assert!(begin(WriteKind::Person, write).await.is_ok());
        assert!(begin(WriteKind::Person, second).await.is_err());
        assert!(begin(WriteKind::Administration, revocation).await.is_ok());
        assert!(begin(WriteKind::Administration, other).await.is_err());
    }

    #[test]
    fn api_keys_leave_the_limits_of_people_to_them() {
        let usage = usage(Some((10, 60)), 10_000);
        let one = organisation("one");
        let take = |kind, request| usage.take_write(&one, kind, request);
        let (short, long) = (post("1"), post("8000"));
        assert!(take(WriteKind::ApiKey, &long).is_ok());
        let refused = take(WriteKind::ApiKey, &long).unwrap_err().to_string();
        assert!(refused.starts_with("The API keys of the organisation have recently written"));
        let large = Commit {
            is_of_api_key: true,
            ..Commit::example("one", 1, &[EventKind::ComponentUpdate; 1_000])
        };
        usage.count_commit(&large);
        assert!(take(WriteKind::ApiKey, &short).is_err());
        assert!(take(WriteKind::Person, &long).is_ok());
        assert!((0..9).all(|_| take(WriteKind::Person, &short).is_ok()));
        assert!(take(WriteKind::Person, &short).is_err());
    }

    #[actix_web::test]
    async fn bytes_of_chunked_bodies_are_counted_too() {
        let usage = usage(None, 300_000);
        let one = organisation("one");
        assert!(
            usage
                .take_write(&one, WriteKind::Person, &post("40000"))
                .is_ok()
        );
        let chunked = request(Method::POST, ("transfer-encoding", "chunked"));
        assert!(
            usage.take_write(&one, WriteKind::Person, &chunked).is_err(),
            "it may be 262,144"
        );
        assert!(
            usage
                .take_write(&one, WriteKind::Person, &post("250000"))
                .is_ok()
        );
        let error = usage
            .take_write(&one, WriteKind::Person, &post("250000"))
            .unwrap_err();
        assert!(error.to_string().contains("ALLCLEAR_LIMIT_TEXT"));
        assert!(
            usage
                .take_write(&one, WriteKind::Person, &post("0"))
                .is_ok()
        );
    }

    #[test]
    fn a_file_counts_as_what_it_is() {
        let usage = usage(None, 1_000_000);
        let one = organisation("one");
        let file = |bytes: &str| {
            TestRequest::post()
                .insert_header(("content-type", "text/csv"))
                .insert_header(("content-length", bytes))
                .to_http_request()
        };
        assert!(
            usage
                .take_write(&one, WriteKind::Person, &file("900000"))
                .is_ok()
        );
        assert!(
            usage
                .take_write(&one, WriteKind::Person, &file("900000"))
                .is_err()
        );
    }

    #[test]
    fn disabled_limits_refuse_nothing() {
        let usage = usage(None, 0);
        let one = organisation("one");
        assert!((0..1000).all(|_| {
            usage
                .take_write(&one, WriteKind::Person, &post("262144"))
                .is_ok()
        }));
    }
}
