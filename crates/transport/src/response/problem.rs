//! The mapping from errors to responses: problem details (RFC 9457).

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, ResponseError};
use allclear_application::caller::TokenError;
use allclear_application::error::Error;
use allclear_application::line_limit::LineLimit;
use allclear_application::mail::SendError;
use allclear_domain::validation::{FieldError, Invalid};
use serde::Serialize;
use utoipa::openapi::{RefOr, Response};
use utoipa::{IntoResponses, ToSchema};

/// An error response.
#[derive(Debug)]
pub(crate) struct Problem {
    kind: &'static str,
    status: StatusCode,
    message: String,
    errors: Vec<FieldError>,
    retry_after: Option<u64>,
    allowed: Option<String>,
}

impl Problem {
    /// A problem with a message for people.
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            kind: "about:blank",
            status,
            message: message.into(),
            errors: Vec::new(),
            retry_after: None,
            allowed: None,
        }
    }

    /// 400.
    pub(crate) fn bad_request(message: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// 404 for a path without a route.
    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "There is nothing here")
    }

    /// 405 with the allowed methods (RFC 9110, section 15.5.6).
    pub(crate) fn method_not_allowed(allowed: &str) -> Self {
        let problem = Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "This method is not allowed here",
        );
        Self {
            allowed: Some(allowed.to_owned()),
            ..problem
        }
    }

    /// 429 (RFC 6585, section 4). `retry_after` is in seconds.
    pub(crate) fn too_many(retry_after: u64) -> Self {
        Self::too_many_of("Too many requests, please try again later", retry_after)
    }

    /// 429 with a message that names the limit. `retry_after` is in seconds.
    pub(crate) fn too_many_of(message: impl Into<String>, retry_after: u64) -> Self {
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, message);
        Self {
            retry_after: Some(retry_after.max(1)),
            ..problem
        }
    }

    /// The seconds of a `Retry-After` header after which this time has passed.
    pub(crate) const fn seconds_after(wait: Duration) -> u64 {
        wait.as_secs() + 1
    }

    /// 503 because the server has too many connections. `retry_after` is in seconds.
    pub(crate) fn crowded(retry_after: u64) -> Self {
        let problem = Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Too many connections, please try again later",
        );
        Self {
            retry_after: Some(retry_after),
            ..problem
        }
    }

    /// Seconds until the client may retry; `None` if a retry does not help.
    pub(crate) const fn retry_after(&self) -> Option<u64> {
        self.retry_after
    }

    /// 503, after which a retry may work.
    fn unavailable(message: impl Into<String>) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, message);
        Self {
            retry_after: Some(1),
            ..problem
        }
    }

    fn internal(cause: &(dyn std::error::Error + 'static)) -> Self {
        static LINES: LineLimit = LineLimit::new(20);
        if LINES.allows() {
            tracing::error!(error = cause, "request failed");
        }
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Something went wrong on our side",
        )
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound(_) => Self::new(StatusCode::NOT_FOUND, error.to_string()),
            Error::Invalid(invalid) => invalid.into(),
            Error::Conflict(message) => Self::new(StatusCode::CONFLICT, message),
            Error::Stale => Self::new(
                StatusCode::PRECONDITION_FAILED,
                "Somebody else changed this in the meantime. Look at their change, then save again",
            ),
            Error::BadCode(message) => Self::new(StatusCode::BAD_REQUEST, message),
            Error::Unauthenticated(message) => Self::new(StatusCode::UNAUTHORIZED, message),
            Error::Forbidden(message) => Self::new(StatusCode::FORBIDDEN, message),
            Error::ReauthenticationRequired => Self {
                kind: "/problems/re-authentication-required",
                ..Self::new(StatusCode::FORBIDDEN, error.to_string())
            },
            Error::SecondFactorRequired => Self {
                kind: "/problems/second-factor-required",
                ..Self::new(StatusCode::FORBIDDEN, error.to_string())
            },
            Error::TooMany {
                message,
                retry_after,
            } => Self::too_many_of(message, retry_after),
            Error::MailLimitReached { retry_after, .. } => {
                Self::too_many_of(error.to_string(), retry_after)
            }
            Error::InvitationNotMailed(SendError::Permanent { .. }) => {
                Self::new(StatusCode::CONFLICT, error.to_string())
            }
            Error::InvitationNotMailed(_) => Self::unavailable(error.to_string()),
            Error::Unavailable(cause) => {
                static LINES: LineLimit = LineLimit::new(20);
                if LINES.allows() {
                    tracing::warn!(
                        error = cause.as_ref() as &dyn std::error::Error,
                        "request failed: something it needs is unavailable"
                    );
                }
                Self::unavailable("Temporarily unavailable, please try again")
            }
            Error::Internal(cause) => Self::internal(cause.as_ref()),
        }
    }
}

/// The fields with which forms begin.
const FIRST_FIELDS: [&str; 3] = ["message", "name", "title"];

