use super::*;

use std::cell::Cell;
use std::future::poll_fn;

use allclear_application::outbox::{Commit, PublicEvent};
use allclear_application::relay::CommitListener as _;
use allclear_domain::event::EventKind;
use allclear_domain::id::OrganisationId;

use crate::status_page::viewers::{Viewers, resync};

fn organisation() -> OrganisationId {
    OrganisationId::parse("org").unwrap()
}

/// A viewer that has seen this revision.
fn resumed(viewers: &Viewers, seen: i64) -> FrameStream {
    let mut stream = FrameStream::of(
        &organisation(),
        viewers.subscribe(&organisation()),
        Slot::unlimited(),
    );
    assert!(stream.resume(Revision(seen), Revision(seen)));
    stream
}

fn stream(viewers: &Viewers) -> FrameStream {
    resumed(viewers, 0)
}

fn change(viewers: &Viewers, revision: i64) {
    change_of(viewers, revision, 1);
}

/// A commit with a text of this size.
fn change_of(viewers: &Viewers, revision: i64, size: usize) {
    viewers.on_commit(&Arc::new(Commit {
        organisation: OrganisationId::parse("org").unwrap(),
        revision: Revision(revision),
        events: vec![PublicEvent::new(EventKind::ComponentUpdate, &["x".repeat(size)]).unwrap()],
        may_have_messages: false,
        notice_bytes: 0,
        counts_as: None,
        scheduled_events: 0,
        past_impacts: 0,
    }));
}

impl FrameStream {
    /// Sends what is unsent.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        let bytes = poll_fn(|context| self.poll_unsent(context)).await?;
        self.advance(bytes.len());
        Some(bytes)
    }
}

/// The revision at the end of the next frame; `None` at the end of the stream.
async fn next(stream: &mut FrameStream) -> Option<i64> {
    loop {
        let chunk = stream.next().await?;
        let text = String::from_utf8(chunk.to_vec()).unwrap();
        if let Some((_, id)) = text.trim_end().rsplit_once("\nid: ") {
            return Some(id.parse().unwrap());
        }
    }
}

async fn assert_no_notifiers() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    NOTIFIERS.with_borrow(|notifiers| assert!(notifiers.is_empty()));
}

#[actix_web::test]
async fn waking_many_viewers_yields_to_other_tasks() {
    let (viewers, received) = (Viewers::default(), Rc::new(Cell::new(0)));
    let streams: Vec<_> = (0..10 * WAKE_BATCH)
        .map(|_| {
            let (mut stream, received) = (stream(&viewers), Rc::clone(&received));
            tokio::task::spawn_local(async move {
                assert_eq!(next(&mut stream).await, Some(1));
                received.set(received.get() + 1);
            })
        })
        .collect();
    tokio::task::yield_now().await;
    change(&viewers, 1);
    while received.get() == 0 {
        tokio::task::yield_now().await;
    }
    assert!(received.get() <= 2 * WAKE_BATCH);
    futures_util::future::join_all(streams)
        .await
        .into_iter()
        .for_each(Result::unwrap);
    assert_eq!(received.get(), 10 * WAKE_BATCH);
    viewers.close();
    assert_no_notifiers().await;
}

#[actix_web::test]
async fn leaving_viewer_does_not_block_others() {
    let viewers = Viewers::default();
    let (leaving, mut staying) = (stream(&viewers), stream(&viewers));
    let received =
        tokio::task::spawn_local(
            async move { (next(&mut staying).await, next(&mut staying).await) },
        );
    tokio::task::yield_now().await;
    drop(leaving);
    change(&viewers, 1);
    let mut coming = resumed(&viewers, 1);
    change(&viewers, 2);
    assert_eq!(received.await.unwrap(), (Some(1), Some(2)));
    assert_eq!(next(&mut coming).await, Some(2));
}

#[actix_web::test]
async fn viewer_too_far_behind_is_disconnected() {
    for (commits, size) in [(1000, 1), (10, 64 * 1024)] {
        let viewers = Viewers::default();
        let mut slow = stream(&viewers);
        for revision in 1..=commits {
            change_of(&viewers, revision, size);
            tokio::task::yield_now().await;
        }
        assert_eq!(next(&mut slow).await, None, "{commits} commits of {size}");
    }
}

