//! The cookie that binds a sign-in to the browser in which it began.

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use allclear_application::secret::SecretToken;

use crate::built_in::cookie::Cookies;

/// Names of the cookie, without and with TLS.
const NAMES: [&str; 2] = ["allclear_oidc", "__Host-allclear_oidc"];
/// Path without TLS.
const PATH: &str = "/api/v1/identity/oidc";
/// As long as a sign-in may take.
const LIFETIME: Duration = Duration::minutes(10);

/// The cookie with the sealed state. It is sent with redirects from other sites, which come from
/// the provider.
pub(super) fn sealed(state: &SecretToken, cookies: Cookies) -> Cookie<'static> {
    cookie(state.reveal().to_owned(), LIFETIME, cookies)
}

/// The cookie that removes it.
pub(super) fn cleared(cookies: Cookies) -> Cookie<'static> {
    cookie(String::new(), Duration::ZERO, cookies)
}

fn cookie(value: String, max_age: Duration, cookies: Cookies) -> Cookie<'static> {
    let mut cookie = cookies.cookie(NAMES, PATH, value, max_age);
    cookie.set_same_site(SameSite::Lax);
    cookie
}

/// The sealed state of a request.
pub(super) fn presented(request: &HttpRequest, cookies: Cookies) -> Option<SecretToken> {
    let cookie = request.cookie(cookies.name_of(NAMES))?;
    Some(SecretToken::presented(cookie.value().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_hidden_from_scripts_and_obeys_its_prefix() {
        for https in [true, false] {
            let cookies = Cookies { https };
            for cookie in [sealed(&SecretToken::generate(), cookies), cleared(cookies)] {
                assert_eq!(cookie.http_only(), Some(true));
                assert_eq!(cookie.same_site(), Some(SameSite::Lax));
                assert_eq!(cookie.secure(), Some(https));
                assert_eq!(cookie.domain(), None);
                assert_eq!(cookie.name().starts_with("__Host-"), https);
                assert!(!https || cookie.path() == Some("/"));
            }
        }
    }
}
