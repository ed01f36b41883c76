//! The cookie that binds a sign-in to the browser in which it began.

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use allclear_application::secret::SecretToken;

/// Name and path without TLS.
const NAME: (&str, &str) = ("allclear_oidc", "/api/v1/identity/oidc");
/// Name and path with TLS (RFC 6265bis, section 4.1.3.2).
const HOST_NAME: (&str, &str) = ("__Host-allclear_oidc", "/");
/// As long as a sign-in may take.
const LIFETIME: Duration = Duration::minutes(10);

const fn name(https: bool) -> (&'static str, &'static str) {
    if https { HOST_NAME } else { NAME }
}

/// The cookie with the sealed state. It is sent with redirects from other sites, which come from the provider.
pub(super) fn sealed(state: &SecretToken, https: bool) -> Cookie<'static> {
    cookie(state.reveal().to_owned(), LIFETIME, https)
}

/// The cookie that removes it.
pub(super) fn cleared(https: bool) -> Cookie<'static> {
    cookie(String::new(), Duration::ZERO, https)
}

fn cookie(value: String, max_age: Duration, https: bool) -> Cookie<'static> {
    let (name, path) = name(https);
    Cookie::build(name, value)
        .path(path)
        .max_age(max_age)
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(https)
        .finish()
}

/// The sealed state of a request.
pub(super) fn presented(request: &HttpRequest, https: bool) -> Option<SecretToken> {
    let cookie = request.cookie(name(https).0)?;
    Some(SecretToken::presented(cookie.value().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_hidden_from_scripts_and_obeys_its_prefix() {
        for https in [true, false] {
            for cookie in [sealed(&SecretToken::generate(), https), cleared(https)] {
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
