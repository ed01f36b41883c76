//! Authentication with a passkey: at sign-in, after a password, and within a session.

use actix_web::{HttpRequest, HttpResponse, post, web};
use allclear_application::error::Error;
use allclear_application::passkey::{PasskeyFailure, Passkeys};
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::Sessions;
use allclear_domain::id::UserId;
use allclear_domain::validation::Invalid;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{challenge, give_back, response};
use crate::built_in::cookie::Cookies;
use crate::built_in::session::AnySession;
use crate::built_in::signed_in::{SignedInBody, sign_in_response};
use crate::built_in::throttle::IdentityThrottle;
use crate::limit::client_network::client;
use crate::limit::usage::Usage;
use crate::request::body::Body;
use crate::request::device::client_of;
use crate::request::field::{BOOLEAN_MESSAGE, FieldInput};
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::{record, record_refused};

/// Options of a sign-in with a passkey.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PasskeySignInInput)]
struct BeginInput {
    /// Whether this is the second step of a sign-in whose password was right. If absent, any
    /// passkey may sign in.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    after_password: FieldInput<bool>,
}

/// The response of a passkey.
#[derive(Deserialize, ToSchema)]
#[schema(as = PasskeyResponse)]
struct ResponseInput {
    /// The credential, as `PublicKeyCredential.toJSON()` returns it.
    #[serde(default)]
    #[schema(value_type = Object, required = true)]
    response: FieldInput<Value>,
}

impl ResponseInput {
    fn read(self) -> Result<Value, Invalid> {
        let mut invalid = Invalid::default();
        let given = response(self.response, &mut invalid);
        invalid.into_result().map(|()| given)
    }
}

/// Begins a sign-in with a passkey. Returns the options for `navigator.credentials.get()`, which
/// are the same for everybody, and a cookie for the request that signs in within five minutes.
#[utoipa::path(
    tag = "identity",
    request_body = BeginInput,
    responses((status = 200, body = ApiResponse<Object>), ErrorResponses)
)]
#[post("/sign-in/passkey/options")]
async fn begin_sign_in(
    request: HttpRequest,
    body: Body<BeginInput>,
    passkeys: web::Data<Passkeys>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let after_password = body.0.after_password;
    let after_password = after_password.optional("afterPassword", BOOLEAN_MESSAGE, &mut invalid);
    invalid.into_result()?;
    throttle.passkeys.take_or_refuse(&client(&request))?;
    let begun = if after_password == Some(true) {
        let pending = cookies.pending_sign_in(&request);
        let missing = Error::Unauthenticated("Please enter your password first");
        passkeys.begin_second_step(&pending.ok_or(missing)?).await?
    } else {
        passkeys.begin_sign_in()?
    };
    Ok(challenge(**cookies, begun))
}

/// Signs in with a passkey, as the only factor or as the second step after a password. Every
/// refusal has the same response.
#[utoipa::path(
    tag = "identity",
    request_body = ResponseInput,
    responses((status = 200, body = ApiResponse<SignedInBody>), ErrorResponses)
)]
#[post("/sign-in/passkey")]
async fn sign_in(
    request: HttpRequest,
    body: Body<ResponseInput>,
    passkeys: web::Data<Passkeys>,
    sessions: web::Data<Sessions>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let credential = body.0.read()?;
    let address = client(&request);
    throttle.passkeys.take_or_refuse(&address)?;
    let cookie = cookies.begun_ceremony(&request)?;
    let device = client_of(&request);
    let signed_in = passkeys.sign_in(&cookie, &credential, &device).await;
    let signed_in = signed_in
        .map_err(|failure| refuse(&request, failure, SecurityEvent::SignInFailed, None))?;
    give_back(&throttle, &address);
    let ok = HttpResponse::Ok();
    let response = sign_in_response(ok, &request, &sessions, **cookies, &signed_in);
    let mut response = response.await?;
    cookies.remove_ceremony(&mut response)?;
    cookies.remove_sign_in(&mut response)?;
    Ok(response)
}

/// Begins to authenticate the signed-in person again, with a passkey of the account. 409 if it
/// has none.
#[utoipa::path(
    tag = "identity",
    responses((status = 200, body = ApiResponse<Object>), ErrorResponses),
    security(("session" = []))
)]
#[post("/re-authenticate/passkey/options")]
async fn begin_reauthentication(
    request: HttpRequest,
    AnySession(session): AnySession,
    passkeys: web::Data<Passkeys>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    throttle.passkeys.take_or_refuse(&client(&request))?;
    let begun = passkeys.begin_reauthentication(&session).await?;
    Ok(challenge(**cookies, begun))
}

/// Authenticates the signed-in person again with a passkey, which allows sensitive changes for ten
/// minutes. The session gets another cookie.
#[utoipa::path(
    tag = "identity",
    request_body = ResponseInput,
    responses((status = 200), ErrorResponses),
    security(("session" = []))
)]
#[post("/re-authenticate/passkey")]
async fn reauthenticate(
    request: HttpRequest,
    AnySession(session): AnySession,
    body: Body<ResponseInput>,
    passkeys: web::Data<Passkeys>,
    usage: web::Data<Usage>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let credential = body.0.read()?;
    usage.take_account_write(session.user.id)?;
    let address = client(&request);
    throttle.passkeys.take_or_refuse(&address)?;
    let cookie = cookies.begun_ceremony(&request)?;
    let device = client_of(&request);
    let outcome = passkeys.reauthenticate(&session, &cookie, &credential, &device);
    let user = session.user.id;
    let event = SecurityEvent::ReauthenticationFailed;
    let token = outcome
        .await
        .map_err(|failure| refuse(&request, failure, event, Some(user)))?;
    give_back(&throttle, &address);
    let confirmed = SecurityRecord {
        subject: Some(&user),
        object: Some(&"passkey"),
        ..SecurityRecord::new(SecurityEvent::Reauthenticated)
    };
    record(&request, confirmed);
    let mut response = HttpResponse::Ok()
        .cookie(cookies.session(&token))
        .json(ApiResponse::with_message((), "Confirmed"));
    cookies.remove_ceremony(&mut response)?;
    Ok(response)
}

/// Writes a line of the security log about a refused passkey.
fn refuse(
    request: &HttpRequest,
    failure: PasskeyFailure,
    event: SecurityEvent,
    user: Option<UserId>,
) -> Problem {
    let subject = user.as_ref().map(|user| user as &dyn std::fmt::Display);
    match &failure {
        PasskeyFailure::Refused(reason) => {
            let refused = SecurityRecord {
                subject,
                object: Some(&"passkey"),
                detail: Some(reason),
                ..SecurityRecord::new(event)
            };
            record_refused(request, refused);
        }
        PasskeyFailure::Copied(owner) => {
            let copied = SecurityRecord {
                subject: Some(owner),
                object: Some(&"passkey"),
                ..SecurityRecord::new(SecurityEvent::PasskeyCopied)
            };
            record(request, copied);
        }
        PasskeyFailure::Failed(_) => {}
    }
    Error::from(failure).into()
}

/// The routes of authentication with a passkey.
pub(crate) fn routes(config: &mut impl Routes) {
    config
        .service(begin_sign_in)
        .service(sign_in)
        .service(begin_reauthentication)
        .service(reauthenticate);
}
