use super::*;
use crate::limit::concurrency::MAX_WAITING_OF_CALLER;
use actix_web::ResponseError;
use actix_web::body::to_bytes;
use actix_web::http::Method;
use actix_web::test::TestRequest;
use allclear_application::outbox::PublicEvent;
use allclear_domain::event::EventKind;
use futures_util::FutureExt as _;
use uuid::Uuid;

fn usage(writes: Option<(u32, u32)>, text: u32) -> Usage {
    let limits = WriteLimits {
        writes: writes.map(|(burst, per_hour)| RateLimit { burst, per_hour }),
        text: NonZeroU32::new(text),
    };
    let concurrency = Concurrency {
        reads: 1,
        writes: 1,
    };
    Usage::new(limits, concurrency)
}

fn organisation(id: &str) -> OrganisationId {
    OrganisationId::parse(id).unwrap()
}

fn request(method: Method, header: (&str, &str)) -> HttpRequest {
    TestRequest::default()
        .method(method)
        .insert_header(header)
        .to_http_request()
}

fn post(bytes: &str) -> HttpRequest {
    request(Method::POST, ("content-length", bytes))
}

#[actix_web::test]
async fn write_over_the_limit_is_refused_for_its_organisation_only() {
    let usage = usage(Some((2, 60)), 0);
    let (one, other) = (organisation("one"), organisation("other"));
    for method in [Method::POST, Method::DELETE] {
        let request = request(method, ("content-length", "0"));
        assert!(usage.take_write(&one, WriteKind::Person, &request).is_ok());
    }
    let error = usage
        .take_write(&one, WriteKind::Person, &post("2"))
        .unwrap_err()
        .error_response();
    assert_eq!(error.status(), 429);
    let wait = error.headers().get("retry-after").unwrap().to_str();
    assert!((1..=61).contains(&wait.unwrap().parse::<u64>().unwrap()));
    let body = to_bytes(error.into_body()).await.unwrap();
    assert!(String::from_utf8_lossy(&body).contains("ALLCLEAR_LIMIT_WRITES"));
    assert!(
        usage
            .take_write(&other, WriteKind::Person, &post("2"))
            .is_ok()
    );
    let read = request(Method::GET, ("accept", "*/*"));
    assert!(
        usage
            .begin(&one, "ada", WriteKind::Person, &read)
            .await
            .is_ok()
    );
}

#[actix_web::test]
async fn write_with_too_much_text_is_not_counted_as_a_change() {
    let usage = usage(Some((1, 60)), 100);
    let one = organisation("one");
    assert!(
        usage
            .take_write(&one, WriteKind::Person, &post("101"))
            .is_err()
    );
    assert!(
        usage
            .take_write(&one, WriteKind::Person, &post("2"))
            .is_ok()
    );
}

#[actix_web::test]
async fn commit_with_many_events_counts_as_several_changes() {
    let usage = usage(Some((10, 60)), 0);
    let (one, other) = (organisation("one"), organisation("other"));
    let post = post("0");
    let commit = |events: u32| {
        let kinds = vec![EventKind::ComponentUpdate; events as usize];
        Commit::example("one", 1, &kinds)
    };
    usage.count_commit(&commit(EVENTS_OF_A_CHANGE - 1));
    for _ in 0..10 {
        assert!(usage.take_write(&one, WriteKind::Person, &post).is_ok());
    }
    usage.count_commit(&commit(10 * EVENTS_OF_A_CHANGE));
    let refused = usage
        .take_write(&one, WriteKind::Person, &post)
        .unwrap_err()
        .error_response();
    let wait = refused.headers().get("retry-after").unwrap().to_str();
    assert!((600..=661).contains(&wait.unwrap().parse::<u64>().unwrap()));
    assert!(usage.take_write(&other, WriteKind::Person, &post).is_ok());
}

