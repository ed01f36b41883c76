//! The routes of component groups and of the order of the page.

use actix_web::{HttpRequest, HttpResponse, delete, get, patch, post, web};
use allclear_application::component_group::{
    ComponentGroupReport, ComponentGroupUptime, ComponentGroups,
};
use allclear_application::status_page::component_group::{PublicOrder, PublicOrderEntry};
use allclear_application::timestamp;
use allclear_domain::component::ComponentStatus;
use allclear_domain::component_group::{ComponentGroupPatch, GroupDisplay};
use allclear_domain::id::{ComponentGroupId, ComponentId};
use allclear_domain::page_order::{OrderEntry, PageOrder};
use allclear_domain::validation::{FieldError, Invalid};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::component::history::{DaysQuery, RelatedIncidentBody};
use crate::limit::usage::Usage;
use crate::request::body::Body;
use crate::request::caller::{CanRead, CanWrite};
use crate::request::field::{CHOICE_MESSAGE, FieldInput, Parsed, Text};
use crate::request::idempotency::Repeatable;
use crate::request::if_match::IfMatch;
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::request::path::Id;
use crate::response::api_response::{ApiResponse, Deleted, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// A group of components as operators see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ComponentGroup)]
struct GroupBody {
    /// Identifier, a `UUIDv7`.
    #[schema(format = "uuid")]
    id: String,
    /// Public code of 12 characters, for addresses.
    code: String,
    name: String,
    /// Description; may be empty.
    description: String,
    /// Position among the entries of the status page, from 1.
    position: i32,
    display: GroupDisplay,
    /// The worst status of its components; `OPERATIONAL` if it has none.
    status: ComponentStatus,
    /// Whether one of its components is under maintenance.
    under_maintenance: bool,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "timestamp::serialize")]
    updated_at: DateTime<Utc>,
}

impl From<&ComponentGroupReport> for GroupBody {
    fn from(report: &ComponentGroupReport) -> Self {
        let group = &report.group;
        Self {
            id: group.id.to_string(),
            code: group.id.code().to_string(),
            name: group.name.clone(),
            description: group.description.clone(),
            position: report.position,
            display: group.display,
            status: report.status,
            under_maintenance: report.under_maintenance,
            created_at: group.created_at,
            updated_at: group.updated_at,
        }
    }
}

/// Uptime of a component group.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ComponentGroupUptime)]
struct UptimeBody {
    /// The first day.
    from: NaiveDate,
    /// The last day.
    to: NaiveDate,
    /// Mean of the percentages of the components that show their uptime, rounded down to two
    /// decimals; null if no day counts.
    #[schema(required)]
    percentage: Option<f64>,
    /// Number of days that count for at least one component.
    days: u32,
    /// The newest incidents that affected its components on these days, at most 500.
    incidents: Vec<RelatedIncidentBody>,
}

impl From<ComponentGroupUptime> for UptimeBody {
    fn from(found: ComponentGroupUptime) -> Self {
        Self {
            from: found.range.first,
            to: found.range.last,
            percentage: found.percentage.map(f64::from),
            days: found.counted_days,
            incidents: found.incidents.into_iter().map(Into::into).collect(),
        }
    }
}

/// Fields of a group. An edit leaves absent fields unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ComponentGroupInput)]
struct GroupInput {
    /// 2 to 200 characters. Required to create a group.
    #[serde(default)]
    #[schema(value_type = String, required = false, min_length = 2, max_length = 200)]
    name: FieldInput<Text>,
    /// Up to 10,000 characters. Empty if absent when creating.
    #[serde(default)]
    #[schema(value_type = String, required = false, max_length = 10_000)]
    description: FieldInput<Text>,
    /// Whether the page shows its components. `OPEN` if absent when creating.
    #[serde(default)]
    #[schema(value_type = GroupDisplay, required = false)]
    display: FieldInput<Parsed<GroupDisplay>>,
}

