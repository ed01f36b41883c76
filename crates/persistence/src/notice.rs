//! Storage of notices: one row per change, however many subscribers, in the transaction of the change.

use std::sync::Arc;

use allclear_application::error::Error;
use allclear_application::notice::Notice;
use allclear_domain::id::OrganisationId;
use allclear_domain::notice::{AffectedComponent, NewNotice, NoticeChange, NoticeContent};
use allclear_domain::subscriber::SubscriberStatus;
use chrono::{DateTime, Utc};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, Select};
use uuid::Uuid;

use crate::commit::Scope;
use crate::entity::notice::{ActiveModel, Entity, Model};
use crate::entity::subscriber;
use crate::error::broken;
use crate::incident::public::affected_by;
use crate::maintenance::component::named_of;

/// Stores the notices of a change. The new state is stored already.
pub(crate) async fn store(scope: Scope<'_>, notices: Vec<NewNotice>) -> Result<(), Error> {
    for (part, notice) in (0..).zip(notices) {
        let (subject, at, content) = content(scope, notice).await?;
        let notice = ActiveModel {
            id: Set(scope.database.clock.id()),
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

/// The subject of a notice, its time and its content.
async fn content(
    scope: Scope<'_>,
    notice: NewNotice,
) -> Result<(Uuid, DateTime<Utc>, NoticeContent), Error> {
    Ok(match notice {
        NewNotice::Incident {
            change,
            incident,
            message,
        } => {
            let components = affected_by(scope.transaction, incident.id).await?;
            let content = NoticeContent {
                title: incident.title,
                description: incident.description,
                message,
                change: NoticeChange::Incident {
                    change,
                    status: incident.status,
                    occurred_at: incident.occured_at,
                    components: components
                        .into_iter()
                        .map(|affected| AffectedComponent {
                            name: affected.component.name,
                            status: affected.status,
                        })
                        .collect(),
                },
            };
            (incident.id.0, scope.stamp.now, content)
        }
        NewNotice::Maintenance {
            change,
            maintenance,
            message,
        } => {
            let components = named_of(scope.transaction, maintenance.id).await?;
            let content = NoticeContent {
                title: maintenance.title,
                description: maintenance.description,
                message,
                change: NoticeChange::Maintenance {
                    change,
                    status: maintenance.announced,
                    start_at: maintenance.start_at,
                    end_at: maintenance.end_at,
                    components: components
                        .into_iter()
                        .map(|affected| affected.component.name)
                        .collect(),
                },
            };
            (maintenance.id.0, scope.stamp.clock, content)
        }
    })
}

/// The subscribers of an organisation that receive notices.
pub(crate) fn subscribed(organisation: &OrganisationId) -> Select<subscriber::Entity> {
    subscriber::Entity::find()
        .filter(subscriber::Column::OrganisationId.eq(organisation.as_str()))
        .filter(subscriber::Column::Status.eq(SubscriberStatus::Subscribed.to_string()))
}

pub(crate) fn notice(row: &Model) -> Result<Arc<Notice>, Error> {
    Ok(Arc::new(Notice {
        id: row.id,
        subject: row.subject_id,
        at: row.created_at,
        content: serde_json::from_str(&row.news).map_err(Error::internal)?,
    }))
}
