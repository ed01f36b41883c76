//! Finds the organisations with deliveries to claim, in turn.

use std::collections::HashMap;
use std::sync::Arc;

use allclear_application::delivery::{ClaimRequest, Delivery, DeliveryRoute, Founder};
use allclear_application::error::Error;
use allclear_domain::id::{OrganisationId, UserId};
use sea_orm::sea_query::{
    Alias, CommonTableExpression, Expr, ExprTrait, Func, Query, SelectStatement, UnionType,
    WithClause,
};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, FromQueryResult};
use uuid::Uuid;

use super::claim::due;
use crate::entity::delivery::{Column, Entity};
use crate::entity::organisation;
use crate::error::{broken, parse_stored};
use crate::statement::RunStatement;

/// An organisation with deliveries to claim.
pub(super) struct OrganisationWithDue {
    pub(super) id: String,
    pub(super) founder: Founder,
    /// Maximum number of deliveries of all organisations of the founder that may be claimed.
    pub(super) free: u64,
}

/// Number of organisations that one query of a scan reads: few enough that a write hardly waits
/// for it.
const PAGE_SIZE: i32 = 128;

/// A scan of all organisations with deliveries to claim. It begins after the organisation that
/// was served last, and ends with that one. Those with nothing to claim are skipped, however
/// many there are.
pub(super) struct OrganisationScan {
    request: Arc<ClaimRequest>,
    /// Number of deliveries in flight by founder: those of the request, and those claimed since.
    in_flight: HashMap<Founder, u64>,
    /// The organisation after which the scan began; `None` if it began with the first one.
    first: Option<String>,
    /// The organisation that was read last; `None` before the first one.
    last: Option<String>,
    is_past_end: bool,
    is_done: bool,
}

impl OrganisationScan {
    pub(super) fn of(request: Arc<ClaimRequest>) -> Self {
        let first = request.after.as_ref().map(ToString::to_string);
        Self {
            in_flight: request.in_flight.clone(),
            request,
            last: first.clone(),
            first,
            is_past_end: false,
            is_done: false,
        }
    }

    /// Counts deliveries of the scan's organisations that were claimed.
    pub(super) fn count(&mut self, claimed: &[Delivery]) {
        for delivery in claimed {
            *self.in_flight.entry(delivery.founder.clone()).or_default() += 1;
        }
    }

    /// The next organisations, at most `limit`, of which deliveries may be claimed; empty if the
    /// scan is done.
    pub(super) async fn next(
        &mut self,
        connection: &impl ConnectionTrait,
        limit: u64,
    ) -> Result<Vec<OrganisationWithDue>, Error> {
        let mut found = Vec::new();
        while !self.is_done && (found.len() as u64) < limit {
            let wanted = limit - found.len() as u64;
            found.append(&mut self.next_page(connection, wanted).await?);
        }
        Ok(found)
    }

    /// Like [`Self::next`], but makes at most two queries. An empty result does not mean that the
    /// scan is done.
    pub(super) async fn next_bounded(
        &mut self,
        connection: &impl ConnectionTrait,
        limit: u64,
    ) -> Result<Vec<OrganisationWithDue>, Error> {
        let mut found = self.next_page(connection, limit).await?;
        let is_at_the_start = self.is_past_end && self.last.is_none() && !self.is_done;
        if is_at_the_start && (found.len() as u64) < limit {
            let wanted = limit - found.len() as u64;
            found.append(&mut self.next_page(connection, wanted).await?);
        }
        Ok(found)
    }

    /// Reads the next [`PAGE_SIZE`] organisations, or until `limit` of them have something
    /// to claim.
    async fn next_page(
        &mut self,
        connection: &impl ConnectionTrait,
        limit: u64,
    ) -> Result<Vec<OrganisationWithDue>, Error> {
        let up_to = self.first.as_deref().filter(|_| self.is_past_end);
        // Every identifier comes after the empty text.
        let last = self.last.as_deref().unwrap_or_default();
        let next = scan_page(&self.request, last, up_to, limit);
        let rows = connection.fetch_rows(&next).await?;
        let mut is_end = (rows.len() as u64) < limit;
        let mut found = Vec::new();
        for row in rows {
            let row = ScannedRow::from_query_result(&row, "").map_err(broken)?;
            is_end &= row.step < PAGE_SIZE;
            self.last = Some(row.id.clone());
            let organisation: OrganisationId = parse_stored(&row.id)?;
            let founder = Founder::of(&organisation, row.founder_id.map(UserId));
            let free = self.free(&founder);
            if row.due.is_some() && free > 0 {
                let id = row.id;
                found.push(OrganisationWithDue { id, founder, free });
            }
        }
        if is_end {
            self.is_done = self.is_past_end || self.first.is_none();
            self.is_past_end = true;
            self.last = None;
        }
        Ok(found)
    }

