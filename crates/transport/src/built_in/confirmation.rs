//! Links of confirmation mails: for a sign-up, or for the new address of an account.

use actix_web::{HttpRequest, HttpResponse, post, web};
use allclear_application::account::Accounts;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::Sessions;
use allclear_domain::account::AddressDraft;
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::cookie::Cookies;
use super::input::{LinkInput, checked, text};
use super::openid::{PasswordSwitch, PasswordsAllowed};
use super::session::AnySession;
use super::signed_in::{SignedInBody, UserBody, sign_in_response};
use super::throttle::IdentityThrottle;
use crate::limit::client_network::client;
use crate::limit::usage::Usage;
use crate::request::body::Body;
use crate::request::device::client_of;
use crate::request::field::{FieldInput, Text};
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::record;

/// Confirms that a mail is on its way.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PendingBody {
    /// Always true.
    pending: bool,
}

/// The response, which is the same for every address.
pub(super) fn pending() -> HttpResponse {
    let body = PendingBody { pending: true };
    HttpResponse::Accepted().json(ApiResponse::with_message(
        body,
        "Check your mailbox to finish",
    ))
}

/// Creates the account of a confirmation link, with the name and the password given at sign-up, and
/// signs it in. A token is valid once, for 24 hours.
#[utoipa::path(
    tag = "identity",
    request_body = LinkInput,
    responses((status = 201, body = ApiResponse<SignedInBody>), ErrorResponses)
)]
#[post("/sign-up/confirm")]
async fn confirm(
    _: PasswordsAllowed,
    request: HttpRequest,
    body: Body<LinkInput>,
    accounts: web::Data<Accounts>,
    sessions: web::Data<Sessions>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let token = body.0.token()?;
    throttle.verify.take_or_refuse(&client(&request))?;
    let signed_in = accounts.confirm(&token, &client_of(&request)).await?;
    sign_in_response(
        HttpResponse::Created(),
        &request,
        &sessions,
        **cookies,
        &signed_in,
    )
    .await
}

/// A new mail address.
#[derive(Debug, Deserialize, ToSchema)]
struct AddressInput {
    #[serde(default)]
    #[schema(value_type = String, format = "email", max_length = 254, required = true)]
    email: FieldInput<Text>,
}

/// Mails a link that confirms a new address of the signed-in account. Needs a recent
/// authentication, and is 403 if passwords are switched off. Neither holds if `needsAddress` of
/// the account is true.
#[utoipa::path(
    tag = "identity",
    request_body = AddressInput,
    responses((status = 202, body = ApiResponse<PendingBody>), ErrorResponses),
    security(("session" = [])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[post("/user/address")]
async fn request_address(
    request: HttpRequest,
    AnySession(session): AnySession,
    body: Body<AddressInput>,
    accounts: web::Data<Accounts>,
    passwords: web::Data<PasswordSwitch>,
    usage: web::Data<Usage>,
    throttle: web::Data<IdentityThrottle>,
) -> Result<HttpResponse, Problem> {
    if !session.user.needs_address {
        passwords.check()?;
    }
    let mut invalid = Invalid::default();
    let draft = AddressDraft {
        email: text(body.0.email, "email", "Invalid email address", &mut invalid),
    };
    checked(&draft, invalid)?;
    usage.take_account_write(session.user.id)?;
    throttle.sign_up.take_or_refuse(&client(&request))?;
    let accounts = accounts.into_inner();
    accounts.request_address(&session, draft).await?;
    Ok(pending())
}

/// Sets the address that the link was mailed to, and signs out every other session. Only with a
/// session of the account that requested it. A token is valid once, for 24 hours.
#[utoipa::path(
    tag = "identity",
    request_body = LinkInput,
    responses((status = 200, body = ApiResponse<SignedInBody>), ErrorResponses),
    security(("session" = []))
)]
#[post("/user/address/confirm")]
async fn confirm_address(
    request: HttpRequest,
    AnySession(session): AnySession,
    body: Body<LinkInput>,
    accounts: web::Data<Accounts>,
    throttle: web::Data<IdentityThrottle>,
) -> Result<HttpResponse, Problem> {
    let token = body.0.token()?;
    throttle.verify.take_or_refuse(&client(&request))?;
    let user = accounts
        .confirm_address(&session, &token, &client_of(&request))
        .await?;
    let changed = SecurityRecord {
        subject: Some(&user.id),
        ..SecurityRecord::new(SecurityEvent::AddressChanged)
    };
    record(&request, changed);
    let body = SignedInBody {
        user: UserBody::from(&user),
    };
    Ok(ApiResponse::with_message(body, "This is the address of your account now").ok())
}

/// The confirmation routes.
pub(crate) fn routes(config: &mut impl Routes) {
    config
        .service(confirm)
        .service(request_address)
        .service(confirm_address);
}
