//! Reviews of incidents: what happened, why, and what follows from it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::audit::{Action, ChangeTarget};
use crate::event::{Changed, Event};
use crate::id::IncidentId;
use crate::incident::{Incident, IncidentStatus};
use crate::notice::{IncidentChange, NewNotice};
use crate::organisation::Revision;
use crate::text;
use crate::validation::Invalid;

/// The longest review, in characters.
pub(crate) const MAX_REVIEW_LENGTH: usize = 50_000;
/// How much of a review a notice contains, in characters.
const NOTICE_LENGTH: usize = 2_000;

/// Whether a review is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewStatus {
    /// Only operators see it.
    Draft,
    /// It is on the incident's page.
    Published,
}

/// A review of an incident, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The incident.
    pub incident_id: IncidentId,
    /// Markdown of 1 to 50,000 characters.
    pub body: String,
    /// When it was published; `None` for a draft.
    pub published_at: Option<DateTime<Utc>>,
    /// When it was first written.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// Its version for conditional writes, which grows with each change: the time of the change in
    /// milliseconds, or the next number if that is not greater. So a review that is written again
    /// has another one, both after its deletion and after a restore.
    pub version: Revision,
}

/// An incident with its review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentAndReview {
    /// The incident.
    pub incident: Incident,
    /// The review; `None` if there is none.
    pub review: Option<Review>,
}

/// Why a review is not published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// There is no review.
    #[error("This incident has no review")]
    NoReview,
    /// The incident is not resolved.
    #[error("This incident is not resolved yet")]
    NotResolved,
    /// It is public.
    #[error("This review is published already")]
    Published,
}

impl Review {
    /// Whether it is public.
    #[must_use]
    pub const fn status(&self) -> ReviewStatus {
        if self.published_at.is_some() {
            ReviewStatus::Published
        } else {
            ReviewStatus::Draft
        }
    }
}

/// Checks the text of a review.
///
/// # Errors
/// [`Invalid`] if it is empty, too long, or holds a NUL.
pub fn check_body(body: &str) -> Result<(), Invalid> {
    if body.trim().is_empty() {
        return Err(Invalid::field("body", "Review is required"));
    }
    let mut invalid = Invalid::default();
    invalid.check_rule("body", text::at_most(body, MAX_REVIEW_LENGTH));
    invalid.check_rule("body", text::no_nul(body));
    invalid.into_result()
}

impl IncidentAndReview {
    /// Version of the review for conditional writes; 0 if there is none.
    #[must_use]
    pub fn review_version(&self) -> Revision {
        let review = self.review.as_ref();
        review.map_or(Revision::default(), |review| review.version)
    }

    /// Writes the review. A published one stays published.
    ///
    /// # Errors
    /// [`Invalid`] if the text breaks a rule.
    pub fn write(self, body: String, now: DateTime<Utc>) -> Result<Changed<Review>, Invalid> {
        check_body(&body)?;
        let incident_id = self.incident.id;
        let target = ChangeTarget::Incident(incident_id);
        let Some(before) = self.review else {
            let review = Review {
                incident_id,
                body,
                published_at: None,
                created_at: now,
                updated_at: now,
                version: version_at(now),
            };
            let action = Action::IncidentReviewCreated;
            return Ok(Changed::without_events(review).audited(
                action,
                target,
                self.incident.title,
            ));
        };
        if before.body == body {
            return Ok(Changed::without_events(before));
        }
        let events = public_events(&before);
        let review = Review {
            body,
            updated_at: now,
            version: next_version(&before, now),
            ..before
        };
        let action = Action::IncidentReviewUpdated;
        Ok(Changed::new(review, events).audited(action, target, self.incident.title))
    }

    /// Publishes the review and notifies subscribers.
    ///
    /// # Errors
    /// [`PublishError`].
    pub fn publish(self, now: DateTime<Utc>) -> Result<Changed<Review>, PublishError> {
        let before = self.review.ok_or(PublishError::NoReview)?;
        if self.incident.status != IncidentStatus::Resolved {
            return Err(PublishError::NotResolved);
        }
        if before.published_at.is_some() {
            return Err(PublishError::Published);
        }
        let review = Review {
            published_at: Some(now),
            updated_at: now,
            version: next_version(&before, now),
            ..before
        };
        let events = public_events(&review);
        let (target, title) = (
            ChangeTarget::Incident(self.incident.id),
            self.incident.title.clone(),
        );
        let notice = NewNotice::Incident {
            change: IncidentChange::Reviewed,
            incident: self.incident,
            message: Some(beginning(&review.body)),
            update_status: None,
            shown_at: None,
        };
        Ok(Changed {
            notices: vec![notice],
            ..Changed::new(review, events).audited(Action::IncidentReviewPublished, target, title)
        })
    }

