//! Following the link of a confirmation mail: of a sign-up, or of the new address of an account that needs one.

use actix_web::{HttpRequest, HttpResponse, post, web};
use allclear_application::account::Accounts;
use allclear_application::secret::SecretToken;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::Sessions;
use allclear_domain::account::AddressDraft;
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::account::{EnteredBody, UserBody, checked, enter, text};
use super::cookie::CookieSecurity;
use super::session::Identified;
use super::throttle::Throttle;
use crate::api_response::Answer;
use crate::input::{Body, FieldInput, Text};
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::security_log::record;
use crate::throttle::client;

/// A mail with a link is on its way, or one that says that the address has an account.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PendingBody {
    /// Always true.
    pending: bool,
}

/// The same response for every address.
pub(super) fn pending() -> HttpResponse {
    let body = PendingBody { pending: true };
    HttpResponse::Accepted().json(Answer::with_message(body, "Check your mailbox to finish"))
}

/// The token of a confirmation mail's link.
#[derive(Deserialize, ToSchema)]
struct ConfirmationInput {
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    token: FieldInput<String>,
}

impl ConfirmationInput {
    fn token(self) -> Result<SecretToken, Invalid> {
        let mut invalid = Invalid::default();
        let token = self.token.required("token", "Must be a text", &mut invalid);
        token.map(SecretToken::presented).ok_or(invalid)
    }
}

/// Makes the account that a confirmation mail was sent for, with the name and the password typed then, and signs it in. A
/// token works once, for 24 hours.
#[utoipa::path(
    tag = "identity",
    request_body = ConfirmationInput,
    responses((status = 201, body = Answer<EnteredBody>), ErrorResponses)
)]
#[post("/sign-up/confirm")]
async fn confirm(
    request: HttpRequest,
    body: Body<ConfirmationInput>,
    accounts: web::Data<Accounts>,
    sessions: web::Data<Sessions>,
    throttle: web::Data<Throttle>,
    security: web::Data<CookieSecurity>,
) -> Result<HttpResponse, Problem> {
    let token = body.0.token()?;
    throttle.verify.count(&client(&request))?;
    let entered = accounts.confirm(&token).await?;
    enter(
        HttpResponse::Created(),
        &request,
        &sessions,
        **security,
        &entered,
    )
    .await
}

/// The new address of an account that needs one.
#[derive(Debug, Deserialize, ToSchema)]
struct AddressInput {
    #[serde(default)]
    #[schema(value_type = String, format = "email", max_length = 254, required = true)]
    email: FieldInput<Text>,
}

/// Mails a link that gives one's own account a new address. Only for an account that needs one: `needsAddress` of the user.
#[utoipa::path(
    tag = "identity",
    request_body = AddressInput,
    responses((status = 202, body = Answer<PendingBody>), ErrorResponses),
    security(("session" = []))
)]
#[post("/user/address")]
async fn request_address(
    request: HttpRequest,
    Identified(session): Identified,
    body: Body<AddressInput>,
    accounts: web::Data<Accounts>,
    throttle: web::Data<Throttle>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = AddressDraft {
        email: text(body.0.email, "email", "Invalid email address", &mut invalid),
    };
    checked(&draft, invalid)?;
    throttle.sign_up.count(&client(&request))?;
    accounts.into_inner().request_address(&session, draft)?;
    Ok(pending())
}

/// Gives an account the address that the link was mailed to. A token works once, for 24 hours.
#[utoipa::path(
    tag = "identity",
    request_body = ConfirmationInput,
    responses((status = 200, body = Answer<EnteredBody>), ErrorResponses)
)]
#[post("/user/address/confirm")]
async fn confirm_address(
    request: HttpRequest,
    body: Body<ConfirmationInput>,
    accounts: web::Data<Accounts>,
    throttle: web::Data<Throttle>,
) -> Result<HttpResponse, Problem> {
    let token = body.0.token()?;
    throttle.verify.count(&client(&request))?;
    let user = accounts.confirm_address(&token).await?;
    let changed = SecurityRecord {
        subject: Some(&user.id),
        ..SecurityRecord::new(SecurityEvent::AddressChanged)
    };
    record(&request, changed);
    let body = EnteredBody {
        user: UserBody::from(&user),
    };
    Ok(Answer::with_message(body, "This is the address of your account now").ok())
}

/// The calls about confirmations.
pub(crate) fn calls(config: &mut impl Routes) {
    config
        .service(confirm)
        .service(request_address)
        .service(confirm_address);
}
