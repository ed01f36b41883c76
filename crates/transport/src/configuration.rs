//! Settings that the web app needs before sign-in.

use actix_web::{HttpResponse, get, web};
use allclear_application::account::Accounts;
use allclear_domain::account::SignUpMode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::response::api_response::ApiResponse;
use crate::response::problem::{CommonErrorResponses, Problem};
use crate::routes::Routes;

/// The identity provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdentityProvider {
    /// This server.
    BuiltIn,
    /// Clerk.
    Clerk,
}

/// An identity provider that people sign in with by OpenID Connect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SignInProvider {
    /// Identifier in `/identity/oidc/{provider}/start`.
    pub id: String,
    /// Name that people see.
    pub name: String,
}

/// Settings of the installation.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Installation)]
pub struct Configuration {
    /// The identity provider.
    pub identity_provider: IdentityProvider,
    /// Clerk's publishable key; null without Clerk.
    #[schema(required)]
    pub clerk_publishable_key: Option<String>,
    /// Whether everybody, people on the waitlist or only invited people may create an account.
    pub sign_up: SignUpMode,
    /// Whether mail is sent by a mail server. Otherwise mails are written to files in the data
    /// folder, and their links to the log.
    pub mail_server: bool,
    /// Whether people may sign in with a password. True with Clerk, which decides itself.
    pub passwords: bool,
    /// Whether people may add passkeys and sign in with them. False with Clerk, whose screens offer
    /// them, without passwords, and if the host of the public address is not a name.
    pub passkeys: bool,
    /// Identity providers beside the built-in one, in the order of the buttons.
    pub sign_in_providers: Vec<SignInProvider>,
    /// Target of `/discord`; null if it is not configured.
    #[schema(required)]
    pub discord_url: Option<String>,
    /// Target of `/sponsor`; null if it is not configured.
    #[schema(required)]
    pub sponsor_url: Option<String>,
    /// Version of the server.
    pub version: &'static str,
}

/// Settings of the installation, and whether it is new.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Configuration)]
struct ConfigurationBody<'a> {
    #[serde(flatten)]
    configuration: &'a Configuration,
    /// Whether no account exists yet. The first account can always be created, and becomes the
    /// administrator of the installation.
    first_account: bool,
}

/// Returns the settings of the installation.
#[utoipa::path(
    tag = "configuration",
    responses((status = 200, body = ApiResponse<ConfigurationBody>), CommonErrorResponses)
)]
#[get("/configuration")]
async fn configuration(
    configuration: web::Data<Configuration>,
    accounts: Option<web::Data<Accounts>>,
) -> Result<HttpResponse, Problem> {
    // Clerk keeps its own accounts.
    let first_account = match accounts {
        Some(accounts) => accounts.is_first().await?,
        None => false,
    };
    Ok(ApiResponse::new(ConfigurationBody {
        configuration: &configuration,
        first_account,
    })
    .ok())
}

/// The route `/configuration`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(configuration);
}
