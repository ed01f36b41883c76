//! The public snapshot and page of each organisation, ready in memory.
//!
//! A page is read anew when the relay has heard of a newer revision than the one it shows: once, however many ask. So
//! what was written through this node shows at once, and the database sees one read a change.

use std::convert::Infallible;
use std::sync::Arc;

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::public::{Snapshot, SnapshotStore};
use allclear_application::relay::Relay;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use arc_swap::ArcSwapOption;
use chrono::{DateTime, TimeDelta, Utc};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::Mutex;

use crate::page_template::PageTemplate;
use crate::status::encoded::Encoded;

/// How long a page of an unchanged organisation is served before it is read anew: what shows for 14 days has to go.
const MAX_AGE: TimeDelta = TimeDelta::minutes(1);
/// How long after a failed read the last page is served without trying again.
const PAUSE: TimeDelta = TimeDelta::seconds(1);
/// How many bytes of pages are kept. Beyond them the pages go that are asked for least.
const MEMORY: u64 = 64 * 1024 * 1024;
/// What an organisation costs whose page is still to be read, in bytes.
const ENTRY: u64 = 512;
/// What a page counts for at most, in bytes: one that the cache finds too large to keep would be read for every visitor.
const LARGEST: u64 = 2 * 1024 * 1024;
/// How many organisations are expected to be looked at. The cache has a part for each 32 of them, larger than any page
/// counts for.
const ORGANISATIONS: usize = 256;

/// One organisation's page at one revision.
#[derive(Debug)]
pub struct Page {
    revision: Revision,
    read_at: DateTime<Utc>,
    /// When the clock alone changes what it shows.
    valid_until: Option<DateTime<Utc>>,
    json: Document,
    html: Document,
}

/// A body with the headers that are its own, ready to send.
#[derive(Debug)]
struct Document {
    body: Encoded,
    content_type: HeaderValue,
    /// The entity tag (RFC 9110, section 8.8.3), quoted.
    tag: HeaderValue,
}

/// One of the page's lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
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

#[derive(Default)]
struct Entry {
    current: ArcSwapOption<Page>,
    /// Held by whoever reads the page anew; the others wait for what it finds.
    reading: Mutex<()>,
    failed_at: ArcSwapOption<DateTime<Utc>>,
}

/// An entry with what it counted for when it was put in: the cache subtracts that when it goes, whatever it holds by then.
#[derive(Clone)]
struct Kept {
    entry: Arc<Entry>,
    weight: u64,
}

/// Weighs an organisation by the bytes its page holds.
#[derive(Debug, Clone)]
struct BySize;

impl Weighter<OrganisationId, Kept> for BySize {
    fn weight(&self, _: &OrganisationId, kept: &Kept) -> u64 {
        kept.weight
    }
}

/// The pages somebody has asked for.
pub struct Pages {
    store: Arc<dyn SnapshotStore>,
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
    template: PageTemplate,
    entries: Cache<OrganisationId, Kept, BySize>,
}

impl Pages {
    /// No page yet.
    pub fn new(
        store: Arc<dyn SnapshotStore>,
        relay: Arc<Relay>,
        clock: Arc<dyn Clock>,
        template: PageTemplate,
    ) -> Self {
        Self { store, relay, clock, template, entries: Cache::with_weighter(ORGANISATIONS, MEMORY, BySize) }
    }

    /// The page of an organisation; none where there is no such organisation. While the database is away the last page
    /// stands.
    pub async fn page(self: &Arc<Self>, organisation: &OrganisationId) -> Result<Option<Arc<Page>>, Error> {
        let Some(Kept { entry, .. }) = self.entries.get(organisation) else { return self.first(organisation).await };
        let now = self.clock.now();
        if let Some(page) = self.in_memory(organisation, &entry, now) {
            if page.age(now) >= MAX_AGE && !entry.in_vain(now) {
                self.refresh(organisation.clone(), entry);
            }
            return Ok(Some(page));
        }
        let _reading = entry.reading.lock().await;
        match self.in_memory(organisation, &entry, self.clock.now()) {
            Some(page) => Ok(Some(page)),
            None => self.read(organisation, &entry).await,
        }
    }

    /// The page in memory, if it shows everything the relay has heard of, or if nothing newer can be read right now. Nobody
    /// waits for a database that is known to be away.
    fn in_memory(&self, organisation: &OrganisationId, entry: &Entry, now: DateTime<Utc>) -> Option<Arc<Page>> {
        let page = entry.current.load_full()?;
        let heard = self.relay.heard(organisation)?;
        // A page of a later time than this was read before the clock was set back.
        let of_now = page.age(now) >= TimeDelta::zero() && page.valid_until.is_none_or(|end| now < end);
        let current = of_now && page.revision >= heard;
        (current || entry.in_vain(now) || self.relay.is_cut_off()).then_some(page)
    }

    /// Reads an old page anew while it is still being served, unless somebody does already.
    fn refresh(self: &Arc<Self>, organisation: OrganisationId, entry: Arc<Entry>) {
        let pages = Arc::clone(self);
        tokio::spawn(async move {
            if let Ok(_reading) = entry.reading.try_lock()
                && let Err(error) = pages.read(&organisation, &entry).await
            {
                tracing::warn!(%organisation, error = &error as &dyn std::error::Error, "a page could not be read anew");
            }
        });
    }

    async fn first(self: &Arc<Self>, organisation: &OrganisationId) -> Result<Option<Arc<Page>>, Error> {
        if self.relay.follow(organisation).await?.is_none() {
            return Ok(None);
        }
        let fresh = || Ok::<_, Infallible>(Kept { entry: Arc::default(), weight: ENTRY });
        let Ok(Kept { entry, .. }) = self.entries.get_or_insert_with(organisation, fresh);
        let _reading = entry.reading.lock().await;
        match self.in_memory(organisation, &entry, self.clock.now()) {
            Some(page) => Ok(Some(page)),
            None => self.read(organisation, &entry).await,
        }
    }

