//! The routes for the updates of an incident.

use actix_web::{HttpResponse, get, patch, post, web};
use allclear_application::incident::Incidents;
use allclear_application::timestamp;
use allclear_domain::id::{IncidentId, IncidentUpdateId};
use allclear_domain::incident::IncidentStatus;
use allclear_domain::incident_update::{
    IncidentUpdate, IncidentUpdateDraft, IncidentUpdatePatch, check_deletion,
};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api_response::{AllDeleted, ApiResponse, list as list_response};
use crate::author::AuthorBody;
use crate::caller::{Editor, Viewer};
use crate::change_options::{display_time, notify};
use crate::component::STATUS_MESSAGE;
use crate::idempotency::Repeatable;
use crate::if_match::IfMatch;
use crate::input::{Body, FieldInput, Parsed, Text, Timestamp};
use crate::page_query::{PageQuery, RequestedPage};
use crate::path::{Id, UpdateId};
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// An update of an incident as operators see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentUpdate)]
struct IncidentUpdateBody {
    /// Identifier, a `UUIDv7`.
    id: String,
    /// Public code of 12 characters, for addresses.
    code: String,
    /// Identifier of the incident.
    incident_id: String,
    /// Status that the update gave the incident.
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

impl From<&IncidentUpdate> for IncidentUpdateBody {
    fn from(update: &IncidentUpdate) -> Self {
        Self {
            id: update.id.to_string(),
            code: update.id.code().to_string(),
            incident_id: update.incident_id.to_string(),
            status: update.status,
            message: update.message.clone(),
            user: (&update.author).into(),
            created_at: update.created_at,
            display_at: update.display_at,
        }
    }
}

/// Fields of an update. An edit leaves absent fields unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentUpdateInput)]
struct IncidentUpdateInput {
    /// 1 to 10,000 characters. Required to record an update.
    #[serde(default)]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 10_000)]
    message: FieldInput<Text>,
    /// Status that the update gives the incident. `INVESTIGATING` if absent when recording.
    #[serde(default)]
    #[schema(value_type = IncidentStatus, required = false)]
    status: FieldInput<Parsed<IncidentStatus>>,
    /// Time at which the update is displayed, which orders the timeline: RFC 3339, or `2026-01-31T09:30` in UTC, not in the
    /// future. Null means the time at which it was recorded.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = "date-time", required = false)]
    display_at: FieldInput<Timestamp>,
    /// Whether the change notifies subscribers. The organisation's `notifyByDefault` if absent.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    notify: FieldInput<bool>,
}

impl IncidentUpdateInput {
    fn draft(self) -> Result<IncidentUpdateDraft, Invalid> {
        let (patch, mut invalid) = self.read();
        let draft = IncidentUpdateDraft {
            message: patch.message.unwrap_or_default(),
            status: patch.status.unwrap_or_default(),
            display_at: patch.display_at.unwrap_or_default(),
            notify: patch.notify,
        };
        invalid.check(&draft);
        invalid.into_result()?;
        Ok(draft)
    }

    fn patch(self) -> Result<IncidentUpdatePatch, Invalid> {
        let (patch, invalid) = self.read();
        invalid.into_result()?;
        Ok(patch)
    }

