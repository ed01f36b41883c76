//! The page of a manage link: what a subscription is, and changes to it.

use actix_web::{HttpRequest, HttpResponse, patch, post, web};
use allclear_application::subscriber::Subscribers;
use allclear_domain::id::SubscriberId;
use allclear_domain::validation::Invalid;
use serde::Deserialize;
use utoipa::ToSchema;

use super::input::SubscriberChangeInput;
use super::visitor::{Link, followed, subscriber_id};
use super::{SubscriberBody, SubscriberThrottle};
use crate::request::body::Body;
use crate::request::field::{FieldInput, Text};
use crate::response::api_response::ApiResponse;
use crate::response::problem::{Problem, VisitorErrorResponses};
use crate::routes::Routes;

/// Parameters of a manage link.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ManageLink)]
struct ManageInput {
    /// Identifier of the subscriber.
    #[serde(default)]
    #[schema(value_type = String, required = true, format = "uuid")]
    subscriber_id: FieldInput<Text>,
    /// Identifier of the organisation.
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    org_id: FieldInput<Text>,
    /// Code of the link.
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    manage_code: FieldInput<Text>,
}

impl ManageInput {
    fn link(self) -> Result<Link<SubscriberId>, Problem> {
        let key = subscriber_id(self.subscriber_id);
        Link::read(key, self.org_id, ("manageCode", self.manage_code))
    }
}

/// A manage link, with changes.
#[derive(Deserialize, ToSchema)]
#[schema(as = ManagedChange)]
struct ManagedChangeInput {
    #[serde(flatten)]
    link: ManageInput,
    #[serde(flatten)]
    change: SubscriberChangeInput,
}

/// Returns the subscription of a manage link.
#[utoipa::path(
    tag = "subscribers",
    request_body = ManageInput,
    responses((status = 200, body = ApiResponse<SubscriberBody>), VisitorErrorResponses)
)]
#[post("/subscription")]
async fn read(
    request: HttpRequest,
    body: Body<ManageInput>,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<SubscriberThrottle>,
) -> Result<HttpResponse, Problem> {
    let read = async |link: Link<SubscriberId>| {
        subscribers
            .managed(&link.organisation, link.key, &link.code)
            .await
    };
    let found = followed(&request, &throttle, || body.0.link(), read).await?;
    Ok(ApiResponse::new(SubscriberBody::from(&found)).ok())
}

/// Changes what the subscriber of a manage link receives.
#[utoipa::path(
    tag = "subscribers",
    request_body = ManagedChangeInput,
    responses((status = 200, body = ApiResponse<SubscriberBody>), VisitorErrorResponses)
)]
#[patch("/subscription")]
async fn change(
    request: HttpRequest,
    body: Body<ManagedChangeInput>,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<SubscriberThrottle>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let patch = body.0.change.patch(&mut invalid);
    invalid.into_result()?;
    let change = async |link: Link<SubscriberId>| {
        subscribers
            .manage(&link.organisation, link.key, &link.code, patch)
            .await
    };
    let changed = followed(&request, &throttle, || body.0.link.link(), change).await?;
    let message = "Subscription updated successfully!";
    Ok(ApiResponse::with_message(SubscriberBody::from(&changed), message).ok())
}

/// The routes of manage links.
pub(super) fn routes(config: &mut impl Routes) {
    config.service(read).service(change);
}
