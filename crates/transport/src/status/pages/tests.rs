use super::*;

use std::rc::Rc;
use std::sync::atomic::{AtomicI64, Ordering};

use actix_web::body::to_bytes;
use actix_web::http::header::{self, HeaderValue};
use actix_web::test::TestRequest;
use allclear_application::broadcast::MockBroadcast;
use allclear_application::clock::MockClock;
use allclear_application::outbox::{Commit, MockOutbox};
use allclear_application::public::{MockSnapshotStore, PublicOrganisation, Snapshot};
use allclear_application::transition::Written;

use crate::status::encoded::Encoded;
use crate::status::page::{Document, whole};
use crate::status::worker_cache::Copies;

pub(crate) fn organisation() -> OrganisationId {
    OrganisationId::parse("org").unwrap()
}

pub(crate) fn snapshot(revision: i64) -> Snapshot {
    Snapshot {
        organisation: PublicOrganisation {
            id: "org".into(),
            name: "Acme".into(),
        },
        banner: None,
        components: Vec::new(),
        incidents: Vec::new(),
        maintenances: Vec::new(),
        revision,
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

pub(crate) fn pages(store: MockSnapshotStore, relay: &Arc<Relay>) -> Arc<Pages> {
    pages_at(store, relay, &Arc::default())
}

/// Pages whose clock is set so many seconds ahead, or back.
fn pages_at(store: MockSnapshotStore, relay: &Arc<Relay>, set: &Arc<AtomicI64>) -> Arc<Pages> {
    let mut clock = MockClock::new();
    let set = Arc::clone(set);
    let now =
        move || DateTime::from_timestamp(1_700_000_000 + set.load(Ordering::SeqCst), 0).unwrap();
    clock.expect_now().returning(now);
    let template = PageTemplate::new("<!--allclear:head--><!--allclear:snapshot-->".into(), "");
    Arc::new(Pages::new(
        Arc::new(store),
        Arc::clone(relay),
        Arc::new(clock),
        template,
    ))
}

/// What a write through this node tells the relay.
async fn written(relay: &Relay, revision: i64) {
    let commit = Commit {
        organisation: "org".into(),
        revision,
        events: Vec::new(),
    };
    relay
        .told(Written {
            state: (),
            commit: Some(commit),
        })
        .await;
}

#[actix_web::test]
async fn a_page_is_read_once_however_many_ask() {
    let mut store = MockSnapshotStore::new();
    store
        .expect_snapshot()
        .times(1)
        .returning(|_, _| Ok(Some(snapshot(1))));
    let pages = pages(store, &relay());
    let organisation = organisation();
    let asked = (0..20).map(|_| pages.page(&organisation));
    for page in futures_util::future::join_all(asked).await {
        assert_eq!(page.unwrap().unwrap().revision, Revision(1));
    }
}

#[actix_web::test]
async fn what_was_written_here_shows_at_once() {
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
async fn the_last_page_stands_while_the_database_is_away() {
    let relay = relay();
    let mut store = MockSnapshotStore::new();
    let mut reads = 0;
    store.expect_snapshot().times(2).returning(move |_, _| {
        reads += 1;
        if reads == 1 {
            Ok(Some(snapshot(1)))
        } else {
            Err(Error::Unavailable("away".into()))
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

#[actix_web::test]
async fn nobody_waits_for_the_end_of_a_storm_of_changes() {
    let (relay, set) = (relay(), Arc::new(AtomicI64::new(0)));
    let (storm, clock, reads) = (
        Arc::clone(&relay),
        Arc::clone(&set),
        Arc::new(AtomicI64::new(0)),
    );
    let mut store = MockSnapshotStore::new();
    let counted = Arc::clone(&reads);
    // While the page is read, time passes and there is something newer.
    store.expect_snapshot().returning(move |organisation, now| {
        let revision = counted.fetch_add(1, Ordering::SeqCst) + 1;
        storm.hear(organisation, Revision(revision + 1));
        clock.fetch_add(1, Ordering::SeqCst);
        Ok(Some(Snapshot {
            generated_at: now,
            ..snapshot(revision)
        }))
    });
    let pages = pages_at(store, &relay, &set);
    let organisation = organisation();
    let asked = (0..20).map(|_| pages.page(&organisation));
    for page in futures_util::future::join_all(asked).await {
        assert!(page.unwrap().is_some());
    }
    assert!(reads.load(Ordering::SeqCst) <= 2, "{reads:?}");
}

/// A store that answers the revisions in turn; none says that the database is away.
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
            _ => Err(Error::Unavailable("away".into())),
        });
    store
}

#[actix_web::test]
async fn a_page_of_the_future_is_read_anew_once_the_clock_goes_back() {
    let (relay, set) = (relay(), Arc::default());
    let pages = pages_at(store_of(&[Some(1), Some(2)]), &relay, &set);
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
    set.store(-3600, Ordering::SeqCst);
    assert_eq!((read_at().await, read_at().await), (-3600, -3600), "once");
}

#[actix_web::test]
async fn a_clock_set_back_while_the_database_was_away_does_not_keep_the_page_from_being_read() {
    let (relay, set) = (relay(), Arc::default());
    let pages = pages_at(store_of(&[Some(1), None, Some(2)]), &relay, &set);
    let revision = async || pages.page(&organisation()).await.unwrap().unwrap().revision;
    assert_eq!(revision().await, Revision(1));
    written(&relay, 2).await;
    assert_eq!(revision().await, Revision(1));
    set.store(-3600, Ordering::SeqCst);
    assert_eq!(revision().await, Revision(2));
}

#[actix_web::test]
async fn an_unknown_organisation_has_no_page_and_leaves_nothing_behind() {
    let pages = pages(MockSnapshotStore::new(), &relay());
    let nobody = OrganisationId::parse("nobody").unwrap();
    assert!(pages.page(&nobody).await.unwrap().is_none());
    assert!(pages.entries.is_empty());
}

#[actix_web::test]
async fn who_has_the_revision_gets_no_body() {
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
        let response = whole(page.json(request.headers()));
        assert_eq!(response.status().as_u16(), status, "{known}");
        assert_eq!(response.headers().get(header::ETAG).unwrap(), "\"1\"");
        assert_eq!(
            to_bytes(response.into_body()).await.unwrap().is_empty(),
            status == 304
        );
    }
}

#[actix_web::test]
async fn the_page_holds_the_snapshot() {
    let mut store = MockSnapshotStore::new();
    store
        .expect_snapshot()
        .returning(|_, _| Ok(Some(snapshot(1))));
    let page = pages(store, &relay())
        .page(&organisation())
        .await
        .unwrap()
        .unwrap();
    let response = whole(page.html(TestRequest::default().to_http_request().headers()));
    let body = String::from_utf8(to_bytes(response.into_body()).await.unwrap().to_vec()).unwrap();
    assert!(
        body.contains("<title>Acme status</title>") && body.contains("\"revision\":1"),
        "{body}"
    );
}

#[actix_web::test]
async fn a_worker_copies_a_page_once_while_it_is_of_now() {
    let (relay, set) = (relay(), Arc::default());
    let pages = pages_at(store_of(&[Some(1), Some(2)]), &relay, &set);
    let copies = Copies::of(Arc::clone(&pages));
    let read = async || pages.page(&organisation()).await.unwrap().unwrap();
    assert!(copies.page("org").is_none(), "it was not read yet");
    read().await;
    let first = copies.page("org").unwrap();
    assert!(Rc::ptr_eq(&first, &copies.page("org").unwrap()));

    written(&relay, 2).await;
    assert!(copies.page("org").is_none(), "it was not read anew yet");
    read().await;
    assert_eq!(copies.page("org").unwrap().revision, Revision(2));

    set.store(60, Ordering::SeqCst);
    assert!(copies.page("org").is_none(), "it is due to be read anew");
    assert!(copies.page("no organisation").is_none());
}

/// A page that takes more than the cache would give to one thing.
fn huge(revision: i64) -> Snapshot {
    let component = |number: u32| allclear_application::public::PublicComponent {
        id: number.to_string(),
        name: "x".repeat(200),
        description: "y".repeat(10_000),
        description_truncated: false,
        status: "OPERATIONAL",
        created_at: DateTime::default(),
    };
    Snapshot {
        components: (0..500).map(component).collect(),
        ..snapshot(revision)
    }
}

#[actix_web::test]
async fn the_largest_page_is_kept_too() {
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

/// The bytes of a large document.
const BODY: usize = 2 * 1024 * 1024;

#[actix_web::test]
async fn pages_nobody_asks_for_any_more_make_room() {
    let mut outbox = MockOutbox::new();
    outbox
        .expect_revisions()
        .returning(|wanted| Ok(wanted.iter().map(|id| (id.clone(), Revision(1))).collect()));
    let mut broadcast = MockBroadcast::new();
    broadcast.expect_publish().return_const(());
    let relay = Arc::new(Relay::new(Arc::new(outbox), Arc::new(broadcast)));
    let mut store = MockSnapshotStore::new();
    store
        .expect_snapshot()
        .returning(|_, _| Ok(Some(snapshot(1))));
    let pages = pages(store, &relay);
    // More large pages than fit.
    let fit = usize::try_from(MEMORY).unwrap() / (2 * BODY);
    let page = pages.page(&organisation()).await.unwrap().unwrap();
    for number in 0..4 * fit {
        let organisation = OrganisationId::parse(&format!("org-{number}")).unwrap();
        let entry = Arc::new(Entry::default());
        let body = Encoded::precompressed(vec![0; BODY].into(), None, None);
        let document = || Document {
            body: body.clone(),
            content_type: HeaderValue::from_static("text/plain"),
            tag: HeaderValue::from_static("\"1\""),
        };
        let large = Page {
            json: document(),
            html: document(),
            valid_until: None,
            followed: page.followed.clone(),
            ..*page
        };
        let weight = large.weight();
        entry.current.store(Some(Arc::new(large)));
        pages.entries.insert(organisation, Kept { entry, weight });
        assert!(pages.entries.weight() <= MEMORY);
    }
    assert!(
        (1..=fit).contains(&pages.entries.len()),
        "{}",
        pages.entries.len()
    );
}