    fn read(self) -> (IncidentUpdatePatch, Invalid) {
        let mut invalid = Invalid::default();
        let patch = IncidentUpdatePatch {
            message: self
                .message
                .optional("message", "Message is required", &mut invalid)
                .map(|text| text.0),
            status: self
                .status
                .optional("status", STATUS_MESSAGE, &mut invalid)
                .map(|word| word.0),
            display_at: display_time(self.display_at, &mut invalid),
            notify: notify(self.notify, &mut invalid),
        };
        (patch, invalid)
    }
}

/// Updates to delete, each once.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeleteIncidentUpdates)]
struct DeletionInput {
    /// Identifiers of at least one update.
    #[serde(default)]
    #[schema(value_type = Vec<String>, min_items = 1, required = true)]
    incident_update_ids: FieldInput<Vec<FieldInput<Parsed<IncidentUpdateId>>>>,
}

impl DeletionInput {
    fn read(self) -> Result<Vec<IncidentUpdateId>, Invalid> {
        let mut invalid = Invalid::default();
        let message = "At least one update is required";
        let rows = self
            .incident_update_ids
            .required("incidentUpdateIds", message, &mut invalid)
            .unwrap_or_default();
        let mut ids = Vec::with_capacity(rows.len());
        for (index, id) in rows.into_iter().enumerate() {
            let id = id.required(
                &format!("incidentUpdateIds[{index}]"),
                "Update is required",
                &mut invalid,
            );
            ids.extend(id.map(|word| word.0));
        }
        invalid.into_result()?;
        check_deletion(&ids)?;
        Ok(ids)
    }
}

/// Lists the updates of an incident, newest first.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid"), PageQuery),
    responses((status = 200, body = ApiResponse<Vec<IncidentUpdateBody>>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}/updates/list")]
async fn list_updates(
    operator: Viewer,
    id: Id<IncidentId>,
    page: RequestedPage,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let listed = incidents
        .updates(&operator.organisation, id.0, page.0)
        .await?;
    Ok(list_response(&listed, page.is_part(), |update| {
        IncidentUpdateBody::from(update)
    }))
}

/// Records an update. If it is the newest one, the incident takes its status. 409 if the incident is resolved, unless the update is
/// displayed before the resolution; then the incident stays resolved.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    request_body = IncidentUpdateInput,
    responses((status = 201, body = ApiResponse<IncidentUpdateBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/updates/create")]
async fn record_update(
    operator: Editor,
    id: Id<IncidentId>,
    repeatable: Repeatable,
    body: Body<IncidentUpdateInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let respond = |recorded: &IncidentUpdate| {
        ApiResponse::new(IncidentUpdateBody::from(recorded)).created(recorded.version)
    };
    let draft = body.0.draft()?;
    let record = incidents.record_update(&operator.organisation, id.0, draft, operator.author());
    repeatable.create(&operator, respond, record).await
}

/// Returns an update. The `ETag` header is its version.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid"), ("update_id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<IncidentUpdateBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}/updates/{update_id}")]
async fn read_update(
    operator: Viewer,
    id: Id<IncidentId>,
    update: UpdateId<IncidentUpdateId>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let update = incidents
        .find_update(&operator.organisation, id.0, update.0)
        .await?;
    Ok(ApiResponse::new(IncidentUpdateBody::from(&update)).item(update.version))
}

/// Changes the given fields of an update. A new status of the newest update, and the status of an update that becomes the newest one,
/// also becomes the status of the incident.
#[utoipa::path(
    tag = "incidents",
    params(
        ("id" = String, Path, format = "uuid"),
        ("update_id" = String, Path, format = "uuid"),
        ("If-Match" = Option<String>, Header)
    ),
    request_body = IncidentUpdateInput,
    responses((status = 200, body = ApiResponse<IncidentUpdateBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[patch("/{id}/updates/{update_id}")]
async fn edit_update(
    operator: Editor,
    id: Id<IncidentId>,
    update: UpdateId<IncidentUpdateId>,
    if_match: IfMatch,
    body: Body<IncidentUpdateInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let patch = body.0.patch()?;
    let edited = incidents
        .edit_update(&operator.organisation, id.0, update.0, patch, if_match.0)
        .await?;
    Ok(ApiResponse::new(IncidentUpdateBody::from(&edited)).item(edited.version))
}

/// Deletes updates, all or none. If the newest update is deleted, the incident takes the status of
/// the newest remaining one.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    request_body = DeletionInput,
    responses((status = 200, body = ApiResponse<AllDeleted>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/updates/delete")]
async fn delete_updates(
    operator: Editor,
    id: Id<IncidentId>,
    body: Body<DeletionInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let updates = body.0.read()?;
    let ids = updates.iter().map(ToString::to_string).collect();
    incidents
        .delete_updates(&operator.organisation, id.0, updates)
        .await?;
    Ok(ApiResponse::new(AllDeleted { ids }).ok())
}

/// The routes under `/incident/{id}/updates`.
pub(super) fn routes(config: &mut impl Routes) {
    // Before `{update_id}`, which would match `list` too.
    config
        .service(list_updates)
        .service(record_update)
        .service(delete_updates)
        .service(read_update)
        .service(edit_update);
}
