use allclear_application::component::ComponentStore;
use allclear_application::precondition::Precondition;
use allclear_application::stamp::Stamp;
use allclear_application::transition::{CreateTransition, Transition};
use allclear_domain::author::Author;
use allclear_domain::component::{Component, ComponentDraft};
use allclear_domain::subscriber::Choice;
use chrono::{DateTime, Utc};
use sea_orm::{ActiveValue::Set, IntoActiveModel, PaginatorTrait};
use uuid::Uuid;

use super::*;
use crate::entity::incident;
use crate::fixture::{
    add_organisation, add_subscribers, insert, postgresql, refuse_many_at_once, sqlite,
};
use crate::removal::MAX_ROWS;

/// More than one transaction removes.
const MANY: u64 = MAX_ROWS + 100;
const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// Refuses to remove a component together with more rows than one transaction may remove.
async fn refuse_many_rows_at_once(database: &Database) {
    let has_many = format!(
        "(SELECT COUNT(*) FROM component_periods WHERE component_id = OLD.id) > {MAX_ROWS} \
         OR (SELECT COUNT(*) FROM subscriber_components WHERE component_id = OLD.id) > {MAX_ROWS}"
    );
    refuse_many_at_once(database, "components", &has_many).await;
}

/// An organisation, and a component with many periods that many subscribers have chosen.
async fn filled(database: &Database) -> (OrganisationId, ComponentId) {
    let acme = add_organisation(database, "acme").await;
    let draft = ComponentDraft {
        name: "API".into(),
        ..ComponentDraft::default()
    };
    let create: CreateTransition<Component> = Box::new(move |stamp: Stamp| {
        let id = ComponentId(stamp.id);
        Ok(Component::create(
            id,
            draft,
            stamp.zone,
            stamp.committed_at,
        )?)
    });
    let author = Author {
        id: "1".into(),
        name: "Ann".into(),
    };
    let created = ComponentStore::insert(database, &acme, create, author).await;
    let api = created.unwrap().state.component.id;
    let period = |number| component_period::ActiveModel {
        id: Set(Uuid::from_u128(number)),
        organisation_id: Set(acme.to_string()),
        component_id: Set(api.0),
        status: Set("DEGRADED".into()),
        start_at: Set(AT),
        end_at: Set(Some(AT)),
        cause_type: Set("OPERATOR".into()),
        version: Set(0),
        ..Default::default()
    };
    insert(database, (1..=u128::from(MANY)).map(period).collect()).await;
    let choice = Choice {
        components: vec![api],
        groups: Vec::new(),
    };
    add_subscribers(database, &acme, &choice, MANY.into()).await;
    (acme, api)
}

/// Numbers of components, of periods, and of choices.
async fn counts(database: &Database) -> [u64; 3] {
    let connection = database.read();
    let components = Entity::find().count(connection).await;
    let periods = component_period::Entity::find().count(connection).await;
    let choices = subscriber_component::Entity::find().count(connection).await;
    [components, periods, choices].map(Result::unwrap)
}

fn deletion() -> Transition<Component, ()> {
    Box::new(|component, _| Ok(component.delete()))
}

async fn component_with_many_rows_is_removed_with_all_of_them_unless_it_is_refused(
    database: &Database,
) {
    let (acme, api) = filled(database).await;
    let refused: Transition<Component, ()> = Box::new(|_, _| Err(Error::Stale));
    let outcome = ComponentStore::delete(database, &acme, api, Precondition::Any, refused).await;
    assert!(matches!(outcome, Err(Error::Stale)));
    assert_eq!(counts(database).await, [1, MANY, MANY]);
    let deleted = ComponentStore::delete(database, &acme, api, Precondition::Any, deletion()).await;
    assert!(deleted.unwrap().is_some());
    assert_eq!(counts(database).await, [0; 3]);
}

async fn component_of_an_incident_keeps_its_many_rows(database: &Database) {
    let (acme, api) = filled(database).await;
    let down = incident::Model {
        id: Uuid::from_u128(1),
        organisation_id: acme.to_string(),
        code: "1".into(),
        title: "Down".into(),
        description: String::new(),
        status: "RESOLVED".into(),
        occured_at: AT,
        resolved_at: Some(AT),
        created_at: AT,
        updated_at: AT,
        version: 0,
        first_status: "RESOLVED".into(),
        monitoring_at: None,
    };
    insert(database, vec![down.into_active_model()]).await;
    let link = incident_component::ActiveModel {
        incident_id: Set(Uuid::from_u128(1)),
        component_id: Set(api.0),
        status: Set("DEGRADED".into()),
    };
    insert(database, vec![link]).await;
    let deleted = ComponentStore::delete(database, &acme, api, Precondition::Any, deletion()).await;
    assert!(deleted.unwrap().is_some());
    let found = ComponentStore::find(database, &acme, api).await;
    assert!(found.unwrap().is_none());
    assert_eq!(counts(database).await, [1, MANY, MANY]);
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_removes_the_rows_of_a_component_in_several_transactions() {
    let (database, _folder) = sqlite().await;
    refuse_many_rows_at_once(&database).await;
    component_with_many_rows_is_removed_with_all_of_them_unless_it_is_refused(&database).await;
    let (database, _folder) = sqlite().await;
    component_of_an_incident_keeps_its_many_rows(&database).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_removes_the_rows_of_a_component() {
    if let Some(database) = postgresql(&[]).await {
        component_with_many_rows_is_removed_with_all_of_them_unless_it_is_refused(&database).await;
    }
    if let Some(database) = postgresql(&[]).await {
        component_of_an_incident_keeps_its_many_rows(&database).await;
    }
}
