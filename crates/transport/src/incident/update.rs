//! The routes for the updates of an incident.

use actix_web::{HttpResponse, get, patch, post, web};
use allclear_application::incident::Incidents;
use allclear_application::timestamp;
use allclear_domain::id::{IncidentId, IncidentUpdateId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::incident_update::IncidentUpdate;
use allclear_domain::update::UpdateDraft;
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::incident::component::{AttachmentInput, optional_attachments};
use crate::request::body::Body;
use crate::request::caller::{CanRead, CanWrite};
use crate::request::field::FieldInput;
use crate::request::idempotency::Repeatable;
use crate::request::if_match::IfMatch;
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::request::path::{Id, UpdateId};
use crate::response::api_response::{AllDeleted, ApiResponse, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::update::author::AuthorBody;
use crate::update::change_options::notify;
use crate::update::{ChosenUpdates, UpdateInput, chosen_updates};

/// An update of an incident as operators see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentUpdate)]
struct IncidentUpdateBody {
    /// Identifier, a `UUIDv7`.
    #[schema(format = "uuid")]
    id: String,
    /// Public code of 12 characters, for addresses.
    code: String,
    /// Identifier of the incident.
    #[schema(format = "uuid")]
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
            user: AuthorBody::from(&update.author),
            created_at: update.created_at,
            display_at: update.display_at,
        }
    }
}

/// Fields of a new update of an incident.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentUpdateInput)]
struct RecordingInput {
    #[serde(flatten)]
    update: UpdateInput,
    /// New impacts of the incident on components attached to it, each once. The others stay as they
    /// are. None if the incident is resolved, or resolved by the update.
    #[serde(default)]
    #[schema(value_type = Vec<AttachmentInput>, required = false)]
    components: FieldInput<Vec<AttachmentInput>>,
}

impl RecordingInput {
    /// The update, and the impacts that it changes.
    fn read(self) -> Result<(UpdateDraft, Vec<Attachment>), Invalid> {
        let mut invalid = Invalid::default();
        let draft = self.update.read_draft(&mut invalid);
        let components = optional_attachments(self.components, &mut invalid);
        invalid.into_result()?;
        Ok((draft, components))
    }
}

/// Updates to delete, each once.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeleteIncidentUpdates)]
struct DeletionInput {
    /// Identifiers of 1 to 500 updates.
    #[serde(default)]
    #[schema(value_type = Vec<String>, min_items = 1, max_items = 500, required = true)]
    incident_update_ids: ChosenUpdates<IncidentUpdateId>,
    /// Whether a changed status of the incident notifies subscribers. The organisation's
    /// `notifyByDefault` if absent.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    notify: FieldInput<bool>,
}

impl DeletionInput {
    /// The updates, and whether subscribers are notified.
    fn read(self) -> Result<(Vec<IncidentUpdateId>, Option<bool>), Invalid> {
        let updates = chosen_updates(IncidentUpdate::IDS, self.incident_update_ids)?;
        let mut invalid = Invalid::default();
        let notify = notify(self.notify, &mut invalid);
        invalid.into_result()?;
        Ok((updates, notify))
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
    caller: CanRead,
    id: Id<IncidentId>,
    requested: RequestedPage,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let listed = incidents
        .updates(&caller.organisation, id.0, requested.page)
        .await?;
    Ok(list_response(&listed, requested, |update| {
        IncidentUpdateBody::from(update)
    }))
}

/// Records an update. If it is the newest one, the incident takes its status. `components` changes
/// the impacts of the incident in the same step, so that messages about the update name the new
/// ones. 409 if the incident is resolved, unless the update is displayed before the resolution;
/// then the incident stays resolved. 409 also for `components` if the incident is resolved after
/// the update. 422 if it would resolve the incident before `occuredAt`.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    request_body = RecordingInput,
    responses((status = 201, body = ApiResponse<IncidentUpdateBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/updates/create")]
async fn record_update(
    caller: CanWrite,
    id: Id<IncidentId>,
    repeatable: Repeatable,
    body: Body<RecordingInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let respond = |recorded: &IncidentUpdate| {
        ApiResponse::new(IncidentUpdateBody::from(recorded)).created(recorded.version)
    };
    let (draft, components) = body.0.read()?;
    let (organisation, author) = (&caller.organisation, caller.author());
    let record = incidents.record_update(organisation, id.0, draft, components, author);
    repeatable.create(&caller, respond, record).await
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
    caller: CanRead,
    id: Id<IncidentId>,
    update: UpdateId<IncidentUpdateId>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let update = incidents
        .find_update(&caller.organisation, id.0, update.0)
        .await?;
    Ok(ApiResponse::new(IncidentUpdateBody::from(&update)).item(update.version))
}

/// Changes the given fields of an update. A new status of the newest update, and the status of an
/// update that becomes the newest one, also becomes the status of the incident. 422 if that would
/// resolve the incident before `occuredAt`. An update that was recorded after the resolution never
/// changes the status of the incident.
#[utoipa::path(
    tag = "incidents",
    params(
        ("id" = String, Path, format = "uuid"),
        ("update_id" = String, Path, format = "uuid"),
        ("If-Match" = Option<String>, Header)
    ),
    request_body = UpdateInput,
    responses((status = 200, body = ApiResponse<IncidentUpdateBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[patch("/{id}/updates/{update_id}")]
async fn edit_update(
    caller: CanWrite,
    id: Id<IncidentId>,
    update: UpdateId<IncidentUpdateId>,
    if_match: IfMatch,
    body: Body<UpdateInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let patch = body.0.patch()?;
    let edited = incidents
        .edit_update(&caller.organisation, id.0, update.0, patch, if_match.0)
        .await?;
    Ok(ApiResponse::new(IncidentUpdateBody::from(&edited)).item(edited.version))
}

/// Deletes updates, all or none. If the newest update is deleted, the incident takes the status of
/// the newest remaining one. 409 if that would resolve the incident before `occuredAt`.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    request_body = DeletionInput,
    responses((status = 200, body = ApiResponse<AllDeleted>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/updates/delete")]
async fn delete_updates(
    caller: CanWrite,
    id: Id<IncidentId>,
    body: Body<DeletionInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let (updates, notify) = body.0.read()?;
    let ids = updates.iter().map(ToString::to_string).collect();
    incidents
        .delete_updates(&caller.organisation, id.0, updates, notify)
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
