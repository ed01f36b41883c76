//! The routes of API keys.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use allclear_application::account::Accounts;
use allclear_application::api_key::ApiKeys;
use allclear_application::directory::ApiKeyMails;
use allclear_application::timestamp;
use allclear_domain::api_key::{ApiKey, ApiKeyDraft};
use allclear_domain::id::{ApiKeyId, UserId};
use allclear_domain::membership::Role;
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::{Object, Type};

use crate::openapi;
use crate::request::body::Body;
use crate::request::caller::{CanAdminister, Operator, RecentAdmin};
use crate::request::device::client_of;
use crate::request::field::{CHOICE_MESSAGE, FieldInput, Parsed, Text, Timestamp};
use crate::request::idempotency::Repeatable;
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::request::path::Id;
use crate::response::api_response::{ApiResponse, Deleted, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// An API key, without its text.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ApiKey)]
struct KeyBody {
    /// Identifier, a `UUIDv7`.
    #[schema(format = "uuid")]
    id: String,
    name: String,
    /// `viewer` or `editor`.
    role: Role,
    /// Expiry; null if the key does not expire.
    #[schema(required)]
    #[serde(serialize_with = "timestamp::serialize_option")]
    expires_at: Option<DateTime<Utc>>,
    /// Time of the last use, to about a minute; null if the key has not been used.
    #[schema(required)]
    #[serde(serialize_with = "timestamp::serialize_option")]
    last_used_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    /// The first 12 characters of the key.
    prefix: String,
}

impl From<&ApiKey> for KeyBody {
    fn from(key: &ApiKey) -> Self {
        Self {
            id: key.id.to_string(),
            name: key.name.clone(),
            role: key.role,
            expires_at: key.expires_at,
            last_used_at: key.last_used_at,
            created_at: key.created_at,
            prefix: key.prefix.clone(),
        }
    }
}

/// A new API key with its text.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NewApiKey)]
struct NewKeyBody {
    #[serde(flatten)]
    item: KeyBody,
    /// The key, which is not shown again.
    key: String,
}

/// A key to be created.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ApiKeyInput)]
struct KeyInput {
    /// 2 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, required = true, min_length = 2, max_length = 200)]
    name: FieldInput<Text>,
    /// `viewer` if absent.
    #[serde(default)]
    #[schema(schema_with = role_schema, required = false)]
    role: FieldInput<Parsed<Role>>,
    /// A time in the future; null or absent means never.
    #[serde(default)]
    #[schema(value_type = Option<DateTime<Utc>>, required = false)]
    expires_at: FieldInput<Timestamp>,
}

fn role_schema() -> Object {
    openapi::one_of(
        Type::String,
        [Role::Viewer, Role::Editor].map(|role| role.to_string()),
    )
}

impl KeyInput {
    fn draft(self) -> Result<ApiKeyDraft, Invalid> {
        let mut invalid = Invalid::default();
        let name = self.name.required("name", "Name is required", &mut invalid);
        let role = self.role.optional("role", CHOICE_MESSAGE, &mut invalid);
        let expires_at = self
            .expires_at
            .nullable("expiresAt", "Must be a time", &mut invalid);
        let draft = ApiKeyDraft {
            name: name.map_or_else(String::new, |text| text.0),
            role: role.map_or(Role::Viewer, |role| role.0),
            expires_at: expires_at.map(|time| time.0),
        };
        invalid.check(&draft);
        invalid.into_result()?;
        Ok(draft)
    }
}

/// Lists the API keys of the organisation, newest first.
#[utoipa::path(
    tag = "api keys",
    params(PageQuery),
    responses((status = 200, body = ApiResponse<Vec<KeyBody>>), ErrorResponses),
    security(("bearer" = ["admin"]))
)]
#[get("/list")]
async fn list(
    caller: CanAdminister,
    requested: RequestedPage,
    keys: web::Data<ApiKeys>,
) -> Result<HttpResponse, Problem> {
    let listed = keys.list(&caller.organisation, requested.page).await?;
    Ok(list_response(&listed, requested, |key| KeyBody::from(key)))
}

/// Creates an API key and returns its text, which is not shown again. An organisation may have 100
/// keys. The caller gets a mail about it. Needs a recent authentication.
#[utoipa::path(
    tag = "api keys",
    request_body = KeyInput,
    responses((status = 201, body = ApiResponse<NewKeyBody>), ErrorResponses),
    security(("bearer" = ["admin"])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[post("/create")]
async fn create(
    request: HttpRequest,
    caller: RecentAdmin,
    repeatable: Repeatable,
    body: Body<KeyInput>,
    keys: web::Data<ApiKeys>,
) -> Result<HttpResponse, Problem> {
    let text = ApiKeys::generate();
    let shown = text.clone();
    let respond = move |created: &ApiKey| {
        HttpResponse::Created().json(ApiResponse::new(NewKeyBody {
            item: KeyBody::from(created),
            key: shown.reveal().to_owned(),
        }))
    };
    let draft = body.0.draft()?;
    let create = async {
        let session = caller.caller.admin_session();
        let created = keys.create(&caller.organisation, session, draft, text);
        let created = created.await?;
        mail_creator(&request, &caller, &created);
        Ok(created)
    };
    repeatable.create(&caller, respond, create).await
}

/// Mails the person who has created a key, whose account is the built-in provider's or Clerk's.
fn mail_creator(request: &HttpRequest, operator: &Operator, key: &ApiKey) {
    let (creator, name) = (&operator.caller.subject, key.name.clone());
    let client = client_of(request);
    if let Some(mails) = request.app_data::<web::Data<ApiKeyMails>>() {
        mails.send(creator.clone(), name, &client);
    } else if let Some(accounts) = request.app_data::<web::Data<Accounts>>()
        && let Ok(creator) = creator.parse()
    {
        accounts.mail_api_key(UserId(creator), name, &client);
    }
}

/// Revokes an API key. Requests with it are refused from then on, and its open connections are
/// closed. Needs a recent authentication.
#[utoipa::path(
    tag = "api keys",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("bearer" = ["admin"])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[delete("/{id}")]
async fn revoke(
    caller: RecentAdmin,
    id: Id<ApiKeyId>,
    keys: web::Data<ApiKeys>,
) -> Result<HttpResponse, Problem> {
    keys.revoke(&caller.organisation, id.0).await?;
    Ok(ApiResponse::deleted(id.0))
}

/// The routes under `/api-key`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.scope("/api-key", |routes| {
        routes.service(list).service(create).service(revoke);
    });
}
