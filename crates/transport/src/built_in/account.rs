//! Accounts: sign-up, sign-in, changing the name, and deletion.

use actix_web::{HttpRequest, HttpResponse, delete, patch, post, web};
use allclear_application::account::{Accounts, PasswordAccepted, SignedUp};
use allclear_application::error::Error;
use allclear_application::secret::SecretToken;
use allclear_application::security_log::{MaskedAddress, SecurityEvent, SecurityRecord};
use allclear_application::session::Sessions;
use allclear_domain::account::{DeletionDraft, NameDraft, SignInDraft, SignUpDraft};
use allclear_domain::email::EmailKey;
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::confirmation::{PendingBody, pending};
use super::cookie::Cookies;
use super::input::{checked, password, text};
use super::openid::{PasswordSwitch, PasswordsAllowed};
use super::session::{AnySession, SessionForWrite};
use super::signed_in::{SignedInBody, UserBody, sign_in_response};
use super::throttle::IdentityThrottle;
use crate::limit::client_network::client;
use crate::limit::concurrency::release;
use crate::request::body::Body;
use crate::request::device::client_of;
use crate::request::field::{FieldInput, Text};
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::security_log::{record, record_refused};

/// A place on the waitlist.
#[derive(Debug, Serialize, ToSchema)]
struct WaitlistedBody {
    waitlisted: bool,
}

/// What a sign-up waits for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "the schema of two responses with one status")]
enum PendingOrWaitlisted {
    /// The link of a mail.
    Pending(PendingBody),
    /// An invitation.
    Waitlisted(WaitlistedBody),
}

/// Fields of a new account.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SignUpInput {
    /// 1 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 200, required = true)]
    name: FieldInput<Text>,
    #[serde(default)]
    #[schema(value_type = String, format = "email", max_length = 254, required = true)]
    email: FieldInput<Text>,
    /// 10 to 256 characters, none of the most common passwords, and without the name or the address
    /// of the person.
    #[serde(default)]
    #[schema(value_type = String, min_length = 10, max_length = 256, required = true)]
    password: FieldInput<String>,
    /// Token of an invitation link.
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    invitation_token: FieldInput<String>,
}

impl SignUpInput {
    fn read(self) -> Result<(SignUpDraft, Option<SecretToken>), Invalid> {
        let mut invalid = Invalid::default();
        let draft = SignUpDraft {
            name: text(self.name, "name", "Name is required", &mut invalid),
            email: text(self.email, "email", "Invalid email address", &mut invalid),
            password: password(self.password, "password", &mut invalid),
        };
        let invitation =
            self.invitation_token
                .nullable("invitationToken", "Must be a text", &mut invalid);
        checked(&draft, invalid)?;
        Ok((draft, invitation.map(SecretToken::presented)))
    }
}

/// Signs up. Known and unknown addresses get the same response, and a mail with a link that creates
/// the account. The first account of the installation, and an account with an invitation for its
/// address, is created and signed in directly.
#[utoipa::path(
    tag = "identity",
    request_body = SignUpInput,
    responses(
        (status = 201, body = ApiResponse<SignedInBody>),
        (
            status = 202,
            body = ApiResponse<PendingOrWaitlisted>,
            description = "A mail was sent, or the person was added to the waitlist"
        ),
        ErrorResponses
    )
)]
#[post("/sign-up")]
async fn sign_up(
    _: PasswordsAllowed,
    request: HttpRequest,
    body: Body<SignUpInput>,
    accounts: web::Data<Accounts>,
    sessions: web::Data<Sessions>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let (draft, invitation) = body.0.read()?;
    throttle.sign_up.take_or_refuse(&client(&request))?;
    let device = client_of(&request);
    let accounts = accounts.into_inner();
    match accounts.sign_up(draft, invitation, &device).await? {
        SignedUp::SignedIn(signed_in) => {
            sign_in_response(
                HttpResponse::Created(),
                &request,
                &sessions,
                **cookies,
                &signed_in,
            )
            .await
        }
        SignedUp::Pending => Ok(pending()),
        SignedUp::Waitlisted => {
            let message = "You are on the waitlist. We will write to you when it is your turn";
            let body = ApiResponse::with_message(WaitlistedBody { waitlisted: true }, message);
            Ok(HttpResponse::Accepted().json(body))
        }
    }
}

/// Credentials.
#[derive(Deserialize, ToSchema)]
struct SignInInput {
    #[serde(default)]
    #[schema(value_type = String, format = "email", max_length = 254, required = true)]
    email: FieldInput<Text>,
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    password: FieldInput<String>,
}

/// Says that a code of the second factor is needed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SecondFactorNeeded)]
struct SecondFactorNeededBody {
    /// Always true.
    second_factor: bool,
    /// Whether the account has an authenticator app.
    authenticator_app: bool,
    /// Whether the account has a passkey, with which `/identity/sign-in/passkey` completes
    /// the sign-in.
    passkey: bool,
}

