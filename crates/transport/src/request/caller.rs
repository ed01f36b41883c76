//! The caller of a request: bearer tokens (RFC 6750), verified through the identity port.
//!
//! A handler names the permission that it needs by the type of its first argument: [`CanRead`],
//! [`CanWrite`] or [`CanAdminister`]. There is no other way to the caller, so a handler cannot
//! forget the check.

use std::marker::PhantomData;
use std::ops::Deref;

use actix_web::body::MessageBody;
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::{StatusCode, header};
use actix_web::middleware::Next;
use actix_web::{FromRequest, HttpMessage, HttpRequest, ResponseError, web};
use allclear_application::caller::{Caller, Role, TokenError, TokenVerifier};
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::origin::Origin;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::require_recent;
use allclear_application::write_kind::WriteKind;
use allclear_domain::api_key::KeyText;
use allclear_domain::audit::Actor;
use allclear_domain::author::Author;
use allclear_domain::id::OrganisationId;
use allclear_domain::permission::Permission;
use futures_util::future::LocalBoxFuture;
use tokio::runtime::Handle;
use tracing::Instrument;

use crate::limit::key_usage::KeyUsage;
use crate::limit::usage::Usage;
use crate::request::service::service;
use crate::response::problem::Problem;
use crate::server::security_log::record_refused;

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
    /// A name of the caller that no other person or API key has.
    pub(crate) fn identity(&self) -> String {
        let kind = if self.caller.api_key.is_some() {
            "key"
        } else {
            "user"
        };
        format!("{kind}:{}", self.caller.subject)
    }

    /// Whose limits the caller uses.
    pub(crate) fn account(&self) -> &str {
        &self.caller.account
    }

    /// The author of the updates that this request records.
    pub(crate) fn author(&self) -> Author {
        let Caller { subject, name, .. } = &self.caller;
        Author {
            id: subject.clone(),
            name: name.clone().unwrap_or_else(|| subject.clone()),
        }
    }
}

/// A permission as a type.
pub(crate) trait Needed {
    const PERMISSION: Permission;
}

/// [`Permission::Read`].
pub(crate) enum Read {}

/// [`Permission::Write`].
pub(crate) enum Write {}

/// [`Permission::Administer`].
pub(crate) enum Administer {}

impl Needed for Read {
    const PERMISSION: Permission = Permission::Read;
}

impl Needed for Write {
    const PERMISSION: Permission = Permission::Write;
}

impl Needed for Administer {
    const PERMISSION: Permission = Permission::Administer;
}

/// A caller whose role has a permission. Extracting it refuses every other caller.
pub(crate) struct Permitted<P> {
    operator: Operator,
    permission: PhantomData<P>,
}

/// A caller that may read.
pub(crate) type CanRead = Permitted<Read>;

/// A caller that may write.
pub(crate) type CanWrite = Permitted<Write>;

/// A caller that may administer the organisation.
pub(crate) type CanAdminister = Permitted<Administer>;

impl<P> Deref for Permitted<P> {
    type Target = Operator;

    fn deref(&self) -> &Operator {
        &self.operator
    }
}

impl<P: Needed> FromRequest for Permitted<P> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            Ok(Self {
                operator: identify(&request, P::PERMISSION).await?,
                permission: PhantomData,
            })
        })
    }
}

/// An admin that has authenticated lately; 403 with a problem type of its own otherwise. For
/// sensitive changes.
pub(crate) struct RecentAdmin(CanAdminister);

impl Deref for RecentAdmin {
    type Target = Operator;

    fn deref(&self) -> &Operator {
        &self.0
    }
}

impl FromRequest for RecentAdmin {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let admin = CanAdminister::from_request(request, payload);
        let clock = service::<dyn Clock>(request);
        Box::pin(async move {
            let admin = admin.await?;
            require_recent(admin.caller.authenticated_at, clock?.now())?;
            Ok(Self(admin))
        })
    }
}

