//! Requests of socket clients, and their acknowledgements.

use allclear_application::error::{Error, Resource};
use allclear_domain::id::OrganisationId;
use allclear_socketio::Incoming;
use serde::Serialize;

use crate::response::problem::Problem;
use crate::status_page::page::SnapshotList;

/// A request of a client.
#[derive(Clone, Copy)]
pub(super) enum Request {
    Join,
    Get(SnapshotList),
    Authenticate,
}

/// All requests, by the name of the event.
const REQUESTS: [(&str, Request); 5] = [
    ("join", Request::Join),
    ("get-components", Request::Get(SnapshotList::Components)),
    ("get-incidents", Request::Get(SnapshotList::Incidents)),
    ("get-maintenances", Request::Get(SnapshotList::Maintenances)),
    ("authenticate", Request::Authenticate),
];

/// Names of the events that a client may send.
pub fn events() -> impl Iterator<Item = &'static str> {
    REQUESTS.into_iter().map(|(name, _)| name)
}

impl Request {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        REQUESTS
            .into_iter()
            .find(|(known, _)| *known == name)
            .map(|(_, request)| request)
    }
}

/// Acknowledgement of `join`.
#[derive(Serialize)]
pub(super) struct Joined {
    pub(super) revision: i64,
}

/// Acknowledgement of `authenticate`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Authenticated {
    #[serde(serialize_with = "allclear_application::timestamp::serialize_option")]
    pub(super) expires_at: Option<chrono::DateTime<chrono::Utc>>,
}

/// Acknowledgement of a refused request.
#[derive(Serialize)]
pub(super) struct Refused {
    message: String,
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self {
            message: problem.to_string(),
        }
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Problem::from(error).into()
    }
}

impl Refused {
    pub(super) fn because(message: &str) -> Self {
        Self {
            message: message.to_owned(),
        }
    }

    pub(super) fn unknown_organisation() -> Self {
        Error::NotFound(Resource::Organisation).into()
    }
}

/// An invalid identifier is reported as an unknown organisation.
pub(super) fn organisation(event: &Incoming) -> Result<OrganisationId, Refused> {
    let named = event.args().parse::<(String,)>().ok();
    named
        .and_then(|(id,)| OrganisationId::parse(&id).ok())
        .ok_or_else(Refused::unknown_organisation)
}

pub(super) fn acknowledge<T: Serialize + ?Sized>(event: &mut Incoming, response: &T) {
    if let Err(error) = event.ack(&(response,)) {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "an acknowledgement cannot be encoded"
        );
    }
}
