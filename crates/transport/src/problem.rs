//! The one table from error to answer: problem details (RFC 9457).

use std::fmt;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, ResponseError};
use allclear_application::caller::TokenError;
use allclear_application::error::Error;
use allclear_domain::validation::{FieldError, Invalid};
use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};

/// A refusal or a fault, as the client sees it.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    message: String,
    errors: Vec<FieldError>,
    retry_after: Option<u64>,
    allowed: Option<String>,
}

impl Problem {
    /// A problem with a sentence to show.
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            errors: Vec::new(),
            retry_after: None,
            allowed: None,
        }
    }

    /// The request is not well-formed.
    pub(crate) fn bad_request(message: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// There is nothing at this path.
    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "There is nothing here")
    }

    /// There is something at this path, but for these methods alone (RFC 9110, section 15.5.6).
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

    /// Too many requests (RFC 6585, section 4); seconds until the next may pass.
    pub(crate) fn too_many(retry_after: u64) -> Self {
        Self::too_many_of("Too many requests, please try again later", retry_after)
    }

    /// Too much of something that the message names; seconds until the next may pass.
    pub(crate) fn too_many_of(message: impl Into<String>, retry_after: u64) -> Self {
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, message);
        Self {
            retry_after: Some(retry_after.max(1)),
            ..problem
        }
    }

    /// The server has as many connections as it can hold; seconds until the next may be taken.
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

    /// Seconds until the next try may pass; `None` if waiting is not the reason.
    pub(crate) const fn retry_after(&self) -> Option<u64> {
        self.retry_after
    }

    fn unavailable() -> Self {
        let problem = Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Temporarily unavailable, please try again",
        );
        Self {
            retry_after: Some(1),
            ..problem
        }
    }

    fn internal(cause: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error = cause, "a request failed");
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
            Error::TooMany {
                message,
                retry_after,
            } => Self::too_many_of(message, retry_after),
            Error::Unavailable(cause) => {
                tracing::warn!(
                    error = cause.as_ref() as &dyn std::error::Error,
                    "a request could not be served now"
                );
                Self::unavailable()
            }
            Error::Internal(cause) => Self::internal(cause.as_ref()),
        }
    }
}

impl From<Invalid> for Problem {
    fn from(invalid: Invalid) -> Self {
        let message = invalid
            .errors
            .first()
            .map_or("Some fields are not right", |first| first.message.as_str());
        let problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, message);
        Self {
            errors: invalid.errors,
            ..problem
        }
    }
}

impl From<TokenError> for Problem {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Bad(reason) => {
                tracing::debug!(reason, "a token was refused");
                Self::new(StatusCode::UNAUTHORIZED, "Please sign in again")
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
            // RFC 9110, section 11.6.1: a 401 names the scheme to use.
            response.insert_header((header::WWW_AUTHENTICATE, "Bearer"));
        }
        let body = ProblemBody {
            kind: "about:blank",
            title: self.status.canonical_reason().unwrap_or("Error"),
            status: self.status.as_u16(),
            detail: &self.message,
            message: &self.message,
            errors: self
                .errors
                .iter()
                .map(|error| FieldProblem {
                    field: &error.field,
                    message: &error.message,
                })
                .collect(),
        };
        // Plain strings and numbers: writing them cannot fail.
        response.body(serde_json::to_vec(&body).unwrap_or_default())
    }
}

/// Problem details (RFC 9457) with a sentence to show and, for a 422, what is wrong field by field.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemBody<'a> {
    /// Always `about:blank`: the status says it all.
    #[serde(rename = "type")]
    kind: &'a str,
    /// The status in words.
    title: &'a str,
    /// The status.
    status: u16,
    /// What happened.
    detail: &'a str,
    /// A sentence fit to show a person.
    message: &'a str,
    /// The fields that are not right.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    errors: Vec<FieldProblem<'a>>,
}

/// What is wrong with one field.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FieldProblem<'a> {
    /// The field, written as formik writes it: `components[0].componentId`.
    field: &'a str,
    /// The sentence to show beside it.
    message: &'a str,
}

/// The refusals every call of an operator may answer.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "documents answers; the variants are never made")]
pub(crate) enum ErrorResponses {
    /// Malformed request.
    #[response(status = 400, content_type = "application/problem+json")]
    BadRequest(ProblemBody<'static>),
    /// No or bad token.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthenticated(ProblemBody<'static>),
    /// A token without an organisation, or an admin is needed.
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(ProblemBody<'static>),
    /// No such thing in the organisation.
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(ProblemBody<'static>),
    /// The body took too long to come.
    #[response(status = 408, content_type = "application/problem+json")]
    TooSlow(ProblemBody<'static>),
    /// Refused by a rule.
    #[response(status = 409, content_type = "application/problem+json")]
    Conflict(ProblemBody<'static>),
    /// `If-Match` does not match.
    #[response(status = 412, content_type = "application/problem+json")]
    Stale(ProblemBody<'static>),
    /// Body over 256 KiB.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(ProblemBody<'static>),
    /// Not JSON, or compressed.
    #[response(status = 415, content_type = "application/problem+json")]
    NotJson(ProblemBody<'static>),
    /// Wrong, missing or invalid fields.
    #[response(status = 422, content_type = "application/problem+json")]
    Invalid(ProblemBody<'static>),
    /// Too many requests.
    #[response(status = 429, content_type = "application/problem+json")]
    TooMany(ProblemBody<'static>),
    /// The database is away.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(ProblemBody<'static>),
}

/// The refusals of calls that need no token.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "documents answers; the variants are never made")]
pub(crate) enum PublicRefusals {
    /// Malformed request.
    #[response(status = 400, content_type = "application/problem+json")]
    BadRequest(ProblemBody<'static>),
    /// Unknown organisation.
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(ProblemBody<'static>),
    /// The database is away.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(ProblemBody<'static>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::to_bytes;
    use serde_json::{Value, json};

    async fn answer(problem: impl Into<Problem>) -> (u16, Value) {
        let response = problem.into().error_response();
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body()).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap())
    }

    #[actix_web::test]
    async fn every_error_has_its_status() {
        let rows = [
            (Error::NotFound("Component"), 404, "Component not found"),
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
            let (found, body) = answer(error).await;
            assert_eq!((found, body["message"].as_str()), (status, Some(message)));
            assert_eq!(body["status"], status);
            assert!(!body.to_string().contains("secret"), "{body}");
        }
        assert_eq!(answer(Error::Stale).await.0, 412);
        assert_eq!(answer(TokenError::Bad("expired".into())).await.0, 401);
        assert_eq!(answer(TokenError::Unavailable("down".into())).await.0, 503);
    }

    #[actix_web::test]
    async fn invalid_fields_are_named() {
        let (status, body) = answer(Invalid::field(
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
    async fn a_refusal_that_may_pass_says_when_to_come_back() {
        let busy = Problem::too_many(0).error_response();
        assert_eq!(busy.headers().get(header::RETRY_AFTER).unwrap(), "1");
        let used_up = Error::TooMany {
            message: "No more mails (ALLCLEAR_LIMIT_MAIL_ACCOUNT)".into(),
            retry_after: 60,
        };
        let used_up = Problem::from(used_up).error_response();
        assert_eq!(used_up.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(used_up.headers().get(header::RETRY_AFTER).unwrap(), "60");
        let away = Problem::from(Error::Unavailable("down".into())).error_response();
        assert!(away.headers().contains_key(header::RETRY_AFTER));
    }
}
