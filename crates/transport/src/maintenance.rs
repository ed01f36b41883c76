//! The maintenance routes.

mod input;
mod update;

use actix_web::{HttpResponse, delete, get, patch, post, web};
use allclear_application::maintenance::{MaintenanceReport, Maintenances};
use allclear_application::status_page::maintenance::{
    MaintenanceComponent, MaintenanceTimelineEntry,
};
use allclear_application::timestamp;
use allclear_domain::id::MaintenanceId;
use allclear_domain::maintenance::MaintenanceStatus;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::maintenance::input::{MaintenanceInput, MaintenancePatchInput};
use crate::request::body::Body;
use crate::request::caller::{CanRead, CanWrite};
use crate::request::idempotency::Repeatable;
use crate::request::if_match::IfMatch;
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::request::path::Id;
use crate::response::api_response::{ApiResponse, Deleted, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// A maintenance as operators see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Maintenance)]
pub(crate) struct MaintenanceBody {
    /// Identifier, a `UUIDv7`.
    #[schema(format = "uuid")]
    id: String,
    /// Public code of 12 characters, for addresses.
    code: String,
    title: String,
    description: String,
    /// Status, derived from the times and the clock.
    status: MaintenanceStatus,
    /// Start of the maintenance.
    #[serde(serialize_with = "timestamp::serialize")]
    start_at: DateTime<Utc>,
    /// Last moment of the maintenance; null if it is not known yet.
    #[serde(serialize_with = "timestamp::serialize_option")]
    #[schema(required)]
    end_at: Option<DateTime<Utc>>,
    /// Whether its beginning and its end notify subscribers. Never public.
    notify: bool,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "timestamp::serialize")]
    updated_at: DateTime<Utc>,
    /// The newest updates, at most 100, newest first.
    timeline: Vec<MaintenanceTimelineEntry>,
    /// Whether there are older updates; absent if there are none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    timeline_truncated: bool,
    /// Affected components, newest component first. They are under maintenance while it is
    /// in progress.
    components: Vec<MaintenanceComponent>,
    /// Whether a list has no room for all components; absent if the components are complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    components_truncated: bool,
}

impl From<&MaintenanceReport> for MaintenanceBody {
    fn from(report: &MaintenanceReport) -> Self {
        let MaintenanceReport {
            maintenance,
            timeline,
            ..
        } = report;
        Self {
            id: maintenance.id.to_string(),
            code: maintenance.id.code().to_string(),
            title: maintenance.title.clone(),
            description: maintenance.description.clone(),
            status: report.status(),
            start_at: maintenance.start_at,
            end_at: maintenance.end_at,
            notify: maintenance.notify,
            created_at: maintenance.created_at,
            updated_at: maintenance.updated_at,
            timeline: timeline.clone(),
            timeline_truncated: report.timeline_truncated,
            components: report.components.clone(),
            components_truncated: report.components_truncated,
        }
    }
}

/// Lists the maintenances of the organisation, newest first.
#[utoipa::path(
    tag = "maintenances",
    params(PageQuery),
    responses((status = 200, body = ApiResponse<Vec<MaintenanceBody>>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/list")]
async fn list(
    caller: CanRead,
    requested: RequestedPage,
    maintenances: web::Data<Maintenances>,
) -> Result<HttpResponse, Problem> {
    let listed = maintenances
        .list(&caller.organisation, requested.page)
        .await?;
    Ok(list_response(&listed, requested, |report| {
        MaintenanceBody::from(report)
    }))
}

/// Creates a maintenance.
#[utoipa::path(
    tag = "maintenances",
    request_body = MaintenanceInput,
    responses((status = 201, body = ApiResponse<MaintenanceBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/create")]
async fn create(
    caller: CanWrite,
    repeatable: Repeatable,
    body: Body<MaintenanceInput>,
    maintenances: web::Data<Maintenances>,
) -> Result<HttpResponse, Problem> {
    let respond = |created: &MaintenanceReport| {
        ApiResponse::new(MaintenanceBody::from(created)).created(created.maintenance.version)
    };
    let create = maintenances.create(&caller.organisation, body.0.draft()?);
    repeatable.create(&caller, respond, create).await
}

/// Returns a maintenance. The `ETag` header is its version.
#[utoipa::path(
    tag = "maintenances",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<MaintenanceBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}")]
async fn read(
    caller: CanRead,
    id: Id<MaintenanceId>,
    maintenances: web::Data<Maintenances>,
) -> Result<HttpResponse, Problem> {
    let report = maintenances.find(&caller.organisation, id.0).await?;
    Ok(ApiResponse::new(MaintenanceBody::from(&report)).item(report.maintenance.version))
}

/// Changes the given fields of a maintenance. An `endAt` alone that is at most a minute ahead
/// completes the maintenance; 409 before its start and after its end.
#[utoipa::path(
    tag = "maintenances",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    request_body = MaintenancePatchInput,
    responses((status = 200, body = ApiResponse<MaintenanceBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[patch("/{id}")]
async fn edit(
    caller: CanWrite,
    id: Id<MaintenanceId>,
    if_match: IfMatch,
    body: Body<MaintenancePatchInput>,
    maintenances: web::Data<Maintenances>,
) -> Result<HttpResponse, Problem> {
    let edited = maintenances
        .edit(&caller.organisation, id.0, body.0.patch()?, if_match.0)
        .await?;
    Ok(ApiResponse::new(MaintenanceBody::from(&edited)).item(edited.maintenance.version))
}

/// Deletes a maintenance with its updates.
#[utoipa::path(
    tag = "maintenances",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[delete("/{id}")]
async fn remove(
    caller: CanWrite,
    id: Id<MaintenanceId>,
    if_match: IfMatch,
    maintenances: web::Data<Maintenances>,
) -> Result<HttpResponse, Problem> {
    maintenances
        .delete(&caller.organisation, id.0, if_match.0)
        .await?;
    Ok(ApiResponse::deleted(id.0))
}

/// The routes under `/maintenance`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.scope("/maintenance", |routes| {
        routes
            .service(list)
            .service(create)
            .service(read)
            .service(edit)
            .service(remove);
        update::routes(routes);
    });
}
