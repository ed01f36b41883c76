//! Maintenances.

use allclear_application::link::maintenance_path;
use allclear_application::statuspage_api::MaintenanceRecord;
use allclear_domain::rollup::Indicator;
use serde::Serialize;
use utoipa::ToSchema;

use super::component::ComponentBudget;
use super::record::Record;
use super::{JsonDocuments, Time};

/// A maintenance.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Maintenance<'a> {
    #[serde(flatten)]
    record: Record<'a>,
    /// When it starts.
    scheduled_for: Time,
    /// When it ends; the start if the end is open.
    scheduled_until: Time,
}

impl<'a> JsonDocuments<'a> {
    pub(super) fn maintenances(
        &self,
        records: impl IntoIterator<Item = &'a MaintenanceRecord>,
        budget: &mut ComponentBudget,
    ) -> Vec<Maintenance<'_>> {
        records
            .into_iter()
            .map(|record| self.maintenance(record, budget))
            .collect()
    }

    fn maintenance(
        &self,
        record: &'a MaintenanceRecord,
        budget: &mut ComponentBudget,
    ) -> Maintenance<'_> {
        let maintenance = &record.maintenance;
        let code = maintenance.id.code().to_string();
        let end = maintenance.end_at.unwrap_or(maintenance.start_at);
        Maintenance {
            record: Record {
                name: &maintenance.title,
                status: record.statuspage_status().as_str(),
                created_at: self.time(maintenance.created_at),
                updated_at: self.time(record.updated_at()),
                monitoring_at: None,
                resolved_at: record.completed_at().map(|at| self.time(at)),
                impact: Indicator::Maintenance.as_str(),
                shortlink: self.state.url.clone() + &maintenance_path(&code),
                started_at: self.time(maintenance.created_at),
                page_id: self.page.id.clone(),
                incident_updates: self.updates(&code, &record.entries),
                components: self.affected(&record.components, budget),
                id: code,
            },
            scheduled_for: self.time(maintenance.start_at),
            scheduled_until: self.time(end),
        }
    }
}
