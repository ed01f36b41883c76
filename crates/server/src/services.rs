//! Wires components, incidents, maintenances, what is computed from them, and the scheduler.

use std::sync::Arc;

use allclear_application::audit::AuditLog;
use allclear_application::clock::Clock;
use allclear_application::component::Components;
use allclear_application::component_group::ComponentGroups;
use allclear_application::dashboard::Dashboard;
use allclear_application::incident::Incidents;
use allclear_application::maintenance::Maintenances;
use allclear_application::metrics::Metrics;
use allclear_application::organisation::{NameSource, Organisations};
use allclear_application::relay::Relay;
use allclear_application::review::Reviews;
use allclear_application::scheduler::{Scheduler, WakeTimer};
use allclear_persistence::database::Database;

/// Services of components, incidents and maintenances, and the scheduler.
pub(crate) struct Services {
    pub(crate) components: Arc<Components>,
    pub(crate) component_groups: Arc<ComponentGroups>,
    pub(crate) audit: Arc<AuditLog>,
    pub(crate) dashboard: Arc<Dashboard>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) reviews: Arc<Reviews>,
    pub(crate) organisations: Arc<Organisations>,
    pub(crate) incidents: Arc<Incidents>,
    pub(crate) maintenances: Arc<Maintenances>,
    /// Wakes the scheduler.
    pub(crate) wake_timer: Arc<WakeTimer>,
    pub(crate) scheduler: Arc<Scheduler>,
}

impl Services {
    /// Services over a database.
    pub(crate) fn new(
        database: &Database,
        relay: &Arc<Relay>,
        clock: &Arc<dyn Clock>,
        names: NameSource,
    ) -> Self {
        let store = Arc::new(database.clone());
        let relay = || Arc::clone(relay);
        let wake_timer = Arc::new(WakeTimer::default());
        let components = Components::new(
            Arc::clone(&store) as _,
            Arc::clone(&store) as _,
            relay(),
            Arc::clone(clock),
        );
        let component_groups = ComponentGroups::new(
            Arc::clone(&store) as _,
            Arc::clone(&store) as _,
            relay(),
            Arc::clone(clock),
        );
        let audit = AuditLog::new(Arc::clone(&store) as _);
        let dashboard = Dashboard::new(Arc::clone(&store) as _, Arc::clone(clock));
        let metrics = Metrics::new(Arc::clone(&store) as _, Arc::clone(clock));
        let reviews = Reviews::new(Arc::clone(&store) as _, relay());
        let organisations = Organisations::new(Arc::clone(&store) as _, relay(), names);
        let incidents = Incidents::new(Arc::clone(&store) as _, relay());
        let maintenances =
            Maintenances::new(Arc::clone(&store) as _, relay(), Arc::clone(&wake_timer));
        let scheduler = Scheduler::new(store, relay(), Arc::clone(clock), Arc::clone(&wake_timer));
        Self {
            components: Arc::new(components),
            component_groups: Arc::new(component_groups),
            audit: Arc::new(audit),
            dashboard: Arc::new(dashboard),
            metrics: Arc::new(metrics),
            reviews: Arc::new(reviews),
            organisations: Arc::new(organisations),
            incidents: Arc::new(incidents),
            maintenances: Arc::new(maintenances),
            wake_timer,
            scheduler: Arc::new(scheduler),
        }
    }
}
