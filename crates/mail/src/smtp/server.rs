//! Address and security of the mail server: `ALLCLEAR_SMTP_URL`.

use std::fmt;
use std::net::IpAddr;

use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// First line of a certificate in PEM (RFC 7468, section 5.1).
const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";

/// A mail server. Its `Display` and `Debug` output contain no password.
#[derive(Clone)]
pub struct Server {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) security: Security,
    pub(super) login: Option<Login>,
    /// Name in EHLO; the machine's without one.
    pub(super) name: Option<ClientId>,
}

/// Encryption of a connection.
#[derive(Clone)]
pub(super) enum Security {
    /// No encryption.
    None,
    /// STARTTLS if the server offers it (RFC 3207).
    Opportunistic(TlsParameters),
    /// STARTTLS, required (RFC 3207).
    Required(TlsParameters),
    /// TLS from the first byte (RFC 8314).
    Wrapper(TlsParameters),
}

/// Credentials of the sign-in.
#[derive(Clone)]
pub(super) struct Login {
    pub(super) user: String,
    pub(super) password: String,
}

impl Login {
    pub(super) fn credentials(&self) -> Credentials {
        Credentials::new(self.user.clone(), self.password.clone())
    }
}

impl Server {
    /// Parses `smtp://…` or `smtps://…` in lettre's format: `user:password@host:port`, the EHLO
    /// name as the path, and `?tls=required` or `?tls=opportunistic` for STARTTLS. `authorities`
    /// are certificates in PEM, trusted in addition to those that browsers trust.
    ///
    /// # Errors
    /// One line that says what is wrong. It does not repeat the text, which may contain a password.
    pub fn parse(text: &str, authorities: Option<&[u8]>) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| error.to_string())?;
        let host = url
            .host_str()
            .filter(|host| !host.is_empty())
            .ok_or("it has no host")?;
        let host = match Host::parse(host).map_err(|error| error.to_string())? {
            Host::Domain(name) => name,
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let (security, usual_port) = security(&url, &host, authorities)?;
        Ok(Self {
            host,
            port: url.port().unwrap_or(usual_port),
            security,
            login: login(&url)?,
            name: match url.path().trim_matches('/') {
                "" => None,
                name => Some(ClientId::Domain(name.to_owned())),
            },
        })
    }

    /// The same with a name in EHLO unless it has one. Servers refuse names without a dot, such as
    /// those of containers.
    pub(super) fn named(mut self, host: &str) -> Self {
        let is_full = host.contains('.') && host.parse::<IpAddr>().is_err();
        let name = is_full.then(|| ClientId::Domain(host.to_owned()));
        self.name = self.name.or(name);
        self
    }

    /// Checks the certificates of authorities, also for a server that is reached without TLS.
    ///
    /// # Errors
    /// One line that says what is wrong with them.
    pub fn check_authorities(pem: &[u8]) -> Result<(), String> {
        tls("localhost", Some(pem)).map(|_| ())
    }

    /// Whether a password may cross a network in clear text.
    #[must_use]
    pub fn exposes_password(&self) -> bool {
        let here = matches!(self.host.as_str(), "localhost" | "127.0.0.1" | "::1");
        self.login.is_some() && self.clear_text_host().is_some() && !here
    }

    /// The host that mail may be sent to without TLS; `None` if every connection is encrypted.
    #[must_use]
    pub fn clear_text_host(&self) -> Option<&str> {
        let is_encrypted = matches!(self.security, Security::Required(_) | Security::Wrapper(_));
        (!is_encrypted).then_some(&self.host)
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} port {}", self.host, self.port)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Server({self})")
    }
}

fn security(url: &Url, host: &str, authorities: Option<&[u8]>) -> Result<(Security, u16), String> {
    let mut wish = None;
    for (key, value) in url.query_pairs() {
        match key.as_ref() {
            "tls" if wish.is_none() => wish = Some(value.into_owned()),
            _ => {
                return Err(
                    "after the ? only tls=required or tls=opportunistic is allowed; nothing else"
                        .to_owned(),
                );
            }
        }
    }
    match (url.scheme(), wish.as_deref()) {
        ("smtp", None) => Ok((Security::None, SMTP_PORT)),
        ("smtp", Some("required")) => {
            Ok((Security::Required(tls(host, authorities)?), SUBMISSION_PORT))
        }
        ("smtp", Some("opportunistic")) => Ok((
            Security::Opportunistic(tls(host, authorities)?),
            SUBMISSION_PORT,
        )),
        ("smtp", Some(_)) => Err("tls must be required or opportunistic".to_owned()),
        ("smtps", None) => Ok((Security::Wrapper(tls(host, authorities)?), SUBMISSIONS_PORT)),
        ("smtps", Some(_)) => Err("smtps:// is always encrypted: leave out tls".to_owned()),
        _ => Err("it must begin with smtp:// or smtps://".to_owned()),
    }
}

