//! The routes of an incident's review.

use actix_web::{HttpResponse, delete, get, post, put, web};
use allclear_application::review::Reviews;
use allclear_application::timestamp;
use allclear_domain::id::IncidentId;
use allclear_domain::markdown;
use allclear_domain::review::{Review, ReviewStatus};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::request::body::{Body, OptionalBody};
use crate::request::caller::{CanRead, CanWrite};
use crate::request::field::{FieldInput, Text};
use crate::request::if_match::IfMatch;
use crate::request::path::Id;
use crate::response::api_response::{ApiResponse, Deleted};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::update::change_options::notify;

/// Largest body of a review, in bytes: 50,000 characters, each of which may be escaped as two units
/// of UTF-16 (RFC 8259, section 7).
const MAX_REVIEW_BYTES: usize = 600 * 1024;

/// A review of an incident.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Review)]
struct ReviewBody {
    /// Markdown, as the operator entered it.
    body: String,
    /// The same as HTML that is safe to show.
    html: String,
    status: ReviewStatus,
    /// Time of publication; null for a draft.
    #[serde(serialize_with = "timestamp::serialize_option")]
    #[schema(required)]
    published_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "timestamp::serialize")]
    updated_at: DateTime<Utc>,
}

impl From<Review> for ReviewBody {
    fn from(review: Review) -> Self {
        Self {
            html: markdown::render(&review.body),
            status: review.status(),
            body: review.body,
            published_at: review.published_at,
            created_at: review.created_at,
            updated_at: review.updated_at,
        }
    }
}

/// The text of a review.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ReviewInput)]
struct ReviewInput {
    /// Markdown, 1 to 50,000 characters.
    #[serde(default)]
    #[schema(value_type = String, required = true, min_length = 1, max_length = 50_000)]
    body: FieldInput<Text>,
}

impl ReviewInput {
    fn text(self) -> Result<String, Invalid> {
        let mut invalid = Invalid::default();
        let text = self
            .body
            .required("body", "Review is required", &mut invalid);
        invalid.into_result()?;
        Ok(text.map(|text| text.0).unwrap_or_default())
    }
}

/// How a review is published.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = ReviewPublication)]
struct PublicationInput {
    /// Whether subscribers are notified. The default of the organisation if absent.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    notify: FieldInput<bool>,
}

/// A text as HTML.
#[derive(Debug, Serialize, ToSchema)]
struct Preview {
    /// HTML that is safe to show.
    html: String,
}

fn respond(review: Review) -> HttpResponse {
    let version = review.version;
    ApiResponse::new(ReviewBody::from(review)).item(version)
}

/// Returns the review of an incident. The `ETag` header is its version.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    responses((status = 200, body = ApiResponse<ReviewBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}/review")]
async fn read(
    caller: CanRead,
    id: Id<IncidentId>,
    reviews: web::Data<Reviews>,
) -> Result<HttpResponse, Problem> {
    let found = reviews.find(&caller.organisation, id.0).await?;
    Ok(respond(found))
}

/// Writes the review of an incident. A new one is a draft; a published one stays published.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    request_body = ReviewInput,
    responses((status = 200, body = ApiResponse<ReviewBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[put("/{id}/review")]
async fn write(
    caller: CanWrite,
    id: Id<IncidentId>,
    if_match: IfMatch,
    body: Body<ReviewInput, MAX_REVIEW_BYTES>,
    reviews: web::Data<Reviews>,
) -> Result<HttpResponse, Problem> {
    let written = reviews
        .write(&caller.organisation, id.0, body.0.text()?, if_match.0)
        .await?;
    Ok(respond(written))
}

/// Publishes the review of a resolved incident.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    request_body = Option<PublicationInput>,
    responses((status = 200, body = ApiResponse<ReviewBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/review/publish")]
async fn publish(
    caller: CanWrite,
    id: Id<IncidentId>,
    if_match: IfMatch,
    body: OptionalBody<PublicationInput>,
    reviews: web::Data<Reviews>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let notify = notify(body.0.notify, &mut invalid);
    invalid.into_result()?;
    let published = reviews
        .publish(&caller.organisation, id.0, notify, if_match.0)
        .await?;
    Ok(respond(published))
}

/// Deletes the review of an incident.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[delete("/{id}/review")]
async fn remove(
    caller: CanWrite,
    id: Id<IncidentId>,
    if_match: IfMatch,
    reviews: web::Data<Reviews>,
) -> Result<HttpResponse, Problem> {
    reviews
        .delete(&caller.organisation, id.0, if_match.0)
        .await?;
    Ok(ApiResponse::deleted(id.0))
}

/// Renders a text as a review without storing it.
#[utoipa::path(
    tag = "incidents",
    params(("id" = String, Path, format = "uuid")),
    request_body = ReviewInput,
    responses((status = 200, body = ApiResponse<Preview>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/review/preview")]
async fn preview(
    caller: CanWrite,
    id: Id<IncidentId>,
    body: Body<ReviewInput, MAX_REVIEW_BYTES>,
    reviews: web::Data<Reviews>,
) -> Result<HttpResponse, Problem> {
    let html = reviews
        .preview(&caller.organisation, id.0, body.0.text()?)
        .await?;
    Ok(ApiResponse::new(Preview { html }).ok())
}

/// The routes of the review, under `/incident`.
pub(super) fn routes(config: &mut impl Routes) {
    config
        .service(read)
        .service(write)
        .service(publish)
        .service(remove)
        .service(preview);
}
