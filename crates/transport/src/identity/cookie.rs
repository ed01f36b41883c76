//! The session cookie (RFC 6265bis; OWASP ASVS 5.0, 3.3).

use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::{HttpRequest, web};
use allclear_application::secret::SecretToken;
use allclear_application::session::Sessions;

/// Name of the cookie without TLS.
pub(crate) const NAME: &str = "allclear_session";
/// Name of the cookie with TLS. Browsers accept a cookie with this prefix only from this host and over TLS, so no other
/// host of the domain and no attacker on the network can set one (RFC 6265bis, section 4.1.3.2).
pub(crate) const HOST_NAME: &str = "__Host-allclear_session";
/// Path without TLS: browsers send the cookie to the identity routes only.
const PATH: &str = "/api/v1/identity";
/// Path that the `__Host-` prefix requires.
const HOST_PATH: &str = "/";

/// Whether browsers may send the cookie over TLS only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CookieSecurity {
    pub(crate) https: bool,
}

impl CookieSecurity {
    /// The cookie with a session's token.
    pub(crate) fn carrying(self, token: &SecretToken) -> Cookie<'static> {
        self.cookie(
            token.reveal().to_owned(),
            Duration::seconds(Sessions::LIFE.num_seconds()),
        )
    }

    /// The cookie that removes the session cookie.
    pub(crate) fn cleared(self) -> Cookie<'static> {
        self.cookie(String::new(), Duration::ZERO)
    }

    const fn name(self) -> &'static str {
        if self.https { HOST_NAME } else { NAME }
    }

    fn cookie(self, value: String, max_age: Duration) -> Cookie<'static> {
        Cookie::build(self.name(), value)
            .path(if self.https { HOST_PATH } else { PATH })
            .max_age(max_age)
            .http_only(true)
            .same_site(SameSite::Strict)
            .secure(self.https)
            .finish()
    }
}

/// The session token of a request. With TLS, a cookie with the plain name is ignored, because anybody may have set it.
pub(crate) fn presented(request: &HttpRequest) -> Option<SecretToken> {
    let security = request.app_data::<web::Data<CookieSecurity>>()?;
    let value = request.cookie(security.name())?.value().to_owned();
    if value.is_empty() {
        None
    } else {
        Some(SecretToken::presented(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn presented_with(https: bool, name: &'static str) -> Option<SecretToken> {
        let security = web::Data::new(CookieSecurity { https });
        let cookie = Cookie::new(name, "secret");
        presented(
            &TestRequest::default()
                .app_data(security)
                .cookie(cookie)
                .to_http_request(),
        )
    }

    #[test]
    fn cookie_with_the_other_name_is_ignored() {
        assert!(presented_with(true, HOST_NAME).is_some());
        assert!(presented_with(true, NAME).is_none());
        assert!(presented_with(false, NAME).is_some());
        assert!(presented_with(false, HOST_NAME).is_none());
    }

    #[test]
    fn cookie_with_tls_obeys_the_rules_of_its_prefix() {
        for https in [true, false] {
            let security = CookieSecurity { https };
            for cookie in [
                security.carrying(&SecretToken::generate()),
                security.cleared(),
            ] {
                let is_host = cookie.name().starts_with("__Host-");
                assert_eq!(is_host, https);
                assert_eq!(cookie.secure(), Some(https));
                assert_eq!(cookie.domain(), None);
                assert!(!is_host || cookie.path() == Some("/"));
            }
        }
    }
}
