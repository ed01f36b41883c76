//! Cookies of sessions and devices (RFC 6265bis; OWASP ASVS 5.0, 3.3).

use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::{HttpRequest, HttpResponse, web};
use allclear_application::error::Error;
use allclear_application::passkey::Passkeys;
use allclear_application::second_factor::PendingSignIns;
use allclear_application::secret::SecretToken;
use allclear_application::session::Sessions;

use crate::response::problem::Problem;

/// Name of the cookie without TLS.
pub(crate) const NAME: &str = "allclear_session";
/// Name of the cookie with TLS. Browsers accept a cookie with this prefix only from this host and
/// over TLS, so no other host of the domain and no attacker on the network can set one (RFC
/// 6265bis, section 4.1.3.2).
pub(crate) const HOST_NAME: &str = "__Host-allclear_session";
/// Names of the session cookie, without and with TLS.
const SESSION: [&str; 2] = [NAME, HOST_NAME];
/// Names of the cookie of a sign-in that awaits a code, likewise.
const PENDING: [&str; 2] = ["allclear_sign_in", "__Host-allclear_sign_in"];
/// Names of the cookie of a challenge for a passkey, likewise.
const CEREMONY: [&str; 2] = ["allclear_passkey", "__Host-allclear_passkey"];
/// Names of the cookie with the device marks, likewise.
const DEVICE: [&str; 2] = ["allclear_device", "__Host-allclear_device"];
/// Maximum number of device marks of a browser. Marks of former passwords stay until newer ones
/// replace them.
const MAX_MARKS: usize = 20;
/// Maximum length of a device mark.
const MAX_MARK_LENGTH: usize = 64;
/// How long a browser stays a known device.
const DEVICE_LIFETIME: Duration = Duration::days(365);
/// Path without TLS: browsers send the cookie to the identity routes only.
const PATH: &str = "/api/v1/identity";
/// Path that the `__Host-` prefix requires.
const HOST_PATH: &str = "/";

/// Makes and reads the cookies of the installation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cookies {
    /// Whether browsers may send them over TLS only.
    pub(crate) https: bool,
}