#[actix_web::test]
async fn stalled_viewer_keeps_no_bytes_in_memory() {
    let viewers = Viewers::default();
    let mut stalled = stream(&viewers);
    change_of(&viewers, 1, 100_000);
    tokio::task::yield_now().await;
    let unsent = poll_fn(|context| stalled.poll_unsent(context)).await;
    stalled.advance(1000);
    let rest = poll_fn(|context| stalled.poll_unsent(context)).await;
    assert_eq!(rest, unsent.map(|bytes| bytes.slice(1000..)));
    for revision in 2..=10 {
        change_of(&viewers, revision, 100_000);
        tokio::task::yield_now().await;
    }
    assert!(matches!(stalled.feed.borrow().log.get(0), Found::Dropped));
    assert_eq!(stalled.next().await, None);
}

#[actix_web::test]
async fn viewer_that_does_not_read_learns_that_it_is_too_far_behind() {
    let viewers = Viewers::default();
    let mut stalled = stream(&viewers);
    change(&viewers, 1);
    tokio::task::yield_now().await;
    let ended = tokio::task::spawn_local(poll_fn(move |context| {
        let unsent = stalled.poll_unsent(context);
        stalled.wake_later(context);
        match unsent {
            Poll::Ready(Some(_)) => Poll::Pending,
            end => end,
        }
    }));
    for revision in 2..=1000 {
        change(&viewers, revision);
        tokio::task::yield_now().await;
    }
    assert_eq!(ended.await.unwrap(), None);
}

#[actix_web::test]
async fn bytes_before_the_live_commits_give_their_memory_back() {
    let viewers = Viewers::default();
    let mut back = stream(&viewers);
    back.start_with(
        (0..50).map(|_| Bytes::from_static(b"id: 1\n\n")),
        Revision(1),
    );
    let mut back = back.opened(Bytes::from_static(b":\n\n"));
    for _ in 0..51 {
        assert!(back.next().await.is_some());
    }
    assert_eq!(back.first.capacity(), 0);
    change(&viewers, 2);
    assert_eq!(next(&mut back).await, Some(2));
}

#[actix_web::test]
async fn reconnecting_viewer_resumes_from_the_log() {
    let viewers = Viewers::default();
    let mut watching = stream(&viewers);
    (1..=5).for_each(|revision| change(&viewers, revision));
    for (seen, revisions) in [(5, 6..=6), (3, 4..=6), (0, 1..=6)] {
        let mut back = resumed(&viewers, seen);
        if seen == 5 {
            change(&viewers, 6);
        }
        for revision in revisions {
            assert_eq!(next(&mut back).await, Some(revision), "after {seen}");
        }
    }
    assert_eq!(next(&mut watching).await, Some(1));
    let mut older = FrameStream::of(
        &organisation(),
        viewers.subscribe(&organisation()),
        Slot::unlimited(),
    );
    assert!(!older.resume(Revision(-1), Revision(6)), "it is not kept");
}

#[actix_web::test]
async fn stream_continues_after_resync_and_ends_at_a_gap() {
    let viewers = Viewers::default();
    let mut behind = FrameStream::of(
        &organisation(),
        viewers.subscribe(&organisation()),
        Slot::unlimited(),
    );
    behind.start_with([resync(Revision(7))], Revision(7));
    change(&viewers, 7);
    change(&viewers, 8);
    assert_eq!(next(&mut behind).await, Some(7));
    assert_eq!(next(&mut behind).await, Some(8));
    change(&viewers, 10);
    assert_eq!(next(&mut behind).await, None);
}

#[actix_web::test]
async fn waiting_viewer_receives_keep_alives() {
    let viewers = Viewers::default();
    let mut waiting = stream(&viewers);
    viewers.keep_alive();
    let ping = waiting.next().await.unwrap();
    assert_eq!(ping, "event: ping\ndata: []\n\n");
}

#[actix_web::test]
async fn channels_end_independently() {
    let viewers = Viewers::default();
    let mut before = stream(&viewers);
    let ended = tokio::task::spawn_local(async move { next(&mut before).await });
    tokio::task::yield_now().await;
    viewers.resync(&organisation());
    let mut after = stream(&viewers);
    assert_eq!(ended.await.unwrap(), None);
    let received =
        tokio::task::spawn_local(async move { (next(&mut after).await, next(&mut after).await) });
    tokio::task::yield_now().await;
    change(&viewers, 1);
    tokio::task::yield_now().await;
    viewers.close();
    assert_eq!(received.await.unwrap(), (Some(1), None));
    assert_no_notifiers().await;
}
