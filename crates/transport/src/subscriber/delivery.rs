//! How an organisation's mail is doing.

use actix_web::{HttpResponse, get, web};
use allclear_application::delivery::{Deliveries, DeliveryCounts};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api_response::Answer;
use crate::caller::Operator;
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// What became of the mails to an organisation's subscribers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryCounts)]
struct CountsBody {
    /// Still to be sent.
    waiting: u64,
    /// Sent in the last `days` days.
    sent: u64,
    /// Given up in the last `days` days.
    given_up: u64,
    /// Why they were given up, the most frequent first; five at most.
    reasons: Vec<ReasonBody>,
    /// How many days this looks back.
    days: i64,
}

/// Why mails were given up.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeliveryReason)]
struct ReasonBody {
    /// What the mail server said, in one line.
    reason: String,
    /// How many were given up for it.
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
            days: Deliveries::KEPT.num_days(),
        }
    }
}

/// Counts the mails to the organisation's subscribers.
#[utoipa::path(
    tag = "subscribers",
    responses((status = 200, body = Answer<CountsBody>), ErrorResponses),
    security(("bearer" = []))
)]
#[get("/deliveries")]
async fn counts(
    operator: Operator,
    deliveries: web::Data<Deliveries>,
) -> Result<HttpResponse, Problem> {
    let counts = deliveries.counts(&operator.organisation).await?;
    Ok(Answer::new(CountsBody::from(counts)).ok())
}

/// The operators' call about mail.
pub(super) fn calls(config: &mut impl Routes) {
    config.service(counts);
}
