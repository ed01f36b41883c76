//! Invitations to an organisation, and their links.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use allclear_application::invitation::{Invitation, Invitations, InvitingOrganisation};
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::timestamp;
use allclear_domain::account::AddressDraft;
use allclear_domain::id::InvitationId;
use allclear_domain::membership::Role;
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::input::{LinkInput, checked, text};
use super::session::{RecentSession, SessionForWrite, UsableSession};
use super::throttle::IdentityThrottle;
use crate::limit::client_network::client;
use crate::limit::concurrency::release;
use crate::request::body::Body;
use crate::request::field::{CHOICE_MESSAGE, FieldInput, Parsed, Text};
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::response::api_response::{ApiResponse, Deleted, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::record;
use crate::status_page::parse_organisation_id;

/// A pending invitation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Invitation)]
struct InvitationBody {
    #[schema(format = "uuid")]
    id: String,
    email: String,
    role: Role,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "timestamp::serialize")]
    expires_at: DateTime<Utc>,
}

impl From<&Invitation> for InvitationBody {
    fn from(invitation: &Invitation) -> Self {
        Self {
            id: invitation.id.to_string(),
            email: invitation.email.clone(),
            role: invitation.role,
            created_at: invitation.created_at,
            expires_at: invitation.expires_at,
        }
    }
}

/// Fields of a new invitation.
#[derive(Debug, Deserialize, ToSchema)]
struct InvitationInput {
    #[serde(default)]
    #[schema(value_type = String, format = "email", max_length = 254, required = true)]
    email: FieldInput<Text>,
    /// Role of the new member. `editor` if absent.
    #[serde(default)]
    #[schema(value_type = Role, required = false)]
    role: FieldInput<Parsed<Role>>,
}

/// Lists the pending invitations, newest first. Only for admins.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path), PageQuery),
    responses((status = 200, body = ApiResponse<Vec<InvitationBody>>), ErrorResponses),
    security(("session" = ["admin"]))
)]
#[get("/organisations/{id}/invitations")]
async fn list(
    UsableSession(session): UsableSession,
    id: web::Path<String>,
    requested: RequestedPage,
    invitations: web::Data<Invitations>,
) -> Result<HttpResponse, Problem> {
    let organisation = parse_organisation_id(&id)?;
    let listed = invitations
        .list(&session, &organisation, requested.page)
        .await?;
    Ok(list_response(&listed, requested, |invitation| {
        InvitationBody::from(invitation)
    }))
}

/// Invites an address, and replaces an earlier invitation of the same address. Only for admins.
/// Needs a recent authentication. If the mail cannot be sent, the invitation is stored all the same;
/// the response is 503, or 409 if the receiver rejects the mail, and its message names the reason.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path)),
    request_body = InvitationInput,
    responses((status = 201, body = ApiResponse<InvitationBody>), ErrorResponses),
    security(("session" = ["admin"])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[post("/organisations/{id}/invitations")]
async fn invite(
    request: HttpRequest,
    RecentSession(session): RecentSession,
    id: web::Path<String>,
    body: Body<InvitationInput>,
    invitations: web::Data<Invitations>,
    throttle: web::Data<IdentityThrottle>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = AddressDraft {
        email: text(body.0.email, "email", "Invalid email address", &mut invalid),
    };
    let role = body
        .0
        .role
        .optional("role", CHOICE_MESSAGE, &mut invalid)
        .map_or(Role::Editor, |role| role.0);
    checked(&draft, invalid)?;
    throttle.invite.take_or_refuse(&client(&request))?;
    // The mail server may take minutes.
    release(&request);
    let invitation = invitations
        .invite(&session, &parse_organisation_id(&id)?, draft, role)
        .await?;
    let invited = SecurityRecord {
        subject: Some(&session.user.id),
        organisation: Some(&id),
        object: Some(&invitation.id),
        detail: Some(role.as_ref()),
        ..SecurityRecord::new(SecurityEvent::Invited)
    };
    record(&request, invited);
    Ok(HttpResponse::Created().json(ApiResponse::new(InvitationBody::from(&invitation))))
}

/// Revokes an invitation. Only for admins.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path), ("invitation_id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("session" = ["admin"]))
)]
#[delete("/organisations/{id}/invitations/{invitation_id}")]
async fn revoke(
    request: HttpRequest,
    SessionForWrite(session): SessionForWrite,
    path: web::Path<(String, Uuid)>,
    invitations: web::Data<Invitations>,
) -> Result<HttpResponse, Problem> {
    let (organisation, id) = (parse_organisation_id(&path.0)?, InvitationId(path.1));
    invitations.revoke(&session, &organisation, id).await?;
    let revoked = SecurityRecord {
        subject: Some(&session.user.id),
        organisation: Some(&organisation),
        object: Some(&id),
        ..SecurityRecord::new(SecurityEvent::InvitationRevoked)
    };
    record(&request, revoked);
    Ok(ApiResponse::deleted(id))
}

