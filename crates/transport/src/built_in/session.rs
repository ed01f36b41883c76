//! Sessions: the signed-in account, sign-out and bearer tokens.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, HttpResponse, get, post, web};
use allclear_application::error::Error;
use allclear_application::membership::Memberships;
use allclear_application::openid::SignInMethods;
use allclear_application::origin::Origin;
use allclear_application::second_factor::SecondFactors;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::{Session, Sessions};
use allclear_application::timestamp;
use allclear_domain::audit::Actor;
use allclear_domain::author::Author;
use allclear_domain::id::OrganisationId;
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::cookie::{Cookies, presented};
use super::openid::OpenIdServices;
use super::organisation::OrganisationBody;
use super::signed_in::UserBody;
use crate::limit::usage::Usage;
use crate::request::body::Body;
use crate::request::field::FieldInput;
use crate::request::service::service;
use crate::response::api_response::ApiResponse;
use crate::response::problem::{CommonErrorResponses, ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::record;

/// Extractor: the session of the cookie, even if its account must confirm an address first. Waits
/// until a request of the account may be handled.
#[derive(Debug, Clone)]
pub(crate) struct AnySession(pub(crate) Session);

/// Extractor: the session of the cookie, whose account can be used.
#[derive(Debug, Clone)]
pub(crate) struct UsableSession(pub(crate) Session);

/// Extractor: a [`UsableSession`] for a change. It counts against the account's limit of writes.
#[derive(Debug, Clone)]
pub(crate) struct SessionForWrite(pub(crate) Session);

/// Extractor: a [`SessionForWrite`] whose person has authenticated lately; 403 with a problem type
/// of its own otherwise. For sensitive changes.
#[derive(Debug, Clone)]
pub(crate) struct RecentSession(pub(crate) Session);

/// Extractor: a [`RecentSession`] in which a second factor was used if the account has one; 403
/// with a problem type of its own otherwise. For changes of the factors.
#[derive(Debug, Clone)]
pub(crate) struct FactorProvenSession(pub(crate) Session);

impl FromRequest for AnySession {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let sessions = service::<Sessions>(&request)?;
            let usage = service::<Usage>(&request)?;
            let session = match presented(&request) {
                Some(token) => sessions.find(&token).await?,
                None => None,
            };
            let session = session.ok_or(Sessions::ENDED)?;
            usage.begin_session(session.user.id, &request).await?;
            identify(&session);
            Ok(Self(session))
        })
    }
}

impl FromRequest for UsableSession {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let extracted = AnySession::from_request(request, payload);
        Box::pin(async move {
            let AnySession(session) = extracted.await?;
            if session.user.needs_address {
                let refused = Error::Forbidden("Please enter a new mail address first");
                return Err(refused.into());
            }
            Ok(Self(session))
        })
    }
}

impl FromRequest for SessionForWrite {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let extracted = UsableSession::from_request(request, payload);
        let usage = service::<Usage>(request);
        Box::pin(async move {
            let UsableSession(session) = extracted.await?;
            usage?.take_account_write(session.user.id)?;
            Ok(Self(session))
        })
    }
}

impl FromRequest for RecentSession {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let extracted = SessionForWrite::from_request(request, payload);
        let sessions = service::<Sessions>(request);
        Box::pin(async move {
            let SessionForWrite(session) = extracted.await?;
            sessions?.require_recent(&session)?;
            Ok(Self(session))
        })
    }
}

impl FromRequest for FactorProvenSession {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let extracted = RecentSession::from_request(request, payload);
        let factors = service::<SecondFactors>(request);
        Box::pin(async move {
            let RecentSession(session) = extracted.await?;
            factors?.check_proof(&session).await?;
            Ok(Self(session))
        })
    }
}

/// Makes the person of a session the originator of the request's changes.
fn identify(session: &Session) {
    Origin::identify(Actor::User(Author {
        id: session.user.id.to_string(),
        name: session.user.name.clone(),
    }));
}

/// The signed-in account and its organisations.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
struct SessionBody {
    user: UserBody,
    /// Organisations of the account, newest membership first.
    organisations: Vec<OrganisationBody>,
    /// Organisation of the last issued token; null if there is none.
    #[schema(required)]
    active_organisation_id: Option<String>,
    ways: WaysBody,
}

/// Methods by which the person can sign in and authenticate again.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SignInWays)]
struct WaysBody {
    /// Whether the account has a password, and passwords are not switched off.
    password: bool,
    /// Identity providers that sign the person in.
    providers: Vec<ProviderWayBody>,
}

/// An identity provider that signs the person in.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SignInWayProvider)]
struct ProviderWayBody {
    id: String,
    name: String,
}

impl From<SignInMethods> for WaysBody {
    fn from(methods: SignInMethods) -> Self {
        let providers = methods.providers.into_iter();
        let providers = providers.map(|provider| ProviderWayBody {
            id: provider.id.to_string(),
            name: provider.name,
        });
        Self {
            password: methods.password,
            providers: providers.collect(),
        }
    }
}