/// Signs in. If the account has a second factor, the response is 202 without a session, and a
/// code to `/identity/sign-in/code` or a passkey to `/identity/sign-in/passkey` must follow
/// within five minutes.
#[utoipa::path(
    tag = "identity",
    request_body = SignInInput,
    responses(
        (status = 200, body = ApiResponse<SignedInBody>),
        (
            status = 202,
            body = ApiResponse<SecondFactorNeededBody>,
            description = "The password is right, and a code of the second factor is needed"
        ),
        ErrorResponses
    )
)]
#[post("/sign-in")]
async fn sign_in(
    _: PasswordsAllowed,
    request: HttpRequest,
    body: Body<SignInInput>,
    accounts: web::Data<Accounts>,
    sessions: web::Data<Sessions>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = SignInDraft {
        email: text(body.0.email, "email", "Invalid email address", &mut invalid),
        password: password(body.0.password, "password", &mut invalid),
    };
    checked(&draft, invalid)?;
    let (device, key) = (client_of(&request), EmailKey::of(&draft.email));
    let is_known_device = accounts.is_known_device(&key, &device);
    let attempt = throttle
        .guesses
        .take(client(&request), &key, is_known_device)
        .await?;
    let address = draft.email.clone();
    let outcome = accounts.sign_in(draft, &device).await;
    match outcome {
        Ok(_) => attempt.succeed(),
        Err(Error::Unauthenticated(_)) => {
            let failed = SecurityRecord {
                subject: Some(&MaskedAddress(&address)),
                ..SecurityRecord::new(SecurityEvent::SignInFailed)
            };
            record_refused(&request, failed);
        }
        Err(_) => attempt.give_back(),
    }
    match outcome? {
        PasswordAccepted::SignedIn(signed_in) => {
            let ok = HttpResponse::Ok();
            sign_in_response(ok, &request, &sessions, **cookies, &signed_in).await
        }
        PasswordAccepted::SecondFactor { token, factors } => {
            let body = SecondFactorNeededBody {
                second_factor: true,
                authenticator_app: factors.confirmed_totp().is_some(),
                passkey: !factors.passkeys.is_empty(),
            };
            let message = "Enter a code of your second factor";
            Ok(HttpResponse::Accepted()
                .cookie(cookies.sign_in(&token))
                .json(ApiResponse::with_message(body, message)))
        }
    }
}

/// A new name.
#[derive(Debug, Deserialize, ToSchema)]
struct NameInput {
    /// 1 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 200, required = true)]
    name: FieldInput<Text>,
}

/// Changes the name of the signed-in account.
#[utoipa::path(
    tag = "identity",
    request_body = NameInput,
    responses((status = 200, body = ApiResponse<SignedInBody>), ErrorResponses),
    security(("session" = []))
)]
#[patch("/user")]
async fn rename(
    SessionForWrite(session): SessionForWrite,
    body: Body<NameInput>,
    accounts: web::Data<Accounts>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = NameDraft {
        name: text(body.0.name, "name", "Name is required", &mut invalid),
    };
    checked(&draft, invalid)?;
    let user = accounts.rename(&session, draft).await?;
    Ok(ApiResponse::new(SignedInBody {
        user: UserBody::from(&user),
    })
    .ok())
}

/// The password of the account to delete.
#[derive(Deserialize, ToSchema)]
struct DeletionInput {
    /// May be absent or null after an authentication of the last ten minutes.
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    password: FieldInput<String>,
}

/// Deletes the signed-in account with its sessions, its memberships, and the organisations that
/// have no other member. Updates that the account recorded stay, without its name. Needs a recent
/// authentication; the password is enough if the account has no second factor. 409 if an
/// organisation with other members would lose its last admin, or if the account administers the
/// installation and there are other accounts.
#[utoipa::path(
    tag = "identity",
    request_body = DeletionInput,
    responses((status = 200), ErrorResponses),
    security(("session" = [])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[delete("/user")]
async fn delete_account(
    request: HttpRequest,
    AnySession(session): AnySession,
    body: Body<DeletionInput>,
    accounts: web::Data<Accounts>,
    passwords: web::Data<PasswordSwitch>,
    throttle: web::Data<IdentityThrottle>,
    cookies: web::Data<Cookies>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = DeletionDraft {
        password: match body.0.password {
            FieldInput::Absent | FieldInput::Null => None,
            given => Some(password(given, "password", &mut invalid)),
        },
    };
    checked(&draft, invalid)?;
    if draft.password.is_some() {
        passwords.check()?;
        // The attempt may be delayed.
        release(&request);
        // The password is compared with the stored one, so every request counts as a guess.
        let (key, device) = (EmailKey::of(&session.user.email), client_of(&request));
        let is_known_device = accounts.is_known_device(&key, &device);
        throttle
            .guesses
            .take_or_refuse(client(&request), &key, is_known_device)
            .await?;
    }
    let outcome = accounts.delete(&session, draft).await?;
    let event = if outcome.is_ok() {
        SecurityEvent::AccountDeleted
    } else {
        SecurityEvent::ReauthenticationFailed
    };
    let line = SecurityRecord {
        subject: Some(&session.user.id),
        ..SecurityRecord::new(event)
    };
    record(&request, line);
    outcome.map_err(|wrong| wrong.at("password"))?;
    Ok(HttpResponse::Ok()
        .cookie(cookies.ended_session())
        .json(ApiResponse::with_message((), "Your account is deleted")))
}

/// The account routes.
pub(crate) fn routes(config: &mut impl Routes) {
    config
        .service(sign_up)
        .service(sign_in)
        .service(rename)
        .service(delete_account);
}
