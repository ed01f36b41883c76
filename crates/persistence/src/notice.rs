//! Notices: what subscribers are mailed of, stored in the transaction of the change, one row however many subscribers.

use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::mail::notice::AffectedComponent;
use allclear_application::notice::{
    IncidentNoticeContent, MaintenanceNoticeContent, Notice, NoticeContent,
};
use allclear_domain::id::OrganisationId;
use allclear_domain::notice::{IncidentChange, MaintenanceChange, NewNotice};
use allclear_domain::subscriber::SubscriberStatus;
use chrono::{DateTime, Utc};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, Select};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::commit::Scope;
use crate::entity::notice::{ActiveModel, Entity, Model};
use crate::entity::subscriber;
use crate::error::broken;
use crate::incident::public::affected_by;

/// Stores the notices of a change. The state after the change is stored already.
pub(crate) async fn store(
    scope: Scope<'_>,
    clock: &dyn Clock,
    notices: Vec<NewNotice>,
) -> Result<(), Error> {
    for (part, notice) in (0..).zip(notices) {
        let (subject, at, content) = content(scope, notice).await?;
        let notice = ActiveModel {
            id: Set(clock.id()),
            organisation_id: Set(scope.organisation.as_str().to_owned()),
            revision: Set(scope.stamp.revision.0),
            part: Set(part),
            subject_id: Set(subject),
            news: Set(serde_json::to_string(&content).map_err(Error::internal)?),
            created_at: Set(at),
            reached: Set(None),
            expanded_at: Set(None),
        };
        Entity::insert(notice)
            .exec_without_returning(scope.transaction)
            .await
            .map_err(broken)?;
    }
    Ok(())
}

/// The subject of a notice, its time and what is stored of it.
async fn content(
    scope: Scope<'_>,
    notice: NewNotice,
) -> Result<(Uuid, DateTime<Utc>, StoredContent), Error> {
    Ok(match notice {
        NewNotice::Incident {
            change,
            incident,
            message,
        } => {
            let components = affected_by(scope.transaction, incident.id).await?;
            let content = StoredContent::Incident {
                change: change.as_str().to_owned(),
                title: incident.title,
                description: incident.description,
                status: incident.status.as_str().to_owned(),
                occurred_at: incident.occured_at,
                message,
                components: components
                    .into_iter()
                    .map(|affected| StoredComponent {
                        name: affected.component.name,
                        status: affected.status.to_owned(),
                    })
                    .collect(),
            };
            (incident.id.0, scope.stamp.now, content)
        }
        NewNotice::Maintenance {
            change,
            maintenance,
            message,
        } => {
            let content = StoredContent::Maintenance {
                change: change.as_str().to_owned(),
                title: maintenance.title,
                description: maintenance.description,
                status: maintenance.announced.as_str().to_owned(),
                start_at: maintenance.start_at,
                end_at: maintenance.end_at,
                message,
            };
            (maintenance.id.0, scope.stamp.clock, content)
        }
    })
}

/// The subscribers of an organisation that receive notices.
pub(crate) fn subscribed(organisation: &OrganisationId) -> Select<subscriber::Entity> {
    subscriber::Entity::find()
        .filter(subscriber::Column::OrganisationId.eq(organisation.as_str()))
        .filter(subscriber::Column::Status.eq(SubscriberStatus::Subscribed.as_str()))
}

pub(crate) fn notice(row: &Model) -> Result<Arc<Notice>, Error> {
    let stored: StoredContent = serde_json::from_str(&row.news).map_err(Error::internal)?;
    Ok(Arc::new(Notice {
        id: row.id,
        subject: row.subject_id,
        at: row.created_at,
        content: stored.content()?,
    }))
}

/// Content of a notice as stored. Every later version MUST be able to read it.
#[derive(Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum StoredContent {
    Incident {
        change: String,
        title: String,
        description: String,
        status: String,
        occurred_at: DateTime<Utc>,
        message: Option<String>,
        components: Vec<StoredComponent>,
    },
    Maintenance {
        change: String,
        title: String,
        description: String,
        status: String,
        start_at: DateTime<Utc>,
        end_at: Option<DateTime<Utc>>,
        message: Option<String>,
    },
}

#[derive(Serialize, Deserialize)]
struct StoredComponent {
    name: String,
    status: String,
}

impl StoredContent {
    fn content(self) -> Result<NoticeContent, Error> {
        let unknown =
            |change: &str| Error::internal(format!("a notice names an unknown change: {change}"));
        match self {
            Self::Incident {
                change,
                title,
                description,
                status,
                occurred_at,
                message,
                components,
            } => {
                let known = IncidentChange::ALL
                    .into_iter()
                    .find(|known| known.as_str() == change);
                let component = |StoredComponent { name, status }| {
                    Ok(AffectedComponent {
                        name,
                        status: status.parse().map_err(Error::internal)?,
                    })
                };
                Ok(NoticeContent::Incident(IncidentNoticeContent {
                    change: known.ok_or_else(|| unknown(&change))?,
                    title,
                    description,
                    status: status.parse().map_err(Error::internal)?,
                    occurred_at,
                    message,
                    components: components
                        .into_iter()
                        .map(component)
                        .collect::<Result<_, Error>>()?,
                }))
            }
            Self::Maintenance {
                change,
                title,
                description,
                status,
                start_at,
                end_at,
                message,
            } => {
                let known = MaintenanceChange::ALL
                    .into_iter()
                    .find(|known| known.as_str() == change);
                Ok(NoticeContent::Maintenance(MaintenanceNoticeContent {
                    change: known.ok_or_else(|| unknown(&change))?,
                    title,
                    description,
                    status: status.parse().map_err(Error::internal)?,
                    start_at,
                    end_at,
                    message,
                }))
            }
        }
    }
}