#[actix_web::test]
async fn what_a_commit_stores_again_counts_as_text() {
    let usage = usage(None, 2 * ORDINARY_COMMIT);
    let one = organisation("one");
    let commit = |kind, bytes: u32| {
        let mut commit = Commit::example("one", 1, &[]);
        let text = "x".repeat(bytes as usize);
        commit.events.push(PublicEvent::new(kind, &[text]).unwrap());
        commit
    };
    // Quotation marks and brackets are part of the event.
    usage.count_commit(&commit(EventKind::ComponentUpdate, ORDINARY_COMMIT - 4));
    usage.count_commit(&commit(EventKind::NewComponent, 3 * ORDINARY_COMMIT));
    usage.count_commit(&commit(EventKind::TimelineUpdated, 3 * ORDINARY_COMMIT));
    assert!(
        usage
            .take_write(&one, WriteKind::Person, &post("1000"))
            .is_ok()
    );
    usage.count_commit(&commit(EventKind::ComponentUpdate, 3 * ORDINARY_COMMIT));
    assert!(
        usage
            .take_write(&one, WriteKind::Person, &post("1000"))
            .is_err()
    );
}

#[actix_web::test]
async fn notices_of_a_commit_count_as_text() {
    let usage = usage(None, 2 * ORDINARY_COMMIT);
    let one = organisation("one");
    let commit = |notice_bytes: u32| Commit {
        notice_bytes: notice_bytes as usize,
        ..Commit::example("one", 1, &[EventKind::NewIncident])
    };
    usage.count_commit(&commit(ORDINARY_COMMIT));
    let write = || usage.take_write(&one, WriteKind::Person, &post("1000"));
    assert!(write().is_ok());
    usage.count_commit(&commit(3 * ORDINARY_COMMIT));
    assert!(write().is_err());
}

#[test]
fn past_impacts_of_a_commit_count_as_text() {
    let usage = usage(None, 100_000);
    let one = organisation("one");
    let commit = |past_impacts| Commit {
        past_impacts,
        ..Commit::example("one", 1, &[EventKind::NewIncident])
    };
    let write = || usage.take_write(&one, WriteKind::Person, &post("1000"));
    usage.count_commit(&commit(ORDINARY_COMMIT as usize / PAST_IMPACT));
    assert!(write().is_ok());
    usage.count_commit(&commit(300));
    assert!(write().is_err());
}

#[actix_web::test]
async fn request_without_a_permit_takes_nothing_of_the_limits() {
    let taken = u32::try_from(MAX_WAITING_OF_CALLER).unwrap() + 1;
    let usage = usage(Some((taken + 1, 1)), (taken + 1) * 100);
    let one = organisation("one");
    let requests = vec![(); MAX_WAITING_OF_CALLER + 1].into_iter();
    let requests: Vec<_> = requests.map(|()| post("100")).collect();
    let another = post("100");
    // Without the cooperative budget of a task, which these requests would use up.
    let begin = |request| {
        let begun = usage.begin(&one, "ada", WriteKind::Person, request);
        Box::pin(tokio::task::unconstrained(begun))
    };
    let mut waiting: Vec<_> = requests.iter().map(begin).collect();
    for request in &mut waiting {
        let _ = request.as_mut().now_or_never();
    }
    assert!(begin(&another).now_or_never().unwrap().is_err());
    let count = || usage.take_write(&one, WriteKind::Person, &another);
    assert!(count().is_ok());
    assert!(count().is_err());
}

#[actix_web::test]
async fn messages_have_a_bound_of_their_own_and_take_no_permit_of_other_writes() {
    let usage = usage(None, 0);
    let one = organisation("one");
    let requests: Vec<_> = (0..=MAX_MESSAGES).map(|_| post("0")).collect();
    let (last, first) = requests.split_last().unwrap();
    let mut sending = Vec::new();
    for request in first {
        let begun = usage.begin(&one, "ada", WriteKind::Person, request);
        assert!(begun.await.is_ok());
        let permit = usage.begin_message(&one, request).await;
        assert!(permit.is_ok());
        sending.push(permit);
    }
    let begun = usage.begin(&one, "ada", WriteKind::Person, last);
    assert!(begun.await.is_ok(), "their permits are free");
    let message = usage.begin_message(&one, last);
    assert!(message.now_or_never().is_none());
    drop(sending);
    assert!(usage.begin_message(&one, last).await.is_ok());
}

