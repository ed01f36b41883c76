//! The messages to an organisation's subscribers: counts, and samples.

use actix_web::{HttpResponse, get, web};
use allclear_application::delivery::{Deliveries, DeliveryCounts};
use allclear_application::subscriber::Subscribers;
use allclear_domain::channel::Channel;
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::request::caller::CanRead;
use crate::request::field::CHOICE_MESSAGE;
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
    /// Why messages failed for good, the most frequent reason first; at most five.
    reasons: Vec<ReasonBody>,
    /// Why messages wait for a retry, the most frequent reason first; at most five. Of many waiting
    /// messages only those that are due last are counted.
    retrying: Vec<ReasonBody>,
    /// Number of days that the counts cover.
    days: i64,
}

/// Why attempts to send messages failed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeliveryReason)]
struct ReasonBody {
    /// Response of the receiver, in one line.
    reason: String,
    /// Number of messages whose last attempt failed for this reason.
    count: u64,
}

impl ReasonBody {
    fn all(reasons: Vec<(String, u64)>) -> Vec<Self> {
        let reasons = reasons.into_iter();
        reasons
            .map(|(reason, count)| Self { reason, count })
            .collect()
    }
}

impl From<DeliveryCounts> for CountsBody {
    fn from(found: DeliveryCounts) -> Self {
        Self {
            waiting: found.waiting,
            sent: found.sent,
            given_up: found.given_up,
            reasons: ReasonBody::all(found.reasons),
            retrying: ReasonBody::all(found.retrying),
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
    /// Channel of the message. `webhook` if absent.
    #[param(value_type = Option<Channel>)]
    channel: Option<String>,
}

/// A message as a channel gets it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MessagePreview)]
struct PreviewBody {
    channel: Channel,
    /// Subject of the mail; null on other channels.
    #[schema(required)]
    subject: Option<String>,
    /// Text of the mail; on other channels the body of the request, as JSON with line breaks.
    body: String,
    /// The mail as an HTML document; null on other channels.
    #[schema(required)]
    html: Option<String>,
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
    let channel: Channel = query
        .channel
        .as_deref()
        .unwrap_or("webhook")
        .parse()
        .map_err(|_| Invalid::field("channel", CHOICE_MESSAGE))?;
    let organisation = &caller.organisation;
    let preview = if channel == Channel::Email {
        let mail = subscribers.preview_mail(organisation).await?;
        PreviewBody {
            channel,
            subject: Some(mail.subject),
            body: mail.text,
            html: Some(mail.html),
        }
    } else {
        PreviewBody {
            channel,
            subject: None,
            body: subscribers.preview(organisation, channel).await?,
            html: None,
        }
    };
    Ok(ApiResponse::new(preview).ok())
}

/// The routes of deliveries.
pub(super) fn routes(config: &mut impl Routes) {
    config.service(counts).service(preview);
}
