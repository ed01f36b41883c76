//! Incidents with their timelines.

use allclear_application::error::Error;
use allclear_application::incident::IncidentReport;
use allclear_application::status_page::incident::IncidentTimelineEntry;
use allclear_application::status_page::size::{Budget, LIST_TIMELINE_BYTES};
use allclear_domain::incident::Incident;

use super::timeline;
use crate::entity::incident::Model;
use crate::timeline::{MAX_TIMELINES_PER_READ, Timeline, Timelines};
use crate::transaction::Transaction;

pub(super) async fn report(
    transaction: &Transaction,
    incident: Incident,
) -> Result<IncidentReport, Error> {
    let timeline = timeline::of_one(transaction, incident.id).await?;
    Ok(reported(incident, timeline))
}

/// The incidents of a list, with their timelines within the size limit of a list.
pub(crate) async fn reports(
    transaction: &Transaction,
    rows: Vec<Model>,
) -> Result<Vec<IncidentReport>, Error> {
    let mut budget = Budget::new(LIST_TIMELINE_BYTES);
    let mut reports = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let some: Vec<Model> = rows.by_ref().take(MAX_TIMELINES_PER_READ).collect();
        let ids: Vec<_> = some.iter().map(|row| row.id).collect();
        let mut timelines = if budget.is_spent() {
            Timelines::Unread
        } else {
            timeline::of(transaction, ids).await?
        };
        for row in some {
            let mut timeline = timelines.take(row.id);
            timeline.fit(&mut budget)?;
            reports.push(reported(Incident::try_from(row)?, timeline));
        }
    }
    Ok(reports)
}

pub(super) fn reported(
    incident: Incident,
    timeline: Timeline<IncidentTimelineEntry>,
) -> IncidentReport {
    IncidentReport {
        incident,
        timeline: timeline.entries,
        timeline_truncated: timeline.truncated,
    }
}