impl GroupInput {
    fn draft(self) -> Result<ComponentGroupPatch, Invalid> {
        let (patch, mut invalid) = self.read();
        let draft = patch.of_new_group();
        invalid.check(&draft);
        invalid.into_result()?;
        Ok(draft)
    }

    fn patch(self) -> Result<ComponentGroupPatch, Invalid> {
        let (patch, mut invalid) = self.read();
        invalid.check(&patch);
        invalid.into_result()?;
        Ok(patch)
    }

    fn read(self) -> (ComponentGroupPatch, Invalid) {
        let mut invalid = Invalid::default();
        let patch = ComponentGroupPatch {
            name: self
                .name
                .optional("name", "Name is required", &mut invalid)
                .map(|text| text.0),
            description: self
                .description
                .optional("description", "Must be a text", &mut invalid)
                .map(|text| text.0),
            display: self
                .display
                .optional("display", CHOICE_MESSAGE, &mut invalid)
                .map(|display| display.0),
        };
        (patch, invalid)
    }
}

/// The requested order of the page.
#[derive(Debug, Deserialize)]
struct OrderInput {
    #[serde(default)]
    groups: FieldInput<Vec<PublicOrderEntry>>,
}

/// The order that a request asks for.
fn page_order(wanted: OrderInput) -> Result<PageOrder, Invalid> {
    let mut invalid = Invalid::default();
    let message = "Must be the list of groups, each with its components";
    let Some(groups) = wanted.groups.required("groups", message, &mut invalid) else {
        return Err(invalid);
    };
    let mut unknown = |field: String, message: &str| {
        invalid.add(FieldError::new(field, message));
    };
    let mut entries = Vec::with_capacity(groups.len());
    for (index, entry) in groups.iter().enumerate() {
        let group = entry.id.as_deref().map(str::parse::<ComponentGroupId>);
        if let Some(Err(_)) = group {
            unknown(format!("groups[{index}].id"), "This group does not exist");
        }
        let mut components = Vec::with_capacity(entry.components.len());
        for (place, id) in entry.components.iter().enumerate() {
            match id.parse::<ComponentId>() {
                Ok(id) => components.push(id),
                Err(_) => unknown(
                    format!("groups[{index}].components[{place}]"),
                    "This component does not exist",
                ),
            }
        }
        entries.push(OrderEntry {
            group: group.and_then(Result::ok),
            components,
        });
    }
    invalid.into_result()?;
    Ok(PageOrder { entries })
}

