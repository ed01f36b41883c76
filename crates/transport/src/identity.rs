//! The built-in identity provider's calls. Who calls them is told by a session cookie, never by a bearer token; so each
//! call that changes something must come from our own pages, or from no page at all.

mod account;
mod confirmation;
pub(crate) mod cookie;
mod guesses;
mod invitation;
pub(crate) mod key_set;
mod membership;
mod organisation;
mod password;
mod same_origin;
mod session;
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
use allclear_application::password::Passwords;
use allclear_application::session::Sessions;
use allclear_application::waitlist::Waitlist;

use crate::routes::Routes;

use self::cookie::CookieSecurity;
use self::same_origin::OwnOrigin;
use self::throttle::Throttle;

/// What the provider's calls work with.
#[derive(Clone)]
pub struct Parts {
    /// Proves who bears a token.
    pub verifier: Arc<dyn TokenVerifier>,
    /// How people make accounts and sign in.
    pub accounts: Arc<Accounts>,
    /// What people do with sessions.
    pub sessions: Arc<Sessions>,
    /// How people change passwords.
    pub passwords: Arc<Passwords>,
    /// What people do with organisations and their members.
    pub memberships: Arc<Memberships>,
    /// How people invite and are invited.
    pub invitations: Arc<Invitations>,
    /// The waitlist.
    pub waitlist: Arc<Waitlist>,
    /// How often a client may try.
    pub throttle: Arc<Throttle>,
}

impl Parts {
    /// Hands every part to the handlers; `origin` is our own, the public URL without a path.
    pub(crate) fn provide(&self, config: &mut web::ServiceConfig, origin: &str) {
        config
            .app_data(Data::from(Arc::clone(&self.verifier)))
            .app_data(Data::from(Arc::clone(&self.accounts)))
            .app_data(Data::from(Arc::clone(&self.sessions)))
            .app_data(Data::from(Arc::clone(&self.passwords)))
            .app_data(Data::from(Arc::clone(&self.memberships)))
            .app_data(Data::from(Arc::clone(&self.invitations)))
            .app_data(Data::from(Arc::clone(&self.waitlist)))
            .app_data(Data::from(Arc::clone(&self.throttle)))
            .app_data(Data::new(OwnOrigin(origin.to_owned())))
            .app_data(Data::new(CookieSecurity {
                https: origin.starts_with("https:"),
            }));
    }
}

/// Serves the calls under `/identity`. What they answer is for the asker alone (OWASP ASVS 5.0, 14.3.2).
pub(crate) fn serve(config: &mut web::ServiceConfig) {
    config.service(
        web::scope("/identity")
            .configure(calls)
            .wrap(DefaultHeaders::new().add((header::CACHE_CONTROL, "no-store")))
            .wrap(from_fn(same_origin::check)),
    );
}

/// The calls under `/identity`.
pub(crate) fn calls(config: &mut impl Routes) {
    account::calls(config);
    confirmation::calls(config);
    session::calls(config);
    password::calls(config);
    organisation::calls(config);
    membership::calls(config);
    invitation::calls(config);
    waitlist::calls(config);
}
