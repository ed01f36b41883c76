//! A response that is made once and sent to any number of requests.

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap, HeaderValue};
use allclear_application::error::Error;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::byte_bounded_cache::{SLOT_BYTES, Weigh};
use crate::server::headers::{PICTURE_CACHE, PUBLIC_CACHE};
use crate::status_page::encoded::Encoded;

/// A body with its headers, ready to send.
#[derive(Debug)]
pub(crate) struct ReadyResponse {
    pub(super) body: Encoded,
    pub(super) content_type: HeaderValue,
    /// The entity tag (RFC 9110, section 8.8.3), quoted.
    pub(super) tag: HeaderValue,
    /// `Cache-Control`.
    pub(super) caching: HeaderValue,
}

impl Weigh for ReadyResponse {
    fn weight(&self) -> u64 {
        SLOT_BYTES + self.body.size()
    }
}

impl ReadyResponse {
    pub(super) fn new(text: String, content_type: &'static str, tag: &str) -> Result<Self, Error> {
        Self::of(Encoded::new(text.into_bytes()), content_type, tag)
    }

    fn of(body: Encoded, content_type: &'static str, tag: &str) -> Result<Self, Error> {
        let tag = HeaderValue::from_str(&format!("\"{tag}\"")).map_err(Error::internal)?;
        Ok(Self {
            body,
            content_type: HeaderValue::from_static(content_type),
            tag,
            caching: HeaderValue::from_static(PUBLIC_CACHE),
        })
    }

    /// A response whose tag is a hash of its body. Takes milliseconds, so it must not run in a
    /// worker thread.
    pub(crate) fn hashed(text: String, content_type: &'static str) -> Result<Self, Error> {
        let hash = URL_SAFE_NO_PAD.encode(&Sha256::digest(&text)[..12]);
        Self::new(text, content_type, &hash)
    }

    /// The script of the embedded banner, which the build has compressed.
    pub(crate) fn script(body: Encoded, hash: &[u8]) -> Self {
        let tag = format!("\"{}\"", URL_SAFE_NO_PAD.encode(hash));
        Self {
            body,
            content_type: HeaderValue::from_static("text/javascript; charset=utf-8"),
            tag: HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\"")),
            caching: HeaderValue::from_static(PUBLIC_CACHE),
        }
    }

    /// A small picture that is not cached here.
    pub(super) fn picture(svg: String) -> Result<Self, Error> {
        let hash = URL_SAFE_NO_PAD.encode(&Sha256::digest(&svg)[..12]);
        let body = Encoded::gzipped(svg.into_bytes());
        let picture = Self::of(body, "image/svg+xml", &hash)?;
        Ok(picture.with_caching(HeaderValue::from_static(PICTURE_CACHE)))
    }

    /// This response with another `Cache-Control`.
    pub(crate) fn with_caching(self, caching: HeaderValue) -> Self {
        Self { caching, ..self }
    }

    /// A copy that shares no memory.
    pub(super) fn deep_copy(&self) -> Self {
        let tag = HeaderValue::from_bytes(self.tag.as_bytes()).unwrap_or_else(|_| self.tag.clone());
        Self {
            body: self.body.deep_copy(),
            content_type: self.content_type.clone(),
            tag,
            caching: self.caching.clone(),
        }
    }

    /// The body in the smallest form that the client accepts, or 304. Nearly every request takes
    /// this path, so it formats, looks up and copies nothing.
    pub(super) fn respond(&self, request_headers: &HeaderMap) -> HttpResponse<Option<Bytes>> {
        let mut response = if self.is_known(request_headers) {
            HttpResponse::with_body(StatusCode::NOT_MODIFIED, None)
        } else {
            let (coding, bytes) = self.body.pick(request_headers);
            let mut response = HttpResponse::with_body(StatusCode::OK, Some(bytes));
            response
                .headers_mut()
                .insert(header::CONTENT_TYPE, self.content_type.clone());
            if let Some(coding) = coding.header() {
                response
                    .headers_mut()
                    .insert(header::CONTENT_ENCODING, coding);
            }
            response
        };
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.tag.clone());
        headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        headers.insert(header::CACHE_CONTROL, self.caching.clone());
        response
    }

    /// Whether `If-None-Match` (RFC 9110, section 13.1.2, weak comparison) contains the tag.
    /// Compares bytes, because actix's header type allocates for every tag.
    fn is_known(&self, request_headers: &HeaderMap) -> bool {
        let tag = self.tag.as_bytes();
        request_headers.get_all(header::IF_NONE_MATCH).any(|value| {
            value.as_bytes().split(|byte| *byte == b',').any(|known| {
                let known = known.trim_ascii();
                known == tag || known == b"*" || known.strip_prefix(b"W/") == Some(tag)
            })
        })
    }
}

/// The response with the body type of handlers.
pub(crate) fn boxed(response: HttpResponse<Option<Bytes>>) -> HttpResponse {
    response.map_body(|_, bytes| bytes.map_or_else(|| BoxBody::new(()), BoxBody::new))
}
