//! The caller of a request: bearer tokens (RFC 6750), verified through the identity port.

use actix_web::dev::Payload;
use actix_web::http::{StatusCode, header};
use actix_web::{FromRequest, HttpRequest, web};
use allclear_application::caller::{Caller, Role, TokenError, TokenVerifier};
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::origin::Origin;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::require_recent;
use allclear_domain::author::Author;
use allclear_domain::id::OrganisationId;
use futures_util::future::LocalBoxFuture;
use tokio::runtime::Handle;
use tracing::Instrument;

use crate::problem::Problem;
use crate::security_log::record_anonymous;
use crate::usage::WriteUsage;

/// A signed-in caller with an organisation. Handlers scope every query by `organisation`.
#[derive(Debug, Clone)]
pub(crate) struct Operator {
    /// The organisation of the token.
    pub organisation: OrganisationId,
    /// The caller's role in the organisation.
    pub role: Role,
    /// The verified caller.
    pub caller: Caller,
}

impl Operator {
    /// The author of the updates that this request records.
    pub(crate) fn author(&self) -> Author {
        let Caller { subject, name, .. } = &self.caller;
        Author {
            id: subject.clone(),
            name: name.clone().unwrap_or_else(|| subject.clone()),
        }
    }
}

impl FromRequest for Operator {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let token = bearer(request).map(str::to_owned);
        let verifier = request.app_data::<web::Data<dyn TokenVerifier>>().cloned();
        let runtime = request.app_data::<web::Data<Handle>>().cloned();
        let usage = request.app_data::<web::Data<WriteUsage>>().cloned();
        let request = request.clone();
        Box::pin(async move {
            let token =
                token.ok_or_else(|| Problem::new(StatusCode::UNAUTHORIZED, "Please sign in"))?;
            let wired = verifier.zip(runtime);
            let (verifier, runtime) =
                wired.ok_or_else(|| Error::internal("no token verifier is configured"))?;
            // Not in the worker thread: under load, each await there queues behind hundreds of other requests.
            let asked =
                runtime.spawn(async move { verifier.verify(&token).await }.in_current_span());
            let outcome = asked.await.map_err(Error::internal)?;
            if let Err(TokenError::Bad(reason)) = &outcome {
                let refused = SecurityRecord {
                    detail: Some(reason),
                    ..SecurityRecord::new(SecurityEvent::TokenRefused)
                };
                record_anonymous(&request, refused);
            }
            let caller = outcome?;
            let Some(membership) = caller.membership.clone() else {
                return Err(Problem::new(
                    StatusCode::FORBIDDEN,
                    "Please choose an organisation first",
                ));
            };
            if let Some(usage) = usage {
                usage.count(&membership.organisation, &request)?;
            }
            let operator = Self {
                organisation: membership.organisation,
                role: membership.role,
                caller,
            };
            Origin::identify(operator.author());
            Ok(operator)
        })
    }
}

/// An operator who has authenticated lately; 403 with a problem type of its own otherwise. For sensitive changes.
#[derive(Debug, Clone)]
pub(crate) struct RecentOperator(pub(crate) Operator);

impl FromRequest for RecentOperator {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let operator = Operator::from_request(request, payload);
        let clock = request.app_data::<web::Data<dyn Clock>>().cloned();
        Box::pin(async move {
            let operator = operator.await?;
            let clock = clock.ok_or_else(|| Error::internal("no clock is configured"))?;
            require_recent(operator.caller.authenticated_at, clock.now())?;
            Ok(Self(operator))
        })
    }
}

/// The token of the `Authorization` header.
fn bearer(request: &HttpRequest) -> Option<&str> {
    bearer_token(
        request
            .headers()
            .get(header::AUTHORIZATION)?
            .to_str()
            .ok()?,
    )
}

/// The bearer token in the value of an `Authorization` header. The scheme is case-insensitive (RFC 9110, section 11.1).
pub(crate) fn bearer_token(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn only_bearer_tokens_are_read() {
        let token = |value: &str| {
            let request = TestRequest::default()
                .insert_header((header::AUTHORIZATION, value))
                .to_http_request();
            bearer(&request).map(str::to_owned)
        };
        assert_eq!(token("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(token("bearer  abc").as_deref(), Some("abc"));
        assert_eq!(token("Basic abc"), None);
        assert_eq!(token("abc"), None);
    }
}
