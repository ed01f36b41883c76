//! What everybody may see of one organisation at one revision, ready to send: the snapshot, and the page around it.

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap, HeaderValue};
use allclear_application::error::Error;
use allclear_application::public::Snapshot;
use allclear_application::relay::StreamPosition;
use allclear_domain::organisation::Revision;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::page_template::PageTemplate;
use crate::status::encoded::Encoded;

/// What any page counts for beside its bytes: its place among the others.
pub(super) const ENTRY: u64 = 512;

/// One organisation's page at one revision.
#[derive(Debug)]
pub struct Page {
    pub(super) revision: Revision,
    pub(super) read_at: DateTime<Utc>,
    pub(super) followed: StreamPosition,
    /// When the clock alone changes what it shows.
    pub(super) valid_until: Option<DateTime<Utc>>,
    pub(super) json: Document,
    pub(super) html: Document,
}

/// A body with the headers that are its own, ready to send.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) body: Encoded,
    pub(super) content_type: HeaderValue,
    /// The entity tag (RFC 9110, section 8.8.3), quoted.
    pub(super) tag: HeaderValue,
}

/// One of the page's lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// The components.
    Components,
    /// The incidents.
    Incidents,
    /// The maintenances.
    Maintenances,
}

/// The snapshot's JSON with its lists left as they are.
#[derive(Deserialize)]
struct Lists<'a> {
    #[serde(borrow)]
    components: &'a RawValue,
    #[serde(borrow)]
    incidents: &'a RawValue,
    #[serde(borrow)]
    maintenances: &'a RawValue,
}

/// The JSON a page is answered with.
#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    data: Lists<'a>,
}

impl Page {
    /// Draws it. Takes milliseconds: call it where nobody waits behind.
    ///
    /// # Errors
    /// [`Error::Internal`], when the snapshot cannot be written as JSON.
    pub(super) fn render(
        snapshot: &Snapshot,
        now: DateTime<Utc>,
        followed: StreamPosition,
        template: &PageTemplate,
    ) -> Result<Self, Error> {
        let data = serde_json::to_string(snapshot).map_err(Error::internal)?;
        let html = template.page(snapshot, &data);
        Ok(Self {
            revision: Revision(snapshot.revision),
            read_at: now,
            followed,
            valid_until: snapshot.changes_at(now),
            json: Document::new(
                format!("{{\"data\":{data}}}"),
                "application/json",
                &snapshot.revision.to_string(),
            )?,
            html: Document::new(
                html,
                "text/html; charset=utf-8",
                &format!("{}-{}", snapshot.revision, template.fingerprint()),
            )?,
        })
    }

    /// Whether it shows everything that was heard of up to this time.
    pub(super) fn is_of(&self, now: DateTime<Utc>) -> bool {
        // A page of a later time than this was read before the clock was set back.
        let of_now =
            self.age(now) >= TimeDelta::zero() && self.valid_until.is_none_or(|end| now < end);
        of_now
            && self
                .followed
                .heard()
                .is_some_and(|heard| self.revision >= heard)
    }

    /// The same in bytes of its own.
    pub(crate) fn copied(&self) -> Self {
        Self {
            json: self.json.copied(),
            html: self.html.copied(),
            followed: self.followed.clone(),
            ..*self
        }
    }

    /// How long ago it was read, by a clock that may have been set since.
    pub(super) fn age(&self, now: DateTime<Utc>) -> TimeDelta {
        now - self.read_at
    }

    /// The organisation's revision it is the state of.
    pub(crate) const fn revision(&self) -> Revision {
        self.revision
    }

    /// Its size as JSON, in bytes.
    pub(crate) const fn size(&self) -> usize {
        self.json.body.plain().len()
    }

    /// What it counts for in the cache: the bytes of both documents in every coding.
    pub(crate) fn weight(&self) -> u64 {
        ENTRY + self.json.body.size() + self.html.body.size()
    }

    /// One of its lists, as JSON. It is found in the page's bytes: most pages are never asked for it, so none keeps it twice.
    pub(crate) fn list(&self, list: List) -> Result<&RawValue, Error> {
        let Body { data } =
            serde_json::from_slice(self.json.body.plain()).map_err(Error::internal)?;
        Ok(match list {
            List::Components => data.components,
            List::Incidents => data.incidents,
            List::Maintenances => data.maintenances,
        })
    }

    /// The snapshot as JSON, or 304.
    pub fn json(&self, asked: &HeaderMap) -> HttpResponse<Option<Bytes>> {
        self.json.answer(asked)
    }

    /// The page around the snapshot, or 304.
    pub fn html(&self, asked: &HeaderMap) -> HttpResponse<Option<Bytes>> {
        self.html.answer(asked)
    }
}

/// An answer as handlers give it.
pub(crate) fn whole(answer: HttpResponse<Option<Bytes>>) -> HttpResponse {
    answer.map_body(|_, bytes| bytes.map_or_else(|| BoxBody::new(()), BoxBody::new))
}

impl Document {
    fn new(text: String, content_type: &'static str, tag: &str) -> Result<Self, Error> {
        let tag = HeaderValue::from_str(&format!("\"{tag}\"")).map_err(Error::internal)?;
        let content_type = HeaderValue::from_static(content_type);
        Ok(Self {
            body: Encoded::new(text.into_bytes()),
            content_type,
            tag,
        })
    }

    fn copied(&self) -> Self {
        let tag = HeaderValue::from_bytes(self.tag.as_bytes()).unwrap_or_else(|_| self.tag.clone());
        Self {
            body: self.body.copied(),
            content_type: self.content_type.clone(),
            tag,
        }
    }

    /// The body in the smallest form the client takes, or 304. It is the way of nearly every request there is: nothing
    /// is formatted, looked up or copied on it.
    fn answer(&self, asked: &HeaderMap) -> HttpResponse<Option<Bytes>> {
        let mut response = if self.is_known(asked) {
            HttpResponse::with_body(StatusCode::NOT_MODIFIED, None)
        } else {
            let (coding, bytes) = self.body.pick(asked);
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
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        // Kept by whoever likes, shown only after asking: a status page must not be a minute old.
        headers.insert(
            header::CACHE_CONTROL,
            HeaderValue::from_static("public, no-cache"),
        );
        response
    }

    /// Whether `If-None-Match` (RFC 9110, section 13.1.2, compared weakly) holds the tag.
    fn is_known(&self, asked: &HeaderMap) -> bool {
        let tag = self.tag.as_bytes();
        asked.get_all(header::IF_NONE_MATCH).any(|value| {
            value.as_bytes().split(|byte| *byte == b',').any(|known| {
                let known = known.trim_ascii();
                known == tag || known == b"*" || known.strip_prefix(b"W/") == Some(tag)
            })
        })
    }
}