#[actix_web::test]
async fn requests_of_an_organisation_wait_for_others_of_their_kind() {
    let usage = usage(None, 0);
    let (one, other) = (organisation("one"), organisation("other"));
    let read = || request(Method::GET, ("accept", "*/*"));
    for request in [read, || post("0")] {
        let held = request();
        assert!(
            usage
                .begin(&one, "ada", WriteKind::Person, &held)
                .await
                .is_ok()
        );
        assert!(
            usage
                .begin(&one, "ada", WriteKind::Person, &request())
                .now_or_never()
                .is_none()
        );
        assert!(
            usage
                .begin(&other, "ada", WriteKind::Person, &request())
                .await
                .is_ok()
        );
        drop(held);
        assert!(
            usage
                .begin(&one, "ada", WriteKind::Person, &request())
                .await
                .is_ok()
        );
    }
    let request = read();
    assert!(
        usage
            .begin(&one, "ada", WriteKind::Person, &request)
            .await
            .is_ok()
    );
    let begin = |kind, request| usage.begin_long(&one, kind, request);
    let export = begin(LongRequest::AuditExport, &request).await;
    assert!(
        usage
            .begin(&one, "ada", WriteKind::Person, &read())
            .await
            .is_ok()
    );
    let next = read();
    let other_kind = begin(LongRequest::SubscriberExport, &next).await;
    assert!(other_kind.is_ok());
    let same_kind = || begin(LongRequest::AuditExport, &next);
    assert!(
        usage
            .begin(&one, "ada", WriteKind::Person, &next)
            .await
            .is_ok()
    );
    let mut waiting = Box::pin(same_kind());
    assert!(waiting.as_mut().now_or_never().is_none());
    assert!(
        usage
            .begin(&one, "ada", WriteKind::Person, &read())
            .await
            .is_ok(),
        "its permit is free"
    );
    drop(waiting);
    drop(export);
    assert!(same_kind().await.is_ok());
    let import = post("0");
    assert!(
        usage
            .begin(&one, "ada", WriteKind::Person, &import)
            .await
            .is_ok()
    );
    release(&import);
    assert!(
        usage
            .begin(&one, "ada", WriteKind::Person, &post("0"))
            .await
            .is_ok()
    );
}

#[actix_web::test]
async fn session_reads_of_one_account_leave_connections_to_others() {
    let usage = usage(None, 0);
    let [ann, bob] = [1, 2].map(|number| UserId(Uuid::from_u128(number)));
    let read = || request(Method::GET, ("accept", "*/*"));
    let first = read();
    assert!(usage.begin_session(ann, &first).await.is_ok());
    let requests: Vec<_> = (0..=MAX_WAITING_SESSIONS).map(|_| read()).collect();
    // Without the cooperative budget of a task, which these requests would use up.
    let begin = |request| {
        let begun = usage.begin_session(ann, request);
        Box::pin(tokio::task::unconstrained(begun))
    };
    let mut begun: Vec<_> = requests.iter().map(begin).collect();
    let (last, waiting) = begun.split_last_mut().unwrap();
    for request in waiting {
        assert!(request.as_mut().now_or_never().is_none());
    }
    assert!(last.as_mut().now_or_never().unwrap().is_err());
    assert!(usage.begin_session(bob, &read()).await.is_ok());
    release(&first);
    let next = begun[0].as_mut().now_or_never();
    assert!(next.unwrap().is_ok());
}

#[actix_web::test]
async fn requests_of_one_caller_do_not_delay_those_of_others() {
    let usage = usage(None, 0);
    let one = organisation("one");
    let (first, second, other) = (post("0"), post("0"), post("0"));
    let begin = |caller, request| usage.begin(&one, caller, WriteKind::Person, request);
    assert!(begin("ada", &first).await.is_ok());
    let mut waiting = Box::pin(begin("ada", &second));
    let mut of_other = Box::pin(begin("bob", &other));
    assert!(waiting.as_mut().now_or_never().is_none());
    assert!(of_other.as_mut().now_or_never().is_none());
    release(&first);
    assert!(waiting.as_mut().now_or_never().is_none());
    assert!(of_other.now_or_never().is_some());
}

