//! The outbox: the events of each revision, stored with the state.

mod stored;

use std::collections::BTreeMap;

use allclear_application::error::Error;
use allclear_application::origin::Origin;
use allclear_application::outbox::{Backlog, Commit, Outbox};
use allclear_application::write_kind::WriteKind;
use allclear_domain::event::Event;
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::Incident;
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select,
};

use crate::audit::NoAuditItem;
use crate::commit::{Effects, Scope};
use crate::database::Database;
use crate::entity::organisation;
use crate::entity::outbox::{ActiveModel, Column, Entity, Model};
use crate::error::{broken, parse_stored};
use crate::event;
use crate::organisation::lock::Locked;
use crate::outbox::stored::StoredEvents;
use crate::statement::{Fetch, Run};

/// Maximum number of organisations in one statement.
const MAX_ORGANISATIONS_PER_READ: usize = 500;
/// Maximum number of commits that one statement returns.
const MAX_COMMITS_PER_READ: u64 = 32;
/// Maximum size of the events of a backlog: a reader that catches up reads in steps.
const MAX_BACKLOG_BYTES: usize = 1024 * 1024;

#[async_trait]
impl Outbox for Database {
    async fn after(
        &self,
        organisation: &OrganisationId,
        revision: Revision,
        limit: u64,
    ) -> Result<Backlog, Error> {
        // Read before the commits: a commit between the two reads must not look pruned.
        let newest = self.revisions(std::slice::from_ref(organisation)).await?;
        let rows = self.stored_after(organisation, revision, limit).await?;
        // Pruning removes the oldest first, also between two statements of this read.
        let is_complete = (revision.next().0..)
            .zip(&rows)
            .all(|(next, row)| row.revision == next);
        if !is_complete {
            return Ok(Backlog::TooOld);
        }
        if rows.is_empty() && newest.first().is_some_and(|(_, newest)| *newest > revision) {
            return Ok(Backlog::TooOld);
        }
        rows.into_iter()
            .map(|row| row.commit(organisation))
            .collect::<Result<_, Error>>()
            .map(Backlog::Commits)
    }

    async fn between(
        &self,
        organisation: &OrganisationId,
        after: Revision,
        to: Revision,
        bytes: usize,
    ) -> Result<Option<Vec<Commit>>, Error> {
        let expected = usize::try_from(to.0.saturating_sub(after.0)).unwrap_or(0);
        let wanted = commits_after(organisation, after.0).filter(Column::Revision.lte(to.0));
        let sizes = self.stored_sizes(wanted.clone()).await?;
        let stored: usize = sizes.iter().map(|(_, size)| size).sum();
        if sizes.len() != expected || stored > bytes {
            return Ok(None);
        }
        let rows = wanted.fetch_all(self.read()).await?;
        let (mut commits, mut unpacked) = (Vec::with_capacity(rows.len()), 0);
        for row in rows {
            let row = Unpacked::try_from(row)?;
            unpacked += row.events.len();
            if unpacked > bytes {
                return Ok(None);
            }
            commits.push(row.commit(organisation)?);
        }
        // Pruning may have removed some since their sizes were read.
        Ok((commits.len() == expected).then_some(commits))
    }

    async fn prune(&self, before: DateTime<Utc>, limit: u64) -> Result<u64, Error> {
        let old: Vec<(String, i64)> = Entity::find()
            .select_only()
            .columns([Column::OrganisationId, Column::Revision])
            .filter(Column::CreatedAt.lt(before))
            .order_by_asc(Column::CreatedAt)
            .limit(limit)
            .into_tuple()
            .fetch_all(self.read())
            .await?;
        if old.is_empty() {
            return Ok(0);
        }
        // Commits up to the newest old one are removed whatever their times, because the clocks of
        // nodes differ and no gap may be left. The order of organisations keeps concurrent nodes
        // from a deadlock.
        let mut newest = BTreeMap::new();
        for (organisation, revision) in old {
            let known: &mut i64 = newest.entry(organisation).or_default();
            *known = revision.max(*known);
        }
        self.write_unaudited(NoAuditItem::Upkeep, |transaction| {
            Box::pin(async move {
                let mut deleted = 0;
                for (organisation, revision) in newest {
                    let gone = Entity::delete_many()
                        .filter(Column::OrganisationId.eq(organisation))
                        .filter(Column::Revision.lte(revision));
                    deleted += gone.run(transaction).await?;
                }
                Ok(deleted)
            })
        })
        .await
    }

    async fn revisions(
        &self,
        organisations: &[OrganisationId],
    ) -> Result<Vec<(OrganisationId, Revision)>, Error> {
        let mut found: Vec<(String, i64)> = Vec::with_capacity(organisations.len());
        for some in organisations.chunks(MAX_ORGANISATIONS_PER_READ) {
            let revisions = organisation::Entity::find()
                .select_only()
                .columns([organisation::Column::Id, organisation::Column::Revision])
                .filter(organisation::Column::Id.is_in(some.iter().map(OrganisationId::as_str)));
            found.extend(
                revisions
                    .into_tuple::<(String, i64)>()
                    .fetch_all(self.read())
                    .await?,
            );
        }
        let parse = |(id, revision): (String, i64)| Ok((parse_stored(&id)?, Revision(revision)));
        found.into_iter().map(parse).collect()
    }
}

