//! Reviews of incidents: the use cases and their storage port.

use std::sync::Arc;

use allclear_domain::event::Changed;
use allclear_domain::id::{IncidentId, OrganisationId};
use allclear_domain::markdown;
use allclear_domain::review::{IncidentAndReview, PublishError, Review, check_body};
use async_trait::async_trait;
use tokio::task::spawn_blocking;

use crate::error::{Error, Resource};
use crate::precondition::Precondition;
use crate::relay::Relay;
use crate::transition::{Committed, Transition};

/// Storage of reviews. Methods return `None` if the organisation has no such incident.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait ReviewStore: Send + Sync {
    /// Returns an incident with its review.
    async fn find_review(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
    ) -> Result<Option<IncidentAndReview>, Error>;

    /// Runs a rule on the review of an incident and stores the result; `None` removes the review. A
    /// change without events is stored too: drafts are not public. The removal of a published
    /// review MUST be stored as a change of the incident at the time of the commit.
    async fn change_review(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        rule: Transition<IncidentAndReview, Option<Review>>,
    ) -> Result<Option<Committed<Option<Review>>>, Error>;

    /// [`Self::change_review`] with a rule that removes the review. [`Error::Stale`] if the
    /// precondition is for another version. If many messages about the review wait, they are
    /// removed before the rule runs. An adapter MUST check the precondition before it removes
    /// anything, and not after that. The deletion takes several transactions then, so the caller
    /// MUST await its end.
    async fn delete(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        precondition: Precondition,
        rule: Transition<IncidentAndReview, Option<Review>>,
    ) -> Result<Option<Committed<Option<Review>>>, Error>;
}

/// The use cases of reviews.
pub struct Reviews {
    store: Arc<dyn ReviewStore>,
    relay: Arc<Relay>,
}

impl Reviews {
    /// The use cases over these ports.
    #[must_use]
    pub fn new(store: Arc<dyn ReviewStore>, relay: Arc<Relay>) -> Self {
        Self { store, relay }
    }

    /// Returns the review of an incident. [`Error::NotFound`] if there is none.
    pub async fn find(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
    ) -> Result<Review, Error> {
        let found = self.store.find_review(organisation, incident).await?;
        let found = found.ok_or(Error::NotFound(Resource::Incident))?;
        found.review.ok_or(Error::NotFound(Resource::Review))
    }

    /// Returns a text as the HTML of a review. Nothing is stored. [`Error::NotFound`] if the
    /// incident does not exist, [`Error::Invalid`].
    pub async fn preview(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        body: String,
    ) -> Result<String, Error> {
        let found = self.store.find_review(organisation, incident).await?;
        found.ok_or(Error::NotFound(Resource::Incident))?;
        check_body(&body)?;
        // A long text takes milliseconds, and other requests are handled by the same thread.
        let rendering = spawn_blocking(move || markdown::render(&body));
        rendering.await.map_err(Error::internal)
    }

    /// Writes the review of an incident if the precondition holds. [`Error::NotFound`],
    /// [`Error::Stale`], [`Error::Invalid`].
    pub async fn write(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        body: String,
        precondition: Precondition,
    ) -> Result<Review, Error> {
        self.change(organisation, incident, precondition, move |found, stamp| {
            Ok(found.write(body, stamp.committed_at)?)
        })
        .await
    }

    /// Publishes the review of a resolved incident if the precondition holds.
    /// [`Error::NotFound`], [`Error::Stale`], [`Error::Conflict`] if the incident is not
    /// resolved or the review is published.
    pub async fn publish(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        notify: Option<bool>,
        precondition: Precondition,
    ) -> Result<Review, Error> {
        self.change(organisation, incident, precondition, move |found, stamp| {
            let published = found.publish(stamp.committed_at);
            let published = published.map_err(|refused| match refused {
                PublishError::NoReview => Error::NotFound(Resource::Review),
                refused => Error::Conflict(refused.to_string()),
            })?;
            Ok(published.notify_if(notify.unwrap_or(stamp.notify_by_default)))
        })
        .await
    }

    /// Deletes the review of an incident if the precondition holds. [`Error::NotFound`],
    /// [`Error::Stale`].
    pub async fn delete(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        precondition: Precondition,
    ) -> Result<(), Error> {
        let rule: Transition<IncidentAndReview, Option<Review>> = Box::new(|found, _| {
            let deleted = found.delete().ok_or(Error::NotFound(Resource::Review))?;
            Ok(deleted.map(|()| None))
        });
        let committed = self
            .store
            .delete(organisation, incident, precondition, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Incident))?;
        self.relay.publish(committed).await;
        Ok(())
    }

    async fn change(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        precondition: Precondition,
        change: impl FnOnce(IncidentAndReview, crate::stamp::Stamp) -> Result<Changed<Review>, Error>
        + Send
        + 'static,
    ) -> Result<Review, Error> {
        let rule: Transition<IncidentAndReview, Option<Review>> = Box::new(move |found, stamp| {
            precondition.check(found.review_version())?;
            Ok(change(found, stamp)?.map(Some))
        });
        let committed = self
            .store
            .change_review(organisation, incident, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Incident))?;
        let review = self.relay.publish(committed).await;
        review.ok_or_else(|| Error::internal("a changed review is not stored"))
    }
}