/// Lists the component groups of the organisation, newest first.
#[utoipa::path(
    tag = "component groups",
    params(PageQuery),
    responses((status = 200, body = ApiResponse<Vec<GroupBody>>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/list")]
async fn list(
    caller: CanRead,
    requested: RequestedPage,
    groups: web::Data<ComponentGroups>,
) -> Result<HttpResponse, Problem> {
    let listed = groups.list(&caller.organisation, requested.page).await?;
    Ok(list_response(&listed, requested, |group| {
        GroupBody::from(group)
    }))
}

/// Creates a component group. It becomes the first entry of the status page.
#[utoipa::path(
    tag = "component groups",
    request_body = GroupInput,
    responses((status = 201, body = ApiResponse<GroupBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/create")]
async fn create(
    caller: CanWrite,
    repeatable: Repeatable,
    body: Body<GroupInput>,
    groups: web::Data<ComponentGroups>,
) -> Result<HttpResponse, Problem> {
    let respond = |created: &ComponentGroupReport| {
        ApiResponse::new(GroupBody::from(created)).created(created.group.version)
    };
    let create = groups.create(&caller.organisation, body.0.draft()?);
    repeatable.create(&caller, respond, create).await
}

/// Returns a component group. The `ETag` header is its version.
#[utoipa::path(
    tag = "component groups",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<GroupBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}")]
async fn read(
    caller: CanRead,
    id: Id<ComponentGroupId>,
    groups: web::Data<ComponentGroups>,
) -> Result<HttpResponse, Problem> {
    let found = groups.find(&caller.organisation, id.0).await?;
    Ok(ApiResponse::new(GroupBody::from(&found)).item(found.group.version))
}

/// Changes the given fields of a component group.
#[utoipa::path(
    tag = "component groups",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    request_body = GroupInput,
    responses((status = 200, body = ApiResponse<GroupBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[patch("/{id}")]
async fn edit(
    caller: CanWrite,
    id: Id<ComponentGroupId>,
    if_match: IfMatch,
    body: Body<GroupInput>,
    groups: web::Data<ComponentGroups>,
) -> Result<HttpResponse, Problem> {
    let edited = groups
        .edit(&caller.organisation, id.0, body.0.patch()?, if_match.0)
        .await?;
    Ok(ApiResponse::new(GroupBody::from(&edited)).item(edited.group.version))
}

/// Deletes a component group. Its components stay, before those without a group.
#[utoipa::path(
    tag = "component groups",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[delete("/{id}")]
async fn remove(
    caller: CanWrite,
    id: Id<ComponentGroupId>,
    if_match: IfMatch,
    groups: web::Data<ComponentGroups>,
) -> Result<HttpResponse, Problem> {
    groups
        .delete(&caller.organisation, id.0, if_match.0)
        .await?;
    Ok(ApiResponse::deleted(id.0))
}

/// Returns the uptime of a component group: of the last 90 days if no days are given, of at most
/// 366 days.
#[utoipa::path(
    tag = "component groups",
    params(("id" = String, Path, format = "uuid"), DaysQuery),
    responses((status = 200, body = ApiResponse<UptimeBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}/uptime")]
async fn uptime(
    caller: CanRead,
    id: Id<ComponentGroupId>,
    days: web::Query<DaysQuery>,
    request: HttpRequest,
    usage: web::Data<Usage>,
    groups: web::Data<ComponentGroups>,
) -> Result<HttpResponse, Problem> {
    let days = days.read()?;
    let _permit = usage.begin_report(&caller.organisation, &request).await?;
    let found = groups.uptime(&caller.organisation, id.0, days).await?;
    Ok(ApiResponse::new(UptimeBody::from(found)).ok())
}

/// Returns the order of the status page. The `ETag` header is its version; creating, deleting and
/// moving components and groups change it.
#[utoipa::path(
    tag = "component groups",
    responses((status = 200, body = ApiResponse<PublicOrder>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/component/order")]
pub(crate) async fn order(
    caller: CanRead,
    groups: web::Data<ComponentGroups>,
) -> Result<HttpResponse, Problem> {
    let found = groups.order(&caller.organisation).await?;
    Ok(ApiResponse::new(PublicOrder::from(&found.order)).item(found.version))
}

/// Replaces the order of the status page, and returns it as it was sent. Components move to the
/// groups under which they are listed.
#[utoipa::path(
    tag = "component groups",
    params(("If-Match" = Option<String>, Header)),
    request_body = PublicOrder,
    responses((status = 200, body = ApiResponse<PublicOrder>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/component/order")]
pub(crate) async fn reorder(
    caller: CanWrite,
    if_match: IfMatch,
    body: Body<OrderInput>,
    groups: web::Data<ComponentGroups>,
) -> Result<HttpResponse, Problem> {
    let wanted = page_order(body.0)?;
    // What is stored has no entry for components without a group if there are none.
    let sent = PublicOrder::from(&wanted);
    let ordered = groups
        .reorder(&caller.organisation, wanted, if_match.0)
        .await?;
    Ok(ApiResponse::new(sent).item(ordered.version))
}

/// The routes under `/component-group`, and `/component/order`.
pub(crate) fn routes(config: &mut impl Routes) {
    config
        .service(order)
        .service(reorder)
        .scope("/component-group", |routes| {
            routes
                .service(list)
                .service(create)
                .service(read)
                .service(edit)
                .service(remove)
                .service(uptime);
        });
}