    /// Deletes the review. `None` if there is none.
    #[must_use]
    pub fn delete(self) -> Option<Changed<()>> {
        let review = self.review?;
        let target = ChangeTarget::Incident(self.incident.id);
        let deleted = Changed::new((), public_events(&review));
        Some(deleted.audited(Action::IncidentReviewDeleted, target, self.incident.title))
    }
}

fn version_at(now: DateTime<Utc>) -> Revision {
    Revision(now.timestamp_millis())
}

fn next_version(before: &Review, now: DateTime<Utc>) -> Revision {
    before.version.next().max(version_at(now))
}

/// The beginning of a review, as a notice contains it.
#[must_use]
pub fn beginning(body: &str) -> String {
    let mut body = body.to_owned();
    text::shorten(&mut body, NOTICE_LENGTH);
    body
}

/// The events of a change of a review: drafts are not public.
fn public_events(review: &Review) -> Vec<Event> {
    match review.status() {
        ReviewStatus::Draft => Vec::new(),
        ReviewStatus::Published => vec![Event::IncidentUpdated(review.incident_id)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incident::tests::{at, incident};

    fn of(status: IncidentStatus, review: Option<Review>) -> IncidentAndReview {
        IncidentAndReview {
            incident: incident(status),
            review,
        }
    }

    fn draft() -> Review {
        let written = of(IncidentStatus::Resolved, None).write("Why".into(), at(3));
        written.unwrap().state
    }

    #[test]
    fn draft_is_not_public() {
        let written = of(IncidentStatus::Monitoring, None).write("Why".into(), at(3));
        let written = written.unwrap();
        assert_eq!(written.state.status(), ReviewStatus::Draft);
        assert!(written.events.is_empty() && written.notices.is_empty());
    }

    #[test]
    fn only_a_draft_of_a_resolved_incident_is_published() {
        let published = of(IncidentStatus::Resolved, Some(draft())).publish(at(4));
        let published = published.unwrap();
        assert_eq!(published.state.published_at, Some(at(4)));
        assert_eq!((published.events.len(), published.notices.len()), (1, 1));
        let again = of(IncidentStatus::Resolved, Some(published.state)).publish(at(5));
        assert_eq!(again, Err(PublishError::Published));
        let early = of(IncidentStatus::Monitoring, Some(draft())).publish(at(5));
        assert_eq!(early, Err(PublishError::NotResolved));
        let absent = of(IncidentStatus::Resolved, None).publish(at(5));
        assert_eq!(absent, Err(PublishError::NoReview));
    }

    #[test]
    fn edited_review_stays_published_and_changes_the_page() {
        let published = Review {
            published_at: Some(at(4)),
            ..draft()
        };
        let edited =
            of(IncidentStatus::Resolved, Some(published.clone())).write("Other".into(), at(6));
        let edited = edited.unwrap();
        assert_eq!(edited.state.published_at, Some(at(4)));
        assert_eq!(edited.events.len(), 1);
        let deleted = of(IncidentStatus::Resolved, Some(published))
            .delete()
            .unwrap();
        assert_eq!(deleted.events.len(), 1);
        assert!(
            of(IncidentStatus::Resolved, Some(draft()))
                .delete()
                .unwrap()
                .has_no_events()
        );
    }

    #[test]
    fn change_after_a_restore_has_another_version_than_the_lost_one() {
        // Both change the review of the backup.
        let written = |at| {
            let written = of(IncidentStatus::Resolved, Some(draft())).write("Other".into(), at);
            written.unwrap().state.version
        };
        assert_ne!(written(at(4)), written(at(5)));
        let published = |at| {
            let published = of(IncidentStatus::Resolved, Some(draft())).publish(at);
            published.unwrap().state.version
        };
        assert_ne!(published(at(4)), published(at(5)));
    }

    #[test]
    fn version_grows_with_each_change_although_the_clock_does_not() {
        let before = draft();
        let changed = of(IncidentStatus::Resolved, Some(before.clone()))
            .write("Other".into(), before.updated_at)
            .unwrap();
        assert!(changed.state.version > before.version);
    }

    #[test]
    fn body_is_required_and_bounded() {
        let message = |body: &str| check_body(body).unwrap_err().errors[0].message.clone();
        assert_eq!(message(" \n"), "Review is required");
        assert_eq!(
            message(&"x".repeat(50_001)),
            "Must be at most 50000 characters"
        );
        assert_eq!(message("a\0b"), "Must not contain a NUL character");
        assert!(check_body(&"é".repeat(50_000)).is_ok());
    }
}
