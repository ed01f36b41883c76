use super::*;

use std::sync::Arc;

use allclear_domain::component::{Component, ComponentDraft, ComponentStatus};
use allclear_domain::status_period::PeriodCause;
use chrono::TimeDelta;
use uuid::Uuid;

use crate::broadcast::MockBroadcast;
use crate::component::{ComponentReport, MockComponentStore};
use crate::fixture::{clock, committed, now, organisation, stamp};
use crate::outbox::{Commit, MockOutbox};
use crate::relay::Relay;
use crate::stamp::Stamp;

const ID: ComponentId = ComponentId(Uuid::from_u128(1));
const VERSION: Revision = Revision(4);

fn author() -> Author {
    Author {
        id: "user".into(),
        name: "Ada".into(),
    }
}

/// The span between two times, each in hours ago.
fn span(from: i64, to: i64) -> StatusSpan {
    StatusSpan {
        status: ComponentStatus::MajorOutage,
        start_at: now() - TimeDelta::hours(from),
        end_at: Some(now() - TimeDelta::hours(to)),
    }
}

fn component() -> Component {
    let draft = ComponentDraft {
        name: "API".into(),
        ..ComponentDraft::default()
    };
    let created = Component::create(ID, draft, TimeZone::default(), now());
    Component {
        history_version: VERSION,
        ..created.unwrap().state
    }
}

/// A service over this store that must broadcast exactly this many commits.
fn service(histories: MockComponentHistoryStore, broadcasts: usize) -> Components {
    let mut broadcast = MockBroadcast::new();
    broadcast
        .expect_publish()
        .times(broadcasts)
        .return_const(());
    let relay = Relay::new(Arc::new(MockOutbox::new()), Arc::new(broadcast));
    let mut components = MockComponentStore::new();
    components.expect_find().returning(|_, _| {
        Ok(Some(ComponentReport {
            component: component(),
            under_maintenance: false,
        }))
    });
    Components::new(
        Arc::new(components),
        Arc::new(histories),
        Arc::new(relay),
        clock(),
    )
}

/// A store whose history is at [`VERSION`] and has no periods.
fn empty_history() -> MockComponentHistoryStore {
    let mut store = MockComponentHistoryStore::new();
    store.expect_change_history().returning(|_, _, _, rule| {
        let history = ComponentHistory {
            component: component(),
            periods: Vec::new(),
        };
        let changed = rule(history, stamp())?;
        let commit = Commit {
            organisation: organisation(),
            revision: Revision(5),
            events: Vec::new(),
            may_have_messages: false,
            notice_bytes: 0,
            counts_as: None,
            scheduled_events: 0,
            past_impacts: 0,
        };
        Ok(Some(Committed {
            state: changed.state,
            commit: Some(commit),
        }))
    });
    store
}

fn add(span: StatusSpan, expected: Revision) -> impl Future<Output = Result<StatusPeriod, Error>> {
    let is_stored = expected == VERSION && span.end_at.is_some_and(|end_at| end_at <= now());
    let service = service(empty_history(), usize::from(is_stored));
    let precondition = Precondition::OneOf(vec![expected]);
    async move {
        let acme = organisation();
        let added = service.add_period(&acme, ID, span, author(), precondition);
        added.await.map(|change| change.period)
    }
}

#[tokio::test]
async fn a_period_is_added_with_the_identifier_of_the_commit() {
    let period = add(span(2, 1), VERSION).await.unwrap();
    assert_eq!((period.id.0, period.span), (stamp().id, span(2, 1)));
}

#[tokio::test]
async fn a_change_of_another_version_is_stale() {
    assert!(matches!(
        add(span(2, 1), Revision(3)).await,
        Err(Error::Stale)
    ));
    let service = service(empty_history(), 0);
    let old = || Precondition::OneOf(vec![Revision(3)]);
    let (acme, period) = (organisation(), StatusPeriodId(Uuid::nil()));
    let changed = service.change_period(&acme, ID, period, span(2, 1), old());
    assert!(matches!(changed.await, Err(Error::Stale)));
    let deleted = service.delete_period(&acme, ID, period, old());
    assert!(matches!(deleted.await, Err(Error::Stale)));
}

