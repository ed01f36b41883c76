//! Routes of the built-in identity provider. They authenticate by a session cookie, never by a
//! bearer token. Requests that change something must come from the installation's own pages, or not
//! from a page at all.

mod account;
mod code_guesses;
mod confirmation;
pub(crate) mod cookie;
mod input;
mod invitation;
pub(crate) mod key_set;
mod membership;
pub mod openid;
mod organisation;
mod passkey;
mod password;
mod password_guesses;
mod reauthentication;
mod requirement;
mod same_origin;
mod second_factor;
mod session;
mod session_list;
mod signed_in;
pub mod throttle;
mod waitlist;

use std::sync::Arc;

use actix_web::http::header;
use actix_web::middleware::{DefaultHeaders, from_fn};
use actix_web::web::{self, Data};
use allclear_application::account::Accounts;
use allclear_application::caller::TokenVerifier;
use allclear_application::invitation::Invitations;
use allclear_application::membership::Memberships;
use allclear_application::passkey::Passkeys;
use allclear_application::password::Passwords;
use allclear_application::second_factor::SecondFactors;
use allclear_application::session::Sessions;
use allclear_application::waitlist::Waitlist;

use crate::request::body::scope_for_unknown_senders;
use crate::routes::Routes;

use self::cookie::Cookies;
use self::openid::{OpenIdServices, PasswordSwitch};
use self::same_origin::OwnOrigin;
use self::throttle::IdentityThrottle;

/// Services of the built-in provider's routes.
#[derive(Clone)]
pub struct BuiltInServices {
    /// Verifies bearer tokens.
    pub verifier: Arc<dyn TokenVerifier>,
    /// Accounts, sign-up and sign-in.
    pub accounts: Arc<Accounts>,
    /// Sessions and tokens.
    pub sessions: Arc<Sessions>,
    /// Changing and resetting passwords.
    pub passwords: Arc<Passwords>,
    /// Second factors.
    pub second_factors: Arc<SecondFactors>,
    /// Passkeys.
    pub passkeys: Arc<Passkeys>,
    /// Organisations and their members.
    pub memberships: Arc<Memberships>,
    /// Invitations.
    pub invitations: Arc<Invitations>,
    /// The waitlist.
    pub waitlist: Arc<Waitlist>,
    /// Limits for the attempts of a client.
    pub throttle: Arc<IdentityThrottle>,
    /// Sign-in by OpenID Connect.
    pub openid: OpenIdServices,
}

impl BuiltInServices {
    /// Registers the services as app data. `origin` is the public URL without a path.
    pub(crate) fn provide(&self, config: &mut web::ServiceConfig, origin: &str) {
        config
            .app_data(Data::from(Arc::clone(&self.verifier)))
            .app_data(Data::from(Arc::clone(&self.accounts)))
            .app_data(Data::from(Arc::clone(&self.sessions)))
            .app_data(Data::from(Arc::clone(&self.passwords)))
            .app_data(Data::from(Arc::clone(&self.second_factors)))
            .app_data(Data::from(Arc::clone(&self.passkeys)))
            .app_data(Data::from(Arc::clone(&self.memberships)))
            .app_data(Data::from(Arc::clone(&self.invitations)))
            .app_data(Data::from(Arc::clone(&self.waitlist)))
            .app_data(Data::from(Arc::clone(&self.throttle)))
            .app_data(Data::new(self.openid.clone()))
            .app_data(Data::new(PasswordSwitch(self.openid.passwords)))
            .app_data(Data::new(OwnOrigin(origin.to_owned())))
            .app_data(Data::new(Cookies {
                https: origin.starts_with("https:"),
            }));
    }
}

/// Adds the routes under `/identity`. No cache may store their responses (OWASP ASVS 5.0, 14.3.2).
pub(crate) fn serve(config: &mut web::ServiceConfig) {
    config.service(
        scope_for_unknown_senders("/identity")
            .configure(routes)
            .wrap(DefaultHeaders::new().add((header::CACHE_CONTROL, "no-store")))
            .wrap(from_fn(same_origin::check)),
    );
}

/// The routes under `/identity`.
pub(crate) fn routes(config: &mut impl Routes) {
    account::routes(config);
    confirmation::routes(config);
    session::routes(config);
    session_list::routes(config);
    reauthentication::routes(config);
    second_factor::routes(config);
    passkey::routes(config);
    requirement::routes(config);
    password::routes(config);
    organisation::routes(config);
    membership::routes(config);
    invitation::routes(config);
    waitlist::routes(config);
    openid::routes(config);
}
