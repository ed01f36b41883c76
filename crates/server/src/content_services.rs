//! Wires components, incidents, maintenances, what is computed from them, and the scheduler.

use std::sync::Arc;

use allclear_application::audit::AuditLog;
use allclear_application::component::Components;
use allclear_application::component_group::ComponentGroups;
use allclear_application::dashboard::Dashboard;
use allclear_application::incident::Incidents;
use allclear_application::maintenance::Maintenances;
use allclear_application::metrics::Metrics;
use allclear_application::organisation::{NameSource, Organisations};
use allclear_application::review::Reviews;
use allclear_application::scheduler::{self, Scheduler, WakeTimer};

use crate::infrastructure::Infrastructure;
use crate::tasks::Tasks;

/// Services of components, incidents and maintenances, and the scheduler.
pub(crate) struct ContentServices {
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
    wake_timer: Arc<WakeTimer>,
    scheduler: Arc<Scheduler>,
}

impl ContentServices {
    /// `names` is where the names of organisations are changed.
    pub(crate) fn new(infra: &Infrastructure, names: NameSource) -> Self {
        let (store, relay, clock) = (|| infra.store(), || infra.relay(), || infra.clock());
        let wake_timer = Arc::new(WakeTimer::default());
        let timer = || Arc::clone(&wake_timer);
        Self {
            components: Arc::new(Components::new(store(), store(), relay(), clock())),
            component_groups: Arc::new(ComponentGroups::new(store(), store(), relay(), clock())),
            audit: Arc::new(AuditLog::new(store())),
            dashboard: Arc::new(Dashboard::new(store(), clock())),
            metrics: Arc::new(Metrics::new(store(), clock())),
            reviews: Arc::new(Reviews::new(store(), relay())),
            organisations: Arc::new(Organisations::new(store(), relay(), names)),
            incidents: Arc::new(Incidents::new(store(), relay())),
            maintenances: Arc::new(Maintenances::new(store(), relay(), timer())),
            scheduler: Arc::new(Scheduler::new(store(), relay(), store(), timer())),
            wake_timer,
        }
    }

    /// Starts the scheduler and the task that wakes it.
    pub(crate) fn start(&self, tasks: &mut Tasks, infra: &Infrastructure) {
        let scheduler = Arc::clone(&self.scheduler);
        tasks.start("scheduler", move || {
            let scheduler = Arc::clone(&scheduler);
            async move { scheduler.run().await }
        });
        let (broadcast, wake_timer) = (infra.broadcast(), Arc::clone(&self.wake_timer));
        tasks.start("wake_scheduler", move || {
            let (broadcast, wake_timer) = (Arc::clone(&broadcast), Arc::clone(&wake_timer));
            async move { scheduler::listen(&*broadcast, &wake_timer).await }
        });
    }
}
