//! Sign-in by OpenID Connect. Browsers come here by links and redirects, so every failure leads to the sign-in page with the
//! reason in its address, never to a JSON document.

mod cookie;
mod passwords;

use std::net::IpAddr;
use std::sync::Arc;

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, get, web};
use allclear_application::openid::{
    AuthorizationResponse, Completed, Failed, MembershipOutcome, OpenId, SignInFailure,
};
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::Sessions;
use serde::Deserialize;
use utoipa::IntoParams;

use self::cookie::{cleared, presented, sealed};
use super::cookie::{self as session_cookie, CookieSecurity};
use super::device::client_of;
use crate::routes::Routes;
use crate::security_log::{record, record_anonymous, record_throttled};
use crate::throttle::{Bucket, Limit, client};

pub(super) use self::passwords::{PasswordsAllowed, check_passwords};

/// Maximum length of a code, in bytes. Those of known providers have up to 2 KiB.
const LONGEST_CODE: usize = 8 * 1024;

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
pub struct OpenIdThrottle(Bucket<IpAddr>);

impl OpenIdThrottle {
    /// The default limit. People in one office share an address.
    pub const LIMIT: Limit = Limit {
        burst: 60,
        per_hour: 600,
    };

    /// Creates full buckets with this limit.
    #[must_use]
    pub fn new(limit: Limit) -> Self {
        Self(Bucket::new(limit))
    }
}

/// Options of a sign-in.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct StartQuery {
    /// Path of the page to which the person returns; `/` if absent. Other addresses are ignored.
    #[serde(default)]
    return_to: Option<String>,
}

/// Begins a sign-in with a provider: redirects the browser to the provider. After a failure it redirects
/// to the sign-in page, whose address then has the reason in `signInError`.
#[utoipa::path(
    tag = "identity",
    params(("provider" = String, Path, description = "Identifier of the provider"), StartQuery),
    responses((status = 303, description = "Redirect to the provider or the sign-in page"))
)]
#[get("/oidc/{provider}/start")]
async fn start(
    request: HttpRequest,
    provider: web::Path<String>,
    query: Option<web::Query<StartQuery>>,
    services: web::Data<OpenIdServices>,
    sessions: web::Data<Sessions>,
    security: web::Data<CookieSecurity>,
) -> HttpResponse {
    if services.throttle.0.count(&client(&request)).is_err() {
        record_throttled(&request);
        return to_sign_in("too-many", None);
    }
    let return_to = query.and_then(|query| query.into_inner().return_to);
    // A redirect from another site carries no session cookie, so it is read here.
    let before = match session_cookie::presented(&request) {
        Some(token) => sessions.find(&token).await.ok().flatten(),
        None => None,
    };
    let begun = services
        .openid
        .begin(
            &provider,
            return_to.as_deref(),
            before.map(|found| found.id),
        )
        .await;
    match begun {
        Ok(begun) => {
            let mut response = HttpResponse::SeeOther();
            response.insert_header((header::LOCATION, begun.url));
            response.cookie(sealed(&begun.cookie, security.https));
            response.finish()
        }
        Err(failure) => {
            let provider =
                (!matches!(failure, SignInFailure::UnknownProvider)).then(|| provider.into_inner());
            refuse(&request, &failure, provider.as_deref())
        }
    }
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

/// Completes a sign-in: a provider redirects the browser here. Sets the session cookie and redirects to
/// the page that the sign-in began on or, after a failure, to the sign-in page, whose address then has
/// the reason in `signInError`.
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
    security: web::Data<CookieSecurity>,
) -> HttpResponse {
    let client = client(&request);
    if services.throttle.0.count(&client).is_err() {
        record_throttled(&request);
        return to_sign_in("too-many", None);
    }
    let response = query.map(|query| response(query.into_inner()));
    let sealed = presented(&request, security.https);
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
            // Both the start and this request.
            services.throttle.0.give_back(&client);
            services.throttle.0.give_back(&client);
            sign_in(&request, &completed, **security)
        }
        Err(Failed { provider, failure }) => {
            let provider = provider.as_ref().map(ToString::to_string);
            refuse(&request, &failure, provider.as_deref())
        }
    };
    // A header too long for a cookie is the only error.
    let _ = response.add_cookie(&cleared(security.https));
    response
}

fn response(query: CallbackQuery) -> AuthorizationResponse {
    AuthorizationResponse {
        code: query.code.filter(|code| code.len() <= LONGEST_CODE),
        state: query.state,
        issuer: query.iss,
        error: query.error,
    }
}

/// Redirects a signed-in person to the page that the sign-in began on.
fn sign_in(request: &HttpRequest, completed: &Completed, security: CookieSecurity) -> HttpResponse {
    let user = completed.user.id;
    let detail = format!("by {}", completed.provider);
    let signed_in = SecurityRecord {
        subject: Some(&user),
        detail: Some(&detail),
        ..SecurityRecord::new(SecurityEvent::SignedIn)
    };
    record(request, signed_in);
    record_membership(request, completed);
    HttpResponse::SeeOther()
        .insert_header((header::LOCATION, completed.return_to.as_str()))
        .cookie(security.carrying(&completed.token))
        .finish()
}

fn record_membership(request: &HttpRequest, completed: &Completed) {
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

fn refuse(request: &HttpRequest, failure: &SignInFailure, provider: Option<&str>) -> HttpResponse {
    let detail = match failure.detail() {
        Some(detail) => format!("{}: {detail}", failure.code()),
        None => failure.code().to_owned(),
    };
    if let SignInFailure::Failed(error) = failure {
        tracing::error!(
            error = error as &dyn std::error::Error,
            "a sign-in by a provider failed"
        );
    }
    let shown = provider.unwrap_or("unknown");
    let failed = SecurityRecord {
        object: Some(&shown),
        detail: Some(&detail),
        ..SecurityRecord::new(SecurityEvent::SignInFailed)
    };
    record_anonymous(request, failed);
    to_sign_in(failure.code(), provider)
}

/// Redirects to the sign-in page, which knows the reason. `provider` is the identifier of a configured one.
fn to_sign_in(reason: &str, provider: Option<&str>) -> HttpResponse {
    let page = match provider {
        Some(provider) => format!("/login?signInError={reason}&provider={provider}"),
        None => format!("/login?signInError={reason}"),
    };
    HttpResponse::SeeOther()
        .insert_header((header::LOCATION, page))
        .finish()
}

/// The routes of sign-in by OpenID Connect.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(start).service(callback);
}
