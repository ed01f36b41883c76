//! Accounts: signing up and in, one's own name, and deleting one's account.

use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, delete, patch, post, web};
use allclear_application::account::{Accounts, SignedIn as Entered, SignedUp};
use allclear_application::error::Error;
use allclear_application::secret::SecretToken;
use allclear_application::security_log::{MaskedAddress, SecurityEvent, SecurityRecord};
use allclear_application::session::Sessions;
use allclear_domain::account::{
    DeletionDraft, NameDraft, Password, SignInDraft, SignUpDraft, User,
};
use allclear_domain::email::EmailKey;
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::confirmation::{PendingBody, pending};
use super::cookie::{CookieSecurity, presented};
use super::session::{Identified, SignedIn};
use super::throttle::Throttle;
use crate::api_response::Answer;
use crate::input::{Body, FieldInput, Text};
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::security_log::record;
use crate::throttle::client;

/// An account.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = User)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserBody {
    /// Its identifier, a `UUIDv7`.
    id: String,
    name: String,
    email: String,
    /// Whether it administers the installation: its waitlist.
    administrator: bool,
    /// Whether the account has to prove a new address before it can be used: an older account has its address.
    needs_address: bool,
}

impl From<&User> for UserBody {
    fn from(user: &User) -> Self {
        let (id, name, email) = (user.id.to_string(), user.name.clone(), user.email.clone());
        Self {
            id,
            name,
            email,
            administrator: user.administrator,
            needs_address: user.needs_address,
        }
    }
}

/// Who has signed in.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct EnteredBody {
    pub(super) user: UserBody,
}

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

/// An account to make.
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
    /// 12 to 128 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 12, max_length = 128, required = true)]
    password: FieldInput<String>,
    /// From an invitation's link.
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
        let invitation = match self.invitation_token {
            FieldInput::Null => None,
            given => given.optional("invitationToken", "Must be a text", &mut invalid),
        };
        checked(&draft, invalid)?;
        Ok((draft, invitation.map(SecretToken::presented)))
    }
}

/// Signs up. Known and unknown addresses get the same response, and a mail whose link makes the account. The first account
/// of the installation, and one with an invitation for its address, is made and signed in at once.
#[utoipa::path(
    tag = "identity",
    request_body = SignUpInput,
    responses(
        (status = 201, body = Answer<EnteredBody>),
        (
            status = 202,
            body = Answer<PendingOrWaitlisted>,
            description = "A mail is on its way, or the person is on the waitlist"
        ),
        ErrorResponses
    )
)]
#[post("/sign-up")]
async fn sign_up(
    request: HttpRequest,
    body: Body<SignUpInput>,
    accounts: web::Data<Accounts>,
    sessions: web::Data<Sessions>,
    throttle: web::Data<Throttle>,
    security: web::Data<CookieSecurity>,
) -> Result<HttpResponse, Problem> {
    let (draft, invitation) = body.0.read()?;
    throttle.sign_up.count(&client(&request))?;
    match accounts.into_inner().sign_up(draft, invitation).await? {
        SignedUp::SignedIn(entered) => {
            enter(
                HttpResponse::Created(),
                &request,
                &sessions,
                **security,
                &entered,
            )
            .await
        }
        SignedUp::Pending => Ok(pending()),
        SignedUp::Waitlisted => {
            let message = "You are on the waitlist. We will write to you when it is your turn";
            let body = Answer::with_message(WaitlistedBody { waitlisted: true }, message);
            Ok(HttpResponse::Accepted().json(body))
        }
    }
}

/// Who signs in.
#[derive(Deserialize, ToSchema)]
struct SignInInput {
    #[serde(default)]
    #[schema(value_type = String, format = "email", max_length = 254, required = true)]
    email: FieldInput<Text>,
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    password: FieldInput<String>,
}

/// Signs in.
#[utoipa::path(
    tag = "identity",
    request_body = SignInInput,
    responses((status = 200, body = Answer<EnteredBody>), ErrorResponses)
)]
#[post("/sign-in")]
async fn sign_in(
    request: HttpRequest,
    body: Body<SignInInput>,
    accounts: web::Data<Accounts>,
    sessions: web::Data<Sessions>,
    throttle: web::Data<Throttle>,
    security: web::Data<CookieSecurity>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = SignInDraft {
        email: text(body.0.email, "email", "Invalid email address", &mut invalid),
        password: password(body.0.password, "password", &mut invalid),
    };
    checked(&draft, invalid)?;
    let (client, key) = (client(&request), EmailKey::of(&draft.email));
    let attempt = throttle.guesses.take(client, &key).await?;
    let address = draft.email.clone();
    let outcome = accounts.sign_in(draft).await;
    if matches!(outcome, Err(Error::Unauthenticated(_))) {
        let failed = SecurityRecord {
            subject: Some(&MaskedAddress(&address)),
            ..SecurityRecord::new(SecurityEvent::SignInFailed)
        };
        record(&request, failed);
    } else {
        attempt.give_back();
    }
    let entered = outcome?;
    enter(
        HttpResponse::Ok(),
        &request,
        &sessions,
        **security,
        &entered,
    )
    .await
}

