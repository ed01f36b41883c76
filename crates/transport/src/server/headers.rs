//! Security headers of every response (OWASP Secure Headers Project).

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::{DefaultHeaders, Next};

/// Allows only scripts, styles, connections and frames of the same origin, and nothing inline. The
/// public page has its own policy with hashes of its inline styles.
pub(crate) const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; \
    form-action 'self'; frame-ancestors 'none'";

/// `Cache-Control` of the public pages and the snapshot (RFC 9111, RFC 5861). A browser
/// revalidates; a shared cache may send a copy that is some seconds old, or a day old while the
/// server is unavailable. Each page follows the event stream from the revision of its copy.
pub(crate) const PUBLIC_CACHE: &str =
    "public, max-age=0, s-maxage=2, stale-while-revalidate=30, stale-if-error=86400";

/// `Cache-Control` of badges, which other sites show as pictures. Proxies of pictures keep those
/// without it for long.
pub(crate) const PICTURE_CACHE: &str = "max-age=60";

/// Policy of the page in the frame of the embedded banner, the only page that other sites
/// may frame.
pub(crate) const FRAME_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors *";

/// Scope of Strict-Transport-Security (RFC 6797), which is valid for a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hsts {
    /// The header is not sent.
    Off,
    /// The host.
    Host,
    /// The host and its subdomains.
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

/// Default headers of responses.
#[derive(Debug, Clone)]
pub(crate) struct Headers(Vec<(HeaderName, HeaderValue)>);

impl Headers {
    /// The headers of every response.
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
            // Links in mails carry tokens, so no other site may learn the address of a page.
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

    /// Lets pages of every origin read the response (Fetch Standard, section 3.3). These responses
    /// are public and do not depend on the caller, so shared caches may store them.
    pub(crate) fn open_to_every_origin() -> Self {
        Self(vec![
            (
                header::ACCESS_CONTROL_ALLOW_ORIGIN,
                HeaderValue::from_static("*"),
            ),
            (
                header::ACCESS_CONTROL_EXPOSE_HEADERS,
                HeaderValue::from_static("etag, retry-after, x-request-id"),
            ),
        ])
    }

    /// Inserts the headers, replacing existing ones.
    pub(crate) fn put_on(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.0 {
            headers.insert(name.clone(), value.clone());
        }
    }

    /// A middleware that adds the headers to every response that does not have them.
    pub(crate) fn middleware(self) -> DefaultHeaders {
        self.0
            .into_iter()
            .fold(DefaultHeaders::new(), DefaultHeaders::add)
    }
}

/// Marks a response that pages of other sites may frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Framed;

/// Middleware: removes `X-Frame-Options`, which has no value for every site, from responses marked
/// as [`Framed`].
pub(crate) async fn allow_framing(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let mut response = next.call(request).await?;
    let is_framed = response.response().extensions().contains::<Framed>();
    if is_framed {
        response.headers_mut().remove(header::X_FRAME_OPTIONS);
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hsts_has_the_configured_scope() {
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
