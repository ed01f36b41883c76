//! Incidents.

use allclear_application::link::incident_path;
use allclear_application::statuspage_api::IncidentRecord;
use serde::Serialize;
use utoipa::ToSchema;

use super::JsonDocuments;
use super::component::ComponentBudget;
use super::record::Record;

/// An incident.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Incident<'a> {
    #[serde(flatten)]
    record: Record<'a>,
    /// Always null.
    #[schema(required)]
    reminder_intervals: Option<String>,
}

impl<'a> JsonDocuments<'a> {
    pub(super) fn incidents(
        &self,
        records: impl IntoIterator<Item = &'a IncidentRecord>,
        budget: &mut ComponentBudget,
    ) -> Vec<Incident<'_>> {
        records
            .into_iter()
            .map(|record| self.incident(record, budget))
            .collect()
    }

    fn incident(&self, record: &'a IncidentRecord, budget: &mut ComponentBudget) -> Incident<'_> {
        let incident = &record.incident;
        let code = incident.id.code().to_string();
        Incident {
            record: Record {
                name: &incident.title,
                status: record.statuspage_status().as_str(),
                created_at: self.time(incident.created_at),
                updated_at: self.time(record.updated_at()),
                monitoring_at: record.monitoring_at().map(|at| self.time(at)),
                resolved_at: incident.resolved_at.map(|at| self.time(at)),
                impact: record.impact().as_str(),
                shortlink: self.state.url.clone() + &incident_path(&code),
                started_at: self.time(incident.occured_at),
                page_id: self.page.id.clone(),
                incident_updates: self.updates(&code, &record.entries),
                components: self.affected(&record.components, budget),
                id: code,
            },
            reminder_intervals: None,
        }
    }
}
