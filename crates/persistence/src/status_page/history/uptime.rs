//! Uptime of components by month.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::status_page::history::PageOwner;
use allclear_application::status_page::uptime::{
    COMPONENTS_OF_PAGE, CalendarMonths, ComponentCalendar, UptimePage, UptimeSelection,
};
use allclear_domain::component::ComponentStatus;
use allclear_domain::status_period::StatusSpan;
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::component::{Row, ShownComponent, named_in_page_order};
use crate::component::{self, history::spans::newest_spans_together};
use crate::entity::component::Column;
use crate::entity::component_period;
use crate::statement::exists;
use crate::transaction::Transaction;

/// How long a page with an open outage is shown.
const OPEN_OUTAGE: TimeDelta = TimeDelta::minutes(1);

/// A page of uptime; `None` if the component is unknown or does not show its uptime.
pub(super) async fn page(
    transaction: &Transaction,
    owner: PageOwner,
    selection: UptimeSelection,
    now: DateTime<Utc>,
) -> Result<Option<UptimePage>, Error> {
    let query = component::of(&owner.id).filter(Column::ShowUptime.eq(true));
    let shown = named_in_page_order(transaction, &owner.id, query).await?;
    let months = selection.months(owner.time_zone, now);
    let components = shown.iter().map(|shown| shown.component.clone()).collect();
    let mut has_next = false;
    let on_page: Vec<_> = if let Some(code) = selection.component {
        let mut shown = shown.into_iter();
        let Some(chosen) = shown.find(|shown| shown.component.code == code) else {
            return Ok(None);
        };
        has_next |= has_older(transaction, &chosen.row, &months).await?;
        vec![chosen]
    } else {
        let size = usize::try_from(COMPONENTS_OF_PAGE).map_err(Error::internal)?;
        let page = usize::try_from(selection.page).map_err(Error::internal)?;
        has_next |= page * size < shown.len();
        let before = page.saturating_sub(1) * size;
        shown.into_iter().skip(before).take(size).collect()
    };
    let ids: Vec<_> = on_page.iter().map(|shown| shown.row.id).collect();
    let mut newest = match months.interval() {
        Some((from, to)) => newest_spans_together(transaction, &ids, (from, Some(to))).await?,
        None => HashMap::new(),
    };
    let lasts =
        |span: &StatusSpan| span.end_at.is_none() && span.status != ComponentStatus::Operational;
    let is_open = newest.values().flat_map(|of| &of.spans).any(lasts);
    let today = owner.time_zone.date_of(now);
    let midnight = today.succ_opt().map(|date| owner.time_zone.start_of(date));
    let calendar = |shown: ShownComponent| {
        let newest = newest.remove(&shown.row.id).unwrap_or_default();
        let start_date = months.counted_from(shown.row.start_date, newest.known_since);
        ComponentCalendar {
            months: months.of_component(start_date, &newest.spans),
            component: shown.component,
            start_date,
        }
    };
    Ok(Some(UptimePage {
        calendars: on_page.into_iter().map(calendar).collect(),
        components,
        today,
        has_next,
        valid_until: match months.includes_today() {
            true if is_open => Some(now + OPEN_OUTAGE),
            true => midnight,
            false => None,
        },
        owner,
    }))
}

/// Whether a component has data before these months.
async fn has_older(
    transaction: &Transaction,
    component: &Row,
    months: &CalendarMonths,
) -> Result<bool, Error> {
    use component_period::{Column, Entity};
    let (Some(first_day), Some((start_at, _))) = (months.first_day(), months.interval()) else {
        return Ok(false);
    };
    if let Some(start_date) = component.start_date {
        return Ok(start_date < first_day);
    }
    if component.created_at < start_at {
        return Ok(true);
    }
    let earlier = Entity::find()
        .filter(Column::ComponentId.eq(component.id))
        .filter(Column::StartAt.lt(start_at));
    exists(earlier, transaction).await
}