#[actix_web::test]
async fn changes_that_only_admins_may_make_do_not_wait_for_writes() {
    let usage = usage(Some((1, 60)), 1_000);
    let one = organisation("one");
    let requests = ["0"; 4].map(post);
    let [write, second, revocation, other] = &requests;
    let begin = |kind, request| usage.begin(&one, "ada", kind, request);
    assert!(begin(WriteKind::Person, write).await.is_ok());
    assert!(begin(WriteKind::Person, second).await.is_err());
    assert!(begin(WriteKind::Administration, revocation).await.is_ok());
    assert!(begin(WriteKind::Administration, other).await.is_err());
}

#[test]
fn text_of_admins_is_bounded_apart_and_keeps_no_admin_from_changes_without_text() {
    let usage = usage(None, 10_000);
    let one = organisation("one");
    let take = |kind, bytes| usage.take_write(&one, kind, &post(bytes));
    assert!(take(WriteKind::Administration, "8000").is_ok());
    let refused = take(WriteKind::Administration, "8000").unwrap_err();
    assert_eq!(refused.error_response().status(), 429);
    assert!(refused.to_string().contains("ALLCLEAR_LIMIT_TEXT"));
    assert!(take(WriteKind::Administration, "0").is_ok());
    for kind in [WriteKind::Person, WriteKind::ApiKey] {
        assert!(take(kind, "8000").is_ok());
    }
}

#[test]
fn short_change_of_an_organisation_with_a_long_description_counts_as_text_of_admins() {
    let usage = usage(None, 50_000);
    let one = organisation("one");
    let event = PublicEvent::new(EventKind::OrganisationUpdated, &["x".repeat(40_000)]);
    let renamed = Commit {
        events: vec![event.unwrap()],
        counts_as: Some(WriteKind::Administration),
        ..Commit::example("one", 1, &[])
    };
    let take = |kind, bytes| usage.take_write(&one, kind, &post(bytes));
    usage.count_commit(&renamed);
    assert!(take(WriteKind::Administration, "20").is_ok());
    usage.count_commit(&renamed);
    assert!(take(WriteKind::Administration, "20").is_err());
    assert!(take(WriteKind::Administration, "0").is_ok());
    assert!(take(WriteKind::Person, "40000").is_ok());
}

#[test]
fn api_keys_leave_the_limits_of_people_to_them() {
    let usage = usage(Some((10, 60)), 10_000);
    let one = organisation("one");
    let take = |kind, request| usage.take_write(&one, kind, request);
    let (short, long) = (post("1"), post("8000"));
    assert!(take(WriteKind::ApiKey, &long).is_ok());
    let refused = take(WriteKind::ApiKey, &long).unwrap_err().to_string();
    assert!(refused.starts_with("The API keys of the organisation have recently written"));
    let large = Commit {
        counts_as: Some(WriteKind::ApiKey),
        ..Commit::example("one", 1, &[EventKind::ComponentUpdate; 1_000])
    };
    usage.count_commit(&large);
    assert!(take(WriteKind::ApiKey, &short).is_err());
    assert!(take(WriteKind::Person, &long).is_ok());
    assert!((0..9).all(|_| take(WriteKind::Person, &short).is_ok()));
    assert!(take(WriteKind::Person, &short).is_err());
}

/// A commit with a thousand events and much text.
fn large(counts_as: Option<WriteKind>) -> Commit {
    Commit {
        counts_as,
        notice_bytes: 100_000,
        ..Commit::example("one", 1, &[EventKind::MaintenanceUpdated; 1_000])
    }
}

