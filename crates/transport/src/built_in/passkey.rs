//! Passkeys of the signed-in account: adding, renaming and removing them.

mod sign_in;

use std::net::IpAddr;

use actix_web::{HttpRequest, HttpResponse, delete, patch, post, web};
use allclear_application::passkey::{AddedPasskey, BegunCeremony, Passkeys};
use allclear_application::security_log::SecurityEvent;
use allclear_application::timestamp;
use allclear_domain::id::{PasskeyId, UserId};
use allclear_domain::passkey::{Passkey, PasskeyDraft};
use allclear_domain::validation::{FieldError, Invalid};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::cookie::Cookies;
use super::input::{checked, text};
use super::second_factor::{record_factor, reveal};
use super::session::{FactorProvenSession, SessionForWrite};
use super::throttle::IdentityThrottle;
use crate::limit::client_network::client;
use crate::request::body::Body;
use crate::request::device::client_of;
use crate::request::field::{FieldInput, Text};
use crate::request::path::Id;
use crate::response::api_response::{ApiResponse, Deleted};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// Maximum length of an authenticator's response as JSON, in bytes.
const MAX_RESPONSE_LENGTH: usize = 32 * 1024;

/// A passkey of the signed-in account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Passkey)]
pub(super) struct PasskeyBody {
    #[schema(format = "uuid")]
    id: String,
    /// The name that the person gave it.
    name: String,
    /// When it was added.
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    /// When it was last used; null if it never was.
    #[schema(required)]
    #[serde(serialize_with = "timestamp::serialize_option")]
    last_used_at: Option<DateTime<Utc>>,
}

impl From<&Passkey> for PasskeyBody {
    fn from(passkey: &Passkey) -> Self {
        Self {
            id: passkey.id.to_string(),
            name: passkey.name.clone(),
            created_at: passkey.created_at,
            last_used_at: passkey.last_used_at,
        }
    }
}

/// A passkey that was added.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AddedPasskey)]
struct AddedBody {
    passkey: PasskeyBody,
    /// Ten recovery codes, if it is the first second factor of the account; null otherwise. They
    /// are not shown again.
    #[schema(required)]
    recovery_codes: Option<Vec<String>>,
}

/// A new passkey.
#[derive(Deserialize, ToSchema)]
#[schema(as = PasskeyInput)]
struct RegistrationInput {
    /// 1 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 200, required = true)]
    name: FieldInput<Text>,
    /// The new credential, as `PublicKeyCredential.toJSON()` returns it.
    #[serde(default)]
    #[schema(value_type = Object, required = true)]
    response: FieldInput<Value>,
}

/// A new name of a passkey.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = PasskeyName)]
struct RenamingInput {
    /// 1 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 200, required = true)]
    name: FieldInput<Text>,
}

/// The name of a passkey.
fn draft(name: FieldInput<Text>, invalid: &mut Invalid) -> PasskeyDraft {
    PasskeyDraft {
        name: text(name, "name", "Name is required", invalid),
    }
}

/// The response of an authenticator; null with an error if it is missing or too long.
fn response(input: FieldInput<Value>, invalid: &mut Invalid) -> Value {
    let given = input.required("response", "Must be the response of a passkey", invalid);
    let given = given.unwrap_or_default();
    if given.to_string().len() > MAX_RESPONSE_LENGTH {
        invalid.add(FieldError::new("response", "Is too long"));
    }
    given
}

/// The options for the browser, and the cookie for the request with the response.
fn challenge(cookies: Cookies, begun: BegunCeremony) -> HttpResponse {
    HttpResponse::Ok()
        .cookie(cookies.ceremony(&begun.cookie))
        .json(ApiResponse::new(begun.options))
}

/// Gives back the requests for a challenge and with its response, because they succeeded.
fn give_back(throttle: &IdentityThrottle, client: &IpAddr) {
    for _ in 0..2 {
        throttle.passkeys.give_back(client);
    }
}

