//! Stored lists of affected components, read within a common size limit. A list may be large, and a
//! timeline has one for each entry. So the sizes are read first, without the lists, and then the
//! lists that fit.
//!
//! Which ones fit is a prefix of their order. The second query is therefore always the same, with
//! the position of the last one.

use allclear_application::error::Error;
use allclear_application::statuspage_api::AFFECTED_BYTES;
use chrono::{DateTime, Utc};
use sea_orm::QueryResult;
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, Func, Query};
use uuid::Uuid;

use crate::affected::{COMPONENT_BYTES, LIST_BYTES};
use crate::error::broken;
use crate::statement::RunStatement;
use crate::timeline::{FIRST_TIME, Selected, UpdateTable, columns_of};
use crate::transaction::Transaction;

/// Name of the column with the size of the lists of a row, in bytes.
const BYTES: &str = "bytes";

/// The remaining room for lists, in bytes.
pub(super) struct ListBudget(usize);

impl ListBudget {
    pub(super) const fn new() -> Self {
        Self(AFFECTED_BYTES)
    }

    /// The room of the list of one entry.
    pub(super) const fn of_entry() -> Self {
        Self(LIST_BYTES as usize)
    }

    /// Takes the room of a component in a list; false if it does not fit.
    pub(super) fn take_component(&mut self, name: &str) -> bool {
        self.take(name.len() + usize::from(COMPONENT_BYTES))
    }

    fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }

    /// Takes the room of the first rows whose lists fit, the one with the greatest position first.
    /// Returns the position of the last of them; `None` if the first one does not fit.
    fn last_that_fits<P: Ord>(&mut self, mut rows: Vec<(P, usize)>) -> Option<P> {
        rows.sort_unstable_by(|one, other| other.cmp(one));
        let mut last = None;
        for (position, bytes) in rows {
            if !self.take(bytes) {
                break;
            }
            last = Some(position);
        }
        last
    }
}

/// The size of lists.
fn bytes(table: &'static str, lists: &[&'static str]) -> Expr {
    lists.iter().fold(Expr::val(0), |sum, list| {
        let bytes = Func::cust("octet_length").arg(Expr::col((table, *list)));
        sum.add(Func::coalesce([Expr::from(bytes), Expr::val(0)]))
    })
}

/// Lists of the rows that meet a condition; null for others.
fn lists_if(
    table: &'static str,
    lists: &[&'static str],
    condition: &Expr,
) -> impl Iterator<Item = Selected> {
    lists.iter().map(move |list| {
        let case = CaseStatement::new().case(condition.clone(), Expr::col((table, *list)));
        (*list, case.into())
    })
}

/// The size of the lists of a row.
fn size(row: &QueryResult) -> Result<usize, Error> {
    let bytes: i32 = row.try_get("", BYTES).map_err(broken)?;
    usize::try_from(bytes).map_err(Error::internal)
}

/// Returns the rows with these identifiers: `id`, and the lists of the newest rows that fit.
pub(super) async fn read(
    transaction: &Transaction,
    table: &'static str,
    lists: &[&'static str],
    ids: &[Uuid],
    budget: &mut ListBudget,
) -> Result<Vec<QueryResult>, Error> {
    let id = || Expr::col((table, "id"));
    let mut rows = Query::select()
        .expr_as(id(), "id")
        .from(table)
        .and_where(id().is_in(ids.iter().copied()))
        .take();
    let sizes = rows.clone().expr_as(bytes(table, lists), BYTES).take();
    let mut found = Vec::with_capacity(ids.len());
    for row in transaction.fetch_rows(&sizes).await? {
        let id: Uuid = row.try_get("", "id").map_err(broken)?;
        found.push((id, size(&row)?));
    }
    let last = budget.last_that_fits(found).unwrap_or(Uuid::max());
    for (name, list) in lists_if(table, lists, &id().gte(last)) {
        rows.expr_as(list, name);
    }
    transaction.fetch_rows(&rows).await
}

/// The lists of updates.
#[derive(Clone, Copy)]
pub(super) struct UpdateLists {
    pub(super) table: UpdateTable,
    pub(super) columns: &'static [&'static str],
}

/// The position of an update: its incident or maintenance, its time and its identifier.
type Position = (Uuid, DateTime<Utc>, Uuid);

impl UpdateLists {
    const fn position(self) -> [&'static str; 3] {
        [self.table.parent, "display_at", "id"]
    }

    /// The columns that [`Self::last_that_fits`] reads.
    pub(super) fn sizes(self) -> Vec<Selected> {
        let mut columns = columns_of(self.table.name, &self.position());
        columns.push((BYTES, bytes(self.table.name, self.columns)));
        columns
    }

    /// The position of the last update whose lists fit; `None` if none fit.
    pub(super) fn last_that_fits(
        self,
        rows: &[QueryResult],
        budget: &mut ListBudget,
    ) -> Result<Option<Position>, Error> {
        let [parent, display_at, id] = self.position();
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            let position: Position = (
                row.try_get("", parent).map_err(broken)?,
                row.try_get("", display_at).map_err(broken)?,
                row.try_get("", id).map_err(broken)?,
            );
            found.push((position, size(row)?));
        }
        Ok(budget.last_that_fits(found))
    }

    /// The lists of the updates up to the last one that fits.
    pub(super) fn lists_until(self, last: Option<Position>) -> Vec<Selected> {
        let (parent, display_at, id) = last.unwrap_or((Uuid::max(), FIRST_TIME, Uuid::max()));
        let last = [Expr::val(parent), Expr::val(display_at), Expr::val(id)];
        let position = self
            .position()
            .map(|name| Expr::col((self.table.name, name)));
        let is_shown = Expr::tuple(position).gte(Expr::tuple(last));
        lists_if(self.table.name, self.columns, &is_shown).collect()
    }
}
