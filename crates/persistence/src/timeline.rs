//! Timelines of incidents and maintenances.

use allclear_application::error::Error;
use allclear_application::public::incident::TIMELINE_LENGTH;
use allclear_application::public::size::Budget;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Func, SubQueryStatement};
use sea_orm::{EntityTrait, QuerySelect, QueryTrait, Select};
use serde::Serialize;
use uuid::Uuid;

/// Number of updates read per timeline: one more than shown, to detect older ones.
pub(crate) const READ: u64 = TIMELINE_LENGTH + 1;

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