impl Cookies {
    /// The cookie with a session's token. It lives as long as the session may.
    pub(crate) fn session(self, token: &SecretToken) -> Cookie<'static> {
        let life = Duration::seconds(Sessions::LIFETIME.num_seconds());
        self.cookie(SESSION, PATH, token.reveal().to_owned(), life)
    }

    /// The cookie that removes the session cookie.
    pub(crate) fn ended_session(self) -> Cookie<'static> {
        self.cookie(SESSION, PATH, String::new(), Duration::ZERO)
    }

    /// The cookie of a sign-in that awaits a code.
    pub(crate) fn sign_in(self, token: &SecretToken) -> Cookie<'static> {
        let life = Duration::seconds(PendingSignIns::LIFETIME.num_seconds());
        self.cookie(PENDING, PATH, token.reveal().to_owned(), life)
    }

    /// The sign-in that awaits a code.
    pub(crate) fn pending_sign_in(self, request: &HttpRequest) -> Option<SecretToken> {
        let value = request.cookie(self.name_of(PENDING))?.value().to_owned();
        Some(SecretToken::presented(value))
    }

    /// Removes the cookie of a sign-in that awaited a code.
    pub(crate) fn remove_sign_in(self, response: &mut HttpResponse) -> Result<(), Problem> {
        let ended = self.cookie(PENDING, PATH, String::new(), Duration::ZERO);
        add(response, &ended)
    }

    /// The cookie of a challenge for a passkey.
    pub(crate) fn ceremony(self, token: &SecretToken) -> Cookie<'static> {
        let life = Duration::seconds(Passkeys::CEREMONY_LIFETIME.num_seconds());
        self.cookie(CEREMONY, PATH, token.reveal().to_owned(), life)
    }

    /// The challenge to which a request responds. [`Error::Unauthenticated`] without one.
    pub(crate) fn begun_ceremony(self, request: &HttpRequest) -> Result<SecretToken, Error> {
        let ended = Error::Unauthenticated("This has taken too long. Please try again");
        let cookie = request.cookie(self.name_of(CEREMONY)).ok_or(ended)?;
        Ok(SecretToken::presented(cookie.value().to_owned()))
    }

    /// Removes the cookie of a challenge that was used.
    pub(crate) fn remove_ceremony(self, response: &mut HttpResponse) -> Result<(), Problem> {
        let ended = self.cookie(CEREMONY, PATH, String::new(), Duration::ZERO);
        add(response, &ended)
    }

    /// The cookie with the device marks, the newest first.
    pub(crate) fn device(self, mut marks: Vec<String>, newest: &str) -> Cookie<'static> {
        marks.retain(|mark| mark != newest);
        marks.insert(0, newest.to_owned());
        marks.truncate(MAX_MARKS);
        self.cookie(DEVICE, PATH, marks.join("."), DEVICE_LIFETIME)
    }

    /// Removes the session cookie with a response.
    pub(crate) fn remove_session(self, response: &mut HttpResponse) -> Result<(), Problem> {
        add(response, &self.ended_session())
    }

    /// The name without or with TLS.
    pub(super) const fn name_of(self, [plain, host]: [&'static str; 2]) -> &'static str {
        if self.https { host } else { plain }
    }

    /// A cookie with a name and a path that both depend on TLS. `path` is the one without it.
    pub(super) fn cookie(
        self,
        names: [&'static str; 2],
        path: &'static str,
        value: String,
        max_age: Duration,
    ) -> Cookie<'static> {
        Cookie::build(self.name_of(names), value)
            .path(if self.https { HOST_PATH } else { path })
            .max_age(max_age)
            .http_only(true)
            .same_site(SameSite::Strict)
            .secure(self.https)
            .finish()
    }
}

fn add(response: &mut HttpResponse, cookie: &Cookie<'_>) -> Result<(), Problem> {
    response
        .add_cookie(cookie)
        .map_err(|error| Error::internal(error.to_string()).into())
}

/// The device marks of a request.
pub(crate) fn marks(request: &HttpRequest) -> Vec<String> {
    let cookies = request.app_data::<web::Data<Cookies>>();
    let cookie = cookies.and_then(|cookies| request.cookie(cookies.name_of(DEVICE)));
    let value = cookie.map(|cookie| cookie.value().to_owned());
    let value = value.unwrap_or_default();
    let marks = value.split('.').take(MAX_MARKS);
    let marks = marks.filter(|mark| (1..=MAX_MARK_LENGTH).contains(&mark.len()));
    marks.map(str::to_owned).collect()
}

/// The session token of a request. With TLS, a cookie with the plain name is ignored, because
/// anybody may have set it.
pub(crate) fn presented(request: &HttpRequest) -> Option<SecretToken> {
    let cookies = request.app_data::<web::Data<Cookies>>()?;
    let value = request.cookie(cookies.name_of(SESSION))?.value().to_owned();
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
        let cookies = web::Data::new(Cookies { https });
        let cookie = Cookie::new(name, "secret");
        presented(
            &TestRequest::default()
                .app_data(cookies)
                .cookie(cookie)
                .to_http_request(),
        )
    }

    #[test]
    fn browser_is_a_known_device_of_ten_accounts_whose_passwords_were_changed() {
        let cookies = Cookies { https: true };
        let mut kept = Vec::new();
        for password in ["former", "present"] {
            for account in 0..10 {
                let cookie = cookies.device(kept, &format!("{account}-{password}"));
                let request = TestRequest::default()
                    .app_data(web::Data::new(cookies))
                    .cookie(cookie);
                kept = marks(&request.to_http_request());
            }
        }
        for account in 0..10 {
            assert!(kept.contains(&format!("{account}-present")), "{kept:?}");
            assert!(kept.contains(&format!("{account}-former")), "{kept:?}");
        }
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
            let cookies = Cookies { https };
            for cookie in [
                cookies.session(&SecretToken::generate()),
                cookies.ended_session(),
                cookies.sign_in(&SecretToken::generate()),
                cookies.ceremony(&SecretToken::generate()),
                cookies.device(Vec::new(), "mark"),
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
