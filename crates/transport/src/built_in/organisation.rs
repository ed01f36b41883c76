//! Organisations: creating, renaming and deleting them.

use actix_web::{HttpRequest, HttpResponse, delete, patch, post, web};
use allclear_application::membership::Memberships;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_domain::membership::{Membership, Role};
use allclear_domain::organisation::OrganisationDraft;
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::input::{checked, text};
use super::session::{RecentSession, SessionForWrite};
use crate::request::body::Body;
use crate::request::field::{FieldInput, Text};
use crate::response::api_response::{ApiResponse, Deleted};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::record;
use crate::status_page::parse_organisation_id;

/// An organisation of the signed-in account.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Organisation)]
pub(crate) struct OrganisationBody {
    id: String,
    name: String,
    role: Role,
}

impl From<&Membership> for OrganisationBody {
    fn from(membership: &Membership) -> Self {
        let (id, name) = (membership.organisation.to_string(), membership.name.clone());
        Self {
            id,
            name,
            role: membership.role,
        }
    }
}

/// Fields of an organisation.
#[derive(Debug, Deserialize, ToSchema)]
struct OrganisationInput {
    /// 2 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 2, max_length = 200, required = true)]
    name: FieldInput<Text>,
}

impl OrganisationInput {
    fn draft(self) -> Result<OrganisationDraft, Invalid> {
        let mut invalid = Invalid::default();
        let draft = OrganisationDraft {
            name: text(self.name, "name", "Name is required", &mut invalid),
        };
        checked(&draft, invalid)?;
        Ok(draft)
    }
}

/// Creates an organisation. The signed-in account becomes its admin.
#[utoipa::path(
    tag = "identity",
    request_body = OrganisationInput,
    responses((status = 201, body = ApiResponse<OrganisationBody>), ErrorResponses),
    security(("session" = []))
)]
#[post("/organisations")]
async fn create(
    request: HttpRequest,
    SessionForWrite(session): SessionForWrite,
    body: Body<OrganisationInput>,
    memberships: web::Data<Memberships>,
) -> Result<HttpResponse, Problem> {
    let made = memberships.create(&session, body.0.draft()?).await?;
    let created = SecurityRecord {
        subject: Some(&session.user.id),
        organisation: Some(&made.organisation),
        ..SecurityRecord::new(SecurityEvent::OrganisationCreated)
    };
    record(&request, created);
    Ok(HttpResponse::Created().json(ApiResponse::new(OrganisationBody::from(&made))))
}

/// Renames an organisation. Only for admins.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path)),
    request_body = OrganisationInput,
    responses((status = 200, body = ApiResponse<OrganisationBody>), ErrorResponses),
    security(("session" = ["admin"]))
)]
#[patch("/organisations/{id}")]
async fn rename(
    SessionForWrite(session): SessionForWrite,
    id: web::Path<String>,
    body: Body<OrganisationInput>,
    memberships: web::Data<Memberships>,
) -> Result<HttpResponse, Problem> {
    let renamed = memberships
        .rename(&session, &parse_organisation_id(&id)?, body.0.draft()?)
        .await?;
    Ok(ApiResponse::new(OrganisationBody::from(&renamed)).ok())
}

/// Deletes an organisation with everything that belongs to it. Only for admins. Needs a recent
/// authentication.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path)),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("session" = ["admin"])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[delete("/organisations/{id}")]
async fn remove(
    request: HttpRequest,
    RecentSession(session): RecentSession,
    id: web::Path<String>,
    memberships: web::Data<Memberships>,
) -> Result<HttpResponse, Problem> {
    memberships
        .delete(&session, &parse_organisation_id(&id)?)
        .await?;
    let deleted = SecurityRecord {
        subject: Some(&session.user.id),
        organisation: Some(&id),
        ..SecurityRecord::new(SecurityEvent::OrganisationDeleted)
    };
    record(&request, deleted);
    Ok(ApiResponse::deleted(id.into_inner()))
}

/// The organisation routes.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(create).service(rename).service(remove);
}
