//! Timelines of incidents and maintenances.

use allclear_application::error::Error;
use allclear_application::status_page::incident::TIMELINE_LENGTH;
use allclear_application::status_page::size::Budget;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Func, Query, SelectStatement, SubQueryStatement};
use sea_orm::{
    Condition, DbBackend, EntityTrait, JoinType, Order, QuerySelect, QueryTrait, Select,
};
use serde::Serialize;
use uuid::Uuid;

/// Number of updates read per timeline: one more than shown, to detect older ones.
const MAX_UPDATES_READ: u64 = TIMELINE_LENGTH + 1;

/// Number of timelines read by one statement: few enough to bound memory, and for PostgreSQL to use the index for each.
pub(crate) const MAX_TIMELINES_PER_READ: usize = 25;

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

/// The condition for updates that a timeline shows after the one with the identifier `before`. `displayed` selects that update.
/// If it no longer exists, its time is the one in its identifier, which is when it was recorded.
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

/// A table of updates, and the table of the incidents or the maintenances that have them.
#[derive(Clone, Copy)]
pub(crate) struct UpdateTable {
    pub(crate) name: &'static str,
    /// The column with the incident or the maintenance.
    pub(crate) parent: &'static str,
    pub(crate) parents: &'static str,
}

impl UpdateTable {
    /// Selects columns of the newest updates of each of these incidents or maintenances, newest first, without reading older ones.
    /// By a list of identifiers: with a subquery, PostgreSQL reads every update if it expects many of them.
    pub(crate) fn newest(
        self,
        backend: DbBackend,
        parents: impl IntoIterator<Item = Uuid>,
        columns: &[Selected],
    ) -> SelectStatement {
        let parents = Expr::col((self.parents, "id")).is_in(parents);
        match backend {
            DbBackend::Sqlite => self.since_the_oldest_shown(parents, columns),
            _ => self.each_parent_by_itself(parents, columns),
        }
    }

    /// By a lateral join, which PostgreSQL must execute for one incident or maintenance after the other.
    fn each_parent_by_itself(self, parents: Expr, columns: &[Selected]) -> SelectStatement {
        let table = self.name;
        let shown = "shown";
        let mut entries = Query::select()
            .from(table)
            .and_where(self.is_of_parent(table))
            .order_by((table, "display_at"), Order::Desc)
            .order_by((table, "id"), Order::Desc)
            .limit(MAX_UPDATES_READ)
            .take();
        for (name, column) in columns {
            entries.expr_as(column.clone(), *name);
        }
        Query::select()
            .columns(columns.iter().map(|(name, _)| (shown, *name)))
            .from(self.parents)
            .join_lateral(JoinType::InnerJoin, entries, shown, Expr::val(true))
            .and_where(parents)
            .order_by((shown, "display_at"), Order::Desc)
            .order_by((shown, "id"), Order::Desc)
            .take()
    }

    /// By the time and the identifier of the oldest update shown, found in the index for each incident or maintenance: SQLite has no
    /// lateral joins.
    fn since_the_oldest_shown(self, parents: Expr, columns: &[Selected]) -> SelectStatement {
        let table = self.name;
        let older = "older";
        let of_the_oldest = |column: &'static str, if_fewer: Expr| -> Expr {
            let oldest = Query::select()
                .column((older, column))
                .from_as(table, older)
                .and_where(self.is_of_parent(older))
                .order_by((older, "display_at"), Order::Desc)
                .order_by((older, "id"), Order::Desc)
                .limit(1)
                .offset(MAX_UPDATES_READ - 1)
                .take();
            Func::coalesce([Expr::from(oldest), if_fewer]).into()
        };
        let first = Expr::tuple([
            of_the_oldest("display_at", Expr::val(FIRST_TIME)),
            of_the_oldest("id", Expr::val(Uuid::nil())),
        ]);
        let place = ["display_at", "id"].map(|column| Expr::col((table, column)));
        let is_shown = Expr::tuple(place).gte(first);
        let joined = Condition::all().add(self.is_of_parent(table)).add(is_shown);
        let mut query = Query::select()
            .from(self.parents)
            .inner_join(table, joined)
            .and_where(parents)
            .order_by((table, "display_at"), Order::Desc)
            .order_by((table, "id"), Order::Desc)
            .take();
        for (name, column) in columns {
            query.expr_as(column.clone(), *name);
        }
        query
    }

    fn is_of_parent(self, updates: &'static str) -> Expr {
        Expr::col((updates, self.parent)).equals((self.parents, "id"))
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

    /// A timeline that was not read, which may have updates.
    pub(crate) fn unread() -> Self {
        Self {
            truncated: true,
            ..Self::default()
        }
    }
}

impl<T: Serialize> Timeline<T> {
    /// Keeps the newest updates that fit in the list.
    pub(crate) fn fit(&mut self, budget: &mut Budget) -> Result<(), Error> {
        budget.fit(&mut self.entries, &mut self.truncated)
    }
}
