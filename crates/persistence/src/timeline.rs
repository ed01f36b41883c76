//! Timelines of incidents and maintenances.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::status_page::incident::TIMELINE_LENGTH;
use allclear_application::status_page::size::Budget;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{
    Expr, ExprTrait, Func, Query, SelectStatement, SubQueryStatement, UnionType,
};
use sea_orm::{
    ConnectionTrait, DbBackend, EntityTrait, FromQueryResult, JoinType, Order, QuerySelect,
    QueryTrait, Select,
};
use serde::Serialize;
use uuid::Uuid;

use crate::error::broken;
use crate::statement::RunStatement;

/// Number of updates read per timeline: one more than shown, to detect older ones.
const MAX_UPDATES_READ: u64 = TIMELINE_LENGTH + 1;

/// Number of timelines read by one statement: few enough to bound memory, and for PostgreSQL to use
/// the index for each.
pub(crate) const MAX_TIMELINES_PER_READ: usize = 25;

/// Name of the updates that a query returns.
const SHOWN: &str = "shown";

/// Name of the incident or the maintenance of an update that a query returns.
pub(crate) const PARENT: &str = "parent";

/// A column of a query: its name, and what it has.
pub(crate) type Selected = (&'static str, Expr);

/// Columns of a table under their own names.
pub(crate) fn columns_of(table: &'static str, names: &[&'static str]) -> Vec<Selected> {
    let column = |name: &&'static str| (*name, Expr::col((table, *name)));
    names.iter().map(column).collect()
}

/// Before every time that an operator can enter.
pub(crate) const FIRST_TIME: DateTime<Utc> = match DateTime::from_timestamp(-62_135_596_800, 0) {
    Some(time) => time,
    None => DateTime::<Utc>::MIN_UTC,
};

/// The condition for updates that a timeline shows after the one with the identifier `before`.
/// `displayed` selects that update. If it no longer exists, its time is the one in its identifier,
/// which is when it was recorded.
pub(crate) fn displayed_before<E: EntityTrait>(
    displayed: Select<E>,
    display_at: E::Column,
    before: Uuid,
) -> Expr {
    let recorded_at = before
        .get_timestamp()
        .and_then(|time| {
            let (seconds, nanoseconds) = time.to_unix();
            DateTime::from_timestamp(seconds.try_into().ok()?, nanoseconds)
        })
        .unwrap_or(FIRST_TIME);
    let displayed = displayed
        .select_only()
        .column(display_at)
        .limit(1)
        .into_query();
    let displayed = Expr::SubQuery(
        None,
        Box::new(SubQueryStatement::SelectStatement(displayed)),
    );
    let displayed = Func::coalesce([displayed, Expr::val(recorded_at)]);
    let this = Expr::tuple([Expr::col(display_at), Expr::col("id")]);
    this.lt(Expr::tuple([displayed.into(), Expr::val(before)]))
}

/// An update as a timeline shows it.
#[derive(FromQueryResult)]
pub(crate) struct EntryRow {
    /// The incident or the maintenance.
    pub(crate) parent: Uuid,
    pub(crate) id: Uuid,
    pub(crate) status: String,
    pub(crate) message: String,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) display_at: DateTime<Utc>,
}

/// A table of updates, and the table of the incidents or the maintenances that have them.
#[derive(Clone, Copy)]
pub(crate) struct UpdateTable {
    pub(crate) name: &'static str,
    /// The column with the incident or the maintenance.
    pub(crate) parent: &'static str,
    pub(crate) parents: &'static str,
}

impl UpdateTable {
    /// Columns of an [`EntryRow`]. An update has more, but every write of an outage reads a
    /// timeline.
    pub(crate) fn entry_columns(self) -> Vec<Selected> {
        let mut columns = columns_of(
            self.name,
            &["id", "status", "message", "created_at", "display_at"],
        );
        columns.push((PARENT, Expr::col((self.name, self.parent))));
        columns
    }

    /// Reads the timelines of incidents or maintenances.
    pub(crate) async fn read<T>(
        self,
        connection: &impl ConnectionTrait,
        parents: impl IntoIterator<Item = Uuid>,
    ) -> Result<Timelines<T>, Error>
    where
        T: TryFrom<EntryRow, Error = Error>,
    {
        let backend = connection.get_database_backend();
        let query = self.newest(backend, parents, &self.entry_columns());
        let rows = connection.fetch_rows(&query).await?;
        let mut timelines: HashMap<_, Timeline<T>> = HashMap::new();
        for row in rows {
            let row = EntryRow::from_query_result(&row, "").map_err(broken)?;
            let timeline = timelines.entry(row.parent).or_default();
            timeline.push(T::try_from(row)?);
        }
        Ok(Timelines::Read(timelines))
    }

