//! What the web app has to know before anybody signs in.

use actix_web::{HttpResponse, get, web};
use allclear_application::account::Accounts;
use allclear_domain::account::SignUpMode;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::api_response::Answer;
use crate::problem::Problem;
use crate::routes::Routes;

/// Who proves who people are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdentityProvider {
    /// This server.
    BuiltIn,
    /// Clerk.
    Clerk,
}

/// The words for who may sign up.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = SignUp)]
enum SignUpWord {
    /// Everybody.
    Open,
    /// The invited; others are put on a waitlist.
    Waitlist,
    /// The invited.
    Closed,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands the field by reference"
)]
fn sign_up_word<S: Serializer>(mode: &SignUpMode, serializer: S) -> Result<S::Ok, S::Error> {
    let word = match mode {
        SignUpMode::Open => SignUpWord::Open,
        SignUpMode::Waitlist => SignUpWord::Waitlist,
        SignUpMode::Closed => SignUpWord::Closed,
    };
    word.serialize(serializer)
}

/// How this installation is set up.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Installation)]
pub struct Configuration {
    /// Who proves who people are.
    pub identity_provider: IdentityProvider,
    /// Clerk's publishable key, where Clerk is on.
    #[schema(required)]
    pub clerk_publishable_key: Option<String>,
    /// Who may sign up.
    #[schema(value_type = SignUpWord)]
    #[serde(serialize_with = "sign_up_word")]
    pub sign_up: SignUpMode,
    /// Whether mail goes out over a mail server. Otherwise each mail is a file in the data folder, its links in the log.
    pub mail_server: bool,
    /// Where `/discord` leads, where it leads anywhere.
    #[schema(required)]
    pub discord_url: Option<String>,
    /// Where `/sponsor` leads, where it leads anywhere.
    #[schema(required)]
    pub sponsor_url: Option<String>,
    /// The server's version.
    pub version: &'static str,
}

/// How this installation is set up, and whether anybody uses it yet.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Configuration)]
struct ConfigurationBody<'a> {
    #[serde(flatten)]
    configuration: &'a Configuration,
    /// Whether there is no account yet: the first can always be made, and administers the installation.
    first_account: bool,
}

/// Reads how this installation is set up.
#[utoipa::path(tag = "configuration", responses((status = 200, body = Answer<ConfigurationBody>)))]
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
    Ok(Answer::new(ConfigurationBody {
        configuration: &configuration,
        first_account,
    })
    .ok())
}

/// The call at `/configuration`.
pub(crate) fn calls(config: &mut impl Routes) {
    config.service(configuration);
}
