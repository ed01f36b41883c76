//! The component routes.

pub(crate) mod history;
mod monitor;

use actix_web::{HttpResponse, delete, get, patch, post, web};
use allclear_application::component::{ComponentReport, Components};
use allclear_application::timestamp;
use allclear_domain::component::{ComponentDraft, ComponentPatch, ComponentStatus, UptimeStart};
use allclear_domain::id::{ComponentGroupId, ComponentId};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::request::body::Body;
use crate::request::caller::{CanRead, CanWrite};
use crate::request::field::{BOOLEAN_MESSAGE, CHOICE_MESSAGE, Date, FieldInput, Parsed, Text};
use crate::request::idempotency::Repeatable;
use crate::request::if_match::IfMatch;
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::request::path::Id;
use crate::response::api_response::{ApiResponse, Deleted, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// A component as operators see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Component)]
pub(crate) struct ComponentBody {
    /// Identifier, a `UUIDv7`.
    #[schema(format = "uuid")]
    id: String,
    /// Public code of 12 characters, for addresses.
    code: String,
    name: String,
    /// Description; may be empty.
    description: String,
    status: ComponentStatus,
    /// Whether a maintenance of it is in progress.
    under_maintenance: bool,
    /// Identifier of its group; null if it has none.
    #[schema(required, format = "uuid")]
    group_id: Option<String>,
    /// Position from 1, within its group or among the entries of the status page.
    position: i32,
    /// Whether the status page shows its uptime.
    show_uptime: bool,
    /// The first day that counts for uptime, in the time zone of the page; null if all days count.
    #[schema(required)]
    start_date: Option<NaiveDate>,
    /// Whether the status page hides it while it is operational and not under maintenance.
    only_show_when_affected: bool,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "timestamp::serialize")]
    updated_at: DateTime<Utc>,
}

impl From<&ComponentReport> for ComponentBody {
    fn from(report: &ComponentReport) -> Self {
        let component = &report.component;
        Self {
            id: component.id.to_string(),
            code: component.id.code().to_string(),
            name: component.name.clone(),
            description: component.description.clone(),
            status: component.status,
            under_maintenance: report.under_maintenance,
            group_id: component.place.group.map(|group| group.to_string()),
            position: component.place.position,
            show_uptime: component.show_uptime,
            start_date: component.start_date,
            only_show_when_affected: component.only_show_when_affected,
            created_at: component.created_at,
            updated_at: component.updated_at,
        }
    }
}

/// Fields of a component. An edit leaves absent fields unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ComponentInput)]
struct ComponentInput {
    /// 2 to 200 characters. Required to create a component.
    #[serde(default)]
    #[schema(value_type = String, required = false, min_length = 2, max_length = 200)]
    name: FieldInput<Text>,
    /// Up to 10,000 characters. Empty if absent when creating.
    #[serde(default)]
    #[schema(value_type = String, required = false, max_length = 10_000)]
    description: FieldInput<Text>,
    /// Status. `OPERATIONAL` if absent when creating.
    #[serde(default)]
    #[schema(value_type = ComponentStatus, required = false)]
    status: FieldInput<Parsed<ComponentStatus>>,
    /// Identifier of a group, in which the component becomes the first; null for no group.
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false, format = "uuid")]
    group_id: FieldInput<Parsed<ComponentGroupId>>,
    /// Whether the status page shows its uptime. True if absent when creating.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    show_uptime: FieldInput<bool>,
    /// The first day that counts for uptime, not after today; null if all days count. The day of
    /// creation if absent when creating.
    #[serde(default)]
    #[schema(value_type = Option<NaiveDate>, required = false)]
    start_date: FieldInput<Date>,
    /// Whether the status page hides it while it is operational and not under maintenance. False if
    /// absent when creating.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    only_show_when_affected: FieldInput<bool>,
}

impl ComponentInput {
    fn draft(self) -> Result<ComponentDraft, Invalid> {
        let (patch, mut invalid) = self.read();
        let default = ComponentDraft::default();
        let draft = ComponentDraft {
            name: patch.name.unwrap_or_default(),
            description: patch.description.unwrap_or_default(),
            status: patch.status.unwrap_or_default(),
            group: patch.group.flatten(),
            show_uptime: patch.show_uptime.unwrap_or(default.show_uptime),
            start_date: patch.start_date,
            only_show_when_affected: patch
                .only_show_when_affected
                .unwrap_or(default.only_show_when_affected),
        };
        invalid.check(&draft);
        invalid.into_result()?;
        Ok(draft)
    }