#[tokio::test]
async fn a_period_of_the_future_is_invalid() {
    let result = add(span(2, -1), VERSION).await;
    let error = Invalid::field("endAt", "End must not be in the future");
    assert!(matches!(result, Err(Error::Invalid(invalid)) if invalid == error));
}

#[tokio::test]
async fn an_unknown_period_is_not_found() {
    let service = service(empty_history(), 0);
    let period = StatusPeriodId(Uuid::nil());
    let acme = organisation();
    let deleted = service.delete_period(&acme, ID, period, Precondition::Any);
    assert!(matches!(
        deleted.await,
        Err(Error::NotFound(Resource::Period))
    ));
}

#[tokio::test]
async fn a_changed_status_notifies_if_the_organisation_notifies_by_default() {
    let period = StatusPeriod {
        id: StatusPeriodId(Uuid::nil()),
        span: StatusSpan {
            end_at: None,
            ..span(1, 0)
        },
        cause: PeriodCause::Operator(None),
        version: VERSION,
    };
    let (acme, id) = (organisation(), period.id);
    for notify_by_default in [true, false] {
        let known = period.clone();
        let mut store = MockComponentHistoryStore::new();
        store
            .expect_change_history()
            .returning(move |_, _, _, rule| {
                let history = ComponentHistory {
                    component: Component {
                        status: ComponentStatus::MajorOutage,
                        ..component()
                    },
                    periods: vec![known.clone()],
                };
                let stamp = Stamp {
                    notify_by_default,
                    ..stamp()
                };
                let changed = rule(history, stamp)?;
                assert_eq!(changed.notices.len(), usize::from(notify_by_default));
                Ok(Some(committed(changed.state)))
            });
        let service = service(store, 2);
        let ended = service.change_period(&acme, ID, id, span(1, 0), Precondition::Any);
        ended.await.unwrap();
        let deleted = service.delete_period(&acme, ID, id, Precondition::Any);
        deleted.await.unwrap();
    }
}

#[tokio::test]
async fn reversed_days_are_invalid() {
    let today = now().date_naive();
    let days = RequestedPeriods {
        from: Some(DayOrTime::Day(today)),
        to: today.pred_opt().map(DayOrTime::Day),
    };
    let mut store = MockComponentHistoryStore::new();
    store.expect_zone().returning(|_| Ok(TimeZone::default()));
    let service = service(store, 0);
    let acme = organisation();
    let read = service.history(&acme, ID, days, Page::default());
    assert!(matches!(read.await, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn uptime_is_of_the_last_ninety_days_in_the_pages_zone() {
    let mut store = MockComponentHistoryStore::new();
    store
        .expect_zone()
        .returning(|_| Ok("Asia/Tokyo".parse().unwrap()));
    // 2023-11-14 22:13:20 in UTC is the day after in Tokyo.
    let first: DateTime<Utc> = "2023-08-17T15:00:00Z".parse().unwrap();
    let last: DateTime<Utc> = "2023-11-15T15:00:00Z".parse().unwrap();
    store
        .expect_spans()
        .withf(move |_, id, from, to| (*id, *from, *to) == (ID, first, last))
        .returning(|_, _, _, _| {
            Ok(NewestSpans {
                spans: vec![span(1, 0)],
                known_since: None,
            })
        });
    store
        .expect_related_incidents()
        .returning(|_, _, _, _| Ok(Vec::new()));
    let found = service(store, 0)
        .uptime(&organisation(), ID, RequestedDays::default())
        .await
        .unwrap();
    assert_eq!(found.range.last.to_string(), "2023-11-15");
    // The component was created on the day before in UTC.
    assert_eq!(found.uptime.counted_days, 2);
    assert_eq!(found.uptime.seconds().major, 3600);
}
