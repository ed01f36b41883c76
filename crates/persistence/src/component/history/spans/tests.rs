use allclear_domain::component::ComponentStatus;
use chrono::TimeDelta;
use sea_orm::ActiveValue::Set;

use super::*;
use crate::database::Database;
use crate::entity::component_period;
use crate::fixture::{add_organisation, insert, on_each_database};

const MANY_HOURS: Uuid = Uuid::from_u128(1);
const ONE_HOUR: Uuid = Uuid::from_u128(2);
const NO_HOUR: Uuid = Uuid::from_u128(3);

fn hour(number: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::hours(number)
}

/// A status that ended half an hour after an hour began.
fn span(number: i64) -> StatusSpan {
    StatusSpan {
        status: ComponentStatus::Degraded,
        start_at: hour(number),
        end_at: Some(hour(number) + TimeDelta::minutes(30)),
    }
}

/// Stores an organisation whose first component was degraded in the hours 1 to 5, its second one in
/// the hour 2.
async fn store(database: &Database) {
    let organisation = add_organisation(database, "acme").await;
    let components = [MANY_HOURS, ONE_HOUR, NO_HOUR].map(|id| component::ActiveModel {
        id: Set(id),
        organisation_id: Set(organisation.to_string()),
        code: Set(id.as_u128().to_string()),
        name: Set("API".into()),
        description: Set(String::new()),
        status: Set("OPERATIONAL".into()),
        status_source: Set("OPERATOR".into()),
        created_at: Set(hour(0)),
        updated_at: Set(hour(0)),
        version: Set(0),
        ..Default::default()
    });
    let many = (1..=5).map(|number| (MANY_HOURS, number));
    let periods = many.chain([(ONE_HOUR, 2)]);
    let periods: Vec<_> = periods
        .zip(1..)
        .map(|((component, number), id)| component_period::ActiveModel {
            id: Set(Uuid::from_u128(id)),
            organisation_id: Set(organisation.to_string()),
            component_id: Set(component),
            status: Set("DEGRADED".into()),
            start_at: Set(hour(number)),
            end_at: Set(span(number).end_at),
            cause_type: Set("OPERATOR".into()),
            version: Set(0),
            ..Default::default()
        })
        .collect();
    insert(database, components.to_vec()).await;
    insert(database, periods).await;
}

async fn newest_statuses_are_read_of_each_component(database: &Database) {
    store(database).await;
    let components = [MANY_HOURS, ONE_HOUR, NO_HOUR];
    let interval = (hour(2), Some(hour(5)));
    let spans = |numbers: &[i64], known_since: Option<i64>| NewestSpans {
        spans: numbers.iter().map(|number| span(*number)).collect(),
        known_since: known_since.and_then(|number| span(number).end_at),
    };
    // The status in the hour 1 is the one before the interval.
    let cases = [
        (2, spans(&[4, 3], Some(2))),
        (3, spans(&[4, 3, 2], Some(1))),
        (4, spans(&[4, 3, 2, 1], None)),
    ];
    for (most, expected) in cases {
        let mut found = HashMap::new();
        let read = read_newest(database.read(), &components, interval, most, &mut found);
        read.await.unwrap();
        assert_eq!(found.get(&MANY_HOURS), Some(&expected), "{most}");
        assert_eq!(found.get(&ONE_HOUR), Some(&spans(&[2], None)), "{most}");
        assert_eq!(found.get(&NO_HOUR), None);
    }
    let until_now = (hour(2), None);
    let mut found = HashMap::new();
    let read = read_newest(database.read(), &components, until_now, 1, &mut found);
    read.await.unwrap();
    assert_eq!(found.remove(&MANY_HOURS), Some(spans(&[5], Some(4))));
}

async fn components_with_too_many_statuses_together_have_equal_shares(database: &Database) {
    store(database).await;
    let components = [MANY_HOURS, ONE_HOUR, NO_HOUR];
    let since = (hour(1), None);
    let spans = |numbers: &[i64], known_since: Option<i64>| NewestSpans {
        spans: numbers.iter().map(|number| span(*number)).collect(),
        known_since: known_since.and_then(|number| span(number).end_at),
    };
    let all = spans(&[5, 4, 3, 2, 1], None);
    for (bound, expected) in [(6, all.clone()), (5, spans(&[5], Some(4)))] {
        let found = newest_spans_up_to(bound, database.read(), &components, since).await;
        let found = found.unwrap();
        assert_eq!(found.get(&MANY_HOURS), Some(&expected), "{bound}");
        assert_eq!(found.get(&ONE_HOUR), Some(&spans(&[2], None)), "{bound}");
    }
    let alone = newest_spans_up_to(1, database.read(), &[MANY_HOURS], since).await;
    assert_eq!(alone.unwrap().remove(&MANY_HOURS), Some(all));
}

on_each_database!(
    newest_statuses_are_read_of_each_component,
    components_with_too_many_statuses_together_have_equal_shares,
);

#[test]
fn statuses_of_all_components_are_known_since_the_first_that_is_left_out() {
    let mut found = SpansByComponent::default();
    let lasting = StatusSpan {
        end_at: None,
        ..span(9)
    };
    let added = [
        (MANY_HOURS, lasting),
        (ONE_HOUR, span(8)),
        (MANY_HOURS, span(7)),
    ];
    for (component, span) in added {
        assert!(found.add(component, span, 2).is_continue());
    }
    assert!(found.add(ONE_HOUR, span(6), 2).is_break());
    let known_since = span(6).end_at;
    for (component, spans) in [
        (MANY_HOURS, vec![lasting, span(7)]),
        (ONE_HOUR, vec![span(8)]),
        (NO_HOUR, Vec::new()),
    ] {
        let expected = NewestSpans { spans, known_since };
        assert_eq!(found.take(component), expected);
    }
}

#[test]
fn share_of_each_component_keeps_the_bound_of_the_sum() {
    let bound = MAX_PERIODS_TOGETHER;
    let exact = [2, 100, 1_000].map(|components| most_of_each(components, bound, bound));
    assert_eq!(exact, [MAX_SPANS; 3]);
    let shares = [2, 20, 1_000, 30_000].map(|number| most_of_each(number, bound + 1, bound));
    assert_eq!(shares, [5_000, 1_000, 20, 1]);
}
