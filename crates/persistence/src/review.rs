//! Reviews of incidents.

use allclear_application::error::Error;
use allclear_application::precondition::Precondition;
use allclear_application::review::ReviewStore;
use allclear_application::transition::{Committed, Transition};
use allclear_domain::id::{IncidentId, OrganisationId};
use allclear_domain::review::{IncidentAndReview, Review};
use async_trait::async_trait;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ConnectionTrait, EntityTrait, IntoActiveModel};

use crate::audit::subject::Subject;
use crate::commit::{Scope, StoredChange};
use crate::database::Database;
use crate::entity::incident_review::{Entity, Model};
use crate::statement::{Fetch, Run};
use crate::{entity, incident, notice};

#[async_trait]
impl ReviewStore for Database {
    async fn find_review(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
    ) -> Result<Option<IncidentAndReview>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move { find(transaction, &organisation, incident).await })
        })
        .await
    }

    async fn change_review(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        rule: Transition<IncidentAndReview, Option<Review>>,
    ) -> Result<Option<Committed<Option<Review>>>, Error> {
        self.commit_revision(
            organisation,
            Subject::IncidentReview(incident),
            move |scope| {
                Box::pin(async move {
                    let found = find(scope.transaction, scope.organisation, incident).await?;
                    let Some(found) = found else {
                        return Ok(None);
                    };
                    let before = found.review.clone();
                    let changed = rule(found, scope.stamp)?;
                    let withdraws_notices =
                        store(scope, incident, before, changed.state.as_ref()).await?;
                    Ok(Some(StoredChange {
                        withdraws_notices,
                        ..StoredChange::from(changed)
                    }))
                })
            },
        )
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        precondition: Precondition,
        rule: Transition<IncidentAndReview, Option<Review>>,
    ) -> Result<Option<Committed<Option<Review>>>, Error> {
        let Some(found) = find(self.read(), organisation, incident).await? else {
            return Ok(None);
        };
        precondition.check(found.review_version())?;
        let published_at = found.review.and_then(|review| review.published_at);
        let has_begun = match published_at {
            Some(published_at) => {
                self.withdraw_many_of_review(organisation, incident.0, published_at)
                    .await?
            }
            None => false,
        };
        let rule: Transition<IncidentAndReview, Option<Review>> = Box::new(move |found, stamp| {
            if !has_begun {
                precondition.check(found.review_version())?;
            }
            rule(found, stamp)
        });
        self.change_review(organisation, incident, rule).await
    }
}

pub(crate) async fn find(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    id: IncidentId,
) -> Result<Option<IncidentAndReview>, Error> {
    let Some(incident) = incident::find(connection, organisation, id).await? else {
        return Ok(None);
    };
    let row = Entity::find_by_id(id.0).fetch_one(connection).await;
    Ok(Some(IncidentAndReview {
        incident,
        review: row?.map(Review::from),
    }))
}

/// Stores a review or removes it. Returns whether its notice is withdrawn.
async fn store(
    scope: Scope<'_>,
    incident: IncidentId,
    before: Option<Review>,
    after: Option<&Review>,
) -> Result<bool, Error> {
    let transaction = scope.transaction;
    match (before, after) {
        (before, after) if before.as_ref() == after => {}
        (before, None) => {
            Entity::delete_by_id(incident.0).run(transaction).await?;
            if let Some(published_at) = before.and_then(|review| review.published_at) {
                notice::withdraw_review(scope, incident.0, published_at).await?;
                touch_incident(scope, incident).await?;
                return Ok(true);
            }
        }
        (None, Some(state)) => {
            let insert = Entity::insert(model_of(state).into_active_model());
            let insert = insert.run(transaction);
            insert.await?;
        }
        (Some(_), Some(state)) => {
            let update = Entity::update(model_of(state).into_active_model().reset_all());
            update.run(transaction).await?;
        }
    }
    Ok(false)
}

/// Stores the deletion of a published review as a change of its incident: the time of its last
/// change was that of the publication.
async fn touch_incident(scope: Scope<'_>, id: IncidentId) -> Result<(), Error> {
    let row = entity::incident::ActiveModel {
        id: Set(id.0),
        updated_at: Set(scope.stamp.committed_at),
        ..Default::default()
    };
    let update = entity::incident::Entity::update(row);
    update.run(scope.transaction).await?;
    Ok(())
}

fn model_of(state: &Review) -> Model {
    Model {
        incident_id: state.incident_id.0,
        body: state.body.clone(),
        published_at: state.published_at,
        created_at: state.created_at,
        updated_at: state.updated_at,
        version: state.version.0,
    }
}
