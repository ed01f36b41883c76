//! Bounds the memory of large lists that are being sent: each client gets a copy of its own.

use std::net::IpAddr;
use std::time::Duration;

use allclear_application::keyed_semaphore::KeyedSemaphore;
use allclear_domain::id::OrganisationId;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use super::request::Refused;
use crate::limit::client_semaphore::{ClientPermit, ClientSemaphore};

/// Lists of pages below this size fit into a client's queue many times.
pub(super) const LARGE_FROM_BYTES: usize = 8 * 1024;
/// Bytes in which lists are counted.
const UNIT_BYTES: usize = 1024;
/// Units of all large lists that are being sent.
const MAX_UNITS: usize = 64 * 1024;
/// Units of those of one organisation.
const MAX_UNITS_OF_ORGANISATION: usize = 16 * 1024;
/// Units of those of one organisation for the sockets of one client. A larger list counts as these,
/// except in the sum of all.
const MAX_UNITS_OF_CLIENT: usize = 4 * 1024;
/// How long a list waits for others to be received.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// The memory of large lists.
pub(super) struct LargeLists {
    all: KeyedSemaphore<()>,
    organisations: KeyedSemaphore<OrganisationId>,
    clients: ClientSemaphore,
}

/// Memory of a list that is being sent.
#[derive(Debug)]
pub(super) struct LargeList(
    #[expect(dead_code, reason = "dropped when the list is received")]
    (ClientPermit, [OwnedSemaphorePermit; 2]),
);

impl LargeLists {
    pub(super) fn new() -> Self {
        Self {
            all: KeyedSemaphore::new(MAX_UNITS, 0),
            organisations: KeyedSemaphore::new(MAX_UNITS_OF_ORGANISATION, 0),
            clients: ClientSemaphore::new(MAX_UNITS_OF_CLIENT),
        }
    }

    /// Waits until there is memory for a list of a page of this size for a client. `None` for a
    /// small one.
    pub(super) async fn begin(
        &self,
        organisation: &OrganisationId,
        client: Option<IpAddr>,
        size: usize,
    ) -> Result<Option<LargeList>, Refused> {
        if size < LARGE_FROM_BYTES {
            return Ok(None);
        }
        let units = size.div_ceil(UNIT_BYTES);
        let share = units.min(MAX_UNITS_OF_CLIENT);
        let begun = async {
            // A client waits for its own lists first: those that wait here hold nothing that
            // others need.
            let of_client = self.clients.acquire(organisation, client, share).await?;
            let of_organisation = self.organisations.acquire_many(organisation, share).await?;
            let of_all = self.all.acquire_many(&(), units).await?;
            Some(LargeList((of_client, [of_organisation, of_all])))
        };
        match timeout(MAX_WAIT, begun).await {
            Ok(Some(list)) => Ok(Some(list)),
            Ok(None) | Err(_) => Err(Refused::because(
                "Too many clients read large lists, please read the status page's snapshot",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use futures_util::FutureExt as _;

    fn organisation(number: usize) -> OrganisationId {
        OrganisationId::parse(&format!("organisation{number}")).unwrap()
    }

    fn client(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    #[tokio::test(start_paused = true)]
    async fn small_list_takes_nothing() {
        let lists = LargeLists::new();
        let small = lists
            .begin(&organisation(1), Some(client(1)), LARGE_FROM_BYTES - 1)
            .await;
        assert!(small.ok().unwrap().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn lists_of_a_client_leave_memory_to_others() {
        let lists = LargeLists::new();
        let begin = async |number, size| {
            let begun = lists
                .begin(&organisation(1), Some(client(number)), size)
                .await;
            begun.ok().flatten()
        };
        let first = begin(1, (MAX_UNITS_OF_CLIENT - 8) * UNIT_BYTES)
            .await
            .unwrap();
        let second = begin(1, LARGE_FROM_BYTES).await.unwrap();
        assert!(begin(1, LARGE_FROM_BYTES).await.is_none());
        assert!(begin(2, LARGE_FROM_BYTES).await.is_some());
        drop(first);
        assert!(begin(1, LARGE_FROM_BYTES).await.is_some());
        drop(second);
    }

    #[tokio::test(start_paused = true)]
    async fn lists_of_an_organisation_leave_memory_to_others() {
        let lists = LargeLists::new();
        let begin = async |number, address| {
            let begun = lists
                .begin(
                    &organisation(number),
                    Some(client(address)),
                    2 * MAX_UNITS_OF_CLIENT * UNIT_BYTES,
                )
                .await;
            begun.ok().flatten()
        };
        let mut sent = Vec::new();
        for address in 1..=4 {
            sent.push(begin(1, address).await.unwrap());
        }
        assert!(begin(1, 5).await.is_none());
        assert!(begin(2, 5).await.is_some());
        sent.pop();
        assert!(begin(1, 5).await.is_some());
    }

    #[tokio::test]
    async fn list_larger_than_all_memory_is_sent_alone() {
        let lists = LargeLists::new();
        let begin = async |number, address, size| {
            let begun = lists
                .begin(&organisation(number), Some(client(address)), size)
                .await;
            begun.ok().flatten()
        };
        let large = begin(1, 1, 2 * MAX_UNITS * UNIT_BYTES).await;
        assert!(large.is_some());
        assert!(begin(2, 2, LARGE_FROM_BYTES).now_or_never().is_none());
        drop(large);
        assert!(begin(1, 2, LARGE_FROM_BYTES).await.is_some());
    }
}