/// The first error, whose message is that of the whole response, is the one of the form's first
/// field.
impl From<Invalid> for Problem {
    fn from(invalid: Invalid) -> Self {
        let mut errors = invalid.errors;
        errors.sort_by_key(|error| !FIRST_FIELDS.contains(&error.field.as_str()));
        let message = errors
            .first()
            .map_or("Some fields are not right", |first| first.message.as_str());
        let problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, message);
        Self { errors, ..problem }
    }
}

impl From<TokenError> for Problem {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Bad(reason) => {
                tracing::debug!(reason, "token rejected");
                Self::new(StatusCode::UNAUTHORIZED, "Please sign in again")
            }
            TokenError::KeyExpired => {
                Self::new(StatusCode::UNAUTHORIZED, "This API key has expired")
            }
            TokenError::Unavailable(cause) => Error::Unavailable(cause).into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        response.content_type("application/problem+json");
        if let Some(seconds) = self.retry_after {
            response.insert_header((header::RETRY_AFTER, seconds));
        }
        if let Some(methods) = &self.allowed {
            response.insert_header((header::ALLOW, methods.as_str()));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            // RFC 9110, section 11.6.1: a 401 names the authentication scheme.
            response.insert_header((header::WWW_AUTHENTICATE, "Bearer"));
        }
        let body = ProblemBody {
            kind: self.kind,
            title: self.status.canonical_reason().unwrap_or("Error"),
            status: self.status.as_u16(),
            detail: &self.message,
            message: &self.message,
            errors: (self.status == StatusCode::UNPROCESSABLE_ENTITY).then(|| {
                let errors = self.errors.iter().map(|error| FieldProblem {
                    field: &error.field,
                    message: &error.message,
                });
                errors.collect()
            }),
        };
        // Strings and numbers always serialise.
        response.body(serde_json::to_vec(&body).unwrap_or_default())
    }
}

/// Problem details (RFC 9457) with a message for people and, for 422, the invalid fields.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemBody<'a> {
    /// `about:blank` if the status says all, otherwise a relative URL that names the problem:
    /// `/problems/re-authentication-required` or `/problems/second-factor-required`.
    #[serde(rename = "type")]
    kind: &'a str,
    /// Name of the status.
    title: &'a str,
    /// HTTP status.
    status: u16,
    /// What went wrong.
    detail: &'a str,
    /// Message for people.
    message: &'a str,
    /// The invalid fields of a 422, empty if it is about the whole request; absent for
    /// other statuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<FieldProblem<'a>>, required = false)]
    errors: Option<Vec<FieldProblem<'a>>>,
}

/// An invalid field.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FieldProblem<'a> {
    /// Path of the field, such as `components[0].componentId`.
    field: &'a str,
    /// Message to show at the field.
    message: &'a str,
}

