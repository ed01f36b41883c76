use super::*;

use std::rc::Rc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use actix_web::body::to_bytes;
use actix_web::http::header::{self, HeaderValue};
use actix_web::test::TestRequest;
use allclear_application::broadcast::MockBroadcast;
use allclear_application::clock::TestClock;
use allclear_application::outbox::{Commit, MockOutbox};
use allclear_application::status_page::{MockSnapshotStore, PublicOrganisation, Snapshot};
use allclear_application::transition::Committed;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::{Organisation, Revision};
use async_trait::async_trait;
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::status_page::encoded::Encoded;
use crate::status_page::ready_response::{ReadyResponse, boxed};
use crate::status_page::worker_cache::WorkerCache;

/// Pages that are read at the same time.
const READS: usize = 2;

pub(crate) fn organisation() -> OrganisationId {
    OrganisationId::parse("org").unwrap()
}

pub(crate) fn snapshot(revision: i64) -> Snapshot {
    Snapshot {
        organisation: PublicOrganisation::new(
            Organisation::new(OrganisationId::parse("org").unwrap(), "Acme".into()),
            "https://status.example.com/status/org".into(),
        ),
        groups: Vec::new(),
        banner: None,
        components: Vec::new(),
        incidents: Vec::new(),
        maintenances: Vec::new(),
        past_titles: Vec::new(),
        revision: Revision(revision),
        generated_at: DateTime::default(),
    }
}

pub(crate) fn relay() -> Arc<Relay> {
    let mut outbox = MockOutbox::new();
    outbox.expect_revisions().returning(|wanted| {
        Ok(wanted
            .iter()
            .filter(|id| id.as_str() == "org")
            .map(|id| (id.clone(), Revision(1)))
            .collect())
    });
    let mut broadcast = MockBroadcast::new();
    broadcast.expect_publish().return_const(());
    Arc::new(Relay::new(Arc::new(outbox), Arc::new(broadcast)))
}

/// A relay of organisations of any name.
fn relay_of_all() -> Arc<Relay> {
    let mut outbox = MockOutbox::new();
    outbox
        .expect_revisions()
        .returning(|wanted| Ok(wanted.iter().map(|id| (id.clone(), Revision(1))).collect()));
    let mut broadcast = MockBroadcast::new();
    broadcast.expect_publish().return_const(());
    Arc::new(Relay::new(Arc::new(outbox), Arc::new(broadcast)))
}

pub(crate) fn pages(store: impl SnapshotStore + 'static, relay: &Arc<Relay>) -> Arc<PageCache> {
    pages_at(store, relay, &TestClock::stopped())
}

fn pages_at(
    store: impl SnapshotStore + 'static,
    relay: &Arc<Relay>,
    clock: &Arc<TestClock>,
) -> Arc<PageCache> {
    let html = "<!--allclear:head--><!--allclear:drawn-->";
    let template = PageTemplate::new(html.into(), String::new(), "");
    Arc::new(PageCache::new(
        Arc::new(store),
        Arc::clone(relay),
        Arc::clone(clock) as _,
        template,
        READS,
    ))
}

/// Delivers a write of this node to the relay.
pub(crate) async fn written(relay: &Relay, revision: i64) {
    let commit = Some(Commit::example("org", revision, &[]));
    relay.publish(Committed { state: (), commit }).await;
}

#[actix_web::test]
async fn concurrent_requests_share_one_read() {
    let mut store = MockSnapshotStore::new();
    store
        .expect_snapshot()
        .times(1)
        .returning(|_, _| Ok(Some(snapshot(1))));
    let pages = pages(store, &relay());
    let organisation = organisation();
    let requests = (0..20).map(|_| pages.page(&organisation));
    for page in futures_util::future::join_all(requests).await {
        assert_eq!(page.unwrap().unwrap().revision, Revision(1));
    }
}

/// A store that counts the reads that run at the same time.
#[derive(Default)]
struct Counting {
    running: AtomicUsize,
    most: Arc<AtomicUsize>,
}

#[async_trait]
impl SnapshotStore for Counting {
    async fn snapshot(
        &self,
        _: &OrganisationId,
        _: DateTime<Utc>,
    ) -> Result<Option<Snapshot>, Error> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        self.running.fetch_sub(1, Ordering::SeqCst);
        Ok(Some(snapshot(1)))
    }
}

