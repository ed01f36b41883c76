//! The switch that turns passwords off.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest};

use crate::request::service::service;
use crate::response::problem::Problem;

/// Whether people may sign in with a password.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PasswordSwitch(pub(crate) bool);

impl PasswordSwitch {
    /// Fails if passwords are switched off.
    pub(crate) fn check(self) -> Result<(), Problem> {
        if self.0 {
            return Ok(());
        }
        let text = "Passwords are switched off here. Please sign in with your identity provider";
        Err(Problem::new(StatusCode::FORBIDDEN, text))
    }
}

/// Extractor: 403 if passwords are switched off. For calls that make, use or change a password. It
/// is their first one, so that nothing else is refused before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PasswordsAllowed;

impl FromRequest for PasswordsAllowed {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let switch = service::<PasswordSwitch>(request);
        ready(switch.and_then(|switch| switch.check()).map(|()| Self))
    }
}
