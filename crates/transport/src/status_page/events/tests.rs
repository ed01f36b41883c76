use super::*;

use allclear_application::broadcast::MockBroadcast;
use allclear_application::outbox::{Commit, MockOutbox};
use allclear_domain::event::EventKind;

use crate::limit::slots::Slot;

#[test]
fn reconnection_times_are_spread_over_their_whole_range() {
    let mut tenths = [0; 10];
    for _ in 0..1000 {
        let text = String::from_utf8(opening().to_vec()).unwrap();
        let time = text
            .strip_prefix(": allclear\nretry: ")
            .and_then(|rest| rest.strip_suffix("\n\n"));
        let time: u32 = time.unwrap().parse().unwrap();
        assert!(RETRY_MILLISECONDS.contains(&time), "{time}");
        let span = RETRY_MILLISECONDS.end() - RETRY_MILLISECONDS.start() + 1;
        tenths[((time - RETRY_MILLISECONDS.start()) * 10 / span) as usize] += 1;
    }
    assert!(tenths.iter().all(|count| *count > 0), "{tenths:?}");
}

/// Streams of an organisation with ten commits, whose outbox is read at most this often.
fn streams(reads: usize) -> EventStreams {
    let mut outbox = MockOutbox::new();
    outbox
        .expect_revisions()
        .returning(|wanted| Ok(wanted.iter().map(|id| (id.clone(), Revision(10))).collect()));
    outbox
        .expect_between()
        .times(..=reads)
        .returning(|_, seen, delivered, _| {
            let later = seen.0 + 1..=delivered.0;
            let commits = later
                .map(|revision| Commit::example("org", revision, &[EventKind::ComponentUpdate]));
            Ok(Some(commits.collect()))
        });
    streams_of(outbox)
}

fn streams_of(outbox: MockOutbox) -> EventStreams {
    let outbox: Arc<dyn Outbox> = Arc::new(outbox);
    let relay = Relay::new(Arc::clone(&outbox), Arc::new(MockBroadcast::new()));
    EventStreams::new(Arc::default(), Arc::new(relay), outbox)
}

async fn resumed(streams: &EventStreams, seen: i64) -> FrameStream {
    let organisation = OrganisationId::parse("org").unwrap();
    let subscription = streams.viewers.subscribe(&organisation);
    let mut live = FrameStream::of(&organisation, subscription, Slot::unlimited());
    let seen = Some(Revision(seen));
    streams.start(&mut live, &organisation, seen).await.unwrap();
    live
}

/// The revisions that a viewer receives at once.
fn received(live: &mut FrameStream) -> Vec<i64> {
    let mut revisions = Vec::new();
    while let Some(Some(bytes)) = futures_util::FutureExt::now_or_never(live.next()) {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let id = text.trim_end().rsplit_once("id: ").unwrap().1;
        revisions.push(id.parse().unwrap());
    }
    revisions
}

#[actix_web::test]
async fn viewers_who_return_together_read_the_outbox_once() {
    let streams = streams(1);
    let mut back = Vec::new();
    for seen in [3, 3, 5, 9] {
        back.push(resumed(&streams, seen).await);
    }
    let received: Vec<_> = back.iter_mut().map(received).collect();
    let expected: Vec<Vec<i64>> = [3, 3, 5, 9].map(|seen| (seen + 1..=10).collect()).into();
    assert_eq!(received, expected);
}

#[actix_web::test]
async fn viewer_that_was_disconnected_for_longer_adds_older_commits() {
    let streams = streams(2);
    let mut first = resumed(&streams, 7).await;
    let mut second = resumed(&streams, 2).await;
    assert_eq!(received(&mut first), [8, 9, 10]);
    assert_eq!(received(&mut second), [3, 4, 5, 6, 7, 8, 9, 10]);
    let mut third = resumed(&streams, 4).await;
    assert_eq!(received(&mut third), [5, 6, 7, 8, 9, 10]);
}

#[actix_web::test]
async fn viewer_that_has_missed_too_many_commits_reads_nothing_of_the_outbox() {
    let mut outbox = MockOutbox::new();
    outbox.expect_revisions().returning(|wanted| {
        let newest = Revision(CATCH_UP + 1);
        Ok(wanted.iter().map(|id| (id.clone(), newest)).collect())
    });
    let streams = streams_of(outbox);
    for seen in [i64::MIN, NO_REVISION, 0] {
        let mut viewer = resumed(&streams, seen).await;
        assert_eq!(received(&mut viewer), [CATCH_UP + 1]);
    }
}

#[actix_web::test]
async fn viewers_of_one_organisation_do_not_delay_those_of_others() {
    let streams = streams(2);
    let [org, other] = ["org", "other"].map(|id| OrganisationId::parse(id).unwrap());
    let reading = streams.read_permit(&org).await;
    assert!(reading.is_some());
    let mut second = Box::pin(streams.read_permit(&org));
    assert!(futures_util::poll!(second.as_mut()).is_pending());
    assert!(streams.read_permit(&other).await.is_some());
    drop(reading);
    assert!(second.await.is_some());
}