#[actix_web::test]
async fn pages_of_many_organisations_are_read_a_few_at_a_time() {
    let store = Counting::default();
    let most = Arc::clone(&store.most);
    let pages = pages(store, &relay_of_all());
    let organisations: Vec<_> = (0..20)
        .map(|number| OrganisationId::parse(&format!("org-{number}")).unwrap())
        .collect();
    let requests = organisations.iter().map(|it| pages.page(it));
    for page in futures_util::future::join_all(requests).await {
        assert!(page.unwrap().is_some());
    }
    assert_eq!(most.load(Ordering::SeqCst), READS);
}

#[actix_web::test]
async fn write_of_this_node_is_visible_immediately() {
    let relay = relay();
    let mut store = MockSnapshotStore::new();
    let mut revision = 0;
    store.expect_snapshot().times(2).returning(move |_, _| {
        revision += 1;
        Ok(Some(snapshot(revision)))
    });
    let pages = pages(store, &relay);
    assert_eq!(
        pages.page(&organisation()).await.unwrap().unwrap().revision,
        Revision(1)
    );
    written(&relay, 2).await;
    assert_eq!(
        pages.page(&organisation()).await.unwrap().unwrap().revision,
        Revision(2)
    );
}

#[actix_web::test]
async fn last_page_is_served_while_the_database_is_unavailable_or_unreadable() {
    for failure in [Error::Unavailable, Error::Internal] {
        let relay = relay();
        let mut store = MockSnapshotStore::new();
        let mut reads = 0;
        store.expect_snapshot().times(2).returning(move |_, _| {
            reads += 1;
            if reads == 1 {
                Ok(Some(snapshot(1)))
            } else {
                Err(failure("broken".into()))
            }
        });
        let pages = pages(store, &relay);
        pages.page(&organisation()).await.unwrap();
        written(&relay, 2).await;
        for _ in 0..3 {
            assert_eq!(
                pages.page(&organisation()).await.unwrap().unwrap().revision,
                Revision(1)
            );
        }
    }
}

/// A store of which every read but the first one hangs.
#[derive(Default)]
struct Hanging(AtomicBool);