/// Checks that the token of a request is valid, and that the role of its bearer has the permission.
async fn identify(request: &HttpRequest, permission: Permission) -> Result<Operator, Problem> {
    let verified = request.extensions_mut().remove::<VerifiedToken>();
    let VerifiedToken(outcome) =
        verified.ok_or_else(|| Problem::new(StatusCode::UNAUTHORIZED, "Please sign in"))?;
    if let Err(error) = &outcome
        && let Some(reason) = error.reason()
    {
        let refused = SecurityRecord {
            detail: Some(reason),
            ..SecurityRecord::new(SecurityEvent::TokenRefused)
        };
        record_refused(request, refused);
    }
    let caller = outcome?;
    let Some(membership) = caller.membership.clone() else {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "Please choose an organisation first",
        ));
    };
    if !membership.role.may(permission) {
        record_missing_role(request, &caller, &membership.organisation);
        return Err(Error::Forbidden(permission.refusal()).into());
    }
    if let Some(usage) = request.app_data::<web::Data<Usage>>() {
        usage
            .begin(
                &membership.organisation,
                &caller.subject,
                WriteKind::of(permission, &caller),
                request,
            )
            .await?;
    }
    let operator = Operator {
        organisation: membership.organisation,
        role: membership.role,
        caller,
    };
    let author = operator.author();
    Origin::identify(match operator.caller.api_key {
        Some(_) => Actor::ApiKey(author),
        None => Actor::User(author),
    });
    Ok(operator)
}

/// Records a call that the caller's role does not permit.
fn record_missing_role(request: &HttpRequest, caller: &Caller, organisation: &OrganisationId) {
    let route = request.match_pattern();
    let route = route.as_deref().unwrap_or("other");
    let refused = SecurityRecord {
        subject: Some(&caller.subject),
        organisation: Some(organisation),
        object: Some(&route),
        ..SecurityRecord::new(SecurityEvent::AccessRefused)
    };
    record_refused(request, refused);
}

/// Middleware: verifies the bearer token of a request, if it has one, before its parts are
/// extracted. Extractors of one handler run at the same time, so otherwise an invalid body could be
/// refused before a caller that may not send any.
pub(crate) async fn authenticate(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    Ok(match verify_token(request.request()).await {
        Ok(()) => next.call(request).await?.map_into_left_body(),
        Err(failed) => request
            .into_response(failed.error_response())
            .map_into_right_body(),
    })
}

/// Verifies the bearer token of a request unless that is done already.
async fn verify_token(request: &HttpRequest) -> Result<(), Problem> {
    if request.extensions().contains::<VerifiedToken>() {
        return Ok(());
    }
    let Some(token) = bearer(request) else {
        return Ok(());
    };
    let outcome = verify(request, token.to_owned()).await?;
    request.extensions_mut().insert(VerifiedToken(outcome));
    Ok(())
}

/// Verifies a token.
async fn verify(
    request: &HttpRequest,
    token: String,
) -> Result<Result<Caller, TokenError>, Problem> {
    let verifier = service::<dyn TokenVerifier>(request)?;
    let runtime = service::<Handle>(request)?;
    // Not in the worker thread: under load, each await there queues behind hundreds of
    // other requests.
    let outcome = runtime.spawn(async move { verifier.verify(&token).await }.in_current_span());
    Ok(outcome.await.map_err(Error::internal)?)
}

/// The outcome of verifying the bearer token of a request.
struct VerifiedToken(Result<Caller, TokenError>);

/// Marks a request that [`count_key_or_refuse`] has looked at.
struct KeyCounted;

/// Verifies and counts the API key of a request once, if it has one, before anything else of the
/// request is looked at. So every response to a key can describe its rate limit. An invalid key is
/// refused by the calls that need a caller.
///
/// # Errors
/// 429 if the key has used up its limit.
pub(crate) async fn count_key_or_refuse(request: &HttpRequest) -> Result<(), Problem> {
    let Some(key) = bearer(request).filter(|token| KeyText::is_meant(token)) else {
        return Ok(());
    };
    if request.extensions_mut().insert(KeyCounted).is_some() {
        return Ok(());
    }
    let outcome = verify(request, key.to_owned()).await?;
    let usage = request.app_data::<web::Data<KeyUsage>>();
    if let Ok(Caller {
        api_key: Some(key), ..
    }) = &outcome
        && let Some(usage) = usage
    {
        usage.take_or_refuse(*key, request)?;
    }
    request.extensions_mut().insert(VerifiedToken(outcome));
    Ok(())
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

/// The bearer token in the value of an `Authorization` header. The scheme is case-insensitive (RFC
/// 9110, section 11.1).
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
