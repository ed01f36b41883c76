//! Corrections of the past of a component that has changed very often.

use allclear_application::component::history::ComponentHistoryStore;
use allclear_application::incident::IncidentStore;
use allclear_application::page::Page;
use allclear_application::transition::CreateTransition;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::{Incident, IncidentDraft, IncidentStatus};
use sea_orm::ActiveValue::Set;

use super::*;
use crate::database::Database;
use crate::entity::{component, component_period};
use crate::fixture::{add_organisation, insert, on_each_database};

const COMPONENT: ComponentId = ComponentId(Uuid::from_u128(1));
/// The second at which a past incident was resolved.
const RESOLVED_AT: usize = 2 * MAX_READ;

fn second(number: usize) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(i64::try_from(number).unwrap())
}

/// Stores an organisation with a component that was degraded for half of each of the first seconds,
/// once more often than a correction reads.
async fn store_history(database: &Database) -> OrganisationId {
    let organisation = add_organisation(database, "acme").await;
    let component = component::ActiveModel {
        id: Set(COMPONENT.0),
        organisation_id: Set(organisation.to_string()),
        code: Set("code".into()),
        name: Set("API".into()),
        description: Set(String::new()),
        status: Set("OPERATIONAL".into()),
        status_source: Set("OPERATOR".into()),
        created_at: Set(second(0)),
        updated_at: Set(second(0)),
        version: Set(0),
        ..Default::default()
    };
    let period = |number: usize| component_period::ActiveModel {
        id: Set(Uuid::from_u128(number as u128)),
        organisation_id: Set(organisation.to_string()),
        component_id: Set(COMPONENT.0),
        status: Set("DEGRADED".into()),
        start_at: Set(second(number)),
        end_at: Set(Some(second(number) + TimeDelta::milliseconds(500))),
        cause_type: Set("OPERATOR".into()),
        version: Set(0),
        ..Default::default()
    };
    insert(database, vec![component]).await;
    let periods = (0..=MAX_READ).map(period);
    insert(database, periods.collect()).await;
    organisation
}

/// Creates an incident with an impact on the component from the second with this number.
async fn past_incident(
    database: &Database,
    organisation: &OrganisationId,
    from: usize,
) -> Result<(), Error> {
    let components = vec![Attachment {
        component_id: COMPONENT,
        status: ComponentStatus::MajorOutage,
    }];
    let attached = components.clone();
    let create: CreateTransition<Incident> = Box::new(move |stamp| {
        let draft = IncidentDraft {
            title: "Down".into(),
            description: "All of it".into(),
            status: IncidentStatus::Resolved,
            occured_at: Some(second(from)),
            resolved_at: Some(second(RESOLVED_AT)),
            ..Default::default()
        };
        let (id, now) = (IncidentId(stamp.id), stamp.committed_at);
        Ok(Incident::create(id, draft, &attached, false, now)?)
    });
    let created = IncidentStore::insert(database, organisation, create, components);
    created.await.map(drop)
}

async fn correction_of_too_many_periods_is_refused(database: &Database) {
    let organisation = store_history(database).await;
    let refused = past_incident(database, &organisation, 0).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    // The first period is over by then.
    past_incident(database, &organisation, 1).await.unwrap();
    let interval = Interval {
        from: Some(second(1)),
        to: None,
    };
    let found = database.history(&organisation, COMPONENT, interval, Page::default());
    let periods = found.await.unwrap().unwrap().periods.items;
    let spans: Vec<_> = periods.iter().map(|period| period.span).collect();
    let expected = StatusSpan {
        status: ComponentStatus::MajorOutage,
        start_at: second(1),
        end_at: Some(second(RESOLVED_AT)),
    };
    assert_eq!(spans, [expected]);
}

on_each_database!(correction_of_too_many_periods_is_refused);
