//! Sign-in by OpenID Connect. A provider redirects the browser back, so a failure then leads to a
//! page with the reason in its address, never to a JSON document.

mod cookie;
mod passwords;

use std::sync::Arc;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, get, post, web};
use allclear_application::error::{Error, Resource};
use allclear_application::openid::{
    AuthorizationRequest, AuthorizationResponse, Completed, MembershipOutcome, OpenId,
    ProviderSignInFailed, ReauthenticatedByProvider, SignInFailure, SignedInByProvider,
};
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::Sessions;
use allclear_domain::openid::ProviderId;
use allclear_domain::rate_limit::RateLimit;
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use self::cookie::{cleared, presented, sealed};
use super::cookie::{self as session_cookie, Cookies};
use super::session::AnySession;
use crate::limit::bucket::ClientBucket;
use crate::limit::client_network::client;
use crate::limit::concurrency::release;
use crate::request::body::Body;
use crate::request::device::client_of;
use crate::request::field::FieldInput;
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::{record, record_refused, record_throttled};

pub(super) use self::passwords::{PasswordSwitch, PasswordsAllowed};

/// Maximum length of a code, in bytes. Those of known providers have up to 2 KiB.
const MAX_CODE_LENGTH: usize = 8 * 1024;
const SIGN_IN_PAGE: &str = "/login";
/// The page that says in a window of its own how a sign-in or an authentication ended.
const DONE_PAGE: &str = "/signed-in";

/// Services of sign-in by OpenID Connect.
#[derive(Clone)]
pub struct OpenIdServices {
    /// The use cases.
    pub openid: Arc<OpenId>,
    /// Limits for the attempts of a client.
    pub throttle: Arc<OpenIdThrottle>,
    /// Whether people may sign in with a password.
    pub passwords: bool,
}

/// Counts the sign-ins that a client address began and did not complete.
pub struct OpenIdThrottle(ClientBucket);

impl OpenIdThrottle {
    /// The default limit. People in one office share an address.
    pub const LIMIT: RateLimit = RateLimit {
        burst: 60,
        per_hour: 600,
    };

    /// Creates full buckets with this limit.
    #[must_use]
    pub fn new(limit: RateLimit) -> Self {
        Self(ClientBucket::new(limit))
    }
}

/// Where a sign-in begins.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BeginInput {
    /// Path of the page to which the person returns; `/` if absent. Other addresses are ignored.
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false, max_length = 1000)]
    return_to: FieldInput<String>,
}

impl BeginInput {
    fn return_to(self) -> Result<Option<String>, Problem> {
        let mut invalid = Invalid::default();
        let return_to = self
            .return_to
            .nullable("returnTo", "Must be a text", &mut invalid);
        invalid.into_result()?;
        Ok(return_to)
    }
}

/// Address at the provider that the browser must open next.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProviderAddress)]
struct AddressBody {
    url: String,
}

/// Begins a sign-in with a provider. The response sets a cookie that binds the sign-in to the
/// browser, and contains the address of the provider that the browser must open next. The provider
/// redirects the browser back. Pages of other sites cannot begin a sign-in.
#[utoipa::path(
    tag = "identity",
    params(("provider" = String, Path, description = "Identifier of the provider")),
    request_body = BeginInput,
    responses((status = 200, body = ApiResponse<AddressBody>), ErrorResponses)
)]
#[post("/oidc/{provider}/start")]
async fn start(
    request: HttpRequest,
    provider: web::Path<String>,
    body: Body<BeginInput>,
    services: web::Data<OpenIdServices>,
    sessions: web::Data<Sessions>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let return_to = body.0.return_to()?;
    services.throttle.0.take_or_refuse(&client(&request))?;
    // The provider's redirect carries no session cookie, so the session is read here.
    let before = match session_cookie::presented(&request) {
        Some(token) => sessions.find(&token).await?,
        None => None,
    };
    let before = before.map(|found| found.id);
    let begun = services
        .openid
        .begin(
            &provider,
            return_to.as_deref(),
            before,
            session_cookie::marks(&request),
        )
        .await;
    begun_response(&request, &provider, begun, **cookies)
}

