//! The incident calls.

mod component;
mod update;

use actix_web::{HttpResponse, delete, get, patch, post, web};
use allclear_application::incident::{IncidentReport, Incidents};
use allclear_application::public::incident::{IncidentStatusWord, TimelineEntry};
use allclear_application::timestamp;
use allclear_domain::id::IncidentId;
use allclear_domain::impact::{Attachment, check_once};
use allclear_domain::incident::{IncidentDraft, IncidentPatch, IncidentStatus};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api_response::{Answer, Deleted, list as answer_list};
use crate::caller::Operator;
use crate::component::STATUS_MESSAGE;
use crate::if_match::IfMatch;
use crate::incident::component::{AttachmentInput, attachments};
use crate::input::{Body, EnumText, FieldInput, Text, Timestamp};
use crate::page_query::{AskedPage, PageQuery};
use crate::path::Id;
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// What a create says under a time that is none.
const TIME_MESSAGE_OF_CREATE: &str = "Invalid date format";
/// What an edit says under a time that is none.
const TIME_MESSAGE_OF_EDIT: &str = "Please enter a valid date and time";

/// An incident as operators see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Incident)]
struct IncidentBody {
    /// Its identifier, a `UUIDv7`.
    id: String,
    title: String,
    description: String,
    #[schema(value_type = IncidentStatusWord)]
    status: &'static str,
    /// When it happened.
    #[serde(serialize_with = "timestamp::serialize")]
    occured_at: DateTime<Utc>,
    /// Since when it is resolved; null while it is not.
    #[serde(serialize_with = "timestamp::serialize_option")]
    #[schema(required)]
    resolved_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "timestamp::serialize")]
    updated_at: DateTime<Utc>,
    /// The newest of its updates that there is room for, at most 100, newest first.
    #[serde(rename = "IncidentTimeline")]
    timeline: Vec<TimelineEntry>,
    /// Whether it has older updates than these; absent if these are all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    timeline_truncated: bool,
}

impl From<&IncidentReport> for IncidentBody {
    fn from(report: &IncidentReport) -> Self {
        let incident = &report.incident;
        Self {
            id: incident.id.to_string(),
            title: incident.title.clone(),
            description: incident.description.clone(),
            status: incident.status.as_str(),
            occured_at: incident.occured_at,
            resolved_at: incident.resolved_at,
            created_at: incident.created_at,
            updated_at: incident.updated_at,
            timeline: report.timeline.clone(),
            timeline_truncated: report.timeline_truncated,
        }
    }
}

/// An incident to create.
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
    /// `INVESTIGATING` when absent.
    #[serde(default)]
    #[schema(value_type = IncidentStatusWord, required = false)]
    status: FieldInput<EnumText<IncidentStatus>>,
    /// RFC 3339, or `2026-01-31T09:30` read as UTC; now when absent.
    #[serde(default)]
    #[schema(value_type = String, format = "date-time", required = false)]
    occured_at: FieldInput<Timestamp>,
    /// The components it affects, each once.
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
        };
        let patch = fields.read(TIME_MESSAGE_OF_CREATE, &mut invalid);
        let draft = IncidentDraft {
            title: patch.title.unwrap_or_default(),
            description: patch.description.unwrap_or_default(),
            status: patch.status.unwrap_or_default(),
            occured_at: patch.occured_at,
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

/// What changes of an incident.
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
    /// Another one than `RESOLVED` reopens a resolved incident.
    #[serde(default)]
    #[schema(value_type = IncidentStatusWord, required = false)]
    status: FieldInput<EnumText<IncidentStatus>>,
    /// RFC 3339, or `2026-01-31T09:30` read as UTC.
    #[serde(default)]
    #[schema(value_type = String, format = "date-time", required = false)]
    occured_at: FieldInput<Timestamp>,
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
        }
    }
}

/// Lists the organisation's incidents, newest first.
#[utoipa::path(
    tag = "incidents",
    params(PageQuery),
    responses((status = 200, body = Answer<Vec<IncidentBody>>), ErrorResponses),
    security(("bearer" = []))
)]
#[get("/list")]
async fn list(
    operator: Operator,
    page: AskedPage,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let listed = incidents.list(&operator.organisation, page.0).await?;
    Ok(answer_list(&listed, page.is_part(), |report| {
        IncidentBody::from(report)
    }))
}

/// Creates an incident with the components it affects.
#[utoipa::path(
    tag = "incidents",
    request_body = IncidentInput,
    responses((status = 201, body = Answer<IncidentBody>), ErrorResponses),
    security(("bearer" = []))
)]
#[post("/create")]
async fn create(
    operator: Operator,
    body: Body<IncidentInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let (draft, components) = body.0.draft()?;
    let created = incidents
        .create(&operator.organisation, draft, components)
        .await?;
    Ok(Answer::new(IncidentBody::from(&created)).created(created.incident.version))
}

/// Reads an incident; the `ETag` is its version.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = Answer<IncidentBody>), ErrorResponses),
    security(("bearer" = []))
)]
#[get("/{id}")]
async fn read(
    operator: Operator,
    id: Id<IncidentId>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let report = incidents.find(&operator.organisation, id.0).await?;
    Ok(Answer::new(IncidentBody::from(&report)).item(report.incident.version))
}

/// Changes the fields the body carries.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    request_body = IncidentPatchInput,
    responses((status = 200, body = Answer<IncidentBody>), ErrorResponses),
    security(("bearer" = []))
)]
#[patch("/{id}")]
async fn edit(
    operator: Operator,
    id: Id<IncidentId>,
    if_match: IfMatch,
    body: Body<IncidentPatchInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let edited = incidents
        .edit(&operator.organisation, id.0, body.0.patch()?, if_match.0)
        .await?;
    Ok(Answer::new(IncidentBody::from(&edited)).item(edited.incident.version))
}

/// Deletes an incident with its updates. What it held on components is released.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = Answer<Deleted>), ErrorResponses),
    security(("bearer" = []))
)]
#[delete("/{id}")]
async fn remove(
    operator: Operator,
    id: Id<IncidentId>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    incidents.delete(&operator.organisation, id.0).await?;
    Ok(Answer::new(Deleted {
        id: id.0.to_string(),
    })
    .ok())
}

/// The calls under `/incident`.
pub(crate) fn calls(config: &mut impl Routes) {
    config.scope("/incident", |calls| {
        calls
            .service(list)
            .service(create)
            .service(read)
            .service(edit)
            .service(remove);
        component::calls(calls);
        update::calls(calls);
    });
}