/// Writes a line of the security log about a passkey of the account.
fn record_change(request: &HttpRequest, event: SecurityEvent, user: UserId, passkey: PasskeyId) {
    record_factor(request, event, user, &format!("passkey {passkey}"));
}

/// Begins to add a passkey. Returns the options for `navigator.credentials.create()`, and a cookie
/// for the request that adds the passkey within five minutes. Needs a recent authentication. 409 if
/// the account has 20 passkeys.
#[utoipa::path(
    tag = "identity",
    responses((status = 200, body = ApiResponse<Object>), ErrorResponses),
    security(("session" = [])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[post("/user/passkeys/options")]
async fn begin(
    request: HttpRequest,
    FactorProvenSession(session): FactorProvenSession,
    passkeys: web::Data<Passkeys>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    throttle.passkeys.take_or_refuse(&client(&request))?;
    let begun = passkeys.begin_registration(&session).await?;
    Ok(challenge(**cookies, begun))
}

/// Adds a passkey, and signs out every other session. The passkey is a second factor, and enough to
/// sign in without a password. Needs a recent authentication.
#[utoipa::path(
    tag = "identity",
    request_body = RegistrationInput,
    responses((status = 201, body = ApiResponse<AddedBody>), ErrorResponses),
    security(("session" = [])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[post("/user/passkeys")]
async fn add(
    request: HttpRequest,
    FactorProvenSession(session): FactorProvenSession,
    body: Body<RegistrationInput>,
    passkeys: web::Data<Passkeys>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = draft(body.0.name, &mut invalid);
    let credential = response(body.0.response, &mut invalid);
    checked(&draft, invalid)?;
    let address = client(&request);
    throttle.passkeys.take_or_refuse(&address)?;
    let cookie = cookies.begun_ceremony(&request)?;
    let device = client_of(&request);
    let added = passkeys.register(&session, &cookie, draft, &credential, &device);
    let AddedPasskey {
        passkey,
        recovery_codes,
    } = added.await?;
    give_back(&throttle, &address);
    let user = session.user.id;
    record_change(&request, SecurityEvent::FactorAdded, user, passkey.id);
    let body = AddedBody {
        passkey: PasskeyBody::from(&passkey),
        recovery_codes: recovery_codes.map(|codes| reveal(&codes)),
    };
    let mut response = HttpResponse::Created().json(ApiResponse::new(body));
    cookies.remove_ceremony(&mut response)?;
    Ok(response)
}

/// Renames a passkey of the signed-in account.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path, format = "uuid")),
    request_body = RenamingInput,
    responses((status = 200, body = ApiResponse<PasskeyBody>), ErrorResponses),
    security(("session" = []))
)]
#[patch("/user/passkeys/{id}")]
async fn rename(
    SessionForWrite(session): SessionForWrite,
    Id(id): Id<PasskeyId>,
    body: Body<RenamingInput>,
    passkeys: web::Data<Passkeys>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = draft(body.0.name, &mut invalid);
    checked(&draft, invalid)?;
    let passkey = passkeys.rename(&session, id, draft).await?;
    Ok(ApiResponse::new(PasskeyBody::from(&passkey)).ok())
}

/// Removes a passkey of the signed-in account, with the recovery codes if it was the last second
/// factor, and signs out every other session. Needs a recent authentication.
#[utoipa::path(
    tag = "identity",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("session" = [])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[delete("/user/passkeys/{id}")]
async fn remove(
    request: HttpRequest,
    FactorProvenSession(session): FactorProvenSession,
    Id(id): Id<PasskeyId>,
    passkeys: web::Data<Passkeys>,
) -> Result<HttpResponse, Problem> {
    passkeys.remove(&session, id, &client_of(&request)).await?;
    let user = session.user.id;
    record_change(&request, SecurityEvent::FactorRemoved, user, id);
    Ok(ApiResponse::deleted(id))
}

/// The routes of passkeys.
pub(crate) fn routes(config: &mut impl Routes) {
    config
        .service(begin)
        .service(add)
        .service(rename)
        .service(remove);
    sign_in::routes(config);
}
