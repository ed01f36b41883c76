//! What happened at Meridian Cloud: three weeks of a believable organisation, told in the order it happened.

use std::collections::HashMap;

use allclear_application::account::SignedUp;
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_domain::account::{Password, SignUpDraft};
use allclear_domain::author::Author;
use allclear_domain::component::{ComponentDraft, ComponentStatus};
use allclear_domain::id::{ComponentId, IncidentId, MaintenanceId, OrganisationId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::{IncidentDraft, IncidentStatus};
use allclear_domain::incident_update::IncidentUpdateDraft;
use allclear_domain::maintenance::{MaintenanceDraft, MaintenanceStatus};
use allclear_domain::maintenance_update::MaintenanceUpdateDraft;
use allclear_domain::organisation::OrganisationDraft;
use chrono::TimeDelta;

use super::clock::StoryClock;
use super::{EMAIL, PASSWORD};
use crate::app::App;

const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;

const COMPONENTS: [(&str, &str); 6] = [
    (
        "Object storage",
        "Buckets, uploads and downloads in every region.",
    ),
    ("Build pipeline", "Builds, tests and deployments."),
    ("Webhooks", "Delivery of events to your endpoints."),
    (
        "Database clusters",
        "Managed PostgreSQL with point-in-time recovery.",
    ),
    ("Dashboard", "The console at console.meridian.example."),
    ("API", "REST and streaming interfaces."),
];

/// Who tells the story, where, and when.
struct Teller<'a> {
    app: &'a App,
    clock: &'a StoryClock,
    organisation: OrganisationId,
    author: Author,
    components: HashMap<&'static str, ComponentId>,
}

/// Fills the installation, and answers the organisation. The story is told in the order of its times: no commit of an
/// organisation is before an earlier one.
pub(crate) async fn tell(app: &App, clock: &StoryClock) -> Result<OrganisationId, Error> {
    let mut teller = Teller::arrive(app, clock).await?;
    teller.components(21 * DAY).await?;
    teller.delayed_webhooks().await?;
    teller.failover_exercise().await?;
    let rotation = teller.certificate_rotation().await?;
    teller.errors_of_the_api().await?;
    teller.half_of_the_certificates(rotation).await?;
    teller.storage_upgrade().await?;
    clock.set_back(0);
    Ok(teller.organisation)
}

impl<'a> Teller<'a> {
    /// Signs up and founds the organisation.
    async fn arrive(app: &'a App, clock: &'a StoryClock) -> Result<Self, Error> {
        let name = "Ada Lovelace".to_owned();
        let draft = SignUpDraft {
            name,
            email: EMAIL.into(),
            password: Password::new(PASSWORD.into()),
        };
        let SignedUp::SignedIn(signed_in) = app.identity.accounts.sign_up(draft, None).await?
        else {
            return Err(Error::internal("the first account can always be made"));
        };
        let session = app.identity.sessions.find(&signed_in.token).await?;
        let session =
            session.ok_or_else(|| Error::internal("a session that was just opened is there"))?;
        let draft = OrganisationDraft {
            name: "Meridian Cloud".into(),
        };
        let organisation = app
            .identity
            .memberships
            .found(&session, draft)
            .await?
            .organisation;
        let author = Author {
            id: session.user.id.to_string(),
            name: session.user.name,
        };
        Ok(Self {
            app,
            clock,
            organisation,
            author,
            components: HashMap::new(),
        })
    }

    async fn components(&mut self, minutes_ago: i64) -> Result<(), Error> {
        self.clock.set_back(minutes_ago);
        for (name, description) in COMPONENTS {
            let status = ComponentStatus::Operational;
            let draft = ComponentDraft {
                name: name.into(),
                description: description.into(),
                status,
            };
            let component = self
                .app
                .components
                .create(&self.organisation, draft)
                .await?;
            self.components.insert(name, component.id);
        }
        Ok(())
    }

    async fn delayed_webhooks(&self) -> Result<(), Error> {
        let began = 5 * DAY + 3 * HOUR;
        let incident = self
            .incident(
                began,
                "Delayed webhook deliveries",
                "Some webhooks arrive minutes late. Nothing is lost: deliveries are queued.",
                &[("Webhooks", ComponentStatus::Degraded)],
            )
            .await?;
        for (minutes_ago, status, message) in [
            (
                began - 12,
                IncidentStatus::Investigating,
                "Deliveries are late by up to nine minutes.",
            ),
            (
                began - 41,
                IncidentStatus::Identified,
                "A queue node ran out of disk. We are moving its work elsewhere.",
            ),
            (
                began - 75,
                IncidentStatus::Monitoring,
                "The backlog is delivered. We keep watching the queue.",
            ),
            (
                began - 130,
                IncidentStatus::Resolved,
                "Deliveries have been on time for an hour.",
            ),
        ] {
            self.update(incident, minutes_ago, status, message).await?;
        }
        Ok(())
    }

