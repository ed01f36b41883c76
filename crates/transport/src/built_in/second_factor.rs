//! Second factors: enrolling and removing them, and the second step of a sign-in.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use allclear_application::error::Error;
use allclear_application::second_factor::{Factors, RecoveryCode, SecondFactors, WrongCode};
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::Sessions;
use allclear_application::timestamp;
use allclear_domain::account::CodeDraft;
use allclear_domain::id::UserId;
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::cookie::Cookies;
use super::input::{checked, text};
use super::openid::PasswordsAllowed;
use super::passkey::PasskeyBody;
use super::session::{FactorProvenSession, UsableSession};
use super::signed_in::{SignedInBody, sign_in_response};
use super::throttle::IdentityThrottle;
use crate::limit::client_network::client;
use crate::request::body::Body;
use crate::request::device::client_of;
use crate::request::field::{FieldInput, Text};
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::record;

/// A code of a second factor.
#[derive(Deserialize, ToSchema)]
struct CodeInput {
    /// Six digits of the authenticator app, or a recovery code.
    #[serde(default)]
    #[schema(value_type = String, required = true, max_length = 64)]
    code: FieldInput<Text>,
}

impl CodeInput {
    fn read(self) -> Result<CodeDraft, Invalid> {
        let mut invalid = Invalid::default();
        let draft = CodeDraft {
            code: text(self.code, "code", "Code is required", &mut invalid),
        };
        checked(&draft, invalid)?;
        Ok(draft)
    }
}

/// The authenticator app of an account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuthenticatorApp)]
struct TotpBody {
    /// When it was added.
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
}

/// The second factors of the signed-in account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SecondFactors)]
struct FactorsBody {
    /// The authenticator app; null if there is none.
    #[schema(required)]
    totp: Option<TotpBody>,
    /// The passkeys, the oldest first. An account has at most 20.
    passkeys: Vec<PasskeyBody>,
    /// Number of recovery codes that were not used.
    recovery_codes: u64,
}

impl From<&Factors> for FactorsBody {
    fn from(factors: &Factors) -> Self {
        let confirmed = factors.confirmed_totp();
        let added = confirmed.and_then(|totp| totp.confirmed_at);
        Self {
            totp: added.map(|created_at| TotpBody { created_at }),
            passkeys: factors.passkeys.iter().map(PasskeyBody::from).collect(),
            recovery_codes: factors.recovery_codes,
        }
    }
}

/// The secret of an authenticator app.
#[derive(Serialize, ToSchema)]
#[schema(as = TotpEnrolment)]
struct EnrolmentBody {
    /// The secret in base 32.
    secret: String,
    /// `otpauth:` URI with the secret, for a QR code.
    uri: String,
}

/// Recovery codes, which are not shown again.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RecoveryCodes)]
struct RecoveryCodesBody {
    recovery_codes: Vec<String>,
}

impl RecoveryCodesBody {
    fn new(codes: &[RecoveryCode]) -> Self {
        Self {
            recovery_codes: reveal(codes),
        }
    }
}

/// The codes, to be shown once.
pub(super) fn reveal(codes: &[RecoveryCode]) -> Vec<String> {
    codes.iter().map(RecoveryCode::reveal).collect()
}

/// Writes a line of the security log about a factor of the account.
pub(super) fn record_factor(
    request: &HttpRequest,
    event: SecurityEvent,
    user: UserId,
    factor: &str,
) {
    let changed = SecurityRecord {
        subject: Some(&user),
        object: Some(&factor),
        ..SecurityRecord::new(event)
    };
    record(request, changed);
}

/// Counts a guess of a code, and checks the code. A wrong one stays counted and is recorded.
async fn guess_code<T>(
    request: &HttpRequest,
    throttle: &IdentityThrottle,
    user: UserId,
    check: impl Future<Output = Result<Result<T, WrongCode>, Error>>,
) -> Result<Result<T, WrongCode>, Problem> {
    let guess = throttle.codes.take(client(request), user)?;
    let outcome = check.await;
    if matches!(outcome, Ok(Err(WrongCode))) {
        record_factor(request, SecurityEvent::SecondFactorFailed, user, "code");
    } else {
        guess.give_back();
    }
    outcome.map_err(Problem::from)
}

/// Returns the second factors of the signed-in account.
#[utoipa::path(
    tag = "identity",
    responses((status = 200, body = ApiResponse<FactorsBody>), ErrorResponses),
    security(("session" = []))
)]
#[get("/user/factors")]
async fn list(
    UsableSession(session): UsableSession,
    factors: web::Data<SecondFactors>,
) -> Result<HttpResponse, Problem> {
    let factors = factors.list(&session).await?;
    Ok(ApiResponse::new(FactorsBody::from(&factors)).ok())
}