#[async_trait]
impl SnapshotStore for Hanging {
    async fn snapshot(
        &self,
        _: &OrganisationId,
        _: DateTime<Utc>,
    ) -> Result<Option<Snapshot>, Error> {
        if self.0.swap(true, Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        Ok(Some(snapshot(1)))
    }
}

#[tokio::test(start_paused = true)]
async fn last_page_is_served_while_the_database_hangs() {
    let relay = relay();
    let pages = pages(Hanging::default(), &relay);
    pages.page(&organisation()).await.unwrap();
    written(&relay, 2).await;
    let start = Instant::now();
    for _ in 0..3 {
        let page = pages.page(&organisation()).await.unwrap().unwrap();
        assert_eq!(page.revision, Revision(1));
        assert_eq!(
            start.elapsed(),
            READ_TIMEOUT,
            "further requests do not wait"
        );
    }
}

#[actix_web::test]
async fn requests_do_not_wait_for_the_end_of_constant_writes() {
    let (relay, test_clock) = (relay(), TestClock::stopped());
    let (writer, clock, reads) = (
        Arc::clone(&relay),
        Arc::clone(&test_clock),
        Arc::new(AtomicI64::new(0)),
    );
    let mut store = MockSnapshotStore::new();
    let counted = Arc::clone(&reads);
    // During each read time passes and a newer revision is committed.
    store.expect_snapshot().returning(move |organisation, now| {
        let revision = counted.fetch_add(1, Ordering::SeqCst) + 1;
        writer.note_revision(organisation, Revision(revision + 1));
        clock.advance(TimeDelta::seconds(1));
        Ok(Some(Snapshot {
            generated_at: now,
            ..snapshot(revision)
        }))
    });
    let pages = pages_at(store, &relay, &test_clock);
    let organisation = organisation();
    let requests = (0..20).map(|_| pages.page(&organisation));
    for page in futures_util::future::join_all(requests).await {
        assert!(page.unwrap().is_some());
    }
    assert!(reads.load(Ordering::SeqCst) <= 2, "{reads:?}");
}

/// A store that returns the revisions in turn; `None` means that the database is unavailable.
fn store_of(revisions: &'static [Option<i64>]) -> MockSnapshotStore {
    let mut store = MockSnapshotStore::new();
    let mut revisions = revisions.iter();
    store
        .expect_snapshot()
        .times(revisions.len())
        .returning(move |_, now| match revisions.next() {
            Some(Some(revision)) => Ok(Some(Snapshot {
                generated_at: now,
                ..snapshot(*revision)
            })),
            _ => Err(Error::Unavailable("unavailable".into())),
        });
    store
}

/// A relay whose database is unavailable while the flag is set. The sender keeps it running.
fn relay_of_an_outage() -> (Arc<Relay>, Arc<AtomicBool>, mpsc::Sender<Arc<Commit>>) {
    let is_away = Arc::new(AtomicBool::new(false));
    let mut outbox = MockOutbox::new();
    let read = Arc::clone(&is_away);
    outbox.expect_revisions().returning(move |wanted| {
        if read.load(Ordering::SeqCst) {
            return Err(Error::Unavailable("unavailable".into()));
        }
        Ok(wanted.iter().map(|id| (id.clone(), Revision(1))).collect())
    });
    let (arrives, arriving) = mpsc::channel(1);
    let mut broadcast = MockBroadcast::new();
    broadcast.expect_subscribe().return_once(move || arriving);
    let relay = Arc::new(Relay::new(Arc::new(outbox), Arc::new(broadcast)));
    let runs = Arc::clone(&relay);
    tokio::spawn(async move { runs.run(&[]).await });
    (relay, is_away, arrives)
}

#[tokio::test(start_paused = true)]
async fn old_page_is_not_read_again_while_the_database_is_known_to_be_unavailable() {
    let (relay, is_away, _arrives) = relay_of_an_outage();
    let clock = TestClock::runtime();
    let pages = pages_at(store_of(&[Some(1), None, Some(1)]), &relay, &clock);
    let age = async || {
        let page = pages.page(&organisation()).await.unwrap().unwrap();
        page.age(clock.now())
    };
    age().await;
    is_away.store(true, Ordering::SeqCst);
    sleep(Duration::from_mins(2)).await;
    assert!(relay.is_stale());
    for _ in 0..10 {
        assert!(age().await > MAX_AGE);
        sleep(Duration::from_secs(2)).await;
    }
    is_away.store(false, Ordering::SeqCst);
    sleep(Relay::SWEEP * 2).await;
    // The database responds to the relay, but not to this read.
    assert!(age().await > MAX_AGE);
    sleep(Duration::from_secs(2)).await;
    while age().await > MAX_AGE {
        // Time stands still until the page is read.
        tokio::task::yield_now().await;
    }
}

#[actix_web::test]
async fn page_from_the_future_is_read_again_after_the_clock_was_set_back() {
    let (relay, test_clock) = (relay(), TestClock::stopped());
    let pages = pages_at(store_of(&[Some(1), Some(2)]), &relay, &test_clock);
    let read_at = async || {
        pages
            .page(&organisation())
            .await
            .unwrap()
            .unwrap()
            .read_at
            .timestamp()
            - 1_700_000_000
    };
    assert_eq!(read_at().await, 0);
    test_clock.advance(-TimeDelta::hours(1));
    assert_eq!((read_at().await, read_at().await), (-3600, -3600), "once");
}

#[actix_web::test]
async fn clock_set_back_after_a_failed_read_does_not_block_the_next_read() {
    let (relay, test_clock) = (relay(), TestClock::stopped());
    let pages = pages_at(store_of(&[Some(1), None, Some(2)]), &relay, &test_clock);
    let revision = async || pages.page(&organisation()).await.unwrap().unwrap().revision;
    assert_eq!(revision().await, Revision(1));
    written(&relay, 2).await;
    assert_eq!(revision().await, Revision(1));
    test_clock.advance(-TimeDelta::hours(1));
    assert_eq!(revision().await, Revision(2));
}

#[actix_web::test]
async fn unknown_organisation_is_not_cached() {
    let pages = pages(MockSnapshotStore::new(), &relay());
    let nobody = OrganisationId::parse("nobody").unwrap();
    assert!(pages.page(&nobody).await.unwrap().is_none());
    assert!(pages.entries.is_empty());
}

#[actix_web::test]
async fn known_entity_tag_gets_304_without_a_body() {
    let mut store = MockSnapshotStore::new();
    store
        .expect_snapshot()
        .returning(|_, _| Ok(Some(snapshot(1))));
    let page = pages(store, &relay())
        .page(&organisation())
        .await
        .unwrap()
        .unwrap();
    for (known, status) in [
        ("\"1\"", 304),
        ("W/\"1\"", 304),
        ("\"0\", \"1\"", 304),
        ("*", 304),
        ("\"0\"", 200),
    ] {
        let request = TestRequest::default()
            .insert_header((header::IF_NONE_MATCH, known))
            .to_http_request();
        let response = boxed(page.json(request.headers()));
        assert_eq!(response.status().as_u16(), status, "{known}");
        assert_eq!(response.headers().get(header::ETAG).unwrap(), "\"1\"");
        assert_eq!(
            to_bytes(response.into_body()).await.unwrap().is_empty(),
            status == 304
        );
    }
}

#[actix_web::test]
async fn page_says_what_it_shows() {
    let mut store = MockSnapshotStore::new();
    store
        .expect_snapshot()
        .returning(|_, _| Ok(Some(snapshot(1))));
    let page = pages(store, &relay())
        .page(&organisation())
        .await
        .unwrap()
        .unwrap();
    let response = boxed(page.html(TestRequest::default().to_http_request().headers()));
    let body = String::from_utf8(to_bytes(response.into_body()).await.unwrap().to_vec()).unwrap();
    assert!(
        body.contains("<title>Acme status</title>") && body.contains("\"tag\":\"1\""),
        "{body}"
    );
}

#[actix_web::test]
async fn worker_copies_a_page_once_while_it_is_current() {
    let (relay, test_clock) = (relay(), TestClock::stopped());
    let pages = pages_at(store_of(&[Some(1), Some(2)]), &relay, &test_clock);
    let cache = WorkerCache::of(Arc::clone(&pages));
    let read = async || pages.page(&organisation()).await.unwrap().unwrap();
    assert!(cache.page("org").is_none(), "it was not read yet");
    read().await;
    let first = cache.page("org").unwrap();
    assert!(Rc::ptr_eq(&first, &cache.page("org").unwrap()));

    written(&relay, 2).await;
    assert!(cache.page("org").is_none(), "it was not read again yet");
    read().await;
    assert_eq!(cache.page("org").unwrap().revision, Revision(2));

    test_clock.advance(TimeDelta::minutes(1));
    assert!(cache.page("org").is_none(), "it is due to be read again");
    assert!(cache.page("no organisation").is_none());
}

/// A page larger than the default share of one item in the cache.
fn huge(revision: i64) -> Snapshot {
    let component = |number: u32| allclear_application::status_page::PublicComponent {
        id: number.to_string(),
        code: "0123456789ab".into(),
        name: "x".repeat(200),
        description: "y".repeat(10_000),
        description_truncated: false,
        status: allclear_domain::component::ComponentStatus::Operational,
        under_maintenance: false,
        group_id: None,
        position: 1,
        start_date: None,
        only_show_when_affected: false,
        uptime: None,
        created_at: DateTime::default(),
    };
    Snapshot {
        components: (0..500).map(component).collect(),
        ..snapshot(revision)
    }
}

#[actix_web::test]
async fn largest_page_is_cached() {
    let mut store = MockSnapshotStore::new();
    store
        .expect_snapshot()
        .times(1)
        .returning(|_, _| Ok(Some(huge(1))));
    let pages = pages(store, &relay());
    for _ in 0..3 {
        assert!(pages.page(&organisation()).await.unwrap().unwrap().size() > 5_000_000);
    }
}

/// Bytes of a large document.
const BODY: usize = 2 * 1024 * 1024;

#[actix_web::test]
async fn least_requested_pages_are_evicted() {
    let relay = relay_of_all();
    let mut store = MockSnapshotStore::new();
    store
        .expect_snapshot()
        .returning(|_, _| Ok(Some(snapshot(1))));
    let pages = pages(store, &relay);
    // More large pages than fit.
    let fit = usize::try_from(MAX_BYTES).unwrap() / (2 * BODY);
    let page = pages.page(&organisation()).await.unwrap().unwrap();
    for number in 0..4 * fit {
        let organisation = OrganisationId::parse(&format!("org-{number}")).unwrap();
        let slot = Arc::new(PageSlot::default());
        let body = Encoded::precompressed(Some(vec![0; BODY].into()), None, None);
        let document = || ReadyResponse {
            body: body.clone(),
            content_type: HeaderValue::from_static("text/plain"),
            tag: HeaderValue::from_static("\"1\""),
            caching: HeaderValue::from_static("no-store"),
        };
        let large = Page {
            json: document(),
            html: document(),
            embed: Arc::clone(&page.embed),
            badges: Arc::clone(&page.badges),
            valid_until: None,
            position: page.position.clone(),
            ..*page
        };
        let weight = large.weight();
        slot.current.store(Some(Arc::new(large)));
        pages
            .entries
            .insert(organisation, WeightedSlot { slot, weight });
        assert!(pages.entries.weight() <= MAX_BYTES);
    }
    assert!(
        (1..=fit).contains(&pages.entries.len()),
        "{}",
        pages.entries.len()
    );
}
