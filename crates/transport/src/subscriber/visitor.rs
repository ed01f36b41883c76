//! The routes of visitors. No response reveals whether an address is known.

use actix_web::{HttpRequest, HttpResponse, post, web};
use allclear_application::error::Error;
use allclear_application::subscriber::{Revealed, SubscriberKey, Subscribers};
use allclear_domain::channel::Channel;
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::input::SubscriberInput;
use super::{SubscriberThrottle, accepted};
use crate::limit::client_network::client;
use crate::request::body::Body;
use crate::request::field::{FieldInput, Text};
use crate::response::api_response::ApiResponse;
use crate::response::problem::{Problem, VisitorErrorResponses};
use crate::routes::Routes;
use crate::server::host_routing::serves;
use crate::status_page::parse_organisation_id;

/// Message after an unsubscription.
pub(super) const UNSUBSCRIBED: &str = "Successfully unsubscribed!";

/// A subscription request.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SubscriptionInput {
    #[serde(flatten)]
    subscriber: SubscriberInput,
    /// Identifier of the organisation.
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    org_id: FieldInput<Text>,
}

/// Parameters of a verification link.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct VerificationInput {
    #[serde(flatten)]
    whose: SubscriberName,
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    org_id: FieldInput<Text>,
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    verification_code: FieldInput<Text>,
}

/// The parameter of a link that names a subscriber: `email` or `subscriberId`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SubscriberName {
    /// Mail address of the subscriber.
    #[serde(default)]
    #[schema(value_type = String, required = false, format = "email", max_length = 254)]
    pub(super) email: FieldInput<Text>,
    /// Identifier of the subscriber.
    #[serde(default)]
    #[schema(value_type = String, required = false, format = "uuid")]
    pub(super) subscriber_id: FieldInput<Text>,
}

/// Parameters of an unsubscribe link, or of a manage link.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UnsubscriptionInput {
    #[serde(flatten)]
    whose: SubscriberName,
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    org_id: FieldInput<Text>,
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    unsubscribe_code: FieldInput<Text>,
    /// Code of the manage link, in place of `unsubscribeCode`.
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    manage_code: FieldInput<Text>,
}

impl UnsubscriptionInput {
    /// The subscriber, the organisation and the code.
    pub(super) fn into_parts(self) -> (SubscriberName, FieldInput<Text>, FieldInput<Text>) {
        let code = if self.manage_code.is_absent() {
            self.unsubscribe_code
        } else {
            self.manage_code
        };
        (self.whose, self.org_id, code)
    }
}

/// The secret of a verified webhook.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VerifiedSubscriber)]
struct VerifiedBody {
    /// Signs the messages (Standard Webhooks); it is not shown again.
    secret: String,
}

/// Always null; the response carries a message only.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Nothing;

/// The parameters of a link, which names the subscriber by `K`.
pub(super) struct Link<K> {
    pub(super) organisation: OrganisationId,
    pub(super) key: K,
    pub(super) code: String,
}

impl<K> Link<K> {
    pub(super) fn read(
        key: Result<K, Invalid>,
        org_id: FieldInput<Text>,
        (field, code): (&str, FieldInput<Text>),
    ) -> Result<Self, Problem> {
        let mut invalid = Invalid::default();
        let key = invalid.merge(key);
        let organisation = required(org_id, "orgId", &mut invalid);
        let code = required(code, field, &mut invalid);
        let (Some(key), Some(organisation), Some(code)) = (key, organisation, code) else {
            return Err(invalid.into());
        };
        Ok(Self {
            organisation: parse_organisation_id(&organisation)?,
            key,
            code,
        })
    }
}

impl SubscriberName {
    /// The key of the subscriber.
    fn key(self) -> Result<SubscriberKey, Invalid> {
        if self.subscriber_id.is_absent() {
            let draft = SubscriberInput::of_email(self.email).draft()?;
            return Ok(SubscriberKey::of_link(draft.target.as_str()));
        }
        subscriber_id(self.subscriber_id).map(SubscriberKey::Id)
    }
}

/// The identifier of a subscriber.
pub(super) fn subscriber_id(input: FieldInput<Text>) -> Result<SubscriberId, Invalid> {
    let mut invalid = Invalid::default();
    let Some(id) = required(input, "subscriberId", &mut invalid) else {
        return Err(invalid);
    };
    // No subscriber has a malformed identifier, and none has the nil one.
    Ok(id.parse().unwrap_or(SubscriberId(Uuid::nil())))
}

/// Subscribes a target to the updates of an organisation, and sends a confirmation link to it. The
/// response is the same for known and unknown targets.
#[utoipa::path(
    tag = "subscribers",
    request_body = SubscriptionInput,
    responses((status = 200, body = ApiResponse<Nothing>), VisitorErrorResponses)
)]
#[post("/public")]
async fn subscribe(
    request: HttpRequest,
    body: Body<SubscriptionInput>,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<SubscriberThrottle>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = invalid.merge(body.0.subscriber.draft());
    let organisation = required(body.0.org_id, "orgId", &mut invalid);
    let Some((draft, organisation)) = draft.zip(organisation) else {
        return Err(invalid.into());
    };
    throttle.subscribe.take_or_refuse(&client(&request))?;
    let message = accepted(draft.target.channel());
    let organisation = parse_organisation_id(&organisation)?;
    if !serves(&request, &organisation) {
        return Err(Problem::not_found());
    }
    subscribers.subscribe(&organisation, draft).await?;
    Ok(ApiResponse::with_message(Nothing, message).ok())
}

