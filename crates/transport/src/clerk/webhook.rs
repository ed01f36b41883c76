//! Clerk's webhooks.

use actix_web::{HttpRequest, HttpResponse, post, web};
use allclear_application::directory::{Directory, Envelope};
use serde::Serialize;
use utoipa::ToSchema;

use crate::request::input::Raw;
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// Confirmation of a webhook message.
#[derive(Debug, Serialize, ToSchema)]
struct WebhookReceived {
    /// Always true. A repeated message is accepted without effect.
    received: bool,
}

/// Receives a webhook message of Clerk, which must be signed.
#[utoipa::path(
    tag = "clerk",
    params(
        ("svix-id" = String, Header, description = "Identifier of the message, the same for each delivery attempt"),
        ("svix-timestamp" = String, Header, description = "Time of the signature, in seconds since 1970"),
        ("svix-signature" = String, Header, description = "Signatures of the message"),
    ),
    request_body(content = serde_json::Value, content_type = "application/json"),
    responses((status = 200, body = ApiResponse<WebhookReceived>), ErrorResponses),
)]
#[post("/webhooks")]
async fn handle_webhook(
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
        .handle_webhook(&Envelope {
            id,
            timestamp,
            signatures,
            body: &body.0,
        })
        .await?;
    Ok(ApiResponse::new(WebhookReceived { received: true }).ok())
}

/// The route `/webhooks`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(handle_webhook);
}
