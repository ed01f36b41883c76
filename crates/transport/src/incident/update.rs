//! The calls about an incident's updates.

use actix_web::{HttpResponse, get, patch, post, web};
use allclear_application::incident::Incidents;
use allclear_application::public::incident::IncidentStatusWord;
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

use crate::api_response::{AllDeleted, Answer, list as answer_list};
use crate::author::AuthorBody;
use crate::caller::Operator;
use crate::component::STATUS_MESSAGE;
use crate::if_match::IfMatch;
use crate::input::{Body, EnumText, FieldInput, Text};
use crate::page_query::{AskedPage, PageQuery};
use crate::path::{Id, UpdateId};
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// An update of an incident as operators see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentUpdate)]
struct IncidentUpdateBody {
    /// Its identifier, a `UUIDv7`.
    id: String,
    /// The incident it tells of.
    incident_id: String,
    /// The status the incident had from then on.
    #[schema(value_type = IncidentStatusWord)]
    status: &'static str,
    message: String,
    /// Who recorded it.
    user: AuthorBody,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
}

impl From<&IncidentUpdate> for IncidentUpdateBody {
    fn from(update: &IncidentUpdate) -> Self {
        Self {
            id: update.id.to_string(),
            incident_id: update.incident_id.to_string(),
            status: update.status.as_str(),
            message: update.message.clone(),
            user: (&update.author).into(),
            created_at: update.created_at,
        }
    }
}

/// An update to record or, where fields are absent, to change.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = IncidentUpdateInput)]
struct IncidentUpdateInput {
    /// 1 to 10,000 characters; must be there to record one.
    #[serde(default)]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 10_000)]
    message: FieldInput<Text>,
    /// The status the incident has from then on; `INVESTIGATING` when absent from a new one.
    #[serde(default)]
    #[schema(value_type = IncidentStatusWord, required = false)]
    status: FieldInput<EnumText<IncidentStatus>>,
}

impl IncidentUpdateInput {
    fn draft(self) -> Result<IncidentUpdateDraft, Invalid> {
        let (patch, mut invalid) = self.read();
        let draft = IncidentUpdateDraft {
            message: patch.message.unwrap_or_default(),
            status: patch.status.unwrap_or_default(),
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
        };
        (patch, invalid)
    }
}

/// Updates to delete, each once.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeleteIncidentUpdates)]
struct DeletionInput {
    /// At least one update's identifier.
    #[serde(default)]
    #[schema(value_type = Vec<String>, min_items = 1, required = true)]
    incident_update_ids: FieldInput<Vec<FieldInput<EnumText<IncidentUpdateId>>>>,
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

/// Lists an incident's updates, newest first.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid"), PageQuery),
    responses((status = 200, body = Answer<Vec<IncidentUpdateBody>>), ErrorResponses),
    security(("bearer" = []))
)]
#[get("/{id}/updates/list")]
async fn list_updates(
    operator: Operator,
    id: Id<IncidentId>,
    page: AskedPage,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let listed = incidents
        .updates(&operator.organisation, id.0, page.0)
        .await?;
    Ok(answer_list(&listed, page.is_part(), |update| {
        IncidentUpdateBody::from(update)
    }))
}

/// Records an update: the incident takes its status. Refused on a resolved incident.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    request_body = IncidentUpdateInput,
    responses((status = 201, body = Answer<IncidentUpdateBody>), ErrorResponses),
    security(("bearer" = []))
)]
#[post("/{id}/updates/create")]
async fn record_update(
    operator: Operator,
    id: Id<IncidentId>,
    body: Body<IncidentUpdateInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let draft = body.0.draft()?;
    let recorded = incidents
        .record_update(&operator.organisation, id.0, draft, operator.author())
        .await?;
    Ok(Answer::new(IncidentUpdateBody::from(&recorded)).created(recorded.version))
}

/// Reads an update; the `ETag` is its version.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid"), ("update_id" = String, Path, format = "uuid")),
    responses((status = 200, body = Answer<IncidentUpdateBody>), ErrorResponses),
    security(("bearer" = []))
)]
#[get("/{id}/updates/{update_id}")]
async fn read_update(
    operator: Operator,
    id: Id<IncidentId>,
    update: UpdateId<IncidentUpdateId>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let update = incidents
        .find_update(&operator.organisation, id.0, update.0)
        .await?;
    Ok(Answer::new(IncidentUpdateBody::from(&update)).item(update.version))
}

/// Changes the fields the body carries. A change of the newest update's status sets the incident's status.
#[utoipa::path(
    tag = "incidents",
    params(
        ("id" = String, Path, format = "uuid"),
        ("update_id" = String, Path, format = "uuid"),
        ("If-Match" = Option<String>, Header)
    ),
    request_body = IncidentUpdateInput,
    responses((status = 200, body = Answer<IncidentUpdateBody>), ErrorResponses),
    security(("bearer" = []))
)]
#[patch("/{id}/updates/{update_id}")]
async fn edit_update(
    operator: Operator,
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
    Ok(Answer::new(IncidentUpdateBody::from(&edited)).item(edited.version))
}

/// Deletes updates, all or none. Without its newest one the incident goes back to the status of the newest one left.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    request_body = DeletionInput,
    responses((status = 200, body = Answer<AllDeleted>), ErrorResponses),
    security(("bearer" = []))
)]
#[post("/{id}/updates/delete")]
async fn delete_updates(
    operator: Operator,
    id: Id<IncidentId>,
    body: Body<DeletionInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let updates = body.0.read()?;
    let ids = updates.iter().map(ToString::to_string).collect();
    incidents
        .delete_updates(&operator.organisation, id.0, updates)
        .await?;
    Ok(Answer::new(AllDeleted { ids }).ok())
}

/// The calls under `/incident/{id}/updates`.
pub(super) fn calls(config: &mut impl Routes) {
    // `list` is no update's identifier: its call comes first.
    config
        .service(list_updates)
        .service(record_update)
        .service(delete_updates)
        .service(read_update)
        .service(edit_update);
}