/// Verifies a target by the link of a verification message. The link works repeatedly until it
/// expires. The first response for a webhook has its secret.
#[utoipa::path(
    tag = "subscribers",
    request_body = VerificationInput,
    responses((status = 200, body = ApiResponse<Option<VerifiedBody>>), VisitorErrorResponses)
)]
#[post("/verify")]
async fn verify(
    request: HttpRequest,
    body: Body<VerificationInput>,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<SubscriberThrottle>,
) -> Result<HttpResponse, Problem> {
    let verified = confirm(&request, &subscribers, &throttle, body.0).await?;
    let message = confirmed(verified.subscriber.target.channel());
    let body = verified.secret.map(|secret| VerifiedBody {
        secret: secret.reveal(),
    });
    Ok(ApiResponse::with_message(body, message).ok())
}

/// Verifies a target by the parameters of a link.
pub(super) async fn confirm(
    request: &HttpRequest,
    subscribers: &Subscribers,
    throttle: &SubscriberThrottle,
    input: VerificationInput,
) -> Result<Revealed, Problem> {
    let VerificationInput {
        whose,
        org_id,
        verification_code,
    } = input;
    let code = ("verificationCode", verification_code);
    let link = || Link::read(whose.key(), org_id, code);
    let follow = async |link: Link<SubscriberKey>| {
        subscribers
            .verify(&link.organisation, link.key, &link.code)
            .await
    };
    followed(request, throttle, link, follow).await
}

/// Message after a verification.
pub(super) const fn confirmed(channel: Channel) -> &'static str {
    match channel {
        Channel::Email => "Email verified successfully!",
        _ => "Subscription confirmed successfully!",
    }
}

/// Unsubscribes an address by the link of a mail. The link works repeatedly.
#[utoipa::path(
    tag = "subscribers",
    request_body = UnsubscriptionInput,
    responses((status = 200, body = ApiResponse<Nothing>), VisitorErrorResponses)
)]
#[post("/unsubscribe")]
async fn unsubscribe(
    request: HttpRequest,
    body: Body<UnsubscriptionInput>,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<SubscriberThrottle>,
) -> Result<HttpResponse, Problem> {
    let link = body.0.into_parts();
    leave(&request, &subscribers, &throttle, link).await?;
    Ok(ApiResponse::with_message(Nothing, UNSUBSCRIBED).ok())
}

/// Unsubscribes by the parameters of a link.
pub(super) async fn leave(
    request: &HttpRequest,
    subscribers: &Subscribers,
    throttle: &SubscriberThrottle,
    (whose, org_id, code): (SubscriberName, FieldInput<Text>, FieldInput<Text>),
) -> Result<(), Problem> {
    let code = ("unsubscribeCode", code);
    let link = || Link::read(whose.key(), org_id, code);
    let leave = async |link: Link<SubscriberKey>| {
        subscribers
            .unsubscribe(&link.organisation, link.key, &link.code)
            .await
    };
    followed(request, throttle, link, leave).await
}

/// Follows a link unless its client has guessed too many codes, or the links of the subscription
/// were followed too often. Only a wrong code counts as a guess.
pub(super) async fn followed<K: Clone + Into<SubscriberKey>, T>(
    request: &HttpRequest,
    throttle: &SubscriberThrottle,
    link: impl FnOnce() -> Result<Link<K>, Problem>,
    follow: impl AsyncFnOnce(Link<K>) -> Result<T, Error>,
) -> Result<T, Problem> {
    let client = client(request);
    throttle.links.take_or_refuse(&client)?;
    let link = link()
        .and_then(|link| {
            if serves(request, &link.organisation) {
                Ok(link)
            } else {
                Err(Problem::not_found())
            }
        })
        .inspect_err(|_| throttle.links.give_back(&client))?;
    let key: SubscriberKey = link.key.clone().into();
    let subscription = (link.organisation.clone(), key.without_spelling());
    throttle
        .followed
        .take_or_refuse(&subscription)
        .inspect_err(|_| throttle.links.give_back(&client))?;
    let followed = follow(link).await;
    if matches!(followed, Err(Error::BadCode(_))) {
        // It wrote nothing, and strangers must not keep the owner of the subscription from
        // its links.
        throttle.followed.give_back(&subscription);
    } else {
        throttle.links.give_back(&client);
    }
    Ok(followed?)
}

fn required(input: FieldInput<Text>, field: &str, invalid: &mut Invalid) -> Option<String> {
    let text = input.required(field, "Must be a text", invalid)?;
    Some(text.0)
}

/// The routes that need no token.
pub(super) fn routes(config: &mut impl Routes) {
    config
        .service(subscribe)
        .service(verify)
        .service(unsubscribe);
}
