//! The session cookie (RFC 6265bis; OWASP ASVS 5.0, 3.3).

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use allclear_application::secret::SecretToken;
use allclear_application::session::Sessions;

/// Its name.
pub(crate) const NAME: &str = "allclear_session";
/// It goes to the provider's calls and nowhere else.
const PATH: &str = "/api/v1/identity";

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

    fn cookie(self, value: String, max_age: Duration) -> Cookie<'static> {
        Cookie::build(NAME, value)
            .path(PATH)
            .max_age(max_age)
            .http_only(true)
            .same_site(SameSite::Strict)
            .secure(self.https)
            .finish()
    }
}

/// The session's token that a request carries.
pub(crate) fn presented(request: &HttpRequest) -> Option<SecretToken> {
    let value = request.cookie(NAME)?.value().to_owned();
    if value.is_empty() {
        None
    } else {
        Some(SecretToken::presented(value))
    }
}
