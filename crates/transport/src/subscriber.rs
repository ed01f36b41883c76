//! The subscriber calls: operators', and those of visitors, who need no token.

mod delivery;
pub(crate) mod form;
mod one_click;
mod visitor;

use std::net::IpAddr;

use actix_web::{HttpResponse, delete, get, post, web};
use allclear_application::subscriber::Subscribers;
use allclear_application::timestamp;
use allclear_domain::id::SubscriberId;
use allclear_domain::subscriber::{Subscriber, SubscriberDraft};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api_response::{Answer, Deleted, list as answer_list};
use crate::caller::Operator;
use crate::input::{Body, FieldInput, Text};
use crate::page_query::{AskedPage, PageQuery};
use crate::path::Id;
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::throttle::{Bucket, Limit};

/// What is said once a subscription is entered.
const MAILED: &str = "Verification email sent successfully";
/// What a form says under an address that is none.
const EMAIL_MESSAGE: &str = "Invalid email address";

/// How often a visitor may try what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Subscriptions asked for from a client address.
    pub subscribe: Limit,
    /// Links with wrong codes followed from a client address. Right ones are not counted: many people may share an address.
    pub links: Limit,
}

impl Default for Limits {
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

/// Counts the tries of visitors.
pub struct Throttle {
    subscribe: Bucket<IpAddr>,
    links: Bucket<IpAddr>,
}

impl Throttle {
    /// With these limits.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
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
    /// Its identifier, a `UUIDv7`.
    id: String,
    /// The address as it was typed.
    email: String,
    #[schema(value_type = SubscriberStatusWord)]
    status: &'static str,
    /// Whether the link of the verification mail was followed.
    is_verified: bool,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
}

impl From<&Subscriber> for SubscriberBody {
    fn from(subscriber: &Subscriber) -> Self {
        Self {
            id: subscriber.id.to_string(),
            email: subscriber.email.clone(),
            status: subscriber.status.as_str(),
            is_verified: subscriber.is_verified,
            created_at: subscriber.created_at,
        }
    }
}

/// The words of a subscriber's status.
#[derive(Debug, Clone, Copy, ToSchema)]
#[schema(rename_all = "SCREAMING_SNAKE_CASE", as = SubscriberStatus)]
#[expect(dead_code, reason = "documents the words; the domain has the statuses")]
enum SubscriberStatusWord {
    /// The link of the verification mail has not been followed.
    Pending,
    /// Mail goes there.
    Subscribed,
    /// Mail goes there no longer.
    Unsubscribed,
}

/// A subscriber to add.
#[derive(Debug, Deserialize, ToSchema)]
struct SubscriberInput {
    /// Up to 254 characters.
    #[serde(default)]
    #[schema(value_type = String, format = "email", max_length = 254, required = true)]
    email: FieldInput<Text>,
}

/// Adds a subscriber, pending, and mails the verification link.
#[utoipa::path(
    tag = "subscribers",
    request_body = SubscriberInput,
    responses((status = 201, body = Answer<SubscriberBody>), ErrorResponses),
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
    Ok(HttpResponse::Created().json(Answer::with_message(SubscriberBody::from(&added), MAILED)))
}

/// Lists the organisation's subscribers, newest first.
#[utoipa::path(
    tag = "subscribers",
    params(PageQuery),
    responses((status = 200, body = Answer<Vec<SubscriberBody>>), ErrorResponses),
    security(("bearer" = []))
)]
#[get("/list")]
async fn list(
    operator: Operator,
    page: AskedPage,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let listed = subscribers.list(&operator.organisation, page.0).await?;
    Ok(answer_list(&listed, page.is_part(), |subscriber| {
        SubscriberBody::from(subscriber)
    }))
}

/// Deletes a subscriber.
#[utoipa::path(
    tag = "subscribers",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = Answer<Deleted>), ErrorResponses),
    security(("bearer" = []))
)]
#[delete("/{id}")]
async fn remove(
    operator: Operator,
    id: Id<SubscriberId>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    subscribers.delete(&operator.organisation, id.0).await?;
    Ok(Answer::new(Deleted {
        id: id.0.to_string(),
    })
    .ok())
}

/// The draft, with what is wrong with it noted.
fn draft(email: FieldInput<Text>, invalid: &mut Invalid) -> SubscriberDraft {
    let email = email
        .required("email", EMAIL_MESSAGE, invalid)
        .map(|text| text.0)
        .unwrap_or_default();
    let draft = SubscriberDraft { email };
    invalid.check(&draft);
    draft
}

/// The calls under `/subscriber`.
pub(crate) fn calls(config: &mut impl Routes) {
    config.scope("/subscriber", |calls| {
        visitor::calls(calls);
        one_click::calls(calls);
        delivery::calls(calls);
        calls.service(add).service(list).service(remove);
    });
}
