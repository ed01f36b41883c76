//! The subscriber routes: for operators, and for visitors without a token.

mod delivery;
pub(crate) mod form;
mod one_click;
mod visitor;

use std::net::IpAddr;

use actix_web::{HttpResponse, delete, get, post, web};
use allclear_application::subscriber::Subscribers;
use allclear_application::timestamp;
use allclear_domain::id::SubscriberId;
use allclear_domain::subscriber::{Subscriber, SubscriberDraft, SubscriberStatus};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api_response::{ApiResponse, Deleted, list as list_response};
use crate::caller::Operator;
use crate::input::{Body, FieldInput, Text};
use crate::page_query::{PageQuery, RequestedPage};
use crate::path::Id;
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::throttle::{Bucket, Limit};

/// Message after a subscription was accepted.
const MAILED: &str = "Verification email sent successfully";
/// Validation message for an invalid address.
const EMAIL_MESSAGE: &str = "Invalid email address";

/// Limits for the attempts of a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubscriberLimits {
    /// Subscriptions from a client address.
    pub subscribe: Limit,
    /// Links with a wrong code from a client address. Correct codes are not counted, because many
    /// people may share an address.
    pub links: Limit,
}

impl Default for SubscriberLimits {
    fn default() -> Self {
        Self {
            subscribe: Limit {
                burst: 10,
                per_hour: 30,
            },
            links: Limit {
                burst: 30,
                per_hour: 120,
            },
        }
    }
}

/// Counts the attempts of visitors.
pub struct SubscriberThrottle {
    subscribe: Bucket<IpAddr>,
    links: Bucket<IpAddr>,
}

impl SubscriberThrottle {
    /// Creates full buckets with these limits.
    #[must_use]
    pub fn new(limits: &SubscriberLimits) -> Self {
        Self {
            subscribe: Bucket::new(limits.subscribe),
            links: Bucket::new(limits.links),
        }
    }
}

/// A subscriber as operators see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Subscriber)]
struct SubscriberBody {
    /// Identifier, a `UUIDv7`.
    id: String,
    /// Mail address as the subscriber typed it.
    email: String,
    status: SubscriberStatus,
    /// Whether the subscriber has followed the verification link.
    is_verified: bool,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
}

impl From<&Subscriber> for SubscriberBody {
    fn from(subscriber: &Subscriber) -> Self {
        Self {
            id: subscriber.id.to_string(),
            email: subscriber.email.clone(),
            status: subscriber.status,
            is_verified: subscriber.is_verified,
            created_at: subscriber.created_at,
        }
    }
}

/// A subscriber to add.
#[derive(Debug, Deserialize, ToSchema)]
struct SubscriberInput {
    /// Mail address, up to 254 characters.
    #[serde(default)]
    #[schema(value_type = String, format = "email", max_length = 254, required = true)]
    email: FieldInput<Text>,
}

/// Adds a pending subscriber and mails the verification link.
#[utoipa::path(
    tag = "subscribers",
    request_body = SubscriberInput,
    responses((status = 201, body = ApiResponse<SubscriberBody>), ErrorResponses),
    security(("bearer" = []))
)]
#[post("")]
async fn add(
    operator: Operator,
    body: Body<SubscriberInput>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = draft(body.0.email, &mut invalid);
    invalid.into_result()?;
    let added = subscribers
        .add(&operator.organisation, &operator.caller.subject, draft)
        .await?;
    Ok(HttpResponse::Created().json(ApiResponse::with_message(
        SubscriberBody::from(&added),
        MAILED,
    )))
}

/// Lists the subscribers of the organisation, newest first.
#[utoipa::path(
    tag = "subscribers",
    params(PageQuery),
    responses((status = 200, body = ApiResponse<Vec<SubscriberBody>>), ErrorResponses),
    security(("bearer" = []))
)]
#[get("/list")]
async fn list(
    operator: Operator,
    page: RequestedPage,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let listed = subscribers.list(&operator.organisation, page.0).await?;
    Ok(list_response(&listed, page.is_part(), |subscriber| {
        SubscriberBody::from(subscriber)
    }))
}

/// Deletes a subscriber.
#[utoipa::path(
    tag = "subscribers",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("bearer" = []))
)]
#[delete("/{id}")]
async fn remove(
    operator: Operator,
    id: Id<SubscriberId>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    subscribers.delete(&operator.organisation, id.0).await?;
    Ok(ApiResponse::new(Deleted {
        id: id.0.to_string(),
    })
    .ok())
}

/// The draft of the given address; adds its errors to `invalid`.
fn draft(email: FieldInput<Text>, invalid: &mut Invalid) -> SubscriberDraft {
    let email = email
        .required("email", EMAIL_MESSAGE, invalid)
        .map(|text| text.0)
        .unwrap_or_default();
    let draft = SubscriberDraft { email };
    invalid.check(&draft);
    draft
}

/// The routes under `/subscriber`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.scope("/subscriber", |routes| {
        visitor::routes(routes);
        one_click::routes(routes);
        delivery::routes(routes);
        routes.service(add).service(list).service(remove);
    });
}