    fn patch(self) -> Result<ComponentPatch, Invalid> {
        let (patch, mut invalid) = self.read();
        patch.check(&mut invalid);
        invalid.into_result()?;
        Ok(patch)
    }

    fn read(self) -> (ComponentPatch, Invalid) {
        let mut invalid = Invalid::default();
        let group = if self.group_id == FieldInput::Null {
            Some(None)
        } else {
            let message = "This group does not exist";
            let group = self.group_id.optional("groupId", message, &mut invalid);
            group.map(|group| Some(group.0))
        };
        let patch = ComponentPatch {
            group,
            name: self
                .name
                .optional("name", "Name is required", &mut invalid)
                .map(|text| text.0),
            description: self
                .description
                .optional("description", "Must be a text", &mut invalid)
                .map(|text| text.0),
            status: self
                .status
                .optional("status", CHOICE_MESSAGE, &mut invalid)
                .map(|status| status.0),
            show_uptime: self
                .show_uptime
                .optional("showUptime", BOOLEAN_MESSAGE, &mut invalid),
            start_date: match self.start_date {
                FieldInput::Null => Some(UptimeStart::Unlimited),
                given => given
                    .optional("startDate", "Must be a date", &mut invalid)
                    .map(|date| UptimeStart::On(date.0)),
            },
            only_show_when_affected: self.only_show_when_affected.optional(
                "onlyShowWhenAffected",
                BOOLEAN_MESSAGE,
                &mut invalid,
            ),
        };
        (patch, invalid)
    }
}

/// Lists the components of the organisation, newest first.
#[utoipa::path(
    tag = "components",
    params(PageQuery),
    responses((status = 200, body = ApiResponse<Vec<ComponentBody>>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/list")]
async fn list(
    caller: CanRead,
    requested: RequestedPage,
    components: web::Data<Components>,
) -> Result<HttpResponse, Problem> {
    let listed = components
        .list(&caller.organisation, requested.page)
        .await?;
    Ok(list_response(&listed, requested, |component| {
        ComponentBody::from(component)
    }))
}

/// Creates a component.
#[utoipa::path(
    tag = "components",
    request_body = ComponentInput,
    responses((status = 201, body = ApiResponse<ComponentBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/create")]
async fn create(
    caller: CanWrite,
    repeatable: Repeatable,
    body: Body<ComponentInput>,
    components: web::Data<Components>,
) -> Result<HttpResponse, Problem> {
    let respond = |created: &ComponentReport| {
        ApiResponse::new(ComponentBody::from(created)).created(created.component.version)
    };
    let create = components.create(&caller.organisation, body.0.draft()?, caller.author());
    repeatable.create(&caller, respond, create).await
}

/// Returns a component. The `ETag` header is its version.
#[utoipa::path(
    tag = "components",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<ComponentBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}")]
async fn read(
    caller: CanRead,
    id: Id<ComponentId>,
    components: web::Data<Components>,
) -> Result<HttpResponse, Problem> {
    let found = components.find(&caller.organisation, id.0).await?;
    Ok(ApiResponse::new(ComponentBody::from(&found)).item(found.component.version))
}

/// Changes the given fields of a component.
#[utoipa::path(
    tag = "components",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    request_body = ComponentInput,
    responses((status = 200, body = ApiResponse<ComponentBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[patch("/{id}")]
async fn edit(
    caller: CanWrite,
    id: Id<ComponentId>,
    if_match: IfMatch,
    body: Body<ComponentInput>,
    components: web::Data<Components>,
) -> Result<HttpResponse, Problem> {
    let edited = components
        .edit(
            &caller.organisation,
            id.0,
            body.0.patch()?,
            caller.author(),
            if_match.0,
        )
        .await?;
    Ok(ApiResponse::new(ComponentBody::from(&edited)).item(edited.component.version))
}

/// Deletes a component.
#[utoipa::path(
    tag = "components",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[delete("/{id}")]
async fn remove(
    caller: CanWrite,
    id: Id<ComponentId>,
    if_match: IfMatch,
    components: web::Data<Components>,
) -> Result<HttpResponse, Problem> {
    components
        .delete(&caller.organisation, id.0, if_match.0)
        .await?;
    Ok(ApiResponse::deleted(id.0))
}

/// The routes under `/component`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.scope("/component", |routes| {
        routes
            .service(list)
            .service(create)
            .service(read)
            .service(edit)
            .service(remove);
        history::routes(routes);
        monitor::routes(routes);
    });
}
