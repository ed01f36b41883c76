//! The originator of a change. Storage writes it into the audit log with the change.

use std::net::IpAddr;
use std::sync::OnceLock;

use allclear_domain::audit::Actor;

tokio::task_local! {
    static REQUEST: Request;
    static CARRIED: Origin;
}

/// A request that is being handled.
struct Request {
    id: Option<String>,
    address: Option<IpAddr>,
    caller: OnceLock<Actor>,
}

/// The originator of a change, and the request that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The originator.
    pub actor: Actor,
    /// Identifier of the request; `None` outside of requests.
    pub request_id: Option<String>,
    /// Address of the client; `None` outside of requests.
    pub address: Option<IpAddr>,
}

impl Origin {
    /// An originator without a request.
    #[must_use]
    pub const fn of(actor: Actor) -> Self {
        Self {
            actor,
            request_id: None,
            address: None,
        }
    }

    /// Handles a request from a client address. Changes made by `work` carry the identifier of the
    /// request and the address.
    pub async fn of_request<F: Future>(
        id: Option<String>,
        address: Option<IpAddr>,
        work: F,
    ) -> F::Output {
        let caller = OnceLock::new();
        let request = Request {
            id,
            address,
            caller,
        };
        REQUEST.scope(request, work).await
    }

    /// Makes this the origin of the changes that `work` makes, also on another thread.
    pub async fn scope<F: Future>(self, work: F) -> F::Output {
        CARRIED.scope(self, work).await
    }

    /// Makes a caller the originator of the request's changes. Has no effect outside of requests.
    pub fn identify(caller: Actor) {
        // The first one stays: a request has one caller.
        let _ = REQUEST.try_with(|request| request.caller.set(caller));
    }

    /// The origin of a change that is made now. Without a caller, a request is the identity
    /// provider's, and a change outside of requests is the scheduler's.
    #[must_use]
    pub fn current() -> Self {
        if let Ok(carried) = CARRIED.try_with(Self::clone) {
            return carried;
        }
        let of_request = REQUEST.try_with(|request| Self {
            actor: request.caller.get().cloned().unwrap_or(Actor::Provider),
            request_id: request.id.clone(),
            address: request.address,
        });
        of_request.unwrap_or(Self::of(Actor::Scheduler))
    }
}

#[cfg(test)]
mod tests {
    use allclear_domain::author::Author;

    use super::*;

    fn ann() -> Actor {
        Actor::User(Author {
            id: "user_ann".into(),
            name: "Ann".into(),
        })
    }

    #[tokio::test]
    async fn change_outside_of_requests_is_the_schedulers() {
        Origin::identify(ann());
        let origin = Origin::current();
        assert_eq!((origin.actor, origin.request_id), (Actor::Scheduler, None));
    }

    #[tokio::test]
    async fn change_of_a_request_is_its_callers() {
        let address = IpAddr::from([192, 0, 2, 7]);
        let origin = Origin::of_request(Some("r1".into()), Some(address), async {
            Origin::identify(ann());
            tokio::task::yield_now().await;
            Origin::current()
        });
        let origin = origin.await;
        assert_eq!(origin.actor, ann());
        assert_eq!(origin.request_id.as_deref(), Some("r1"));
        assert_eq!(origin.address, Some(address));
    }

    #[tokio::test]
    async fn origin_is_carried_to_another_thread() {
        let origin = Origin {
            request_id: Some("r1".into()),
            ..Origin::of(ann())
        };
        let work = origin.clone().scope(async { Origin::current() });
        assert_eq!(tokio::spawn(work).await.unwrap(), origin);
    }

    #[tokio::test]
    async fn change_of_a_request_without_a_caller_is_the_providers() {
        let origin = Origin::of_request(None, None, async { Origin::current() }).await;
        assert_eq!(origin.actor, Actor::Provider);
    }
}
