//! The incident routes.

mod component;
mod input;
mod review;
mod update;

use actix_web::{HttpResponse, delete, get, patch, post, web};
use allclear_application::incident::{IncidentReport, Incidents};
use allclear_application::status_page::incident::IncidentTimelineEntry;
use allclear_application::timestamp;
use allclear_domain::id::IncidentId;
use allclear_domain::incident::IncidentStatus;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::incident::input::{IncidentInput, IncidentPatchInput};
use crate::request::body::Body;
use crate::request::caller::{CanRead, CanWrite};
use crate::request::idempotency::Repeatable;
use crate::request::if_match::IfMatch;
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::request::path::Id;
use crate::response::api_response::{ApiResponse, Deleted, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// An incident as operators see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Incident)]
pub(crate) struct IncidentBody {
    /// Identifier, a `UUIDv7`.
    #[schema(format = "uuid")]
    id: String,
    /// Public code of 12 characters, for addresses.
    code: String,
    title: String,
    description: String,
    status: IncidentStatus,
    /// Time at which the incident occurred.
    #[serde(serialize_with = "timestamp::serialize")]
    occured_at: DateTime<Utc>,
    /// Time since which the incident is resolved; null while it is not.
    #[serde(serialize_with = "timestamp::serialize_option")]
    #[schema(required)]
    resolved_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "timestamp::serialize")]
    updated_at: DateTime<Utc>,
    /// The newest updates, at most 100, newest first.
    #[serde(rename = "IncidentTimeline")]
    timeline: Vec<IncidentTimelineEntry>,
    /// Whether there are older updates; absent if there are none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    timeline_truncated: bool,
}

impl From<&IncidentReport> for IncidentBody {
    fn from(report: &IncidentReport) -> Self {
        let incident = &report.incident;
        Self {
            id: incident.id.to_string(),
            code: incident.id.code().to_string(),
            title: incident.title.clone(),
            description: incident.description.clone(),
            status: incident.status,
            occured_at: incident.occured_at,
            resolved_at: incident.resolved_at,
            created_at: incident.created_at,
            updated_at: incident.updated_at,
            timeline: report.timeline.clone(),
            timeline_truncated: report.timeline_truncated,
        }
    }
}

/// Lists the incidents of the organisation, newest first.
#[utoipa::path(
    tag = "incidents",
    params(PageQuery),
    responses((status = 200, body = ApiResponse<Vec<IncidentBody>>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/list")]
async fn list(
    caller: CanRead,
    requested: RequestedPage,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let listed = incidents.list(&caller.organisation, requested.page).await?;
    Ok(list_response(&listed, requested, |report| {
        IncidentBody::from(report)
    }))
}

/// Creates an incident with its affected components.
#[utoipa::path(
    tag = "incidents",
    request_body = IncidentInput,
    responses((status = 201, body = ApiResponse<IncidentBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/create")]
async fn create(
    caller: CanWrite,
    repeatable: Repeatable,
    body: Body<IncidentInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let respond = |created: &IncidentReport| {
        ApiResponse::new(IncidentBody::from(created)).created(created.incident.version)
    };
    let (draft, components) = body.0.draft()?;
    let create = incidents.create(&caller.organisation, draft, components);
    repeatable.create(&caller, respond, create).await
}

/// Returns an incident. The `ETag` header is its version.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<IncidentBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}")]
async fn read(
    caller: CanRead,
    id: Id<IncidentId>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let report = incidents.find(&caller.organisation, id.0).await?;
    Ok(ApiResponse::new(IncidentBody::from(&report)).item(report.incident.version))
}

/// Changes the given fields of an incident.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    request_body = IncidentPatchInput,
    responses((status = 200, body = ApiResponse<IncidentBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[patch("/{id}")]
async fn edit(
    caller: CanWrite,
    id: Id<IncidentId>,
    if_match: IfMatch,
    body: Body<IncidentPatchInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let edited = incidents
        .edit(&caller.organisation, id.0, body.0.patch()?, if_match.0)
        .await?;
    Ok(ApiResponse::new(IncidentBody::from(&edited)).item(edited.incident.version))
}

/// Deletes an incident with its updates, and removes its impact on components.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[delete("/{id}")]
async fn remove(
    caller: CanWrite,
    id: Id<IncidentId>,
    if_match: IfMatch,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    incidents
        .delete(&caller.organisation, id.0, if_match.0)
        .await?;
    Ok(ApiResponse::deleted(id.0))
}

/// The routes under `/incident`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.scope("/incident", |routes| {
        routes
            .service(list)
            .service(create)
            .service(read)
            .service(edit)
            .service(remove);
        component::routes(routes);
        update::routes(routes);
        review::routes(routes);
    });
}
