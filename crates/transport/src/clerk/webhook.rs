//! Clerk's webhooks.

use actix_web::{HttpRequest, HttpResponse, post, web};
use allclear_application::directory::{Directory, Envelope};
use allclear_application::error::Error;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use serde::Serialize;
use utoipa::ToSchema;

use crate::request::body::Raw;
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::record_refused;

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
    let envelope = Envelope {
        id,
        timestamp,
        signatures,
        body: &body.0,
    };
    let message = directory.verify(&envelope).map_err(|refused| {
        let reason = refused.to_string();
        let record = SecurityRecord {
            detail: Some(&reason),
            ..SecurityRecord::new(SecurityEvent::WebhookRefused)
        };
        record_refused(&request, record);
        Error::BadCode("The signature of this message is not valid")
    })?;
    directory.handle_webhook(message).await?;
    Ok(ApiResponse::new(WebhookReceived { received: true }).ok())
}

/// The route `/webhooks`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(handle_webhook);
}
