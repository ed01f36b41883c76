//! The session cookie (RFC 6265bis; OWASP ASVS 5.0, 3.3).

use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::{HttpRequest, web};
use allclear_application::secret::SecretToken;
use allclear_application::session::Sessions;

/// Its name without TLS.
pub(crate) const NAME: &str = "allclear_session";
/// Its name with TLS. Browsers take a cookie of this name only from this very host by TLS, so that no other host of the
/// domain and nobody on the network can plant one (RFC 6265bis, section 4.1.3.2).
pub(crate) const HOST_NAME: &str = "__Host-allclear_session";
/// Without TLS it goes to the provider's calls and nowhere else.
const PATH: &str = "/api/v1/identity";
/// The prefix of the name demands this path.
const HOST_PATH: &str = "/";

/// Whether browsers may send the cookie by TLS only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CookieSecurity {
    pub(crate) https: bool,
}

impl CookieSecurity {
    /// The cookie that carries a session.
    pub(crate) fn carrying(self, token: &SecretToken) -> Cookie<'static> {
        self.cookie(
            token.reveal().to_owned(),
            Duration::seconds(Sessions::LIFE.num_seconds()),
        )
    }

    /// The cookie that takes it away.
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

/// The session's token that a request carries. With TLS a cookie of the other name does not count: anybody may have set it.
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
    fn only_the_cookie_of_the_own_name_counts() {
        assert!(presented_with(true, HOST_NAME).is_some());
        assert!(presented_with(true, NAME).is_none());
        assert!(presented_with(false, NAME).is_some());
        assert!(presented_with(false, HOST_NAME).is_none());
    }

    #[test]
    fn with_tls_the_cookie_keeps_the_rules_of_its_prefix() {
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
