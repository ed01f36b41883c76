//! The public snapshot and page of each organisation, ready in memory.
//!
//! A page is read anew when the relay has heard of a newer revision than the one it shows: once, however many ask. So
//! what was written through this node shows at once, and the database sees one read a change.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use actix_web::HttpRequest;
use actix_web::http::header::{self, ETag, EntityTag, HeaderValue};
use actix_web::{HttpResponse, HttpResponseBuilder};
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::public::{Snapshot, SnapshotStore};
use allclear_application::relay::Relay;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use arc_swap::ArcSwapOption;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::Mutex;

use crate::page_template::PageTemplate;
use crate::status::encoded::Encoded;

/// How long a page of an unchanged organisation is served before it is read anew: what shows for 14 days has to go.
const MAX_AGE: TimeDelta = TimeDelta::minutes(1);
/// How long after a failed read the last page is served without trying again.
const PAUSE: TimeDelta = TimeDelta::seconds(1);

/// One organisation's page at one revision.
#[derive(Debug)]
pub struct Page {
    revision: Revision,
    read_at: DateTime<Utc>,
    /// When the clock alone changes what it shows.
    valid_until: Option<DateTime<Utc>>,
    json: Encoded,
    html: Encoded,
    html_tag: String,
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

/// Every page somebody has asked for.
pub struct Pages {
    store: Arc<dyn SnapshotStore>,
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
    template: PageTemplate,
    entries: RwLock<HashMap<OrganisationId, Arc<Entry>>>,
}

impl Pages {
    /// No page yet.
    pub fn new(
        store: Arc<dyn SnapshotStore>,
        relay: Arc<Relay>,
        clock: Arc<dyn Clock>,
        template: PageTemplate,
    ) -> Self {
        Self { store, relay, clock, template, entries: RwLock::default() }
    }

    /// The page of an organisation; none where there is no such organisation. While the database is away the last page
    /// stands.
    pub async fn page(self: &Arc<Self>, organisation: &OrganisationId) -> Result<Option<Arc<Page>>, Error> {
        let entry = self.entries.read().unwrap_or_else(PoisonError::into_inner).get(organisation).cloned();
        let Some(entry) = entry else { return self.first(organisation).await };
        if let Some(page) = self.in_memory(organisation, &entry) {
            if self.clock.now() - page.read_at >= MAX_AGE && !self.in_vain(&entry) {
                self.refresh(organisation.clone(), entry);
            }
            return Ok(Some(page));
        }
        let _reading = entry.reading.lock().await;
        match self.in_memory(organisation, &entry) {
            Some(page) => Ok(Some(page)),
            None => self.read(organisation, &entry).await,
        }
    }

    /// The page in memory, if it shows everything the relay has heard of, or if nothing newer can be read right now.
    fn in_memory(&self, organisation: &OrganisationId, entry: &Entry) -> Option<Arc<Page>> {
        let page = entry.current.load_full()?;
        let heard = self.relay.heard(organisation)?;
        let current = page.revision >= heard && page.valid_until.is_none_or(|end| self.clock.now() < end);
        (current || self.in_vain(entry)).then_some(page)
    }

    /// Whether the last read failed so short ago that the next one would too.
    fn in_vain(&self, entry: &Entry) -> bool {
        entry.failed_at.load_full().is_some_and(|failed_at| self.clock.now() - *failed_at < PAUSE)
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
        self.entries.write().unwrap_or_else(PoisonError::into_inner).entry(organisation.clone()).or_default();
        Box::pin(self.page(organisation)).await
    }

    async fn read(&self, organisation: &OrganisationId, entry: &Entry) -> Result<Option<Arc<Page>>, Error> {
        match self.render(organisation).await {
            Ok(page) => {
                entry.failed_at.store(None);
                entry.current.store(page.clone());
                if page.is_none() {
                    self.entries.write().unwrap_or_else(PoisonError::into_inner).remove(organisation);
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
            json: Encoded::new(format!("{{\"data\":{data}}}").into_bytes()),
            html: Encoded::new(html.into_bytes()),
            html_tag: format!("{}-{}", snapshot.revision, template.fingerprint()),
        })
    }

    /// The organisation's revision it is the state of.
    pub(crate) const fn revision(&self) -> Revision {
        self.revision
    }

    /// Its size as JSON, in bytes.
    pub(crate) const fn size(&self) -> usize {
        self.json.plain().len()
    }

    /// One of its lists, as JSON. It is found in the page's bytes: most pages are never asked for it, so none keeps it twice.
    pub(crate) fn list(&self, list: List) -> Result<&RawValue, Error> {
        let Body { data } = serde_json::from_slice(self.json.plain()).map_err(Error::internal)?;
        Ok(match list {
            List::Components => data.components,
            List::Incidents => data.incidents,
            List::Maintenances => data.maintenances,
        })
    }

    /// The snapshot as JSON, or 304.
    pub fn json(&self, request: &HttpRequest) -> HttpResponse {
        answer(request, self.revision.to_string(), &self.json, HeaderValue::from_static("application/json"))
    }

    /// The page around the snapshot, or 304.
    pub fn html(&self, request: &HttpRequest) -> HttpResponse {
        answer(request, self.html_tag.clone(), &self.html, HeaderValue::from_static("text/html; charset=utf-8"))
    }
}

fn answer(request: &HttpRequest, tag: String, body: &Encoded, content_type: HeaderValue) -> HttpResponse {
    if is_known(request, &tag) {
        return headers(HttpResponse::NotModified(), tag).finish();
    }
    let (coding, bytes) = body.pick(request);
    let mut response = headers(HttpResponse::Ok(), tag);
    response.insert_header((header::CONTENT_TYPE, content_type));
    if let Some(coding) = coding.header() {
        response.insert_header((header::CONTENT_ENCODING, coding));
    }
    response.body(bytes)
}

fn headers(mut response: HttpResponseBuilder, tag: String) -> HttpResponseBuilder {
    response
        .insert_header(ETag(EntityTag::new_strong(tag)))
        .insert_header((header::VARY, HeaderValue::from_static("accept-encoding")))
        // Kept by whoever likes, shown only after asking: a status page must not be a minute old.
        .insert_header((header::CACHE_CONTROL, HeaderValue::from_static("public, no-cache")));
    response
}

/// Whether `If-None-Match` (RFC 9110, section 13.1.2, compared weakly) holds the tag.
fn is_known(request: &HttpRequest, tag: &str) -> bool {
    let mut values = request.headers().get_all(header::IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    values.any(|value| {
        value.split(',').any(|known| {
            let known = known.trim();
            let known = known.strip_prefix("W/").unwrap_or(known);
            known == "*" || known.strip_prefix('"').and_then(|known| known.strip_suffix('"')) == Some(tag)
        })
    })
}

#[cfg(test)]
mod tests;
