//! The incident routes.

mod component;
mod review;
mod update;

use actix_web::{HttpResponse, delete, get, patch, post, web};
use allclear_application::incident::{IncidentReport, Incidents};
use allclear_application::status_page::incident::IncidentTimelineEntry;
use allclear_application::timestamp;
use allclear_domain::id::IncidentId;
use allclear_domain::impact::{Attachment, check_once};
use allclear_domain::incident::{IncidentDraft, IncidentPatch, IncidentStatus};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::component::STATUS_MESSAGE;
use crate::incident::component::{AttachmentInput, attachments};
use crate::request::caller::{CanRead, CanWrite};
use crate::request::idempotency::Repeatable;
use crate::request::if_match::IfMatch;
use crate::request::input::{Body, FieldInput, Parsed, Text, Timestamp};
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::request::path::Id;
use crate::response::api_response::{ApiResponse, Deleted, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::update::change_options::notify;

/// Validation message of a create for an invalid time.
const TIME_MESSAGE_OF_CREATE: &str = "Invalid date format";
/// Validation message of an edit for an invalid time.
const TIME_MESSAGE_OF_EDIT: &str = "Please enter a valid date and time";

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

/// Fields of a new incident.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentInput)]
struct IncidentInput {
    /// 1 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 200, required = true)]
    title: FieldInput<Text>,
    /// 1 to 10,000 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 10_000, required = true)]
    description: FieldInput<Text>,
    /// Status. `INVESTIGATING` if absent.
    #[serde(default)]
    #[schema(value_type = IncidentStatus, required = false)]
    status: FieldInput<Parsed<IncidentStatus>>,
    /// Time at which the incident occurred: RFC 3339; in UTC if it has no offset. The current
    /// time if absent.
    #[serde(default)]
    #[schema(value_type = String, format = "date-time", required = false)]
    occured_at: FieldInput<Timestamp>,
    /// Time at which a past incident was resolved, in the same forms: only with `RESOLVED`, not before `occuredAt`, not in the
    /// future. The impact on the components becomes part of their history; their current status stays.
    #[serde(default)]
    #[schema(value_type = String, format = "date-time", required = false)]
    resolved_at: FieldInput<Timestamp>,
    /// Whether the creation notifies subscribers. The organisation's `notifyByDefault` if absent, and false with `resolvedAt`.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    notify: FieldInput<bool>,
    /// Affected components, each once.
    #[serde(default)]
    #[schema(value_type = Vec<AttachmentInput>, required = false)]
    components: FieldInput<Vec<AttachmentInput>>,
}

impl IncidentInput {
    fn draft(self) -> Result<(IncidentDraft, Vec<Attachment>), Invalid> {
        let mut invalid = Invalid::default();
        let fields = IncidentPatchInput {
            title: self.title,
            description: self.description,
            status: self.status,
            occured_at: self.occured_at,
            resolved_at: self.resolved_at,
            notify: self.notify,
        };
        let patch = fields.read(TIME_MESSAGE_OF_CREATE, &mut invalid);
        let draft = IncidentDraft {
            title: patch.title.unwrap_or_default(),
            description: patch.description.unwrap_or_default(),
            status: patch.status.unwrap_or_default(),
            occured_at: patch.occured_at,
            resolved_at: patch.resolved_at,
            notify: patch.notify,
        };
        invalid.check(&draft);
        let rows =
            self.components
                .optional("components", "Must be a list of components", &mut invalid);
        let rows = rows.unwrap_or_default();
        let count = rows.len();
        let components = attachments(rows, &mut invalid);
        if components.len() == count {
            check_once(&components, &mut invalid);
        }
        invalid.into_result()?;
        Ok((draft, components))
    }
}

/// Changes to an incident. Absent fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentPatch)]
struct IncidentPatchInput {
    /// 1 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 200)]
    title: FieldInput<Text>,
    /// 1 to 10,000 characters.
    #[serde(default)]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 10_000)]
    description: FieldInput<Text>,
    /// Status. Any status but `RESOLVED` reopens a resolved incident.
    #[serde(default)]
    #[schema(value_type = IncidentStatus, required = false)]
    status: FieldInput<Parsed<IncidentStatus>>,
    /// Time at which the incident occurred: RFC 3339; in UTC if it has no offset.
    #[serde(default)]
    #[schema(value_type = String, format = "date-time", required = false)]
    occured_at: FieldInput<Timestamp>,
    /// Time at which the incident was resolved, in the same forms: only together with `RESOLVED`, not before `occuredAt`, not in
    /// the future.
    #[serde(default)]
    #[schema(value_type = String, format = "date-time", required = false)]
    resolved_at: FieldInput<Timestamp>,
    /// Whether the change notifies subscribers. The organisation's `notifyByDefault` if absent, and false with `resolvedAt`.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    notify: FieldInput<bool>,
}

impl IncidentPatchInput {
    fn patch(self) -> Result<IncidentPatch, Invalid> {
        let mut invalid = Invalid::default();
        let patch = self.read(TIME_MESSAGE_OF_EDIT, &mut invalid);
        invalid.into_result()?;
        Ok(patch)
    }

    fn read(self, time_message: &str, invalid: &mut Invalid) -> IncidentPatch {
        IncidentPatch {
            title: self
                .title
                .optional("title", "Title is required", invalid)
                .map(|text| text.0),
            description: self
                .description
                .optional("description", "Description is required", invalid)
                .map(|text| text.0),
            status: self
                .status
                .optional("status", STATUS_MESSAGE, invalid)
                .map(|word| word.0),
            occured_at: self
                .occured_at
                .optional("occuredAt", time_message, invalid)
                .map(|moment| moment.0),
            resolved_at: self
                .resolved_at
                .optional("resolvedAt", time_message, invalid)
                .map(|moment| moment.0),
            notify: notify(self.notify, invalid),
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
    page: RequestedPage,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let listed = incidents.list(&caller.organisation, page.0).await?;
    Ok(list_response(&listed, page.is_part(), |report| {
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
    Ok(ApiResponse::new(Deleted {
        id: id.0.to_string(),
    })
    .ok())
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