/// A row with its events as JSON.
struct Unpacked {
    revision: i64,
    events: String,
}

impl Unpacked {
    fn commit(self, organisation: &OrganisationId) -> Result<Commit, Error> {
        Ok(Commit {
            organisation: organisation.clone(),
            revision: Revision(self.revision),
            events: serde_json::from_str(&self.events).map_err(Error::internal)?,
            may_have_messages: false,
            notice_bytes: 0,
            counts_as: None,
            scheduled_events: 0,
            past_impacts: 0,
        })
    }
}

impl TryFrom<Model> for Unpacked {
    type Error = Error;

    fn try_from(row: Model) -> Result<Self, Error> {
        let stored = StoredEvents {
            events: row.events,
            packed: row.packed,
        };
        Ok(Self {
            revision: row.revision,
            events: stored.json()?,
        })
    }
}

impl Database {
    /// Returns the commits after a revision, oldest first: at most `limit`, and about
    /// [`MAX_BACKLOG_BYTES`].
    async fn stored_after(
        &self,
        organisation: &OrganisationId,
        revision: Revision,
        limit: u64,
    ) -> Result<Vec<Unpacked>, Error> {
        let (mut rows, mut bytes): (Vec<Unpacked>, usize) = (Vec::new(), 0);
        let mut after = revision.0;
        while (rows.len() as u64) < limit && bytes < MAX_BACKLOG_BYTES {
            let wanted = MAX_COMMITS_PER_READ.min(limit - rows.len() as u64);
            let Some(last) = self.last_that_fits(organisation, after, wanted).await? else {
                break;
            };
            let some = commits_after(organisation, after)
                .filter(Column::Revision.lte(last))
                .fetch_all(self.read())
                .await?;
            after = last;
            for row in some {
                let row = Unpacked::try_from(row)?;
                bytes += row.events.len();
                rows.push(row);
                if bytes >= MAX_BACKLOG_BYTES {
                    break;
                }
            }
        }
        Ok(rows)
    }

    /// The last of the next commits that are together stored in at most [`MAX_BACKLOG_BYTES`], or
    /// of which the first is larger. `None` if there is no further commit.
    async fn last_that_fits(
        &self,
        organisation: &OrganisationId,
        after: i64,
        limit: u64,
    ) -> Result<Option<i64>, Error> {
        let some = commits_after(organisation, after).limit(limit);
        let sizes = self.stored_sizes(some).await?;
        let mut total = 0;
        let fits = |(_, size): &&(i64, usize)| {
            let is_first = total == 0;
            total += size;
            is_first || total <= MAX_BACKLOG_BYTES
        };
        Ok(sizes.iter().take_while(fits).last().map(|(last, _)| *last))
    }

    /// The revisions of these commits, with their stored sizes in bytes.
    async fn stored_sizes(&self, commits: Select<Entity>) -> Result<Vec<(i64, usize)>, Error> {
        let sizes: Vec<(i64, i64)> = commits
            .select_only()
            .column(Column::Revision)
            .expr(Expr::cust(
                "CAST(octet_length(events) + COALESCE(octet_length(packed), 0) AS BIGINT)",
            ))
            .into_tuple()
            .fetch_all(self.read())
            .await?;
        let sizes = sizes.into_iter();
        Ok(sizes
            .map(|(revision, size)| (revision, usize::try_from(size).unwrap_or_default()))
            .collect())
    }
}

fn commits_after(organisation: &OrganisationId, revision: i64) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .filter(Column::Revision.gt(revision))
        .order_by_asc(Column::Revision)
}

/// Stores the organisation's next revision with the public form of its events. The state is stored
/// already. `incident` was stored by this transaction and is not read again.
pub(crate) async fn append(
    scope: Scope<'_>,
    locked: &Locked,
    effects: &Effects,
    incident: Option<&Incident>,
) -> Result<Commit, Error> {
    let transaction = scope.transaction;
    let public = event::public(scope, &effects.events, incident).await?;
    let revision = locked.stamp.revision;
    let StoredEvents { events, packed } = StoredEvents::of(&public)?;
    let stored = ActiveModel {
        organisation_id: Set(scope.organisation.as_str().to_owned()),
        revision: Set(revision.0),
        events: Set(events),
        packed: Set(packed),
        created_at: Set(locked.stamp.committed_at),
    };
    let insert = Entity::insert(stored).into_query();
    transaction.defer(&insert).await.map_err(broken)?;
    if !locked.revision_stored || !locked.time_stored {
        let stamped = organisation::ActiveModel {
            revision: Set(revision.0),
            committed_at: Set(locked.stamp.committed_at),
            ..Default::default()
        };
        let update = organisation::Entity::update_many()
            .set(stamped)
            .filter(organisation::Column::Id.eq(scope.organisation.as_str()))
            .into_query();
        transaction.defer(&update).await.map_err(broken)?;
    }
    let withdraws_notices = |event: &Event| event.kind().withdraws_notices();
    let has_notices = effects.notice_bytes > 0;
    Ok(Commit {
        organisation: scope.organisation.clone(),
        revision,
        events: public,
        may_have_messages: has_notices || effects.events.iter().any(withdraws_notices),
        notice_bytes: effects.notice_bytes,
        counts_as: WriteKind::of_commit(&Origin::current().actor, &effects.events),
        scheduled_events: 0,
        past_impacts: effects.past_impacts,
    })
}
