//! Counts of the messages to an organisation's subscribers.

use actix_web::{HttpResponse, get, web};
use allclear_application::delivery::{Deliveries, DeliveryCounts};
use allclear_application::subscriber::Subscribers;
use allclear_domain::channel::Channel;
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::openapi::{Object, Type};
use utoipa::{IntoParams, ToSchema};

use crate::openapi;
use crate::request::caller::CanRead;
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// Counts of the messages to an organisation's subscribers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryCounts)]
struct CountsBody {
    /// Messages that are still to be sent.
    waiting: u64,
    /// Messages sent in the last `days` days.
    sent: u64,
    /// Messages that failed for good in the last `days` days.
    given_up: u64,
    /// Why messages failed, the most frequent reason first; at most five.
    reasons: Vec<ReasonBody>,
    /// Number of days that the counts cover.
    days: i64,
}

/// Why messages failed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeliveryReason)]
struct ReasonBody {
    /// Response of the receiver, in one line.
    reason: String,
    /// Number of messages that failed for this reason.
    count: u64,
}

impl From<DeliveryCounts> for CountsBody {
    fn from(found: DeliveryCounts) -> Self {
        let reason = |(reason, count)| ReasonBody { reason, count };
        Self {
            waiting: found.waiting,
            sent: found.sent,
            given_up: found.given_up,
            reasons: found.reasons.into_iter().map(reason).collect(),
            days: Deliveries::RETENTION.num_days(),
        }
    }
}

/// Counts the messages to the organisation's subscribers.
#[utoipa::path(
    tag = "subscribers",
    responses((status = 200, body = ApiResponse<CountsBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/deliveries")]
async fn counts(
    caller: CanRead,
    deliveries: web::Data<Deliveries>,
) -> Result<HttpResponse, Problem> {
    let counts = deliveries.counts(&caller.organisation).await?;
    Ok(ApiResponse::new(CountsBody::from(counts)).ok())
}

/// The channel of a preview.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PreviewQuery {
    /// `webhook`, `slack`, `teams` or `discord`; `webhook` if absent.
    #[serde(default)]
    #[param(schema_with = channel_schema)]
    channel: Option<String>,
}

fn channel_schema() -> Object {
    openapi::one_of(Type::String, ["webhook", "slack", "teams", "discord"])
}

/// A message as a channel gets it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MessagePreview)]
struct PreviewBody {
    channel: Channel,
    /// Body of the request, as JSON with line breaks.
    body: String,
}

/// Returns a message about the newest incident, or about an example, as a channel gets it.
#[utoipa::path(
    tag = "subscribers",
    params(PreviewQuery),
    responses((status = 200, body = ApiResponse<PreviewBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/preview")]
async fn preview(
    caller: CanRead,
    query: web::Query<PreviewQuery>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let channel = query.channel.as_deref().unwrap_or("webhook").parse().ok();
    let Some(channel) = channel.filter(|channel| *channel != Channel::Email) else {
        return Err(Invalid::field("channel", "Select Any One").into());
    };
    let body = subscribers.preview(&caller.organisation, channel).await?;
    Ok(ApiResponse::new(PreviewBody { channel, body }).ok())
}

/// The routes of deliveries.
pub(super) fn routes(config: &mut impl Routes) {
    config.service(counts).service(preview);
}
