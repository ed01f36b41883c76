//! The subscriber routes: for operators, and for visitors without a token.

mod delivery;
mod export;
mod filter;
pub(crate) mod form;
mod import;
mod input;
pub(crate) mod link_form;
mod manage;
mod one_click;
mod visitor;

use actix_web::{HttpRequest, HttpResponse, delete, get, patch, post, web};
use allclear_application::message::SigningSecret;
use allclear_application::subscriber::{Revealed, SubscriberKey, Subscribers};
use allclear_application::timestamp;
use allclear_domain::channel::Channel;
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::rate_limit::RateLimit;
use allclear_domain::subscriber::{ScopeKind, Subscriber, SubscriberStatus};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use self::filter::{Filter, FilterQuery};
use self::input::{SubscriberChangeInput, SubscriberInput};
use crate::limit::bucket::{Bucket, ClientBucket};
use crate::limit::usage::Usage;
use crate::request::body::Body;
use crate::request::caller::{CanRead, CanWrite};
use crate::request::idempotency::Repeatable;
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::request::path::Id;
use crate::response::api_response::{ApiResponse, Deleted, list as list_response};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// Message after a subscription was accepted.
const MAILED: &str = "Verification email sent successfully";

/// Limits for the attempts of a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubscriberLimits {
    /// Subscriptions from a client address.
    pub subscribe: RateLimit,
    /// Links with a wrong code from a client address. Correct codes are not counted, because many
    /// people may share an address.
    pub links: RateLimit,
}

impl Default for SubscriberLimits {
    fn default() -> Self {
        Self {
            subscribe: RateLimit {
                burst: 10,
                per_hour: 30,
            },
            links: RateLimit {
                burst: 30,
                per_hour: 120,
            },
        }
    }
}

/// Counts the attempts of visitors.
pub struct SubscriberThrottle {
    subscribe: ClientBucket,
    links: ClientBucket,
    /// How often the links of a subscription may be followed: each time may write.
    followed: Bucket<(OrganisationId, SubscriberKey)>,
}

impl SubscriberThrottle {
    const FOLLOWED: RateLimit = RateLimit {
        burst: 60,
        per_hour: 120,
    };

    /// Creates full buckets with these limits.
    #[must_use]
    pub fn new(limits: &SubscriberLimits) -> Self {
        Self {
            subscribe: ClientBucket::new(limits.subscribe),
            links: ClientBucket::new(limits.links),
            followed: Bucket::new(Self::FOLLOWED),
        }
    }
}

/// A subscriber as operators and the page of its manage link show it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Subscriber)]
struct SubscriberBody {
    /// Identifier, a `UUIDv7`.
    #[schema(format = "uuid")]
    id: String,
    /// How the subscriber is reached.
    channel: Channel,
    /// The mail address, or the part of the URL that people may see.
    target: String,
    /// Mail address as the subscriber typed it; null on other channels.
    #[schema(required)]
    email: Option<String>,
    /// Whether the subscriber receives everything, or updates about chosen components and groups,
    /// or about one incident.
    scope: ScopeKind,
    /// Identifiers of the chosen components; null for no choice.
    #[schema(required)]
    components: Option<Vec<String>>,
    /// Identifiers of the chosen groups; null for no choice.
    #[schema(required)]
    groups: Option<Vec<String>>,
    /// Identifier of the incident that the subscriber follows; null on other scopes.
    #[schema(required, format = "uuid")]
    incident_id: Option<String>,
    /// Whether the subscriber receives nothing about maintenances.
    mute_maintenances: bool,
    status: SubscriberStatus,
    /// Whether the subscriber has followed the verification link.
    is_verified: bool,
    /// Why and since when messages fail for good; null if the last one arrived.
    #[schema(required)]
    failing: Option<FailingBody>,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
}

/// Why and since when messages to a subscriber fail.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SubscriberFailure)]
struct FailingBody {
    /// Response of the receiver, in one line.
    reason: String,
    #[serde(serialize_with = "timestamp::serialize")]
    since: DateTime<Utc>,
}

impl From<&Subscriber> for SubscriberBody {
    fn from(subscriber: &Subscriber) -> Self {
        let choice = subscriber.scope.choice();
        // After everything that was chosen is deleted, a list is empty rather than null.
        let components =
            choice.filter(|choice| !choice.components.is_empty() || choice.groups.is_empty());
        let groups = choice.filter(|choice| !choice.groups.is_empty());
        Self {
            id: subscriber.id.to_string(),
            channel: subscriber.target.channel(),
            target: subscriber.target.masked(),
            email: subscriber.target.email().map(str::to_owned),
            scope: subscriber.scope.kind(),
            components: components.map(|choice| texts(&choice.components)),
            groups: groups.map(|choice| texts(&choice.groups)),
            incident_id: subscriber.scope.incident().map(|id| id.to_string()),
            mute_maintenances: subscriber.mute_maintenances,
            status: subscriber.status,
            is_verified: subscriber.is_verified,
            failing: subscriber.failing.as_ref().map(|failing| FailingBody {
                reason: failing.reason.clone(),
                since: failing.since,
            }),
            created_at: subscriber.created_at,
        }
    }
}

