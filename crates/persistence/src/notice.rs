//! Notices: what subscribers are mailed of, stored in the transaction of the change, one row however many subscribers.

use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::mail::notice::AffectedComponent;
use allclear_application::notice::{IncidentNews, MaintenanceNews, News, Notice};
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::Incident;
use allclear_domain::maintenance::Maintenance;
use allclear_domain::notice::{IncidentChange, MaintenanceChange};
use allclear_domain::subscriber::SubscriberStatus;
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, Select,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::entity::notice::{ActiveModel, Entity, Model};
use crate::entity::subscriber;
use crate::error::broken;
use crate::incident::public::affected_by;
use crate::organisation::Locked;

/// A change that is about to be committed. Its state is written already.
pub(crate) struct NoticeWriter<'a> {
    pub(crate) transaction: &'a DatabaseTransaction,
    pub(crate) locked: &'a Locked,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) now: DateTime<Utc>,
}

impl NoticeWriter<'_> {
    /// Stores what subscribers are told of an incident, where the change is news and anybody is subscribed.
    pub(crate) async fn incident(
        &self,
        change: Option<IncidentChange>,
        after: &Incident,
        message: Option<&str>,
    ) -> Result<(), Error> {
        let Some(change) = change else { return Ok(()) };
        if !self.locked.has_subscribers {
            return Ok(());
        }
        let components = affected_by(self.transaction, after.id).await?;
        let news = StoredNews::Incident {
            change: change.as_str().to_owned(),
            title: after.title.clone(),
            description: after.description.clone(),
            status: after.status.as_str().to_owned(),
            occurred_at: after.occured_at,
            message: message.map(str::to_owned),
            components: components
                .into_iter()
                .map(|affected| StoredComponent {
                    name: affected.component.name,
                    status: affected.status.to_owned(),
                })
                .collect(),
        };
        self.store(0, after.id.0, &news).await
    }

    /// Stores what subscribers are told of a maintenance, where the change is news and anybody is subscribed. `part` tells
    /// several changes of one revision apart.
    pub(crate) async fn maintenance(
        &self,
        part: i32,
        change: Option<MaintenanceChange>,
        after: &Maintenance,
        message: Option<&str>,
    ) -> Result<(), Error> {
        let Some(change) = change else { return Ok(()) };
        if !self.locked.has_subscribers {
            return Ok(());
        }
        let news = StoredNews::Maintenance {
            change: change.as_str().to_owned(),
            title: after.title.clone(),
            description: after.description.clone(),
            status: after.status(self.now).as_str().to_owned(),
            start_at: after.start_at,
            end_at: after.end_at,
            message: message.map(str::to_owned),
        };
        self.store(part, after.id.0, &news).await
    }

    async fn store(&self, part: i32, subject: Uuid, news: &StoredNews) -> Result<(), Error> {
        let notice = ActiveModel {
            id: Set(self.clock.id()),
            organisation_id: Set(self.locked.id.clone()),
            revision: Set(self.locked.next_revision().0),
            part: Set(part),
            subject_id: Set(subject),
            news: Set(serde_json::to_string(news).map_err(Error::internal)?),
            created_at: Set(self.now),
            reached: Set(None),
            expanded_at: Set(None),
        };
        Entity::insert(notice)
            .exec_without_returning(self.transaction)
            .await
            .map_err(broken)?;
        Ok(())
    }
}

/// Who is mailed of what happens at an organisation.
pub(crate) fn subscribed(organisation: &OrganisationId) -> Select<subscriber::Entity> {
    subscriber::Entity::find()
        .filter(subscriber::Column::OrganisationId.eq(organisation.as_str()))
        .filter(subscriber::Column::Status.eq(SubscriberStatus::Subscribed.as_str()))
}

/// A stored notice as the application knows it.
pub(crate) fn notice(row: &Model) -> Result<Arc<Notice>, Error> {
    let stored: StoredNews = serde_json::from_str(&row.news).map_err(Error::internal)?;
    Ok(Arc::new(Notice {
        id: row.id,
        subject: row.subject_id,
        at: row.created_at,
        news: stored.news()?,
    }))
}

/// What is kept of news. A later version must read what an earlier one has written.
#[derive(Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum StoredNews {
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

impl StoredNews {
    fn news(self) -> Result<News, Error> {
        let unknown = |change: &str| {
            Error::internal(format!("a notice tells of an unknown change: {change}"))
        };
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
                Ok(News::Incident(IncidentNews {
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
                Ok(News::Maintenance(MaintenanceNews {
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