/// Answers with the new session's cookie. A session the browser had before ends (OWASP ASVS 5.0, 7.2.4).
pub(super) async fn enter(
    mut response: HttpResponseBuilder,
    request: &HttpRequest,
    sessions: &Sessions,
    security: CookieSecurity,
    entered: &Entered,
) -> Result<HttpResponse, Problem> {
    if let Some(before) = presented(request) {
        sessions.sign_out(&before).await?;
    }
    let signed_in = SecurityRecord {
        subject: Some(&entered.user.id),
        ..SecurityRecord::new(SecurityEvent::SignedIn)
    };
    record(request, signed_in);
    let body = Answer::new(EnteredBody {
        user: UserBody::from(&entered.user),
    });
    Ok(response
        .cookie(security.carrying(&entered.token))
        .json(body))
}

/// A new name.
#[derive(Debug, Deserialize, ToSchema)]
struct NameInput {
    /// 1 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 200, required = true)]
    name: FieldInput<Text>,
}

/// Changes one's own name.
#[utoipa::path(
    tag = "identity",
    request_body = NameInput,
    responses((status = 200, body = Answer<EnteredBody>), ErrorResponses),
    security(("session" = []))
)]
#[patch("/user")]
async fn rename(
    SignedIn(session): SignedIn,
    body: Body<NameInput>,
    accounts: web::Data<Accounts>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = NameDraft {
        name: text(body.0.name, "name", "Name is required", &mut invalid),
    };
    checked(&draft, invalid)?;
    let user = accounts.rename(session.user.id, draft).await?;
    Ok(Answer::new(EnteredBody {
        user: UserBody::from(&user),
    })
    .ok())
}

/// Proves that the account is one's own.
#[derive(Deserialize, ToSchema)]
struct DeletionInput {
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    password: FieldInput<String>,
}

/// Deletes one's own account, and with it its sessions, memberships and the organisations that nobody else belongs to. The
/// updates it recorded stay, without its name. 409 for the last admin of an organisation with other members.
#[utoipa::path(
    tag = "identity",
    request_body = DeletionInput,
    responses((status = 200), ErrorResponses),
    security(("session" = []))
)]
#[delete("/user")]
async fn delete_account(
    request: HttpRequest,
    Identified(session): Identified,
    body: Body<DeletionInput>,
    accounts: web::Data<Accounts>,
    throttle: web::Data<Throttle>,
    security: web::Data<CookieSecurity>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let draft = DeletionDraft {
        password: password(body.0.password, "password", &mut invalid),
    };
    checked(&draft, invalid)?;
    // The password is compared with the stored one, so every call counts as a guess.
    throttle
        .guesses
        .count(client(&request), &EmailKey::of(&session.user.email))
        .await?;
    accounts.delete(&session, draft).await?;
    let deleted = SecurityRecord {
        subject: Some(&session.user.id),
        ..SecurityRecord::new(SecurityEvent::AccountDeleted)
    };
    record(&request, deleted);
    Ok(HttpResponse::Ok()
        .cookie(security.cleared())
        .json(Answer::with_message((), "Your account is deleted")))
}

/// A text that must be there.
pub(super) fn text(
    input: FieldInput<Text>,
    field: &str,
    message: &str,
    invalid: &mut Invalid,
) -> String {
    input
        .required(field, message, invalid)
        .map(|text| text.0)
        .unwrap_or_default()
}

/// A password that must be there; it is taken as it is, white space and all.
pub(super) fn password(input: FieldInput<String>, field: &str, invalid: &mut Invalid) -> Password {
    let message = if matches!(input, FieldInput::Wrong) {
        "Must be a text"
    } else {
        "Password is required"
    };
    Password::new(input.required(field, message, invalid).unwrap_or_default())
}

/// What the types and the draft's own rules say, together.
pub(super) fn checked(draft: &impl Validate, mut invalid: Invalid) -> Result<(), Invalid> {
    invalid.check(draft);
    invalid.into_result()
}

/// The calls about accounts.
pub(crate) fn calls(config: &mut impl Routes) {
    config
        .service(sign_up)
        .service(sign_in)
        .service(rename)
        .service(delete_account);
}
