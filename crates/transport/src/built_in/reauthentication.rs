//! Authentication within a session, before sensitive changes.

use actix_web::{HttpRequest, HttpResponse, post, web};
use allclear_application::account::{Accounts, ReauthenticationRefusal};
use allclear_application::error::Error;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_domain::account::ReauthenticationDraft;
use allclear_domain::email::EmailKey;
use allclear_domain::validation::Invalid;
use serde::Deserialize;
use utoipa::ToSchema;

use super::cookie::Cookies;
use super::input::{checked, password};
use super::openid::PasswordsAllowed;
use super::session::AnySession;
use super::throttle::IdentityThrottle;
use crate::limit::client_network::client;
use crate::limit::concurrency::release;
use crate::limit::usage::Usage;
use crate::request::body::Body;
use crate::request::device::client_of;
use crate::request::field::{FieldInput, Text};
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::record;

/// The password of the signed-in account, and a code of its second factor.
#[derive(Deserialize, ToSchema)]
struct ReauthenticationInput {
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    password: FieldInput<String>,
    /// Six digits of the authenticator app, or a recovery code, if the account has a second factor.
    /// 422 at `code` without one.
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false, max_length = 64)]
    code: FieldInput<Text>,
}

/// Authenticates the signed-in person again, which allows sensitive changes for ten minutes.
/// Sensitive are the calls marked `x-recent-authentication`. Without a recent authentication, they
/// are 403 with a `type` that ends in `/re-authentication-required`. The session gets another
/// cookie.
#[utoipa::path(
    tag = "identity",
    request_body = ReauthenticationInput,
    responses((status = 200), ErrorResponses),
    security(("session" = []))
)]
#[post("/re-authenticate")]
async fn reauthenticate(
    _: PasswordsAllowed,
    request: HttpRequest,
    AnySession(session): AnySession,
    body: Body<ReauthenticationInput>,
    accounts: web::Data<Accounts>,
    (usage, throttle): (web::Data<Usage>, web::Data<IdentityThrottle>),
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = ReauthenticationDraft {
        password: password(body.0.password, "password", &mut invalid),
        code: code(body.0.code, &mut invalid),
    };
    checked(&draft, invalid)?;
    usage.take_account_write(session.user.id)?;
    // The attempt may be delayed.
    release(&request);
    let (device, key) = (client_of(&request), EmailKey::of(&session.user.email));
    let is_known_device = accounts.is_known_device(&key, &device);
    let attempt = throttle
        .guesses
        .take(client(&request), &key, is_known_device)
        .await?;
    let take_guess = |_: &String| throttle.codes.take(client(&request), session.user.id);
    let guess = match draft.code.as_ref().map(take_guess).transpose() {
        Ok(guess) => guess,
        Err(refused) => {
            attempt.give_back();
            return Err(refused);
        }
    };
    let outcome = accounts.reauthenticate(&session, draft, &device).await;
    if !matches!(outcome, Ok(Err(ReauthenticationRefusal::Password))) {
        attempt.give_back();
    }
    if let Some(guess) = guess
        && !matches!(outcome, Ok(Err(ReauthenticationRefusal::Code)))
    {
        guess.give_back();
    }
    let outcome = outcome?;
    let event = if outcome.is_ok() {
        SecurityEvent::Reauthenticated
    } else {
        SecurityEvent::ReauthenticationFailed
    };
    let line = SecurityRecord {
        subject: Some(&session.user.id),
        ..SecurityRecord::new(event)
    };
    record(&request, line);
    let token = outcome.map_err(Error::from)?;
    Ok(HttpResponse::Ok()
        .cookie(cookies.session(&token))
        .json(ApiResponse::with_message((), "Confirmed")))
}

fn code(input: FieldInput<Text>, invalid: &mut Invalid) -> Option<String> {
    let code = input.nullable("code", "Must be a text", invalid);
    code.map(|text| text.0)
}

/// The routes of authentication within a session.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(reauthenticate);
}
