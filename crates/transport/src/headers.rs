//! The security headers that every answer carries (OWASP Secure Headers Project).

use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::DefaultHeaders;

/// Only our own scripts, styles and connections; nothing inline, nothing framed. The public page's own allows the style in it.
pub(crate) const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

/// What Strict-Transport-Security covers (RFC 6797): for a year browsers come by TLS alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hsts {
    /// Nothing: the header is not sent.
    Off,
    /// The host.
    Host,
    /// The host and every subdomain of it.
    Subdomains,
}

impl Hsts {
    const fn value(self) -> Option<&'static str> {
        match self {
            Self::Off => None,
            Self::Host => Some("max-age=31536000"),
            Self::Subdomains => Some("max-age=31536000; includeSubDomains"),
        }
    }
}

/// Headers that answers carry unless they have their own.
#[derive(Debug, Clone)]
pub(crate) struct Headers(Vec<(HeaderName, HeaderValue)>);

impl Headers {
    /// For every answer.
    pub(crate) fn security(hsts: Hsts) -> Self {
        let mut headers = vec![
            (
                header::CONTENT_SECURITY_POLICY,
                HeaderValue::from_static(CONTENT_SECURITY_POLICY),
            ),
            (
                header::X_CONTENT_TYPE_OPTIONS,
                HeaderValue::from_static("nosniff"),
            ),
            (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
            // Links in mail carry tokens: no other site may learn the address of a page.
            (
                header::REFERRER_POLICY,
                HeaderValue::from_static("no-referrer"),
            ),
            (
                header::CROSS_ORIGIN_OPENER_POLICY,
                HeaderValue::from_static("same-origin"),
            ),
            (
                header::PERMISSIONS_POLICY,
                HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=()"),
            ),
        ];
        if let Some(value) = hsts.value() {
            headers.push((
                header::STRICT_TRANSPORT_SECURITY,
                HeaderValue::from_static(value),
            ));
        }
        Self(headers)
    }

    /// Lets pages of every origin read the answers (Fetch Standard, section 3.3). They hold nothing that is not public, and
    /// no answer depends on who asks, so caches keep one for all.
    pub(crate) fn open_to_every_origin() -> Self {
        Self(vec![
            (
                header::ACCESS_CONTROL_ALLOW_ORIGIN,
                HeaderValue::from_static("*"),
            ),
            (
                header::ACCESS_CONTROL_EXPOSE_HEADERS,
                HeaderValue::from_static("etag, x-request-id"),
            ),
        ])
    }

    /// Puts them on an answer that has none of them.
    pub(crate) fn put_on(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.0 {
            headers.insert(name.clone(), value.clone());
        }
    }

    /// Puts them on every answer.
    pub(crate) fn middleware(self) -> DefaultHeaders {
        self.0
            .into_iter()
            .fold(DefaultHeaders::new(), DefaultHeaders::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hsts_covers_what_is_configured() {
        let sent = |hsts| {
            let mut headers = HeaderMap::new();
            Headers::security(hsts).put_on(&mut headers);
            let value = headers.get(header::STRICT_TRANSPORT_SECURITY)?;
            Some(value.to_str().unwrap().to_owned())
        };
        assert_eq!(sent(Hsts::Off), None);
        assert_eq!(sent(Hsts::Host).as_deref(), Some("max-age=31536000"));
        assert_eq!(
            sent(Hsts::Subdomains).as_deref(),
            Some("max-age=31536000; includeSubDomains")
        );
    }
}
