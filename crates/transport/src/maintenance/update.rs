//! The routes for the updates of a maintenance.

use actix_web::{HttpResponse, get, patch, post, web};
use allclear_application::maintenance::Maintenances;
use allclear_application::timestamp;
use allclear_domain::id::{MaintenanceId, MaintenanceUpdateId};
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance_update::MaintenanceUpdate;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::request::body::Body;
use crate::request::caller::{CanRead, CanWrite};
use crate::request::idempotency::Repeatable;
use crate::request::if_match::IfMatch;
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::request::path::{Id, UpdateId};
use crate::response::api_response::{AllDeleted, ApiResponse, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::update::author::AuthorBody;
use crate::update::{ChosenUpdates, UpdateInput, chosen_updates};

/// An update of a maintenance as operators see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceUpdate)]
struct MaintenanceUpdateBody {
    /// Identifier, a `UUIDv7`.
    #[schema(format = "uuid")]
    id: String,
    /// Public code of 12 characters, for addresses.
    code: String,
    /// Identifier of the maintenance.
    #[schema(format = "uuid")]
    maintenance_id: String,
    /// Status the author gave the update.
    status: IncidentStatus,
    message: String,
    /// Author of the update.
    user: AuthorBody,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    /// When it is displayed. It orders the timeline.
    #[serde(serialize_with = "timestamp::serialize")]
    display_at: DateTime<Utc>,
}

impl From<&MaintenanceUpdate> for MaintenanceUpdateBody {
    fn from(update: &MaintenanceUpdate) -> Self {
        Self {
            id: update.id.to_string(),
            code: update.id.code().to_string(),
            maintenance_id: update.maintenance_id.to_string(),
            status: update.status,
            message: update.message.clone(),
            user: AuthorBody::from(&update.author),
            created_at: update.created_at,
            display_at: update.display_at,
        }
    }
}

/// Updates to delete, each once.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeleteMaintenanceUpdates)]
struct DeletionInput {
    /// Identifiers of 1 to 500 updates.
    #[serde(default)]
    #[schema(value_type = Vec<String>, min_items = 1, max_items = 500, required = true)]
    maintenance_update_ids: ChosenUpdates<MaintenanceUpdateId>,
}

/// Lists the updates of a maintenance, newest first.
#[utoipa::path(
    tag = "maintenances",
    params(("id" = String, Path, format = "uuid"), PageQuery),
    responses((status = 200, body = ApiResponse<Vec<MaintenanceUpdateBody>>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}/updates/list")]
async fn list_updates(
    caller: CanRead,
    id: Id<MaintenanceId>,
    requested: RequestedPage,
    maintenances: web::Data<Maintenances>,
) -> Result<HttpResponse, Problem> {
    let listed = maintenances
        .updates(&caller.organisation, id.0, requested.page)
        .await?;
    Ok(list_response(&listed, requested, |update| {
        MaintenanceUpdateBody::from(update)
    }))
}

/// Records an update, whatever the status of the maintenance.
#[utoipa::path(
    tag = "maintenances",
    params(("id" = String, Path, format = "uuid")),
    request_body = UpdateInput,
    responses((status = 201, body = ApiResponse<MaintenanceUpdateBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/updates/create")]
async fn record_update(
    caller: CanWrite,
    id: Id<MaintenanceId>,
    repeatable: Repeatable,
    body: Body<UpdateInput>,
    maintenances: web::Data<Maintenances>,
) -> Result<HttpResponse, Problem> {
    let respond = |recorded: &MaintenanceUpdate| {
        ApiResponse::new(MaintenanceUpdateBody::from(recorded)).created(recorded.version)
    };
    let draft = body.0.draft()?;
    let record = maintenances.record_update(&caller.organisation, id.0, draft, caller.author());
    repeatable.create(&caller, respond, record).await
}

/// Returns an update. The `ETag` header is its version.
#[utoipa::path(
    tag = "maintenances",
    params(("id" = String, Path, format = "uuid"), ("update_id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<MaintenanceUpdateBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}/updates/{update_id}")]
async fn read_update(
    caller: CanRead,
    id: Id<MaintenanceId>,
    update: UpdateId<MaintenanceUpdateId>,
    maintenances: web::Data<Maintenances>,
) -> Result<HttpResponse, Problem> {
    let update = maintenances
        .find_update(&caller.organisation, id.0, update.0)
        .await?;
    Ok(ApiResponse::new(MaintenanceUpdateBody::from(&update)).item(update.version))
}

/// Changes the given fields of an update.
#[utoipa::path(
    tag = "maintenances",
    params(
        ("id" = String, Path, format = "uuid"),
        ("update_id" = String, Path, format = "uuid"),
        ("If-Match" = Option<String>, Header)
    ),
    request_body = UpdateInput,
    responses((status = 200, body = ApiResponse<MaintenanceUpdateBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[patch("/{id}/updates/{update_id}")]
async fn edit_update(
    caller: CanWrite,
    id: Id<MaintenanceId>,
    update: UpdateId<MaintenanceUpdateId>,
    if_match: IfMatch,
    body: Body<UpdateInput>,
    maintenances: web::Data<Maintenances>,
) -> Result<HttpResponse, Problem> {
    let patch = body.0.patch()?;
    let edited = maintenances
        .edit_update(&caller.organisation, id.0, update.0, patch, if_match.0)
        .await?;
    Ok(ApiResponse::new(MaintenanceUpdateBody::from(&edited)).item(edited.version))
}

/// Deletes updates, all or none.
#[utoipa::path(
    tag = "maintenances",
    params(("id" = String, Path, format = "uuid")),
    request_body = DeletionInput,
    responses((status = 200, body = ApiResponse<AllDeleted>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/updates/delete")]
async fn delete_updates(
    caller: CanWrite,
    id: Id<MaintenanceId>,
    body: Body<DeletionInput>,
    maintenances: web::Data<Maintenances>,
) -> Result<HttpResponse, Problem> {
    let updates = chosen_updates(MaintenanceUpdate::IDS, body.0.maintenance_update_ids)?;
    let ids = updates.iter().map(ToString::to_string).collect();
    maintenances
        .delete_updates(&caller.organisation, id.0, updates)
        .await?;
    Ok(ApiResponse::new(AllDeleted { ids }).ok())
}

/// The routes under `/maintenance/{id}/updates`.
pub(super) fn routes(config: &mut impl Routes) {
    // Before `{update_id}`, which would match `list` too.
    config
        .service(list_updates)
        .service(record_update)
        .service(delete_updates)
        .service(read_update)
        .service(edit_update);
}
