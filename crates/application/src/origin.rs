//! The originator of a change. Storage writes it into the audit log with the change.

use std::sync::OnceLock;

use allclear_domain::audit::Actor;
use allclear_domain::author::Author;

tokio::task_local! {
    static REQUEST: Request;
}

/// A request that is being handled.
struct Request {
    id: Option<String>,
    person: OnceLock<Author>,
}

/// The originator of a change, and the request that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The originator.
    pub actor: Actor,
    /// Identifier of the request; `None` outside of requests.
    pub request_id: Option<String>,
}

impl Origin {
    /// Handles a request. Changes made by `work` carry the identifier of the request.
    pub async fn of_request<F: Future>(id: Option<String>, work: F) -> F::Output {
        let person = OnceLock::new();
        REQUEST.scope(Request { id, person }, work).await
    }

    /// Makes a person the originator of the request's changes. Has no effect outside of requests.
    pub fn identify(person: Author) {
        // The first person stays: a request has one caller.
        let _ = REQUEST.try_with(|request| request.person.set(person));
    }

    /// The origin of a change that is made now. Without a person, a request is the identity provider's, and a change outside of
    /// requests is the scheduler's.
    #[must_use]
    pub fn current() -> Self {
        let of_request = REQUEST.try_with(|request| Self {
            actor: request
                .person
                .get()
                .cloned()
                .map_or(Actor::Provider, Actor::User),
            request_id: request.id.clone(),
        });
        of_request.unwrap_or(Self {
            actor: Actor::Scheduler,
            request_id: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ann() -> Author {
        Author {
            id: "user_ann".into(),
            name: "Ann".into(),
        }
    }

    #[tokio::test]
    async fn change_outside_of_requests_is_the_schedulers() {
        Origin::identify(ann());
        let origin = Origin::current();
        assert_eq!((origin.actor, origin.request_id), (Actor::Scheduler, None));
    }

    #[tokio::test]
    async fn change_of_a_request_is_its_persons() {
        let origin = Origin::of_request(Some("r1".into()), async {
            Origin::identify(ann());
            tokio::task::yield_now().await;
            Origin::current()
        });
        let origin = origin.await;
        assert_eq!(origin.actor, Actor::User(ann()));
        assert_eq!(origin.request_id.as_deref(), Some("r1"));
    }

    #[tokio::test]
    async fn change_of_a_request_without_a_person_is_the_providers() {
        let origin = Origin::of_request(None, async { Origin::current() }).await;
        assert_eq!(origin.actor, Actor::Provider);
    }
}
