//! Sessions: who is signed in, signing out, and bearer tokens.

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest, HttpResponse, get, post, web};
use allclear_application::error::Error;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::{Session, Sessions};
use allclear_application::timestamp;
use allclear_domain::id::OrganisationId;
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::account::UserBody;
use super::cookie::{CookieSecurity, presented};
use super::organisation::OrganisationBody;
use crate::api_response::Answer;
use crate::input::{Body, FieldInput};
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::security_log::record;

/// Somebody who is signed in, as the cookie tells, with an account that can be used.
#[derive(Debug, Clone)]
pub(crate) struct SignedIn(pub(crate) Session);

/// Somebody who is signed in, also if the account needs an address before it can be used.
#[derive(Debug, Clone)]
pub(crate) struct Identified(pub(crate) Session);

impl FromRequest for SignedIn {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let identified = Identified::from_request(request, payload);
        Box::pin(async move {
            let Identified(session) = identified.await?;
            if session.user.needs_address {
                let refused = Error::Forbidden("Please enter a new mail address first");
                return Err(refused.into());
            }
            Ok(Self(session))
        })
    }
}

impl FromRequest for Identified {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let token = presented(request);
        let sessions = request.app_data::<web::Data<Sessions>>().cloned();
        Box::pin(async move {
            let sessions =
                sessions.ok_or_else(|| Problem::from(Error::internal("no sessions are wired")))?;
            let session = match token {
                Some(token) => sessions.find(&token).await?,
                None => None,
            };
            session
                .map(Self)
                .ok_or_else(|| Problem::new(StatusCode::UNAUTHORIZED, "Please sign in"))
        })
    }
}

/// Who is signed in, and where they belong.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
struct SessionBody {
    user: UserBody,
    /// Newest membership first.
    organisations: Vec<OrganisationBody>,
    /// The organisation a token was asked for last.
    #[schema(required)]
    active_organisation_id: Option<String>,
}

/// Reads who is signed in; null where nobody is. A session that is used lives on.
#[utoipa::path(tag = "identity", responses((status = 200, body = Answer<Option<SessionBody>>)))]
#[get("/session")]
async fn read(
    request: HttpRequest,
    sessions: web::Data<Sessions>,
    security: web::Data<CookieSecurity>,
) -> Result<HttpResponse, Problem> {
    let nobody = Answer::new(None::<SessionBody>);
    let Some(token) = presented(&request) else {
        return Ok(nobody.ok());
    };
    let Some(session) = sessions.find(&token).await? else {
        let mut response = nobody.ok();
        response
            .add_cookie(&security.cleared())
            .map_err(|error| Error::internal(error.to_string()))?;
        return Ok(response);
    };
    let belongings = sessions.organisations(&session).await?;
    let active = session.active_organisation.as_ref();
    let active = active.filter(|active| {
        belongings
            .iter()
            .any(|found| found.organisation == **active)
    });
    let body = SessionBody {
        active_organisation_id: active.map(ToString::to_string),
        organisations: belongings.iter().map(OrganisationBody::from).collect(),
        user: UserBody::from(&session.user),
    };
    let mut response = Answer::new(Some(body)).ok();
    if sessions.extend(&session).await?.is_some() {
        response
            .add_cookie(&security.carrying(&token))
            .map_err(|error| Error::internal(error.to_string()))?;
    }
    Ok(response)
}

/// Signs out: the session's bearer tokens are worthless from here on.
#[utoipa::path(tag = "identity", responses((status = 200), ErrorResponses))]
#[post("/sign-out")]
async fn sign_out(
    request: HttpRequest,
    sessions: web::Data<Sessions>,
    security: web::Data<CookieSecurity>,
) -> Result<HttpResponse, Problem> {
    if let Some(token) = presented(&request) {
        let session = sessions.find(&token).await?;
        sessions.sign_out(&token).await?;
        if let Some(session) = session {
            let signed_out = SecurityRecord {
                subject: Some(&session.user.id),
                ..SecurityRecord::new(SecurityEvent::SignedOut)
            };
            record(&request, signed_out);
        }
    }
    Ok(HttpResponse::Ok()
        .cookie(security.cleared())
        .json(Answer::with_message((), "Signed out")))
}

/// What a token is wanted for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TokenInput {
    /// The organisation; a token without one when absent or null.
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
    /// In five minutes at most.
    #[serde(serialize_with = "timestamp::serialize")]
    expires_at: DateTime<Utc>,
}

/// Issues a bearer token, and remembers the organisation as the session's active one.
#[utoipa::path(
    tag = "identity",
    request_body = TokenInput,
    responses((status = 200, body = Answer<TokenBody>), ErrorResponses),
    security(("session" = []))
)]
#[post("/token")]
async fn issue_token(
    SignedIn(session): SignedIn,
    body: Body<TokenInput>,
    sessions: web::Data<Sessions>,
) -> Result<HttpResponse, Problem> {
    let organisation = match body.0.organisation_id {
        FieldInput::Absent | FieldInput::Null => None,
        FieldInput::Wrong => return Err(Invalid::field("organisationId", "Must be a text").into()),
        FieldInput::Given(id) => {
            let refused = |_| Problem::from(Error::Forbidden("Not a member of this organisation"));
            Some(OrganisationId::parse(&id).map_err(refused)?)
        }
    };
    let issued = sessions.token(&session, organisation.as_ref()).await?;
    Ok(Answer::new(TokenBody {
        token: issued.token,
        expires_at: issued.expires_at,
    })
    .ok())
}

/// The calls about sessions.
pub(crate) fn calls(config: &mut impl Routes) {
    config.service(read).service(sign_out).service(issue_token);
}
