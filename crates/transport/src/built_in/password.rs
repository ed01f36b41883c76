//! Passwords: changing and resetting them.

use actix_web::{HttpRequest, HttpResponse, post, web};
use allclear_application::account::Accounts;
use allclear_application::password::Passwords;
use allclear_application::security_log::{MaskedAddress, SecurityEvent, SecurityRecord};
use allclear_domain::account::{PasswordChangeDraft, PasswordDraft, ResetDraft};
use allclear_domain::email::EmailKey;
use allclear_domain::validation::Invalid;
use serde::Deserialize;
use utoipa::ToSchema;

use super::cookie::{Cookies, marks};
use super::input::{checked, password, text, token};
use super::openid::PasswordsAllowed;
use super::session::RecentSession;
use super::throttle::IdentityThrottle;
use crate::limit::client_network::client;
use crate::limit::concurrency::release;
use crate::request::body::Body;
use crate::request::device::client_of;
use crate::request::field::{FieldInput, Text};
use crate::request::service::service;
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::record;

/// A change of password.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PasswordChangeInput {
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    current_password: FieldInput<String>,
    /// 10 to 256 characters, none of the most common passwords, and without the name or the address
    /// of the person.
    #[serde(default)]
    #[schema(value_type = String, min_length = 10, max_length = 256, required = true)]
    new_password: FieldInput<String>,
}

/// Changes the password of the signed-in account, and signs out every other session. Needs a recent
/// authentication.
#[utoipa::path(
    tag = "identity",
    request_body = PasswordChangeInput,
    responses((status = 200), ErrorResponses),
    security(("session" = [])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[post("/user/password")]
async fn change(
    _: PasswordsAllowed,
    request: HttpRequest,
    RecentSession(session): RecentSession,
    body: Body<PasswordChangeInput>,
    passwords: web::Data<Passwords>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = PasswordChangeDraft {
        current_password: password(body.0.current_password, "currentPassword", &mut invalid),
        new_password: password(body.0.new_password, "newPassword", &mut invalid),
    };
    checked(&draft, invalid)?;
    // The attempt may be delayed.
    release(&request);
    // The current password is compared with the stored one, so every request counts as a guess.
    let (key, device) = (EmailKey::of(&session.user.email), client_of(&request));
    let accounts = service::<Accounts>(&request)?;
    let is_known_device = accounts.is_known_device(&key, &device);
    throttle
        .guesses
        .take_or_refuse(client(&request), &key, is_known_device)
        .await?;
    let outcome = passwords.change(&session, draft, &device).await?;
    let event = if outcome.is_ok() {
        SecurityEvent::PasswordChanged
    } else {
        SecurityEvent::PasswordChangeRefused
    };
    let line = SecurityRecord {
        subject: Some(&session.user.id),
        ..SecurityRecord::new(event)
    };
    record(&request, line);
    let device_mark = outcome.map_err(|wrong| wrong.at("currentPassword"))?;
    Ok(HttpResponse::Ok()
        .cookie(cookies.device(marks(&request), &device_mark))
        .json(ApiResponse::with_message((), "Password changed")))
}

/// The account whose password is to be reset.
#[derive(Debug, Deserialize, ToSchema)]
struct PasswordResetInput {
    #[serde(default)]
    #[schema(value_type = String, format = "email", max_length = 254, required = true)]
    email: FieldInput<Text>,
}

/// Mails a link to reset the password, if the address has an account. The response is the same for
/// every address.
#[utoipa::path(tag = "identity", request_body = PasswordResetInput, responses((status = 200), ErrorResponses))]
#[post("/password-reset")]
async fn request_reset(
    _: PasswordsAllowed,
    request: HttpRequest,
    body: Body<PasswordResetInput>,
    passwords: web::Data<Passwords>,
    throttle: web::Data<IdentityThrottle>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = ResetDraft {
        email: text(body.0.email, "email", "Invalid email address", &mut invalid),
    };
    checked(&draft, invalid)?;
    throttle.reset.take_or_refuse(&client(&request))?;
    passwords.into_inner().request_reset(&draft)?;
    let requested = SecurityRecord {
        object: Some(&MaskedAddress(&draft.email)),
        ..SecurityRecord::new(SecurityEvent::ResetRequested)
    };
    record(&request, requested);
    Ok(ApiResponse::with_message(
        (),
        "If there is an account with this address, a link is on its way to it",
    )
    .ok())
}

/// A new password, with the token of the link.
#[derive(Deserialize, ToSchema)]
struct NewPasswordInput {
    /// Token of the link.
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    token: FieldInput<String>,
    /// 10 to 256 characters, none of the most common passwords, and without the name or the address
    /// of the person.
    #[serde(default)]
    #[schema(value_type = String, min_length = 10, max_length = 256, required = true)]
    password: FieldInput<String>,
}

/// Sets a new password, and signs out every session of the account.
#[utoipa::path(tag = "identity", request_body = NewPasswordInput, responses((status = 200), ErrorResponses))]
#[post("/password-reset/confirm")]
async fn reset(
    _: PasswordsAllowed,
    request: HttpRequest,
    body: Body<NewPasswordInput>,
    passwords: web::Data<Passwords>,
    throttle: web::Data<IdentityThrottle>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let token = token(body.0.token, &mut invalid);
    let draft = PasswordDraft {
        password: password(body.0.password, "password", &mut invalid),
    };
    checked(&draft, invalid)?;
    throttle.verify.take_or_refuse(&client(&request))?;
    let account = passwords.reset(&token, draft, &client_of(&request)).await?;
    let done = SecurityRecord {
        subject: Some(&account),
        ..SecurityRecord::new(SecurityEvent::PasswordReset)
    };
    record(&request, done);
    Ok(ApiResponse::with_message((), "Password changed, please sign in").ok())
}

/// The password routes.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(change).service(reset).service(request_reset);
}