/// Error responses of API calls that need a token or a session.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "documents responses; the variants are never made")]
pub(crate) enum ErrorResponses {
    /// The request is malformed.
    #[response(status = 400, content_type = "application/problem+json")]
    BadRequest(ProblemBody<'static>),
    /// The token or the session is missing or invalid.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthenticated(ProblemBody<'static>),
    /// The token has no organisation, or the caller's role lacks the permission.
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(ProblemBody<'static>),
    /// The organisation has no such item.
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(ProblemBody<'static>),
    /// The request body did not arrive in time.
    #[response(status = 408, content_type = "application/problem+json")]
    TooSlow(ProblemBody<'static>),
    /// A rule forbids the change.
    #[response(status = 409, content_type = "application/problem+json")]
    Conflict(ProblemBody<'static>),
    /// `If-Match` does not match.
    #[response(status = 412, content_type = "application/problem+json")]
    Stale(ProblemBody<'static>),
    /// The request body is too large. Most calls take at most 256 KiB.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(ProblemBody<'static>),
    /// The request body is not JSON, or is compressed.
    #[response(status = 415, content_type = "application/problem+json")]
    NotJson(ProblemBody<'static>),
    /// Fields are missing or invalid.
    #[response(status = 422, content_type = "application/problem+json")]
    Invalid(ProblemBody<'static>),
    /// Too many requests.
    #[response(status = 429, content_type = "application/problem+json")]
    TooMany(ProblemBody<'static>),
    /// The database is unavailable.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(ProblemBody<'static>),
}

/// Error responses of API calls that visitors make, without a token.
pub(crate) enum VisitorErrorResponses {}

impl IntoResponses for VisitorErrorResponses {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut responses = ErrorResponses::responses();
        responses.retain(|status, _| !matches!(status.as_str(), "401" | "403"));
        responses
    }
}

/// Error responses that every API call may have.
pub(crate) enum CommonErrorResponses {}

impl IntoResponses for CommonErrorResponses {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut responses = ErrorResponses::responses();
        responses.retain(|status, _| matches!(status.as_str(), "429" | "503"));
        responses
    }
}

/// Error responses of API calls that read what is public of an organisation.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "documents responses; the variants are never made")]
pub(crate) enum PublicErrorResponses {
    /// The request is malformed.
    #[response(status = 400, content_type = "application/problem+json")]
    BadRequest(ProblemBody<'static>),
    /// The organisation is unknown.
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(ProblemBody<'static>),
    /// Too many requests, or too many event streams of the client.
    #[response(status = 429, content_type = "application/problem+json")]
    TooMany(ProblemBody<'static>),
    /// The database is unavailable.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(ProblemBody<'static>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::to_bytes;
    use allclear_application::error::Resource;
    use allclear_application::mail_budget::MailScope;
    use serde_json::{Value, json};

    async fn response_of(problem: impl Into<Problem>) -> (u16, Value) {
        let response = problem.into().error_response();
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body()).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap())
    }

    #[actix_web::test]
    async fn every_error_has_its_status() {
        let rows = [
            (
                Error::NotFound(Resource::Component),
                404,
                "Component not found",
            ),
            (Error::Conflict("Already over".into()), 409, "Already over"),
            (
                Error::BadCode("This link has expired"),
                400,
                "This link has expired",
            ),
            (
                Error::Unauthenticated("Please sign in"),
                401,
                "Please sign in",
            ),
            (
                Error::Forbidden("Only an admin may do this"),
                403,
                "Only an admin may do this",
            ),
            (
                Error::ReauthenticationRequired,
                403,
                "Please enter your password again",
            ),
            (
                Error::SecondFactorRequired,
                403,
                "This needs a second factor. Confirm yours, or add one to your account first",
            ),
            (
                Error::Unavailable("secret".into()),
                503,
                "Temporarily unavailable, please try again",
            ),
            (
                Error::Internal("secret".into()),
                500,
                "Something went wrong on our side",
            ),
        ];
        for (error, status, message) in rows {
            let (found, body) = response_of(error).await;
            assert_eq!((found, body["message"].as_str()), (status, Some(message)));
            assert_eq!(body["status"], status);
            assert!(!body.to_string().contains("secret"), "{body}");
        }
        let (_, body) = response_of(Error::ReauthenticationRequired).await;
        assert_eq!(body["type"], "/problems/re-authentication-required");
        assert_eq!(response_of(Error::Stale).await.1["type"], "about:blank");
        assert_eq!(response_of(Error::Stale).await.0, 412);
        let reason = "busy".to_owned();
        let delayed = Error::InvitationNotMailed(SendError::Temporary { reason });
        assert_eq!(response_of(delayed).await.0, 503);
        let reason = "no such mailbox".to_owned();
        let rejected = Error::InvitationNotMailed(SendError::Permanent { reason });
        assert_eq!(response_of(rejected).await.0, 409);
        assert_eq!(response_of(TokenError::Bad("expired".into())).await.0, 401);
        let (status, body) = response_of(TokenError::KeyExpired).await;
        assert_eq!(
            (status, &body["message"]),
            (401, &json!("This API key has expired"))
        );
        assert_eq!(
            response_of(TokenError::Unavailable("down".into())).await.0,
            503
        );
    }

    #[actix_web::test]
    async fn invalid_fields_are_named() {
        let (status, body) = response_of(Invalid::field(
            "components[0].componentId",
            "Component is required",
        ))
        .await;
        assert_eq!(status, 422);
        let errors =
            json!([{"field": "components[0].componentId", "message": "Component is required"}]);
        assert_eq!(
            (&body["errors"], &body["message"]),
            (&errors, &json!("Component is required"))
        );
    }

    #[actix_web::test]
    async fn first_error_is_that_of_the_first_field_of_the_form() {
        let mut invalid = Invalid::field("startAt", "Invalid date format");
        invalid.add(FieldError::new("description", "Description is required"));
        invalid.add(FieldError::new("title", "Title is required"));
        let (_, body) = response_of(invalid).await;
        assert_eq!(body["message"], "Title is required");
        let errors = body["errors"].as_array().unwrap().iter();
        let fields: Vec<_> = errors.map(|error| error["field"].clone()).collect();
        assert_eq!(fields, ["title", "startAt", "description"]);
    }

    #[actix_web::test]
    async fn temporary_errors_have_retry_after() {
        let busy = Problem::too_many(0).error_response();
        assert_eq!(busy.headers().get(header::RETRY_AFTER).unwrap(), "1");
        let used_up = Error::MailLimitReached {
            scope: MailScope::Account,
            retry_after: 60,
        };
        let used_up = Problem::from(used_up).error_response();
        assert_eq!(used_up.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(used_up.headers().get(header::RETRY_AFTER).unwrap(), "60");
        let unavailable = Problem::from(Error::Unavailable("down".into())).error_response();
        assert!(unavailable.headers().contains_key(header::RETRY_AFTER));
    }
}