    /// How many more deliveries of all organisations of a founder may be in flight.
    fn free(&self, founder: &Founder) -> u64 {
        let in_flight = self.in_flight.get(founder).copied();
        self.request.share.saturating_sub(in_flight.unwrap_or(0))
    }
}

/// An organisation that a scan has read.
#[derive(FromQueryResult)]
struct ScannedRow {
    id: String,
    /// Its position in the page, from one.
    step: i32,
    /// A delivery to claim.
    due: Option<i64>,
    founder_id: Option<Uuid>,
}

/// Name of the organisations of a page that have unsent deliveries, with [`ID`] and [`STEP`].
const WAITING: &str = "waiting";
const ID: &str = "id";
/// Position in the page, from one. 0 is the organisation before the page.
const STEP: &str = "step";

/// Selects [`WAITING`]: the first [`PAGE_SIZE`] organisations after `last`, and not after `up_to`.
/// The first row is `last`, and the identifier of the last row may be NULL. Each step to the next
/// organisation with unsent deliveries is one search in the index: those organisations are few,
/// their deliveries are not.
fn waiting(request: &ClaimRequest, last: &str, up_to: Option<&str>) -> CommonTableExpression {
    let current = || Expr::col((WAITING, ID));
    let number = || Expr::col((WAITING, STEP));
    let unsent = Expr::col(Column::OrganisationId);
    let mut following = Query::select()
        .expr(Func::min(unsent.clone()))
        .from(Entity)
        .and_where(Column::ByMail.eq(request.route == DeliveryRoute::Mail))
        .and_where(unsent.clone().gt(current()))
        .and_where(Column::DueAt.is_not_null())
        .take();
    if let Some(up_to) = up_to {
        following.and_where(unsent.lte(up_to));
    }
    let following = Query::select()
        .expr(Expr::from(following))
        .expr(number().add(1))
        .from(WAITING)
        .and_where(current().is_not_null())
        .and_where(number().lt(PAGE_SIZE))
        .take();
    let steps = Query::select()
        .expr(Expr::val(last))
        .expr(Expr::val(0))
        .union(UnionType::All, following)
        .take();
    CommonTableExpression::new()
        .query(steps)
        .table_name(WAITING)
        .columns([ID, STEP])
        .to_owned()
}

/// Of the first [`PAGE_SIZE`] organisations after `last`, and not after `up_to`: those with
/// deliveries to claim, at most `limit`; if there are fewer, also the last one.
pub(super) fn scan_page(
    request: &ClaimRequest,
    last: &str,
    up_to: Option<&str>,
    limit: u64,
) -> SelectStatement {
    let (scanned, due_one) = (Alias::new("scanned"), Alias::new("due"));
    let current = || Expr::col((WAITING, ID));
    // Not EXISTS, which PostgreSQL may join in another order than that of the scan.
    let first_due = Expr::from(due(current(), request.route, request.now, 1));
    let steps = Query::select()
        .columns([(WAITING, ID), (WAITING, STEP)])
        .expr_as(first_due, due_one.clone())
        .from(WAITING)
        .and_where(Expr::col((WAITING, STEP)).gt(0))
        .and_where(current().is_not_null())
        .take();
    let founder = Query::select()
        .column(organisation::Column::FounderId)
        .from(organisation::Entity)
        .and_where(
            Expr::col((organisation::Entity, organisation::Column::Id))
                .equals((scanned.clone(), ID)),
        )
        .take();
    Query::select()
        .with_cte(
            WithClause::new()
                .recursive(true)
                .cte(waiting(request, last, up_to))
                .to_owned(),
        )
        .columns([Alias::new(ID), Alias::new(STEP), due_one.clone()])
        .expr_as(founder, organisation::Column::FounderId)
        .from_subquery(steps, scanned)
        .cond_where(
            Condition::any()
                .add(Expr::col(due_one).is_not_null())
                .add(Expr::col(STEP).eq(PAGE_SIZE)),
        )
        .limit(limit)
        .take()
}