fn texts(ids: &[impl ToString]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

/// A subscriber with the secret of its webhook.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SubscriberWithSecret)]
struct RevealedBody {
    #[serde(flatten)]
    subscriber: SubscriberBody,
    /// Secret that signs the messages to a webhook (Standard Webhooks); it is not shown again.
    /// Absent on other channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

impl From<&Revealed> for RevealedBody {
    fn from(revealed: &Revealed) -> Self {
        Self {
            subscriber: SubscriberBody::from(&revealed.subscriber),
            secret: revealed.secret.as_ref().map(SigningSecret::reveal),
        }
    }
}

/// Adds a pending subscriber and sends the verification link.
#[utoipa::path(
    tag = "subscribers",
    request_body = SubscriberInput,
    responses((status = 201, body = ApiResponse<RevealedBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("")]
async fn add(
    caller: CanWrite,
    repeatable: Repeatable,
    body: Body<SubscriberInput>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let draft = body.0.draft()?;
    let message = accepted(draft.target.channel());
    let revealing = subscribers.clone();
    let respond = move |added: &Subscriber| {
        let added = RevealedBody::from(&revealing.reveal(added.clone()));
        HttpResponse::Created().json(ApiResponse::with_message(added, message))
    };
    let add = subscribers.add(&caller.organisation, caller.account(), draft);
    repeatable.create(&caller, respond, add).await
}

/// Changes what a subscriber receives.
#[utoipa::path(
    tag = "subscribers",
    params(("id" = String, Path, format = "uuid")),
    request_body = SubscriberChangeInput,
    responses((status = 200, body = ApiResponse<SubscriberBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[patch("/{id}")]
async fn change(
    caller: CanWrite,
    id: Id<SubscriberId>,
    body: Body<SubscriberChangeInput>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let patch = body.0.patch(&mut invalid);
    invalid.into_result()?;
    let changed = subscribers.edit(&caller.organisation, id.0, patch).await?;
    Ok(ApiResponse::new(SubscriberBody::from(&changed)).ok())
}

/// Gives a webhook a new secret. For 24 hours, messages are signed with the previous secret, too.
#[utoipa::path(
    tag = "subscribers",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<RevealedBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/rotate-secret")]
async fn rotate_secret(
    caller: CanWrite,
    id: Id<SubscriberId>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let rotated = subscribers
        .rotate_secret(&caller.organisation, id.0)
        .await?;
    Ok(ApiResponse::new(RevealedBody::from(&rotated)).ok())
}

/// Sends a test message to a subscriber and waits until it has arrived or failed.
#[utoipa::path(
    tag = "subscribers",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<SubscriberBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/test")]
async fn test(
    caller: CanWrite,
    id: Id<SubscriberId>,
    request: HttpRequest,
    usage: web::Data<Usage>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let _permit = usage.begin_message(&caller.organisation, &request).await?;
    let account = caller.account();
    let tested = subscribers
        .test(&caller.organisation, account, id.0)
        .await?;
    let message = "The test message has arrived";
    Ok(ApiResponse::with_message(SubscriberBody::from(&tested), message).ok())
}

/// Sends a pending subscriber a new verification link and waits until it has arrived or failed.
#[utoipa::path(
    tag = "subscribers",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<SubscriberBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/verification")]
async fn send_verification(
    caller: CanWrite,
    id: Id<SubscriberId>,
    request: HttpRequest,
    usage: web::Data<Usage>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let _permit = usage.begin_message(&caller.organisation, &request).await?;
    let account = caller.account();
    let sent = subscribers
        .send_verification(&caller.organisation, account, id.0)
        .await?;
    let message = accepted(sent.target.channel());
    Ok(ApiResponse::with_message(SubscriberBody::from(&sent), message).ok())
}

/// Lists the subscribers of the organisation that the parameters select, newest first.
#[utoipa::path(
    tag = "subscribers",
    params(FilterQuery, PageQuery),
    responses((status = 200, body = ApiResponse<Vec<SubscriberBody>>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/list")]
async fn list(
    caller: CanRead,
    filter: Filter,
    requested: RequestedPage,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let listed = subscribers
        .list(&caller.organisation, &filter.0, requested.page)
        .await?;
    Ok(list_response(&listed, requested, |subscriber| {
        SubscriberBody::from(subscriber)
    }))
}

/// Deletes a subscriber.
#[utoipa::path(
    tag = "subscribers",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[delete("/{id}")]
async fn remove(
    caller: CanWrite,
    id: Id<SubscriberId>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    subscribers.delete(&caller.organisation, id.0).await?;
    Ok(ApiResponse::deleted(id.0))
}

/// The message after a subscription was accepted.
const fn accepted(channel: Channel) -> &'static str {
    match channel {
        Channel::Email => MAILED,
        _ => "Verification message sent successfully",
    }
}

/// The routes under `/subscriber`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.scope_for_unknown_senders("/subscriber", |routes| {
        visitor::routes(routes);
        one_click::routes(routes);
        delivery::routes(routes);
        routes.service(import::import).service(export::export);
        manage::routes(routes);
        routes
            .service(add)
            .service(list)
            .service(change)
            .service(rotate_secret)
            .service(test)
            .service(send_verification)
            .service(remove);
    });
}
