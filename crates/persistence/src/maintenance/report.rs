//! Maintenances with their timelines and components.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::maintenance::MaintenanceReport;
use allclear_application::status_page::maintenance::{
    MaintenanceComponent, MaintenanceTimelineEntry,
};
use allclear_application::status_page::size::Budget;
use allclear_domain::maintenance::Maintenance;
use chrono::{DateTime, Utc};

use super::{component, maintenance_from, timeline};
use crate::entity::maintenance::Model;
use crate::timeline::{MAX_TIMELINES_PER_READ, Timeline, Timelines};
use crate::transaction::Transaction;

/// Maintenances with their timelines and components, which share a budget of `bytes` bytes.
pub(crate) async fn reports(
    transaction: &Transaction,
    rows: Vec<Model>,
    bytes: usize,
    now: DateTime<Utc>,
) -> Result<Vec<MaintenanceReport>, Error> {
    let mut budget = Budget::new(bytes);
    let mut reports = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let some = rows.by_ref().take(MAX_TIMELINES_PER_READ).collect();
        reports.append(&mut some_reports(transaction, some, &mut budget, now).await?);
    }
    Ok(reports)
}

/// [`reports`] for at most [`MAX_TIMELINES_PER_READ`] maintenances, whose timelines and components
/// share the budget with those of others.
pub(super) async fn some_reports(
    transaction: &Transaction,
    rows: Vec<Model>,
    budget: &mut Budget,
    now: DateTime<Utc>,
) -> Result<Vec<MaintenanceReport>, Error> {
    let is_read = !budget.is_spent();
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let (mut timelines, mut affected) = if is_read {
        let timelines = timeline::of(transaction, ids.iter().copied()).await?;
        (timelines, component::with_names(transaction, &ids).await?)
    } else {
        (Timelines::Unread, HashMap::new())
    };
    let mut reports = Vec::with_capacity(rows.len());
    for row in rows {
        let mut timeline = timelines.take(row.id);
        let components = affected.remove(&row.id).unwrap_or_default();
        let mut report = reported(
            maintenance_from(row, Vec::new())?,
            Timeline::default(),
            components,
            now,
        );
        report.components_truncated = !is_read;
        budget.fit(&mut report.components, &mut report.components_truncated)?;
        timeline.fit(budget)?;
        report.timeline = timeline.entries;
        report.timeline_truncated = timeline.truncated;
        reports.push(report);
    }
    Ok(reports)
}

pub(super) fn reported(
    maintenance: Maintenance,
    timeline: Timeline<MaintenanceTimelineEntry>,
    components: Vec<MaintenanceComponent>,
    now: DateTime<Utc>,
) -> MaintenanceReport {
    MaintenanceReport {
        maintenance,
        timeline: timeline.entries,
        timeline_truncated: timeline.truncated,
        components,
        components_truncated: false,
        read_at: now,
    }
}
