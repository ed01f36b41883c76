//! Sixteen operators who record updates, each on incidents of their own, through the service.

use std::sync::Arc;
use std::time::Instant;

use allclear_application::broadcast::Broadcast;
use allclear_application::clock::{Clock, TestClock};
use allclear_application::directory::{DirectoryStore, NameRecord};
use allclear_application::incident::{IncidentStore, Incidents};
use allclear_application::outbox::Commit;
use allclear_application::relay::Relay;
use allclear_application::transition::CreateTransition;
use allclear_domain::author::Author;
use allclear_domain::component::{Component, ComponentDraft, ComponentStatus};
use allclear_domain::id::{ComponentId, IncidentId, OrganisationId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::{Incident, IncidentDraft, IncidentStatus};
use allclear_domain::update::UpdateDraft;
use allclear_persistence::database::Database;
use async_trait::async_trait;
use tokio::sync::mpsc;

use crate::{EACH, OPERATORS, Taken};

/// Number of updates of an incident, more than most incidents have.
const UPDATES: usize = 10;

/// A broadcast without receivers.
struct Silence;

#[async_trait]
impl Broadcast for Silence {
    async fn publish(&self, _commit: Arc<Commit>) {}

    async fn subscribe(&self) -> mpsc::Receiver<Arc<Commit>> {
        mpsc::channel(1).1
    }
}

/// Open incidents of each operator.
pub(crate) type OpenIncidents = Vec<Vec<IncidentId>>;

pub(crate) struct Operators {
    incidents: Arc<Incidents>,
    organisation: OrganisationId,
    open: OpenIncidents,
}

fn acme() -> OrganisationId {
    OrganisationId::parse("acme").unwrap()
}

impl Operators {
    /// Fills an empty database: an organisation with a component that many incidents affect.
    pub(crate) async fn fill(url: &str) -> OpenIncidents {
        let store = Database::connect(url, TestClock::system()).await.unwrap();
        let acme = acme();
        let known = NameRecord {
            name: "Acme".into(),
            as_of: TestClock::system().now(),
        };
        store.name_organisation(&acme, known).await.unwrap();
        let draft = ComponentDraft {
            name: "API".into(),
            description: String::new(),
            status: ComponentStatus::default(),
            ..ComponentDraft::default()
        };
        let api: CreateTransition<Component> = Box::new(move |stamp| {
            Ok(Component::create(
                ComponentId(stamp.id),
                draft,
                stamp.zone,
                stamp.committed_at,
            )?)
        });
        let api =
            allclear_application::component::ComponentStore::insert(&store, &acme, api, author())
                .await
                .unwrap()
                .state
                .component
                .id;
        let mut open = Vec::new();
        for _ in 0..OPERATORS {
            let mut own = Vec::new();
            for _ in 0..EACH.div_ceil(UPDATES) {
                let draft = IncidentDraft {
                    title: "The API answers slowly".into(),
                    description: "Requests take several seconds".into(),
                    status: IncidentStatus::Investigating,
                    occured_at: None,
                    ..Default::default()
                };
                let components = vec![Attachment {
                    component_id: api,
                    status: ComponentStatus::Degraded,
                }];
                let attached = components.clone();
                let create: CreateTransition<Incident> = Box::new(move |stamp| {
                    let id = IncidentId(stamp.id);
                    let notify = stamp.notify_by_default;
                    Ok(Incident::create(
                        id,
                        draft,
                        &attached,
                        notify,
                        stamp.committed_at,
                    )?)
                });
                let written = IncidentStore::insert(&store, &acme, create, components)
                    .await
                    .unwrap();
                own.push(written.state.incident.id);
            }
            open.push(own);
        }
        store.close().await.unwrap();
        open
    }

    /// Connects to a database that [`Operators::fill`] has filled, or to a copy of it.
    pub(crate) async fn connect(url: &str, open: OpenIncidents) -> Self {
        let store = Arc::new(Database::connect(url, TestClock::system()).await.unwrap());
        let relay = Arc::new(Relay::new(Arc::clone(&store) as _, Arc::new(Silence)));
        let incidents = Incidents::new(store, relay);
        Self {
            incidents: Arc::new(incidents),
            organisation: acme(),
            open,
        }
    }

    /// Records all updates. The operators write at the same time, and each one update after
    /// the other.
    pub(crate) async fn write(&self) -> Taken {
        let start = Instant::now();
        let writers = self.open.iter().map(|own| {
            let (incidents, organisation, own) = (
                Arc::clone(&self.incidents),
                self.organisation.clone(),
                own.clone(),
            );
            tokio::spawn(async move {
                let mut each = Vec::with_capacity(EACH);
                for number in 0..EACH {
                    let message = format!(
                        "We are still looking into it, and know a little more than before: {number}"
                    );
                    let draft = UpdateDraft {
                        message,
                        status: IncidentStatus::Identified,
                        ..Default::default()
                    };
                    let (incident, author) = (own[number / UPDATES], author());
                    let start = Instant::now();
                    incidents
                        .record_update(&organisation, incident, draft, Vec::new(), author)
                        .await
                        .unwrap();
                    each.push(start.elapsed());
                }
                each
            })
        });
        let mut each = Vec::new();
        for writer in writers.collect::<Vec<_>>() {
            each.extend(writer.await.unwrap());
        }
        Taken {
            whole: start.elapsed(),
            each,
        }
    }
}

fn author() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ann".into(),
    }
}