/// Begins an authentication with a provider within the session. Once it is completed, it allows
/// sensitive changes for ten minutes. The provider must be one that signs in this account, and must
/// ask the person to authenticate. The browser continues as in a sign-in, and the session gets
/// another cookie at the end.
#[utoipa::path(
    tag = "identity",
    params(("provider" = String, Path, description = "Identifier of the provider")),
    request_body = BeginInput,
    responses((status = 200, body = ApiResponse<AddressBody>), ErrorResponses),
    security(("session" = []))
)]
#[post("/oidc/{provider}/re-authenticate")]
async fn begin_reauthentication(
    request: HttpRequest,
    provider: web::Path<String>,
    AnySession(session): AnySession,
    body: Body<BeginInput>,
    services: web::Data<OpenIdServices>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let return_to = body.0.return_to()?;
    services.throttle.0.take_or_refuse(&client(&request))?;
    // The provider may not respond for long.
    release(&request);
    let begun = services
        .openid
        .begin_reauthentication(&provider, return_to.as_deref(), &session)
        .await;
    begun_response(&request, &provider, begun, **cookies)
}

fn begun_response(
    request: &HttpRequest,
    provider: &str,
    begun: Result<AuthorizationRequest, SignInFailure>,
    cookies: Cookies,
) -> Result<HttpResponse, Problem> {
    let begun = begun.map_err(|failure| {
        if matches!(failure, SignInFailure::UnknownProvider) {
            return Problem::from(Error::NotFound(Resource::IdentityProvider));
        }
        record_failure(
            request,
            &failure,
            Some(provider),
            SecurityEvent::SignInFailed,
        );
        let text = "The identity provider is not available at the moment. Please try again later";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, text)
    })?;
    Ok(HttpResponse::Ok()
        .cookie(sealed(&begun.cookie, cookies))
        .json(ApiResponse::new(AddressBody { url: begun.url })))
}

/// Response of a provider. Other parameters are ignored.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct CallbackQuery {
    /// Authorisation code.
    #[serde(default)]
    code: Option<String>,
    /// State of the request.
    #[serde(default)]
    state: Option<String>,
    /// Issuer of the response (RFC 9207).
    #[serde(default)]
    iss: Option<String>,
    /// Code of an error.
    #[serde(default)]
    error: Option<String>,
}

/// Completes a sign-in: a provider redirects the browser here. Sets the session cookie and
/// redirects to the page that the sign-in began on or, after a failure, to the sign-in page, whose
/// address then has the reason in `signInError`.
#[utoipa::path(
    tag = "identity",
    params(CallbackQuery),
    responses((status = 303, description = "Redirect to a page of the installation"))
)]
#[get("/oidc/callback")]
async fn callback(
    request: HttpRequest,
    query: Option<web::Query<CallbackQuery>>,
    services: web::Data<OpenIdServices>,
    cookies: web::Data<Cookies>,
) -> HttpResponse {
    let client = client(&request);
    if services.throttle.0.take_or_refuse(&client).is_err() {
        record_throttled(&request);
        return to_page(SIGN_IN_PAGE, "too-many", None);
    }
    let response = query.map(|query| response(query.into_inner()));
    let sealed = presented(&request, **cookies);
    let completed = services
        .openid
        .complete(
            sealed.as_ref(),
            response.unwrap_or_default(),
            &client_of(&request),
        )
        .await;
    let mut response = match completed {
        Ok(completed) => {
            // Gives back both the start and this request.
            services.throttle.0.give_back(&client);
            services.throttle.0.give_back(&client);
            match completed {
                Completed::SignIn(completed) => sign_in(&request, &completed, **cookies),
                Completed::Reauthentication(completed) => {
                    reauthenticate(&request, &completed, **cookies)
                }
            }
        }
        Err(failed) => refuse(&request, &failed),
    };
    // A header too long for a cookie is the only error.
    let _ = response.add_cookie(&cleared(**cookies));
    response
}

fn response(query: CallbackQuery) -> AuthorizationResponse {
    AuthorizationResponse {
        code: query.code.filter(|code| code.len() <= MAX_CODE_LENGTH),
        state: query.state,
        issuer: query.iss,
        error: query.error,
    }
}

