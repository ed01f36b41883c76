//! Clerk's webhooks.

use actix_web::{HttpRequest, HttpResponse, post, web};
use allclear_application::directory::{Directory, Envelope};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api_response::Answer;
use crate::input::Raw;
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// A message was heard.
#[derive(Debug, Serialize, ToSchema)]
struct Heard {
    /// Always true: a message that was heard before is heard again without effect.
    heard: bool,
}

/// Hears what Clerk has to tell. The signature proves that it is Clerk's.
#[utoipa::path(
    tag = "clerk",
    params(
        ("svix-id" = String, Header, description = "Names the message; the same for each attempt to deliver it"),
        ("svix-timestamp" = String, Header, description = "When it was signed, in seconds"),
        ("svix-signature" = String, Header, description = "Its signatures"),
    ),
    request_body(content = serde_json::Value, content_type = "application/json"),
    responses((status = 200, body = Answer<Heard>), ErrorResponses),
)]
#[post("/webhooks")]
async fn hear(
    request: HttpRequest,
    body: Raw,
    directory: web::Data<Directory>,
) -> Result<HttpResponse, Problem> {
    let text = |name: &str| {
        request
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .trim()
    };
    let (id, timestamp, signatures) = (
        text("svix-id"),
        text("svix-timestamp"),
        text("svix-signature"),
    );
    directory
        .hear(&Envelope {
            id,
            timestamp,
            signatures,
            body: &body.0,
        })
        .await?;
    Ok(Answer::new(Heard { heard: true }).ok())
}

/// The call at `/webhooks`.
pub(crate) fn calls(config: &mut impl Routes) {
    config.service(hear);
}