fn tls(host: &str, authorities: Option<&[u8]>) -> Result<TlsParameters, String> {
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(pem) = authorities {
        if !pem.windows(BEGIN.len()).any(|part| part == BEGIN) {
            return Err("the file contains no certificate in PEM".to_owned());
        }
        let certificate = Certificate::from_pem(pem).map_err(|error| error.to_string())?;
        builder = builder.add_root_certificate(certificate);
    }
    builder.build().map_err(|error| error.to_string())
}

fn login(url: &Url) -> Result<Option<Login>, String> {
    let decoded = |text: &str| {
        let text = percent_decode_str(text)
            .decode_utf8()
            .map_err(|_| "user and password must be UTF-8")?;
        Ok::<_, String>(text.into_owned())
    };
    match (url.username(), url.password()) {
        ("", None) => Ok(None),
        ("", Some(_)) => Err("a password needs a user before it".to_owned()),
        (_, None) => Err("a user needs a password after it: user:password@".to_owned()),
        (user, Some(password)) => Ok(Some(Login {
            user: decoded(user)?,
            password: decoded(password)?,
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Server, String> {
        Server::parse(text, None)
    }

    #[test]
    fn the_scheme_and_its_tls_say_how_and_where() {
        for (text, place, encrypted) in [
            ("smtp://mail.example.com", "mail.example.com port 25", false),
            (
                "smtp://mail.example.com:2525",
                "mail.example.com port 2525",
                false,
            ),
            (
                "smtp://mail.example.com?tls=required",
                "mail.example.com port 587",
                true,
            ),
            (
                "smtp://mail.example.com/?tls=opportunistic",
                "mail.example.com port 587",
                true,
            ),
            (
                "smtps://mail.example.com",
                "mail.example.com port 465",
                true,
            ),
            (
                "smtps://m%C3%A4il.example.com",
                "xn--mil-qla.example.com port 465",
                true,
            ),
            ("smtp://[::1]:25", "::1 port 25", false),
        ] {
            let server = parse(text).unwrap();
            assert_eq!(server.to_string(), place);
            assert_eq!(
                !matches!(server.security, Security::None),
                encrypted,
                "{text}"
            );
        }
    }

    #[test]
    fn a_login_is_decoded_and_never_shown() {
        let server =
            parse("smtps://a%40example.com:p%3A%2F%40ss@mail.example.com/status.example.com")
                .unwrap();
        let login = server.login.as_ref().unwrap();
        assert_eq!(
            (login.user.as_str(), login.password.as_str()),
            ("a@example.com", "p:/@ss")
        );
        let name = Some(ClientId::Domain("status.example.com".into()));
        assert_eq!(server.name, name);
        assert_eq!(server.clone().named("other.example").name, name);
        assert!(!format!("{server:?}{server}").contains("ss@"));
    }

    #[test]
    fn a_server_is_greeted_with_the_full_name_of_the_installation() {
        for (host, name) in [
            ("status.example.com", Some("status.example.com")),
            ("localhost", None),
            ("127.0.0.1", None),
        ] {
            let server = parse("smtp://mail.example.com").unwrap().named(host);
            assert_eq!(server.name, name.map(|name| ClientId::Domain(name.into())));
        }
    }

    #[test]
    fn a_bad_address_is_refused_without_repeating_it() {
        for (text, complaint) in [
            ("http://mail.example.com", "smtp://"),
            ("mail.example.com", "relative URL"),
            ("smtp:mail.example.com", "no host"),
            ("smtp://", "host"),
            ("smtp://a:hunter2@mail.example.com:port", "port"),
            (
                "smtp://a:hunter2@mail.example.com?tls=maybe",
                "required or opportunistic",
            ),
            (
                "smtp://a:hunter2@mail.example.com?tsl=required",
                "nothing else",
            ),
            (
                "smtps://a:hunter2@mail.example.com?tls=required",
                "leave out",
            ),
            ("smtp://a@mail.example.com", "needs a password"),
            ("smtp://:hunter2@mail.example.com", "needs a user"),
        ] {
            let refused = parse(text).unwrap_err();
            assert!(
                refused.contains(complaint) && !refused.contains("hunter2"),
                "{text}: {refused}"
            );
            assert_eq!(refused.lines().count(), 1);
        }
        assert!(Server::parse("smtps://mail.example.com", Some(b"no certificate")).is_err());
    }

    #[test]
    fn a_password_over_an_open_network_is_noticed() {
        assert!(
            parse("smtp://a:b@mail.example.com")
                .unwrap()
                .exposes_password()
        );
        assert!(
            parse("smtp://a:b@mail.example.com?tls=opportunistic")
                .unwrap()
                .exposes_password()
        );
        for fine in [
            "smtps://a:b@x.example",
            "smtp://a:b@x.example?tls=required",
            "smtp://a:b@localhost",
            "smtp://x.example",
        ] {
            assert!(!parse(fine).unwrap().exposes_password(), "{fine}");
        }
        let clear_text = |url| parse(url).unwrap().clear_text_host().is_some();
        assert!(clear_text("smtp://x.example") && !clear_text("smtp://x.example?tls=required"));
    }
}