    /// Selects columns of the newest updates of each of these incidents or maintenances, newest
    /// first, without reading older ones. By a list of identifiers: with a subquery, PostgreSQL
    /// reads every update if it expects many of them.
    pub(crate) fn newest(
        self,
        backend: DbBackend,
        parents: impl IntoIterator<Item = Uuid>,
        columns: &[Selected],
    ) -> SelectStatement {
        match backend {
            DbBackend::Sqlite => self.one_query_for_each_parent(parents, columns),
            _ => self.each_parent_by_itself(parents, columns),
        }
    }

    /// By a lateral join, which PostgreSQL must execute for one incident or maintenance after
    /// the other.
    fn each_parent_by_itself(
        self,
        parents: impl IntoIterator<Item = Uuid>,
        columns: &[Selected],
    ) -> SelectStatement {
        let of_parent = Expr::col((self.name, self.parent)).equals((self.parents, "id"));
        let entries = self.newest_of(of_parent, columns);
        Query::select()
            .columns(columns.iter().map(|(name, _)| (SHOWN, *name)))
            .from(self.parents)
            .join_lateral(JoinType::InnerJoin, entries, SHOWN, Expr::val(true))
            .and_where(Expr::col((self.parents, "id")).is_in(parents))
            .order_by((SHOWN, "display_at"), Order::Desc)
            .order_by((SHOWN, "id"), Order::Desc)
            .take()
    }

    /// By a union, because SQLite has no lateral joins.
    fn one_query_for_each_parent(
        self,
        parents: impl IntoIterator<Item = Uuid>,
        columns: &[Selected],
    ) -> SelectStatement {
        let newest_of = |parent: Uuid| {
            let of_parent = Expr::col((self.name, self.parent)).eq(parent);
            Query::select()
                .columns(columns.iter().map(|(name, _)| (SHOWN, *name)))
                .from_subquery(self.newest_of(of_parent, columns), SHOWN)
                .take()
        };
        let mut parents = parents.into_iter();
        // Nothing has the nil identifier.
        let mut query = newest_of(parents.next().unwrap_or_default());
        for parent in parents {
            query.union(UnionType::All, newest_of(parent));
        }
        query
            .order_by("display_at", Order::Desc)
            .order_by("id", Order::Desc)
            .take()
    }

    /// The newest updates of one incident or maintenance.
    fn newest_of(self, of_parent: Expr, columns: &[Selected]) -> SelectStatement {
        let mut newest = Query::select()
            .from(self.name)
            .and_where(of_parent)
            .order_by((self.name, "display_at"), Order::Desc)
            .order_by((self.name, "id"), Order::Desc)
            .limit(MAX_UPDATES_READ)
            .take();
        for (name, column) in columns {
            newest.expr_as(column.clone(), *name);
        }
        newest
    }
}

/// The newest updates of an incident or a maintenance, newest first.
pub(crate) struct Timeline<T> {
    pub(crate) entries: Vec<T>,
    /// Whether there are older ones.
    pub(crate) truncated: bool,
}

impl<T> Default for Timeline<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            truncated: false,
        }
    }
}

impl<T> Timeline<T> {
    /// Adds the next older update.
    pub(crate) fn push(&mut self, entry: T) {
        if self.entries.len() as u64 == TIMELINE_LENGTH {
            self.truncated = true;
        } else {
            self.entries.push(entry);
        }
    }
}

impl<T: Serialize> Timeline<T> {
    /// Keeps the newest updates that fit in the list.
    pub(crate) fn fit(&mut self, budget: &mut Budget) -> Result<(), Error> {
        budget.fit(&mut self.entries, &mut self.truncated)
    }
}

/// The timelines of several incidents or maintenances.
pub(crate) enum Timelines<T> {
    /// One without updates is missing.
    Read(HashMap<Uuid, Timeline<T>>),
    /// They were not read, because a size limit is reached.
    Unread,
}

impl<T> Timelines<T> {
    /// Returns the timeline of an incident or a maintenance, once.
    pub(crate) fn take(&mut self, parent: Uuid) -> Timeline<T> {
        match self {
            Self::Read(timelines) => timelines.remove(&parent).unwrap_or_default(),
            // It may have updates.
            Self::Unread => Timeline {
                truncated: true,
                ..Timeline::default()
            },
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    /// Whether a plan of SQLite reads a whole table, and not only the few updates that
    /// [`UpdateTable::newest`](super::UpdateTable) has found.
    pub(crate) fn scans(plan: &str) -> bool {
        let mut scans = plan.lines().filter(|line| line.contains("SCAN"));
        scans.any(|line| line.trim() != "SCAN shown")
    }
}
