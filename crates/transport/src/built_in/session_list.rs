//! The sessions of the signed-in account: listing and ending them.

use actix_web::{HttpRequest, HttpResponse, delete, get, web};
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::{ListedSession, Sessions};
use allclear_application::timestamp;
use allclear_domain::id::SessionId;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::cookie::Cookies;
use super::session::{RecentSession, UsableSession};
use crate::request::path::Id;
use crate::response::api_response::{ApiResponse, Deleted};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::record;

/// A session of the signed-in account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ListedSession)]
struct ListedSessionBody {
    #[schema(format = "uuid")]
    id: String,
    /// Whether the request belongs to this session.
    current: bool,
    /// Browser and operating system, such as `Firefox on Linux`; null if they are unknown.
    #[schema(required)]
    device: Option<String>,
    /// Address of the client at sign-in.
    #[schema(required)]
    address: Option<String>,
    /// Time of the sign-in.
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    /// Time of the last use, up to an hour early.
    #[serde(serialize_with = "timestamp::serialize")]
    used_at: DateTime<Utc>,
}

impl ListedSessionBody {
    fn new(listed: ListedSession, current: SessionId) -> Self {
        Self {
            id: listed.id.to_string(),
            current: listed.id == current,
            device: listed.device,
            address: listed.address,
            created_at: listed.created_at,
            used_at: listed.used_at,
        }
    }
}

/// Number of ended sessions.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EndedSessions)]
struct EndedBody {
    ended: u64,
}

/// Lists the sessions of the signed-in account, the one that was used last first. An account has at
/// most 50.
#[utoipa::path(
    tag = "identity",
    responses((status = 200, body = ApiResponse<Vec<ListedSessionBody>>), ErrorResponses),
    security(("session" = []))
)]
#[get("/sessions")]
async fn list(
    UsableSession(session): UsableSession,
    sessions: web::Data<Sessions>,
) -> Result<HttpResponse, Problem> {
    let listed = sessions.list(&session).await?;
    let bodies: Vec<_> = listed
        .into_iter()
        .map(|listed| ListedSessionBody::new(listed, session.id))
        .collect();
    Ok(ApiResponse::new(bodies).ok())
}

/// Ends a session of the signed-in account. Its bearer tokens become invalid, and its connections
/// are closed. Needs a recent authentication.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("session" = [])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[delete("/sessions/{id}")]
async fn end(
    request: HttpRequest,
    RecentSession(session): RecentSession,
    Id(id): Id<SessionId>,
    sessions: web::Data<Sessions>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    sessions.end(&session, id).await?;
    let ended = SecurityRecord {
        subject: Some(&session.user.id),
        object: Some(&id),
        ..SecurityRecord::new(SecurityEvent::SessionEnded)
    };
    record(&request, ended);
    let mut response = ApiResponse::deleted(id);
    if id == session.id {
        cookies.remove_session(&mut response)?;
    }
    Ok(response)
}

/// Ends every other session of the signed-in account. Needs a recent authentication.
#[utoipa::path(
    tag = "identity",
    responses((status = 200, body = ApiResponse<EndedBody>), ErrorResponses),
    security(("session" = [])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[delete("/sessions")]
async fn end_others(
    request: HttpRequest,
    RecentSession(session): RecentSession,
    sessions: web::Data<Sessions>,
) -> Result<HttpResponse, Problem> {
    let ended = sessions.end_others(&session).await?;
    let outcome = SecurityRecord {
        subject: Some(&session.user.id),
        object: Some(&"all other sessions"),
        ..SecurityRecord::new(SecurityEvent::SessionEnded)
    };
    record(&request, outcome);
    Ok(ApiResponse::new(EndedBody { ended }).ok())
}

/// The routes of sessions.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(list).service(end).service(end_others);
}
