//! Whether an organisation requires a second factor of its members.

use actix_web::{HttpResponse, get, put, web};
use allclear_application::second_factor::SecondFactors;
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::session::{RecentSession, UsableSession};
use crate::request::body::Body;
use crate::request::field::{BOOLEAN_MESSAGE, FieldInput};
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::status_page::parse_organisation_id;

/// Whether an organisation requires a second factor of its members.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FactorRequirement)]
struct RequirementBody {
    required: bool,
}

/// Whether an organisation is to require a second factor.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = FactorRequirementInput)]
struct RequirementInput {
    #[serde(default)]
    #[schema(value_type = bool, required = true)]
    required: FieldInput<bool>,
}

/// Returns whether an organisation requires a second factor. For every member.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path)),
    responses((status = 200, body = ApiResponse<RequirementBody>), ErrorResponses),
    security(("session" = ["viewer"]))
)]
#[get("/organisations/{id}/second-factor")]
async fn read(
    UsableSession(session): UsableSession,
    id: web::Path<String>,
    factors: web::Data<SecondFactors>,
) -> Result<HttpResponse, Problem> {
    let organisation = parse_organisation_id(&id)?;
    let required = factors.is_required(&session, &organisation).await?;
    Ok(ApiResponse::new(RequirementBody { required }).ok())
}

/// Sets whether an organisation requires a second factor. Members without one then get no token for
/// the organisation, and can only leave it. Only for admins that have used one: without it, setting
/// the requirement is 409, and ending it is 403 with a `type` that ends in
/// `/second-factor-required`. Needs a recent authentication.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path)),
    request_body = RequirementInput,
    responses((status = 200, body = ApiResponse<RequirementBody>), ErrorResponses),
    security(("session" = ["admin"])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[put("/organisations/{id}/second-factor")]
async fn set(
    RecentSession(session): RecentSession,
    id: web::Path<String>,
    body: Body<RequirementInput>,
    factors: web::Data<SecondFactors>,
) -> Result<HttpResponse, Problem> {
    let organisation = parse_organisation_id(&id)?;
    let mut invalid = Invalid::default();
    let required = body.0.required;
    let Some(required) = required.required("required", BOOLEAN_MESSAGE, &mut invalid) else {
        return Err(invalid.into());
    };
    factors.require(&session, &organisation, required).await?;
    Ok(ApiResponse::new(RequirementBody { required }).ok())
}

/// The routes of requirements.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(read).service(set);
}
