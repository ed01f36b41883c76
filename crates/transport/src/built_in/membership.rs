//! The members of an organisation.

use actix_web::{HttpRequest, HttpResponse, delete, get, patch, web};
use allclear_application::membership::Memberships;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::Sessions;
use allclear_application::timestamp;
use allclear_domain::id::UserId;
use allclear_domain::membership::{Member, Role};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::session::{RecentSession, SessionForWrite, UsableSession};
use crate::request::body::Body;
use crate::request::field::{CHOICE_MESSAGE, FieldInput, Parsed};
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::response::api_response::{ApiResponse, Deleted, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::record;
use crate::status_page::parse_organisation_id;

/// A member as other members see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Member)]
struct MemberBody {
    user_id: String,
    name: String,
    email: String,
    role: Role,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
}

impl From<&Member> for MemberBody {
    fn from(member: &Member) -> Self {
        Self {
            user_id: member.user.to_string(),
            name: member.name.clone(),
            // Published as empty.
            email: member.email.clone().unwrap_or_default(),
            role: member.role,
            created_at: member.created_at,
        }
    }
}

/// A new role.
#[derive(Debug, Deserialize, ToSchema)]
struct RoleInput {
    #[serde(default)]
    #[schema(value_type = Role, required = true)]
    role: FieldInput<Parsed<Role>>,
}

/// Lists the members, by the time at which they joined, newest first. `before` is the `userId` of a
/// member; the response is 422 for any other account. For every member.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path), PageQuery),
    responses((status = 200, body = ApiResponse<Vec<MemberBody>>), ErrorResponses),
    security(("session" = ["viewer"]))
)]
#[get("/organisations/{id}/members")]
async fn list(
    UsableSession(session): UsableSession,
    id: web::Path<String>,
    requested: RequestedPage,
    memberships: web::Data<Memberships>,
) -> Result<HttpResponse, Problem> {
    let organisation = parse_organisation_id(&id)?;
    let listed = memberships
        .members(&session, &organisation, requested.page)
        .await?;
    Ok(list_response(&listed, requested, |member| {
        MemberBody::from(member)
    }))
}

/// Changes the role of a member. Only for admins; the last admin stays an admin. Needs a recent
/// authentication.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path), ("user_id" = String, Path, format = "uuid")),
    request_body = RoleInput,
    responses((status = 200, body = ApiResponse<Role>), ErrorResponses),
    security(("session" = ["admin"])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[patch("/organisations/{id}/members/{user_id}")]
async fn set_role(
    RecentSession(session): RecentSession,
    path: web::Path<(String, Uuid)>,
    body: Body<RoleInput>,
    memberships: web::Data<Memberships>,
) -> Result<HttpResponse, Problem> {
    let (organisation, user) = (parse_organisation_id(&path.0)?, UserId(path.1));
    let mut invalid = Invalid::default();
    let Some(Parsed(role)) = body.0.role.required("role", CHOICE_MESSAGE, &mut invalid) else {
        return Err(invalid.into());
    };
    memberships
        .set_role(&session, &organisation, user, role)
        .await?;
    Ok(ApiResponse::new(role).ok())
}

/// Removes a member. For admins, and for the member; the last admin cannot be removed. Connections
/// opened with the member's tokens are closed. Needs a recent authentication, except for the
/// caller's own membership.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path), ("user_id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("session" = ["admin"])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[delete("/organisations/{id}/members/{user_id}")]
async fn remove(
    request: HttpRequest,
    SessionForWrite(session): SessionForWrite,
    path: web::Path<(String, Uuid)>,
    memberships: web::Data<Memberships>,
    sessions: web::Data<Sessions>,
) -> Result<HttpResponse, Problem> {
    let (organisation, user) = (parse_organisation_id(&path.0)?, UserId(path.1));
    if user != session.user.id {
        sessions.require_recent(&session)?;
    }
    memberships.remove(&session, &organisation, user).await?;
    let removed = SecurityRecord {
        subject: Some(&session.user.id),
        organisation: Some(&organisation),
        object: Some(&user),
        ..SecurityRecord::new(SecurityEvent::MemberRemoved)
    };
    record(&request, removed);
    Ok(ApiResponse::deleted(user))
}

/// The member routes.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(list).service(set_role).service(remove);
}
