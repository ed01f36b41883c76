//! The routes of visitors. No response reveals whether an address is known.

use actix_web::{HttpRequest, HttpResponse, post, web};
use allclear_application::error::Error;
use allclear_application::subscriber::Subscribers;
use allclear_domain::id::OrganisationId;
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{MAILED, SubscriberThrottle, draft};
use crate::api_response::ApiResponse;
use crate::input::{Body, FieldInput, Text};
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::throttle::client;

/// A subscription request.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SubscriptionInput {
    /// Mail address, up to 254 characters.
    #[serde(default)]
    #[schema(value_type = String, format = "email", max_length = 254, required = true)]
    email: FieldInput<Text>,
    /// Identifier of the organisation.
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    org_id: FieldInput<Text>,
}

/// Parameters of a verification link.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct VerificationInput {
    #[serde(default)]
    #[schema(value_type = String, format = "email", max_length = 254, required = true)]
    email: FieldInput<Text>,
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    org_id: FieldInput<Text>,
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    verification_code: FieldInput<Text>,
}

/// Parameters of an unsubscribe link.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct UnsubscriptionInput {
    #[serde(default)]
    #[schema(value_type = String, format = "email", max_length = 254, required = true)]
    email: FieldInput<Text>,
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    org_id: FieldInput<Text>,
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    unsubscribe_code: FieldInput<Text>,
}

/// Always null; the response carries a message only.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Nothing;

/// The parameters of a link.
struct Link {
    organisation: OrganisationId,
    email: String,
    code: String,
}

impl Link {
    fn read(
        email: FieldInput<Text>,
        org_id: FieldInput<Text>,
        (field, code): (&str, FieldInput<Text>),
    ) -> Result<Self, Problem> {
        let mut invalid = Invalid::default();
        let email = draft(email, &mut invalid).email;
        let organisation = required(org_id, "orgId", &mut invalid);
        let code = required(code, field, &mut invalid);
        invalid.into_result()?;
        Ok(Self {
            organisation: known(&organisation)?,
            email,
            code,
        })
    }
}

/// Subscribes an address to the updates of an organisation, and mails a confirmation link. The
/// response is the same for known and unknown addresses.
#[utoipa::path(
    tag = "subscribers",
    request_body = SubscriptionInput,
    responses((status = 200, body = ApiResponse<Nothing>), ErrorResponses)
)]
#[post("/public")]
async fn subscribe(
    request: HttpRequest,
    body: Body<SubscriptionInput>,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<SubscriberThrottle>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = draft(body.0.email, &mut invalid);
    let organisation = required(body.0.org_id, "orgId", &mut invalid);
    invalid.into_result()?;
    throttle.subscribe.count(&client(&request))?;
    subscribers.subscribe(&known(&organisation)?, draft).await?;
    Ok(ApiResponse::with_message(Nothing, MAILED).ok())
}

/// Verifies an address by the link of a verification mail. The link works repeatedly until it
/// expires.
#[utoipa::path(
    tag = "subscribers",
    request_body = VerificationInput,
    responses((status = 200, body = ApiResponse<Nothing>), ErrorResponses)
)]
#[post("/verify")]
async fn verify(
    request: HttpRequest,
    body: Body<VerificationInput>,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<SubscriberThrottle>,
) -> Result<HttpResponse, Problem> {
    let VerificationInput {
        email,
        org_id,
        verification_code,
    } = body.0;
    let link = || Link::read(email, org_id, ("verificationCode", verification_code));
    let verify = async |link: Link| {
        subscribers
            .verify(&link.organisation, &link.email, &link.code)
            .await
    };
    followed(&request, &throttle, link, verify).await?;
    Ok(ApiResponse::with_message(Nothing, "Email verified successfully!").ok())
}

/// Unsubscribes an address by the link of a mail. The link works repeatedly.
#[utoipa::path(
    tag = "subscribers",
    request_body = UnsubscriptionInput,
    responses((status = 200, body = ApiResponse<Nothing>), ErrorResponses)
)]
#[post("/unsubscribe")]
async fn unsubscribe(
    request: HttpRequest,
    body: Body<UnsubscriptionInput>,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<SubscriberThrottle>,
) -> Result<HttpResponse, Problem> {
    let UnsubscriptionInput {
        email,
        org_id,
        unsubscribe_code,
    } = body.0;
    leave(
        &request,
        &subscribers,
        &throttle,
        (email, org_id, unsubscribe_code),
    )
    .await
}

/// Unsubscribes by the parameters of a link.
pub(super) async fn leave(
    request: &HttpRequest,
    subscribers: &Subscribers,
    throttle: &SubscriberThrottle,
    (email, org_id, code): (FieldInput<Text>, FieldInput<Text>, FieldInput<Text>),
) -> Result<HttpResponse, Problem> {
    let link = || Link::read(email, org_id, ("unsubscribeCode", code));
    let leave = async |link: Link| {
        subscribers
            .unsubscribe(&link.organisation, &link.email, &link.code)
            .await
    };
    followed(request, throttle, link, leave).await?;
    Ok(ApiResponse::with_message(Nothing, "Successfully unsubscribed!").ok())
}

/// Follows a link unless its client has guessed too many codes. Only a wrong code counts as an
/// attempt.
async fn followed(
    request: &HttpRequest,
    throttle: &SubscriberThrottle,
    link: impl FnOnce() -> Result<Link, Problem>,
    follow: impl AsyncFnOnce(Link) -> Result<(), Error>,
) -> Result<(), Problem> {
    let client = client(request);
    throttle.links.count(&client)?;
    let link = link().inspect_err(|_| throttle.links.give_back(&client))?;
    let followed = follow(link).await;
    if !matches!(followed, Err(Error::BadCode(_))) {
        throttle.links.give_back(&client);
    }
    Ok(followed?)
}

fn required(input: FieldInput<Text>, field: &str, invalid: &mut Invalid) -> String {
    input
        .required(field, "Must be a text", invalid)
        .map(|text| text.0)
        .unwrap_or_default()
}

/// 404 for a text that is not a valid organisation identifier.
pub(super) fn known(organisation: &str) -> Result<OrganisationId, Error> {
    OrganisationId::parse(organisation).map_err(|_| Error::NotFound("Organisation"))
}

/// The routes that need no token.
pub(super) fn routes(config: &mut impl Routes) {
    config
        .service(subscribe)
        .service(verify)
        .service(unsubscribe);
}