/// The organisation of an invitation.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvitingOrganisation)]
struct InvitingOrganisationBody {
    id: String,
    name: String,
}

impl From<&InvitingOrganisation> for InvitingOrganisationBody {
    fn from(organisation: &InvitingOrganisation) -> Self {
        Self {
            id: organisation.id.to_string(),
            name: organisation.name.clone(),
        }
    }
}

/// What an invitation is to.
#[derive(Debug, Serialize, ToSchema)]
struct InspectedInvitation {
    /// The organisation; null if the invitation is to the installation.
    #[schema(required)]
    organisation: Option<InvitingOrganisationBody>,
    email: String,
    role: Role,
}

/// Returns what an invitation is to. The link's token is enough.
#[utoipa::path(
    tag = "identity",
    request_body = LinkInput,
    responses((status = 200, body = ApiResponse<InspectedInvitation>), ErrorResponses)
)]
#[post("/invitations/inspect")]
async fn inspect(
    request: HttpRequest,
    body: Body<LinkInput>,
    invitations: web::Data<Invitations>,
    throttle: web::Data<IdentityThrottle>,
) -> Result<HttpResponse, Problem> {
    throttle.verify.take_or_refuse(&client(&request))?;
    let found = invitations.inspect(&body.0.token()?).await?;
    let organisation = found
        .organisation
        .as_ref()
        .map(InvitingOrganisationBody::from);
    Ok(ApiResponse::new(InspectedInvitation {
        organisation,
        email: found.email,
        role: found.role,
    })
    .ok())
}

/// Result of accepting an invitation.
#[derive(Debug, Serialize, ToSchema)]
struct AcceptedInvitation {
    /// The organisation; null if the invitation was to the installation.
    #[schema(required)]
    organisation: Option<InvitingOrganisationBody>,
}

/// Accepts an invitation, once. A member keeps a role that has more rights.
#[utoipa::path(
    tag = "identity",
    request_body = LinkInput,
    responses((status = 200, body = ApiResponse<AcceptedInvitation>), ErrorResponses),
    security(("session" = []))
)]
#[post("/invitations/accept")]
async fn accept(
    request: HttpRequest,
    SessionForWrite(session): SessionForWrite,
    body: Body<LinkInput>,
    invitations: web::Data<Invitations>,
    throttle: web::Data<IdentityThrottle>,
) -> Result<HttpResponse, Problem> {
    throttle.verify.take_or_refuse(&client(&request))?;
    let accepted = invitations.accept(&session, &body.0.token()?).await?;
    let organisation = accepted
        .organisation
        .as_ref()
        .map(InvitingOrganisationBody::from);
    let joined = SecurityRecord {
        subject: Some(&session.user.id),
        organisation: organisation.as_ref().map(|inviting| &inviting.id as _),
        ..SecurityRecord::new(SecurityEvent::InvitationAccepted)
    };
    record(&request, joined);
    Ok(ApiResponse::new(AcceptedInvitation { organisation }).ok())
}

/// The invitation routes.
pub(crate) fn routes(config: &mut impl Routes) {
    config
        .service(list)
        .service(invite)
        .service(revoke)
        .service(inspect)
        .service(accept);
}
