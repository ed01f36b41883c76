//! The walk over organisations with deliveries to claim.

use std::sync::Arc;

use allclear_application::delivery::{ClaimRequest, Route};
use allclear_application::error::Error;
use allclear_domain::id::OrganisationId;
use sea_orm::sea_query::{
    Alias, CommonTableExpression, Expr, ExprTrait, Func, Query, SelectStatement, UnionType,
    WithClause,
};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, FromQueryResult};

use super::claim::due;
use crate::entity::delivery::{Column, Entity};
use crate::error::broken;

/// An organisation with deliveries to claim.
pub(super) struct Waiting {
    pub(super) id: String,
    /// Maximum of its deliveries that may be claimed.
    pub(super) free: u64,
}

/// Number of organisations that one query of a walk looks at: few enough that a write hardly waits for it.
const STEPS: i32 = 128;

/// A walk over all organisations with deliveries to claim. It begins after the organisation that was served last, and ends with
/// that one. Those with nothing to claim are skipped, however many there are.
pub(super) struct Round {
    request: Arc<ClaimRequest>,
    /// The organisation after which the walk began; empty if it began with the first one.
    first: String,
    last: String,
    is_past_the_end: bool,
    is_over: bool,
}

impl Round {
    pub(super) fn of(request: Arc<ClaimRequest>) -> Self {
        let first = request.after.as_ref();
        let first = first.map_or_else(String::new, |last| last.as_str().to_owned());
        Self {
            request,
            last: first.clone(),
            first,
            is_past_the_end: false,
            is_over: false,
        }
    }

    /// The next organisations, at most `limit`, of which deliveries may be claimed; empty if the walk is over.
    pub(super) async fn next(
        &mut self,
        connection: &impl ConnectionTrait,
        limit: u64,
    ) -> Result<Vec<Waiting>, Error> {
        let mut found = Vec::new();
        while !self.is_over && (found.len() as u64) < limit {
            let wanted = limit - found.len() as u64;
            found.append(&mut self.look(connection, wanted).await?);
        }
        Ok(found)
    }

    /// Like [`Self::next`], but makes at most two queries. An empty result does not mean that the walk is over.
    pub(super) async fn next_of_few(
        &mut self,
        connection: &impl ConnectionTrait,
        limit: u64,
    ) -> Result<Vec<Waiting>, Error> {
        let mut found = self.look(connection, limit).await?;
        let is_at_the_start = self.is_past_the_end && self.last.is_empty() && !self.is_over;
        if is_at_the_start && (found.len() as u64) < limit {
            let wanted = limit - found.len() as u64;
            found.append(&mut self.look(connection, wanted).await?);
        }
        Ok(found)
    }

    /// Looks at the next [`STEPS`] organisations, or until `limit` of them have something to claim.
    async fn look(
        &mut self,
        connection: &impl ConnectionTrait,
        limit: u64,
    ) -> Result<Vec<Waiting>, Error> {
        let up_to = self.is_past_the_end.then_some(self.first.as_str());
        let next = next_waiting(&self.request, &self.last, up_to, limit);
        let rows = connection.query_all(&next).await.map_err(broken)?;
        let mut is_end = (rows.len() as u64) < limit;
        let mut found = Vec::new();
        for row in rows {
            let LookedAt { id, step, due } =
                LookedAt::from_query_result(&row, "").map_err(broken)?;
            is_end &= step < STEPS;
            self.last.clone_from(&id);
            let free = self.free(&id);
            if due.is_some() && free > 0 {
                found.push(Waiting { id, free });
            }
        }
        if is_end {
            self.is_over = self.is_past_the_end || self.first.is_empty();
            self.is_past_the_end = true;
            self.last.clear();
        }
        Ok(found)
    }

    /// How many more deliveries of an organisation may be in flight.
    fn free(&self, organisation: &str) -> u64 {
        let in_flight = OrganisationId::parse(organisation)
            .ok()
            .and_then(|id| self.request.in_flight.get(&id).copied());
        self.request.share.saturating_sub(in_flight.unwrap_or(0))
    }
}

/// An organisation that a walk has looked at.
#[derive(FromQueryResult)]
struct LookedAt {
    id: String,
    /// Number of the walk's step, from one.
    step: i32,
    /// A delivery to claim.
    due: Option<i64>,
}

/// Of the first [`STEPS`] organisations after `last`, and not after `up_to`: those with deliveries to claim, at most `limit`; if there
/// are fewer, also the last one. Each step to the next organisation with unsent deliveries is one search in the index: those
/// organisations are few, their deliveries are not.
pub(super) fn next_waiting(
    request: &ClaimRequest,
    last: &str,
    up_to: Option<&str>,
    limit: u64,
) -> SelectStatement {
    let (waiting, looked_at) = (Alias::new("waiting"), Alias::new("looked_at"));
    let (id, step, due_one) = (Alias::new("id"), Alias::new("step"), Alias::new("due"));
    let current = || Expr::col((waiting.clone(), id.clone()));
    let number = || Expr::col((waiting.clone(), step.clone()));
    let unsent = Expr::col(Column::OrganisationId);
    let mut following = Query::select()
        .expr(Func::min(unsent.clone()))
        .from(Entity)
        .and_where(Column::ByMail.eq(request.route == Route::Mail))
        .and_where(unsent.clone().gt(current()))
        .and_where(Column::DueAt.is_not_null())
        .take();
    if let Some(up_to) = up_to {
        following.and_where(unsent.lte(up_to));
    }
    let following = Query::select()
        .expr(Expr::from(following))
        .expr(number().add(1))
        .from(waiting.clone())
        .and_where(current().is_not_null())
        .and_where(number().lt(STEPS))
        .take();
    let walk = Query::select()
        .expr(Expr::val(last))
        .expr(Expr::val(0))
        .union(UnionType::All, following)
        .take();
    let walk = CommonTableExpression::new()
        .query(walk)
        .table_name(waiting.clone())
        .columns([id.clone(), step.clone()])
        .to_owned();
    // Not EXISTS, which PostgreSQL may join in another order than that of the walk.
    let first_due = Expr::from(due(current(), request.route, request.now, 1));
    let steps = Query::select()
        .columns([
            (waiting.clone(), id.clone()),
            (waiting.clone(), step.clone()),
        ])
        .expr_as(first_due, due_one.clone())
        .from(waiting.clone())
        // The walk begins with `last` and ends with NULL.
        .and_where(number().gt(0))
        .and_where(current().is_not_null())
        .take();
    Query::select()
        .with_cte(WithClause::new().recursive(true).cte(walk).to_owned())
        .columns([id, step.clone(), due_one.clone()])
        .from_subquery(steps, looked_at)
        .cond_where(
            Condition::any()
                .add(Expr::col(due_one).is_not_null())
                .add(Expr::col(step).eq(STEPS)),
        )
        .limit(limit)
        .take()
}