/// Returns the signed-in account, or null. Prolongs the session.
#[utoipa::path(
    tag = "identity",
    responses((status = 200, body = ApiResponse<Option<SessionBody>>), CommonErrorResponses)
)]
#[get("/session")]
async fn read(
    request: HttpRequest,
    sessions: web::Data<Sessions>,
    memberships: web::Data<Memberships>,
    openid: web::Data<OpenIdServices>,
    cookies: web::Data<Cookies>,
    usage: web::Data<Usage>,
) -> Result<HttpResponse, Problem> {
    let nobody = ApiResponse::new(None::<SessionBody>);
    let Some(token) = presented(&request) else {
        return Ok(nobody.ok());
    };
    let Some(session) = sessions.find(&token).await? else {
        let mut response = nobody.ok();
        cookies.remove_session(&mut response)?;
        return Ok(response);
    };
    usage.begin_session(session.user.id, &request).await?;
    let memberships = memberships.list(&session).await?;
    let active = session.active_organisation.as_ref();
    let active = active.filter(|active| {
        memberships
            .iter()
            .any(|found| found.organisation == **active)
    });
    let (id, email) = (session.user.id, &session.user.email);
    let methods = openid
        .openid
        .sign_in_methods(id, email, openid.passwords)
        .await?;
    let body = SessionBody {
        ways: methods.into(),
        active_organisation_id: active.map(ToString::to_string),
        organisations: memberships.iter().map(OrganisationBody::from).collect(),
        user: UserBody::from(&session.user),
    };
    sessions.touch(&session).await?;
    Ok(ApiResponse::new(Some(body)).ok())
}

/// What remains to be done after a sign-out.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SignedOutBody {
    /// Address at which the browser signs out of the identity provider of the session; null if
    /// there is none.
    #[schema(required)]
    provider_url: Option<String>,
}

/// Signs out. The session's bearer tokens become invalid.
#[utoipa::path(
    tag = "identity",
    responses((status = 200, body = ApiResponse<SignedOutBody>), ErrorResponses)
)]
#[post("/sign-out")]
async fn sign_out(
    request: HttpRequest,
    sessions: web::Data<Sessions>,
    openid: web::Data<OpenIdServices>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let mut provider_url = None;
    if let Some(token) = presented(&request) {
        // Without a session there is nothing to write: strangers must not reach the only writer
        // of SQLite.
        if let Some(session) = sessions.find(&token).await? {
            identify(&session);
            let origin = openid.openid.origin_of(&session).await?;
            // Before the request to the provider: that takes time, in which the client may leave.
            sessions.sign_out(&token).await?;
            if let Some(origin) = origin {
                provider_url = openid.openid.sign_out_url(&origin).await;
            }
            let signed_out = SecurityRecord {
                subject: Some(&session.user.id),
                ..SecurityRecord::new(SecurityEvent::SignedOut)
            };
            record(&request, signed_out);
        }
    }
    Ok(HttpResponse::Ok()
        .cookie(cookies.ended_session())
        .json(ApiResponse::with_message(
            SignedOutBody { provider_url },
            "Signed out",
        )))
}

/// Options of a bearer token.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TokenInput {
    /// Organisation of the token. If absent or null, the token has no organisation.
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    organisation_id: FieldInput<String>,
}

/// A bearer token.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IssuedToken)]
struct TokenBody {
    /// A JWT for the `Authorization` header.
    token: String,
    /// Expiry, at most five minutes ahead.
    #[serde(serialize_with = "timestamp::serialize")]
    expires_at: DateTime<Utc>,
}

/// Issues a bearer token, and stores its organisation as the session's active organisation. 403
/// with a `type` that ends in `/second-factor-required` if the organisation requires a second
/// factor and none was used in the session. Then the person must add a second factor, or confirm
/// the existing one.
#[utoipa::path(
    tag = "identity",
    request_body = TokenInput,
    responses((status = 200, body = ApiResponse<TokenBody>), ErrorResponses),
    security(("session" = []))
)]
#[post("/token")]
async fn issue_token(
    UsableSession(session): UsableSession,
    body: Body<TokenInput>,
    sessions: web::Data<Sessions>,
    factors: web::Data<SecondFactors>,
    usage: web::Data<Usage>,
) -> Result<HttpResponse, Problem> {
    let organisation = match body.0.organisation_id {
        FieldInput::Absent | FieldInput::Null => None,
        FieldInput::Wrong => return Err(Invalid::field("organisationId", "Must be a text").into()),
        FieldInput::Given(id) => {
            let refused = |_| Problem::from(Error::Forbidden("Not a member of this organisation"));
            Some(OrganisationId::parse(&id).map_err(refused)?)
        }
    };
    sessions.touch(&session).await?;
    // A user who is not a member is refused first, and does not learn what the
    // organisation requires.
    let issued = sessions.token(&session, organisation.as_ref()).await?;
    if let Some(organisation) = &organisation {
        factors.check_requirement(&session, organisation).await?;
        let is_active = session.active_organisation.as_ref() == Some(organisation);
        // Beyond the limit it is not stored. Without a token, the account could not even read.
        if !is_active && usage.take_account_write(session.user.id).is_ok() {
            sessions.activate(&session, organisation).await?;
        }
    }
    Ok(ApiResponse::new(TokenBody {
        token: issued.token,
        expires_at: issued.expires_at,
    })
    .ok())
}

/// The session routes.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(read).service(sign_out).service(issue_token);
}