    async fn read(&self, organisation: &OrganisationId, entry: &Arc<Entry>) -> Result<Option<Arc<Page>>, Error> {
        match self.render(organisation).await {
            Ok(page) => {
                entry.failed_at.store(None);
                entry.current.store(page.clone());
                match &page {
                    // Put in anew, so that it counts by its size.
                    Some(page) => {
                        let kept = Kept { entry: Arc::clone(entry), weight: page.weight() };
                        self.entries.insert(organisation.clone(), kept);
                    }
                    None => drop(self.entries.remove(organisation)),
                }
                Ok(page)
            }
            Err(Error::Unavailable(cause)) => {
                entry.failed_at.store(Some(Arc::new(self.clock.now())));
                let Some(last) = entry.current.load_full() else { return Err(Error::Unavailable(cause)) };
                tracing::warn!(%organisation, error = cause.as_ref() as &dyn std::error::Error, "serving the last page known");
                Ok(Some(last))
            }
            Err(error) => Err(error),
        }
    }

    async fn render(&self, organisation: &OrganisationId) -> Result<Option<Arc<Page>>, Error> {
        let now = self.clock.now();
        if self.relay.follow(organisation).await?.is_none() {
            return Ok(None);
        }
        let Some(snapshot) = self.store.snapshot(organisation, now).await? else { return Ok(None) };
        self.relay.hear(organisation, Revision(snapshot.revision));
        let template = self.template.clone();
        let page = tokio::task::spawn_blocking(move || Page::render(&snapshot, now, &template));
        page.await.map_err(Error::internal)?.map(|page| Some(Arc::new(page)))
    }
}

impl Page {
    fn render(snapshot: &Snapshot, now: DateTime<Utc>, template: &PageTemplate) -> Result<Self, Error> {
        let data = serde_json::to_string(snapshot).map_err(Error::internal)?;
        let html = template.page(snapshot, &data);
        Ok(Self {
            revision: Revision(snapshot.revision),
            read_at: now,
            valid_until: snapshot.changes_at(now),
            json: Document::new(format!("{{\"data\":{data}}}"), "application/json", &snapshot.revision.to_string())?,
            html: Document::new(
                html,
                "text/html; charset=utf-8",
                &format!("{}-{}", snapshot.revision, template.fingerprint()),
            )?,
        })
    }

    /// How long ago it was read, by a clock that may have been set since.
    fn age(&self, now: DateTime<Utc>) -> TimeDelta {
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

    /// What it counts for in the cache, in bytes.
    fn weight(&self) -> u64 {
        ENTRY + (self.json.body.size() + self.html.body.size()).min(LARGEST)
    }

    /// One of its lists, as JSON. It is found in the page's bytes: most pages are never asked for it, so none keeps it twice.
    pub(crate) fn list(&self, list: List) -> Result<&RawValue, Error> {
        let Body { data } = serde_json::from_slice(self.json.body.plain()).map_err(Error::internal)?;
        Ok(match list {
            List::Components => data.components,
            List::Incidents => data.incidents,
            List::Maintenances => data.maintenances,
        })
    }

    /// The snapshot as JSON, or 304.
    pub fn json(&self, request: &HttpRequest) -> HttpResponse {
        self.json.answer(request)
    }

    /// The page around the snapshot, or 304.
    pub fn html(&self, request: &HttpRequest) -> HttpResponse {
        self.html.answer(request)
    }
}

impl Entry {
    /// Whether the last read failed so short ago that the next one would too.
    fn in_vain(&self, now: DateTime<Utc>) -> bool {
        // Where the clock was set back, nobody knows how long ago it was.
        let ago = self.failed_at.load().as_ref().map(|failed_at| now - **failed_at);
        ago.is_some_and(|ago| (TimeDelta::zero()..PAUSE).contains(&ago))
    }
}

impl Document {
    fn new(text: String, content_type: &'static str, tag: &str) -> Result<Self, Error> {
        let tag = HeaderValue::from_str(&format!("\"{tag}\"")).map_err(Error::internal)?;
        let content_type = HeaderValue::from_static(content_type);
        Ok(Self { body: Encoded::new(text.into_bytes()), content_type, tag })
    }

    /// The body in the smallest form the client takes, or 304. It is the way of nearly every request there is: nothing
    /// is formatted, looked up or copied on it.
    fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let mut response = if self.is_known(request) {
            HttpResponse::new(StatusCode::NOT_MODIFIED)
        } else {
            let (coding, bytes) = self.body.pick(request);
            let mut response = HttpResponse::with_body(StatusCode::OK, BoxBody::new(bytes));
            response.headers_mut().insert(header::CONTENT_TYPE, self.content_type.clone());
            if let Some(coding) = coding.header() {
                response.headers_mut().insert(header::CONTENT_ENCODING, coding);
            }
            response
        };
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.tag.clone());
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        // Kept by whoever likes, shown only after asking: a status page must not be a minute old.
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, no-cache"));
        response
    }

    /// Whether `If-None-Match` (RFC 9110, section 13.1.2, compared weakly) holds the tag.
    fn is_known(&self, request: &HttpRequest) -> bool {
        let tag = self.tag.as_bytes();
        request.headers().get_all(header::IF_NONE_MATCH).any(|value| {
            value.as_bytes().split(|byte| *byte == b',').any(|known| {
                let known = known.trim_ascii();
                known == tag || known == b"*" || known.strip_prefix(b"W/") == Some(tag)
            })
        })
    }
}

#[cfg(test)]
mod tests;
