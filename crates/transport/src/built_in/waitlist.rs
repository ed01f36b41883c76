//! The waitlist, for the installation's administrator.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use allclear_application::timestamp;
use allclear_application::waitlist::{Waiting, Waitlist};
use allclear_domain::id::WaitlistId;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::session::{SessionForWrite, UsableSession};
use crate::limit::concurrency::release;
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::request::path::Id;
use crate::response::api_response::{ApiResponse, Deleted, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// A person on the waitlist.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Waiting)]
struct WaitingBody {
    #[schema(format = "uuid")]
    id: String,
    name: String,
    email: String,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
}

impl From<&Waiting> for WaitingBody {
    fn from(waiting: &Waiting) -> Self {
        let (id, name, email) = (
            waiting.id.to_string(),
            waiting.name.clone(),
            waiting.email.clone(),
        );
        Self {
            id,
            name,
            email,
            created_at: waiting.created_at,
        }
    }
}

/// The waitlist entry that was invited.
#[derive(Debug, Serialize, ToSchema)]
struct InvitedBody {
    #[schema(format = "uuid")]
    id: String,
}

/// Lists the waitlist, newest first.
#[utoipa::path(
    tag = "identity",
    params(PageQuery),
    responses((status = 200, body = ApiResponse<Vec<WaitingBody>>), ErrorResponses),
    security(("session" = ["administrator"]))
)]
#[get("/waitlist")]
async fn list(
    UsableSession(session): UsableSession,
    requested: RequestedPage,
    waitlist: web::Data<Waitlist>,
) -> Result<HttpResponse, Problem> {
    let listed = waitlist.list(&session, requested.page).await?;
    Ok(list_response(&listed, requested, |waiting| {
        WaitingBody::from(waiting)
    }))
}

/// Mails an invitation to a person on the waitlist, and removes the entry. If the mail cannot be
/// sent, the entry stays; the response is 503, or 409 if the receiver rejects the mail, and its
/// message names the reason.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<InvitedBody>), ErrorResponses),
    security(("session" = ["administrator"]))
)]
#[post("/waitlist/{id}/invite")]
async fn invite(
    request: HttpRequest,
    SessionForWrite(session): SessionForWrite,
    id: Id<WaitlistId>,
    waitlist: web::Data<Waitlist>,
) -> Result<HttpResponse, Problem> {
    // The mail server may take minutes.
    release(&request);
    waitlist.invite(&session, id.0).await?;
    Ok(ApiResponse::with_message(
        InvitedBody {
            id: id.0.to_string(),
        },
        "Invitation sent",
    )
    .ok())
}

/// Removes an entry from the waitlist.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("session" = ["administrator"]))
)]
#[delete("/waitlist/{id}")]
async fn remove(
    SessionForWrite(session): SessionForWrite,
    id: Id<WaitlistId>,
    waitlist: web::Data<Waitlist>,
) -> Result<HttpResponse, Problem> {
    waitlist.remove(&session, id.0).await?;
    Ok(ApiResponse::deleted(id.0))
}

/// The waitlist routes.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(list).service(invite).service(remove);
}
