//! The security headers that every answer carries (OWASP Secure Headers Project).

use actix_web::http::header;
use actix_web::middleware::DefaultHeaders;

/// Only our own scripts, styles and connections; nothing inline, nothing framed. The public page's own allows the style in it.
pub(crate) const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

/// The headers; `https` says whether the product is reached by TLS.
pub(crate) fn security(https: bool) -> DefaultHeaders {
    let headers = DefaultHeaders::new()
        .add((header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY))
        .add((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .add((header::X_FRAME_OPTIONS, "DENY"))
        // Links in mail carry tokens: no other site may learn the address of a page.
        .add((header::REFERRER_POLICY, "no-referrer"))
        .add(("cross-origin-opener-policy", "same-origin"))
        .add(("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=()"));
    if https { headers.add((header::STRICT_TRANSPORT_SECURITY, "max-age=31536000")) } else { headers }
}

/// Lets pages of every origin read the answers (Fetch Standard, section 3.3). They hold nothing that is not public, and no
/// answer depends on who asks, so caches keep one for all.
pub(crate) fn open_to_every_origin() -> DefaultHeaders {
    DefaultHeaders::new()
        .add((header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
        .add((header::ACCESS_CONTROL_EXPOSE_HEADERS, "etag, x-request-id"))
}
