//! Semaphores for the requests of an organisation or account that are handled at the same time. A
//! request has permits until it is handled, or until it waits for something that has a limit of its
//! own.

use std::sync::Arc;

use actix_web::{HttpMessage as _, HttpRequest};
use allclear_application::keyed_semaphore::KeyedSemaphore;
use allclear_domain::id::OrganisationId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of requests of an organisation that wait until they are handled. Further ones
/// are refused.
const MAX_WAITING: usize = 512;
/// Maximum number of them that one caller makes wait.
pub(super) const MAX_WAITING_OF_CALLER: usize = 256;
/// Maximum number of reports of an organisation that wait for another one: a script may request the
/// uptime of many groups at the same time.
const MAX_WAITING_REPORTS: usize = 64;

/// Permits for requests of a kind that are handled at the same time.
pub(super) struct RequestSemaphore {
    /// Bounds the handled and the waiting requests of an organisation.
    all: KeyedSemaphore<OrganisationId>,
    /// Bounds the handled requests of an organisation.
    organisations: KeyedSemaphore<OrganisationId>,
    /// Bounds the handled requests of a caller. A request waits for this permit first, so that a
    /// caller with many requests does not delay others.
    callers: KeyedSemaphore<(OrganisationId, String)>,
}

/// The permits of a request, which has them until it is handled.
pub(super) struct RequestPermit(
    #[expect(dead_code, reason = "dropped with the request")] [OwnedSemaphorePermit; 3],
);

/// The permit of a request with a session, which has it until it is handled.
pub(super) struct SessionPermit(
    #[expect(dead_code, reason = "dropped with the request")] OwnedSemaphorePermit,
);

impl SessionPermit {
    pub(super) fn new(permit: OwnedSemaphorePermit) -> Self {
        Self(permit)
    }
}

/// The permit of a long request, which has it until it is dropped.
pub(crate) struct LongPermit(
    #[expect(dead_code, reason = "dropped when the request is done")] OwnedSemaphorePermit,
);

impl LongPermit {
    pub(super) fn new(permit: OwnedSemaphorePermit) -> Self {
        Self(permit)
    }
}

/// The permits of a report, which has them until it is read: that of its organisation, and that of
/// the node.
pub(crate) struct ReportPermit(
    #[expect(dead_code, reason = "dropped when the report is read")] [OwnedSemaphorePermit; 2],
);

/// Permits for reports, which read thousands of periods.
pub(super) struct ReportSemaphore {
    /// Lets an organisation read one at a time.
    organisations: KeyedSemaphore<OrganisationId>,
    /// Bounds the reports of all organisations that are read at the same time, so that other
    /// requests find connections to the database.
    node: Arc<Semaphore>,
}

impl ReportSemaphore {
    /// Gives all organisations together so many permits.
    pub(super) fn new(of_node: usize) -> Self {
        Self {
            organisations: KeyedSemaphore::new(1, MAX_WAITING_REPORTS),
            node: Arc::new(Semaphore::new(of_node)),
        }
    }

    /// Waits for the permits of a report. `None` if too many of the organisation wait.
    pub(super) async fn acquire(&self, organisation: &OrganisationId) -> Option<ReportPermit> {
        let of_organisation = self.organisations.acquire(organisation).await?;
        let of_node = Arc::clone(&self.node).acquire_owned().await.ok()?;
        Some(ReportPermit([of_node, of_organisation]))
    }
}

impl RequestSemaphore {
    /// Gives each organisation and each caller so many permits.
    pub(super) fn new(of_organisation: usize, of_caller: usize) -> Self {
        Self {
            all: KeyedSemaphore::new(of_organisation + MAX_WAITING, 0),
            organisations: KeyedSemaphore::new(of_organisation, MAX_WAITING),
            callers: KeyedSemaphore::new(of_caller, MAX_WAITING_OF_CALLER),
        }
    }

    /// Waits for the permits of a request. `None` if too many requests wait.
    pub(super) async fn acquire(
        &self,
        organisation: &OrganisationId,
        caller: &str,
    ) -> Option<RequestPermit> {
        let key = (organisation.clone(), caller.to_owned());
        let of_all = self.all.acquire(organisation).await?;
        let of_caller = self.callers.acquire(&key).await?;
        let of_organisation = self.organisations.acquire(organisation).await?;
        Some(RequestPermit([of_organisation, of_caller, of_all]))
    }
}

/// Releases the permits of a request for others of its organisation or account: it has a limit of
/// its own.
pub(crate) fn release(request: &HttpRequest) {
    let mut extensions = request.extensions_mut();
    extensions.remove::<RequestPermit>();
    extensions.remove::<SessionPermit>();
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn reports_of_all_organisations_together_are_bounded() {
        let semaphore = ReportSemaphore::new(2);
        let [one, two, three] =
            ["one", "two", "three"].map(|id| OrganisationId::parse(id).unwrap());
        let first = semaphore.acquire(&one).await;
        let mut second = Box::pin(semaphore.acquire(&one));
        assert!(second.as_mut().now_or_never().is_none());
        let of_two = semaphore.acquire(&two).await;
        let mut of_three = Box::pin(semaphore.acquire(&three));
        assert!(of_three.as_mut().now_or_never().is_none());
        drop(of_two);
        // It waits for its organisation and leaves the permit of the node to others.
        assert!(second.as_mut().now_or_never().is_none());
        assert!(of_three.now_or_never().flatten().is_some());
        drop(first);
        assert!(second.now_or_never().flatten().is_some());
    }

    #[tokio::test]
    async fn reports_of_an_organisation_that_wait_are_bounded() {
        let semaphore = ReportSemaphore::new(2);
        let one = OrganisationId::parse("one").unwrap();
        let held = semaphore.acquire(&one).await;
        let acquire = || Box::pin(tokio::task::unconstrained(semaphore.acquire(&one)));
        let mut waiting: Vec<_> = (0..MAX_WAITING_REPORTS).map(|_| acquire()).collect();
        for report in &mut waiting {
            assert!(report.as_mut().now_or_never().is_none());
        }
        let refused = acquire().now_or_never();
        assert!(refused.is_some_and(|permit| permit.is_none()));
        drop(held);
    }
}