    async fn failover_exercise(&self) -> Result<(), Error> {
        let (began, ended) = (2 * DAY + HOUR, 2 * DAY);
        let maintenance = self
            .maintenance(
                4 * DAY,
                began,
                Some(ended),
                "Database failover exercise",
                "We switch every cluster to its standby and back. Expect reconnects of a few seconds.",
            )
            .await?;
        self.maintenance_update(
            maintenance,
            began,
            IncidentStatus::Monitoring,
            "The first clusters run on standby.",
        )
        .await?;
        self.maintenance_update(
            maintenance,
            ended,
            IncidentStatus::Resolved,
            "Every cluster is back on its primary.",
        )
        .await
    }

    async fn certificate_rotation(&self) -> Result<MaintenanceId, Error> {
        self.maintenance(
            DAY,
            25,
            Some(-50),
            "Certificate rotation",
            "Certificates of all edge nodes are renewed, one after the other. No interruption is expected.",
        )
        .await
    }

    async fn half_of_the_certificates(&self, maintenance: MaintenanceId) -> Result<(), Error> {
        self.maintenance_update(
            maintenance,
            11,
            IncidentStatus::Monitoring,
            "Half of the edge nodes are done.",
        )
        .await
    }

    async fn errors_of_the_api(&self) -> Result<(), Error> {
        let affected = [
            ("API", ComponentStatus::PartialOutage),
            ("Dashboard", ComponentStatus::Degraded),
        ];
        let incident = self
            .incident(
                48,
                "Elevated error rates in the EU region",
                "About one in eight requests to the API fails with status 502. Retries succeed.",
                &affected,
            )
            .await?;
        self.update(
            incident,
            40,
            IncidentStatus::Investigating,
            "We see errors from one availability zone.",
        )
        .await?;
        let cause = "A load balancer sends requests to nodes that are being replaced. We are taking it out of service.";
        self.update(incident, 17, IncidentStatus::Identified, cause)
            .await
    }

    async fn storage_upgrade(&self) -> Result<(), Error> {
        let begins = -(2 * DAY + 5 * HOUR);
        self.maintenance(
            9,
            begins,
            Some(begins - 2 * HOUR),
            "Object storage upgrade",
            "Storage nodes move to a new release. Uploads may be slower; downloads are not affected.",
        )
        .await?;
        Ok(())
    }

    async fn incident(
        &self,
        minutes_ago: i64,
        title: &str,
        description: &str,
        affected: &[(&str, ComponentStatus)],
    ) -> Result<IncidentId, Error> {
        self.clock.set_back(minutes_ago);
        let draft = IncidentDraft {
            title: title.into(),
            description: description.into(),
            status: IncidentStatus::Investigating,
            occured_at: None,
        };
        let attachment = |(name, status): &(&str, ComponentStatus)| {
            self.components.get(name).map(|id| Attachment {
                component_id: *id,
                status: *status,
            })
        };
        let attachments = affected.iter().filter_map(attachment).collect();
        Ok(self
            .app
            .incidents
            .create(&self.organisation, draft, attachments)
            .await?
            .incident
            .id)
    }

    async fn update(
        &self,
        id: IncidentId,
        minutes_ago: i64,
        status: IncidentStatus,
        message: &str,
    ) -> Result<(), Error> {
        self.clock.set_back(minutes_ago);
        let draft = IncidentUpdateDraft {
            status,
            message: message.into(),
        };
        self.app
            .incidents
            .record_update(&self.organisation, id, draft, self.author.clone())
            .await?;
        Ok(())
    }

    /// Minutes ago that are negative are ahead.
    async fn maintenance(
        &self,
        minutes_ago: i64,
        began: i64,
        ended: Option<i64>,
        title: &str,
        description: &str,
    ) -> Result<MaintenanceId, Error> {
        self.clock.set_back(0);
        let now = self.clock.now();
        let at = |minutes_ago: i64| now - TimeDelta::minutes(minutes_ago);
        self.clock.set_back(minutes_ago);
        let draft = MaintenanceDraft {
            title: title.into(),
            description: description.into(),
            start_at: at(began),
            end_at: ended.map(at),
            status: MaintenanceStatus::Scheduled,
        };
        Ok(self
            .app
            .maintenances
            .create(&self.organisation, draft)
            .await?
            .maintenance
            .id)
    }

    async fn maintenance_update(
        &self,
        id: MaintenanceId,
        minutes_ago: i64,
        status: IncidentStatus,
        message: &str,
    ) -> Result<(), Error> {
        self.clock.set_back(minutes_ago);
        let draft = MaintenanceUpdateDraft {
            status,
            message: message.into(),
        };
        self.app
            .maintenances
            .record_update(&self.organisation, id, draft, self.author.clone())
            .await?;
        Ok(())
    }
}
