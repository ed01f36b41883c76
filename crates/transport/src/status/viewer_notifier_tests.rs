use super::*;

use std::cell::Cell;

use allclear_application::outbox::{Commit, PublicEvent};
use allclear_application::relay::CommitListener as _;
use futures_util::StreamExt as _;

use crate::status::viewers::{Viewers, resync};

fn organisation() -> OrganisationId {
    OrganisationId::parse("org").unwrap()
}

/// A viewer that has seen this revision.
fn resumed(viewers: &Viewers, seen: i64) -> FrameStream {
    let mut listener = FrameStream::of(
        &organisation(),
        viewers.subscribe(&organisation()),
        Slot::unlimited(),
    );
    assert!(listener.resume(Revision(seen), Revision(seen)));
    listener
}

fn listener(viewers: &Viewers) -> FrameStream {
    resumed(viewers, 0)
}

fn change(viewers: &Viewers, revision: i64) {
    change_of(viewers, revision, 1);
}

/// A commit with a text of this size.
fn change_of(viewers: &Viewers, revision: i64, size: usize) {
    viewers.tell(&Arc::new(Commit {
        organisation: "org".into(),
        revision,
        events: vec![PublicEvent::new("component-update", &["x".repeat(size)]).unwrap()],
    }));
}

/// The revision at the end of what comes next; `None` at the end of the stream.
async fn next(listener: &mut FrameStream) -> Option<i64> {
    loop {
        let piece = listener.next().await?;
        let text = String::from_utf8(piece.to_vec()).unwrap();
        if let Some((_, id)) = text.trim_end().rsplit_once("\nid: ") {
            return Some(id.parse().unwrap());
        }
    }
}

async fn nobody_cries() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    CRIERS.with_borrow(|criers| assert!(criers.is_empty()));
}

#[actix_web::test]
async fn who_comes_while_many_are_told_does_not_wait_for_all_of_them() {
    let (viewers, told) = (Viewers::default(), Rc::new(Cell::new(0)));
    let listening: Vec<_> = (0..10 * AT_ONCE)
        .map(|_| {
            let (mut listener, told) = (listener(&viewers), Rc::clone(&told));
            tokio::task::spawn_local(async move {
                assert_eq!(next(&mut listener).await, Some(1));
                told.set(told.get() + 1);
            })
        })
        .collect();
    tokio::task::yield_now().await;
    change(&viewers, 1);
    while told.get() == 0 {
        tokio::task::yield_now().await;
    }
    assert!(told.get() <= 2 * AT_ONCE);
    futures_util::future::join_all(listening)
        .await
        .into_iter()
        .for_each(Result::unwrap);
    assert_eq!(told.get(), 10 * AT_ONCE);
    viewers.close();
    nobody_cries().await;
}

#[actix_web::test]
async fn who_leaves_while_others_wait_holds_nobody_up() {
    let viewers = Viewers::default();
    let (leaving, mut staying) = (listener(&viewers), listener(&viewers));
    let heard =
        tokio::task::spawn_local(
            async move { (next(&mut staying).await, next(&mut staying).await) },
        );
    tokio::task::yield_now().await;
    drop(leaving);
    change(&viewers, 1);
    let mut coming = resumed(&viewers, 1);
    change(&viewers, 2);
    assert_eq!(heard.await.unwrap(), (Some(1), Some(2)));
    assert_eq!(next(&mut coming).await, Some(2));
}

#[actix_web::test]
async fn viewer_that_falls_behind_in_commits_or_in_bytes_is_left() {
    for (commits, size) in [(1000, 1), (10, 64 * 1024)] {
        let viewers = Viewers::default();
        let mut slow = listener(&viewers);
        for revision in 1..=commits {
            change_of(&viewers, revision, size);
            tokio::task::yield_now().await;
        }
        assert_eq!(next(&mut slow).await, None, "{commits} commits of {size}");
    }
}

#[actix_web::test]
async fn viewer_that_stopped_within_a_commit_holds_none_of_its_bytes() {
    let viewers = Viewers::default();
    let mut stalled = listener(&viewers);
    change_of(&viewers, 1, 100_000);
    tokio::task::yield_now().await;
    assert_eq!(stalled.next().await.map(|piece| piece.len()), Some(PIECE));
    for revision in 2..=10 {
        change_of(&viewers, revision, 100_000);
        tokio::task::yield_now().await;
    }
    assert!(matches!(stalled.feed.borrow().log.get(0), Found::Dropped));
    assert!(stalled.first.is_empty());
    assert_eq!(stalled.next().await, None);
}

#[actix_web::test]
async fn viewer_that_comes_back_resumes_from_the_log() {
    let viewers = Viewers::default();
    let mut watching = listener(&viewers);
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
async fn stream_goes_on_after_resync_and_ends_where_a_commit_is_missing() {
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
async fn a_sign_of_life_comes_to_a_viewer_that_waits() {
    let viewers = Viewers::default();
    let mut waiting = listener(&viewers);
    viewers.keep_alive();
    assert_eq!(waiting.next().await.as_deref(), Some(&b":\n\n"[..]));
}

#[actix_web::test]
async fn every_channel_has_its_own_end() {
    let viewers = Viewers::default();
    let mut before = listener(&viewers);
    let ended = tokio::task::spawn_local(async move { next(&mut before).await });
    tokio::task::yield_now().await;
    viewers.resync(&organisation());
    let mut after = listener(&viewers);
    assert_eq!(ended.await.unwrap(), None);
    let heard =
        tokio::task::spawn_local(async move { (next(&mut after).await, next(&mut after).await) });
    tokio::task::yield_now().await;
    change(&viewers, 1);
    tokio::task::yield_now().await;
    viewers.close();
    assert_eq!(heard.await.unwrap(), (Some(1), None));
    nobody_cries().await;
}
