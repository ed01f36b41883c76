//! The waitlist; for the installation's administrator.

use actix_web::{HttpResponse, delete, get, post, web};
use allclear_application::timestamp;
use allclear_application::waitlist::{Waiting, Waitlist};
use allclear_domain::id::WaitlistId;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::session::SignedIn;
use crate::api_response::{Answer, Deleted};
use crate::path::Id;
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// Somebody who waits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Waiting)]
struct WaitingBody {
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

/// Who has been let in.
#[derive(Debug, Serialize, ToSchema)]
struct LetIn {
    id: String,
}

/// Lists who waits, newest first.
#[utoipa::path(
    tag = "identity",
    responses((status = 200, body = Answer<Vec<WaitingBody>>), ErrorResponses),
    security(("session" = []))
)]
#[get("/waitlist")]
async fn list(
    SignedIn(session): SignedIn,
    waitlist: web::Data<Waitlist>,
) -> Result<HttpResponse, Problem> {
    let waiting = waitlist.list(&session).await?;
    Ok(Answer::new(waiting.iter().map(WaitingBody::from).collect::<Vec<_>>()).ok())
}

/// Lets somebody in: mails an invitation and takes them off the list.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = Answer<LetIn>), ErrorResponses),
    security(("session" = []))
)]
#[post("/waitlist/{id}/invite")]
async fn invite(
    SignedIn(session): SignedIn,
    id: Id<WaitlistId>,
    waitlist: web::Data<Waitlist>,
) -> Result<HttpResponse, Problem> {
    waitlist.invite(&session, id.0).await?;
    Ok(Answer::with_message(
        LetIn {
            id: id.0.to_string(),
        },
        "Invitation sent",
    )
    .ok())
}

/// Takes somebody off the list.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = Answer<Deleted>), ErrorResponses),
    security(("session" = []))
)]
#[delete("/waitlist/{id}")]
async fn remove(
    SignedIn(session): SignedIn,
    id: Id<WaitlistId>,
    waitlist: web::Data<Waitlist>,
) -> Result<HttpResponse, Problem> {
    waitlist.remove(&session, id.0).await?;
    Ok(Answer::new(Deleted {
        id: id.0.to_string(),
    })
    .ok())
}

/// The calls about the waitlist.
pub(crate) fn calls(config: &mut impl Routes) {
    config.service(list).service(invite).service(remove);
}