/// Begins to add an authenticator app (TOTP, RFC 6238: SHA-1, six digits, 30 seconds). It becomes a
/// second factor when its first code is confirmed. Needs a recent authentication. 409 if the
/// account has one.
#[utoipa::path(
    tag = "identity",
    responses((status = 201, body = ApiResponse<EnrolmentBody>), ErrorResponses),
    security(("session" = [])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[post("/user/totp")]
async fn begin_totp(
    FactorProvenSession(session): FactorProvenSession,
    factors: web::Data<SecondFactors>,
) -> Result<HttpResponse, Problem> {
    let enrolment = factors.begin_totp(&session).await?;
    let body = EnrolmentBody {
        secret: enrolment.secret,
        uri: enrolment.uri,
    };
    Ok(HttpResponse::Created().json(ApiResponse::new(body)))
}

/// Confirms the authenticator app with a first code, and signs out every other session. Returns ten
/// recovery codes, each of which replaces a code of the app once. Needs a recent authentication.
#[utoipa::path(
    tag = "identity",
    request_body = CodeInput,
    responses((status = 200, body = ApiResponse<RecoveryCodesBody>), ErrorResponses),
    security(("session" = [])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[post("/user/totp/confirm")]
async fn confirm_totp(
    request: HttpRequest,
    FactorProvenSession(session): FactorProvenSession,
    body: Body<CodeInput>,
    factors: web::Data<SecondFactors>,
    throttle: web::Data<IdentityThrottle>,
) -> Result<HttpResponse, Problem> {
    let draft = body.0.read()?;
    let (user, device) = (session.user.id, client_of(&request));
    let confirming = factors.confirm_totp(&session, draft, &device);
    let confirmed = guess_code(&request, &throttle, user, confirming).await?;
    let codes = confirmed.map_err(|wrong| wrong.at("code"))?;
    record_factor(&request, SecurityEvent::FactorAdded, user, "totp");
    Ok(ApiResponse::new(RecoveryCodesBody::new(&codes)).ok())
}

/// Removes the authenticator app, with the recovery codes if it was the last second factor, and
/// signs out every other session. Needs a recent authentication.
#[utoipa::path(
    tag = "identity",
    responses((status = 200), ErrorResponses),
    security(("session" = [])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[delete("/user/totp")]
async fn remove_totp(
    request: HttpRequest,
    FactorProvenSession(session): FactorProvenSession,
    factors: web::Data<SecondFactors>,
) -> Result<HttpResponse, Problem> {
    factors.remove_totp(&session, &client_of(&request)).await?;
    let user = session.user.id;
    record_factor(&request, SecurityEvent::FactorRemoved, user, "totp");
    Ok(ApiResponse::with_message((), "Authenticator app removed").ok())
}

/// Replaces the recovery codes, and signs out every other session. Needs a recent authentication.
/// 409 if the account has no second factor.
#[utoipa::path(
    tag = "identity",
    responses((status = 201, body = ApiResponse<RecoveryCodesBody>), ErrorResponses),
    security(("session" = [])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[post("/user/recovery-codes")]
async fn replace_recovery_codes(
    request: HttpRequest,
    FactorProvenSession(session): FactorProvenSession,
    factors: web::Data<SecondFactors>,
) -> Result<HttpResponse, Problem> {
    let device = client_of(&request);
    let codes = factors.replace_recovery_codes(&session, &device).await?;
    let event = SecurityEvent::RecoveryCodesReplaced;
    record_factor(&request, event, session.user.id, "recovery-codes");
    Ok(HttpResponse::Created().json(ApiResponse::new(RecoveryCodesBody::new(&codes))))
}

/// Finishes a sign-in that needs a second factor, within five minutes after the password.
#[utoipa::path(
    tag = "identity",
    request_body = CodeInput,
    responses((status = 200, body = ApiResponse<SignedInBody>), ErrorResponses)
)]
#[post("/sign-in/code")]
async fn sign_in(
    _: PasswordsAllowed,
    request: HttpRequest,
    body: Body<CodeInput>,
    factors: web::Data<SecondFactors>,
    sessions: web::Data<Sessions>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let draft = body.0.read()?;
    let pending = cookies.pending_sign_in(&request);
    let pending = pending.ok_or(Error::Unauthenticated("Please enter your password first"))?;
    let user = factors.pending_user(&pending)?;
    let device = client_of(&request);
    let signing_in = factors.sign_in(&pending, draft, &device);
    let signed_in = guess_code(&request, &throttle, user, signing_in).await?;
    let signed_in = signed_in.map_err(Error::from)?;
    let ok = HttpResponse::Ok();
    let response = sign_in_response(ok, &request, &sessions, **cookies, &signed_in);
    let mut response = response.await?;
    cookies.remove_sign_in(&mut response)?;
    Ok(response)
}

/// Confirms the second factor in a session that an identity provider has opened without one.
/// Organisations that require a second factor then give tokens, and factors can be changed. It
/// allows no other sensitive change. The session gets another cookie.
#[utoipa::path(
    tag = "identity",
    request_body = CodeInput,
    responses((status = 200), ErrorResponses),
    security(("session" = []))
)]
#[post("/session/second-factor")]
async fn prove(
    request: HttpRequest,
    UsableSession(session): UsableSession,
    body: Body<CodeInput>,
    factors: web::Data<SecondFactors>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let draft = body.0.read()?;
    let user = session.user.id;
    let device = client_of(&request);
    let proving = factors.prove(&session, draft, &device);
    let token = guess_code(&request, &throttle, user, proving).await?;
    let token = token.map_err(Error::from)?;
    record_factor(&request, SecurityEvent::SecondFactorProven, user, "code");
    Ok(HttpResponse::Ok()
        .cookie(cookies.session(&token))
        .json(ApiResponse::with_message((), "Confirmed")))
}

/// The routes of second factors.
pub(crate) fn routes(config: &mut impl Routes) {
    config
        .service(list)
        .service(begin_totp)
        .service(confirm_totp)
        .service(remove_totp)
        .service(replace_recovery_codes)
        .service(sign_in)
        .service(prove);
}