#[test]
fn commits_of_the_clock_and_of_admins_count_for_neither_people_nor_keys() {
    let usage = usage(Some((2, 60)), 10_000);
    let one = organisation("one");
    usage.count_commit(&large(None));
    usage.count_commit(&large(Some(WriteKind::Administration)));
    for kind in [WriteKind::Person, WriteKind::ApiKey] {
        assert!(usage.take_write(&one, kind, &post("9000")).is_ok());
    }
    usage.count_commit(&large(Some(WriteKind::ApiKey)));
    let write = |kind| usage.take_write(&one, kind, &post("1"));
    assert!(write(WriteKind::ApiKey).is_err());
    assert!(write(WriteKind::Person).is_ok());
}

#[test]
fn events_that_the_clock_will_publish_count_when_they_are_scheduled() {
    let one = organisation("one");
    let scheduling = |scheduled_events: u32| Commit {
        counts_as: Some(WriteKind::ApiKey),
        scheduled_events: scheduled_events as usize,
        ..Commit::example("one", 1, &[EventKind::NewMaintenance])
    };
    let writes = usage(Some((10, 60)), 0);
    writes.count_commit(&scheduling(9 * EVENTS_OF_A_CHANGE));
    let write = |kind| writes.take_write(&one, kind, &post("1"));
    assert!(write(WriteKind::ApiKey).is_ok());
    assert!(write(WriteKind::ApiKey).is_err());
    assert!(write(WriteKind::Person).is_ok());
    let text = usage(None, 100_000);
    text.count_commit(&scheduling(50));
    let write = |kind| text.take_write(&one, kind, &post("9000"));
    assert!(write(WriteKind::ApiKey).is_err());
    assert!(write(WriteKind::Person).is_ok());
}

#[test]
fn maintenance_that_is_scheduled_counts_as_often_as_the_clock_stores_it() {
    let one = organisation("one");
    let event = PublicEvent::new(EventKind::NewMaintenance, &["x".repeat(10_000)]).unwrap();
    let created = Commit {
        events: vec![event],
        notice_bytes: 10_000,
        ..Commit::example("one", 1, &[])
    };
    let scheduled = Commit {
        scheduled_events: 2,
        ..created.clone()
    };
    for (commit, may_write) in [(created, true), (scheduled, false)] {
        let usage = usage(None, 50_000);
        usage.count_commit(&commit);
        let written = usage.take_write(&one, WriteKind::Person, &post("10000"));
        assert_eq!(written.is_ok(), may_write);
    }
}

#[actix_web::test]
async fn bytes_of_chunked_bodies_are_counted_too() {
    let usage = usage(None, 300_000);
    let one = organisation("one");
    assert!(
        usage
            .take_write(&one, WriteKind::Person, &post("40000"))
            .is_ok()
    );
    let chunked = request(Method::POST, ("transfer-encoding", "chunked"));
    assert!(
        usage.take_write(&one, WriteKind::Person, &chunked).is_err(),
        "it may be 262,144"
    );
    assert!(
        usage
            .take_write(&one, WriteKind::Person, &post("250000"))
            .is_ok()
    );
    let error = usage
        .take_write(&one, WriteKind::Person, &post("250000"))
        .unwrap_err();
    assert!(error.to_string().contains("ALLCLEAR_LIMIT_TEXT"));
    assert!(
        usage
            .take_write(&one, WriteKind::Person, &post("0"))
            .is_ok()
    );
}

#[test]
fn a_file_counts_as_what_it_is() {
    let usage = usage(None, 1_000_000);
    let one = organisation("one");
    let file = |bytes: &str| {
        TestRequest::post()
            .insert_header(("content-type", "text/csv"))
            .insert_header(("content-length", bytes))
            .to_http_request()
    };
    assert!(
        usage
            .take_write(&one, WriteKind::Person, &file("900000"))
            .is_ok()
    );
    assert!(
        usage
            .take_write(&one, WriteKind::Person, &file("900000"))
            .is_err()
    );
}

#[test]
fn disabled_limits_refuse_nothing() {
    let usage = usage(None, 0);
    let one = organisation("one");
    assert!((0..1000).all(|_| {
        usage
            .take_write(&one, WriteKind::Person, &post("262144"))
            .is_ok()
    }));
}