/// Redirects a signed-in person to the page that the sign-in began on.
fn sign_in(
    request: &HttpRequest,
    completed: &SignedInByProvider,
    cookies: Cookies,
) -> HttpResponse {
    let user = completed.user.id;
    let detail = format!("by {}", completed.provider);
    let signed_in = SecurityRecord {
        subject: Some(&user),
        detail: Some(&detail),
        ..SecurityRecord::new(SecurityEvent::SignedIn)
    };
    record(request, signed_in);
    record_membership(request, completed);
    let marks = completed.marks.clone();
    HttpResponse::SeeOther()
        .insert_header((header::LOCATION, completed.return_to.as_str()))
        .cookie(cookies.session(&completed.token))
        .cookie(cookies.device(marks, &completed.device_mark))
        .finish()
}

/// Redirects a person who has authenticated within the session.
fn reauthenticate(
    request: &HttpRequest,
    completed: &ReauthenticatedByProvider,
    cookies: Cookies,
) -> HttpResponse {
    let user = completed.user.id;
    let detail = format!("by {}", completed.provider);
    let reauthenticated = SecurityRecord {
        subject: Some(&user),
        detail: Some(&detail),
        ..SecurityRecord::new(SecurityEvent::Reauthenticated)
    };
    record(request, reauthenticated);
    HttpResponse::SeeOther()
        .insert_header((header::LOCATION, completed.return_to.as_str()))
        .cookie(cookies.session(&completed.token))
        .finish()
}

fn record_membership(request: &HttpRequest, completed: &SignedInByProvider) {
    let Some(organisation) = &completed.organisation else {
        return;
    };
    let (user, provider) = (completed.user.id, &completed.provider);
    match completed.membership {
        MembershipOutcome::Unchanged => {}
        MembershipOutcome::Changed(role) => {
            let changed = SecurityRecord {
                subject: Some(provider),
                organisation: Some(organisation),
                object: Some(&user),
                detail: Some(role.as_ref()),
                ..SecurityRecord::new(SecurityEvent::RoleChanged)
            };
            record(request, changed);
        }
        MembershipOutcome::LastAdmin => tracing::warn!(
            %provider, %organisation, %user,
            "the provider lowers the role of the last admin, who stays an admin"
        ),
        MembershipOutcome::NoOrganisation => tracing::warn!(
            %provider, %organisation,
            "the organisation of the provider does not exist"
        ),
    }
}

fn refuse(request: &HttpRequest, failed: &ProviderSignInFailed) -> HttpResponse {
    let provider = failed.provider.as_ref().map(ProviderId::as_str);
    let event = if failed.in_session {
        SecurityEvent::ReauthenticationFailed
    } else {
        SecurityEvent::SignInFailed
    };
    record_failure(request, &failed.failure, provider, event);
    let page = match &failed.return_to {
        Some(page) if page.as_str() == DONE_PAGE => DONE_PAGE,
        _ => SIGN_IN_PAGE,
    };
    to_page(page, failed.failure.code(), provider)
}

fn record_failure(
    request: &HttpRequest,
    failure: &SignInFailure,
    provider: Option<&str>,
    event: SecurityEvent,
) {
    let detail = match failure.detail() {
        Some(detail) => format!("{}: {detail}", failure.code()),
        None => failure.code().to_owned(),
    };
    if let SignInFailure::Storage(error) = failure {
        tracing::error!(
            error = error as &dyn std::error::Error,
            "a sign-in with a provider failed"
        );
    }
    let shown = provider.unwrap_or("unknown");
    let failed = SecurityRecord {
        object: Some(&shown),
        detail: Some(&detail),
        ..SecurityRecord::new(event)
    };
    record_refused(request, failed);
}

/// Redirects to a page that explains the reason. `provider` is the identifier of a
/// configured provider.
fn to_page(page: &str, reason: &str, provider: Option<&str>) -> HttpResponse {
    let page = match provider {
        Some(provider) => format!("{page}?signInError={reason}&provider={provider}"),
        None => format!("{page}?signInError={reason}"),
    };
    HttpResponse::SeeOther()
        .insert_header((header::LOCATION, page))
        .finish()
}

/// The routes of sign-in by OpenID Connect.
pub(crate) fn routes(config: &mut impl Routes) {
    config
        .service(start)
        .service(begin_reauthentication)
        .service(callback);
}
