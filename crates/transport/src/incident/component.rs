//! The routes for the components affected by an incident.

use actix_web::{HttpResponse, get, patch, post, web};
use allclear_application::incident::Incidents;
use allclear_application::incident::component::IncidentComponent;
use allclear_domain::component::{Component, ComponentStatus};
use allclear_domain::id::{ComponentId, IncidentId};
use allclear_domain::impact::{Attachment, check_once};
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::request::body::Body;
use crate::request::caller::{CanRead, CanWrite};
use crate::request::field::{CHOICE_MESSAGE, FieldInput, Parsed};
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::request::path::Id;
use crate::response::api_response::{ApiResponse, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// Validation message if no component is given.
const NONE_MESSAGE: &str = "At least one component is required";

/// A component affected by an incident.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentComponent)]
struct IncidentComponentBody {
    /// Identifier of the component.
    #[schema(format = "uuid")]
    component_id: String,
    /// Impact of the incident on the component while the incident is unresolved.
    status: ComponentStatus,
    /// The component with its current status.
    component: ComponentInBrief,
}

/// Name and status of a component.
#[derive(Debug, Serialize, ToSchema)]
struct ComponentInBrief {
    /// Identifier of the component.
    #[schema(format = "uuid")]
    id: String,
    /// Public code of 12 characters, for addresses.
    code: String,
    name: String,
    status: ComponentStatus,
}

impl From<&IncidentComponent> for IncidentComponentBody {
    fn from(IncidentComponent { component, status }: &IncidentComponent) -> Self {
        let component_id = component.id.to_string();
        Self {
            component_id,
            status: *status,
            component: component.into(),
        }
    }
}

impl From<&Component> for ComponentInBrief {
    fn from(component: &Component) -> Self {
        Self {
            id: component.id.to_string(),
            code: component.id.code().to_string(),
            name: component.name.clone(),
            status: component.status,
        }
    }
}

/// A component to attach.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentComponentInput)]
pub(super) struct AttachmentInput {
    /// Identifier of the component.
    #[serde(default)]
    #[schema(value_type = String, format = "uuid", required = true)]
    component_id: FieldInput<Parsed<ComponentId>>,
    /// Impact of the incident on the component.
    #[serde(default)]
    #[schema(value_type = ComponentStatus, required = true)]
    status: FieldInput<Parsed<ComponentStatus>>,
}

/// The components of a list that may be absent, each once; adds errors to `invalid`. With errors,
/// the list must not be used.
pub(super) fn optional_attachments(
    components: FieldInput<Vec<AttachmentInput>>,
    invalid: &mut Invalid,
) -> Vec<Attachment> {
    let rows = components.optional("components", "Must be a list of components", invalid);
    let rows = rows.unwrap_or_default();
    let count = rows.len();
    let components = attachments(rows, invalid);
    if components.len() == count {
        check_once(&components, invalid);
    }
    components
}

/// The valid rows; adds the errors of the others to `invalid`. With errors, the list must not be
/// used.
fn attachments(rows: Vec<AttachmentInput>, invalid: &mut Invalid) -> Vec<Attachment> {
    let mut attachments = Vec::with_capacity(rows.len());
    for (index, row) in rows.into_iter().enumerate() {
        let field = |name: &str| format!("components[{index}].{name}");
        let component =
            row.component_id
                .required(&field("componentId"), "Component is required", invalid);
        let status = row
            .status
            .required(&field("status"), CHOICE_MESSAGE, invalid);
        if let (Some(Parsed(component_id)), Some(Parsed(status))) = (component, status) {
            attachments.push(Attachment {
                component_id,
                status,
            });
        }
    }
    attachments
}

/// Components with the impact of the incident on each, each once.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = IncidentComponentsInput)]
struct AttachmentsInput {
    /// At least one component.
    #[serde(default)]
    #[schema(value_type = Vec<AttachmentInput>, min_items = 1, required = true)]
    components: FieldInput<Vec<AttachmentInput>>,
}

impl AttachmentsInput {
    fn read(self) -> Result<Vec<Attachment>, Invalid> {
        let mut invalid = Invalid::default();
        let rows = self
            .components
            .required("components", NONE_MESSAGE, &mut invalid);
        let attachments = attachments(rows.unwrap_or_default(), &mut invalid);
        invalid.into_result()?;
        Ok(attachments)
    }
}

/// Components to detach, each once.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DetachComponents)]
struct DetachInput {
    /// Identifiers of at least one component.
    #[serde(default)]
    #[schema(value_type = Vec<String>, min_items = 1, required = true)]
    component_ids: FieldInput<Vec<FieldInput<Parsed<ComponentId>>>>,
}

impl DetachInput {
    fn read(self) -> Result<Vec<ComponentId>, Invalid> {
        let mut invalid = Invalid::default();
        let rows = self
            .component_ids
            .required("componentIds", NONE_MESSAGE, &mut invalid)
            .unwrap_or_default();
        let mut ids = Vec::with_capacity(rows.len());
        for (index, id) in rows.into_iter().enumerate() {
            let id = id.required(
                &format!("componentIds[{index}]"),
                "Component is required",
                &mut invalid,
            );
            ids.extend(id.map(|id| id.0));
        }
        invalid.into_result()?;
        Ok(ids)
    }
}

/// Lists the components attached to an incident, newest component first.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid"), PageQuery),
    responses((status = 200, body = ApiResponse<Vec<IncidentComponentBody>>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}/components/list")]
async fn attached(
    caller: CanRead,
    id: Id<IncidentId>,
    requested: RequestedPage,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let listed = incidents
        .components(&caller.organisation, id.0, requested.page)
        .await?;
    Ok(list_response(&listed, requested, |link| {
        IncidentComponentBody::from(link)
    }))
}

/// Lists the components of the organisation that are not attached to an incident, newest first.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid"), PageQuery),
    responses((status = 200, body = ApiResponse<Vec<ComponentInBrief>>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}/components/unattached")]
async fn unattached(
    caller: CanRead,
    id: Id<IncidentId>,
    requested: RequestedPage,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let listed = incidents
        .unattached(&caller.organisation, id.0, requested.page)
        .await?;
    Ok(list_response(&listed, requested, |component| {
        ComponentInBrief::from(component)
    }))
}

/// Attaches components to an incident, all or none. Returns all attached components.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    request_body = AttachmentsInput,
    responses((status = 200, body = ApiResponse<Vec<IncidentComponentBody>>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/components/attach")]
async fn attach(
    caller: CanWrite,
    id: Id<IncidentId>,
    body: Body<AttachmentsInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let links = incidents
        .attach(&caller.organisation, id.0, body.0.read()?)
        .await?;
    Ok(links_response(&links))
}

/// Changes the impacts of an unresolved incident on components attached to it, all or none. Returns
/// all attached components.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    request_body = AttachmentsInput,
    responses((status = 200, body = ApiResponse<Vec<IncidentComponentBody>>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[patch("/{id}/components")]
async fn change_impacts(
    caller: CanWrite,
    id: Id<IncidentId>,
    body: Body<AttachmentsInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let links = incidents
        .change_impacts(&caller.organisation, id.0, body.0.read()?)
        .await?;
    Ok(links_response(&links))
}

/// Detaches components from an incident, all or none. Returns all components that are still
/// attached.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    request_body = DetachInput,
    responses((status = 200, body = ApiResponse<Vec<IncidentComponentBody>>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/components/detach")]
async fn detach(
    caller: CanWrite,
    id: Id<IncidentId>,
    body: Body<DetachInput>,
    incidents: web::Data<Incidents>,
) -> Result<HttpResponse, Problem> {
    let links = incidents
        .detach(&caller.organisation, id.0, body.0.read()?)
        .await?;
    Ok(links_response(&links))
}

fn links_response(links: &[IncidentComponent]) -> HttpResponse {
    ApiResponse::new(
        links
            .iter()
            .map(IncidentComponentBody::from)
            .collect::<Vec<_>>(),
    )
    .ok()
}

/// The routes under `/incident/{id}/components`.
pub(super) fn routes(config: &mut impl Routes) {
    config
        .service(attached)
        .service(unattached)
        .service(attach)
        .service(change_impacts)
        .service(detach);
}
